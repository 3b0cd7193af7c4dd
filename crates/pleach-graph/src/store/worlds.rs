//! World matrices: one per slot, each in one cache line.
//!
//! A row is 64 bytes, aligned to 64, so a matrix never straddles two cache lines
//! (the allocator alone guarantees 16), and the column can be uploaded to a GPU
//! unchanged.
//!
//! Invariant: rows are written by `update/` only; a new slot's row is the identity,
//! and a reused slot's row keeps the matrix of its previous node until the first
//! update of the new one. The change log therefore lists every change of the
//! column.

#![allow(unsafe_code, reason = "reads the column as matrices and as bytes")]

use alloc::vec::Vec;
use core::slice;

use glam::Mat4;

use crate::update::kernel::Worlds;

/// A matrix, column-major, aligned to a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct AlignedMatrix(pub(crate) [f32; 16]);

const IDENTITY: AlignedMatrix = AlignedMatrix(Mat4::IDENTITY.to_cols_array());

// The casts below rely on these.
const _: () = assert!(size_of::<AlignedMatrix>() == 64 && size_of::<Mat4>() == 64);
const _: () = assert!(align_of::<Mat4>() <= align_of::<AlignedMatrix>());

#[derive(Clone, Debug, Default)]
pub(crate) struct WorldColumn {
    rows: Vec<AlignedMatrix>,
}

impl WorldColumn {
    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let additional = slots.saturating_sub(self.rows.len());
        self.rows.try_reserve_exact(additional).map_err(drop)
    }

    /// Appends a slot.
    #[inline]
    pub(crate) fn push(&mut self) {
        self.rows.push(IDENTITY);
    }

    /// Appends `slots` slots.
    pub(crate) fn append(&mut self, slots: usize) {
        self.rows.resize(self.rows.len() + slots, IDENTITY);
    }

    pub(crate) fn rows_mut(&mut self) -> &mut [AlignedMatrix] {
        &mut self.rows
    }

    #[inline]
    pub(crate) fn matrix(&self, slot: u32) -> Mat4 {
        Mat4::from_cols_array(&self.rows[slot as usize].0)
    }

    pub(crate) fn matrices(&self) -> &[Mat4] {
        // SAFETY: both are 64 bytes of 16 floats, column-major, and an `AlignedMatrix`
        // is at least as aligned (asserted above).
        unsafe { slice::from_raw_parts(self.rows.as_ptr().cast(), self.rows.len()) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: rows are floats without padding (64 bytes, asserted above),
        // and any bytes are valid `u8`.
        unsafe { slice::from_raw_parts(self.rows.as_ptr().cast(), self.rows.len() * 64) }
    }
}

impl Worlds for [AlignedMatrix] {
    #[inline(always)]
    fn get(&self, slot: usize) -> &[f32; 16] {
        &self[slot].0
    }

    #[inline(always)]
    fn address(&self, slot: usize) -> *const u8 {
        self.as_ptr().wrapping_add(slot).cast()
    }

    #[inline(always)]
    fn get_mut(&mut self, slot: usize) -> &mut [f32; 16] {
        &mut self[slot].0
    }
}
