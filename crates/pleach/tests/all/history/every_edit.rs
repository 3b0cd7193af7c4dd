//! Every public way to edit a scene is recorded: the list is compared with the sources, so that a new
//! one cannot be forgotten.

use std::collections::BTreeSet;

use pleach::glam::{Vec3, Vec4};
use pleach::{Aabb, Bounds, Camera, Error, Light, Material, Node, NodeId, Scene, Transform};
use testkit::mutating_methods;

use super::{Health, state};
use crate::common::{problems, spawn_cube};

/// Methods of `Scene` and `Table` that take `&mut self` and edit nothing that an undo restores, or
/// whose edits are not recorded on purpose.
const NOT_EDITS: &[&str] = &[
    "animate", // poses are not recorded: see `poses_are_not_recorded`
    "apply",
    "begin_transaction",
    "change_reader",
    "clear_changes",
    "commit",
    "frame", // a pose, an update and queries
    "graph_and_table_mut",
    "register",
    "revert",
    "roll_back",
    "table_mut",
    "transact",
    "update",
    "update_parallel",
    "visible_meshes", // an update and a query
    "write_pose",
];

type Call = (&'static str, fn(&mut Scene, NodeId, NodeId) -> Result<(), Error>);

/// Every way to edit, called with a cube, which has all kinds of components, and a group.
const EDITS: &[Call] = &[
    ("spawn", |scene, cube, _| scene.spawn(Node::group().under(cube).with(Health(1))).map(drop)),
    ("spawn_tree", |scene, _, _| scene.spawn_tree(Node::group().child(Node::group())).map(drop)),
    ("spawn_all", |scene, cube, _| scene.spawn_all(cube, [Node::group()]).map(drop)),
    ("spawn_many", |scene, cube, _| {
        scene.spawn_many(&Node::group().under(cube).with(Health(2)), &[Transform::IDENTITY; 3])?;
        Ok(())
    }),
    ("remove", |scene, cube, _| scene.remove(cube).map(drop)),
    ("attach", |scene, cube, group| scene.attach(cube, group)),
    ("attach_all", |scene, cube, group| scene.attach_all(&[cube], group)),
    ("attach_each", |scene, cube, group| scene.attach_each(&[cube], &[group])),
    ("attach_in_place", |scene, cube, group| scene.attach_in_place(cube, group).map(drop)),
    ("detach", |scene, cube, _| scene.detach(cube)),
    ("set_transforms", |scene, cube, _| {
        scene.set_transforms(&[cube], &[Transform::from_xyz(9.0, 0.0, 0.0)])
    }),
    ("node_mut", |scene, cube, _| {
        scene.node_mut(cube)?.set_name("other");
        Ok(())
    }),
    ("mesh_mut", |scene, cube, _| {
        scene.mesh_mut(cube).unwrap().layers = 4;
        Ok(())
    }),
    ("camera_mut", |scene, cube, _| {
        scene.camera_mut(cube).unwrap().layers = 3;
        Ok(())
    }),
    ("light_mut", |scene, cube, _| {
        scene.light_mut(cube).unwrap().intensity = 3.0;
        Ok(())
    }),
    ("set_weights", |scene, _, group| scene.set_weights(group, vec![0.5])),
    ("set_bounds", |scene, cube, _| {
        scene.set_bounds(cube, Some(Aabb::new(Vec3::ZERO, Vec3::splat(7.0))))
    }),
    ("clone_subtree", |scene, cube, _| scene.clone_subtree(cube, None).map(drop)),
    ("clone_subtree_from", |scene, cube, _| {
        let other = scene.clone();
        scene.clone_subtree_from(&other, cube, None).map(drop)
    }),
    ("insert", |scene, cube, _| scene.insert(cube, Health(9)).map(drop)),
    ("restore_rows", |scene, cube, _| scene.restore_rows([(cube, Health(8))])),
    ("get_mut", |scene, cube, _| {
        scene.get_mut::<Health>(cube).unwrap().0 = 9;
        Ok(())
    }),
    ("remove_component", |scene, cube, _| {
        scene.remove_component::<Light>(cube);
        Ok(())
    }),
    // Tables.
    ("iter_mut", |scene, _, _| {
        let (graph, table) = scene.graph_and_table_mut::<Health>();
        table.iter_mut(graph).for_each(|(_, health)| health.0 += 1);
        Ok(())
    }),
    ("rows_mut", |scene, _, _| {
        scene.lights.rows_mut().for_each(|(_, light)| light.intensity = 8.0);
        Ok(())
    }),
    // Assets, environment, name, and the graph by itself.
    ("", |scene, cube, _| {
        let red = scene.mesh(cube).unwrap().parts[0].material.clone();
        red.set(Material { base_color: Vec4::splat(0.5), ..Material::default() });
        Ok(())
    }),
    ("", |scene, cube, _| {
        let geometry = scene.mesh(cube).unwrap().parts[0].geometry.clone();
        geometry.set(pleach::shapes::Cuboid::new(Vec3::splat(3.0)).build()?);
        Ok(())
    }),
    ("", |scene, cube, _| {
        scene.mesh_mut(cube).unwrap().parts[0].material.make_unique();
        Ok(())
    }),
    ("", |scene, cube, group| {
        // The update turns the node.
        let up = Vec3::Z;
        scene.insert(cube, pleach::Constraint::LookAt { target: group, up })?;
        scene.update().map(drop)
    }),
    ("", |scene, _, _| {
        scene.environment.ambient.intensity = 2.0;
        Ok(())
    }),
    ("", |scene, _, _| {
        scene.name = "other".into();
        Ok(())
    }),
    ("", |scene, cube, _| Ok(scene.graph.remove(cube).map(drop)?)),
    ("", |scene, cube, _| Ok(scene.graph.node_mut(cube)?.set_translation(Vec3::ONE).map(drop)?)),
];

fn scene() -> (Scene, NodeId, NodeId) {
    let mut scene = Scene::new();
    let group = scene.spawn(Node::group().named("group")).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::X);
    scene.insert(cube, Health(5)).unwrap();
    scene.insert(cube, Light::point(Vec3::ONE, 1.0)).unwrap();
    scene.insert(cube, Camera::default()).unwrap();
    scene.insert(group, Health(6)).unwrap();
    scene.update().unwrap();
    (scene, cube, group)
}

