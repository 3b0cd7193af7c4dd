//! Everything that the calls of `pleach` take or return can be named through `pleach` alone.

use pleach::glam::Vec3;
use pleach::graph::{ChangeReader, CloneMap, LocalKind, NodeMut, NodeRef, Visit, Walk};
use pleach::spatial::{CullReason, Plane, Sphere};
use pleach::{Camera, Filter, Node, NodeId, Scene, axes};

#[test]
fn a_program_needs_no_other_crate_to_name_what_it_is_given() {
    let mut scene = Scene::new();
    let node: NodeId = scene.spawn(Node::group()).unwrap();
    let other = scene.spawn(Node::group()).unwrap();
    let clones: CloneMap = scene.clone_subtree(node, None).unwrap();
    let entry: NodeRef<'_> = scene.node(clones.root()).unwrap();
    assert_eq!(entry.parent(), Some(scene.root()));
    let mut entry: NodeMut<'_> = scene.node_mut(node).unwrap();
    entry.set_translation(axes::UP).unwrap();
    let kept: LocalKind = scene.graph.attach_in_place(node, other).unwrap();
    assert_eq!(kept, LocalKind::Transform);
    let mut reader: ChangeReader = scene.graph.change_reader();
    scene.update().unwrap();
    assert!(reader.read(&scene.graph).unwrap().changed().count() > 0);

    let mut walk = Walk::depth_first(scene.root());
    let mut count = 0;
    while walk.next(&scene.graph).is_some() {
        count += 1;
    }
    let mut visited = 0;
    scene.graph.visit(scene.root(), |_| {
        visited += 1;
        Visit::Continue
    });
    assert_eq!((count, visited), (4, 4));

    let plane = Plane::from_point_normal(Vec3::ZERO, Vec3::Z).unwrap();
    assert!(plane.contains_point(Sphere { center: Vec3::Z, radius: 1.0 }.center));
    let camera = scene.spawn(Node::camera(Camera::default())).unwrap();
    scene.update().unwrap();
    let view = scene.view(camera, 1.0).unwrap();
    let reason: Result<CullReason, _> =
        scene.spatial.cull_reason(&scene.graph, node, &view.frustum, &Filter::default());
    assert!(reason.is_ok());
}
