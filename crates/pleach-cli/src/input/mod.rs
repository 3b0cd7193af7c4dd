//! Input: from the command line and files to a loaded document.
//!
//! Reads model files and the values of arguments. Writes nothing; a file is loaded once, and every
//! scene, node, camera or animation that an argument names is resolved here or reported as an error
//! that lists the alternatives.

pub(crate) mod open;
pub(crate) mod patch;
pub(crate) mod raw_json;
pub(crate) mod resolve;
pub(crate) mod values;
