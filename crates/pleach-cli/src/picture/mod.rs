//! Pictures: from a scene and a view to image files.
//!
//! Reads a document and the arguments for pose, view and appearance. Writes animated poses into the
//! document and frames into files. A frame does not depend on the number of threads.

pub(crate) mod environment;
pub(crate) mod frame_writer;
#[cfg(feature = "gpu")]
mod gpu;
pub(crate) mod picture_renderer;
pub(crate) mod pose;
pub(crate) mod render_args;
pub(crate) mod select_args;
pub(crate) mod view;
#[cfg(not(feature = "gpu"))]
mod without_gpu;

#[cfg(not(feature = "gpu"))]
use without_gpu as gpu;
