//! Adding many nodes at once, as a loader does.
//!
//! The result is the same as adding the nodes one after the other, including the
//! order of siblings and levels. New slots are appended to each column in a
//! separate pass, which touches one column's memory at a time; free slots, which
//! are scattered, are used first, node by node.
//!
//! If there is an error, nothing is added: everything that can fail is done while
//! the new rows are in two columns only, from which they can be truncated.

use alloc::vec::Vec;

use crate::edit::validate::{is_ordinary, is_valid, validate};
use crate::error::NodeDescription;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Error, Graph, NodeId, Transform};

impl Graph {
    /// Adds many nodes, like [`add_child`](Self::add_child) and
    /// [`add_root`](Self::add_root) one after the other, or none of them, in about three
    /// quarters of the time. Returns their handles in the same order.
    ///
    /// Each node gives the index of its parent in `nodes`, which must be lower than
    /// its own, or `None` for a child of `parent` (a root, if that is `None` too).
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `parent` is not alive; [`Error::ParentNotBefore`];
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for an invalid transform;
    /// [`Error::TooManyNodes`] if the allocation fails. No node is added then.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let yard = graph.add_root(Transform::IDENTITY)?;
    /// let nodes = [
    ///     (None, Transform::from_xyz(10.0, 0.0, 0.0)),     // 0: a tank, in the yard
    ///     (Some(0), Transform::from_xyz(0.0, 0.0, 1.5)),   // 1: its turret
    ///     (Some(1), Transform::from_xyz(2.0, 0.0, 0.0)),   // 2: the turret's gun
    ///     (None, Transform::from_xyz(20.0, 0.0, 0.0)),     // 3: another tank
    /// ];
    /// let added = graph.add_all(Some(yard), &nodes)?;
    ///
    /// assert!(graph.node(yard)?.children().eq([added[0], added[3]]));
    /// graph.update();
    /// assert_eq!(graph.node(added[2])?.world_translation().to_array(), [12.0, 0.0, 1.5]);
    ///
    /// let error = graph.add_all(None, &[(Some(0), Transform::IDENTITY)]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "nodes[0]: its parent is nodes[0]; a parent must come before its children",
    /// );
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "spawn_batch")]
    #[doc(alias = "add_children")]
    pub fn add_all(
        &mut self,
        parent: Option<NodeId>,
        nodes: &[(Option<u32>, Transform)],
    ) -> Result<Vec<NodeId>, Error> {
        let root = parent.map_or(Ok(NONE), |node| self.slot(node))?;
        let first = self.slots.len();
        let reused_count = self.slots.free().len().min(nodes.len());
        let (reused, appended) = nodes.split_at(reused_count);
        self.reserve_slots(appended.len())?;
        let added: Vec<NodeId> = self.slots.upcoming(nodes.len()).collect();

        let reused =
            reused.iter().enumerate().map(|(index, node)| resolve_node(index, node, root, &added));
        let reused: Vec<(u32, Transform)> = reused.collect::<Result<_, _>>()?;
        if !self.append_ordinary(reused_count, appended, root, &added) {
            self.truncate_appended(first);
            if let Err(error) = self.append_validated(reused_count, appended, root, &added) {
                self.truncate_appended(first);
                return Err(error);
            }
        }

        // Nothing can fail from here on: there is capacity for all nodes.
        for (parent, transform) in reused {
            let node = self.insert_reserved(parent);
            self.locals.insert(node.index() as u32, transform);
        }
        self.slots.append(appended.len());
        self.links.link_appended();
        self.levels.append(self.links.parents());
        self.worlds.append(appended.len());
        self.append_flags(first);
        self.structure_version += appended.len() as u64;
        if let Some(&node) = added.get(reused_count) {
            self.changes.list_added(node, appended.len(), &self.slots);
        }
        if self.recorder.is_recording {
            self.record_added(first as u32..self.slots.len() as u32);
        }
        Ok(added)
    }

    /// Appends the parents and transforms of nodes; `begin` is the index of the first.
    /// Returns `false` if a node does not come after its parent, or its transform is
    /// not ordinary; what was appended is then of no use.
    fn append_ordinary(
        &mut self,
        begin: usize,
        nodes: &[(Option<u32>, Transform)],
        root: u32,
        added: &[NodeId],
    ) -> bool {
        // No early exit, so that the loop has few branches; and one pass, because the
        // nodes may not fit into the cache.
        let mut all_ordinary = true;
        for (index, (parent, transform)) in (begin..).zip(nodes) {
            all_ordinary &= is_ordinary(transform);
            let slot = match *parent {
                None => root,
                Some(parent) => {
                    all_ordinary &= (parent as usize) < index;
                    added.get(parent as usize).map_or(NONE, |node| node.index() as u32)
                }
            };
            self.links.push_parent(slot);
            self.locals.push(transform);
        }
        all_ordinary
    }

    /// Appends the parents and transforms of nodes, some of which need their rotation
    /// normalized or are invalid.
    #[cold]
    fn append_validated(
        &mut self,
        begin: usize,
        nodes: &[(Option<u32>, Transform)],
        root: u32,
        added: &[NodeId],
    ) -> Result<(), Error> {
        for (index, node) in (begin..).zip(nodes) {
            let (parent, transform) = resolve_node(index, node, root, added)?;
            self.links.push_parent(parent);
            self.locals.push(&transform);
        }
        Ok(())
    }

    /// Removes the parents and transforms from slot `first` on.
    #[cold]
    fn truncate_appended(&mut self, first: usize) {
        self.links.truncate_parents(first);
        self.locals.truncate(first);
    }

    /// Appends the flags of the nodes from slot `first` on, and marks them dirty.
    fn append_flags(&mut self, first: usize) {
        for &parent in &self.links.parents()[first..] {
            let shown = parent == NONE || {
                let parent_flags = &mut self.flags[parent as usize];
                parent_flags.set(NodeFlags::HAS_CHILDREN);
                parent_flags.is_shown()
            };
            self.flags.push(NodeFlags::new_node(shown));
        }
        self.dirty.mark_from(first, &mut self.flags);
    }
}

/// Returns the parent's slot and the valid transform of the node at `index` of
/// `nodes`, whose future handles are `added`.
fn resolve_node(
    index: usize,
    &(parent, transform): &(Option<u32>, Transform),
    root: u32,
    added: &[NodeId],
) -> Result<(u32, Transform), Error> {
    let slot = match parent {
        None => root,
        Some(parent) if (parent as usize) < index => added[parent as usize].index() as u32,
        Some(parent) => return Err(Error::ParentNotBefore { node: index, parent }),
    };
    if is_valid(&transform) {
        return Ok((slot, transform));
    }
    Ok((slot, validate(&transform, || NodeDescription::NewAt(index))?))
}
