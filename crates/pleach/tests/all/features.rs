//! The features `serde` and `bytemuck` reach what this crate re-exports.

#[cfg(feature = "serde")]
#[test]
fn d_handles_and_transforms_are_serialized_with_the_feature_serde() {
    use pleach::glam::{Quat, Vec3};
    use pleach::{Node, NodeId, Scene, Transform};

    let mut scene = Scene::new();
    let at = Transform::from_xyz(1.0, 2.0, 3.0)
        .with_rotation(Quat::from_xyzw(0.6, 0.0, 0.0, 0.8))
        .with_scale(Vec3::splat(2.0));
    let node = scene.spawn(Node::group().with_transform(at)).unwrap();
    let text = serde_json::to_string(&(node, at)).unwrap();
    let (read_node, read): (NodeId, Transform) = serde_json::from_str(&text).unwrap();
    assert_eq!((read_node, read), (node, at));
    assert_eq!(scene.node(read_node).unwrap().transform(), read);
}

#[cfg(feature = "bytemuck")]
#[test]
fn d_world_matrices_are_cast_to_bytes_with_the_feature_bytemuck() {
    use pleach::glam::{Mat4, Vec3};
    use pleach::{Node, Scene};

    let mut scene = Scene::new();
    let node = scene.spawn(Node::group().at(Vec3::new(1.0, 2.0, 3.0))).unwrap();
    scene.update().unwrap();
    let bytes: &[u8] = bytemuck::cast_slice(scene.graph.world_matrices());
    assert_eq!(bytes, scene.graph.world_bytes());
    let row = &bytes[64 * node.index()..][..64];
    let matrix: Mat4 = bytemuck::pod_read_unaligned(row);
    assert_eq!(matrix, scene.node(node).unwrap().world());
}
