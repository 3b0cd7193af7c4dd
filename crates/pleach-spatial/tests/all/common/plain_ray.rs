//! Ray against triangle by another method than the crate's, in the world and in f64.

use pleach_spatial::Ray;
use pleach_spatial::glam::DVec3;

/// What a ray does with the plane of a triangle, inside of it or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) corners: [DVec3; 3],
    pub(crate) t: f64,
    pub(crate) weights: DVec3,
    /// Do the corners go counter-clockwise to the ray?
    pub(crate) counter_clockwise: bool,
    /// Is the ray so far from edges and ends, and so steep, that every method must agree?
    pub(crate) clear: bool,
}

/// How near to an edge, in parts of the triangle, a hit may be judged either way. Both
/// methods are in f64; what they differ by is 1e-16 times how much larger coordinates
/// are than triangles, 1e8 at most in these tests, and some for a node's shear.
pub(crate) const MARGIN: f64 = 1e-6;

impl Crossing {
    /// By Möller and Trumbore's method. None if the triangle is flat or edge-on.
    pub(crate) fn new(ray: &Ray, corners: [DVec3; 3]) -> Option<Self> {
        let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let [a, b, c] = corners;
        let (ab, ac) = (b - a, c - a);
        let across = direction.cross(ac);
        let volume = ab.dot(across);
        if volume == 0.0 {
            return None;
        }
        let from = origin - a;
        let b_weight = from.dot(across) / volume;
        let aside = from.cross(ab);
        let c_weight = direction.dot(aside) / volume;
        let t = ac.dot(aside) / volume;
        let weights = DVec3::new(1.0 - b_weight - c_weight, b_weight, c_weight);
        let steep = volume.abs() > 1e-5 * ab.cross(ac).length();
        let max_distance = f64::from(ray.max_distance());
        let clear = steep
            && weights.min_element().abs() > MARGIN
            && t.abs() > 1e-6 * a.length()
            && (t - max_distance).abs() > 1e-6 * (a.length() + max_distance.min(1e9));
        Some(Self { corners, t, weights, counter_clockwise: volume > 0.0, clear })
    }

    /// Does the ray hit, if edges and ends are moved out by a margin?
    pub(crate) fn is_hit(&self, ray: &Ray, margin: f64) -> bool {
        let slack = margin * self.corners[0].length();
        self.weights.min_element() >= -margin
            && self.t >= -slack
            && self.t <= f64::from(ray.max_distance()) + slack
    }
}
