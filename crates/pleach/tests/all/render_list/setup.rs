//! A camera, objects to look at, and their render list.

use pleach::glam::{Mat4, Vec3};
use pleach::{
    Camera, Draw, Instances, Mesh, Node, NodeId, RenderList, Scene, Transform, View, Visible,
};

use crate::common::{cube, material};

/// Updates the scene, culls, and builds the list.
pub(crate) fn build_list(scene: &mut Scene, camera: NodeId, list: &mut RenderList) -> View {
    let mut visible = Visible::new();
    let view = scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    list.build(scene, &visible, &view);
    view
}

pub(crate) fn draws(list: &RenderList) -> impl Iterator<Item = &Draw> {
    list.opaque().iter().chain(list.transparent())
}

pub(crate) fn nodes(list: &RenderList) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = draws(list).map(|draw| draw.node).collect();
    nodes.sort_by_key(|node| node.index());
    nodes.dedup();
    nodes
}

pub(crate) fn camera(scene: &mut Scene) -> NodeId {
    let transform = Transform::from_xyz(0.0, 20.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap()
}

/// Spawns a row of instanced cubes along X, at a distance of 2, from −100 to 100.
pub(crate) fn spawn_instance_row(scene: &mut Scene) -> NodeId {
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let instances = (-50..=50).map(|x| Mat4::from_translation(Vec3::X * (2 * x) as f32));
    let instances = Instances::new(cube.get().bounds(), instances.collect()).unwrap();
    let mut mesh = Mesh::new(cube, material);
    mesh.instances = Some(Box::new(instances));
    scene.spawn(Node::group().with_mesh(mesh)).unwrap()
}
