//! A UV sphere.

use glam::Vec2Swizzles as _;

use super::circle::circle_point;
use super::error::Validator;
use super::lathe::{self, ProfilePoint};
use super::orient;
use crate::{Error, Geometry, UpAxis};

/// A sphere divided along meridians and parallels (a UV sphere).
///
/// `2 * segments + (rings - 1) * (segments + 1)` vertices and
/// `2 * segments * (rings - 1)` triangles.
#[doc(alias("SphereGeometry", "SphereMesh"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The distance from the centre to the vertices.
    pub radius: f32,
    /// The number of segments around the axis; at least 3.
    pub segments: u32,
    /// The number of segments from pole to pole; at least 2. If even, there are vertices at
    /// the equator.
    pub rings: u32,
    /// The axis that points up; +Z by default.
    pub up: UpAxis,
}

impl Sphere {
    /// Creates a sphere of 32 segments and 16 rings.
    #[must_use]
    pub fn new(radius: f32) -> Self {
        Self { radius, segments: 32, rings: 16, up: UpAxis::Z }
    }

    /// Sets the number of segments around the axis, and of rings from pole to pole.
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
    /// let geometry = pleach::shapes::Sphere::default().build()?;
    /// assert!(geometry.triangle_count() > 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for invalid parameters; see the [module documentation](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("sphere");
        let radius = shape.size("radius", self.radius)?;
        let segments = shape.count("segments", self.segments, 3)?;
        let rings = shape.count("rings", self.rings, 2)?;
        shape.vertices(segments, rings)?;

        let point = |ring: u32| {
            let direction = circle_point(ring, 2 * rings);
            // The components away from the axis and along it.
            let normal = direction.yx();
            let position = normal * radius;
            let v = f64::from(ring) / f64::from(rings);
            ProfilePoint { radius: position.x, height: position.y, normal, v }
        };
        let profile: Vec<ProfilePoint> = (0..=rings).map(point).collect();
        let mut geometry = lathe::empty_geometry();
        lathe::revolve(&mut geometry, &profile, segments);
        Ok(orient(geometry, self.up))
    }
}

impl Default for Sphere {
    fn default() -> Self {
        Self::new(0.5)
    }
}
