//! Shapes to begin with: plane, cuboid, sphere, cylinder, cone, torus, capsule.
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
//! What holds for all of them:
//!
//! - The origin is in the middle, and what has an axis has it along Z, which is up. A
//!   default shape fits into a cube of size 1.
//! - Triangles with indices, counter-clockwise seen from outside. Normals are of length 1 and
//!   smooth but for true edges. One set of uvs, from 0 to 1, with v going down as in glTF; no tangents.
//! - What goes around begins and ends at the back, +Y, so that the middle of a texture is at
//!   the front, −Y. There two vertices lie in each place, at the poles as many as there are
//!   segments: positions are the same bits, so that a closed shape has no gaps.
//! - Bounds are exact where the corners reach them: around, with a number of segments that
//!   four divides; else the shape lies within, by what a polygon takes from a circle.
//! - The same bits on every machine: libm's sine and cosine, in f64, rounded once.
//! - Sizes may be 0, which makes a flat shape. What is negative, above 1e37 or not a number,
//!   too few segments, and more than 2^24 vertices are **refused** with
//!   [`Error::Shape`](crate::Error::Shape), which names the parameter: made to fit, a mistake
//!   would show as a shape that is not there.

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
