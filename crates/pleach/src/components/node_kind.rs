//! `NodeKind`: what a node is, judged by its rows.

/// What a node is. A node may be several things at once, a mesh and a light: this is the
/// first of them, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// The scene's root.
    Root,
    /// It has a mesh and a skin.
    SkinnedMesh,
    /// It has a mesh.
    Mesh,
    /// It is a camera.
    Camera,
    /// It is a light.
    Light,
    /// A skin lists it.
    Joint,
    /// None of these: it holds others together.
    Group,
}
