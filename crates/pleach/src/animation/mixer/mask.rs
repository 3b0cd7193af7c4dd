//! `Mask`: how much a layer counts for each node.

use std::collections::HashMap;

use pleach_graph::{CloneMap, Error, Graph, NodeId};

use crate::animation::player::clamp_weight;

/// Which nodes a layer moves, and how much.
///
/// ```
/// use pleach::animation::Mask;
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let hips = graph.add_root(Transform::IDENTITY)?;
/// let spine = graph.add_child(hips, Transform::IDENTITY)?;
/// let head = graph.add_child(spine, Transform::IDENTITY)?;
///
/// // The upper body, and a little of the hips.
/// let upper = Mask::subtree(&graph, spine)?.with(hips, 0.25);
/// assert_eq!([hips, spine, head].map(|bone| upper.weight(bone)), [0.25, 1.0, 1.0]);
///
/// // Everything but the head.
/// assert_eq!(Mask::all().with(head, 0.0).weight(head), 0.0);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
///
/// A mask is looked up when its layer is added, not in every frame: bones that are
/// attached below a node later are not part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    nodes: HashMap<NodeId, f32>,
    /// For all other nodes.
    default_weight: f32,
}

impl Default for Mask {
    fn default() -> Self {
        Self::all()
    }
}

impl Mask {
    /// All nodes count fully.
    #[must_use]
    pub fn all() -> Self {
        Self { nodes: HashMap::new(), default_weight: 1.0 }
    }

    /// No node counts, until it is added.
    #[must_use]
    pub fn none() -> Self {
        Self { nodes: HashMap::new(), default_weight: 0.0 }
    }

    /// Only the node `top` and what is below it count.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `top` is not alive.
    pub fn subtree(graph: &Graph, root: NodeId) -> Result<Self, Error> {
        Self::none().with_subtree(graph, root, 1.0)
    }

    /// The same mask with another weight, 0 to 1, for a node.
    #[must_use]
    pub fn with(mut self, node: NodeId, weight: f32) -> Self {
        self.nodes.insert(node, clamp_weight(weight));
        self
    }

    /// The same mask with another weight, 0 to 1, for a node and all that is below it.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `top` is not alive.
    pub fn with_subtree(mut self, graph: &Graph, root: NodeId, weight: f32) -> Result<Self, Error> {
        for node in graph.node(root)?.descendants() {
            self.nodes.insert(node, clamp_weight(weight));
        }
        Ok(self)
    }

    /// How much a node counts, 0 to 1.
    #[must_use]
    pub fn weight(&self, node: NodeId) -> f32 {
        self.nodes.get(&node).copied().unwrap_or(self.default_weight)
    }

    /// The same mask for a copy: every node that was copied becomes its copy.
    #[must_use]
    pub fn remapped(&self, clones: &CloneMap) -> Self {
        let remap = |(&node, &weight)| (clones.get(node).unwrap_or(node), weight);
        Self { nodes: self.nodes.iter().map(remap).collect(), default_weight: self.default_weight }
    }
}
