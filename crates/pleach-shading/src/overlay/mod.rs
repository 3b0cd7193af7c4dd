//! Overlays: lines and labels on top of a picture, for debugging a scene.
//!
//! Reads a scene, a view and the render list of that view; yields lines in world space with colour,
//! width class and drawing mode behind surfaces, and labels; and the outline of selected nodes
//! (`selection.rs`), which is not made of lines. Each overlay is a file. A renderer
//! implements [`LineSink`] and draws what it receives, in the order given.
//!
//! Guarantees: the same scene, view and list give the same lines in the same order. The number of
//! boxes, axes and labels is bounded here; that of edges and normals by the sink, which ends an
//! overlay. They come from the nearest mesh to the farthest.

mod axes;
mod boxes;
mod grid;
mod in_view;
mod joints;
mod kind;
mod labels;
mod line;
mod normals;
mod selection;
mod visible_meshes;
mod wireframe;

pub use kind::{Overlay, Overlays, UnknownOverlay};
pub use labels::{Label, label_text};
pub use line::{
    Color, LIGHT_LUMA, Line, LineColor, LineSink, LineStyle, LineWidth, OCCLUSION_TOLERANCE,
    OccludedLines, is_light,
};
pub use selection::{OUTLINE_COLOR, Selection, outline_coverage, outline_width};

use pleach::{NodeId, RenderList, Scene, View};

use line::LineBatch;
use visible_meshes::VisibleMeshes;

/// Generates the lines of overlays. Keeps the sorted edges of geometries from one picture
/// to the next.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Camera, Material, Node, RenderList, Scene, View, Visible, shapes::Cuboid};
/// use pleach_shading::overlay::{Line, LineSink, LineStyle, Overlay, OverlayGenerator};
///
/// #[derive(Default)]
/// struct Count(usize);
///
/// impl LineSink for Count {
///     fn begin(&mut self, _: LineStyle) {}
///     fn charge(&mut self, _: usize) -> bool {
///         true
///     }
///     fn add(&mut self, lines: &[Line]) -> bool {
///         self.0 += lines.len();
///         true
///     }
/// }
///
/// let mut scene = Scene::new();
/// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
/// let wood = scene.assets.add(Material::default());
/// scene.spawn(Node::mesh(&cube, &wood))?;
/// scene.update()?;
/// let view = View::new(&Camera::default(), Camera::default_transform(), 1.5)?;
/// let (mut visible, mut list) = (Visible::new(), RenderList::new());
/// scene.cull(&view, &mut visible);
/// list.build(&scene, &visible, &view);
///
/// let mut count = Count::default();
/// OverlayGenerator::new().generate(&scene, &view, &list, Overlay::Boxes, &mut count);
/// assert_eq!(count.0, 12);
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OverlayGenerator {
    edges: wireframe::EdgeCache,
}

impl OverlayGenerator {
    /// Creates a generator.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Passes the lines of an overlay to a sink, as of the scene's last update. `list` is the render
    /// list of this view. [`Overlay::Ids`] has no lines, but [`labels`].
    ///
    /// O(nodes) for axes and joints; otherwise O(draws), and O(vertices + edges) of these for
    /// wireframe and normals, until the sink ends the overlay.
    pub fn generate(
        &mut self,
        scene: &Scene,
        view: &View,
        list: &RenderList,
        overlay: Overlay,
        sink: &mut dyn LineSink,
    ) {
        let meshes = || VisibleMeshes::new(scene, list);
        let lines = &mut LineBatch::new(sink);
        match overlay {
            Overlay::Grid => grid::generate(lines, view),
            Overlay::Wireframe => wireframe::generate(lines, &meshes(), &mut self.edges),
            Overlay::Normals => normals::generate(lines, &meshes()),
            Overlay::Boxes => boxes::generate_bounds(lines, &meshes()),
            Overlay::Bvh => boxes::generate_tree(lines, &meshes(), view),
            Overlay::Axes => axes::generate(lines, scene, view),
            Overlay::Joints => joints::generate(lines, scene),
            Overlay::Ids => {}
        }
    }
}

/// Returns the labels of [`Overlay::Ids`], from the most important to the least, as of the scene's
/// last update. `list` is the render list of this view; `is_shown` returns `true` for a node that
/// the picture shows. O(draws), sorted.
#[must_use]
pub fn labels(
    scene: &Scene,
    view: &View,
    list: &RenderList,
    is_shown: &dyn Fn(NodeId) -> bool,
) -> Vec<Label> {
    labels::labels(&VisibleMeshes::new(scene, list), view, is_shown)
}
