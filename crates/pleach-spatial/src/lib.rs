//! What is in view and what is under the cursor, for the nodes of a `pleach-graph`.

#![deny(unsafe_code)]

pub use glam;

mod aabb;
mod bvh;
mod clip;
mod cull;
mod error;
mod filter;
mod frustum;
mod geometry;
mod hits;
mod index;
mod instances;
mod kernel;
mod near;
mod pick;
mod plane;
mod ray;
mod rows;
mod slack;
mod sphere;
mod subtree;
mod sync;
mod triangle;
mod triangles;
mod visible;
mod why;

pub use aabb::Aabb;
pub use clip::ClipSpace;
pub use cull::{CullBy, View};
pub use error::{Error, Part};
pub use filter::{DEFAULT_LAYERS, Filter};
pub use frustum::{Containment, Frustum, Side};
pub use geometry::Geometry;
pub use hits::BoxHit;
pub use index::SpatialIndex;
pub use instances::Instances;
pub use kernel::Kernel;
pub use near::Near;
pub use pick::{Hit, Shape};
pub use plane::Plane;
pub use ray::Ray;
pub use sphere::Sphere;
pub use sync::Synced;
pub use triangle::TriangleHit;
pub use triangles::TriangleTree;
pub use visible::Visible;
pub use why::Why;
