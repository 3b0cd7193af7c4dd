//! The graphs that the benches use, the same for every run.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};

/// A graph and its nodes, in the order they were added.
pub(crate) struct Scene {
    pub(crate) graph: Graph,
    pub(crate) nodes: Vec<NodeId>,
}

#[allow(dead_code, reason = "each bench uses some of these")]
impl Scene {
    fn new(n: usize) -> Self {
        let mut graph = Graph::with_capacity(n).unwrap();
        let root = graph.add_root(transform(0)).unwrap();
        Self { graph, nodes: vec![root] }
    }

    fn add(&mut self, parent: usize) {
        let transform = transform(self.nodes.len());
        self.nodes.push(self.graph.add_child(self.nodes[parent], transform).unwrap());
    }

    fn is_leaf(&self, node: NodeId) -> bool {
        self.graph.node(node).unwrap().children().len() == 0
    }

    /// Returns one of every `every` leaves.
    pub(crate) fn leaves(&self, every: usize) -> Vec<NodeId> {
        let leaves = self.nodes.iter().copied().filter(|&node| self.is_leaf(node));
        leaves.step_by(every.max(1)).collect()
    }

    pub(crate) fn leaf_count(&self) -> usize {
        self.leaves(1).len()
    }
}

fn transform(i: usize) -> Transform {
    let rotation = Quat::from_xyzw((i % 7) as f32, (i % 5) as f32, (i % 3) as f32, 4.0).normalize();
    Transform { translation: Vec3::new(i as f32, 1.0, 2.0), rotation, scale: Vec3::ONE }
}

/// A root with all the others as its children.
#[allow(dead_code, reason = "each bench uses some of these")]
pub(crate) fn flat(n: usize) -> Scene {
    let mut scene = Scene::new(n);
    (1..n).for_each(|_| scene.add(0));
    scene
}

/// One to eight children per node, breadth first.
pub(crate) fn tree(n: usize) -> Scene {
    let mut scene = Scene::new(n);
    let mut rng = testkit::Rng::new(1);
    for parent in 0.. {
        for _ in 0..=rng.below(8) {
            if scene.nodes.len() == n {
                return scene;
            }
            scene.add(parent);
        }
    }
    scene
}

/// Chains of 64 nodes below a root.
#[allow(dead_code, reason = "each bench uses some of these")]
pub(crate) fn chains(n: usize) -> Scene {
    let mut scene = Scene::new(n);
    for i in 1..n {
        scene.add(if i % 64 == 1 { 0 } else { i - 1 });
    }
    scene
}

/// Skeletons of 64 joints below a root: a spine of 8, and limbs of 14 from it.
#[allow(dead_code, reason = "each bench uses some of these")]
pub(crate) fn skeletons(n: usize) -> Scene {
    let mut scene = Scene::new(n);
    for i in 1..n {
        let (skeleton, joint) = ((i - 1) / 64 * 64 + 1, (i - 1) % 64);
        scene.add(match joint {
            0 => 0,
            1..8 => skeleton + joint - 1,
            joint if (joint - 8) % 14 == 0 => skeleton + 2 * ((joint - 8) / 14),
            joint => skeleton + joint - 1,
        });
    }
    scene
}
