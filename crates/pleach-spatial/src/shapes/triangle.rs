//! `Triangle`: three corners, with area, normal and closest point.
//!
//! Everything is computed in f64 and rounded once. A triangle without area is a segment or a point;
//! one with a corner that is not finite has no area, no normal and no points.

use glam::{DVec3, Vec3};
use pleach_graph::unit;

use crate::shapes::vector::{closest_on_segment, length, saturated};

/// A triangle. Its front is the side on which the corners are in counter-clockwise order.
///
/// ```
/// use pleach_spatial::Triangle;
/// use pleach_spatial::glam::Vec3;
///
/// let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 3.0);
/// assert_eq!(triangle.area(), 3.0);
/// assert_eq!(triangle.normal(), Some(Vec3::Z));
/// assert_eq!(triangle.closest_point(Vec3::new(0.5, 0.5, 7.0)), Some(Vec3::new(0.5, 0.5, 0.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The first corner.
    pub a: Vec3,
    /// The second corner.
    pub b: Vec3,
    /// The third corner.
    pub c: Vec3,
}

impl Triangle {
    /// Creates a triangle, without checks.
    #[must_use]
    pub const fn new(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self { a, b, c }
    }

    /// Returns the area, clamped to `f32::MAX`; 0 if a corner is not finite.
    #[must_use]
    pub fn area(&self) -> f32 {
        let twice = self.corners().map_or(0.0, |corners| length(scaled_normal(&corners)));
        (0.5 * twice).min(f64::from(f32::MAX)) as f32
    }

    /// Returns the normal of the front, of length 1. Returns `None` for a triangle without area, or
    /// with a corner that is not finite.
    #[must_use]
    pub fn normal(&self) -> Option<Vec3> {
        Some(unit(scaled_normal(&self.corners()?))?.as_vec3())
    }

    /// Returns the point of the triangle that is closest to `point`, on an edge or a corner if it is
    /// not above the triangle. Returns `None` if a corner or the point is not finite.
    #[must_use]
    pub fn closest_point(&self, point: Vec3) -> Option<Vec3> {
        let corners = self.corners()?;
        point.is_finite().then(|| saturated(closest_point(&corners, point.as_dvec3())))
    }

    /// Returns the distance from the triangle to a point; infinity if a corner or the point is not
    /// finite.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f32 {
        match self.corners() {
            Some(corners) if point.is_finite() => {
                let point = point.as_dvec3();
                length(closest_point(&corners, point) - point).min(f64::from(f32::MAX)) as f32
            }
            _ => f32::INFINITY,
        }
    }

    fn corners(&self) -> Option<[DVec3; 3]> {
        let corners = [self.a, self.b, self.c];
        let is_finite = corners.iter().all(|corner| corner.is_finite());
        is_finite.then(|| corners.map(|corner| corner.as_dvec3()))
    }
}

/// Returns the normal with twice the area as its length.
fn scaled_normal([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

fn closest_point(corners: &[DVec3; 3], point: DVec3) -> DVec3 {
    let normal = scaled_normal(corners);
    let square = normal.length_squared();
    let [a, b, c] = *corners;
    let edges = [(a, b), (b, c), (c, a)];
    // Positive if the point is on the inner side of the edge.
    let side = |(from, to): (DVec3, DVec3)| normal.cross(to - from).dot(point - from);
    if square > 0.0 && edges.iter().all(|&edge| side(edge) >= 0.0) {
        return point - normal * (normal.dot(point - a) / square);
    }
    let on_edges = edges.map(|(from, to)| closest_on_segment(from, to - from, point, 1.0));
    let nearer = |best: DVec3, other: DVec3| {
        let is_nearer = (other - point).length_squared() < (best - point).length_squared();
        if is_nearer { other } else { best }
    };
    nearer(nearer(on_edges[0], on_edges[1]), on_edges[2])
}
