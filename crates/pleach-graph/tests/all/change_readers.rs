//! Several readers of what changed, each at its own pace.
//!
//! Each sees every change once, in an order that depends on the calls alone, and
//! one that never reads costs no more than the graph has nodes. Rows copied by
//! the ranges make an old copy of the world column the new one, bit for bit.

use std::collections::BTreeSet;
use std::ops::Range;

use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{ChangeReader, ChangedNodes, Error, Graph, NodeId, Transform};
use testkit::Rng;
use testkit::allocations::Tally;

// ---- a reader's view ----

fn new_root(graph: &mut Graph) -> NodeId {
    graph.add_root(Transform::IDENTITY).unwrap()
}

fn new_child(graph: &mut Graph, parent: NodeId) -> NodeId {
    graph.add_child(parent, Transform::IDENTITY).unwrap()
}

fn move_to(graph: &mut Graph, node: NodeId, x: f32) {
    graph.node_mut(node).unwrap().set_translation(Vec3::new(x, 0.0, 0.0)).unwrap();
}

/// What a feed is told: moved, shown, removed.
type Told = [Vec<NodeId>; 3];

fn read(feed: &mut ChangeReader, graph: &Graph) -> Told {
    let changes = feed.read(graph).unwrap();
    [changes.changed().collect(), changes.shown_changed().collect(), changes.removed().to_vec()]
}

const NOTHING: Told = [const { Vec::new() }; 3];

#[test]
fn a_feed_is_told_what_changed_after_it_was_taken() {
    let mut graph = Graph::new();
    let arm = new_root(&mut graph);
    let hand = new_child(&mut graph, arm);
    graph.update();
    let mut feed = graph.change_reader();
    assert_eq!(read(&mut feed, &graph), NOTHING);

    move_to(&mut graph, hand, 1.0);
    graph.update();
    assert_eq!(read(&mut feed, &graph), [vec![hand], vec![], vec![]]);
    graph.node_mut(arm).unwrap().set_visible(false);
    assert_eq!(read(&mut feed, &graph), [vec![], vec![arm, hand], vec![]]);
    graph.remove(arm).unwrap();
    assert_eq!(read(&mut feed, &graph), [vec![], vec![], vec![arm, hand]]);
    assert_eq!(read(&mut feed, &graph), NOTHING);
}

#[test]
fn a_feed_is_told_of_a_change_when_it_is_computed_not_when_it_is_made() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    let mut feed = graph.change_reader();
    assert_eq!(read(&mut feed, &graph), NOTHING);
    graph.update();
    assert_eq!(read(&mut feed, &graph), [vec![node], vec![], vec![]]);
}

#[test]
fn the_owner_and_the_feeds_do_not_read_for_each_other() {
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
fn a_slot_used_again_is_told_as_its_new_node_only() {
    let mut graph = Graph::new();
    let old = new_root(&mut graph);
    graph.update();
    let mut feed = graph.change_reader();
    move_to(&mut graph, old, 1.0);
    graph.update();
    graph.remove(old).unwrap();
    let new = new_root(&mut graph);
    assert_eq!(new.index(), old.index());
    graph.update();
    assert_eq!(read(&mut feed, &graph), [vec![new], vec![], vec![old]]);
}

#[test]
fn a_feed_of_another_graph_is_refused_and_loses_nothing() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    let mut feed = graph.change_reader();
    graph.update();
    let clone = graph.clone();
    for other in [&clone, &Graph::new()] {
        assert_eq!(feed.read(other).unwrap_err(), Error::ForeignChangeReader);
    }
    assert_eq!(read(&mut feed, &graph), [vec![node], vec![], vec![]]);
}

// ---- many readers, many changes ----

/// What one reader has yet to see, by definition.
#[derive(Default)]
struct Unseen {
    moved: BTreeSet<NodeId>,
    shown: BTreeSet<NodeId>,
    removed: Vec<NodeId>,
}

impl Unseen {
    fn remove(&mut self, node: NodeId) {
        self.moved.remove(&node);
        self.shown.remove(&node);
        self.removed.push(node);
    }

