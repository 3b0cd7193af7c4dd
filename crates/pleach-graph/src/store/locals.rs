//! Local transforms: a TRS column, and a side table of matrices for the few nodes
//! that need one.
//!
//! A node that was given a matrix keeps it bit for bit in the dense side table; its
//! row in the TRS column then holds the nearest translation, rotation and scale.
//! The hot loop reads the TRS column only.
//!
//! Invariant: a slot has a matrix iff its `HAS_MATRIX` flag is set; `owners` and
//! `matrix_indices` are inverses of each other. Everything stored is finite, no
//! rotation is the zero quaternion, and the last row of a matrix is (0, 0, 0, 1).

use alloc::vec::Vec;

use crate::Transform;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::update::kernel::scalar;

#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    transforms: Vec<Transform>,
    matrices: Vec<[f32; 16]>,
    /// By matrix: the slot that owns it.
    owners: Vec<u32>,
    /// By slot, up to the last slot with a matrix: the index of its matrix.
    matrix_indices: Vec<u32>,
}

impl Locals {
    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let additional = slots.saturating_sub(self.transforms.len());
        self.transforms.try_reserve_exact(additional).map_err(drop)
    }

    /// Fills an empty column.
    pub(crate) fn restore(&mut self, transforms: Vec<Transform>) {
        self.transforms = transforms;
    }

    /// Appends a row. By reference: a copy might pass through memory in pieces.
    #[inline]
    pub(crate) fn push(&mut self, transform: &Transform) {
        self.transforms.push(*transform);
    }

    /// Sets the row of a new node, which is the next one or one that was used before.
    #[inline(always)]
    pub(crate) fn insert(&mut self, slot: u32, transform: Transform) {
        match self.transforms.get_mut(slot as usize) {
            Some(row) => *row = transform,
            None => self.transforms.push(transform),
        }
    }

    /// Removes the rows from `slots` on, which no node uses yet.
    pub(crate) fn truncate(&mut self, slots: usize) {
        self.transforms.truncate(slots);
    }

    pub(crate) fn transforms(&self) -> &[Transform] {
        &self.transforms
    }

    pub(crate) fn transforms_mut(&mut self) -> &mut [Transform] {
        &mut self.transforms
    }

    #[inline]
    pub(crate) fn transform(&self, slot: u32) -> &Transform {
        &self.transforms[slot as usize]
    }

    #[inline]
    pub(crate) fn transform_mut(&mut self, slot: u32) -> &mut Transform {
        &mut self.transforms[slot as usize]
    }

    pub(crate) fn any_matrix(&self) -> bool {
        !self.matrices.is_empty()
    }

    /// Returns the matrix that `slot` was given, if any.
    #[inline]
    pub(crate) fn matrix(&self, slot: u32) -> Option<&[f32; 16]> {
        let index = *self.matrix_indices.get(slot as usize)?;
        self.matrices.get(index as usize)
    }

    /// Returns the local matrix: the stored one, or the one composed from the
    /// transform, which may contain infinities where it overflows.
    pub(crate) fn to_matrix(&self, slot: u32) -> [f32; 16] {
        self.matrix(slot).copied().unwrap_or_else(|| scalar::compose(self.transform(slot)))
    }

    /// Stores a matrix for `slot`, and the transform nearest to it.
    pub(crate) fn set_matrix(
        &mut self,
        slot: u32,
        flags: &mut NodeFlags,
        matrix: [f32; 16],
        nearest: Transform,
    ) {
        self.transforms[slot as usize] = nearest;
        if flags.has(NodeFlags::HAS_MATRIX) {
            self.matrices[self.matrix_indices[slot as usize] as usize] = matrix;
            return;
        }
        flags.set(NodeFlags::HAS_MATRIX);
        if self.matrix_indices.len() <= slot as usize {
            self.matrix_indices.resize(slot as usize + 1, NONE);
        }
        self.matrix_indices[slot as usize] = self.matrices.len() as u32;
        self.matrices.push(matrix);
        self.owners.push(slot);
    }

    /// Removes the matrix of `slot`, if it has one.
    #[inline]
    pub(crate) fn clear_matrix(&mut self, slot: u32, flags: &mut NodeFlags) {
        if flags.has(NodeFlags::HAS_MATRIX) {
            flags.unset(NodeFlags::HAS_MATRIX);
            self.remove_matrix(slot);
        }
    }

    #[cold]
    fn remove_matrix(&mut self, slot: u32) {
        let index = core::mem::replace(&mut self.matrix_indices[slot as usize], NONE) as usize;
        self.matrices.swap_remove(index);
        self.owners.swap_remove(index);
        if let Some(&moved_owner) = self.owners.get(index) {
            self.matrix_indices[moved_owner as usize] = index as u32;
        }
    }

    /// Returns the index of a slot's matrix, for `read/check.rs`.
    pub(crate) fn matrix_index(&self, slot: u32) -> u32 {
        self.matrix_indices.get(slot as usize).copied().unwrap_or(NONE)
    }

    /// Returns the owners of all matrices, for `read/check.rs`.
    pub(crate) fn owners(&self) -> &[u32] {
        &self.owners
    }
}
