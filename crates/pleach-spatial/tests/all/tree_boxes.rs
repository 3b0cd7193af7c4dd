//! The boxes of the tree, compared with the world bounds of all nodes.

use std::collections::BTreeMap;

use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, SpatialIndex, TreeBox};
use testkit::{Rng, sized};

/// Checks that the boxes are in pre-order, and each against the box that contains it.
fn check(index: &SpatialIndex, nodes: &[NodeId]) {
    let mut within: Vec<TreeBox> = Vec::new();
    let mut leaves: BTreeMap<NodeId, Aabb> = BTreeMap::new();
    let mut inner: Vec<(Aabb, Aabb)> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    for it in index.tree_boxes() {
        let depth = it.depth as usize;
        assert!(
            depth <= within.len(),
            "a box at {depth} comes right after one at {}",
            within.len()
        );
        within.truncate(depth);
        path.truncate(depth);
        assert_eq!(
            depth == 0,
            leaves.is_empty() && inner.is_empty(),
            "the root box is the only one at depth 0 and comes first"
        );
        if let Some(parent) = within.last() {
            assert!(parent.node.is_none(), "{it:?} is in the box of a node");
            assert!(parent.bounds.contains(&it.bounds), "{it:?} is not within {parent:?}");
        }
        within.push(it);
        match it.node {
            Some(node) => {
                assert_eq!(leaves.insert(node, it.bounds), None, "{node} has two boxes");
                for &ancestor in &path {
                    inner[ancestor].1 = inner[ancestor].1.union(&it.bounds);
                }
            }
            None => {
                path.push(inner.len());
                inner.push((it.bounds, Aabb::EMPTY));
            }
        }
    }
    for (bounds, union) in inner {
        assert_eq!(bounds, union, "an inner box is that of all bounds in it");
    }
    let synced: Vec<NodeId> =
        nodes.iter().copied().filter(|&node| index.world_bounds(node).is_some()).collect();
    assert_eq!(leaves.len(), synced.len());
    for node in synced {
        assert!(leaves[&node].contains(&index.world_bounds(node).unwrap()), "{node}");
    }
}

#[test]
fn boxes_are_nested_and_contain_the_bounds_of_nodes() {
    let mut random = Rng::new(0x7b0c);
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let mut nodes = Vec::new();
    for round in 0..sized(40, 6) {
        for _ in 0..random.below(60) {
            let node = graph.add_root(Transform::from_translation(random.vec3(50.0))).unwrap();
            let half = random.vec3(2.0).abs();
            index.set_bounds(&graph, node, Aabb::from_center_half(Vec3::ZERO, half)).unwrap();
            nodes.push(node);
        }
        for _ in 0..random.below(20) {
            let index_of = random.below(nodes.len().max(1));
            if let Some(mut node) = nodes.get(index_of).and_then(|&node| graph.get_mut(node)) {
                node.set_translation(random.vec3(80.0)).unwrap();
            }
        }
        for _ in 0..random.below(15).min(nodes.len()) {
            let node = nodes.swap_remove(random.below(nodes.len()));
            if random.one_in(2) {
                graph.remove(node).unwrap();
            } else {
                assert!(index.remove(node));
            }
        }
        graph.update();
        index.sync(&graph).unwrap();
        println!("round {round}: {} nodes", nodes.len());
        check(&index, &nodes);
    }
    assert!(index.tree_boxes().map(|it| it.depth).max() > Some(2), "the tree has inner boxes");
}

#[test]
fn an_empty_index_has_no_boxes_and_an_index_of_one_node_has_two() {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    assert_eq!(index.tree_boxes().next(), None);

    let node = graph.add_root(Transform::IDENTITY).unwrap();
    index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
    assert_eq!(index.tree_boxes().next(), None, "not before a sync");
    graph.update();
    index.sync(&graph).unwrap();
    let boxes: Vec<_> = index.tree_boxes().map(|it| (it.depth, it.node)).collect();
    assert_eq!(boxes, [(0, None), (1, Some(node))]);

    index.remove(node);
    assert_eq!(index.tree_boxes().next(), None);
}

#[test]
fn most_nodes_of_a_built_tree_are_full() {
    let mut random = Rng::new(3);
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let count = sized(5000, 100);
    for _ in 0..count {
        let [x, y, z] = [(); 3].map(|()| random.between(-50.0, 50.0));
        let node = graph.add_root(Transform::from_xyz(x, y, z)).unwrap();
        index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
    }
    graph.update();
    index.sync(&graph).unwrap();
    index.rebuild();
    let inner = index.tree_boxes().filter(|it| it.node.is_none()).count();
    // Full nodes would be one for seven boxes.
    assert!(inner * 5 <= count, "{inner} nodes for {count} boxes");
}
