//! Attaching many nodes at once, each to a parent of its own.
//!
//! The resulting tree is checked as a whole, before anything is changed: only a cycle
//! in the result is an error, not one that the same calls of `attach` would create on
//! the way. Each node on the paths to the roots is visited once.

use alloc::vec::Vec;

use crate::edit::set_many::check_lengths;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Error, Graph, NodeId};

/// The buffers of `attach_each`, reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttachScratch {
    /// The children and their new parents.
    moves: Vec<(u32, u32)>,
    /// By slot: the index in `moves` of a node that is attached. Entries that do not
    /// agree with `moves` are left over from earlier calls.
    indices: Vec<u32>,
    /// By slot: the move whose path to the root visited the node; `NONE` between calls.
    visited_by: Vec<u32>,
    visited: Vec<u32>,
    /// The nodes that are attached, ancestors before descendants.
    order: Vec<u32>,
}

impl AttachScratch {
    /// Returns the last move of a node, or `None` if it stays where it is.
    #[inline]
    fn move_of(&self, slot: u32) -> Option<usize> {
        let index = *self.indices.get(slot as usize)? as usize;
        self.moves.get(index).is_some_and(|&(child, _)| child == slot).then_some(index)
    }

    fn set_moves(
        &mut self,
        moves: impl Iterator<Item = Result<(u32, u32), Error>>,
        slots: usize,
    ) -> Result<(), Error> {
        self.moves.clear();
        if self.indices.len() < slots {
            self.indices.resize(slots, NONE);
            self.visited_by.resize(slots, NONE);
        }
        for it in moves {
            let (child, parent) = it?;
            self.indices[child as usize] = self.moves.len() as u32;
            self.moves.push((child, parent));
        }
        Ok(())
    }

    /// Writes the nodes that are attached to `order`, ancestors first. Returns a move
    /// that closes a cycle, if there is one.
    fn sort(&mut self, graph: &Graph) -> Option<(u32, u32)> {
        self.order.clear();
        // Otherwise a leaf that is attached is not the ancestor of any node.
        let parent_moves = self.moves.iter().any(|&(_, parent)| self.move_of(parent).is_some());
        let is_leaf = |slot: u32| !graph.flags[slot as usize].has(NodeFlags::HAS_CHILDREN);
        let mut on_cycle = None;
        for index in 0..self.moves.len() {
            let (child, _) = self.moves[index];
            if is_leaf(child) && !parent_moves {
                continue;
            }
            let (path, mut at) = (self.visited.len(), child);
            while at != NONE && self.visited_by[at as usize] == NONE {
                self.visited_by[at as usize] = index as u32;
                self.visited.push(at);
                at = self.new_parent(at, graph);
            }
            if at != NONE && self.visited_by[at as usize] == index as u32 {
                on_cycle = Some(at);
                break;
            }
            for step in (path..self.visited.len()).rev() {
                let slot = self.visited[step];
                if self.move_of(slot).is_some() {
                    self.order.push(slot);
                }
            }
        }
        for slot in self.visited.drain(..) {
            self.visited_by[slot as usize] = NONE;
        }
        for index in 0..self.moves.len() {
            let (child, _) = self.moves[index];
            let is_last = self.move_of(child) == Some(index);
            if is_last && is_leaf(child) && !parent_moves {
                self.order.push(child);
            }
        }
        // A cycle contains a node that is attached: the tree had none before.
        let mut at = on_cycle?;
        loop {
            match self.move_of(at) {
                Some(index) => return Some(self.moves[index]),
                None => at = graph.links.parent(at),
            }
        }
    }

    fn new_parent(&self, slot: u32, graph: &Graph) -> u32 {
        self.move_of(slot).map_or_else(|| graph.links.parent(slot), |index| self.moves[index].1)
    }
}

impl Graph {
    /// Makes each of `children` the last child of the parent at the same index, or
    /// none of them: `children[i]` becomes a child of `parents[i]`. Nodes with the same
    /// parent follow each other in the order of the list. If a node is listed several
    /// times, its last parent counts.
    ///
    /// The resulting tree is checked, not the steps towards it: parents and children
    /// may change places in one call.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the slices differ in length; [`Error::Dead`] if any
    /// node is not alive; [`Error::Cycle`] if the result would have a cycle. The graph
    /// is unchanged then.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let [train, engine, car] = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// graph.attach_each(&[engine, car], &[train, engine])?;
    /// assert_eq!(graph.node(car)?.depth(), 2);
    ///
    /// graph.attach_each(&[engine, car], &[car, train])?;      // they change places
    /// assert_eq!(graph.node(engine)?.parent(), Some(car));
    /// assert!(graph.attach_each(&[train, car], &[engine, train]).is_err());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_parents")]
    #[doc(alias = "reparent_all")]
    pub fn attach_each(&mut self, children: &[NodeId], parents: &[NodeId]) -> Result<(), Error> {
        check_lengths(children.len(), parents.len())?;
        let mut scratch = core::mem::take(&mut self.scratch.attach);
        let result = self.attach_each_with(children, parents, &mut scratch);
        self.scratch.attach = scratch;
        result
    }

    fn attach_each_with(
        &mut self,
        children: &[NodeId],
        parents: &[NodeId],
        scratch: &mut AttachScratch,
    ) -> Result<(), Error> {
        let pairs = children.iter().zip(parents);
        let pairs = pairs.map(|(&child, &parent)| Ok((self.slot(child)?, self.slot(parent)?)));
        scratch.set_moves(pairs, self.slots.len())?;
        if let Some((child, parent)) = scratch.sort(self) {
            return Err(Error::Cycle { child: self.label(child), parent: self.label(parent) });
        }
        // All are unlinked first, so that there is no cycle on the way.
        let is_last =
            |&(index, &(child, _)): &(usize, &(u32, u32))| scratch.move_of(child) == Some(index);
        let last_moves = || scratch.moves.iter().enumerate().filter(is_last).map(|(_, it)| *it);
        if self.recorder.is_recording {
            // As two moves each, which can be undone one by one.
            last_moves().for_each(|(child, _)| self.relink(child, NONE, NONE));
            last_moves().for_each(|(child, parent)| self.relink(child, parent, NONE));
            return Ok(());
        }
        last_moves().for_each(|(child, _)| self.unlink(child));
        last_moves().for_each(|(child, parent)| self.link(child, parent, NONE));
        scratch.order.iter().for_each(|&child| self.follow_parent(child));
        last_moves().for_each(|(child, _)| self.mark_reparented(child));
        Ok(())
    }
}
