//! Many nodes added at once: the same as one after the other.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{Error, Graph, NodeDescription, NodeId, Transform};
use testkit::{Rng, sized};

use crate::common::{RandomTransform, assert_sound, bits, dump, named, node, random_tree, seeds};

type NewNode = (Option<u32>, Transform);

/// What `add_all` stands for.
fn add_one_by_one(graph: &mut Graph, parent: Option<NodeId>, nodes: &[NewNode]) -> Vec<NodeId> {
    let mut added: Vec<NodeId> = Vec::new();
    for &(place, transform) in nodes {
        let node = match place.map(|place| added[place as usize]).or(parent) {
            Some(parent) => graph.add_child(parent, transform),
            None => graph.add_root(transform),
        };
        added.push(node.unwrap());
    }
    added
}

/// Everything but the capacity, which grows in other steps.
fn told(graph: &Graph) -> String {
    dump(graph).replacen(&format!("room for {},", graph.capacity()), "", 1)
}

/// Nodes of any shape, from a chain to a heap of roots; some rotations are no units.
fn random_forest(random: &mut Rng, count: usize) -> Vec<NewNode> {
    let reach = random.pick(&[1, 2, 10, usize::MAX]);
    let roots = random.pick(&[2, 20, 1_000]);
    let new_node = |place: usize| {
        let parent = (place > 0 && !random.one_in(roots))
            .then(|| (place - 1 - random.below(place.min(reach))) as u32);
        let mut transform = random.transform();
        if random.one_in(10) {
            transform.rotation = Quat::from_array(transform.rotation.to_array().map(|it| it * 3.0));
        }
        (parent, transform)
    };
    (0..count).map(new_node).collect()
}

/// A graph that has lived: updated, with nodes hidden, moved, named and removed.
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
fn many_at_once_are_the_same_as_one_after_the_other() {
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let (mut at_once, nodes) = match random.one_in(4) {
            true => (Graph::new(), Vec::new()),
            false => used_graph(&mut random),
        };
        let mut one_by_one = at_once.clone();
        // A feed reads the graph that it was subscribed to, and no clone of it.
        let mut feeds = [at_once.change_reader(), one_by_one.change_reader()];
        for round in 0..3 {
            let mut parents = nodes.clone();
            parents.extend(at_once.depth_first().last());
            let parent = (!parents.is_empty() && !random.one_in(3)).then(|| random.pick(&parents));
            let count = random.pick(&[0, 1, 3, 30, sized(400, 10)]);
            let new_nodes = random_forest(&mut random, count);

            let version = at_once.structure_version();
            let added = at_once.add_all(parent, &new_nodes).unwrap();
            assert_eq!(added, add_one_by_one(&mut one_by_one, parent, &new_nodes));
            assert_eq!(at_once.structure_version() > version, count > 0);
            assert!(at_once.capacity() >= at_once.flags().len());
            assert_eq!(told(&at_once), told(&one_by_one), "seed {seed}, round {round}");
            assert_sound(&at_once);

            if random.one_in(2) {
                continue;
            }
            assert_eq!(at_once.update(), one_by_one.update());
            assert_eq!(told(&at_once), told(&one_by_one), "seed {seed}, round {round}: update");
            let [a, b] = &mut feeds;
            let (a, b) = (a.read(&at_once).unwrap(), b.read(&one_by_one).unwrap());
            assert_eq!(format!("{a:?}"), format!("{b:?}"), "seed {seed}, round {round}");
            assert_sound(&at_once);
        }
        // And so they stay.
        for id in at_once.depth_first().step_by(7).collect::<Vec<_>>() {
            if at_once.contains(id) && random.one_in(2) {
                assert_eq!(at_once.remove(id), one_by_one.remove(id));
            }
        }
        let new_nodes = random_forest(&mut random, sized(200, 10));
        at_once.add_all(None, &new_nodes).unwrap();
        add_one_by_one(&mut one_by_one, None, &new_nodes);
        at_once.update();
        one_by_one.update();
        assert_eq!(told(&at_once), told(&one_by_one), "seed {seed}, at the end");
        assert_sound(&at_once);
    }
}

