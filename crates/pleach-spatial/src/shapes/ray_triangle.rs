//! Watertight ray-triangle intersection.
//!
//! The method of Woop, Benthin and Wald ("Watertight Ray/Triangle Intersection", 2013), in f64:
//! space is sheared so that the ray runs along one axis, and the three edge functions are
//! evaluated at the origin. Two triangles that share an edge compute the same number for it with
//! opposite signs, so no ray passes between them; a ray through an edge or a corner hits every
//! triangle that contains it.

use glam::{DVec3, Vec3};

use crate::Ray;
use crate::shapes::vector::longest_axis;

/// An intersection of a ray and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriangleHit {
    /// The distance along the ray, in metres.
    pub distance: f32,
    /// The barycentric coordinates: the weights of the three corners, which sum to one.
    pub barycentrics: Vec3,
    /// `true` if the ray hit the side on which the corners are in counter-clockwise order.
    pub front: bool,
}

impl Ray {
    /// Intersects the ray with the triangle `a`, `b`, `c`, from either side.
    ///
    /// Edges and corners belong to the triangle. A triangle without area, edge-on to the ray or
    /// with a corner that is not finite is never hit.
    ///
    /// ```
    /// use pleach_spatial::Ray;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let down = Ray::new(Vec3::new(0.25, 0.25, 5.0), Vec3::NEG_Z)?;
    /// let hit = down.hit_triangle(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap();
    /// assert_eq!(hit.distance, 5.0);
    /// assert_eq!(hit.barycentrics, Vec3::new(0.5, 0.25, 0.25));
    /// assert!(hit.front);
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    #[must_use]
    pub fn hit_triangle(&self, a: Vec3, b: Vec3, c: Vec3) -> Option<TriangleHit> {
        let sheared = ShearedRay::new(self.origin().as_dvec3(), self.direction().as_dvec3());
        let corners = [a, b, c];
        let hit = has_area(&corners).then(|| sheared.intersect(corners))??;
        (hit.t as f32 <= self.max_distance()).then(|| hit.rounded())
    }
}

/// Returns `true` if a ray can hit the triangle: it has an area and is finite.
pub(crate) fn has_area(corners: &[Vec3; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    let normal = (b - a).cross(c - a);
    // Not finite if a corner is not.
    normal != DVec3::ZERO && normal.is_finite()
}

/// A hit in f64, not yet compared with a maximum distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawHit {
    /// The distance in multiples of the direction's length; not negative.
    pub(crate) t: f64,
    pub(crate) weights: DVec3,
    pub(crate) front: bool,
    /// The normal of the front side, of any length.
    pub(crate) normal: DVec3,
}

impl RawHit {
    pub(crate) fn rounded(&self) -> TriangleHit {
        TriangleHit {
            distance: self.t as f32,
            barycentrics: self.weights.as_vec3(),
            front: self.front,
        }
    }
}

/// A ray, prepared for triangles by a shear that maps its direction to the third axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShearedRay {
    pub(crate) origin: [f64; 3],
    /// The permutation of the axes: the third one is the dominant axis of the direction.
    pub(crate) axes: [usize; 3],
    pub(crate) shear: [f64; 3],
}

/// The number of triangles that are tested together.
pub(crate) const PACKET_SIZE: usize = 4;

/// Coordinates of up to four triangles: by corner, then axis, then triangle.
pub(crate) type Corners = [[[f32; PACKET_SIZE]; 3]; 3];

/// The intersections of a ray with four triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketHit {
    /// A bit for each triangle that is hit. The other numbers of those that are not are unspecified.
    pub(crate) mask: u32,
    pub(crate) t: [f64; PACKET_SIZE],
    /// The edge functions; barycentric coordinates once divided by their sum.
    pub(crate) edges: [[f64; PACKET_SIZE]; 3],
}

impl ShearedRay {
    pub(crate) fn new(origin: DVec3, direction: DVec3) -> Self {
        let major = longest_axis(direction.abs().to_array());
        let (mut first, mut second) = ((major + 1) % 3, (major + 2) % 3);
        // Preserves the winding order.
        if direction[major] < 0.0 {
            (first, second) = (second, first);
        }
        let depth = direction[major];
        Self {
            origin: origin.to_array(),
            axes: [first, second, major],
            shear: [direction[first] / depth, direction[second] / depth, 1.0 / depth],
        }
    }

