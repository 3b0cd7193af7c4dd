//! Several readers of changes, each at its own pace.
//!
//! Each sees every change once, in an order that depends only on the calls, and one
//! that never reads costs no more memory than the graph has nodes. Copying the rows
//! in the ranges turns an old copy of the world column into the new one, bit for
//! bit.

use std::collections::BTreeSet;
use std::ops::Range;

use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{ChangeReader, ChangedNodes, Error, Graph, NodeId, Transform};
use testkit::Rng;
use testkit::allocations::Tally;

// ---- one reader ----

fn new_root(graph: &mut Graph) -> NodeId {
    graph.add_root(Transform::IDENTITY).unwrap()
}

fn new_child(graph: &mut Graph, parent: NodeId) -> NodeId {
    graph.add_child(parent, Transform::IDENTITY).unwrap()
}

fn move_to(graph: &mut Graph, node: NodeId, x: f32) {
    graph.node_mut(node).unwrap().set_translation(Vec3::new(x, 0.0, 0.0)).unwrap();
}

/// The lists of a reader: changed, shown, removed.
type ChangeLists = [Vec<NodeId>; 3];

fn read(reader: &mut ChangeReader, graph: &Graph) -> ChangeLists {
    let changes = reader.read(graph).unwrap();
    [changes.changed().collect(), changes.shown_changed().collect(), changes.removed().to_vec()]
}

const NOTHING: ChangeLists = [const { Vec::new() }; 3];

#[test]
fn a_reader_lists_what_changed_after_its_creation() {
    let mut graph = Graph::new();
    let arm = new_root(&mut graph);
    let hand = new_child(&mut graph, arm);
    graph.update();
    let mut reader = graph.change_reader();
    assert_eq!(read(&mut reader, &graph), NOTHING);

    move_to(&mut graph, hand, 1.0);
    graph.update();
    assert_eq!(read(&mut reader, &graph), [vec![hand], vec![], vec![]]);
    graph.node_mut(arm).unwrap().set_visible(false);
    assert_eq!(read(&mut reader, &graph), [vec![], vec![arm, hand], vec![]]);
    graph.remove(arm).unwrap();
    assert_eq!(read(&mut reader, &graph), [vec![], vec![], vec![arm, hand]]);
    assert_eq!(read(&mut reader, &graph), NOTHING);
}

#[test]
fn a_change_is_listed_after_the_update_not_after_the_edit() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    let mut reader = graph.change_reader();
    assert_eq!(read(&mut reader, &graph), NOTHING);
    graph.update();
    assert_eq!(read(&mut reader, &graph), [vec![node], vec![], vec![]]);
}

#[test]
fn the_owner_and_the_readers_do_not_affect_each_other() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    let (mut first, mut second) = (graph.change_reader(), graph.change_reader());
    graph.update();

    graph.clear_changes();
    assert_eq!(read(&mut first, &graph), [vec![node], vec![], vec![]]);
    move_to(&mut graph, node, 1.0);
    graph.update();
    assert!(graph.changed().eq([node]));
    assert_eq!(read(&mut second, &graph), [vec![node], vec![], vec![]]);
    assert!(graph.changed().eq([node]));
    assert_eq!(read(&mut first, &graph), [vec![node], vec![], vec![]]);
}

#[test]
fn a_reused_slot_is_listed_as_its_new_node_only() {
    let mut graph = Graph::new();
    let old = new_root(&mut graph);
    graph.update();
    let mut reader = graph.change_reader();
    move_to(&mut graph, old, 1.0);
    graph.update();
    graph.remove(old).unwrap();
    let new = new_root(&mut graph);
    assert_eq!(new.index(), old.index());
    graph.update();
    assert_eq!(read(&mut reader, &graph), [vec![new], vec![], vec![old]]);
}

#[test]
fn a_reader_of_another_graph_is_rejected_and_loses_nothing() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    let mut reader = graph.change_reader();
    graph.update();
    let clone = graph.clone();
    for other in [&clone, &Graph::new()] {
        assert_eq!(reader.read(other).unwrap_err(), Error::ForeignChangeReader);
    }
    assert_eq!(read(&mut reader, &graph), [vec![node], vec![], vec![]]);
}

// ---- many readers, many changes ----

