//! The renderer and its result.
//!
//! Reads a scene, a view and the settings; runs the stages and writes a [`Picture`](crate::Picture):
//! sRGB colours, distances and nodes for each pixel.
//!
//! Guarantees: the same input gives the same bits, whatever the number of threads.

pub(crate) mod frame;
pub(crate) mod picture;
pub(crate) mod renderer;
pub(crate) mod srgb;