#[test]
fn new_nodes_under_a_hidden_parent_are_hidden() {
    let mut graph = Graph::new();
    let hidden = named(&mut graph, None, "hidden");
    graph.node_mut(hidden).unwrap().set_visible(false);
    graph.clear_changes();
    let added = graph
        .add_all(Some(hidden), &[(None, Transform::IDENTITY), (Some(0), Transform::IDENTITY)])
        .unwrap();
    for &id in &added {
        assert!(node(&graph, id).is_visible() && !node(&graph, id).is_shown());
    }
    assert_eq!(graph.shown_changed().count(), 0, "they are new");
    graph.node_mut(hidden).unwrap().set_visible(true);
    assert!(added.iter().all(|&id| node(&graph, id).is_shown()));
}

#[test]
fn a_long_chain_is_added_at_once() {
    let count = sized(100_000, 20) as u32;
    let step = Transform::from_xyz(1.0, 0.0, 0.0);
    let nodes: Vec<NewNode> = (0..count).map(|place| (place.checked_sub(1), step)).collect();
    let mut graph = Graph::new();
    let added = graph.add_all(None, &nodes).unwrap();
    // Fewer nodes than there are levels.
    let tip = graph.add_all(added.last().copied(), &[(None, step), (Some(0), step)]).unwrap()[1];
    graph.update();
    assert_eq!(node(&graph, tip).depth(), count as usize + 1);
    assert_eq!(node(&graph, tip).world_translation(), Vec3::new((count + 2) as f32, 0.0, 0.0));
    assert_sound(&graph);
}

#[test]
fn nothing_is_added_if_anything_is_wrong() {
    const BAD: Transform = Transform::from_xyz(0.0, f32::NAN, 0.0);
    const ZERO: Transform = Transform { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..GOOD };
    const GOOD: Transform = Transform::IDENTITY;
    for seed in seeds(40) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = used_graph(&mut random);
        let parent = Some(random.pick(&nodes));
        let mut new_nodes = random_forest(&mut random, sized(60, 10));
        let place = random.below(new_nodes.len());
        let before = told(&graph);
        let good = new_nodes[place];

        new_nodes[place] = (good.0, BAD);
        let refused = graph.add_all(parent, &new_nodes).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("nodes[{place}]: translation.y is NaN; it must be finite"),
        );
        new_nodes[place] = (good.0, ZERO);
        let refused = graph.add_all(parent, &new_nodes);
        assert_eq!(refused, Err(Error::ZeroRotation(NodeDescription::NewAt(place))));
        for late in [place as u32, place as u32 + 1, u32::MAX] {
            new_nodes[place] = (Some(late), GOOD);
            let refused = graph.add_all(parent, &new_nodes);
            assert_eq!(refused, Err(Error::ParentNotBefore { node: place, parent: late }));
        }
        new_nodes[place] = good;
        let dead = graph.add_root(GOOD).unwrap();
        graph.remove(dead).unwrap();
        let with_one_more = told(&graph);
        assert_eq!(graph.add_all(Some(dead), &new_nodes), Err(Error::Dead(dead)));
        assert_eq!(told(&graph), with_one_more, "seed {seed}");
        assert_ne!(before, with_one_more, "what is compared shows changes");

        assert_eq!(graph.add_all(parent, &new_nodes).unwrap().len(), new_nodes.len());
        assert_sound(&graph);
    }
}

#[test]
fn a_refusal_leaves_no_trace() {
    for seed in seeds(40) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = used_graph(&mut random);
        let mut twin = graph.clone();
        let mut new_nodes = random_forest(&mut random, sized(60, 10));
        let good = new_nodes.last().copied().unwrap();
        new_nodes.last_mut().unwrap().1.scale.x = f32::INFINITY;
        let parent = Some(random.pick(&nodes));
        graph.add_all(parent, &new_nodes).unwrap_err();
        assert_eq!(told(&graph), told(&twin), "seed {seed}");
        assert_sound(&graph);

        *new_nodes.last_mut().unwrap() = good;
        let added = graph.add_all(parent, &new_nodes).unwrap();
        assert_eq!(added, twin.add_all(parent, &new_nodes).unwrap());
        graph.update();
        twin.update();
        for &id in &added {
            assert_eq!(bits(node(&graph, id).world()), bits(node(&twin, id).world()));
        }
        assert_eq!(told(&graph), told(&twin), "seed {seed}");
    }
}

#[test]
fn room_grows_by_doubling_however_few_are_added_at_once() {
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
