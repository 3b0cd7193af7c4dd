//! `Budget`: how much memory a load may still take.
//!
//! Whatever a file asks for is taken from here first, and allocated after.

use crate::diagnostics::Pointer;
use crate::{Error, ErrorKind, Limits};

/// What is left of what a load may take.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    total: u64,
}

impl Budget {
    /// For a load that read so many bytes.
    pub(crate) fn new(limits: &Limits, read: u64) -> Self {
        let total =
            limits.max_decoded_bytes.saturating_add(limits.max_decoded_ratio.saturating_mul(read));
        Self { left: total, total }
    }

    /// More was read.
    pub(crate) fn grow(&mut self, limits: &Limits, read: u64) {
        let more = limits.max_decoded_ratio.saturating_mul(read);
        self.left = self.left.saturating_add(more);
        self.total = self.total.saturating_add(more);
    }

    /// Takes room for `count` things of `size` bytes, if there is that much left.
    pub(crate) fn take(
        &mut self,
        at: &Pointer<'_>,
        count: usize,
        size: usize,
    ) -> Result<(), Error> {
        let bytes = (count as u64).saturating_mul(size as u64);
        if bytes > self.left {
            let message = format!(
                "{count} times {size} bytes would exceed the memory limit ({} of {} bytes are \
                 left); if the file is to be trusted, read it with `Options::trust`",
                self.left, self.total,
            );
            return Err(Error::new(ErrorKind::Limit, at, message));
        }
        self.left -= bytes;
        Ok(())
    }

    /// What is left, as a size.
    pub(crate) fn left(&self) -> usize {
        usize::try_from(self.left).unwrap_or(usize::MAX)
    }
}
