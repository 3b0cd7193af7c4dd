//! Every public way to edit a scene is recorded: the list is compared with the sources, so that a new
//! one cannot be forgotten.

use std::collections::BTreeSet;

use pleach::component::{Level, Lod, Skin};
use pleach::geometry::{Influences, Instances};
use pleach::glam::{Mat4, Vec3, Vec4};
use pleach::light::EnvironmentMap;
use pleach::material::{Image, TextureRef};
use pleach::{
    Aabb, Bounds, Camera, Error, Handle, Light, Material, Node, NodeId, Scene, Transform,
};
use testkit::{methods, mutating_methods};

use super::{Health, state};
use crate::common::{problems, spawn_cube};

/// Methods of `Scene` and `Table` that take `&mut self`, and all of `Handle` and `Assets`, whose edits
/// work through a shared reference, that edit nothing that an undo restores, or whose edits are not
/// recorded on purpose.
const NOT_EDITS: &[&str] = &[
    "Assets::add",
    "Assets::change_reader",
    "Assets::contains",
    "Assets::drain_unused",
    "Assets::get",
    "Assets::include", // what other scenes know is not undone
    "Assets::is_empty",
    "Assets::is_same",
    "Assets::len",
    "Handle::fork", // another asset
    "Handle::get",
    "Handle::id",
    "Handle::ref_count",
    "Handle::snapshot",
    "Handle::version",
    "Table::change_reader",
    "animate", // poses are not recorded: see `poses_are_not_recorded`
    "apply",
    "begin_transaction",
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
    ("Table::iter_mut", |scene, _, _| {
        let (graph, table) = scene.graph_and_table_mut::<Health>();
        table.iter_mut(graph).for_each(|(_, health)| health.0 += 1);
        Ok(())
    }),
    ("Table::rows_mut", |scene, _, _| {
        scene.lights.rows_mut().for_each(|(_, light)| light.intensity = 8.0);
        Ok(())
    }),
    ("Table::get_mut", |scene, cube, _| {
        scene.lights.get_mut(&scene.graph, cube).unwrap().intensity = 5.0;
        Ok(())
    }),
    ("Table::insert", |scene, cube, _| {
        let bounds = Bounds(Aabb::new(Vec3::ZERO, Vec3::splat(3.0)));
        scene.bounds.insert(&scene.graph, cube, bounds).map(drop)
    }),
    ("Table::insert", |scene, cube, _| {
        let geometry = scene.mesh(cube).unwrap().parts[0].geometry.clone();
        geometry.edit(|geometry| {
            let vertices = geometry.positions.len();
            let (joints, weights) = (vec![[0; 4]; vertices], vec![[1.0, 0.0, 0.0, 0.0]; vertices]);
            let influences = Influences { joints: joints.into(), weights: weights.into() };
            geometry.influences = vec![influences];
        });
        let skin = Skin::new(vec![cube], [Mat4::IDENTITY])?;
        scene.skins.insert(&scene.graph, cube, skin).map(drop)
    }),
    ("Table::insert", |scene, cube, group| {
        let levels = vec![Level { node: cube, min_screen_size: 0.5 }];
        scene.lods.insert(&scene.graph, group, Lod { levels }).map(drop)
    }),
    ("Table::remove", |scene, cube, _| {
        _ = scene.meshes.remove(cube);
        Ok(())
    }),
    ("Table::remove", |scene, cube, _| {
        _ = scene.cameras.remove(cube);
        Ok(())
    }),
    // Assets, environment, name, and the graph by itself.
    ("Handle::edit", |scene, cube, _| {
        material(scene, cube).edit(|material| material.base_color = Vec4::splat(0.25));
        Ok(())
    }),
    ("Handle::edit", |scene, cube, _| {
        material(scene, cube).edit(|material| material.base_color_texture = None);
        Ok(())
    }),
    ("Handle::set", |scene, cube, _| {
        let red = Material { base_color: Vec4::splat(0.5), ..Material::default() };
        material(scene, cube).set(red);
        Ok(())
    }),
    ("Handle::set", |scene, cube, _| {
        let texture = material(scene, cube).get().base_color_texture.clone().unwrap();
        texture.image.set(Image::from_uri("other.png"));
        Ok(())
    }),
    ("Handle::replace", |scene, cube, _| {
        let geometry = scene.mesh(cube).unwrap().parts[0].geometry.clone();
        geometry.replace(pleach::shapes::Cuboid::new(Vec3::splat(3.0)).build()?);
        Ok(())
    }),
    ("Handle::make_unique", |scene, cube, _| {
        scene.mesh_mut(cube).unwrap().parts[0].material.make_unique();
        Ok(())
    }),
    ("", |scene, cube, _| {
        let instances = Instances::new(Aabb::EMPTY, vec![Mat4::IDENTITY; 2]).unwrap();
        scene.mesh_mut(cube).unwrap().instances = Some(Box::new(instances));
        Ok(())
    }),
    ("", |scene, _, _| {
        scene.environment.map = Some(EnvironmentMap::studio());
        Ok(())
    }),
    ("", |scene, _, _| {
        let map = scene.environment.map.as_mut().unwrap();
        map.intensity = 3.0;
        Ok(())
    }),
    ("", |scene, _, _| {
        let map = scene.environment.map.clone().unwrap();
        map.as_image().unwrap().set(Image::from_uri("other.hdr"));
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

fn material(scene: &Scene, cube: NodeId) -> Handle<Material> {
    scene.mesh(cube).unwrap().parts[0].material.clone()
}

fn scene() -> (Scene, NodeId, NodeId) {
    let mut scene = Scene::new();
    let sky = scene.assets.add(Image::from_uri("sky.hdr"));
    scene.environment.map = Some(EnvironmentMap::image(&sky));
    let group = scene.spawn(Node::group().named("group")).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::X);
    let texture = TextureRef::new(scene.assets.add(Image::from_uri("wood.png")));
    material(&scene, cube).edit(|material| material.base_color_texture = Some(texture));
    scene.insert(cube, Health(5)).unwrap();
    scene.insert(cube, Light::point(Vec3::ONE, 1.0)).unwrap();
    scene.insert(cube, Camera::default()).unwrap();
    scene.insert(group, Health(6)).unwrap();
    scene.update().unwrap();
    (scene, cube, group)
}

/// Adds what `state` does not have.
fn full_state(scene: &Scene) -> String {
    let graph = &scene.graph;
    let cameras: Vec<_> = scene.cameras.iter(graph).collect();
    let bounds: Vec<_> = scene.bounds.iter(graph).collect();
    let skins: Vec<_> = scene.skins.iter(graph).collect();
    let lods: Vec<_> = scene.lods.iter(graph).collect();
    let mut text = format!("{}{cameras:?}\n{bounds:?}\n{skins:?}\n{lods:?}\n", state(scene));
    for (_, mesh) in scene.meshes.iter(graph) {
        let material = mesh.parts[0].material.get();
        let texture = material.base_color_texture.as_ref();
        let image = texture.map(|texture| texture.image.snapshot());
        let instances = mesh.instances.as_ref().map(|instances| instances.matrices());
        text += &format!("{:?}\n{image:?}\n{instances:?}\n", material.value());
    }
    let sky = scene.environment.map.as_ref().and_then(|map| map.as_image());
    text + &format!("{:?}", sky.map(Handle::snapshot))
}

#[test]
fn every_way_to_edit_is_listed() {
    let edits = EDITS.iter().map(|(name, _)| (*name).to_owned()).filter(|name| !name.is_empty());
    let expected: BTreeSet<String> =
        edits.chain(NOT_EDITS.iter().map(|&name| name.to_owned())).collect();
    let sources = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let mut found = mutating_methods(sources, &["impl Scene {"]);
    let of = |kind: &str, names: BTreeSet<String>| {
        names.into_iter().map(|name| format!("{kind}::{name}")).collect::<Vec<_>>()
    };
    found.extend(of("Table", mutating_methods(sources, &[" Table<T> {"])));
    found.extend(of("Handle", methods(sources, &[" Handle<"])));
    found.extend(of("Assets", methods(sources, &["impl Assets {"])));
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
fn a_patch_that_does_not_fit_changes_nothing() {
    type Damage = fn(&mut Scene, NodeId, NodeId);
    // Outside of transactions.
    let damages: [Damage; 4] = [
        |scene, cube, _| _ = scene.graph.remove(cube),
        |scene, _, group| _ = scene.remove(group),
        |scene, cube, group| _ = scene.graph.attach(group, cube),
        |_, _, _| {},
    ];
    let (mut undone, mut rejected) = (0, 0);
    for (index, (name, call)) in EDITS.iter().enumerate() {
        for damage in damages {
            let (mut it, cube, group) = scene();
            let ((), patch) = it.transact(name, |scene| call(scene, cube, group)).unwrap();
            damage(&mut it, cube, group);
            let state = |it: &Scene| (full_state(it), it.graph.revision(), it.graph.parked_count());
            let before = state(&it);
            assert!(it.apply(&patch).is_err(), "{index} {name} is applied twice");
            assert_eq!(state(&it), before, "{index} {name}, applied twice");
            if it.revert(&patch).is_ok() {
                undone += 1;
                continue;
            }
            rejected += 1;
            assert_eq!(state(&it), before, "{index} {name}, rejected");
            it.update().unwrap();
            assert_eq!(it.graph.check(), []);
        }
    }
    println!("{undone} undone, {rejected} rejected");
    assert!(undone >= EDITS.len() && rejected >= 10);
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
