//! `Lens`: a projection matrix applied to points: projection, rays, depths and sizes, in view space
//! and f64. Everything that projects points or casts rays from a camera uses it.
//!
//! Works for any matrix, not only for those of `projection.rs`. The points that are projected to
//! `ndc` satisfy `x = ndc.x * w` and `y = ndc.y * w`: two planes, which intersect in the ray. The z
//! row does not affect its direction, so a far plane that is infinite or lost to rounding does not
//! matter.

use glam::{DVec2, DVec3, DVec4, Mat4};
use pleach_spatial::ClipSpace;

/// A projection matrix, for projecting points of view space and for rays through points of the
/// image, in f64. See [`View::lens`](crate::View::lens).
///
/// View space is that of [`View::view`](crate::View::view): −Z ahead, +Y up.
///
/// ```
/// use pleach::glam::{DVec2, DVec3};
/// use pleach::{Camera, Transform, View};
///
/// let lens = View::new(&Camera::default(), Transform::IDENTITY, 1.5)?.lens();
/// let ndc = lens.project(DVec3::new(1.0, 2.0, -5.0)).unwrap();
/// let (origin, direction) = lens.ray(ndc.truncate()).unwrap();
/// assert_eq!(origin, DVec3::ZERO);
/// assert!(direction.normalize().abs_diff_eq(DVec3::new(1.0, 2.0, -5.0).normalize(), 1e-12));
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    x: DVec4,
    y: DVec4,
    z: DVec4,
    w: DVec4,
    clip_space: ClipSpace,
}

impl Lens {
    pub(crate) fn new(projection: &Mat4, clip_space: ClipSpace) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| projection.row(row).as_dvec4());
        Self { x, y, z, w, clip_space }
    }

    /// Returns `true` for a projection without perspective division.
    fn is_orthographic(&self) -> bool {
        self.w.truncate() == DVec3::ZERO
    }

    /// Returns `true` if all rays start at the camera instead of on the near plane.
    #[must_use]
    pub fn rays_start_at_camera(&self) -> bool {
        !self.is_orthographic() && self.x.w == 0.0 && self.y.w == 0.0 && self.w.w == 0.0
    }

    /// Transforms a point of view space, or with a `w` of 0 a direction, to clip space, before the
    /// division by `w`.
    #[must_use]
    pub fn to_clip(&self, point: DVec4) -> DVec4 {
        DVec4::new(self.x.dot(point), self.y.dot(point), self.z.dot(point), self.w.dot(point))
    }

    /// Projects a point of view space to normalized device coordinates, with the depth in clip
    /// space as z. `None` if it is behind the camera or not finite.
    #[must_use]
    pub fn project(&self, point: DVec3) -> Option<DVec3> {
        let DVec4 { x, y, z, w } = self.to_clip(point.extend(1.0));
        let out = DVec3::new(x, y, z) / w;
        (w > 0.0 && out.is_finite()).then_some(out)
    }

    /// Returns by how much a point of clip space is behind the near plane and in front of the far
    /// plane; negative if it is outside.
    #[must_use]
    pub fn depth_margins(&self, point: DVec4) -> [f64; 2] {
        match self.clip_space {
            ClipSpace::NegOneToOne => [point.w + point.z, point.w - point.z],
            ClipSpace::ZeroToOne => [point.z, point.w - point.z],
            ClipSpace::ZeroToOneReversed => [point.w - point.z, point.z],
        }
    }

    /// Returns the origin and the direction, of any length, of the ray through a point in
    /// normalized device coordinates. The origin is the camera if all rays
    /// [start there](Self::rays_start_at_camera), otherwise a point on the near plane. `None` if
    /// there is no such point.
    #[must_use]
    pub fn ray(&self, ndc: DVec2) -> Option<(DVec3, DVec3)> {
        let [a, b] = self.planes(ndc);
        let direction = a.truncate().cross(b.truncate());
        let ahead = if self.is_orthographic() {
            let deeper = self.z.truncate().dot(direction);
            if self.clip_space == ClipSpace::ZeroToOneReversed { -deeper } else { deeper }
        } else {
            self.w.truncate().dot(direction)
        };
        let direction = if ahead < 0.0 { -direction } else { direction };
        Some((self.ray_origin(ndc)?, direction))
    }

    /// Returns the origin of [`ray`](Self::ray).
    #[must_use]
    pub fn ray_origin(&self, ndc: DVec2) -> Option<DVec3> {
        if self.rays_start_at_camera() {
            Some(DVec3::ZERO)
        } else {
            self.unproject(ndc, depth_range(self.clip_space)[0])
        }
    }

    /// Returns the distances of the near and far planes in the centre of the image; infinite for a
    /// far plane that does not exist.
    pub(crate) fn depths(&self) -> [f64; 2] {
        let depth = |z| self.unproject(DVec2::ZERO, z).map(|point| -point.z);
        let [near, far] = depth_range(self.clip_space).map(depth);
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
