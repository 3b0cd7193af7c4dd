//! Changes accumulate until they are cleared, and are the difference of the two states.

use std::collections::{BTreeMap, BTreeSet};

use pleach::glam::{Mat4, Vec3};
use pleach::{Camera, Component, Light, Node, NodeId, Scene};
use testkit::allocations::Tally;
use testkit::{Effort, Rng};

use crate::common::spawn_cube;

#[derive(Clone, Debug, PartialEq)]
struct Health(u32);

impl Component for Health {
    const NAME: &'static str = "health";
}

#[test]
fn m81_changes_accumulate_over_updates_until_they_are_cleared() {
    let mut scene = Scene::new();
    let [a, b] = [Vec3::X, Vec3::Y].map(|at| spawn_cube(&mut scene, at));
    scene.update().unwrap();
    scene.clear_changes();
    for node in [a, b] {
        scene.node_mut(node).unwrap().set_translation(Vec3::Z).unwrap();
        scene.mesh_mut(node).unwrap().layers = 2;
        scene.insert(node, Health(1)).unwrap();
        scene.update().unwrap();
    }
    let changes = scene.changes();
    assert!(changes.changed().eq([a, b]));
    assert!(changes.changed_rows::<pleach::Mesh>().eq([a, b]));
    assert!(changes.inserted_rows::<Health>().eq([a, b]));
    scene.clear_changes();
    let changes = scene.changes();
    assert_eq!(changes.changed().count() + changes.inserted_rows::<Health>().count(), 0);
    assert_eq!(changes.changed_rows::<pleach::Mesh>().count(), 0);
}

#[test]
fn row_that_came_and_went_is_not_listed() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group()).unwrap();
    scene.insert(node, Health(1)).unwrap();
    scene.remove_component::<Health>(node);
    let changes = scene.changes();
    let rows = changes.inserted_rows::<Health>().chain(changes.changed_rows::<Health>());
    assert_eq!(rows.chain(changes.removed_rows::<Health>()).count(), 0);

    scene.insert(node, Health(2)).unwrap();
    scene.clear_changes();
    scene.remove_component::<Health>(node);
    assert!(scene.changes().removed_rows::<Health>().eq([node]));
    scene.insert(node, Health(2)).unwrap();
    assert!(scene.changes().changed_rows::<Health>().eq([node]), "there before and after");
    assert_eq!(scene.changes().removed_rows::<Health>().count(), 0);
}

/// The state of a scene, for comparison.
#[derive(Clone, Default)]
struct State {
    worlds: BTreeMap<NodeId, Mat4>,
    parents: BTreeMap<NodeId, Option<NodeId>>,
    names: BTreeMap<NodeId, Option<String>>,
    shown: BTreeMap<NodeId, bool>,
    health: BTreeMap<NodeId, u32>,
    lights: BTreeMap<NodeId, u32>,
    cameras: BTreeMap<NodeId, u32>,
}

impl State {
    fn of(scene: &Scene) -> Self {
        let worlds = scene.graph.by_depth().map(|node| (node, scene.node(node).unwrap().world()));
        let nodes = || scene.graph.by_depth().map(|node| scene.node(node).unwrap());
        let lights = scene.lights.iter(&scene.graph);
        let cameras = scene.cameras.iter(&scene.graph);
        Self {
            worlds: worlds.collect(),
            parents: nodes().map(|node| (node.id(), node.parent())).collect(),
            names: nodes().map(|node| (node.id(), node.name().map(String::from))).collect(),
            shown: nodes().map(|node| (node.id(), node.is_shown())).collect(),
            health: scene.table::<Health>().iter(&scene.graph).map(|(n, it)| (n, it.0)).collect(),
            lights: lights.map(|(node, it)| (node, it.layers)).collect(),
            cameras: cameras.map(|(node, it)| (node, it.layers)).collect(),
        }
    }
}

/// Compares the changed rows of one kind with the states before and after. `edited` are the nodes
/// whose row was borrowed mutably or inserted.
fn check_rows<T: Component>(
    scene: &Scene,
    before: &BTreeMap<NodeId, u32>,
    after: &BTreeMap<NodeId, u32>,
    edited: &BTreeSet<NodeId>,
) {
    let set = |nodes: &mut dyn Iterator<Item = NodeId>| {
        let list: Vec<NodeId> = nodes.collect();
        let set: BTreeSet<NodeId> = list.iter().copied().collect();
        assert_eq!(set.len(), list.len(), "{}: listed twice: {list:?}", T::NAME);
        set
    };
    let changes = scene.changes();
    let inserted = after.keys().filter(|node| !before.contains_key(node)).copied();
    let removed = before.keys().filter(|node| !after.contains_key(node)).copied();
    let kept: BTreeSet<_> =
        after.keys().filter(|node| before.contains_key(node)).copied().collect();
    assert_eq!(set(&mut changes.inserted_rows::<T>()), inserted.collect(), "{} inserted", T::NAME);
    assert_eq!(set(&mut changes.removed_rows::<T>()), removed.collect(), "{} removed", T::NAME);
    let changed = set(&mut changes.changed_rows::<T>());
    assert_eq!(changed, kept.intersection(edited).copied().collect(), "{} changed", T::NAME);
    assert!(kept.iter().all(|node| before[node] == after[node] || changed.contains(node)));
}