/// Adds the tables that `state` does not have.
fn full_state(scene: &Scene) -> String {
    let cameras: Vec<_> = scene.cameras.iter(&scene.graph).collect();
    let bounds: Vec<_> = scene.table::<Bounds>().iter(&scene.graph).collect();
    format!("{}{cameras:?}\n{bounds:?}", state(scene))
}

#[test]
fn every_way_to_edit_is_listed() {
    let edits = EDITS.iter().map(|(name, _)| (*name).to_owned()).filter(|name| !name.is_empty());
    let expected: BTreeSet<String> =
        edits.chain(NOT_EDITS.iter().map(|&name| name.to_owned())).collect();
    let sources = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let found = mutating_methods(sources, &["impl Scene {", " Table<T> {"]);
    assert_eq!(found, expected, "list new methods in EDITS or NOT_EDITS");
}

#[test]
fn every_edit_is_undone_redone_and_rolled_back() {
    for (index, (name, call)) in EDITS.iter().enumerate() {
        let what = format!("{index} {name}");
        let (mut it, cube, group) = scene();
        let before = full_state(&it);
        let ((), patch) = it.transact(name, |scene| call(scene, cube, group)).unwrap();
        let after = full_state(&it);
        assert_ne!(before, after, "{what} does nothing");
        it.update().unwrap();
        it.revert(&patch).unwrap();
        assert_eq!(full_state(&it), before, "{what}, undone");
        it.update().unwrap();
        assert_eq!(problems(&it), [""; 0], "{what}");
        it.apply(&patch).unwrap();
        assert_eq!(full_state(&it), after, "{what}, redone");
        it.update().unwrap();
        assert_eq!(problems(&it), [""; 0], "{what}");
        it.revert(&patch).unwrap();

        let failed = it.transact(name, |scene| {
            call(scene, cube, group)?;
            Err::<(), _>(Error::NoTransaction)
        });
        assert_eq!(failed.map(drop), Err(Error::NoTransaction));
        assert_eq!(full_state(&it), before, "{what}, rolled back");
    }
}

#[test]
fn poses_are_not_recorded() {
    let (mut scene, cube, group) = scene();
    let up = Vec3::Z;
    scene.insert(cube, pleach::Constraint::LookAt { target: group, up }).unwrap();
    let ((), patch) = scene
        .transact("Nothing", |scene| {
            scene.animate(&mut pleach::animation::Mixer::new(), 0.1);
            // Constraints write rotations.
            scene.update().map(drop)
        })
        .unwrap();
    assert!(patch.is_empty(), "{patch:?}");
}

#[test]
fn apply_inside_of_a_transaction_is_part_of_it() {
    let (mut scene, cube, _) = scene();
    let red = scene.mesh(cube).unwrap().parts[0].material.clone();
    let (_, patch) = scene
        .transact("Paint and delete", |scene| {
            red.edit(|red| red.base_color.x = 0.25);
            scene.remove(cube)
        })
        .unwrap();
    let after = full_state(&scene);
    let (_, outer) = scene.transact("Undo", |scene| scene.revert(&patch)).unwrap();
    assert_eq!(red.get().base_color.x, 1.0);
    scene.revert(&outer).unwrap();
    assert_eq!((full_state(&scene), red.get().base_color.x), (after.clone(), 0.25));
    let failed = scene.transact("Fails", |scene| {
        scene.revert(&patch)?;
        Err::<(), _>(Error::NoTransaction)
    });
    assert!(failed.is_err());
    assert_eq!((full_state(&scene), red.get().base_color.x), (after, 0.25));
}

#[test]
fn a_table_that_is_created_inside_is_recorded() {
    #[derive(Clone, Debug, PartialEq)]
    struct Mana(u32);
    impl pleach::Component for Mana {
        const NAME: &'static str = "mana";
    }
    let (mut scene, cube, _) = scene();
    let (_, patch) = scene.transact("Give mana", |scene| scene.insert(cube, Mana(1))).unwrap();
    scene.revert(&patch).unwrap();
    assert_eq!(scene.get::<Mana>(cube), None);
    // A copy that does not have the table yet.
    let mut copy = self::scene().0;
    copy.apply(&patch).unwrap();
    assert_eq!(copy.get::<Mana>(cube), Some(&Mana(1)));
}
