//! The memory a decode may take: every array is paid for here before it is made.
//!
//! Invariant: what is held never passes the budget. All arrays of the decoder are made by
//! `filled` or `empty`, at the size that was paid for, and never grow; `give` pays back one
//! that is no longer needed. So a few bytes that promise a billion triangles are refused
//! before anything is made for them, and no allocation can abort the process.

use crate::error::Fault;

/// What is left of the budget.
pub(crate) struct Room {
    left: usize,
}

impl Room {
    /// All of `budget`.
    pub(crate) fn new(budget: usize) -> Self {
        Self { left: budget }
    }

    /// Pays for `count` things of `size` bytes.
    pub(crate) fn take(&mut self, count: usize, size: usize) -> Result<(), Fault> {
        let wants = count.saturating_mul(size);
        let fault = Fault::Room { wants, left: self.left };
        self.left = self.left.checked_sub(wants).ok_or(fault)?;
        Ok(())
    }

    /// An empty array with room for `count` values.
    pub(crate) fn empty<T>(&mut self, count: usize) -> Result<Vec<T>, Fault> {
        self.take(count, size_of::<T>())?;
        let mut values = Vec::new();
        let refused = |_| Fault::Room { wants: count.saturating_mul(size_of::<T>()), left: 0 };
        values.try_reserve_exact(count).map_err(refused)?;
        Ok(values)
    }

    /// An array of `count` times the same value.
    pub(crate) fn filled<T: Clone>(&mut self, count: usize, value: T) -> Result<Vec<T>, Fault> {
        let mut values = self.empty(count)?;
        values.resize(count, value);
        Ok(values)
    }

    /// Drops an array that `empty` or `filled` made, and pays back what it took.
    pub(crate) fn give<T>(&mut self, values: Vec<T>) {
        self.left += values.capacity() * size_of::<T>();
    }
}
