//! Stage 3: rasterization of lines and points.
//!
//! Reads lines in view space and the distances of the surfaces; writes antialiased fragments that
//! no surface occludes. Both the points and lines of a scene and the overlays are drawn here.
//!
//! Guarantees: a line is clipped before it is rasterized, so its cost is bounded by the picture.
//! Lines are drawn in the order given; the output does not depend on the number of threads.

pub(crate) mod clipped_line;
pub(crate) mod depth_buffer;
pub(crate) mod draw_lines;
pub(crate) mod line_instance;
pub(crate) mod projector;
pub(crate) mod rasterize;
