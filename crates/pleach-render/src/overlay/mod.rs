//! What is drawn on top of a picture, to see how a scene is built.
//!
//! Each overlay is a file that makes lines (`wireframe.rs`, `boxes.rs`, `bones.rs`, `axes.rs`,
//! `normals.rs`) or labels (`ids.rs`, `font.rs`). `drawn.rs` tells what is in view, `pen.rs` puts lines
//! into a `layer.rs`, which colours the picture.
//!
//! Colours are all that changes: distances and nodes stay those of the scene. The same scene,
//! view and picture give the same bits, whatever the threads.

mod axes;
mod bones;
mod boxes;
mod drawn;
mod font;
mod ids;
mod label;
mod layer;
mod normals;
mod pen;
mod wireframe;

use std::fmt;
use std::str::FromStr;

use pleach::{Scene, View};
use pleach_graph::NodeId;

use crate::Picture;
use crate::lens::Lens;
use drawn::Drawn;
use pen::Pen;

/// Something to draw on top of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlay {
    /// The edges of triangles, as they are posed, where nothing is in front of them; and
    /// geometry that consists of lines.
    Wireframe,
    /// The world bounds of each mesh in view, fainter behind things.
    Boxes,
    /// The boxes of the tree over all meshes, coloured by depth: violet for the box of everything,
    /// then blue, green, yellow, red.
    Bvh,
    /// Each skin's joints, and bones from their parents to them, in front of everything.
    Joints,
    /// Each node's own x, y and z, in red, green and blue, in front of everything.
    Axes,
    /// Normals at vertices, as they are posed, where nothing is in front of them.
    Normals,
    /// The node of each mesh in view, by number and name; grey if the picture does not show it.
    Ids,
}

impl Overlay {
    /// All of them, in the order in which they are drawn.
    pub const ALL: [Self; 7] = [
        Self::Wireframe,
        Self::Normals,
        Self::Boxes,
        Self::Bvh,
        Self::Axes,
        Self::Joints,
        Self::Ids,
    ];

    /// What it is called: `wireframe`, `boxes`, `bvh`, `bones`, `axes`, `normals`, `ids`.
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
        let named = Self::ALL.into_iter().find(|overlay| overlay.name() == name);
        named.ok_or_else(|| UnknownOverlay(name.into()))
    }
}

/// A name that no [`Overlay`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOverlay(pub String);

impl fmt::Display for UnknownOverlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Overlay::ALL.map(Overlay::name).join(", ");
        write!(f, "no overlay is called {:?}; there are: {names}", self.0)
    }
}

impl std::error::Error for UnknownOverlay {}

/// Which overlays to draw, and what the labels of [`Overlay::Ids`] say.
#[derive(Clone, Copy)]
pub struct Overlays<'a> {
    which: &'a [Overlay],
    label: Option<&'a dyn Fn(NodeId) -> String>,
}

impl<'a> Overlays<'a> {
    /// These overlays. Labels are `#index name`, with [`NodeId::index`].
    #[must_use]
    pub fn new(which: &'a [Overlay]) -> Self {
        Self { which, label: None }
    }

    /// With labels of your own: numbers of a file's nodes, for one.
    #[must_use]
    pub fn with_labels(self, label: &'a dyn Fn(NodeId) -> String) -> Self {
        Self { label: Some(label), ..self }
    }
}

impl<'a> From<&'a [Overlay]> for Overlays<'a> {
    fn from(which: &'a [Overlay]) -> Self {
        Self::new(which)
    }
}

impl<'a, const N: usize> From<&'a [Overlay; N]> for Overlays<'a> {
    fn from(which: &'a [Overlay; N]) -> Self {
        Self::new(which)
    }
}

impl<'a> From<&'a Vec<Overlay>> for Overlays<'a> {
    fn from(which: &'a Vec<Overlay>) -> Self {
        Self::new(which)
    }
}

impl fmt::Debug for Overlays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlays")
            .field("which", &self.which)
            .field("label", &self.label.is_some())
            .finish()
    }
}

/// Draws on top of a picture of a scene that was made for this view, as of the scene's last update:
/// each overlay once, in the order of [`Overlay::ALL`].
///
/// What a picture is too small for is left out in the end: of more than some millions of
/// lines the nearest are drawn. A picture whose columns do not fit its size stays as it is.
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
    let lens = Lens::new(view, *width, *height);
    let drawn = Drawn::new(scene, view);
    let mut pen = Pen::new(&lens, pixels, distances);
    for overlay in Overlay::ALL.into_iter().filter(|it| overlays.which.contains(it)) {
        match overlay {
            Overlay::Wireframe => wireframe::draw(&mut pen, &drawn),
            Overlay::Normals => normals::draw(&mut pen, &drawn),
            Overlay::Boxes => boxes::draw_bounds(&mut pen, &drawn),
            Overlay::Bvh => boxes::draw_tree(&mut pen, &drawn, view),
            Overlay::Axes => axes::draw(&mut pen, scene),
            Overlay::Joints => bones::draw(&mut pen, scene),
            Overlay::Ids => ids::draw(&mut pen, &drawn, overlays.label, nodes),
        }
    }
}
