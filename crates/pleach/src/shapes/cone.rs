//! A cone with its base closed.

use glam::DVec2;

use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use crate::{Error, Geometry};

/// A cone along Z, its tip at the top, the origin halfway up.
///
/// `3 * segments + 2` vertices and `2 * segments` triangles: the side, then the base. Each
/// shows all of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Of the base.
    pub radius: f32,
    /// Along Z.
    pub height: f32,
    /// How many parts there are around; at least 3.
    pub segments: u32,
}

impl Cone {
    /// A cone of 32 segments.
    #[must_use]
    pub fn new(radius: f32, height: f32) -> Self {
        Self { radius, height, segments: 32 }
    }

    /// With so many parts around.
    #[must_use]
    pub fn with_segments(self, segments: u32) -> Self {
        Self { segments, ..self }
    }

    /// Its geometry.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] as told in [the introduction](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("cone");
        let radius = shape.size("radius", self.radius)?;
        let height = shape.size("height", self.height)?;
        let segments = shape.count("segments", self.segments, 3)?;
        shape.vertices(segments, 2)?;

        // Square to the line from the tip to the rim; a cone of no size has a side of no size.
        let normal = DVec2::new(height, radius).try_normalize().unwrap_or(DVec2::Y);
        let half = 0.5 * height;
        let tip = ProfilePoint { radius: 0.0, height: half, normal, v: 0.0 };
        let rim = ProfilePoint { radius, height: -half, normal, v: 1.0 };
        let mut geometry = lathe::empty_geometry();
        lathe::revolve(&mut geometry, &[tip, rim], segments);
        lathe::add_disc(&mut geometry, radius, -half, false, segments);
        Ok(geometry)
    }
}

impl Default for Cone {
    fn default() -> Self {
        Self::new(0.5, 1.0)
    }
}
