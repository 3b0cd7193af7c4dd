//! What an update would find: who is out of date, and what a world transform is
//! on any line of code.
//!
//! Everything here reads; nothing is remembered. `compute_world` multiplies in the
//! order that `propagate.rs` does, so it has the bits the next update will store.

use alloc::vec::Vec;

use glam::Mat4;

use crate::NodeId;
use crate::graph::Graph;
use crate::store::links::NONE;
use crate::update::kernel::scalar;

/// So many nodes on the way up need no memory.
const SHORT: usize = 32;

impl Graph {
    /// The nearest edited node on the way up from `slot`, itself included.
    pub(crate) fn edited_ancestor(&self, mut slot: u32) -> Option<u32> {
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
        // How far up the topmost edited node is.
        let mut stale = 0;
        let mut steps = 0;
        let mut at = if self.dirty.is_empty() { NONE } else { slot };
        while at != NONE {
            steps += 1;
            if self.flags[at as usize].is_local_dirty() {
                stale = steps;
            }
            at = self.links.parent(at);
        }
        if stale == 0 {
            return self.worlds.matrix(slot);
        }
        // The way up to it, and the products on the way down.
        let up = core::iter::successors(Some(slot), |&slot| Some(self.links.parent(slot)));
        let (mut short, mut long) = ([NONE; SHORT], Vec::new());
        let way = if let Some(way) = short.get_mut(..stale) {
            way.iter_mut().zip(up).for_each(|(place, slot)| *place = slot);
            &*way
        } else {
            long.extend(up.take(stale));
            &*long
        };
        let mut world = match self.links.parent(way[stale - 1]) {
            NONE => None,
            parent => Some(self.worlds.matrix(parent).to_cols_array()),
        };
        for &slot in way.iter().rev() {
            let local = self.locals.to_matrix(slot);
            world = Some(match world {
                Some(parent) => scalar::product(&parent, &local),
                None => scalar::saturated(local),
            });
        }
        Mat4::from_cols_array(&world.expect("the way is not empty"))
    }

    /// The fewest nodes below which everything out of date lies: the edited
    /// nodes that have no edited ancestor, in the order of their handles.
    ///
    /// For looking at; costs the edited nodes, their ancestors, and a bit for
    /// each slot.
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
        // Nodes known to have no edited ancestor, so that no way is walked twice.
        let mut clear = alloc::vec![false; self.slots.len()];
        edited.retain(|&slot| {
            let mut at = self.links.parent(slot);
            while at != NONE && !clear[at as usize] {
                if is_edited(at) {
                    return false;
                }
                at = self.links.parent(at);
            }
            let mut at = self.links.parent(slot);
            while at != NONE && !clear[at as usize] {
                clear[at as usize] = true;
                at = self.links.parent(at);
            }
            true
        });
        edited.into_iter().map(|slot| self.slots.live_id(slot)).collect()
    }
}
