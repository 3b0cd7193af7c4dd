//! A capsule: a cylinder with hemispherical ends.

use std::f64::consts::PI;

use glam::Vec2Swizzles as _;

use super::circle::circle_point;
use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use super::orient;
use crate::{Error, Geometry, UpAxis};

/// A cylinder along the up axis with a hemisphere at both ends: all points within `radius` of a line
/// segment of this `length`.
///
/// It has `2 * segments + 2 * rings * (segments + 1)` vertices and `4 * rings * segments` triangles.
/// With a length of 0 it is a sphere, with `segments + 1` fewer vertices and `2 * segments`
/// fewer triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The radius of the cylinder and of its ends.
    pub radius: f32,
    /// The length of the cylinder without its ends; the total height is `length + 2 * radius`.
    pub length: f32,
    /// The number of segments around the axis; at least 3.
    pub segments: u32,
    /// The number of segments from a pole to the cylinder; at least 1.
    pub rings: u32,
    /// The axis that points up; +Z by default.
    pub up: UpAxis,
}

impl Capsule {
    /// Creates a capsule of 32 segments, with 8 rings at each end.
    #[must_use]
    pub fn new(radius: f32, length: f32) -> Self {
        Self { radius, length, segments: 32, rings: 8, up: UpAxis::Z }
    }

    /// Sets the number of segments around the axis, and of rings from a pole to the cylinder.
    #[must_use]
    pub fn with_detail(self, segments: u32, rings: u32) -> Self {
        Self { segments, rings, ..self }
    }

    /// Sets the axis that points up.
    #[must_use]
    pub fn with_up(self, up: UpAxis) -> Self {
        Self { up, ..self }
    }

    /// Builds the geometry.
    ///
    /// ```
    /// let geometry = pleach::shapes::Capsule::default().build()?;
    /// assert!(geometry.triangle_count() > 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for invalid parameters; see the [module documentation](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("capsule");
        let radius = shape.size("radius", self.radius)?;
        let length = shape.size("length", self.length)?;
        let segments = shape.count("segments", self.segments, 3)?;
        let rings = shape.count("rings", self.rings, 1)?;
        shape.vertices(segments, rings.saturating_mul(2).saturating_add(1))?;

        // The length of the surface from pole to pole, to which v is proportional.
        let total_length = PI * radius + length;
        let point = |ring: u32, center: f64, start: f64| {
            let normal = circle_point(ring, 4 * rings).yx();
            let distance = start + PI * radius * f64::from(ring) / f64::from(2 * rings);
            let v = if total_length > 0.0 { (distance / total_length).min(1.0) } else { 0.0 };
            let (radius, height) = (radius * normal.x, center + radius * normal.y);
            ProfilePoint { radius, height, normal, v }
        };
        let upper = (0..=rings).map(|ring| point(ring, 0.5 * length, 0.0));
        // With a length of 0, the last row of the upper end is the first of the lower end.
        let first = if length > 0.0 { rings } else { rings + 1 };
        let lower = (first..=2 * rings).map(|ring| point(ring, -0.5 * length, length));
        let profile: Vec<ProfilePoint> = upper.chain(lower).collect();
        let mut geometry = lathe::empty_geometry();
        lathe::revolve(&mut geometry, &profile, segments);
        Ok(orient(geometry, self.up))
    }
}

impl Default for Capsule {
    fn default() -> Self {
        Self::new(0.25, 0.5)
    }
}
