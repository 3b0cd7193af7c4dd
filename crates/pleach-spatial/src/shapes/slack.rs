//! Slack: why a plane test in f32 never culls a box with a point in view.
//!
//! Boxes are enlarged and planes are moved outwards by more than the rounding errors of the test.
//! Let `N · p + D` be a side of the view-projection, with `N` of length 1, and let `u = 2^-24` be
//! the maximum relative error of rounding to f32. The test of the p-vertex `p`, the corner farthest
//! along the normal,
//!
//! `((n.x*p.x + n.y*p.y) + n.z*p.z) + d < 0`,
//!
//! has these errors, each relative to the term `N_i p_i`:
//!
//! - `n_i` is `N_i` rounded: u;
//! - the product: u;
//! - the first two sums: at most 2u. Rounding the last sum does not change its sign.
//!
//! That is 4u (and squares of u, which the remaining slack covers). The box was enlarged by
//! `SLACK = 8u` of its largest coordinate on the axis; rounding that sum costs another u, so
//! `|N_i| 7u max|p_i|` was gained where 4u may be lost. `d` is `D` plus 8u of it, rounded once: 7u
//! gained, nothing lost. So if the exact sum is not negative, neither is the computed sum.
//!
//! Underflow: a product below 2^-126 may be wrong by 2^-150, and so may `d`. Boxes are enlarged by
//! at least `MIN_SLACK = 2^-120`, a million times as much. A component of the normal below 2^-126
//! may be wrong by 2^-150, which matters for coordinates up to `FAR`: `d` is increased by the
//! product for each such component.
//!
//! Overflow: boxes with a coordinate beyond `FAR = 2^122` become the whole range of f32, and `d` is
//! clamped to `MAX_D`, 0.9 of 2^124. The three terms of a corner of that box have the same sign, so
//! their sum may be infinite but not NaN, and the box intersects every plane that has a normal: it
//! is never culled and never entirely inside. Boxes within `FAR`, where `|n · p|` is at most
//! `1.74 FAR = 0.44 2^124`, are on the same side of a plane with a clamped `d` as before.
//!
//! All of these operations are monotonic: a box within another box stays within it when both are
//! enlarged, and the computed sums of their corners compare like the exact ones. So nothing within
//! a box that is inside is culled.

use glam::{DVec4, Vec3};

use crate::{Aabb, Plane};

/// The relative amount by which a box is enlarged: 8 roundings.
pub(crate) const SLACK: f32 = 1.0 / (1 << 21) as f32;
/// A box with a coordinate beyond this becomes the whole range of f32: 2^122.
pub(crate) const FAR: f32 = f32::from_bits((127 + 122) << 23);
/// The minimum amount by which a box is enlarged: 2^-120.
pub(crate) const MIN_SLACK: f32 = f32::from_bits((127 - 120) << 23);
/// The error of a normal component below 2^-126, times `FAR`: 2^-28.
const SUBNORMAL_LOSS: f64 = 1.0 / (1 << 28) as f64;

impl Aabb {
    /// Returns the box that planes are tested with: enlarged by more than the rounding error of the
    /// test. It must not be empty.
    #[inline(always)]
    pub(crate) fn with_slack(&self) -> Self {
        let size = self.min.abs().max(self.max.abs());
        // Infinities and NaN count as far, too.
        let far = !(size.x <= FAR && size.y <= FAR && size.z <= FAR);
        if far {
            return Self { min: Vec3::MIN, max: Vec3::MAX };
        }
        let slack = (size * SLACK).max(Vec3::splat(MIN_SLACK));
        Self { min: self.min - slack, max: self.max + slack }
    }
}