/// The changes that one reader has not read yet, by definition.
#[derive(Default)]
struct Unread {
    changed: BTreeSet<NodeId>,
    shown: BTreeSet<NodeId>,
    removed: Vec<NodeId>,
}

impl Unread {
    fn remove(&mut self, node: NodeId) {
        self.changed.remove(&node);
        self.shown.remove(&node);
        self.removed.push(node);
    }

    fn compare(&mut self, [changed, shown, removed]: ChangeLists) {
        for (listed, unread) in [(changed, &mut self.changed), (shown, &mut self.shown)] {
            let set: BTreeSet<NodeId> = listed.iter().copied().collect();
            assert_eq!(set.len(), listed.len(), "listed twice: {listed:?}");
            assert_eq!(set, std::mem::take(unread));
        }
        assert_eq!(removed, std::mem::take(&mut self.removed));
    }
}

#[test]
fn every_reader_sees_every_change_once_at_its_own_pace() {
    // The first reads at every second step, the last hardly ever.
    const PACES: [usize; 4] = [2, 10, 200, 5_000];
    let steps = if cfg!(miri) { 200 } else { 20_000 };
    let mut rng = Rng::new(5);
    let mut graph = Graph::new();
    let mut nodes: Vec<NodeId> = (0..50).map(|_| new_root(&mut graph)).collect();
    graph.update();
    let mut readers = PACES.map(|_| graph.change_reader());
    let mut unread = PACES.map(|_| Unread::default());
    for step in 0..steps {
        let index = rng.below(nodes.len());
        let node = nodes[index];
        match rng.below(4) {
            0 => {
                graph.remove(node).unwrap();
                unread.iter_mut().for_each(|unread| unread.remove(node));
                nodes[index] = new_root(&mut graph);
            }
            1 => {
                let visible = graph.node(node).unwrap().is_visible();
                graph.node_mut(node).unwrap().set_visible(!visible);
                unread.iter_mut().for_each(|unread| _ = unread.shown.insert(node));
            }
            _ => move_to(&mut graph, node, step as f32),
        }
        if rng.one_in(5) {
            let dirty: Vec<NodeId> = nodes
                .iter()
                .copied()
                .filter(|&node| graph.node(node).unwrap().is_dirty())
                .collect();
            graph.update();
            unread.iter_mut().for_each(|unread| unread.changed.extend(&dirty));
        }
        for ((reader, unread), pace) in readers.iter_mut().zip(&mut unread).zip(PACES) {
            if rng.one_in(pace) {
                unread.compare(read(reader, &graph));
            }
        }
    }
    for (reader, unread) in readers.iter_mut().zip(&mut unread) {
        unread.compare(read(reader, &graph));
    }
}

#[test]
fn the_same_calls_list_the_same_nodes_in_the_same_order() {
    let run = || {
        let mut rng = Rng::new(11);
        let mut graph = Graph::new();
        let mut reader = graph.change_reader();
        let mut nodes = vec![new_root(&mut graph)];
        let mut listed = Vec::new();
        for step in 0..if cfg!(miri) { 100 } else { 5_000 } {
            let node = nodes[rng.below(nodes.len())];
            let other = nodes[rng.below(nodes.len())];
            match rng.below(8) {
                0..3 => nodes.push(new_child(&mut graph, node)),
                3 => _ = graph.attach(node, other),
                4 => _ = graph.node_mut(node).unwrap().set_visible(rng.one_in(2)),
                5 if nodes.len() > 100 => {
                    graph.remove(node).unwrap();
                    nodes.retain(|&node| graph.contains(node));
                    nodes.push(new_root(&mut graph));
                }
                _ => move_to(&mut graph, node, step as f32),
            }
            if rng.one_in(20) {
                graph.update();
                listed.push(read(&mut reader, &graph));
            }
        }
        (listed, graph.changed().collect::<Vec<_>>(), graph.removed().to_vec())
    };
    assert_eq!(run(), run());
}

// ---- memory ----

/// The maximum of additional bytes allocated during `times` calls of `step`.
fn peak_bytes(times: usize, mut step: impl FnMut(usize)) -> usize {
    let before = Tally::now().live;
    let mut peak = 0;
    for time in 0..times {
        step(time);
        peak = peak.max(Tally::now().live - before);
    }
    peak as usize
}

