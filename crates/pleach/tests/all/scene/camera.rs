//! A camera.

use pleach::{Camera, Node, NodeId, Scene};

/// Spawns a camera with the default transform, which looks at the origin.
pub(crate) fn camera(scene: &mut Scene) -> NodeId {
    let transform = Camera::default_transform();
    scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap()
}
