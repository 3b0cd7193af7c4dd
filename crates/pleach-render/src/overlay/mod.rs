//! What is drawn on top of a picture, to see how a scene is built.

/// Something to draw on top of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The edges of all triangles in view.
    Wireframe,
    /// The world bounds of each mesh.
    Boxes,
    /// The boxes of the tree over all meshes.
    Bvh,
    /// Lines from each joint to its parent.
    Bones,
    /// Each node's own x, y and z, in red, green and blue.
    Axes,
    /// Normals at vertices.
    Normals,
    /// The node of each mesh, by number and name.
    Ids,
}

/// Which overlays to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlays(pub Vec<Overlay>);

impl Overlay {
    /// All there are.
    pub const ALL: [Self; 7] = [
        Self::Wireframe,
        Self::Boxes,
        Self::Bvh,
        Self::Bones,
        Self::Axes,
        Self::Normals,
        Self::Ids,
    ];
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wireframe => "wireframe",
            Self::Boxes => "boxes",
            Self::Bvh => "bvh",
            Self::Bones => "bones",
            Self::Axes => "axes",
            Self::Normals => "normals",
            Self::Ids => "ids",
        }
    }
}

/// Draws overlays.
pub fn draw_overlays(_: &mut crate::Picture, _: &pleach::Scene, _: &pleach::View, _: &[Overlay]) {}
