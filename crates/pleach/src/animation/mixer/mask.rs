//! `Mask`: the weight of a layer for each node.

use std::collections::HashMap;

use pleach_graph::{CloneMap, Error, Graph, NodeId};

use crate::animation::player::clamp_weight;

/// Weights by node that a layer is multiplied by.
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
/// assert_eq!([hips, spine, head].map(|joint| upper.weight(joint)), [0.25, 1.0, 1.0]);
///
/// // Everything but the head.
/// assert_eq!(Mask::all().with(head, 0.0).weight(head), 0.0);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
///
/// A mask is evaluated when its layer is added, not in every frame: joints that are
/// attached to the subtree later are not part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    nodes: HashMap<NodeId, f32>,
    /// The weight of all other nodes.
    default_weight: f32,
}

impl Default for Mask {
    fn default() -> Self {
        Self::all()
    }
}

impl Mask {
    /// Creates a mask with weight 1 for all nodes.
    #[must_use]
    pub fn all() -> Self {
        Self { nodes: HashMap::new(), default_weight: 1.0 }
    }

    /// Creates a mask with weight 0 for all nodes.
    #[must_use]
    pub fn none() -> Self {
        Self { nodes: HashMap::new(), default_weight: 0.0 }
    }

    /// Creates a mask with weight 1 for `root` and its descendants, and 0 for all other nodes.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `root` is not alive.
    pub fn subtree(graph: &Graph, root: NodeId) -> Result<Self, Error> {
        Self::none().with_subtree(graph, root, 1.0)
    }

    /// Sets the weight of a node, clamped to 0 to 1.
    #[must_use]
    pub fn with(mut self, node: NodeId, weight: f32) -> Self {
        self.nodes.insert(node, clamp_weight(weight));
        self
    }

    /// Sets the weight of `root` and its descendants, clamped to 0 to 1.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `root` is not alive.
    pub fn with_subtree(mut self, graph: &Graph, root: NodeId, weight: f32) -> Result<Self, Error> {
        for node in graph.node(root)?.descendants() {
            self.nodes.insert(node, clamp_weight(weight));
        }
        Ok(self)
    }

    /// Returns the weight of a node, 0 to 1.
    #[must_use]
    pub fn weight(&self, node: NodeId) -> f32 {
        self.nodes.get(&node).copied().unwrap_or(self.default_weight)
    }

    /// Returns the same mask for cloned nodes: every node in `clones` is replaced by its clone.
    #[must_use]
    pub fn remapped(&self, clones: &CloneMap) -> Self {
        let remap = |(&node, &weight)| (clones.get(node).unwrap_or(node), weight);
        Self { nodes: self.nodes.iter().map(remap).collect(), default_weight: self.default_weight }
    }
}
