//! Overlays: lines and labels on top of a picture, for debugging a scene.
//!
//! Reads a picture, the scene and the view; writes the pixels only: distances and nodes are
//! unchanged. Each overlay is a file that generates lines (`wireframe.rs`, `boxes.rs`, `joints.rs`,
//! `axes.rs`, `normals.rs`) or labels (`ids.rs`, `labels.rs`, `font.rs`). `visible_meshes.rs`
//! collects what is in view; `line_rasterizer.rs` draws lines into a coverage mask
//! (`coverage_mask.rs`), which is composited onto the picture.
//!
//! Guarantees: the same scene, view and picture give the same bits, with any number of threads; see [`with_threads`](crate::with_threads).

mod axes;
mod boxes;
mod coverage_mask;
mod font;
mod ids;
mod joints;
mod labels;
mod line_rasterizer;
mod normals;
mod visible_meshes;
mod wireframe;

use std::fmt;
use std::str::FromStr;

use pleach::{Scene, View};
use pleach_graph::NodeId;

use crate::Picture;
use crate::lines::projector::Projector;
use line_rasterizer::LineRasterizer;
use visible_meshes::VisibleMeshes;

/// A debug overlay that is drawn on top of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overlay {
    /// The edges of triangles in their current pose, where nothing occludes them; and the lines of
    /// line geometry.
    Wireframe,
    /// The world bounds of each mesh in view, faint where occluded.
    Boxes,
    /// The boxes of the bounding volume hierarchy, coloured by depth: violet for the root, then
    /// blue, green, yellow, red.
    Bvh,
    /// The joints of each skin, linked to their parents, in front of everything.
    Joints,
    /// The local x, y and z axes of each node in red, green and blue, in front of everything.
    Axes,
    /// Vertex normals in their current pose, where nothing occludes them.
    Normals,
    /// The index and name of the node of each mesh in view; grey if the picture does not show it.
    Ids,
}

impl Overlay {
    /// All overlays, in drawing order.
    pub const ALL: [Self; 7] = [
        Self::Wireframe,
        Self::Normals,
        Self::Boxes,
        Self::Bvh,
        Self::Axes,
        Self::Joints,
        Self::Ids,
    ];

    /// Returns the name: `wireframe`, `boxes`, `bvh`, `joints`, `axes`, `normals`, `ids`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wireframe => "wireframe",
            Self::Boxes => "boxes",
            Self::Bvh => "bvh",
            Self::Joints => "joints",
            Self::Axes => "axes",
            Self::Normals => "normals",
            Self::Ids => "ids",
        }
    }
}

impl fmt::Display for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Overlay {
    type Err = UnknownOverlay;

    fn from_str(name: &str) -> Result<Self, UnknownOverlay> {
        let found = Self::ALL.into_iter().find(|overlay| overlay.name() == name);
        found.ok_or_else(|| UnknownOverlay(name.into()))
    }
}

/// The error for a name that is not an [`Overlay`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOverlay(pub String);

impl fmt::Display for UnknownOverlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Overlay::ALL.map(Overlay::name).join(", ");
        write!(f, "{:?} is not an overlay; valid names are {names}", self.0)
    }
}

impl std::error::Error for UnknownOverlay {}

/// The overlays to draw, and the text of the [`Overlay::Ids`] labels.
#[derive(Clone, Copy)]
pub struct Overlays<'a> {
    overlays: &'a [Overlay],
    label: Option<&'a dyn Fn(NodeId) -> String>,
}

impl<'a> Overlays<'a> {
    /// Selects overlays. Labels are `#index name`, with [`NodeId::index`].
    #[must_use]
    pub fn new(overlays: &'a [Overlay]) -> Self {
        Self { overlays, label: None }
    }

    /// Sets a function for the labels, for example to show the node indices of a file.
    #[must_use]
    pub fn with_labels(self, label: &'a dyn Fn(NodeId) -> String) -> Self {
        Self { label: Some(label), ..self }
    }
}

impl<'a> From<&'a [Overlay]> for Overlays<'a> {
    fn from(overlays: &'a [Overlay]) -> Self {
        Self::new(overlays)
    }
}

impl<'a, const N: usize> From<&'a [Overlay; N]> for Overlays<'a> {
    fn from(overlays: &'a [Overlay; N]) -> Self {
        Self::new(overlays)
    }
}

impl<'a> From<&'a Vec<Overlay>> for Overlays<'a> {
    fn from(overlays: &'a Vec<Overlay>) -> Self {
        Self::new(overlays)
    }
}

impl fmt::Debug for Overlays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlays")
            .field("overlays", &self.overlays)
            .field("label", &self.label.is_some())
            .finish()
    }
}

/// Draws overlays on top of a picture that was rendered for this scene and view, as of the scene's
/// last update: each overlay once, in the order of [`Overlay::ALL`].
///
/// The amount of work is bounded: of more than some millions of lines only the nearest are drawn. A
/// picture whose vectors do not match its size is left unchanged.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Camera, Material, Node, Scene, shapes};
/// use pleach_render::{Overlay, Overlays, Picture, draw_overlays};
///
/// let mut scene = Scene::new();
/// let cube = scene.assets.add(shapes::Cuboid::new(Vec3::ONE).build()?);
/// let wood = scene.assets.add(Material::default());
/// scene.spawn(Node::mesh(&cube, &wood).named("crate"))?;
/// let camera = scene.spawn(Node::camera(Camera::default()).with_transform(Camera::default_transform()))?;
/// scene.update()?;
///
/// let view = scene.view(camera, (320, 180))?;
/// let mut picture = Picture::new(320, 180, [0, 0, 0, 255]);
/// draw_overlays(&mut picture, &scene, &view, &[Overlay::Wireframe, Overlay::Ids]);
/// assert!(picture.pixels.iter().any(|pixel| *pixel != [0, 0, 0, 255]));
///
/// let label = |node| format!("mesh {node}");
/// let labelled = Overlays::new(&[Overlay::Ids]).with_labels(&label);
/// draw_overlays(&mut picture, &scene, &view, labelled);
/// # Ok::<(), pleach::Error>(())
/// ```
pub fn draw_overlays<'a>(
    picture: &mut Picture,
    scene: &Scene,
    view: &View,
    overlays: impl Into<Overlays<'a>>,
) {
    let overlays = overlays.into();
    let Picture { width, height, pixels, distances, nodes } = picture;
    let count = *width as usize * *height as usize;
    if count == 0 || [pixels.len(), distances.len(), nodes.len()] != [count; 3] {
        return;
    }
    let projector = Projector::new(view, *width, *height);
    let meshes = VisibleMeshes::new(scene, view);
    let mut rasterizer = LineRasterizer::new(&projector, pixels, distances);
    for overlay in Overlay::ALL.into_iter().filter(|it| overlays.overlays.contains(it)) {
        match overlay {
            Overlay::Wireframe => wireframe::draw(&mut rasterizer, &meshes),
            Overlay::Normals => normals::draw(&mut rasterizer, &meshes),
            Overlay::Boxes => boxes::draw_bounds(&mut rasterizer, &meshes),
            Overlay::Bvh => boxes::draw_tree(&mut rasterizer, &meshes, view),
            Overlay::Axes => axes::draw(&mut rasterizer, scene),
            Overlay::Joints => joints::draw(&mut rasterizer, scene),
            Overlay::Ids => ids::draw(&mut rasterizer, &meshes, overlays.label, nodes),
        }
    }
}
