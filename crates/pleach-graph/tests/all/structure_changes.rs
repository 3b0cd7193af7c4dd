//! Added, re-parented and renamed nodes: every edit reports to the owner and to
//! every reader, once, in order.
//!
//! The expected lists are kept by definition, as vectors that each edit is applied
//! to.

use pleach_graph::{AddedNodes, ChangeReader, ChangedNodes, Graph, NodeId, Transform};
use testkit::Rng;
use testkit::allocations::Tally;

/// The changes that one reader has not read yet, by definition.
#[derive(Clone, Debug, Default, PartialEq)]
struct Unread {
    added: Vec<NodeId>,
    reparented: Vec<NodeId>,
    renamed: Vec<NodeId>,
    removed: Vec<NodeId>,
}

impl Unread {
    fn remove(&mut self, nodes: &[NodeId]) {
        for list in [&mut self.added, &mut self.reparented, &mut self.renamed] {
            list.retain(|node| !nodes.contains(node));
        }
        self.removed.extend(nodes);
    }

    fn of(
        added: AddedNodes<'_>,
        reparented: ChangedNodes<'_>,
        renamed: ChangedNodes<'_>,
        removed: &[NodeId],
    ) -> Self {
        Self {
            added: added.collect(),
            reparented: reparented.collect(),
            renamed: renamed.collect(),
            removed: removed.to_vec(),
        }
    }

    fn of_owner(graph: &Graph) -> Self {
        Self::of(graph.added(), graph.reparented(), graph.renamed(), graph.removed())
    }

    fn of_reader(reader: &mut ChangeReader, graph: &Graph) -> Self {
        let changes = reader.read(graph).unwrap();
        Self::of(changes.added(), changes.reparented(), changes.renamed(), changes.removed())
    }
}

/// Moves a node to the end of a list, or appends it.
fn relist(list: &mut Vec<NodeId>, node: NodeId) {
    list.retain(|&other| other != node);
    list.push(node);
}

/// The changes that one edit should report.
enum Report {
    Nothing,
    Added(Vec<NodeId>),
    Reparented(Vec<NodeId>),
    Renamed(NodeId),
    Removed(Vec<NodeId>),
}

impl Report {
    fn apply(&self, unread: &mut Unread) {
        match self {
            Self::Nothing => {}
            Self::Added(nodes) => unread.added.extend(nodes),
            Self::Reparented(nodes) => {
                nodes.iter().for_each(|&node| relist(&mut unread.reparented, node));
            }
            Self::Renamed(node) => relist(&mut unread.renamed, *node),
            Self::Removed(nodes) => unread.remove(nodes),
        }
    }
}

fn subtree(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    graph.node(node).unwrap().descendants().collect()
}

/// Makes one random edit.
fn edit(graph: &mut Graph, other: &Graph, rng: &mut Rng) -> Report {
    let nodes: Vec<NodeId> = graph.depth_first().collect();
    let random = |rng: &mut Rng| nodes[rng.below(nodes.len())];
    let transform = Transform::IDENTITY;
    if nodes.is_empty() {
        return Report::Added(vec![graph.add_root(transform).unwrap()]);
    }
    let (node, target) = (random(rng), random(rng));
    let moved = |result: Result<(), pleach_graph::Error>| match result {
        Ok(()) => Report::Reparented(vec![node]),
        Err(_) => Report::Nothing,
    };
    let is_root = graph.node(node).unwrap().parent().is_none();
    match rng.below(if nodes.len() < 60 { 19 } else { 24 }) {
        0 => Report::Added(vec![graph.add_root(transform).unwrap()]),
        1..4 => Report::Added(vec![graph.add_child(node, transform).unwrap()]),
        4 => {
            let list: Vec<(Option<u32>, Transform)> = (0..rng.below(6) as u32)
                .map(|index| ((index % 2 == 1).then(|| index - 1), transform))
                .collect();
            Report::Added(graph.add_all(Some(node), &list).unwrap())
        }
        5 => {
            let clones = graph.clone_subtree(node, rng.one_in(2).then_some(target)).unwrap();
            Report::Added(clones.pairs().iter().map(|pair| pair.1).collect())
        }
        6 => {
            let root = other.roots().next().unwrap();
            let clones = graph.clone_subtree_from(other, root, Some(node)).unwrap();
            Report::Added(clones.pairs().iter().map(|pair| pair.1).collect())
        }
        7 => moved(graph.attach(node, target)),
        8 => moved(graph.attach_all(&[node], target)),
        9 => moved(graph.attach_at(node, target, rng.below(3))),
        10 if node != target => moved(graph.attach_before(node, target)),
        11 if node != target => moved(graph.attach_after(node, target)),
        12 => moved(graph.attach_in_place(node, target).map(drop)),
        13 => {
            graph.detach(node).unwrap();
            if is_root { Report::Nothing } else { Report::Reparented(vec![node]) }
        }
        14 => {
            graph.detach_in_place(node).unwrap();
            if is_root { Report::Nothing } else { Report::Reparented(vec![node]) }
        }
        15 => match graph.detach_from(node, target).unwrap() {
            true => Report::Reparented(vec![node]),
            false => Report::Nothing,
        },
        16 => {
            let name = ["oak", "elm", "ash"][rng.below(3)];
            let is_new = graph.node(node).unwrap().name() != Some(name);
            graph.node_mut(node).unwrap().set_name(name);
            if is_new { Report::Renamed(node) } else { Report::Nothing }
        }
        17 => {
            let is_named = graph.node(node).unwrap().name().is_some();
            graph.node_mut(node).unwrap().clear_name();
            if is_named { Report::Renamed(node) } else { Report::Nothing }
        }
        18 if rng.one_in(100) => {
            let removed = graph.roots().flat_map(|root| subtree(graph, root)).collect();
            graph.clear();
            Report::Removed(removed)
        }
        18.. => {
            let removed = subtree(graph, node);
            graph.remove(node).unwrap();
            Report::Removed(removed)
        }
        _ => Report::Nothing,
    }
}