/// Far more than the bookkeeping for a few nodes takes, far less than a list of
/// every change.
const FEW_BYTES: usize = 64 * 1024;

fn times(times: usize) -> usize {
    if cfg!(miri) { times / 10_000 } else { times }
}

#[test]
fn a_million_unread_changes_of_a_few_nodes_take_bounded_memory() {
    let mut graph = Graph::new();
    let nodes: Vec<NodeId> = (0..10).map(|_| new_root(&mut graph)).collect();
    graph.update();
    let mut lagging = graph.change_reader();
    let peak = peak_bytes(times(1_000_000), |time| {
        let node = nodes[time % nodes.len()];
        match time % 4 {
            0 => graph.node_mut(node).unwrap().set_visible(time % 8 == 0).id(),
            _ => {
                move_to(&mut graph, node, time as f32);
                node
            }
        };
        graph.update();
    });
    assert!(peak < FEW_BYTES, "{peak} bytes");
    let [changed, shown, removed] = read(&mut lagging, &graph);
    assert_eq!((changed.len(), removed.len()), (10, 0));
    assert!(shown.len() <= 10);
}

#[test]
fn unread_removals_take_bounded_memory_and_list_nodes_known_to_the_reader() {
    const MAX_UNREAD: usize = 65_536;
    let mut graph = Graph::new();
    let known: Vec<NodeId> = (0..10).map(|_| new_root(&mut graph)).collect();
    graph.update();
    let mut lagging = graph.change_reader();
    let peak = peak_bytes(times(400_000), |time| {
        if time < known.len() {
            graph.remove(known[time]).unwrap();
        }
        let passing = new_root(&mut graph);
        graph.update();
        graph.remove(passing).unwrap();
    });
    // Twice, because a list may double before it is compacted; twice again, because
    // a vector doubles.
    let bound = 4 * (MAX_UNREAD + 8 * 256) * size_of::<NodeId>();
    assert!(peak < bound, "{peak} bytes");
    let [changed, _, removed] = read(&mut lagging, &graph);
    assert_eq!(changed, []);
    let listed: BTreeSet<NodeId> = removed.iter().copied().collect();
    assert_eq!(listed.len(), removed.len(), "listed twice");
    assert!(
        known.iter().all(|node| listed.contains(node)),
        "a node known to the reader was not listed"
    );
}

#[test]
fn adding_and_removing_with_regular_reads_takes_bounded_memory() {
    let mut graph = Graph::new();
    let mut reader = graph.change_reader();
    let peak = peak_bytes(times(200_000), |time| {
        let node = new_root(&mut graph);
        graph.update();
        graph.remove(node).unwrap();
        if time % 16 == 0 {
            reader.read(&graph).unwrap();
            graph.clear_changes();
        }
    });
    assert!(peak < FEW_BYTES, "{peak} bytes");
}

#[test]
fn dropped_readers_take_no_memory() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    let peak = peak_bytes(times(100_000), |time| {
        let _dropped = graph.change_reader();
        move_to(&mut graph, node, time as f32);
        graph.update();
        graph.clear_changes();
    });
    assert!(peak < FEW_BYTES, "{peak} bytes");
}

#[test]
fn readers_that_alternate_see_every_removal() {
    let mut graph = Graph::new();
    let mut reader = graph.change_reader();
    let (mut by_owner, mut by_reader) = (Vec::new(), Vec::new());
    let mut removed = Vec::new();
    // They are never both up to date.
    for time in 0..times(200_000) {
        let node = new_root(&mut graph);
        graph.remove(node).unwrap();
        removed.push(node);
        match time % 100 {
            0 => {
                by_owner.extend_from_slice(graph.removed());
                graph.clear_changes();
            }
            50 => by_reader.extend_from_slice(reader.read(&graph).unwrap().removed()),
            _ => {}
        }
    }
    by_owner.extend_from_slice(graph.removed());
    by_reader.extend_from_slice(reader.read(&graph).unwrap().removed());
    assert!(by_owner == removed, "the owner read {} of {}", by_owner.len(), removed.len());
    assert!(by_reader == removed, "the reader read {} of {}", by_reader.len(), removed.len());
}

// ---- ranges ----

fn ranges(nodes: ChangedNodes<'_>, max_gap: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    nodes.ranges(max_gap, &mut ranges);
    ranges
}

