//! Morph targets: offsets of the vertices, blended by weights.
//!
//! A morphed position is `position + Σ weight · offset`. The bounds here contain all morphed
//! positions of a geometry without visiting each: see `bounds_of_sum` for the proof.

use glam::{DVec3, Vec3};
use pleach_spatial::Aabb;

use crate::{Geometry, VertexData};

/// A morph target: offsets of the positions, normals and tangents of each vertex. An empty array
/// has no effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// The name, such as `smile`.
    pub name: Option<String>,
    /// By vertex: the offset of the position.
    pub positions: VertexData<Vec3>,
    /// By vertex: the offset of the normal.
    pub normals: VertexData<Vec3>,
    /// By vertex: the offset of the tangent's direction.
    pub tangents: VertexData<Vec3>,
}

impl MorphTarget {
    /// Creates a target from the offsets of the positions.
    #[must_use]
    pub fn from_positions(positions: Vec<Vec3>) -> Self {
        Self { positions: positions.into(), ..Self::default() }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

impl Geometry {
    /// Replaces the contents of `out` with the positions after morphing: for each the position,
    /// then the offset of each target times its weight added in order, in f32.
    ///
    /// Weights that are missing or not finite are 0. Weights may be negative, or above 1.
    ///
    /// ```
    /// use pleach::{Geometry, MorphTarget, glam::Vec3};
    ///
    /// let face = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y])
    ///     .with_morph_target(MorphTarget::from_positions(vec![Vec3::Z; 3]).named("puff"));
    /// let mut positions = Vec::new();
    /// face.morphed_positions(&[0.5], &mut positions);
    /// assert_eq!(positions[1], Vec3::new(1.0, 0.0, 0.5));
    /// assert!(positions.iter().all(|&point| face.morphed_bounds(&[0.5]).contains_point(point)));
    /// ```
    pub fn morphed_positions(&self, weights: &[f32], out: &mut Vec<Vec3>) {
        out.clear();
        out.extend_from_slice(&self.positions);
        for (target, weight) in active(&self.morph_targets, weights) {
            for (position, &offset) in out.iter_mut().zip(&target.positions) {
                *position += offset * weight;
            }
        }
    }

    /// Computes bounds that contain every morphed position, also with the rounding of another order
    /// of summation, such as on a GPU. Exact if all weights are 0.
    ///
    /// They may be larger than the tightest bounds, as no vertex needs to be extreme in all
    /// targets. [`Aabb::EMPTY`] if there are no positions; positions and offsets that are not
    /// finite are ignored; overflow is clamped to `f32::MAX`. O(vertices × targets); [a
    /// handle](crate::Handle#method.morphed_bounds) takes O(targets).
    #[must_use]
    pub fn morphed_bounds(&self, weights: &[f32]) -> Aabb {
        bounds_of_sum(self.bounds(), &offset_bounds(self), weights)
    }
}

/// Returns the targets whose weight has an effect.
fn active<'a, T>(targets: &'a [T], weights: &'a [f32]) -> impl Iterator<Item = (&'a T, f32)> {
    let weighted = targets.iter().zip(weights.iter().copied());
    weighted.filter(|&(_, weight)| weight != 0.0 && weight.is_finite())
}

/// Computes the bounds of the position offsets of each morph target.
pub(crate) fn offset_bounds(geometry: &Geometry) -> Box<[Aabb]> {
    let vertices = geometry.positions.len();
    let offset_aabb = |target: &MorphTarget| {
        let given = Aabb::from_points(target.positions.iter().copied());
        // Vertices without an offset are not moved.
        let all = target.positions.len() >= vertices && !given.is_empty();
        if all { given } else { given.union(&Aabb::new(Vec3::ZERO, Vec3::ZERO)) }
    };
    geometry.morph_targets.iter().map(offset_aabb).collect()
}

/// Computes bounds of all sums `p + Σ wᵢ·dᵢ` with `p` in `base` and each `dᵢ` in its bounds,
/// however they are rounded in f32.
///
/// On each axis, with k targets of weight other than 0: the exact sum is at least `low = min p + Σ
/// min(wᵢ·dᵢ)`, where each minimum is at an end of its bounds. A sum of k products and p in f32, in
/// any order, fused or not, rounds each term at most k + 1 times, so its error is at most `(k+1)u /
/// (1 − (k+1)u)` times S, with u = 2⁻²⁴ and S an upper bound of `|p| + Σ |wᵢ·dᵢ|` (Higham, Accuracy
/// and Stability of Numerical Algorithms, lemma 3.1); plus 2⁻¹²⁶ for each of 2k operations where
/// small numbers are flushed to zero.
///
/// `low` is summed here in f64, where a product of two f32 is exact and the error of the sum is at
/// most k·2⁻⁵²·S; rounding the result to f32 adds u·S, or 2⁻¹⁴⁹ if it is tiny. Subtracting
/// `2(k+2)u·S + 2(k+1)·2⁻¹²⁶` covers all of it for k up to 2²⁰. Likewise for the maximum.
pub(crate) fn bounds_of_sum(base: Aabb, offsets: &[Aabb], weights: &[f32]) -> Aabb {
    if base.is_empty() {
        return Aabb::EMPTY;
    }
    let (mut low, mut high) = (base.min.as_dvec3(), base.max.as_dvec3());
    let mut magnitude = low.abs().max(high.abs());
    let mut terms = 0;
    for (offset, weight) in active(offsets, weights) {
        let (a, b) = (scaled(offset.min, weight), scaled(offset.max, weight));
        (low, high) = (low + a.min(b), high + a.max(b));
        magnitude += a.abs().max(b.abs());
        terms += 1;
    }
    if terms == 0 {
        return base;
    }
    let rounding = f64::from(terms + 2) * f64::from(f32::EPSILON);
    let underflow = 2.0 * f64::from(terms + 1) * f64::from(f32::MIN_POSITIVE);
    let slack = magnitude * rounding + DVec3::splat(underflow);
    let max = DVec3::splat(f64::from(f32::MAX));
    Aabb {
        min: (low - slack).clamp(-max, max).as_vec3(),
        max: (high + slack).clamp(-max, max).as_vec3(),
    }
}

fn scaled(offset: Vec3, weight: f32) -> DVec3 {
    offset.as_dvec3() * f64::from(weight)
}
