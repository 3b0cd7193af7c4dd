//! Writes the edited document.
//!
//! Reads the text and the buffers of the file, and the edits of `compare`. Writes the JSON text,
//! the binary chunk of a `.glb`, and the files of a `.gltf`. Guarantees that text and bytes without
//! an edit are copied unchanged.

pub(super) mod accessor;
pub(super) mod array_edit;
pub(super) mod buffers;
pub(super) mod files;
pub(super) mod json_edit;
pub(super) mod json_text;
pub(super) mod output_document;
