//! Report: from values to text, JSON and files.
//!
//! Reads the value that a command computed. Writes answers to stdout, notes and errors to stderr,
//! and files, each of which is complete or absent.

pub(crate) mod bounds;
pub(crate) mod hidden_by;
pub(crate) mod labels;
pub(crate) mod new_file;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod short_value;
pub(crate) mod table;
pub(crate) mod units;
