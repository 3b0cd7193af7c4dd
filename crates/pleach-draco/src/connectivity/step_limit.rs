//! A limit on the number of steps of walks over a corner table.

use crate::Error;

/// The number of steps that walks may still take in total.
///
/// A valid corner table needs a few steps per corner. A malformed one could make each of many
/// short walks a long one; the limit keeps the time in proportion to the triangles.
pub(crate) struct StepLimit(usize);

impl StepLimit {
    /// Creates a limit of `per_corner` steps for each of `corners`.
    pub(crate) fn new(corners: usize, per_corner: usize) -> Self {
        Self(corners.saturating_mul(per_corner).saturating_add(1024))
    }

    /// Takes one step.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Error> {
        let remaining = self.0.checked_sub(1);
        self.0 = remaining.ok_or(Error::Malformed("its triangles form a cycle"))?;
        Ok(())
    }
}
