//! Procedural geometry: plane, cuboid, sphere, cylinder, cone, torus, capsule.
//!
//! ```
//! use pleach::glam::Vec3;
//! use pleach::shapes::{Cuboid, Sphere};
//!
//! let hull = Cuboid::new(Vec3::new(2.0, 4.0, 1.0)).build()?;
//! assert_eq!((hull.positions.len(), hull.triangle_count()), (24, 12));
//!
//! let ball = Sphere { radius: 0.5, segments: 64, ..Sphere::default() }.build()?;
//! assert_eq!(ball.bounds().max, Vec3::splat(0.5));
//! # Ok::<(), pleach::Error>(())
//! ```
//!
//! Guarantees for all shapes:
//!
//! - The origin is at the centre, and axes of revolution point up: along Z, or along Y
//!   [on request](crate::UpAxis). A default shape fits into a cube of size 1. With Y up, a point
//!   (x, y, z) of what is described here for Z up is at (x, z, −y), exactly.
//! - Indexed triangles, counter-clockwise seen from outside. Normals have unit length and are
//!   smooth except at sharp edges. One set of texture coordinates, from 0 to 1, with v pointing
//!   down as in glTF; no tangents.
//! - The texture seam is at the back, +Y, so that the middle of a texture is at the front, −Y.
//!   Vertices are duplicated along the seam, and each pole has one vertex per segment; their
//!   positions are bit-for-bit equal, so that a closed shape has no gaps.
//! - Circles are approximated by inscribed polygons. Bounds are those of the exact shape where a
//!   vertex is at its extreme (around the axis, if the number of segments is a multiple of four),
//!   and otherwise slightly smaller.
//! - Bit-for-bit the same on every machine: sine and cosine of libm, in f64, rounded once.
//! - Sizes may be 0, which makes a degenerate shape. Sizes that are negative, above 1e37 or NaN,
//!   too few segments, and more than 2^24 vertices are **rejected** with
//!   [`Error::Shape`](crate::Error::Shape), which names the parameter. They are not clamped.

mod capsule;
mod circle;
mod cone;
mod cuboid;
mod cylinder;
mod error;
mod lathe;
mod plane;
mod sphere;
mod torus;

pub use capsule::Capsule;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use error::ShapeError;
pub use plane::Plane;
pub use sphere::Sphere;
pub use torus::Torus;

use crate::{Geometry, UpAxis};

/// Converts a shape that was built with Z up.
fn orient(mut geometry: Geometry, up: UpAxis) -> Geometry {
    if up != UpAxis::Z {
        for vector in geometry.positions.iter_mut().chain(geometry.normals.iter_mut()) {
            *vector = up.from_z_up(*vector);
        }
    }
    geometry
}
