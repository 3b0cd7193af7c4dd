//! `Report`: the warnings of a load or save that succeeded.
//!
//! Invariant: a report has at most `MAX_WARNINGS` warnings; further ones are counted.

use std::fmt;

use crate::diagnostics::Pointer;
use crate::{Error, ErrorKind, WarningCode};

/// The maximum number of warnings in a report.
const MAX_WARNINGS: usize = 1000;

/// Warnings about a file that was loaded, or about data that was not written when saving.
///
/// ```
/// let file = r#"{ "asset": {"version": "2.0"}, "extensionsUsed": ["VENDOR_glow"] }"#;
/// let document = pleach_gltf::load_bytes(file.as_bytes())?;
/// assert_eq!(document.report().warnings(), []);
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    warnings: Vec<Warning>,
    omitted: usize,
}

/// A warning about one location of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The location as a JSON pointer: `/skins/0/joints`.
    pub pointer: String,
    /// The code, for programs.
    pub code: WarningCode,
    /// The fault, and the way in which it was handled.
    pub message: String,
}

impl Report {
    /// Returns the warnings in the order in which they were found, at most 1000.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the number of warnings beyond the first 1000.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Returns `true` if there are no warnings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.warnings.is_empty()
    }

    pub(crate) fn warn(&mut self, at: &Pointer<'_>, code: WarningCode, message: impl Into<String>) {
        if self.warnings.len() == MAX_WARNINGS {
            self.omitted += 1;
            return;
        }
        let warning = Warning { pointer: at.to_string(), code, message: message.into() };
        // A node of two scenes is loaded twice.
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)
    }
}

/// Writes one line per warning.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for warning in &self.warnings {
            writeln!(f, "{warning}")?;
        }
        if self.omitted > 0 {
            writeln!(f, "and {} more", self.omitted)?;
        }
        Ok(())
    }
}

/// Collects tolerated faults as warnings, or returns them as errors if strict.
#[derive(Debug)]
pub(crate) struct Tolerance {
    pub(crate) strict: bool,
    pub(crate) report: Report,
}

impl Tolerance {
    /// Warns of a fault that most loaders accept, or returns it as an error if strict.
    pub(crate) fn tolerate(
        &mut self,
        at: &Pointer<'_>,
        code: WarningCode,
        message: impl Into<String>,
    ) -> Result<(), Error> {
        if self.strict {
            return Err(Error::new(ErrorKind::Strict, at, message));
        }
        self.report.warn(at, code, message);
        Ok(())
    }

    /// Warns of something that is not a fault.
    pub(crate) fn warn(&mut self, at: &Pointer<'_>, code: WarningCode, message: impl Into<String>) {
        self.report.warn(at, code, message);
    }
}
