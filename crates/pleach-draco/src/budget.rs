//! The memory budget of a decode: every array is accounted for here before it is allocated.
//!
//! Invariant: the memory held never exceeds the budget. All arrays of the decoder are created
//! by `vec_filled` or `vec_with_capacity` with the size that was reserved, and never grow;
//! `release` returns the size of an array that is no longer needed. So a few bytes that
//! announce a billion triangles are rejected before anything is allocated for them, and no
//! allocation can abort the process.

use crate::Error;

/// The remaining memory budget.
pub(crate) struct Budget {
    remaining: usize,
}

impl Budget {
    /// Creates a budget of `bytes`.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { remaining: bytes }
    }

    /// Subtracts `count` items of `size` bytes from the budget.
    pub(crate) fn reserve(&mut self, count: usize, size: usize) -> Result<(), Error> {
        let requested = count.saturating_mul(size);
        let error = Error::OverBudget { requested, remaining: self.remaining };
        self.remaining = self.remaining.checked_sub(requested).ok_or(error)?;
        Ok(())
    }

    /// Returns an empty array with capacity for exactly `count` values.
    pub(crate) fn vec_with_capacity<T>(&mut self, count: usize) -> Result<Vec<T>, Error> {
        self.reserve(count, size_of::<T>())?;
        let mut values = Vec::new();
        let bytes = count.saturating_mul(size_of::<T>());
        values.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { bytes })?;
        Ok(values)
    }

    /// Returns an array of `count` copies of `value`.
    pub(crate) fn vec_filled<T: Clone>(&mut self, count: usize, value: T) -> Result<Vec<T>, Error> {
        let mut values = self.vec_with_capacity(count)?;
        values.resize(count, value);
        Ok(values)
    }

    /// Drops an array created by this budget and returns its size to the budget.
    pub(crate) fn release<T>(&mut self, values: Vec<T>) {
        self.remaining += values.capacity() * size_of::<T>();
    }
}