    fn compare(&mut self, [moved, shown, removed]: Told) {
        for (told, unseen) in [(moved, &mut self.moved), (shown, &mut self.shown)] {
            let set: BTreeSet<NodeId> = told.iter().copied().collect();
            assert_eq!(set.len(), told.len(), "told twice: {told:?}");
            assert_eq!(set, std::mem::take(unseen));
        }
        assert_eq!(removed, std::mem::take(&mut self.removed));
    }
}

#[test]
fn every_feed_sees_every_change_once_at_its_own_pace() {
    // One reads at nearly every step, one hardly ever.
    const PACES: [usize; 4] = [2, 10, 200, 5_000];
    let steps = if cfg!(miri) { 200 } else { 20_000 };
    let mut rng = Rng::new(5);
    let mut graph = Graph::new();
    let mut nodes: Vec<NodeId> = (0..50).map(|_| new_root(&mut graph)).collect();
    graph.update();
    let mut feeds = PACES.map(|_| graph.change_reader());
    let mut unseen = PACES.map(|_| Unseen::default());
    for step in 0..steps {
        let index = rng.below(nodes.len());
        let node = nodes[index];
        match rng.below(4) {
            0 => {
                graph.remove(node).unwrap();
                unseen.iter_mut().for_each(|unseen| unseen.remove(node));
                nodes[index] = new_root(&mut graph);
            }
            1 => {
                let visible = graph.node(node).unwrap().is_visible();
                graph.node_mut(node).unwrap().set_visible(!visible);
                unseen.iter_mut().for_each(|unseen| _ = unseen.shown.insert(node));
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
            unseen.iter_mut().for_each(|unseen| unseen.moved.extend(&dirty));
        }
        for ((feed, unseen), pace) in feeds.iter_mut().zip(&mut unseen).zip(PACES) {
            if rng.one_in(pace) {
                unseen.compare(read(feed, &graph));
            }
        }
    }
    for (feed, unseen) in feeds.iter_mut().zip(&mut unseen) {
        unseen.compare(read(feed, &graph));
    }
}

#[test]
fn the_same_calls_tell_the_same_nodes_in_the_same_order() {
    let run = || {
        let mut rng = Rng::new(11);
        let mut graph = Graph::new();
        let mut feed = graph.change_reader();
        let mut nodes = vec![new_root(&mut graph)];
        let mut told = Vec::new();
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
                told.push(read(&mut feed, &graph));
            }
        }
        (told, graph.changed().collect::<Vec<_>>(), graph.removed().to_vec())
    };
    assert_eq!(run(), run());
}

// ---- memory ----

/// The most bytes held at once during `step`, called so many times, over what was
/// held before.
fn most_held(times: usize, mut step: impl FnMut(usize)) -> usize {
    let before = Tally::now().live;
    let mut most = 0;
    for time in 0..times {
        step(time);
        most = most.max(Tally::now().live - before);
    }
    most as usize
}

/// Far more than the bookkeeping of a few nodes takes, far less than a list of
/// every change would.
const FEW_BYTES: usize = 64 * 1024;

fn times(times: usize) -> usize {
    if cfg!(miri) { times / 10_000 } else { times }
}

