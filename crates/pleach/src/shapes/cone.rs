//! A cone with a closed base.

use glam::DVec2;

use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use crate::{Error, Geometry};

/// A cone along Z with its tip at +Z and the origin at half its height.
///
/// `3 * segments + 2` vertices and `2 * segments` triangles: the side, then the base. Each
/// maps the whole texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// The radius of the base.
    pub radius: f32,
    /// The height along Z.
    pub height: f32,
    /// The number of segments around the axis; at least 3.
    pub segments: u32,
}

impl Cone {
    /// Creates a cone of 32 segments.
    #[must_use]
    pub fn new(radius: f32, height: f32) -> Self {
        Self { radius, height, segments: 32 }
    }

    /// Sets the number of segments around the axis.
    #[must_use]
    pub fn with_segments(self, segments: u32) -> Self {
        Self { segments, ..self }
    }

    /// Builds the geometry.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for invalid parameters; see the [module documentation](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("cone");
        let radius = shape.size("radius", self.radius)?;
        let height = shape.size("height", self.height)?;
        let segments = shape.count("segments", self.segments, 3)?;
        shape.vertices(segments, 2)?;

        // Perpendicular to the line from the tip to the rim; a cone of size 0 has no slope.
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
