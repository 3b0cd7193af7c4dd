//! Attachment: which nodes are descendants of the scene's root.
//!
//! A node that is not is neither drawn nor picked: it is detached in the spatial index.
//! Only a change of the tree's structure can change this, so other updates skip it. The subtrees of
//! the nodes that were added or attached are visited only if they were attached or detached as a
//! whole; if these visits add up to more than all changed nodes, those are visited instead.
//!
//! Invariant after an update: `attached[slot]` is `true` if the node is the root or below it.

use pleach_graph::{ChangedNodes, Changes, Graph, NodeId};
use pleach_spatial::SpatialIndex;

use crate::{Error, Scene};

#[derive(Clone, Debug, Default)]
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

    /// Finds the nodes that were attached or detached, and marks them in the spatial index.
    pub(super) fn update(
        &mut self,
        graph: &Graph,
        root: NodeId,
        changes: &Changes<'_>,
        spatial: &mut SpatialIndex,
    ) -> Result<(), Error> {
        let structure = Some(graph.structure_version());
        let before = core::mem::replace(&mut self.structure, structure);
        if before == structure {
            return Ok(());
        }
        self.attached.resize(graph.parents().len(), false);
        // The first update, or the root is below a node that is not attached: rare.
        let is_simple = before.is_some() && graph.get(root).is_some_and(|it| it.parent().is_none());
        if is_simple && self.update_edited(graph, root, changes, spatial)? {
            return Ok(());
        }
        self.update_changed(graph, root, changes.changed(), spatial)
    }

    /// Visits the subtrees of the nodes that were added or attached, if they changed. Returns
    /// `false`, with the work unfinished, if all changed nodes are fewer.
    fn update_edited(
        &mut self,
        graph: &Graph,
        root: NodeId,
        changes: &Changes<'_>,
        spatial: &mut SpatialIndex,
    ) -> Result<bool, Error> {
        let mut left = changes.changed().size_hint().1.unwrap_or(0);
        // In any order: a subtree that was visited too early is visited again with its ancestor.
        for node in changes.added().chain(changes.reparented()) {
            let now = self.is_attached_by_parent(graph, root, node);
            if self.attached[node.index()] == now {
                continue;
            }
            let subtree = graph.get(node).into_iter().flat_map(|node| node.descendants());
            for node in subtree {
                if left == 0 {
                    return Ok(false);
                }
                left -= 1;
                self.set(node, now, spatial)?;
            }
        }
        Ok(true)
    }

    /// Reads the parents of the changed nodes, which come before their children.
    fn update_changed(
        &mut self,
        graph: &Graph,
        root: NodeId,
        changed: ChangedNodes<'_>,
        spatial: &mut SpatialIndex,
    ) -> Result<(), Error> {
        for node in changed {
            let now = self.is_attached_by_parent(graph, root, node);
            self.set(node, now, spatial)?;
        }
        Ok(())
    }

    /// Returns `true` if the parent of `node` is attached. The root is attached to itself, wherever
    /// it is.
    fn is_attached_by_parent(&self, graph: &Graph, root: NodeId, node: NodeId) -> bool {
        let parent = graph.parents()[node.index()];
        node == root || self.attached.get(parent as usize).copied().unwrap_or(false)
    }

    fn set(&mut self, node: NodeId, now: bool, spatial: &mut SpatialIndex) -> Result<(), Error> {
        let before = core::mem::replace(&mut self.attached[node.index()], now);
        if before != now && spatial.contains(node) {
            spatial.set_attached(node, now)?;
        }
        Ok(())
    }

    /// Returns the nodes that are recorded wrongly, as of the last update. For checks.
    pub(crate) fn problems<'a>(
        &'a self,
        graph: &'a Graph,
        root: NodeId,
    ) -> impl Iterator<Item = NodeId> + 'a {
        let is_outdated = self.is_outdated(graph);
        let nodes = graph.by_depth().filter(move |_| !is_outdated);
        nodes.filter(move |&node| {
            self.is_attached(node) != self.is_attached_by_parent(graph, root, node)
        })
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