    /// Intersects four triangles at once. The loops have no dependencies between lanes, so that
    /// compilers vectorize them.
    #[inline(always)]
    pub(crate) fn intersect_packet(&self, corners: &Corners) -> PacketHit {
        let [first, second, major] = self.axes;
        let [shear_x, shear_y, shear_z] = self.shear;
        let mut x = [[0.0; PACKET_SIZE]; 3];
        let mut y = [[0.0; PACKET_SIZE]; 3];
        let mut z = [[0.0; PACKET_SIZE]; 3];
        for corner in 0..3 {
            let [p, q, r] = [first, second, major].map(|axis| &corners[corner][axis]);
            for i in 0..PACKET_SIZE {
                let depth = f64::from(r[i]) - self.origin[major];
                x[corner][i] = (f64::from(p[i]) - self.origin[first]) - shear_x * depth;
                y[corner][i] = (f64::from(q[i]) - self.origin[second]) - shear_y * depth;
                z[corner][i] = shear_z * depth;
            }
        }
        let mut hit = PacketHit::MISS;
        for i in 0..PACKET_SIZE {
            let u = x[2][i] * y[1][i] - y[2][i] * x[1][i];
            let v = x[0][i] * y[2][i] - y[0][i] * x[2][i];
            let w = x[1][i] * y[0][i] - y[1][i] * x[0][i];
            let sum = u + v + w;
            let t = (u * z[0][i] + v * z[1][i] + w * z[2][i]) / sum;
            let inside =
                ((u >= 0.0) & (v >= 0.0) & (w >= 0.0)) | ((u <= 0.0) & (v <= 0.0) & (w <= 0.0));
            // A sum of zero makes `t` NaN or infinite.
            let is_hit = inside & (t >= 0.0) & (t != f64::INFINITY);
            // Negative zero would be last in an order by bits.
            hit.t[i] = if is_hit { t.abs() } else { f64::INFINITY };
            hit.mask |= u32::from(is_hit) << i;
            hit.edges[0][i] = u;
            hit.edges[1][i] = v;
            hit.edges[2][i] = w;
        }
        hit
    }

    /// Intersects one triangle.
    pub(crate) fn intersect(&self, corners: [Vec3; 3]) -> Option<RawHit> {
        let corners = corners.map(|corner| corner.to_array().map(|number| [number, 0.0, 0.0, 0.0]));
        let hit = self.intersect_packet(&corners);
        (hit.mask & 1 != 0).then(|| hit.lane(0).complete(&corners))
    }
}

impl PacketHit {
    pub(crate) const MISS: Self =
        Self { mask: 0, t: [f64::INFINITY; PACKET_SIZE], edges: [[0.0; PACKET_SIZE]; 3] };

    /// Calls `f` with each triangle that is hit.
    #[inline(always)]
    pub(crate) fn each(&self, mut f: impl FnMut(usize)) {
        let mut mask = self.mask;
        while mask != 0 {
            f(mask.trailing_zeros() as usize % PACKET_SIZE);
            mask &= mask - 1;
        }
    }

    /// Returns the hit of triangle `i`, which must be hit.
    #[inline(always)]
    pub(crate) fn lane(&self, i: usize) -> LaneHit {
        LaneHit { t: self.t[i], edges: self.edges.map(|edge| edge[i]), lane: i }
    }
}

/// The intersection of a ray with one triangle of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneHit {
    t: f64,
    edges: [f64; 3],
    lane: usize,
}

impl LaneHit {
    /// Completes the hit, given the corners that were tested.
    pub(crate) fn complete(&self, corners: &Corners) -> RawHit {
        let edges = DVec3::from(self.edges);
        let sum = edges.x + edges.y + edges.z;
        let i = self.lane;
        let [a, b, c] = corners.map(|[x, y, z]| Vec3::new(x[i], y[i], z[i]).as_dvec3());
        let normal = (b - a).cross(c - a);
        RawHit { t: self.t, weights: edges / sum, front: sum > 0.0, normal }
    }
}