impl Plane {
    /// Returns the plane that boxes with slack are tested against, from the plane in f64.
    pub(crate) fn with_slack(equation: DVec4) -> Self {
        const MAX_D: f64 = 0.9 * 4.0 * FAR as f64;
        let normal = equation.truncate();
        let subnormals = normal.to_array().iter().filter(|&&it| is_subnormal(it)).count();
        let raise = f64::from(SLACK) * equation.w.abs() + SUBNORMAL_LOSS * subnormals as f64;
        Self { normal: normal.as_vec3(), d: (equation.w + raise).clamp(-MAX_D, MAX_D) as f32 }
    }
}

/// Returns `true` if rounding to f32 makes the component subnormal or zero.
fn is_subnormal(component: f64) -> bool {
    component != 0.0 && component.abs() < f64::from(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_enlarged_by_eight_roundings_on_each_axis() {
        let aabb = Aabb::new(Vec3::new(-8.0, 1.0, 0.0), Vec3::new(2.0, 4.0, 0.0));
        let grown = Aabb::new(
            Vec3::new(-8.0 - 8.0 * SLACK, 1.0 - 4.0 * SLACK, -MIN_SLACK),
            Vec3::new(2.0 + 8.0 * SLACK, 4.0 + 4.0 * SLACK, MIN_SLACK),
        );
        assert_eq!(aabb.with_slack(), grown);
        let two_to = |power: u32| (1_u128 << power) as f32;
        assert_eq!((FAR, SLACK, MIN_SLACK), (two_to(122), 1.0 / two_to(21), 1.0 / two_to(120)));
    }

    #[test]
    fn a_box_within_another_stays_within_it() {
        let points = [0.0, 1e-44, 1e-38, 1e-30, 1.0, 1.000_000_1, 3e6, FAR, FAR * 1.5, f32::MAX];
        let points = points.iter().flat_map(|&point| [-point, point]);
        let mut points: Vec<f32> = points.collect();
        points.sort_by(f32::total_cmp);
        let span = |from: usize, to: usize| {
            Aabb::new(Vec3::splat(points[from]), Vec3::splat(points[to])).with_slack()
        };
        for from in 0..points.len() {
            for to in from..points.len() {
                assert!(span(from, to).contains(&span(from.max(to / 2), to)), "{from} {to}");
                assert!(span(from, to).contains(&span(from, from.midpoint(to))), "{from} {to}");
            }
        }
    }

    #[test]
    fn the_unbounded_box_intersects_every_plane() {
        let world = Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(1.0)).with_slack();
        for (normal, d) in [(Vec3::X, f64::MAX), (Vec3::Y, -f64::MAX), (Vec3::NEG_Z, -1e38)] {
            let plane = Plane::with_slack(normal.as_dvec3().extend(d));
            assert!(plane.distance(world.min).min(plane.distance(world.max)) < 0.0);
            assert!(plane.distance(world.min).max(plane.distance(world.max)) > 0.0);
        }
    }

    /// The first component of the normal rounds to zero, and with it the term that keeps the box
    /// inside.
    #[test]
    fn far_boxes_are_not_culled_by_a_subnormal_normal() {
        let equation = DVec4::new(-6e-46, 1.0, 0.0, 0.0);
        let corner = Vec3::new(-0.9 * FAR, -1e-9, 0.0);
        assert!(equation.truncate().dot(corner.as_dvec3()) > 0.0);
        let plane = Plane::with_slack(equation);
        assert!(plane.normal.x == 0.0);
        assert!(plane.distance(Aabb::new(corner, corner).with_slack().max) > 0.0);
    }

    /// Rounded products would put this corner outside, although it is on the plane.
    #[test]
    fn tiny_boxes_are_not_culled_because_of_underflow() {
        let plane = Plane::with_slack(DVec4::new(0.48, -0.72, 0.5, 0.0));
        let tiny = Vec3::splat(f32::from_bits(1));
        let raw = plane.normal * tiny;
        assert!(raw.x + raw.y + raw.z < 0.0);
        let grown = Aabb::new(tiny, tiny).with_slack();
        let corner = plane.normal * Vec3::new(grown.max.x, grown.min.y, grown.max.z);
        assert!(corner.x + corner.y + corner.z > 0.0);
    }
}
