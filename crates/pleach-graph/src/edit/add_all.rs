//! Adding many nodes at once: what a loader does.
//!
//! The nodes come out as if they had been added one after the other, down to the
//! order of siblings and levels. New slots are appended to each column in a pass
//! of its own, which meets one column's memory at a time; free slots, which lie
//! anywhere, are used up first, node by node.
//!
//! Nothing is added if anything is wrong: all that can fail is done while the new
//! rows stand in two columns only, of which they can be cut off again.

use alloc::vec::Vec;

use crate::edit::validate::{is_storable, storable};
use crate::error::NodeDescription;
use crate::graph::Graph;
use crate::store::flags::NodeFlags;
use crate::store::links::NONE;
use crate::{Error, NodeId, Transform};

impl Graph {
    /// Adds many nodes, as [`add_child`](Self::add_child) and
    /// [`add_root`](Self::add_root) do one after the other, in a fraction of the
    /// time. Answers their handles, in the same order.
    ///
    /// Each node says at which place in `nodes` its parent stands, which must come
    /// before it, or `None` for a child of `parent` (a root, if that is `None` too).
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `parent` is not alive; [`Error::ParentNotBefore`];
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for a transform that is
    /// none; [`Error::TooManyNodes`] when memory is used up. Then none is added.
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
    /// let early = graph.add_all(None, &[(Some(0), Transform::IDENTITY)]).unwrap_err();
    /// assert_eq!(
    ///     early.to_string(),
    ///     "nodes[0]: its parent is nodes[0]; a parent must come before its children",
    /// );
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn add_all(
        &mut self,
        parent: Option<NodeId>,
        nodes: &[(Option<u32>, Transform)],
    ) -> Result<Vec<NodeId>, Error> {
        let top = parent.map_or(Ok(NONE), |node| self.slot(node))?;
        let first = self.slots.len();
        let reused = self.slots.free().len().min(nodes.len());
        let (early, late) = nodes.split_at(reused);
        self.make_room_for(late.len())?;
        let added: Vec<NodeId> = self.slots.upcoming(nodes.len()).collect();

        let early =
            early.iter().enumerate().map(|(place, node)| place_node(place, node, top, &added));
        let early: Vec<(u32, Transform)> = early.collect::<Result<_, _>>()?;
        for (place, node) in (reused..).zip(late) {
            match place_node(place, node, top, &added) {
                Ok((parent, transform)) => {
                    self.links.push_parent(parent);
                    self.locals.push(transform);
                }
                Err(error) => {
                    self.links.truncate_parents(first);
                    self.locals.truncate(first);
                    return Err(error);
                }
            }
        }

        // From here on nothing can fail.
        for (parent, transform) in early {
            let node = self.add_plain(parent)?;
            *self.locals.transform_mut(node.index() as u32) = transform;
        }
        self.slots.append(late.len());
        self.links.link_appended();
        self.levels.append(self.links.parents());
        self.worlds.append(late.len());
        self.append_flags(first);
        self.structure_version += late.len() as u64;
        Ok(added)
    }

    /// Flags for the nodes from slot `first` on, and marks of what is new.
    fn append_flags(&mut self, first: usize) {
        for &parent in &self.links.parents()[first..] {
            let mut flags = NodeFlags::NOTHING;
            flags.set(NodeFlags::ALIVE | NodeFlags::VISIBLE | NodeFlags::FRESH);
            let shown = parent == NONE || {
                let above = &mut self.flags[parent as usize];
                above.set(NodeFlags::PARENT);
                above.is_shown()
            };
            flags.put(NodeFlags::SHOWN, shown);
            self.flags.push(flags);
        }
        self.dirty.mark_appended(first, &mut self.flags);
    }
}

/// The parent's slot and the transform to store, of the node at `place` among
/// those that become `added`.
#[inline]
fn place_node(
    place: usize,
    &(parent, transform): &(Option<u32>, Transform),
    top: u32,
    added: &[NodeId],
) -> Result<(u32, Transform), Error> {
    let slot = match parent {
        None => top,
        Some(parent) if (parent as usize) < place => added[parent as usize].index() as u32,
        Some(parent) => return Err(Error::ParentNotBefore { node: place, parent }),
    };
    if is_storable(&transform) {
        return Ok((slot, transform));
    }
    Ok((slot, storable(&transform, || NodeDescription::NewAt(place))?))
}
