//! Geometric values: boxes, planes, frusta, rays, spheres, triangles. No nodes, no trees.
//!
//! Reads and writes nothing but its arguments.
//!
//! Guarantees: constructors reject or document input that is not finite; no function returns a
//! NaN; a test that decides about culling is conservative by more than its rounding error
//! (`slack.rs`).

pub(crate) mod aabb;
pub(crate) mod clip_space;
pub(crate) mod frustum;
pub(crate) mod plane;
pub(crate) mod ray;
pub(crate) mod ray_triangle;
pub(crate) mod slack;
pub(crate) mod sphere;
pub(crate) mod triangle;
pub(crate) mod vector;
