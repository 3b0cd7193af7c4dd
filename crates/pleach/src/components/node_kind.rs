//! `NodeKind`: the kind of a node, by its components.

/// The kind of a node. For a node with several components it is the first that applies, in this
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// The scene's root.
    Root,
    /// A node with a mesh and a skin.
    SkinnedMesh,
    /// A node with a mesh.
    Mesh,
    /// A node with a camera.
    Camera,
    /// A node with a light.
    Light,
    /// A node that is a joint of a skin.
    Joint,
    /// Any other node: it groups its children.
    Group,
}
