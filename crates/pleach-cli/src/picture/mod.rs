//! Pictures: from a scene and a view to image files.
//!
//! Reads a document and the arguments for pose, view and appearance. Writes animated poses into the
//! document and frames into files. A frame does not depend on the number of threads.

pub(crate) mod environment;
pub(crate) mod frame_writer;
pub(crate) mod pose;
pub(crate) mod render_args;
pub(crate) mod view;
