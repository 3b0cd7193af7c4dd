//! Edits in order: those of the running transaction, and of a patch.
//!
//! Edits of local transforms, of which there may be one for each node, are kept in two columns: the node
//! with the value before, and the value after. A transaction fills the first column as it records;
//! the second one when it ends.
//!
//! Invariant: `transforms` of the other edits does not descend, and is at most the length of the
//! columns. In a patch, both columns have the same length.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::iter::FusedIterator;

use glam::{Quat, Vec3};

use super::edit::Edit;
use crate::{NodeId, Transform};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Edits {
    pub(super) olds: Vec<Row>,
    pub(super) news: Vec<Packed>,
    pub(super) others: Vec<Other>,
}

/// A node, and its local transform before an edit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) node: NodeId,
    pub(super) old: Packed,
}

/// A transform in 40 bytes; a `Transform` is aligned, and has 48.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Packed {
    // In the order of `Transform`'s memory, so that they are copied together.
    rotation: [f32; 4],
    translation: [f32; 3],
    scale: [f32; 3],
}

/// An edit of something else than a local transform.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Other {
    /// The number of edits of transforms before this one.
    pub(super) transforms: usize,
    pub(super) edit: Edit,
}

/// A position between edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    transforms: usize,
    others: usize,
}

/// The number of local transforms in a transaction from which on it is expected to have as many as the
/// last one.
const MIN_RESERVED: usize = 1024;

impl Packed {
    #[inline(always)]
    pub(super) fn new(transform: &Transform) -> Self {
        Self {
            rotation: transform.rotation.to_array(),
            translation: transform.translation.to_array(),
            scale: transform.scale.to_array(),
        }
    }

    #[inline(always)]
    pub(super) fn unpack(&self) -> Transform {
        Transform {
            rotation: Quat::from_array(self.rotation),
            translation: Vec3::from_array(self.translation),
            scale: Vec3::from_array(self.scale),
        }
    }

    /// Returns `true` if all numbers have the same bits.
    #[inline(always)]
    pub(super) fn has_bits_of(&self, other: &Self) -> bool {
        // Not `==` of arrays, which calls `memcmp` and waits for values that were just written.
        let (a, b) = (self.words(), other.words());
        (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) | (a[4] ^ b[4]) == 0
    }

    /// Returns the bits of all numbers, two in each word.
    #[inline(always)]
    pub(super) fn words(&self) -> [u64; 5] {
        let Self { rotation: r, translation: t, scale: s } = self;
        let word = |a: f32, b: f32| u64::from(b.to_bits()) << 32 | u64::from(a.to_bits());
        [word(r[0], r[1]), word(r[2], r[3]), word(t[0], t[1]), word(t[2], s[0]), word(s[1], s[2])]
    }
}

impl Edits {
    pub(super) fn len(&self) -> usize {
        self.olds.len() + self.others.len()
    }

    /// Appends an edit of something else than a local transform.
    pub(super) fn push_other(&mut self, edit: Edit) {
        self.others.push(Other { transforms: self.olds.len(), edit });
    }

    /// Appends an edit of a patch.
    fn push(&mut self, edit: Edit) {
        if let Edit::Transform { node, old, new } = edit {
            self.olds.push(Row { node, old: Packed::new(&old) });
            self.news.push(Packed::new(&new));
        } else {
            self.push_other(edit);
        }
    }

    pub(super) fn end(&self) -> Position {
        Position { transforms: self.olds.len(), others: self.others.len() }
    }

    /// Returns the last edit if it is not of a transform, and comes after `begin`.
    pub(super) fn last_mut(&mut self, begin: Position) -> Option<&mut Edit> {
        let end = self.end();
        let last = self.others.last_mut()?;
        let is_last = last.transforms == end.transforms && end.others > begin.others;
        is_last.then_some(&mut last.edit)
    }

    /// Removes the edits after `begin`, and passes them to `undo`, the last one first: transforms with
    /// their value before, or another edit.
    pub(super) fn undo(&mut self, begin: Position, mut undo: impl FnMut(Undone<'_>)) {
        let mut end = self.olds.len();
        let others = self.others.drain(begin.others..).rev();
        let starts = others.map(|other| (other.transforms, Some(other.edit)));
        for (start, other) in starts.chain([(begin.transforms, None)]) {
            self.olds[start..end].iter().rev().for_each(|row| undo(Undone::Transform(row)));
            end = start;
            if let Some(edit) = other {
                undo(Undone::Other(edit));
            }
        }
        self.olds.truncate(begin.transforms);
    }

    /// Returns the edits of a patch in order.
    pub(super) fn iter(&self) -> PatchEdits<'_> {
        PatchEdits { edits: self, front: Position::default(), back: self.end() }
    }

