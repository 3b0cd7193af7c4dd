//! `Report`: what was odd about a file that loaded all the same.
//!
//! Invariant: it is never longer than `MOST`, whatever the file; the rest is counted.

use std::fmt;

use crate::diagnostics::Pointer;
use crate::{Error, ErrorKind, WarningCode};

/// As many warnings are kept.
const MAX_WARNINGS: usize = 1000;

/// What was odd about a file that was read, or could not be said in one that was written.
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

/// One thing that was odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where in the JSON: `/skins/0/joints`.
    pub pointer: String,
    /// What it is about, for programs.
    pub code: WarningCode,
    /// What was odd, and what was done about it.
    pub message: String,
}

impl Report {
    /// The warnings, in the order they were found; 1000 at most.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// How many more there were.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Was nothing odd?
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
        // A node of two scenes is met twice.
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

/// One line a warning.
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

/// Where faults go that are tolerated: into a report, or, if strict, back as errors.
#[derive(Debug)]
pub(crate) struct Tolerance {
    pub(crate) strict: bool,
    pub(crate) report: Report,
}

impl Tolerance {
    /// A fault that everybody loads.
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

    /// Something worth knowing that is no fault.
    pub(crate) fn warn(&mut self, at: &Pointer<'_>, code: WarningCode, message: impl Into<String>) {
        self.report.warn(at, code, message);
    }
}
