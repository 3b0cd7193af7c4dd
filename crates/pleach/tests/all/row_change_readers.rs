//! Several readers of a table's changes, each at its own pace.
//!
//! Each sees the difference between the rows that it knew and those of the table, and one that never
//! reads costs no more memory than the rows that it knew and those that there are.

use std::collections::{BTreeMap, BTreeSet};

use pleach::component::{RowChangeReader, RowChanges, Table};
use pleach::glam::Vec3;
use pleach::{Component, Error, Light, Node, NodeId, Scene};
use testkit::allocations::Tally;
use testkit::{Effort, Rng};

#[derive(Clone, Debug, PartialEq)]
struct Health(u32);

impl Component for Health {
    const NAME: &'static str = "health";
}

/// The lists of a reader: inserted, changed, removed.
type Lists = [Vec<NodeId>; 3];

fn read<T>(reader: &mut RowChangeReader, table: &Table<T>) -> Lists {
    lists(reader.read(table).unwrap())
}

fn lists<T>(changes: RowChanges<'_, T>) -> Lists {
    [changes.inserted().collect(), changes.changed().collect(), changes.removed().collect()]
}

const NOTHING: Lists = [const { Vec::new() }; 3];

// ---- one reader ----

#[test]
fn a_reader_lists_what_changed_after_its_creation() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group().with(Health(1))).unwrap();
    let mut reader = scene.table_mut::<Health>().change_reader();
    assert_eq!(read(&mut reader, scene.table::<Health>()), NOTHING);
    let other = scene.spawn(Node::group().with(Health(1))).unwrap();
    scene.get_mut::<Health>(node).unwrap().0 = 2;
    assert_eq!(read(&mut reader, scene.table::<Health>()), [vec![other], vec![node], vec![]]);
    assert_eq!(read(&mut reader, scene.table::<Health>()), NOTHING, "read already");
    scene.remove_component::<Health>(node);
    scene.remove(other).unwrap();
    assert_eq!(read(&mut reader, scene.table::<Health>()), [vec![], vec![], vec![node, other]]);
}

#[test]
fn the_owner_and_the_readers_do_not_affect_each_other() {
    let mut scene = Scene::new();
    let mut first = scene.lights.change_reader();
    let mut second = scene.lights.change_reader();
    let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap();
    assert_eq!(read(&mut first, &scene.lights), [vec![lamp], vec![], vec![]]);
    scene.light_mut(lamp).unwrap().intensity = 2.0;
    scene.update().unwrap();
    assert!(scene.changes().inserted_rows::<Light>().eq([lamp]));
    scene.clear_changes();
    scene.light_mut(lamp).unwrap().intensity = 3.0;
    assert!(scene.changes().changed_rows::<Light>().eq([lamp]));
    assert_eq!(read(&mut first, &scene.lights), [vec![], vec![lamp], vec![]]);
    assert_eq!(read(&mut second, &scene.lights), [vec![lamp], vec![], vec![]]);
    assert!(scene.changes().changed_rows::<Light>().eq([lamp]));
}

#[test]
fn row_that_was_removed_and_inserted_again_is_changed() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group().with(Health(1))).unwrap();
    let table = scene.table_mut::<Health>();
    let (mut often, mut rarely) = (table.change_reader(), table.change_reader());
    scene.remove_component::<Health>(node);
    assert_eq!(read(&mut often, scene.table::<Health>()), [vec![], vec![], vec![node]]);
    scene.insert(node, Health(2)).unwrap();
    assert_eq!(read(&mut often, scene.table::<Health>()), [vec![node], vec![], vec![]]);
    assert_eq!(read(&mut rarely, scene.table::<Health>()), [vec![], vec![node], vec![]]);
}

#[test]
fn node_in_a_reused_slot_is_another_row() {
    let mut scene = Scene::new();
    let old = scene.spawn(Node::group().with(Health(1))).unwrap();
    let mut reader = scene.table_mut::<Health>().change_reader();
    scene.graph.remove(old).unwrap();
    assert_eq!(read(&mut reader, scene.table::<Health>()), NOTHING, "the row exists");
    let new = scene.spawn(Node::group().with(Health(2))).unwrap();
    assert_eq!(old.index(), new.index());
    assert_eq!(read(&mut reader, scene.table::<Health>()), [vec![new], vec![], vec![old]]);
    scene.update().unwrap();
    assert_eq!(read(&mut reader, scene.table::<Health>()), NOTHING);
}

