//! `Limits` and `Budget`: the memory that reading may take.
//!
//! Invariant: whatever the size of an allocation depends on the file, it is taken from the budget
//! first.

use crate::error::{Error, ErrorKind, Result};

/// The memory that reading a file may take: `max_decoded_bytes` plus `max_decoded_ratio` times the
/// length of the file.
///
/// The file alone cannot make it more. Scenes need about 20 times the bytes of their file, if they consist of nodes
/// only, and less with vertex data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The memory in bytes, whatever the length of the file: 32 MiB by default.
    pub max_decoded_bytes: u64,
    /// The memory in bytes for each byte of the file: 64 by default.
    pub max_decoded_ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_decoded_bytes: 32 << 20, max_decoded_ratio: 64 }
    }
}

/// The memory that may still be allocated, in bytes.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    total: u64,
}

impl Budget {
    pub(crate) fn new(limits: &Limits, file_bytes: usize) -> Self {
        let ratio = limits.max_decoded_ratio.saturating_mul(file_bytes as u64);
        let total = limits.max_decoded_bytes.saturating_add(ratio);
        Self { left: total, total }
    }

    /// Takes `count` times `size` bytes, or fails if less is left.
    pub(crate) fn take(&mut self, offset: Option<u64>, count: usize, size: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size as u64);
        if bytes > self.left {
            let message = format!(
                "{count} times {size} bytes would exceed the memory limit ({} of {} bytes are left); \
                 if the file is trusted, read it with greater `Limits`",
                self.left, self.total,
            );
            return Err(Error::at(ErrorKind::Limit, offset, message));
        }
        self.left -= bytes;
        Ok(())
    }
}
