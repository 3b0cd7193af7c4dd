//! A torus.

use glam::DVec2;

use super::circle::circle_point;
use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use super::orient;
use crate::{Error, Geometry, UpAxis};

/// A torus around the up axis.
///
/// `(segments + 1) * (tube_segments + 1)` vertices and `2 * segments * tube_segments`
/// triangles. Around the tube, the texture starts and ends on the inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// The distance from the axis to the centre of the tube.
    pub radius: f32,
    /// The distance from the centre of the tube to the vertices; at most `radius`.
    pub tube_radius: f32,
    /// The number of segments around the axis; at least 3.
    pub segments: u32,
    /// The number of segments around the tube; at least 3.
    pub tube_segments: u32,
    /// The axis that points up; +Z by default.
    pub up: UpAxis,
}

impl Torus {
    /// Creates a torus of 48 segments, with 24 around the tube.
    #[must_use]
    pub fn new(radius: f32, tube_radius: f32) -> Self {
        Self { radius, tube_radius, segments: 48, tube_segments: 24, up: UpAxis::Z }
    }

    /// Sets the number of segments around the axis, and around the tube.
    #[must_use]
    pub fn with_detail(self, segments: u32, tube_segments: u32) -> Self {
        Self { segments, tube_segments, ..self }
    }

    /// Sets the axis that points up.
    #[must_use]
    pub fn with_up(self, up: UpAxis) -> Self {
        Self { up, ..self }
    }

    /// Builds the geometry.
    ///
    /// ```
    /// let geometry = pleach::shapes::Torus::default().build()?;
    /// assert!(geometry.triangle_count() > 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for invalid parameters (see the [module documentation](super)), and if
    /// `tube_radius` is greater than `radius`.
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("torus");
        let radius = shape.size("radius", self.radius)?;
        let tube_radius = shape.size_up_to(self.radius, "tube_radius", self.tube_radius)?;
        let segments = shape.count("segments", self.segments, 3)?;
        let tube_segments = shape.count("tube_segments", self.tube_segments, 3)?;
        shape.vertices(segments, tube_segments)?;

        let point = |index: u32| {
            // From the inside over the top to the outside, and back along the bottom.
            let direction = circle_point(index, tube_segments);
            let normal = DVec2::new(-direction.x, direction.y);
            let (radius, height) = (radius + tube_radius * normal.x, tube_radius * normal.y);
            ProfilePoint { radius, height, normal, v: f64::from(index) / f64::from(tube_segments) }
        };
        let profile: Vec<ProfilePoint> = (0..=tube_segments).map(point).collect();
        let mut geometry = lathe::empty_geometry();
        lathe::revolve(&mut geometry, &profile, segments);
        Ok(orient(geometry, self.up))
    }
}

impl Default for Torus {
    fn default() -> Self {
        Self::new(0.375, 0.125)
    }
}