    /// Returns the edits that undo these.
    pub(super) fn invert(&self) -> Self {
        let transforms = self.olds.len();
        let others = self.others.iter().rev();
        let rows = self.olds.iter().zip(&self.news).rev();
        Self {
            olds: rows.clone().map(|(row, new)| Row { node: row.node, old: *new }).collect(),
            news: rows.map(|(row, _)| row.old).collect(),
            others: others
                .map(|other| Other {
                    transforms: transforms - other.transforms,
                    edit: other.edit.invert(),
                })
                .collect(),
        }
    }

    /// Appends edits of a patch.
    pub(super) fn append(&mut self, next: &Self) {
        let transforms = self.olds.len();
        self.olds.extend_from_slice(&next.olds);
        self.news.extend_from_slice(&next.news);
        self.others.extend(next.others.iter().map(|other| Other {
            transforms: transforms + other.transforms,
            edit: other.edit.clone(),
        }));
    }

    /// Reserves memory for an edit of a transform, or, if there are some already, for as many as are
    /// `expected`.
    pub(super) fn reserve_row(&mut self, expected: usize) {
        let len = self.olds.len();
        if len >= MIN_RESERVED && expected > len {
            self.olds.reserve_exact(expected - len);
        } else {
            self.olds.reserve(1);
        }
    }

    /// Frees memory that is reserved for more edits, if it is much.
    pub(super) fn shrink(&mut self) {
        let is_large = self.olds.capacity() > self.olds.len() + self.olds.len() / 4;
        if is_large {
            self.olds.shrink_to_fit();
            self.news.shrink_to_fit();
        }
    }

    /// Returns the memory that the edits use, in bytes.
    pub(super) fn byte_size(&self) -> usize {
        let others = self.others.iter().map(|other| size_of::<usize>() + other.edit.byte_size());
        size_of_val(&self.olds[..]) + size_of_val(&self.news[..]) + others.sum::<usize>()
    }

    /// Returns the edit of a transform.
    fn transform(&self, at: usize) -> Edit {
        let Row { node, old } = self.olds[at];
        Edit::Transform { node, old: old.unpack(), new: self.news[at].unpack() }
    }
}

/// An edit that is rolled back.
pub(super) enum Undone<'a> {
    Transform(&'a Row),
    Other(Edit),
}

impl FromIterator<Edit> for Edits {
    fn from_iter<I: IntoIterator<Item = Edit>>(edits: I) -> Self {
        let mut this = Self::default();
        edits.into_iter().for_each(|edit| this.push(edit));
        this
    }
}

/// The edits of a [`Patch`](crate::Patch) in order: borrowed, except for those of local transforms,
/// which a patch stores in a more compact form.
#[derive(Clone, Debug)]
pub struct PatchEdits<'a> {
    edits: &'a Edits,
    front: Position,
    back: Position,
}

impl<'a> Iterator for PatchEdits<'a> {
    type Item = Cow<'a, Edit>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Self { edits, front, back } = self;
        if let Some(other) = edits.others[..back.others].get(front.others)
            && other.transforms == front.transforms
        {
            front.others += 1;
            return Some(Cow::Borrowed(&other.edit));
        }
        if front.transforms == back.transforms {
            return None;
        }
        front.transforms += 1;
        Some(Cow::Owned(edits.transform(front.transforms - 1)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let Self { front, back, .. } = self;
        let len = back.transforms - front.transforms + back.others - front.others;
        (len, Some(len))
    }
}

impl DoubleEndedIterator for PatchEdits<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let Self { edits, front, back } = self;
        if let Some(other) = edits.others[front.others..back.others].last()
            && other.transforms == back.transforms
        {
            back.others -= 1;
            return Some(Cow::Borrowed(&other.edit));
        }
        if front.transforms == back.transforms {
            return None;
        }
        back.transforms -= 1;
        Some(Cow::Owned(edits.transform(back.transforms)))
    }
}

impl ExactSizeIterator for PatchEdits<'_> {}
impl FusedIterator for PatchEdits<'_> {}
