//! A cylinder with closed ends.

use glam::DVec2;

use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use super::orient;
use crate::{Error, Geometry, UpAxis};

/// A cylinder along the up axis.
///
/// `4 * (segments + 1)` vertices and `4 * segments` triangles: the side, then the top, then
/// the bottom. Each maps the whole texture, the ends oriented as those of a [`Cuboid`](super::Cuboid).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// The distance from the axis to the vertices.
    pub radius: f32,
    /// The height along the up axis.
    pub height: f32,
    /// The number of segments around the axis; at least 3.
    pub segments: u32,
    /// The axis that points up; +Z by default.
    pub up: UpAxis,
}

impl Cylinder {
    /// Creates a cylinder of 32 segments.
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
    /// let geometry = pleach::shapes::Cylinder::default().build()?;
    /// assert!(geometry.triangle_count() > 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for invalid parameters; see the [module documentation](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("cylinder");
        let radius = shape.size("radius", self.radius)?;
        let half = 0.5 * shape.size("height", self.height)?;
        let segments = shape.count("segments", self.segments, 3)?;
        shape.vertices(segments, 3)?;

        let profile = [(half, 0.0), (-half, 1.0)].map(|(height, v)| {
            let normal = DVec2::X;
            ProfilePoint { radius, height, normal, v }
        });
        let mut geometry = lathe::empty_geometry();
        lathe::revolve(&mut geometry, &profile, segments);
        lathe::add_disc(&mut geometry, radius, half, true, segments);
        lathe::add_disc(&mut geometry, radius, -half, false, segments);
        Ok(orient(geometry, self.up))
    }
}

impl Default for Cylinder {
    fn default() -> Self {
        Self::new(0.5, 1.0)
    }
}
