//! A difference between the graph and the model, as text.

use core::fmt;

/// A result whose error is a [`Difference`].
pub type Result<T, E = Difference> = core::result::Result<T, E>;

/// A difference between the graph and the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference(String);

impl Difference {
    /// Creates a difference from its description.
    #[cold]
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Difference {}

/// Returns a [`Difference`] unless both values are equal.
#[inline]
pub(crate) fn ensure_eq<T: PartialEq + fmt::Debug>(
    what: impl fmt::Display,
    graph: T,
    model: T,
) -> Result<()> {
    if graph == model {
        return Ok(());
    }
    Err(Difference::new(format_args!("{what}: {graph:?} in the graph, {model:?} in the model")))
}

/// Returns a [`Difference`] unless the condition is true.
#[inline]
pub(crate) fn ensure(what: impl fmt::Display, condition: bool) -> Result<()> {
    if condition { Ok(()) } else { Err(Difference::new(format_args!("not true: {what}"))) }
}
