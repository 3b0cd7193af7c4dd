//! Overlays: rasterizes the lines and labels of [`pleach_shading::overlay`] on top of a picture.
//!
//! Reads a picture, the scene and the view; writes the pixels only: distances and nodes are
//! unchanged. `line_rasterizer.rs` draws lines into a coverage mask (`coverage_mask.rs`), which is
//! composited onto the picture; `outline.rs` draws the outline of selected nodes; `labels.rs` draws
//! text in a bitmap font (`font.rs`).
//!
//! Guarantees: the same scene, view and picture give the same bits, with any number of threads; see [`with_threads`](crate::with_threads).

mod coverage_mask;
mod font;
mod labels;
mod line_rasterizer;
mod outline;

pub use pleach_shading::overlay::{Overlay, Overlays, UnknownOverlay};

use pleach::{RenderList, Scene, View, Visible};
use pleach_graph::NodeId;
use pleach_shading::overlay::{self, OverlayGenerator, Selection};

use crate::Picture;
use crate::lines::projector::Projector;
use labels::Labels;
use line_rasterizer::LineRasterizer;

/// Draws overlays on top of a picture that was rendered for this scene and view, as of the scene's
/// last update: each overlay once, in the order of [`Overlay::ALL`], and the outline of the
/// [selection](Overlays::with_selection) before the labels.
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
    let (width, height) = (picture.width, picture.height);
    let count = width as usize * height as usize;
    let counts = [picture.pixels.len(), picture.distances.len(), picture.nodes.len()];
    if count == 0 || counts != [count; 3] {
        return;
    }
    let projector = Projector::new(view, width, height);
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    scene.cull(view, &mut visible);
    list.build(scene, &visible, view);
    let mut generator = OverlayGenerator::new();
    for overlay in Overlay::ALL.into_iter().filter(|it| overlays.contains(*it)) {
        let Picture { pixels, distances, .. } = &mut *picture;
        let mut rasterizer = LineRasterizer::new(&projector, height, pixels, distances);
        generator.generate(scene, view, &list, overlay, &mut rasterizer);
        rasterizer.finish();
    }
    let selection = Selection::new(&scene.graph, overlays.selection());
    if !selection.is_empty() {
        outline::draw(picture, &selection);
    }
    if overlays.contains(Overlay::Ids) {
        let shown = shown_nodes(scene, &picture.nodes);
        let mut labels = Labels::new(projector.size(), &mut picture.pixels);
        for label in overlay::labels(scene, view, &list, &|node| shown[node.index()]) {
            let text = match overlays.label() {
                Some(text) => text(label.node),
                None => overlay::label_text(&scene.graph, label.node),
            };
            if let Some(pixel) = projector.pixel(label.position) {
                labels.draw(pixel, &text, label.color);
            }
        }
    }
}

/// Returns for each slot whether the picture shows the node.
fn shown_nodes(scene: &Scene, nodes: &[Option<NodeId>]) -> Vec<bool> {
    let mut shown = vec![false; scene.graph.parents().len()];
    for node in nodes.iter().flatten() {
        if let Some(is_shown) = shown.get_mut(node.index()) {
            *is_shown = true;
        }
    }
    shown
}
