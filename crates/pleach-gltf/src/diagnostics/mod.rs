//! Errors and warnings, each with its location in the JSON.
//!
//! Reads and writes nothing but its own values; every other stage reports through here. Guarantees
//! that an error or warning names a location (a JSON pointer), and that a report has a bounded
//! size.

mod error;
mod pointer;
mod report;
mod warning_code;

pub use error::{Error, ErrorKind};
pub(crate) use pointer::{Escaped, Pointer};
pub(crate) use report::Tolerance;
pub use report::{Report, Warning};
pub use warning_code::WarningCode;

/// A result with the error of this crate.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;
