//! Attachment: which nodes are descendants of the scene's root.
//!
//! A node that is not is neither drawn nor picked: it is detached in the spatial index.
//! Only a change of the tree's structure can change this, so other updates skip it.
//!
//! Invariant after an update: `attached[slot]` is `true` if the node is the root or below it.

use pleach_graph::{ChangedNodes, Graph, NodeId};
use pleach_spatial::SpatialIndex;

use crate::{Error, Scene};

#[derive(Debug, Default)]
pub(crate) struct Attachment {
    /// By slot.
    attached: Vec<bool>,
    /// The structure version of the graph at the last update.
    structure: Option<u64>,
}

impl Attachment {
    /// Returns `true` if `node` was the scene's root or below it at the last update.
    pub(crate) fn is_attached(&self, node: NodeId) -> bool {
        self.attached.get(node.index()).copied().unwrap_or(false)
    }

    /// Returns `true` if the structure of the graph changed since the last update.
    pub(super) fn is_outdated(&self, graph: &Graph) -> bool {
        self.structure != Some(graph.structure_version())
    }

    /// Reads the parents of the changed nodes; marks the nodes of the spatial index that were
    /// attached or detached.
    pub(super) fn update(
        &mut self,
        graph: &Graph,
        root: NodeId,
        changed: ChangedNodes<'_>,
        spatial: &mut SpatialIndex,
    ) -> Result<(), Error> {
        let structure = Some(graph.structure_version());
        if core::mem::replace(&mut self.structure, structure) == structure {
            return Ok(());
        }
        let (parents, attached) = (graph.parents(), &mut self.attached);
        attached.resize(parents.len(), false);
        for node in changed {
            // Parents come before their children. The root is attached to itself, wherever it is.
            let parent = attached.get(parents[node.index()] as usize).copied();
            let now = node == root || parent.unwrap_or(false);
            let before = core::mem::replace(&mut attached[node.index()], now);
            if before != now && spatial.contains(node) {
                spatial.set_attached(node, now)?;
            }
        }
        Ok(())
    }
}

impl Scene {
    /// Returns `true` if `node` is the [root](Self::root) or a descendant of it: only such nodes are
    /// drawn and picked. Never stale. O(depth).
    ///
    /// ```
    /// use pleach::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let shed = scene.spawn(Node::group())?;
    /// let door = scene.spawn(Node::group().under(shed))?;
    /// assert!(scene.is_attached(door));
    /// scene.graph.detach(shed)?;
    /// assert!(!scene.is_attached(door));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn is_attached(&self, node: NodeId) -> bool {
        let parent = |node: &NodeId| self.graph.get(*node).and_then(|node| node.parent());
        self.graph.contains(node)
            && core::iter::successors(Some(node), parent).any(|node| node == self.root)
    }
}
