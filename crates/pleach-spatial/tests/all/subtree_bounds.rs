//! Subtree bounds: correct after any change of the hierarchy since the last query.

use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, SpatialIndex};
use testkit::Rng;

const UNIT: Aabb = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);

fn at(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

/// Returns the box of unit boxes from `from` to `to` along x.
fn span(from: f32, to: f32) -> Option<Aabb> {
    Some(Aabb::new(Vec3::new(from - 1.0, -1.0, -1.0), Vec3::new(to + 1.0, 1.0, 1.0)))
}

struct Scene {
    graph: Graph,
    index: SpatialIndex,
}

impl Scene {
    fn new() -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        Self { graph, index }
    }

    fn add(&mut self, parent: impl Into<Option<NodeId>>, x: f32) -> NodeId {
        match parent.into() {
            Some(parent) => self.graph.add_child(parent, at(x)).unwrap(),
            None => self.graph.add_root(at(x)).unwrap(),
        }
    }

    fn with_bounds(&mut self, parent: impl Into<Option<NodeId>>, x: f32) -> NodeId {
        let node = self.add(parent, x);
        self.index.set_bounds(&self.graph, node, UNIT).unwrap();
        node
    }

    fn frame(&mut self) {
        self.graph.update();
        self.index.sync(&self.graph).unwrap();
    }

    fn subtree(&self, node: NodeId) -> Option<Aabb> {
        self.index.subtree_bounds(&self.graph, node)
    }
}

#[test]
fn subtree_bounds_are_the_union_of_all_descendants() {
    let mut scene = Scene::new();
    let group = scene.add(None, 10.0);
    let near = scene.with_bounds(group, 1.0);
    let far = scene.with_bounds(near, 4.0);
    let elsewhere = scene.with_bounds(None, -50.0);
    let nothing = scene.add(None, 0.0);
    scene.frame();
    assert_eq!(scene.subtree(group), span(11.0, 15.0));
    assert_eq!(scene.subtree(near), span(11.0, 15.0));
    assert_eq!(scene.subtree(far), span(15.0, 15.0));
    assert_eq!(scene.subtree(elsewhere), span(-50.0, -50.0));
    assert_eq!(scene.subtree(nothing), Some(Aabb::EMPTY));
}

#[test]
fn every_kind_of_change_updates_the_ancestors() {
    let mut scene = Scene::new();
    let root = scene.add(None, 0.0);
    let middle = scene.add(root, 0.0);
    let leaf = scene.with_bounds(middle, 3.0);
    scene.frame();
    assert_eq!(scene.subtree(root), span(3.0, 3.0));

    // Moved.
    scene.graph.node_mut(leaf).unwrap().set_transform(at(5.0)).unwrap();
    scene.frame();
    assert_eq!(scene.subtree(root), span(5.0, 5.0));
    // Other bounds.
    scene.index.set_bounds(&scene.graph, leaf, Aabb::new(Vec3::ZERO, Vec3::ZERO)).unwrap();
    scene.frame();
    assert_eq!(scene.subtree(root).unwrap().size(), Vec3::ZERO);
    scene.index.set_bounds(&scene.graph, leaf, UNIT).unwrap();
    // Added, together with its parent.
    let new = scene.add(middle, 0.0);
    let below_new = scene.with_bounds(new, 9.0);
    scene.frame();
    assert_eq!(scene.subtree(root), span(5.0, 9.0));
    // Detached, and attached elsewhere.
    scene.graph.detach(new).unwrap();
    scene.frame();
    assert_eq!(scene.subtree(root), span(5.0, 5.0));
    assert_eq!(scene.subtree(new), span(9.0, 9.0));
    scene.graph.attach(new, leaf).unwrap();
    scene.frame();
    assert_eq!(scene.subtree(root), span(5.0, 14.0));
    // Removed from the index: takes effect immediately.
    assert!(scene.index.remove(below_new));
    assert_eq!(scene.subtree(root), span(5.0, 5.0));
    scene.index.set_bounds(&scene.graph, below_new, UNIT).unwrap();
    scene.frame();
    // Removed from the graph.
    scene.graph.remove(new).unwrap();
    scene.frame();
    assert_eq!(scene.subtree(root), span(5.0, 5.0));
    assert_eq!(scene.subtree(new), None);
    scene.graph.remove(leaf).unwrap();
    scene.frame();
    assert_eq!(scene.subtree(root), Some(Aabb::EMPTY));
}

#[test]
fn hidden_nodes_are_included() {
    let mut scene = Scene::new();
    let root = scene.add(None, 0.0);
    let leaf = scene.with_bounds(root, 3.0);
    scene.graph.node_mut(leaf).unwrap().set_visible(false);
    scene.frame();
    assert_eq!(scene.subtree(root), span(3.0, 3.0));
}

