//! Up-to-date world transforms, and the nodes that are out of date, without an
//! update.
//!
//! Everything here only reads, and caches nothing. `compute_world` multiplies in
//! the same order as `update/propagate.rs`, so it gives the bits that the next
//! update will store.

use alloc::vec::Vec;

use glam::Mat4;

use crate::store::links::NONE;
use crate::update::kernel::scalar;
use crate::{Graph, NodeId};

/// The maximum length of a path that needs no allocation.
const INLINE_DEPTH: usize = 32;

impl Graph {
    /// Returns the nearest edited node on the path from `slot`, itself included, up
    /// to the root.
    pub(crate) fn dirty_ancestor(&self, mut slot: u32) -> Option<u32> {
        if self.dirty.is_empty() {
            return None;
        }
        while slot != NONE {
            if self.flags[slot as usize].is_local_dirty() {
                return Some(slot);
            }
            slot = self.links.parent(slot);
        }
        None
    }

    pub(crate) fn compute_world(&self, slot: u32) -> Mat4 {
        // The number of nodes from `slot` up to the topmost edited node.
        let mut path_len = 0;
        let mut steps = 0;
        let mut at = if self.dirty.is_empty() { NONE } else { slot };
        while at != NONE {
            steps += 1;
            if self.flags[at as usize].is_local_dirty() {
                path_len = steps;
            }
            at = self.links.parent(at);
        }
        if path_len == 0 {
            return self.worlds.matrix(slot);
        }
        // The path up to that node, and the products on the way down.
        let up = core::iter::successors(Some(slot), |&slot| Some(self.links.parent(slot)));
        let (mut short, mut long) = ([NONE; INLINE_DEPTH], Vec::new());
        let path = if let Some(path) = short.get_mut(..path_len) {
            path.iter_mut().zip(up).for_each(|(entry, slot)| *entry = slot);
            &*path
        } else {
            long.extend(up.take(path_len));
            &*long
        };
        let mut world = match self.links.parent(path[path_len - 1]) {
            NONE => None,
            parent => Some(self.worlds.matrix(parent).to_cols_array()),
        };
        for &slot in path.iter().rev() {
            let local = self.locals.to_matrix(slot);
            world = Some(match world {
                Some(parent) => scalar::product(&parent, &local),
                None => scalar::saturated(local),
            });
        }
        Mat4::from_cols_array(&world.expect("the path is not empty"))
    }

    /// Returns the smallest set of nodes whose subtrees contain everything that is
    /// out of date: the edited nodes without an edited ancestor, in the order of
    /// their handles.
    ///
    /// For inspection; costs the number of edited nodes and their ancestors, and
    /// one byte per slot.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let arm = graph.add_root(Transform::IDENTITY)?;
    /// let hand = graph.add_child(arm, Transform::IDENTITY)?;
    /// graph.update();
    ///
    /// graph.node_mut(hand)?.set_transform(Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// assert_eq!(graph.dirty_roots(), [hand]);
    /// graph.node_mut(arm)?.set_transform(Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// assert_eq!(graph.dirty_roots(), [arm]);
    /// graph.update();
    /// assert_eq!(graph.dirty_roots(), []);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn dirty_roots(&self) -> Vec<NodeId> {
        if self.dirty.is_empty() {
            return Vec::new();
        }
        let is_edited = |slot: u32| self.flags[slot as usize].is_local_dirty();
        let mut edited: Vec<u32> = match self.dirty.is_complete() {
            true => self.dirty.queue().to_vec(),
            false => (0..self.slots.len() as u32).collect(),
        };
        edited.retain(|&slot| is_edited(slot));
        edited.sort_unstable();
        // Nodes known to be clean up to the root, so that no path is walked twice.
        let mut has_clean_ancestors = alloc::vec![false; self.slots.len()];
        edited.retain(|&slot| {
            let mut at = self.links.parent(slot);
            while at != NONE && !has_clean_ancestors[at as usize] {
                if is_edited(at) {
                    return false;
                }
                at = self.links.parent(at);
            }
            let mut at = self.links.parent(slot);
            while at != NONE && !has_clean_ancestors[at as usize] {
                has_clean_ancestors[at as usize] = true;
                at = self.links.parent(at);
            }
            true
        });
        edited.into_iter().map(|slot| self.slots.live_id(slot)).collect()
    }
}
