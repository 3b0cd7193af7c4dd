//! A camera to look with.

use pleach::{Camera, Node, NodeId, Scene};

/// A camera at its default place, which sees the origin.
pub(crate) fn camera(scene: &mut Scene) -> NodeId {
    let transform = Camera::default_transform();
    scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap()
}
