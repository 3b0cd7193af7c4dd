//! Attachment: which nodes are descendants of the scene's root.
//!
//! A node that is not is neither drawn nor picked: it is detached in the spatial index.
//! Only a change of the tree's structure can change this, so other updates skip it.
//!
//! Invariant after an update: `attached[slot]` is `true` if the node is the root or below it.

use pleach_graph::{ChangedNodes, Graph, NodeId};
use pleach_spatial::SpatialIndex;

use crate::Error;

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

    /// Reads the parents of the changed nodes; tells the spatial index which of its nodes were
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
            // Parents come before their children.
            let parent = attached.get(parents[node.index()] as usize).copied();
            let now = parent.unwrap_or(node == root);
            let before = core::mem::replace(&mut attached[node.index()], now);
            if before != now && spatial.contains(node) {
                spatial.set_attached(node, now)?;
            }
        }
        Ok(())
    }
}
