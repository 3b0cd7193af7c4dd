//! A cone with a closed base.

use glam::DVec2;

use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use super::orient;
use crate::{Error, Geometry, UpAxis};

/// A cone along the up axis with its tip up and the origin at half its height.
///
/// `3 * segments + 2` vertices and `2 * segments` triangles: the side, then the base. Each
/// maps the whole texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// The radius of the base.
    pub radius: f32,
    /// The height along the up axis.
    pub height: f32,
    /// The number of segments around the axis; at least 3.
    pub segments: u32,
    /// The axis that points up; +Z by default.
    pub up: UpAxis,
}

impl Cone {
    /// Creates a cone of 32 segments.
    #[must_use]
    pub fn new(radius: f32, height: f32) -> Self {
        Self { radius, height, segments: 32, up: UpAxis::Z }
    }

    /// Sets the number of segments around the axis.
    #[must_use]
    pub fn with_segments(self, segments: u32) -> Self {
        Self { segments, ..self }
    }

    /// Sets the axis that points up.
    #[must_use]
    pub fn with_up(self, up: UpAxis) -> Self {
        Self { up, ..self }
    }

    /// Builds the geometry.
    ///
    /// ```
    /// let geometry = pleach::shapes::Cone::default().build()?;
    /// assert!(geometry.triangle_count() > 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
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
        Ok(orient(geometry, self.up))
    }
}

impl Default for Cone {
    fn default() -> Self {
        Self::new(0.5, 1.0)
    }
}