#[test]
fn a_node_in_a_reused_slot_starts_without_bounds() {
    let mut scene = Scene::new();
    let old = scene.with_bounds(None, 7.0);
    scene.frame();
    assert_eq!(scene.subtree(old), span(7.0, 7.0));
    scene.graph.remove(old).unwrap();
    let new = scene.add(None, 0.0);
    assert_eq!(new.index(), old.index(), "the slot is used again");
    // Added since the last sync, so it has no bounds yet.
    assert_eq!(scene.subtree(new), Some(Aabb::EMPTY));
    scene.frame();
    assert_eq!(scene.subtree(new), Some(Aabb::EMPTY));
}

/// The graph was edited between its update and the sync, so that the sync found a node below one
/// that it did not know yet.
#[test]
fn a_parent_newer_than_the_last_update_gets_its_children_after_the_next_one() {
    let mut scene = Scene::new();
    let child = scene.with_bounds(None, 1.0);
    scene.frame();
    assert_eq!(scene.subtree(child), span(1.0, 1.0));
    scene.graph.node_mut(child).unwrap().set_transform(at(2.0)).unwrap();
    scene.graph.update();
    let parent = scene.add(None, 10.0);
    scene.graph.attach(child, parent).unwrap();
    scene.index.sync(&scene.graph).unwrap();
    scene.frame();
    assert_eq!(scene.subtree(parent), span(12.0, 12.0));
}

#[test]
fn a_first_query_before_a_sync_is_correct_after_the_sync() {
    let mut scene = Scene::new();
    let a = scene.with_bounds(None, 1.0);
    let child = scene.with_bounds(a, 1.0);
    scene.frame();
    scene.graph.detach(child).unwrap();
    scene.graph.remove(a).unwrap();
    let b = scene.with_bounds(None, 20.0);
    assert_eq!(b.index(), a.index(), "the slot is used again");
    scene.graph.attach(child, b).unwrap();
    // The table is created from a graph with changes that were not synced yet.
    _ = scene.subtree(b);
    scene.frame();
    assert_eq!(scene.subtree(b), span(20.0, 21.0));
    assert_eq!(scene.subtree(child), span(21.0, 21.0));
}

/// Hundreds of siblings that move, are added and removed, and change parents.
#[test]
fn many_siblings_are_correct_after_changes_to_a_few() {
    let mut random = Rng::new(2);
    let mut scene = Scene::new();
    let parents = [0.0, 100.0].map(|x| scene.add(None, x));
    let count = testkit::sized(300, 70);
    let mut children: Vec<NodeId> =
        (0..count).map(|number| scene.with_bounds(parents[0], number as f32)).collect();
    scene.frame();
    for _ in 0..testkit::sized(400, 10) {
        for _ in 0..1 + random.below(3) {
            let number = random.below(children.len());
            let child = children[number];
            match random.below(5) {
                0 => {
                    let x = random.below(1000) as f32;
                    scene.graph.node_mut(child).unwrap().set_transform(at(x)).unwrap();
                }
                1 => scene.graph.attach(child, random.pick(&parents)).unwrap(),
                2 => {
                    scene.graph.remove(child).unwrap();
                    children.swap_remove(number);
                }
                3 => _ = scene.index.remove(child),
                _ => {
                    let x = random.below(1000) as f32;
                    children.push(scene.with_bounds(random.pick(&parents), x));
                }
            }
        }
        scene.frame();
        for parent in parents {
            let below = scene.graph.node(parent).unwrap().descendants();
            let worlds = below.filter_map(|node| scene.index.world_bounds(node));
            let expected = worlds.fold(Aabb::EMPTY, |all, world| all.union(&world));
            assert_eq!(scene.subtree(parent), Some(expected));
        }
    }
}

/// A chain of thousands of nodes: no recursion, and no traversal of all of it per query.
#[test]
fn deep_hierarchies_do_not_overflow_the_stack() {
    let mut scene = Scene::new();
    let depth = testkit::sized(20_000, 50);
    let mut chain = vec![scene.with_bounds(None, 0.0)];
    for _ in 1..depth {
        chain.push(scene.with_bounds(chain[chain.len() - 1], 1.0));
    }
    scene.frame();
    let last = (depth - 1) as f32;
    assert_eq!(scene.subtree(chain[0]), span(0.0, last));
    let mut random = Rng::new(1);
    for _ in 0..100 {
        let at = random.below(depth);
        assert_eq!(scene.subtree(chain[at]), span(at as f32, last));
    }
}