/// Updates a copy of the world column as for a GPU. Returns the number of rows
/// uploaded.
fn upload(copy: &mut Vec<Mat4>, graph: &Graph, changed: ChangedNodes<'_>, max_gap: usize) -> usize {
    let column = graph.world_matrices();
    copy.resize(column.len(), Mat4::IDENTITY);
    let ranges = ranges(changed, max_gap);
    for rows in &ranges {
        copy[rows.clone()].copy_from_slice(&column[rows.clone()]);
    }
    ranges.iter().map(ExactSizeIterator::len).sum()
}

fn bits(matrices: &[Mat4]) -> Vec<[u32; 16]> {
    matrices.iter().map(|matrix| matrix.to_cols_array().map(f32::to_bits)).collect()
}

#[test]
fn uploading_the_changed_ranges_keeps_a_copy_equal_bit_for_bit() {
    let frames = if cfg!(miri) { 5 } else { 300 };
    let mut rng = Rng::new(13);
    let mut graph = Graph::new();
    let mut nodes = vec![new_root(&mut graph)];
    let mut reader = graph.change_reader();
    let (mut owner_copy, mut reader_copy) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        // Growth, removal, reused slots, and moves below moved parents.
        for _ in 0..rng.below(12) {
            let parent = nodes[rng.below(nodes.len())];
            nodes.push(new_child(&mut graph, parent));
        }
        if rng.one_in(3) && nodes.len() > 20 {
            graph.remove(nodes[1 + rng.below(nodes.len() - 1)]).unwrap();
            nodes.retain(|&node| graph.contains(node));
        }
        for _ in 0..rng.below(6) {
            let node = nodes[rng.below(nodes.len())];
            move_to(&mut graph, node, rng.between(-1.0, 1.0));
        }
        graph.update();
        let changed = graph.changed().count();
        assert_eq!(
            upload(&mut owner_copy, &graph, graph.changed(), 0),
            changed,
            "only changed rows"
        );
        assert_eq!(bits(&owner_copy), bits(graph.world_matrices()), "frame {frame}");
        graph.clear_changes();
        if rng.one_in(7) {
            let changes = reader.read(&graph).unwrap();
            let min_rows = changes.changed().count();
            assert!(upload(&mut reader_copy, &graph, changes.changed(), 3) >= min_rows);
            for &node in &nodes {
                let row = node.index()..node.index() + 1;
                let [copied, stored] = [&reader_copy[row.clone()], &graph.world_matrices()[row]];
                assert_eq!(bits(copied), bits(stored), "frame {frame}, {node}");
            }
        }
    }
}

#[test]
fn ranges_include_rows_of_nodes_that_changed_and_were_removed() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    graph.update();
    graph.clear_changes();
    let mut copy = graph.world_matrices().to_vec();

    move_to(&mut graph, node, 1.0);
    graph.update();
    graph.remove(node).unwrap();
    upload(&mut copy, &graph, graph.changed(), 0);
    assert_eq!(bits(&copy), bits(graph.world_matrices()));
}

#[test]
fn ranges_merge_over_gaps_and_contain_every_changed_row() {
    let mut rng = Rng::new(17);
    let largest = if cfg!(miri) { 66 } else { 1000 };
    for nodes in [1, 10, 63, 64, 65, largest] {
        // Few changes are sorted, many are marked in a bit set: this covers both.
        for one_in in [1, 2, 40] {
            let mut graph = Graph::new();
            let nodes: Vec<NodeId> = (0..nodes).map(|_| new_root(&mut graph)).collect();
            graph.update();
            graph.clear_changes();
            let mut rows: Vec<usize> = (0..nodes.len()).filter(|_| rng.one_in(one_in)).collect();
            for &row in rows.iter().rev() {
                move_to(&mut graph, nodes[row], 1.0);
            }
            graph.update();
            rows.sort_unstable();
            for max_gap in 0..5 {
                let mut expected: Vec<Range<usize>> = Vec::new();
                for &row in &rows {
                    match expected.last_mut() {
                        Some(last) if row - last.end <= max_gap => last.end = row + 1,
                        _ => expected.push(row..row + 1),
                    }
                }
                assert_eq!(ranges(graph.changed(), max_gap), expected);
            }
        }
    }
}