#[test]
fn changes_are_the_difference_of_two_states() {
    let mut rng = Rng::from_env(81);
    for _ in 0..Effort::pick(10, 100) {
        let mut scene = Scene::new();
        let mut nodes = vec![];
        let mut before = State::default();
        let mut edited: [BTreeSet<NodeId>; 3] = Default::default();
        for step in 0..400 {
            let parent = if rng.one_in(3) { None } else { rng.choose(&nodes).copied() };
            let parent = parent.unwrap_or(scene.root());
            let node = rng.choose(&nodes).copied().unwrap_or(parent);
            match rng.below(16) {
                0 | 1 => nodes.push(scene.spawn(Node::group().under(parent)).unwrap()),
                2 => {
                    let node = Node::light(Light::ambient(Vec3::ONE, 1.0)).with(Health(step));
                    let node = scene.spawn(node.under(parent)).unwrap();
                    edited[0].insert(node);
                    edited[1].insert(node);
                    nodes.push(node);
                }
                3 if node != scene.root() => {
                    scene.remove(node).unwrap();
                    nodes.retain(|&node| scene.graph.contains(node));
                }
                4 => {
                    scene.insert(node, Health(step)).unwrap();
                    edited[0].insert(node);
                }
                5 => drop(scene.remove_component::<Health>(node)),
                6 => {
                    if let Some(health) = scene.get_mut::<Health>(node) {
                        health.0 = step;
                        edited[0].insert(node);
                    }
                }
                7 => drop(scene.lights.remove(node)),
                8 if rng.one_in(8) => {
                    for (node, camera) in scene.cameras.iter_mut(&scene.graph) {
                        camera.layers = camera.layers.wrapping_add(1);
                        edited[2].insert(node);
                    }
                }
                8 => {
                    scene.insert(node, Camera::default()).unwrap();
                    edited[2].insert(node);
                }
                9 => {
                    _ = scene.node_mut(node).unwrap().set_translation(rng.vec3(9.0)).unwrap();
                }
                10 => _ = scene.update().unwrap(),
                11 if node != scene.root() => _ = scene.attach(node, parent),
                12 => _ = scene.node_mut(node).unwrap().set_name(&format!("{step}")),
                13 if node != scene.root() && rng.one_in(3) => scene.detach(node).unwrap(),
                14 => _ = scene.node_mut(node).unwrap().set_visible(!rng.one_in(3)),
                _ if rng.one_in(6) => {
                    scene.update().unwrap();
                    let after = State::of(&scene);
                    check_rows::<Health>(&scene, &before.health, &after.health, &edited[0]);
                    check_rows::<Light>(&scene, &before.lights, &after.lights, &edited[1]);
                    check_rows::<Camera>(&scene, &before.cameras, &after.cameras, &edited[2]);
                    check_nodes(&scene, &before, &after);
                    scene.clear_changes();
                    before = after;
                    edited = Default::default();
                }
                _ => {}
            }
        }
    }
}

fn check_nodes(scene: &Scene, before: &State, after: &State) {
    let changes = scene.changes();
    let changed: Vec<NodeId> = changes.changed().collect();
    let set: BTreeSet<NodeId> = changed.iter().copied().collect();
    assert_eq!(set.len(), changed.len(), "listed twice: {changed:?}");
    for (node, world) in &after.worlds {
        assert!(before.worlds.get(node) == Some(world) || set.contains(node), "{node} moved");
    }
    assert!(changed.iter().all(|node| after.worlds.contains_key(node)), "only live nodes");
    let list = |nodes: Vec<NodeId>| {
        let set: BTreeSet<NodeId> = nodes.iter().copied().collect();
        assert_eq!(set.len(), nodes.len(), "listed twice: {nodes:?}");
        assert!(set.iter().all(|node| after.worlds.contains_key(node)), "only live nodes");
        set
    };
    let is_new = |node: &&NodeId| !before.worlds.contains_key(node);
    assert_eq!(
        list(changes.added().collect()),
        after.worlds.keys().filter(is_new).copied().collect()
    );
    let (reparented, renamed) =
        (list(changes.reparented().collect()), list(changes.renamed().collect()));
    let shown_changed = list(changes.shown_changed().collect());
    for node in after.worlds.keys().filter(|node| before.worlds.contains_key(node)) {
        let is_moved = before.parents[node] != after.parents[node];
        assert!(!is_moved || reparented.contains(node), "{node} has another parent");
        let is_toggled = before.shown[node] != after.shown[node];
        assert!(!is_toggled || shown_changed.contains(node), "{node} was hidden or shown");
        let is_renamed = before.names[node] != after.names[node];
        assert!(!is_renamed || renamed.contains(node), "{node} has another name");
    }
    let removed: BTreeSet<NodeId> = changes.removed().iter().copied().collect();
    let gone = before.worlds.keys().filter(|node| !after.worlds.contains_key(node));
    assert!(gone.into_iter().all(|node| removed.contains(node)));
    assert!(removed.iter().all(|node| !after.worlds.contains_key(node)));
}

#[test]
fn memory_of_changes_does_not_grow_with_nodes_that_come_and_go() {
    // The changes are never cleared. Rows must not add to what the graph keeps of removed nodes.
    let grown = |has_row: bool, is_removed_from_graph: bool| {
        let mut scene = Scene::new();
        let round = |scene: &mut Scene| {
            for _ in 0..1000 {
                let node = scene.spawn(Node::group()).unwrap();
                if has_row {
                    scene.insert(node, Health(1)).unwrap();
                }
                if is_removed_from_graph {
                    scene.graph.remove(node).unwrap();
                } else {
                    scene.remove(node).unwrap();
                }
                scene.update().unwrap();
            }
        };
        round(&mut scene);
        let before = Tally::now().live;
        round(&mut scene);
        let changes = scene.changes();
        assert_eq!(changes.inserted_rows::<Health>().count(), 0);
        assert_eq!(changes.removed_rows::<Health>().count(), 0);
        Tally::now().live - before
    };
    for is_removed_from_graph in [false, true] {
        let [without, with] = [false, true].map(|has_row| grown(has_row, is_removed_from_graph));
        assert_eq!(with, without, "bytes");
    }
}