#[test]
fn a_reader_of_another_table_is_rejected_and_loses_nothing() {
    let mut scene = Scene::new();
    let mut reader = scene.table_mut::<Health>().change_reader();
    let node = scene.spawn(Node::group().with(Health(1))).unwrap();
    let clone = scene.table::<Health>().clone();
    let mut other_scene = Scene::new();
    drop(other_scene.table_mut::<Health>().change_reader());
    for other in [&clone, &Table::new(), other_scene.table::<Health>()] {
        assert_eq!(reader.read(other).unwrap_err(), Error::ForeignChangeReader);
    }
    assert_eq!(reader.read(&scene.lights).unwrap_err(), Error::ForeignChangeReader);
    drop(scene.lights.change_reader());
    let error = reader.read(&scene.lights).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the change reader belongs to another table; create one with `Table::change_reader`"
    );
    assert_eq!(read(&mut reader, scene.table::<Health>()), [vec![node], vec![], vec![]]);
}

#[test]
fn a_cloned_table_keeps_the_owners_changes_and_has_its_own_readers() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group().with(Health(1))).unwrap();
    scene.clear_changes();
    let mut reader = scene.table_mut::<Health>().change_reader();
    scene.get_mut::<Health>(node).unwrap().0 = 2;

    let mut clone = scene.table::<Health>().clone();
    let mut reader_of_clone = clone.change_reader();
    clone.rows_mut().for_each(|(_, health)| health.0 = 3);
    assert_eq!(read(&mut reader_of_clone, &clone), [vec![], vec![node], vec![]]);
    assert_eq!(read(&mut reader, scene.table::<Health>()), [vec![], vec![node], vec![]]);
    assert_eq!(read(&mut reader, scene.table::<Health>()), NOTHING, "edits of the clone");

    scene.clear_changes();
    *scene.table_mut::<Health>() = clone;
    assert!(
        scene.changes().changed_rows::<Health>().eq([node]),
        "not cleared before it was cloned"
    );
    assert_eq!(
        reader.read(scene.table::<Health>()).unwrap_err(),
        Error::ForeignChangeReader,
        "the table was replaced"
    );
    assert_eq!(read(&mut reader_of_clone, scene.table::<Health>()), NOTHING);
}

#[test]
fn readers_may_read_on_several_threads() {
    let mut scene = Scene::new();
    let mut readers = [(); 4].map(|()| scene.lights.change_reader());
    for round in 0..20 {
        let light = Node::light(Light::point(Vec3::ONE, 1.0));
        let lamp = scene.spawn(light).unwrap();
        let lights = &scene.lights;
        std::thread::scope(|threads| {
            for reader in readers.iter_mut().skip(round % 2) {
                threads.spawn(move || {
                    assert!(read(reader, lights)[0].contains(&lamp));
                    assert_eq!(read(reader, lights), NOTHING);
                });
            }
        });
    }
}

// ---- many readers, many edits ----

/// A reader, the rows that it knows from its lists, and the nodes whose row was written since.
struct Consumer {
    reader: RowChangeReader,
    known: BTreeMap<NodeId, u32>,
    written: BTreeSet<NodeId>,
    /// The mean number of steps between two reads.
    pace: usize,
}

impl Consumer {
    fn new<T>(table: &mut Table<T>, pace: usize, value: fn(&T) -> u32) -> Self {
        let known = table.rows().map(|(node, row)| (node, value(row))).collect();
        Self { reader: table.change_reader(), known, written: BTreeSet::new(), pace }
    }

