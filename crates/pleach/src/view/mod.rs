//! Views: the matrices and volumes seen from a camera or a light.
//!
//! Reads a node's world matrix and a camera, light or shadow; returns plain values that do
//! not follow their node. Everything is computed in f64 and rounded once.
//!
//! Guarantees: every matrix is finite, every frustum is that of its matrix, and the results
//! have the same bits on every machine.

mod basis;
mod camera_view;
mod error;
mod lens;
mod projection;
mod shadow;
mod trig;

pub(crate) use camera_view::depth_along;
pub use camera_view::{View, Viewport};
pub use error::{ProjectionError, ProjectionParameter, ShadowError, ViewError};
pub use lens::Lens;
pub use projection::Projection;
pub use shadow::{Shadow, ShadowView};
pub(crate) use {basis::direction, basis::position, trig::sin_cos};