#[test]
fn every_edit_reports_added_reparented_and_renamed_nodes_once_and_in_order() {
    const PACES: [usize; 4] = [2, 10, 200, 5_000];
    let mut other = Graph::new();
    let root = other.add_root(Transform::IDENTITY).unwrap();
    other.add_child(root, Transform::IDENTITY).unwrap();
    other.node_mut(root).unwrap().set_name("copied with its name");
    for seed in 0..if cfg!(miri) { 1 } else { 4 } {
        let mut rng = Rng::new(seed);
        let mut graph = Graph::new();
        let mut readers = PACES.map(|_| graph.change_reader());
        let mut unread = PACES.map(|_| Unread::default());
        let mut by_owner = Unread::default();
        for _ in 0..if cfg!(miri) { 60 } else { 10_000 } {
            let report = edit(&mut graph, &other, &mut rng);
            unread.iter_mut().chain([&mut by_owner]).for_each(|unread| report.apply(unread));
            for ((reader, unread), pace) in readers.iter_mut().zip(&mut unread).zip(PACES) {
                if rng.one_in(pace) {
                    assert_eq!(
                        Unread::of_reader(reader, &graph),
                        std::mem::take(unread),
                        "seed {seed}"
                    );
                }
            }
            if rng.one_in(50) {
                assert_eq!(Unread::of_owner(&graph), by_owner, "seed {seed}");
                assert_eq!(Unread::of_owner(&graph.clone()), by_owner, "seed {seed}");
                graph.update();
                if rng.one_in(3) {
                    graph.clear_changes();
                    by_owner = Unread::default();
                }
            }
        }
        assert_eq!(graph.check(), []);
    }
}

#[test]
fn a_reused_slot_is_not_listed_for_its_previous_node() {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let old = graph.add_root(Transform::IDENTITY).unwrap();
    let mut reader = graph.change_reader();
    graph.node_mut(old).unwrap().set_name("old");
    graph.attach(old, root).unwrap();
    graph.remove(old).unwrap();
    let new = graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(new.index(), old.index());
    let expected = Unread { added: vec![new], removed: vec![old], ..Unread::default() };
    assert_eq!(Unread::of_reader(&mut reader, &graph), expected);
    assert_eq!(Unread::of_reader(&mut reader, &graph), Unread::default());
}

#[test]
fn a_million_unread_edits_of_a_few_nodes_take_bounded_memory() {
    let mut graph = Graph::new();
    let nodes: Vec<NodeId> =
        (0..10).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    let mut lagging = graph.change_reader();
    let before = Tally::now().live;
    let mut peak = 0;
    for time in 0..if cfg!(miri) { 100 } else { 1_000_000 } {
        let node = nodes[1 + time % 9];
        graph.node_mut(node).unwrap().set_name(["a", "b"][time % 2]);
        graph.attach(node, nodes[0]).unwrap();
        // Removals have a list of their own, which the owner clears.
        if time % 8 == 0 {
            let passing = graph.add_root(Transform::IDENTITY).unwrap();
            graph.remove(passing).unwrap();
            graph.clear_changes();
        }
        peak = peak.max(Tally::now().live - before);
    }
    let removals = 4 * 2 * 65_536 * size_of::<NodeId>() as isize;
    assert!(peak < removals + 64 * 1024, "{peak} bytes");
    let unread = Unread::of_reader(&mut lagging, &graph);
    assert_eq!((unread.reparented.len(), unread.added.len()), (9, 0));
}

#[test]
fn building_a_tree_unread_takes_no_memory_for_the_list_of_added_nodes() {
    let bytes = |nodes: usize| {
        let before = Tally::now().live;
        let mut graph = Graph::with_capacity(nodes).unwrap();
        let root = graph.add_root(Transform::IDENTITY).unwrap();
        let empty = Tally::now().live - before;
        for _ in 1..nodes {
            graph.add_child(root, Transform::IDENTITY).unwrap();
        }
        assert_eq!(graph.added().count(), nodes);
        // What grows besides: the list of the level and the dirty queue.
        Tally::now().live - before - empty
    };
    let nodes = if cfg!(miri) { 100 } else { 4096 };
    assert!(bytes(nodes) < 13 * nodes as isize, "{} bytes", bytes(nodes));
}