    /// Compares the lists with the rows before and after, and follows them.
    fn follow<T>(&mut self, table: &Table<T>, value: fn(&T) -> u32) {
        let now: BTreeMap<NodeId, u32> =
            table.rows().map(|(node, row)| (node, value(row))).collect();
        let lists = read(&mut self.reader, table);
        let [inserted, changed, removed] = lists.clone().map(BTreeSet::from_iter);
        for (list, set) in lists.iter().zip([&inserted, &changed, &removed]) {
            assert_eq!(list.len(), set.len(), "listed twice: {list:?}");
        }
        let is_new = |node: &NodeId| !self.known.contains_key(node);
        assert_eq!(inserted, now.keys().copied().filter(is_new).collect(), "inserted");
        let is_gone = |node: &NodeId| !now.contains_key(node);
        assert_eq!(removed, self.known.keys().copied().filter(is_gone).collect(), "removed");
        let is_kept = |node: &NodeId| !is_new(node) && !is_gone(node);
        assert_eq!(changed, self.written.iter().copied().filter(is_kept).collect(), "changed");

        for node in removed {
            self.known.remove(&node);
        }
        for node in inserted.into_iter().chain(changed) {
            self.known.insert(node, now[&node]);
        }
        assert_eq!(self.known, now, "the lists lead from the old rows to the new ones");
        self.written.clear();
    }
}

fn health_of(health: &Health) -> u32 {
    health.0
}

fn layers_of(light: &Light) -> u32 {
    light.layers
}

#[test]
fn every_reader_sees_the_difference_at_its_own_pace() {
    // The first reads at every second step, the last hardly ever.
    const PACES: [usize; 5] = [2, 10, 100, 1_000, 6_000];
    let mut rng = Rng::from_env(1313);
    let mut scene = Scene::new();
    let mut nodes = vec![];
    let mut health = PACES.map(|pace| Consumer::new(scene.table_mut(), pace, health_of));
    let mut lights = PACES.map(|pace| Consumer::new(&mut scene.lights, pace, layers_of));
    let wrote = |consumers: &mut [Consumer], node: NodeId| {
        consumers.iter_mut().for_each(|consumer| _ = consumer.written.insert(node));
    };
    for step in 0..Effort::pick(20_000, 200_000) as u32 {
        let parent = if rng.one_in(3) { None } else { rng.choose(&nodes).copied() };
        let parent = parent.unwrap_or(scene.root());
        let node = rng.choose(&nodes).copied().unwrap_or(parent);
        let can_remove = node != scene.root();
        match rng.below(14) {
            0 | 1 if nodes.len() < 40 => {
                let light = Light::ambient(Vec3::ONE, 1.0);
                let new = scene.spawn(Node::light(light).with(Health(step)).under(parent)).unwrap();
                wrote(&mut health, new);
                wrote(&mut lights, new);
                nodes.push(new);
            }
            2 if can_remove => drop(scene.remove(node).unwrap()),
            3 if can_remove => drop(scene.graph.remove(node).unwrap()),
            4 => {
                scene.insert(node, Health(step)).unwrap();
                wrote(&mut health, node);
            }
            5 => {
                let light = Light { layers: step, ..Light::ambient(Vec3::ONE, 1.0) };
                scene.lights.insert(&scene.graph, node, light).unwrap();
                wrote(&mut lights, node);
            }
            6 => drop(scene.remove_component::<Health>(node)),
            7 => drop(scene.lights.remove(node)),
            8 => {
                if let Some(row) = scene.get_mut::<Health>(node) {
                    row.0 = step;
                    wrote(&mut health, node);
                }
            }
            9 => {
                for (node, light) in scene.lights.iter_mut(&scene.graph) {
                    light.layers = step;
                    wrote(&mut lights, node);
                }
            }
            10 => {
                for (node, row) in scene.table_mut::<Health>().rows_mut() {
                    row.0 = step;
                    wrote(&mut health, node);
                }
            }
            11 if can_remove && nodes.len() < 40 => {
                let clone = scene.clone_subtree(node, None).unwrap();
                for &node in &nodes {
                    if let Some(clone) = clone.get(node) {
                        wrote(&mut health, clone);
                        wrote(&mut lights, clone);
                    }
                }
                let new: Vec<NodeId> = nodes.iter().filter_map(|&node| clone.get(node)).collect();
                nodes.extend(new);
            }
            12 => _ = scene.update().unwrap(),
            13 if rng.one_in(50) => scene.clear_changes(),
            _ => {}
        }
        nodes.retain(|&node| scene.graph.contains(node));
        for consumer in &mut health {
            if rng.one_in(consumer.pace) {
                consumer.follow(scene.table::<Health>(), health_of);
            }
        }
        for consumer in &mut lights {
            if rng.one_in(consumer.pace) {
                consumer.follow(&scene.lights, layers_of);
            }
        }
        // A reader is dropped, and another one created.
        if rng.one_in(500) {
            let (at, pace) = (rng.below(PACES.len()), 1 + rng.below(2_000));
            health[at] = Consumer::new(scene.table_mut(), pace, health_of);
            lights[at] = Consumer::new(&mut scene.lights, pace, layers_of);
        }
    }
    health.iter_mut().for_each(|consumer| consumer.follow(scene.table::<Health>(), health_of));
    lights.iter_mut().for_each(|consumer| consumer.follow(&scene.lights, layers_of));
    assert_eq!(scene.check(), []);
}

