//! The rows of a projection matrix: projection, rays, depths and sizes, in view space and f64.
//!
//! Works for any matrix, not only for those of `projection.rs`. The points that are projected to
//! `ndc` satisfy `x = ndc.x * w` and `y = ndc.y * w`: two planes, which intersect in the ray. The z
//! row does not affect its direction, so a far plane that is infinite or lost to rounding does not
//! matter.

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

    /// Returns `true` for a projection without perspective division.
    fn is_orthographic(&self) -> bool {
        self.w.truncate() == DVec3::ZERO
    }

    /// Returns `true` if all rays start at the origin of view space.
    fn has_eye_at_origin(&self) -> bool {
        !self.is_orthographic() && self.x.w == 0.0 && self.y.w == 0.0 && self.w.w == 0.0
    }

    /// Projects a point to clip space; `None` if it is behind the camera.
    pub(crate) fn project(&self, point: DVec3) -> Option<DVec3> {
        let point = point.extend(1.0);
        let w = self.w.dot(point);
        let out = DVec3::new(self.x.dot(point), self.y.dot(point), self.z.dot(point)) / w;
        (w > 0.0 && out.is_finite()).then_some(out)
    }

    /// Returns the origin and direction of the ray through `ndc`. The origin is the centre of
    /// projection if that is the origin of view space, otherwise a point on the near plane.
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

    /// Returns the distances of the near and far planes in the centre of the image; infinite for a
    /// far plane that does not exist.
    pub(crate) fn depths(&self, clip_space: ClipSpace) -> [f64; 2] {
        let depth = |z| self.unproject(DVec2::ZERO, z).map(|point| -point.z);
        let [near, far] = depth_range(clip_space).map(depth);
        let near = near.unwrap_or(0.0);
        [near, far.filter(|&far| far > near).unwrap_or(f64::INFINITY)]
    }

    /// Returns the apparent height of a sphere as a fraction of the height of the image; infinite
    /// from inside.
    pub(crate) fn screen_size(&self, distance: f64, radius: f64) -> f64 {
        let scale = self.y.y.abs();
        if self.is_orthographic() {
            return radius * scale / self.w.w.abs();
        }
        // The square of the length of the rays that are tangent to the sphere.
        let touching = (distance - radius) * (distance + radius);
        if touching <= 0.0 {
            return f64::INFINITY;
        }
        radius * scale / (self.w.truncate().length() * touching.sqrt())
    }

    /// Returns the two planes of points that are projected to `ndc`.
    fn planes(&self, ndc: DVec2) -> [DVec4; 2] {
        [self.x - self.w * ndc.x, self.y - self.w * ndc.y]
    }

    /// Returns the point that is projected to `ndc` with depth `z`.
    fn unproject(&self, ndc: DVec2, z: f64) -> Option<DVec3> {
        let [a, b] = self.planes(ndc);
        let c = self.z - self.w * z;
        let [u, v, w] = [a, b, c].map(DVec4::truncate);
        let sum = v.cross(w) * a.w + w.cross(u) * b.w + u.cross(v) * c.w;
        let point = -sum / u.dot(v.cross(w));
        point.is_finite().then_some(point)
    }
}

/// Returns the depths of the near and far planes in clip space.
fn depth_range(clip_space: ClipSpace) -> [f64; 2] {
    match clip_space {
        ClipSpace::NegOneToOne => [-1.0, 1.0],
        ClipSpace::ZeroToOne => [0.0, 1.0],
        ClipSpace::ZeroToOneReversed => [1.0, 0.0],
    }
}
