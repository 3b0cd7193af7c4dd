//! What a projection matrix tells of rays, depths and sizes, in view space and f64.
//!
//! Of any matrix, not only of those that `projection.rs` makes. The points that are seen at
//! one place of the picture lie where `x = across * w` and `y = upward * w`: two planes, which
//! meet in the ray. Depth plays no part in its direction, so neither an infinite far plane
//! nor a lost one does harm.

use glam::{DVec2, DVec3, DVec4, Mat4};
use pleach_spatial::ClipSpace;

/// The rows of a projection matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectionRows {
    x: DVec4,
    y: DVec4,
    z: DVec4,
    w: DVec4,
}

impl ProjectionRows {
    pub(crate) fn new(projection: &Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| projection.row(row).as_dvec4());
        Self { x, y, z, w }
    }

    /// Do parallels stay parallel, so that things far away are no smaller?
    fn is_orthographic(&self) -> bool {
        self.w.truncate() == DVec3::ZERO
    }

    /// Do all rays start at the origin of view space?
    fn has_eye_at_origin(&self) -> bool {
        !self.is_orthographic() && self.x.w == 0.0 && self.y.w == 0.0 && self.w.w == 0.0
    }

    /// Where a point comes out; `None` behind the eye.
    pub(crate) fn project(&self, point: DVec3) -> Option<DVec3> {
        let point = point.extend(1.0);
        let w = self.w.dot(point);
        let out = DVec3::new(self.x.dot(point), self.y.dot(point), self.z.dot(point)) / w;
        (w > 0.0 && out.is_finite()).then_some(out)
    }

    /// Start and direction of the ray through a place of the picture. It starts at the
    /// eye or, where there is none at the origin, on the near plane.
    pub(crate) fn ray(&self, ndc: DVec2, clip_space: ClipSpace) -> Option<(DVec3, DVec3)> {
        let [a, b] = self.planes(ndc);
        let direction = a.truncate().cross(b.truncate());
        let ahead = if self.is_orthographic() {
            let deeper = self.z.truncate().dot(direction);
            if clip_space == ClipSpace::ZeroToOneReversed { -deeper } else { deeper }
        } else {
            self.w.truncate().dot(direction)
        };
        let direction = if ahead < 0.0 { -direction } else { direction };
        let start = if self.has_eye_at_origin() {
            DVec3::ZERO
        } else {
            self.unproject(ndc, depth_range(clip_space)[0])?
        };
        Some((start, direction))
    }

    /// How far ahead near and far are in the middle of the picture; infinite where a far
    /// plane is not to be found.
    pub(crate) fn depths(&self, clip_space: ClipSpace) -> [f64; 2] {
        let depth = |z| self.unproject(DVec2::ZERO, z).map(|point| -point.z);
        let [near, far] = depth_range(clip_space).map(depth);
        let near = near.unwrap_or(0.0);
        [near, far.filter(|&far| far > near).unwrap_or(f64::INFINITY)]
    }

    /// How high a ball looks that is at this distance from the eye, as a part of the height
    /// of the picture; infinite from within.
    pub(crate) fn screen_size(&self, distance: f64, radius: f64) -> f64 {
        let scale = self.y.y.abs();
        if self.is_orthographic() {
            return radius * scale / self.w.w.abs();
        }
        // The rays that touch the ball are not as long as the one to its centre.
        let touching = (distance - radius) * (distance + radius);
        if touching <= 0.0 {
            return f64::INFINITY;
        }
        radius * scale / (self.w.truncate().length() * touching.sqrt())
    }

    /// The two planes of what is seen at a place of the picture.
    fn planes(&self, ndc: DVec2) -> [DVec4; 2] {
        [self.x - self.w * ndc.x, self.y - self.w * ndc.y]
    }

    /// The point that comes out at a place and depth.
    fn unproject(&self, ndc: DVec2, z: f64) -> Option<DVec3> {
        let [a, b] = self.planes(ndc);
        let c = self.z - self.w * z;
        let [u, v, w] = [a, b, c].map(DVec4::truncate);
        let sum = v.cross(w) * a.w + w.cross(u) * b.w + u.cross(v) * c.w;
        let point = -sum / u.dot(v.cross(w));
        point.is_finite().then_some(point)
    }
}

/// What near and far come out as.
fn depth_range(clip_space: ClipSpace) -> [f64; 2] {
    match clip_space {
        ClipSpace::NegOneToOne => [-1.0, 1.0],
        ClipSpace::ZeroToOne => [0.0, 1.0],
        ClipSpace::ZeroToOneReversed => [1.0, 0.0],
    }
}
