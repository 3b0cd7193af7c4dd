//! A cylinder with round ends.

use std::f64::consts::PI;

use glam::Vec2Swizzles as _;

use super::circle::circle_point;
use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use crate::{Error, Geometry};

/// A cylinder along Z with half a sphere at both ends: all that is not farther than `radius`
/// from a line of this `length`.
///
/// `2 * segments + 2 * rings * (segments + 1)` vertices and `4 * rings * segments` triangles.
/// Without a length it is a sphere, and has `segments + 1` vertices and `2 * segments`
/// triangles less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Of the cylinder and its ends.
    pub radius: f32,
    /// Of the cylinder; in all it is `length + 2 * radius` high.
    pub length: f32,
    /// How many parts there are around; at least 3.
    pub segments: u32,
    /// How many parts there are from a pole to the cylinder; at least 1.
    pub rings: u32,
}

impl Capsule {
    /// A capsule of 32 segments, and 8 rings at each end.
    #[must_use]
    pub fn new(radius: f32, length: f32) -> Self {
        Self { radius, length, segments: 32, rings: 8 }
    }

    /// With so many parts around, and from a pole to the cylinder.
    #[must_use]
    pub fn with_detail(self, segments: u32, rings: u32) -> Self {
        Self { segments, rings, ..self }
    }

    /// Its geometry.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] as told in [the introduction](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("capsule");
        let radius = shape.size("radius", self.radius)?;
        let length = shape.size("length", self.length)?;
        let segments = shape.count("segments", self.segments, 3)?;
        let rings = shape.count("rings", self.rings, 1)?;
        shape.vertices(segments, rings.saturating_mul(2).saturating_add(1))?;

        // The way along the surface from pole to pole, which v follows.
        let total_length = PI * radius + length;
        let point = |ring: u32, center: f64, start: f64| {
            let normal = circle_point(ring, 4 * rings).yx();
            let distance = start + PI * radius * f64::from(ring) / f64::from(2 * rings);
            let v = if total_length > 0.0 { (distance / total_length).min(1.0) } else { 0.0 };
            let (radius, height) = (radius * normal.x, center + radius * normal.y);
            ProfilePoint { radius, height, normal, v }
        };
        let upper = (0..=rings).map(|ring| point(ring, 0.5 * length, 0.0));
        // Without a length the last row of the upper end is the first of the lower one.
        let first = if length > 0.0 { rings } else { rings + 1 };
        let lower = (first..=2 * rings).map(|ring| point(ring, -0.5 * length, length));
        let profile: Vec<ProfilePoint> = upper.chain(lower).collect();
        let mut geometry = lathe::empty_geometry();
        lathe::revolve(&mut geometry, &profile, segments);
        Ok(geometry)
    }
}

impl Default for Capsule {
    fn default() -> Self {
        Self::new(0.25, 0.5)
    }
}
