//! `Graph::add_all`: the same result as adding the nodes one by one.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{Error, Graph, NodeDescription, NodeId, Transform};
use testkit::{Rng, sized};

use crate::common::{
    RandomTransform, add_named, assert_consistent, bits, dump, node, random_tree, seeds,
};

type NewNode = (Option<u32>, Transform);

/// The definition of `add_all`.
fn add_one_by_one(graph: &mut Graph, parent: Option<NodeId>, nodes: &[NewNode]) -> Vec<NodeId> {
    let mut added: Vec<NodeId> = Vec::new();
    for &(index, transform) in nodes {
        let node = match index.map(|index| added[index as usize]).or(parent) {
            Some(parent) => graph.add_child(parent, transform),
            None => graph.add_root(transform),
        };
        added.push(node.unwrap());
    }
    added
}

/// Everything except the capacity, which grows in different steps.
fn dump_without_capacity(graph: &Graph) -> String {
    dump(graph).replacen(&format!("capacity {},", graph.capacity()), "", 1)
}

/// Nodes of any shape, from a chain to only roots; some rotations are not
/// normalized.
fn random_forest(random: &mut Rng, count: usize) -> Vec<NewNode> {
    let max_step = random.pick(&[1, 2, 10, usize::MAX]);
    let roots = random.pick(&[2, 20, 1_000]);
    let new_node = |index: usize| {
        let parent = (index > 0 && !random.one_in(roots))
            .then(|| (index - 1 - random.below(index.min(max_step))) as u32);
        let mut transform = random.transform();
        if random.one_in(10) {
            transform.rotation = Quat::from_array(transform.rotation.to_array().map(|it| it * 3.0));
        }
        (parent, transform)
    };
    (0..count).map(new_node).collect()
}

/// A graph that has been updated, with nodes hidden, moved, named and removed.
fn used_graph(random: &mut Rng) -> (Graph, Vec<NodeId>) {
    let count = sized(random.pick(&[1, 5, 300]), 8);
    let (mut graph, mut nodes) = random_tree(random, count);
    if random.one_in(2) {
        graph.update();
        graph.clear_changes();
    }
    for _ in 0..nodes.len() / 4 {
        let id = random.pick(&nodes);
        graph.node_mut(id).unwrap().set_visible(random.one_in(2)).set_name("used");
        graph.node_mut(id).unwrap().set_translation(random.vec3(5.0)).unwrap();
    }
    for _ in 0..random.pick(&[0, 0, 1, 20]) {
        if nodes.len() > 1 {
            graph.remove(*nodes.last().unwrap()).unwrap();
            nodes.retain(|&id| graph.contains(id));
        }
    }
    (graph, nodes)
}

#[test]
fn add_all_equals_adding_one_by_one() {
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let (mut bulk, nodes) = match random.one_in(4) {
            true => (Graph::new(), Vec::new()),
            false => used_graph(&mut random),
        };
        let mut one_by_one = bulk.clone();
        // A reader reads only the graph that created it, not its clones.
        let mut readers = [bulk.change_reader(), one_by_one.change_reader()];
        for round in 0..3 {
            let mut parents = nodes.clone();
            parents.extend(bulk.depth_first().last());
            let parent = (!parents.is_empty() && !random.one_in(3)).then(|| random.pick(&parents));
            let count = random.pick(&[0, 1, 3, 30, sized(400, 10)]);
            let new_nodes = random_forest(&mut random, count);

            let version = bulk.structure_version();
            let added = bulk.add_all(parent, &new_nodes).unwrap();
            assert_eq!(added, add_one_by_one(&mut one_by_one, parent, &new_nodes));
            assert_eq!(bulk.structure_version() > version, count > 0);
            assert!(bulk.capacity() >= bulk.flags().len());
            assert_eq!(
                dump_without_capacity(&bulk),
                dump_without_capacity(&one_by_one),
                "seed {seed}, round {round}"
            );
            assert_consistent(&bulk);

            if random.one_in(2) {
                continue;
            }
            assert_eq!(bulk.update(), one_by_one.update());
            assert_eq!(
                dump_without_capacity(&bulk),
                dump_without_capacity(&one_by_one),
                "seed {seed}, round {round}: update"
            );
            let [a, b] = &mut readers;
            let (a, b) = (a.read(&bulk).unwrap(), b.read(&one_by_one).unwrap());
            assert_eq!(format!("{a:?}"), format!("{b:?}"), "seed {seed}, round {round}");
            assert_consistent(&bulk);
        }
        // They stay equal after further edits.
        for id in bulk.depth_first().step_by(7).collect::<Vec<_>>() {
            if bulk.contains(id) && random.one_in(2) {
                assert_eq!(bulk.remove(id), one_by_one.remove(id));
            }
        }
        let new_nodes = random_forest(&mut random, sized(200, 10));
        bulk.add_all(None, &new_nodes).unwrap();
        add_one_by_one(&mut one_by_one, None, &new_nodes);
        bulk.update();
        one_by_one.update();
        assert_eq!(
            dump_without_capacity(&bulk),
            dump_without_capacity(&one_by_one),
            "seed {seed}, at the end"
        );
        assert_consistent(&bulk);
    }
}

