//! What the graph and the model disagree about, in words.

use core::fmt;

/// Something that the graph tells differently from the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference(String);

impl Difference {
    /// A difference in words.
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

/// Do both say the same?
#[inline]
pub(crate) fn same<T: PartialEq + fmt::Debug>(
    what: impl fmt::Display,
    graph: T,
    model: T,
) -> Result<(), Difference> {
    if graph == model {
        return Ok(());
    }
    Err(Difference::new(format_args!("{what}: the graph says {graph:?}, the model {model:?}")))
}

/// Does what must hold hold?
#[inline]
pub(crate) fn holds(what: impl fmt::Display, is_so: bool) -> Result<(), Difference> {
    if is_so { Ok(()) } else { Err(Difference::new(format_args!("it does not hold that {what}"))) }
}
