//! Bounds set by the user replace those of the mesh until they are cleared.

use pleach::glam::{Quat, Vec3};
use pleach::{Aabb, Bounds, Error, Filter, Geometry, Node, Ray, Scene, SceneProblemKind};

use crate::common::character::arm;
use crate::common::spawn_cube;

const LARGE: Aabb = Aabb { min: Vec3::splat(-5.0), max: Vec3::splat(5.0) };

#[test]
fn m28_bounds_set_by_the_user_survive() {
    let mut scene = Scene::new();
    let node = spawn_cube(&mut scene, Vec3::X * 10.0);
    scene.update().unwrap();
    let own = scene.spatial.world_bounds(node).unwrap();
    scene.set_bounds(node, Some(LARGE)).unwrap();
    assert_eq!(scene.user_bounds(node), Some(LARGE));
    let expected = LARGE.transformed(&scene.node(node).unwrap().world());
    let encloses = |scene: &Scene, message: &str| {
        let bounds = scene.spatial.world_bounds(node).unwrap();
        assert!(bounds.min.x <= 5.0 && bounds.max.x >= 15.0, "{message}: {bounds:?}");
        assert_eq!(scene.subtree_bounds(node), Some(bounds));
    };
    scene.update().unwrap();
    assert_eq!(scene.spatial.local_bounds(node), Some(LARGE));
    encloses(&scene, "set");
    assert!(expected.min.x <= 5.0);
    // Nothing that happens to the mesh overwrites them.
    scene.mesh_mut(node).unwrap().cast_shadow = false;
    scene.update().unwrap();
    encloses(&scene, "the mesh was edited");
    scene.set_weights(node, vec![0.5]).unwrap();
    scene.update().unwrap();
    encloses(&scene, "weights were set");
    let geometry = scene.assets.add(Geometry::from_positions(vec![Vec3::ONE; 3]));
    scene.mesh_mut(node).unwrap().parts[0].geometry = geometry;
    scene.update().unwrap();
    encloses(&scene, "another geometry");
    let mesh = scene.meshes.remove(node).unwrap();
    scene.update().unwrap();
    encloses(&scene, "no mesh");
    scene.meshes.insert(&scene.graph, node, mesh).unwrap();
    scene.update().unwrap();
    encloses(&scene, "a mesh again");
    scene.node_mut(node).unwrap().set_translation(Vec3::ZERO).unwrap();
    scene.update().unwrap();
    let moved = scene.spatial.world_bounds(node).unwrap();
    assert!(moved.min.x <= -5.0 && moved.max.x < 6.0, "they follow the node");

    // A clone has them, too.
    let clone = scene.clone_subtree(node, None).unwrap().root();
    scene.update().unwrap();
    assert_eq!(scene.spatial.local_bounds(clone), Some(LARGE));

    scene.set_bounds(node, None).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.user_bounds(node), None);
    assert!(scene.spatial.world_bounds(node).unwrap().max.x < own.max.x);
}

#[test]
fn bounds_set_by_the_user_are_a_component() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group().with(Bounds(LARGE))).unwrap();
    let other = spawn_cube(&mut scene, Vec3::ZERO);
    scene.set_bounds(other, Some(LARGE)).unwrap();
    assert!(scene.changes().inserted_rows::<Bounds>().eq([node, other]));
    scene.update().unwrap();
    assert_eq!(scene.spatial.local_bounds(node), Some(LARGE));
    scene.clear_changes();

    let small = Aabb::new(Vec3::ZERO, Vec3::ONE);
    scene.get_mut::<Bounds>(node).unwrap().0 = small;
    scene.set_bounds(other, None).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.spatial.local_bounds(node), Some(small));
    assert!(scene.changes().changed_rows::<Bounds>().eq([node]));
    assert!(scene.changes().removed_rows::<Bounds>().eq([other]));

    // A clone in another scene has them; a row of a removed node is dropped.
    let mut level = Scene::new();
    let clone = level.clone_subtree_from(&scene, node, None).unwrap().root();
    assert_eq!(level.user_bounds(clone), Some(small));
    level.update().unwrap();
    assert_eq!(level.spatial.local_bounds(clone), Some(small));
    level.remove(clone).unwrap();
    level.update().unwrap();
    assert!(level.bounds.is_empty());

    // A borrowed row is not validated: the node is out of the index, and reported.
    scene.get_mut::<Bounds>(node).unwrap().0.max = Vec3::NAN;
    scene.update().unwrap();
    assert!(!scene.spatial.contains(node));
    assert_eq!(scene.check()[0].kind, SceneProblemKind::BoundsNotFinite);
    let invalid = Bounds(Aabb { min: Vec3::ZERO, max: Vec3::INFINITY });
    assert!(matches!(scene.spawn(Node::group().with(invalid)), Err(Error::Spatial(_))));
}