#[test]
fn new_nodes_below_a_hidden_parent_are_hidden() {
    let mut graph = Graph::new();
    let hidden = add_named(&mut graph, None, "hidden");
    graph.node_mut(hidden).unwrap().set_visible(false);
    graph.clear_changes();
    let added = graph
        .add_all(Some(hidden), &[(None, Transform::IDENTITY), (Some(0), Transform::IDENTITY)])
        .unwrap();
    for &id in &added {
        assert!(node(&graph, id).is_visible() && !node(&graph, id).is_shown());
    }
    assert_eq!(graph.shown_changed().count(), 0, "new nodes are not listed");
    graph.node_mut(hidden).unwrap().set_visible(true);
    assert!(added.iter().all(|&id| node(&graph, id).is_shown()));
}

#[test]
fn a_long_chain_is_added_at_once() {
    let count = sized(100_000, 20) as u32;
    let step = Transform::from_xyz(1.0, 0.0, 0.0);
    let nodes: Vec<NewNode> = (0..count).map(|index| (index.checked_sub(1), step)).collect();
    let mut graph = Graph::new();
    let added = graph.add_all(None, &nodes).unwrap();
    // Fewer nodes than levels.
    let tip = graph.add_all(added.last().copied(), &[(None, step), (Some(0), step)]).unwrap()[1];
    graph.update();
    assert_eq!(node(&graph, tip).depth(), count as usize + 1);
    assert_eq!(node(&graph, tip).world_translation(), Vec3::new((count + 2) as f32, 0.0, 0.0));
    assert_consistent(&graph);
}

#[test]
fn nothing_is_added_if_any_node_is_invalid() {
    const BAD: Transform = Transform::from_xyz(0.0, f32::NAN, 0.0);
    const ZERO: Transform = Transform { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..GOOD };
    const GOOD: Transform = Transform::IDENTITY;
    for seed in seeds(40) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = used_graph(&mut random);
        let parent = Some(random.pick(&nodes));
        let mut new_nodes = random_forest(&mut random, sized(60, 10));
        let index = random.below(new_nodes.len());
        let before = dump_without_capacity(&graph);
        let good = new_nodes[index];

        new_nodes[index] = (good.0, BAD);
        let error = graph.add_all(parent, &new_nodes).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("nodes[{index}]: translation.y is NaN; it must be finite"),
        );
        new_nodes[index] = (good.0, ZERO);
        let error = graph.add_all(parent, &new_nodes);
        assert_eq!(error, Err(Error::ZeroRotation(NodeDescription::NewAt(index))));
        for later in [index as u32, index as u32 + 1, u32::MAX] {
            new_nodes[index] = (Some(later), GOOD);
            let error = graph.add_all(parent, &new_nodes);
            assert_eq!(error, Err(Error::ParentNotBefore { node: index, parent: later }));
        }
        new_nodes[index] = good;
        let dead = graph.add_root(GOOD).unwrap();
        graph.remove(dead).unwrap();
        let with_one_more = dump_without_capacity(&graph);
        assert_eq!(graph.add_all(Some(dead), &new_nodes), Err(Error::Dead(dead)));
        assert_eq!(dump_without_capacity(&graph), with_one_more, "seed {seed}");
        assert_ne!(before, with_one_more, "the comparison detects changes");

        assert_eq!(graph.add_all(parent, &new_nodes).unwrap().len(), new_nodes.len());
        assert_consistent(&graph);
    }
}

#[test]
fn a_rejected_add_all_leaves_the_graph_unchanged() {
    for seed in seeds(40) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = used_graph(&mut random);
        let mut other = graph.clone();
        let mut new_nodes = random_forest(&mut random, sized(60, 10));
        let good = new_nodes.last().copied().unwrap();
        new_nodes.last_mut().unwrap().1.scale.x = f32::INFINITY;
        let parent = Some(random.pick(&nodes));
        graph.add_all(parent, &new_nodes).unwrap_err();
        assert_eq!(dump_without_capacity(&graph), dump_without_capacity(&other), "seed {seed}");
        assert_consistent(&graph);

        *new_nodes.last_mut().unwrap() = good;
        let added = graph.add_all(parent, &new_nodes).unwrap();
        assert_eq!(added, other.add_all(parent, &new_nodes).unwrap());
        graph.update();
        other.update();
        for &id in &added {
            assert_eq!(bits(node(&graph, id).world()), bits(node(&other, id).world()));
        }
        assert_eq!(dump_without_capacity(&graph), dump_without_capacity(&other), "seed {seed}");
    }
}

#[test]
fn capacity_doubles_however_few_nodes_are_added_at_once() {
    let mut graph = Graph::new();
    let mut steps = 0;
    for _ in 0..sized(1_000, 100) {
        let before = graph.capacity();
        graph.add_all(None, &[(None, Transform::IDENTITY); 3]).unwrap();
        steps += usize::from(graph.capacity() != before);
    }
    assert!(steps <= 4, "{steps}");
    let count = sized(10_000, 300);
    graph.add_all(None, &vec![(None, Transform::IDENTITY); count]).unwrap();
    assert!(graph.capacity() >= graph.len());
}
