//! Revisions: which state of a graph a patch begins and ends with.
//!
//! A revision is a hash. The first one, the *lineage*, is that of all nodes when the first
//! transaction of a graph begins; so the same file, loaded on two machines, has the same lineage on
//! both. Every patch leads from one revision to another: the hash of the first one and the edits.
//! Undoing it leads back.
//!
//! Edits outside of transactions do not change the revision.

use super::edits::{Edits, Packed};
use crate::store::links::NONE;
use crate::{Edit, Graph, NodeId};

/// A hash that takes one word at a time; not for adversaries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    pub(crate) fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }

    /// Adds numbers by their bits, two at a time.
    #[inline]
    pub(crate) fn add_numbers(&mut self, numbers: &[f32]) {
        for pair in numbers.chunks(2) {
            let high = pair.get(1).map_or(0, |number| number.to_bits());
            self.add(u64::from(high) << 32 | u64::from(pair[0].to_bits()));
        }
    }

    pub(crate) fn add_text(&mut self, text: &str) {
        self.add(text.len() as u64);
        for bytes in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.add(u64::from_le_bytes(word));
        }
    }

    /// Returns the hash, which is not 0.
    pub(crate) fn finish(self) -> u64 {
        let mut hash = self.0;
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (hash ^ (hash >> 29)).max(1)
    }
}

impl Graph {
    /// Returns the hash of all nodes: handles, order, transforms, names and visibility.
    #[doc(hidden)]
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hash::new(self.slots.live() as u64);
        let bits = |slot: u32| if slot == NONE { 0 } else { self.slots.live_id(slot).to_bits() };
        for node in self.depth_first() {
            let slot = node.index() as u32;
            hash.add(node.to_bits());
            hash.add(
                bits(self.links.parent(slot)) << 1
                    | u64::from(self.flags[node.index()].is_visible()),
            );
            match self.locals.matrix(slot) {
                Some(matrix) => hash.add_numbers(matrix),
                None => hash.add_numbers(&self.locals.transform(slot).to_numbers()),
            }
            if let Some(name) = self.names.get(slot) {
                hash.add_text(name);
            }
        }
        hash.finish()
    }
}

/// Returns the revision for `revision` with other edits.
pub(crate) fn mix(revision: u64, salt: u64) -> u64 {
    let mut hash = Hash::new(revision);
    hash.add(salt);
    hash.finish()
}

/// The revision that edits lead to, while they are counted and added in order.
pub(super) struct EditsHash {
    hash: Hash,
    base: u64,
    is_empty: bool,
}

impl EditsHash {
    pub(super) fn new(base: u64, edits: usize) -> Self {
        let mut hash = Hash::new(base);
        hash.add(edits as u64);
        Self { hash, base, is_empty: edits == 0 }
    }

    /// Adds an edit of a local transform, and returns `true` if it changes a bit.
    ///
    /// What differs is hashed: the values before are those of the revision before.
    #[inline(always)]
    pub(super) fn add_transform(&mut self, node: NodeId, old: &Packed, new: &Packed) -> bool {
        let (old, new) = (old.words(), new.words());
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|at| old[at] ^ new[at]);
        let folded =
            a ^ b.rotate_left(13) ^ c.rotate_left(26) ^ d.rotate_left(39) ^ e.rotate_left(52);
        // The constant is that of the golden ratio.
        self.hash.add(folded ^ node.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15));
        a | b | c | d | e != 0
    }

    /// Returns the revision; that before the edits if there are none.
    pub(super) fn finish(self) -> u64 {
        if self.is_empty { self.base } else { self.hash.finish() }
    }
}

/// Returns the revision that edits of revision `base` lead to.
pub(super) fn result_of(base: u64, edits: &Edits) -> u64 {
    let mut result = EditsHash::new(base, edits.len());
    let place = |hash: &mut Hash, place: &super::edit::Place| {
        let bits = |node: Option<NodeId>| node.map_or(0, NodeId::to_bits);
        hash.add(bits(place.parent));
        hash.add(bits(place.next));
    };
    let mut done = 0;
    let ends = edits.others.iter().map(|other| (other.transforms, Some(&other.edit)));
    for (end, other) in ends.chain([(edits.olds.len(), None)]) {
        for (row, new) in edits.olds[done..end].iter().zip(&edits.news[done..end]) {
            result.add_transform(row.node, &row.old, new);
        }
        done = end;
        let Some(edit) = other else { continue };
        let hash = &mut result.hash;
        match edit {
            // In the columns.
            Edit::Transform { .. } => {}
            Edit::Add(nodes) | Edit::Remove(nodes) => {
                hash.add(u64::from(matches!(edit, Edit::Add(_))));
                for record in nodes.records() {
                    hash.add(record.node.to_bits());
                    place(hash, &record.place);
                }
            }
            Edit::Attach { node, new, .. } => {
                hash.add(node.to_bits());
                place(hash, new);
            }
            Edit::Local { node, change } => {
                hash.add(node.to_bits());
                match &change[1] {
                    super::edit::Local::Transform(new) => hash.add_numbers(&new.to_numbers()),
                    super::edit::Local::Matrix(new) => hash.add_numbers(&new.0),
                }
            }
            Edit::Name { node, change } => {
                hash.add(node.to_bits());
                hash.add_text(change[1].as_ref().map_or("", |name| &name.text));
            }
            Edit::Visible { node, new } => {
                hash.add(node.to_bits());
                hash.add(u64::from(*new));
            }
        }
    }
    result.finish()
}
