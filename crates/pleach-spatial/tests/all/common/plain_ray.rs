//! Ray-triangle intersection by another method than the crate's, in world space and in f64.

use pleach_spatial::Ray;
use pleach_spatial::glam::DVec3;

/// The intersection of a ray with the plane of a triangle, inside the triangle or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) corners: [DVec3; 3],
    pub(crate) t: f64,
    pub(crate) weights: DVec3,
    /// `true` if the corners are counter-clockwise as seen along the ray.
    pub(crate) counter_clockwise: bool,
    /// `true` if the ray is so far from edges and ends, and so steep, that every method must agree.
    pub(crate) clear: bool,
}

/// The distance from an edge, relative to the triangle, within which a hit may be judged either
/// way. Both methods are in f64; their difference is 1e-16 times the ratio of coordinates to
/// triangle sizes, at most 1e8 in these tests, plus some for a node's shear.
pub(crate) const MARGIN: f64 = 1e-6;

impl Crossing {
    /// Möller-Trumbore intersection. Returns `None` if the triangle has no area or is edge-on.
    pub(crate) fn new(ray: &Ray, corners: [DVec3; 3]) -> Option<Self> {
        let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let [a, b, c] = corners;
        let (ab, ac) = (b - a, c - a);
        let direction_cross_ac = direction.cross(ac);
        let volume = ab.dot(direction_cross_ac);
        if volume == 0.0 {
            return None;
        }
        let from = origin - a;
        let b_weight = from.dot(direction_cross_ac) / volume;
        let from_cross_ab = from.cross(ab);
        let c_weight = direction.dot(from_cross_ab) / volume;
        let t = ac.dot(from_cross_ab) / volume;
        let weights = DVec3::new(1.0 - b_weight - c_weight, b_weight, c_weight);
        let steep = volume.abs() > 1e-5 * ab.cross(ac).length();
        let max_distance = f64::from(ray.max_distance());
        let clear = steep
            && weights.min_element().abs() > MARGIN
            && t.abs() > 1e-6 * a.length()
            && (t - max_distance).abs() > 1e-6 * (a.length() + max_distance.min(1e9));
        Some(Self { corners, t, weights, counter_clockwise: volume > 0.0, clear })
    }

    /// Returns `true` if the ray hits the triangle, with edges and ends moved outwards by a margin.
    pub(crate) fn is_hit(&self, ray: &Ray, margin: f64) -> bool {
        let slack = margin * self.corners[0].length();
        self.weights.min_element() >= -margin
            && self.t >= -slack
            && self.t <= f64::from(ray.max_distance()) + slack
    }
}
