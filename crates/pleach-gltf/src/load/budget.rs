//! `Budget`: the memory that a load may still allocate.
//!
//! Invariant: whatever the size of an allocation depends on the file, it is taken from the budget
//! first, and a large one can fail.

use crate::diagnostics::{Pointer, Result};
use crate::{Error, ErrorKind, Limits};

/// The memory that a load may still allocate, in bytes.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    total: u64,
}

impl Budget {
    /// Creates the budget of a load that read `read` bytes.
    pub(crate) fn new(limits: &Limits, read: u64) -> Self {
        let total =
            limits.max_decoded_bytes.saturating_add(limits.max_decoded_ratio.saturating_mul(read));
        Self { left: total, total }
    }

    /// Increases the budget after reading another `read` bytes.
    pub(crate) fn grow(&mut self, limits: &Limits, read: u64) {
        let more = limits.max_decoded_ratio.saturating_mul(read);
        self.left = self.left.saturating_add(more);
        self.total = self.total.saturating_add(more);
    }

    /// Takes `count` times `size` bytes, or fails if less is left.
    pub(crate) fn take(&mut self, at: &Pointer<'_>, count: usize, size: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size as u64);
        if bytes > self.left {
            let message = format!(
                "{count} times {size} bytes would exceed the memory limit for files that are not \
                 trusted ({} of {} bytes are left)",
                self.left, self.total,
            );
            return Err(Error::new(ErrorKind::Limit, at, message));
        }
        self.left -= bytes;
        Ok(())
    }

    /// Takes the memory of `count` values and allocates it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if less is left, [`ErrorKind::OutOfMemory`] if it cannot be allocated.
    pub(crate) fn vec<T>(&mut self, at: &Pointer<'_>, count: usize) -> Result<Vec<T>> {
        self.take(at, count, size_of::<T>())?;
        let mut values = Vec::new();
        let bytes = count.saturating_mul(size_of::<T>());
        values.try_reserve_exact(count).map_err(|_| Error::out_of_memory(at.to_string(), bytes))?;
        Ok(values)
    }

    /// Returns the remaining bytes.
    pub(crate) fn left(&self) -> usize {
        usize::try_from(self.left).unwrap_or(usize::MAX)
    }
}