// ---- memory ----

/// Bytes for what may be unread of 100 rows, read and dropped entries included.
const MAX_BYTES: isize = 64 * 1024;

/// Returns the bytes by which `rounds` of `round` grow what is allocated.
fn growth(scene: &mut Scene, rounds: usize, mut round: impl FnMut(&mut Scene)) -> isize {
    let before = Tally::now().live;
    (0..rounds).for_each(|_| round(scene));
    Tally::now().live - before
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn unread_changes_take_memory_for_the_rows_only() {
    let mut scene = Scene::new();
    let nodes: Vec<NodeId> =
        (0..100).map(|_| scene.spawn(Node::group().with(Health(1))).unwrap()).collect();
    // Neither the owner nor the second reader ever reads.
    let mut often = scene.table_mut::<Health>().change_reader();
    let mut never = scene.table_mut::<Health>().change_reader();
    let grown = growth(&mut scene, 1_000, |scene| {
        let (graph, table) = scene.graph_and_table_mut::<Health>();
        table.iter_mut(graph).for_each(|(_, health)| health.0 += 1);
        assert_eq!(often.read(table).unwrap().changed().count(), 100);
        for &node in nodes.iter().skip(1).step_by(2) {
            table.remove(node);
        }
        assert_eq!(often.read(table).unwrap().removed().count(), 50);
        for &node in nodes.iter().skip(1).step_by(2) {
            table.insert(graph, node, Health(0)).unwrap();
        }
        assert_eq!(often.read(table).unwrap().inserted().count(), 50);
        scene.update().unwrap();
    });
    assert!(grown < MAX_BYTES, "{grown} bytes");
    assert_eq!(read(&mut never, scene.table::<Health>())[1].len(), 100);
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn rows_that_no_late_reader_knew_take_no_memory() {
    let rounds = Effort::pick(30_000, 100_000);
    let grown = |has_row: bool| {
        let mut scene = Scene::new();
        let table = scene.table_mut::<Health>();
        let (mut often, mut never) = (table.change_reader(), table.change_reader());
        let grown = growth(&mut scene, rounds, |scene| {
            let node = scene.spawn(Node::group()).unwrap();
            if has_row {
                scene.insert(node, Health(1)).unwrap();
                assert_eq!(read(&mut often, scene.table::<Health>())[0], [node]);
            }
            scene.remove(node).unwrap();
            if has_row {
                assert_eq!(read(&mut often, scene.table::<Health>())[2], [node]);
            }
            scene.update().unwrap();
        });
        assert_eq!(read(&mut never, scene.table::<Health>()), NOTHING);
        grown
    };
    let [without, with] = [false, true].map(grown);
    assert!(with < without + MAX_BYTES, "{with} bytes, {without} without rows");
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn rows_of_a_table_that_is_never_updated_nor_read_take_no_more_memory() {
    let mut scene = Scene::new();
    for _ in 0..100 {
        scene.spawn(Node::group().with(Health(1))).unwrap();
    }
    let grown = growth(&mut scene, 1_000, |scene| {
        scene.table_mut::<Health>().rows_mut().for_each(|(_, health)| health.0 += 1);
    });
    assert!(grown < MAX_BYTES, "{grown} bytes");
}
