//! The root of a scene: attached elsewhere it is still the root; once it was removed, every call reports it.

use pleach::glam::{Vec2, Vec3};
use pleach::{Error, Filter, Node, Scene, SceneProblemKind, Visible};

use super::camera::camera;
use crate::common::{problems, spawn_cube};

#[test]
fn a8_scene_whose_root_is_attached_elsewhere_is_still_culled_and_picked() {
    let mut scene = Scene::new();
    let eye = camera(&mut scene);
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    let stage = scene.graph.add_root(pleach::Transform::IDENTITY).unwrap();
    for attached in [false, true] {
        if attached {
            let root = scene.root();
            scene.graph.attach(root, stage).unwrap();
            // The node above the root is not part of the scene.
            let beside = Node::mesh(&scene.mesh(cube).unwrap().parts[0].geometry.clone(), &{
                scene.mesh(cube).unwrap().parts[0].material.clone()
            });
            scene.spawn(beside.under(stage)).unwrap();
        }
        let mut visible = Visible::new();
        let view = scene.visible_meshes(eye, (100, 100), &mut visible).unwrap();
        assert_eq!(visible.nodes(), [cube]);
        let ray = view.ray_through_pixel(Vec2::splat(50.0)).unwrap();
        assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().node, cube);
        assert!(scene.is_attached(cube) && !scene.is_attached(stage));
        assert_eq!(scene.walk().count(), 3);
        let expected: &[_] = if attached { &[SceneProblemKind::RootAttached] } else { &[] };
        assert!(scene.check().iter().map(|problem| &problem.kind).eq(expected));
    }
    assert_eq!(problems(&scene), ["node 0v1: the root of the scene is attached to another node"]);
}

#[test]
fn a8_scene_whose_root_was_removed_reports_it() {
    let ways: [fn(&mut Scene); 2] =
        [|scene| drop(scene.graph.remove(scene.root())), |scene| scene.graph.clear()];
    for remove in ways {
        let mut scene = Scene::new();
        let node = spawn_cube(&mut scene, Vec3::ZERO);
        scene.update().unwrap();
        remove(&mut scene);
        let root = scene.root();
        assert_eq!(scene.update(), Err(Error::RootRemoved));
        assert_eq!(scene.update(), Err(Error::RootRemoved), "also later");
        assert_eq!(scene.spawn(Node::group()), Err(Error::RootRemoved));
        assert_eq!(scene.spawn_tree(Node::group()), Err(Error::RootRemoved));
        assert_eq!(scene.spawn(Node::group().under(root)), Err(Error::RootRemoved));
        assert!(scene.clone_subtree(node, None).is_err());
        assert_eq!((scene.walk().count(), scene.is_attached(node)), (0, false));
        assert_eq!(problems(&scene), [format!("node {root}: the root of the scene was removed")]);
    }
}

#[test]
fn root_cannot_be_attached_through_the_scene() {
    let mut scene = Scene::new();
    let stage = scene.graph.add_root(pleach::Transform::IDENTITY).unwrap();
    let root = scene.root();
    assert_eq!(scene.attach(root, stage), Err(Error::RootAttached));
    assert_eq!(scene.attach_in_place(root, stage), Err(Error::RootAttached));
    assert_eq!(scene.detach(root), Ok(()), "it has no parent");
    assert_eq!(scene.check(), []);
}

#[test]
fn c14_walk_and_find_skip_detached_nodes() {
    let mut scene = Scene::new();
    let crate_node = |name: &str| Node::group().named(name);
    let kept = scene.spawn(crate_node("kept").child(crate_node("lid"))).unwrap();
    let stored = scene.spawn(crate_node("stored").child(crate_node("lid"))).unwrap();
    let lids: Vec<_> = [kept, stored].map(|node| scene.children(node).next().unwrap()).to_vec();
    scene.detach(stored).unwrap();
    assert!(scene.walk().eq([scene.root(), kept, lids[0]]));
    assert_eq!((scene.find("stored"), scene.find("lid")), (None, Some(lids[0])));
    scene.attach(stored, kept).unwrap();
    scene.remove(lids[0]).unwrap();
    assert!(scene.walk().eq([scene.root(), kept, stored, lids[1]]));
    assert_eq!(scene.find("lid"), Some(lids[1]));
    assert_eq!(scene.parent(stored), Some(kept));
}