#[test]
fn edited_geometry_keeps_the_bounds_of_the_user() {
    let mut scene = Scene::new();
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let skinned = arm(&mut scene, 3).node;
    for node in [node, skinned] {
        scene.set_bounds(node, Some(LARGE)).unwrap();
    }
    scene.update().unwrap();
    for node in [node, skinned] {
        let geometry = scene.mesh(node).unwrap().parts[0].geometry.clone();
        geometry.edit(|it| it.positions.iter_mut().for_each(|at| *at *= 100.0));
    }
    scene.update().unwrap();
    for node in [node, skinned] {
        assert_eq!(scene.spatial.local_bounds(node), Some(LARGE));
        scene.set_bounds(node, None).unwrap();
    }
    scene.update().unwrap();
    for node in [node, skinned] {
        let half = scene.spatial.world_bounds(node).unwrap().half_extents();
        assert!(half.max_element() > 20.0, "those of the edited geometry: {half}");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn bounds_set_by_the_user_are_the_same_on_several_threads() {
    let build = || {
        let mut scene = Scene::new();
        let cube = spawn_cube(&mut scene, Vec3::X);
        let skinned = arm(&mut scene, 3).node;
        let group = scene.spawn(Node::group().at(Vec3::Y)).unwrap();
        for node in [cube, skinned, group] {
            scene.set_bounds(node, Some(LARGE)).unwrap();
        }
        (scene, [cube, skinned, group])
    };
    let ((mut serial, nodes), (mut parallel, _)) = (build(), build());
    serial.update().unwrap();
    parallel.update_parallel().unwrap();
    for node in nodes {
        assert!(parallel.spatial.contains(node));
        assert_eq!(serial.spatial.world_bounds(node), parallel.spatial.world_bounds(node));
    }
}

#[test]
fn m28_groups_and_skinned_meshes_may_have_bounds() {
    let mut scene = Scene::new();
    let group = scene.spawn(Node::group().at(Vec3::Y)).unwrap();
    assert_eq!(scene.subtree_bounds(group), None);
    scene.set_bounds(group, Some(LARGE)).unwrap();
    let arm = arm(&mut scene, 3);
    scene.set_bounds(arm.node, Some(LARGE)).unwrap();
    for frame in 0..3 {
        let rotation = Quat::from_rotation_x(frame as f32);
        scene.node_mut(arm.joints[1]).unwrap().set_rotation(rotation).unwrap();
        scene.update().unwrap();
        assert_eq!(scene.spatial.local_bounds(arm.node), Some(LARGE), "frame {frame}");
        assert_eq!(scene.spatial.local_bounds(group), Some(LARGE));
    }
    scene.set_bounds(arm.node, None).unwrap();
    scene.update().unwrap();
    assert!(scene.spatial.world_bounds(arm.node).unwrap().half_extents().max_element() < 4.0);
    scene.remove(group).unwrap();
    scene.update().unwrap();
    assert!(!scene.spatial.contains(group) && scene.user_bounds(group).is_none());
    assert!(scene.check().is_empty());
}

#[test]
fn m28_culling_and_picking_use_the_bounds_of_the_user() {
    let mut scene = Scene::new();
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let beside = Aabb::new(Vec3::splat(20.0), Vec3::splat(21.0));
    let ray = Ray::new(Vec3::X * -5.0, Vec3::X).unwrap();
    for (bounds, is_hit) in [(None, true), (Some(LARGE), true), (Some(beside), false)] {
        scene.set_bounds(node, bounds).unwrap();
        scene.update().unwrap();
        assert_eq!(scene.pick(&ray, &Filter::default()).is_some(), is_hit, "{bounds:?}");
    }
    // An empty box takes the node out of the index.
    scene.set_bounds(node, Some(Aabb::EMPTY)).unwrap();
    scene.update().unwrap();
    assert!(!scene.spatial.contains(node));
    let invalid = Aabb { min: Vec3::ZERO, max: Vec3::INFINITY };
    let error = scene.set_bounds(node, Some(invalid)).unwrap_err();
    assert!(matches!(error, Error::Spatial(_)), "{error}");
    scene.remove(node).unwrap();
    assert!(matches!(scene.set_bounds(node, None), Err(Error::Graph(_))));
}
