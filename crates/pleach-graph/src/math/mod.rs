//! Transforms, unit quaternions and affine matrices: functions of their arguments,
//! which know nothing of graphs.
//!
//! Guarantees: the same bits on every machine (no platform trigonometry, no fused
//! multiply-add), and finite results for finite input.

pub(crate) mod affine;
pub mod rotation;
pub(crate) mod transform;
pub(crate) mod unit;