#[test]
fn a_million_changes_to_a_few_nodes_take_no_memory_while_nobody_reads() {
    let mut graph = Graph::new();
    let nodes: Vec<NodeId> = (0..10).map(|_| new_root(&mut graph)).collect();
    graph.update();
    let mut lagging = graph.change_reader();
    let most = most_held(times(1_000_000), |time| {
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
    assert!(most < FEW_BYTES, "{most} bytes");
    let [moved, shown, removed] = read(&mut lagging, &graph);
    assert_eq!((moved.len(), removed.len()), (10, 0));
    assert!(shown.len() <= 10);
}

#[test]
fn removals_that_nobody_reads_take_bounded_memory_and_tell_what_was_alive() {
    const KEPT_UNREAD: usize = 65_536;
    let mut graph = Graph::new();
    let known: Vec<NodeId> = (0..10).map(|_| new_root(&mut graph)).collect();
    graph.update();
    let mut lagging = graph.change_reader();
    let most = most_held(times(400_000), |time| {
        if time < known.len() {
            graph.remove(known[time]).unwrap();
        }
        let passing = new_root(&mut graph);
        graph.update();
        graph.remove(passing).unwrap();
    });
    // Twice, because a list may double before it is tidied; twice again, because
    // a vector does.
    let bound = 4 * (KEPT_UNREAD + 8 * 256) * size_of::<NodeId>();
    assert!(most < bound, "{most} bytes");
    let [moved, _, removed] = read(&mut lagging, &graph);
    assert_eq!(moved, []);
    let told: BTreeSet<NodeId> = removed.iter().copied().collect();
    assert_eq!(told.len(), removed.len(), "told twice");
    assert!(known.iter().all(|node| told.contains(node)), "a node known alive was not told");
}

#[test]
fn adding_and_removing_with_readers_in_step_takes_no_memory() {
    let mut graph = Graph::new();
    let mut feed = graph.change_reader();
    let most = most_held(times(200_000), |time| {
        let node = new_root(&mut graph);
        graph.update();
        graph.remove(node).unwrap();
        if time % 16 == 0 {
            feed.read(&graph).unwrap();
            graph.clear_changes();
        }
    });
    assert!(most < FEW_BYTES, "{most} bytes");
}

#[test]
fn dropped_feeds_take_no_memory() {
    let mut graph = Graph::new();
    let node = new_root(&mut graph);
    let most = most_held(times(100_000), |time| {
        let _dropped = graph.change_reader();
        move_to(&mut graph, node, time as f32);
        graph.update();
        graph.clear_changes();
    });
    assert!(most < FEW_BYTES, "{most} bytes");
}

#[test]
fn readers_that_take_turns_are_told_every_removal() {
    let mut graph = Graph::new();
    let mut feed = graph.change_reader();
    let (mut by_owner, mut by_feed) = (Vec::new(), Vec::new());
    let mut removed = Vec::new();
    // Never are both up to date at once.
    for time in 0..times(200_000) {
        let node = new_root(&mut graph);
        graph.remove(node).unwrap();
        removed.push(node);
        match time % 100 {
            0 => {
                by_owner.extend_from_slice(graph.removed());
                graph.clear_changes();
            }
            50 => by_feed.extend_from_slice(feed.read(&graph).unwrap().removed()),
            _ => {}
        }
    }
    by_owner.extend_from_slice(graph.removed());
    by_feed.extend_from_slice(feed.read(&graph).unwrap().removed());
    assert!(by_owner == removed, "the owner was told {} of {}", by_owner.len(), removed.len());
    assert!(by_feed == removed, "the feed was told {} of {}", by_feed.len(), removed.len());
}

// ---- ranges ----

fn ranges(nodes: ChangedNodes<'_>, max_gap: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    nodes.ranges(max_gap, &mut ranges);
    ranges
}

/// A copy of the world column, kept up to date as a GPU's is. Answers how many
/// rows were uploaded.
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
    let mut feed = graph.change_reader();
    let (mut owners, mut feeds) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        // Growth, removal, slots used again, and moves under moved parents.
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
        assert_eq!(upload(&mut owners, &graph, graph.changed(), 0), changed, "bytes to spare");
        assert_eq!(bits(&owners), bits(graph.world_matrices()), "frame {frame}");
        graph.clear_changes();
        if rng.one_in(7) {
            let changes = feed.read(&graph).unwrap();
            let at_least = changes.changed().count();
            assert!(upload(&mut feeds, &graph, changes.changed(), 3) >= at_least);
            for &node in &nodes {
                let row = node.index()..node.index() + 1;
                let [copied, stored] = [&feeds[row.clone()], &graph.world_matrices()[row]];
                assert_eq!(bits(copied), bits(stored), "frame {frame}, {node}");
            }
        }
    }
}

#[test]
fn the_row_of_a_node_that_moved_and_was_removed_is_uploaded_too() {
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
fn ranges_join_over_gaps_and_hold_every_changed_row() {
    let mut rng = Rng::new(17);
    let largest = if cfg!(miri) { 66 } else { 1000 };
    for nodes in [1, 10, 63, 64, 65, largest] {
        // Few changes are sorted, many are marked in a bit set: both ways.
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
