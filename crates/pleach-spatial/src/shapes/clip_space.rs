//! Clip space: extracts the six sides of a frustum from a view-projection.
//!
//! A point `p` is in view if `(x, y, z, w) = matrix * (p, 1)` has `x` and `y` between `-w` and `w`,
//! and `z` within the depth range of the [`ClipSpace`]. Each of these conditions is a sum of two
//! rows of the matrix, which is a plane (Gribb and Hartmann, 2001). Computed in f64, in which such
//! sums are exact or nearly so.
//!
//! Invariant: every side has a normal of length 1, or is `(0, 0, 0, 1)`, a plane at infinity.

use glam::{DVec3, DVec4, Mat4};

use crate::error::Argument;
use crate::shapes::plane::normalized;
use crate::shapes::vector::length;
use crate::{Error, Side};

/// The depth range of a projection: the values of `z / w` that are in view.
///
/// An infinite far plane is recognised from the matrix and needs no variant here.
///
/// | projection | clip space |
/// | --- | --- |
/// | `glam::camera::rh::proj::opengl` | `NegOneToOne` |
/// | `glam::camera::rh::proj::directx`, `vulkan` | `ZeroToOne` |
/// | … `perspective_infinite_reverse`, or near and far exchanged | `ZeroToOneReversed` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClipSpace {
    /// −1 is near, 1 is far: OpenGL and WebGL.
    NegOneToOne,
    /// 0 is near, 1 is far: wgpu, Vulkan, Metal, Direct3D.
    #[default]
    ZeroToOne,
    /// 1 is near, 0 is far: reversed depth, for precision.
    ZeroToOneReversed,
}

/// Two rows are parallel in f32 if their difference is at most this fraction of their length.
const PARALLEL: f64 = 1.0 / (1 << 22) as f64;
/// Three rows are coplanar if their unit vectors span at most this volume.
const COPLANAR: f64 = 1e-6;
/// The relative rounding error of a sum in f64 that should be zero.
const ROUNDING: f64 = 1e-12;

const AT_INFINITY: DVec4 = DVec4::W;

/// Returns the sides in the order of [`Side`], positive inside.
pub(crate) fn frustum_sides(matrix: &Mat4, clip: ClipSpace) -> Result<[DVec4; 6], Error> {
    Argument::ViewProjection.check(&matrix.to_cols_array())?;
    let [x, y, z, w] = [0, 1, 2, 3].map(|row| matrix.row(row).as_dvec4());
    let [near, far] = match clip {
        ClipSpace::NegOneToOne => [row_sum(w, z), row_sum(w, -z)],
        ClipSpace::ZeroToOne => [Some(z), row_sum(w, -z)],
        ClipSpace::ZeroToOneReversed => [row_sum(w, -z), Some(z)],
    };
    let rows = [row_sum(w, x), row_sum(w, -x), row_sum(w, y), row_sum(w, -y), near, far];
    let mut sides = [AT_INFINITY; 6];
    for (index, side) in Side::ALL.into_iter().enumerate() {
        if let Some(row) = rows[index] {
            sides[index] = normalized_side(side, row)?;
        }
    }
    if has_volume([x, y, z, w], &sides[4..]) { Ok(sides) } else { Err(Error::NoVolume) }
}

/// Scales a plane to a normal of length 1. A plane without a normal, or beyond the range of f32,
/// becomes a plane at infinity.
pub(crate) fn normalized_side(side: Side, plane: DVec4) -> Result<DVec4, Error> {
    if plane.truncate() == DVec3::ZERO {
        return if plane.w < 0.0 { Err(Error::NothingInside(side)) } else { Ok(AT_INFINITY) };
    }
    let plane = normalized(plane);
    Ok(if plane.w > f64::from(f32::MAX) { AT_INFINITY } else { plane })
}

/// Returns the sum of two rows, or `None` if they cancel to within the rounding of f32, which
/// leaves a normal of arbitrary direction. That happens for a far plane four million times (eight
/// in −1..1) as far as the near plane; treating it as infinite is conservative.
fn row_sum(a: DVec4, b: DVec4) -> Option<DVec4> {
    let sum = a + b;
    let remaining = length(sum.truncate());
    let longest = length(a.truncate()).max(length(b.truncate()));
    (remaining == 0.0 || remaining > PARALLEL * longest).then_some(sum)
}

/// Returns `true` if there is a volume between the sides, given the near and far planes.
///
/// A perspective projection has an eye point, where `x = y = w = 0`. It sees the pyramid of the
/// directions with `|x| <= w` and `|y| <= w`, bounded by near and far. The pyramid does not depend
/// on the constants of the rows, so it is found for any eye point, and also if near or far were
/// lost to rounding and the matrix is singular. Otherwise (parallel projections, and those with a
/// vanishing point at the side) the point `x = y = z = 0` must be in front.
fn has_volume([x, y, z, w]: [DVec4; 4], depth: &[DVec4]) -> bool {
    if !are_coplanar([x, y, w]) {
        let (eye, [right, up, forward_axis]) = intersection_point([x, y, w]);
        let has_points_inside = |plane: &DVec4| {
            let normal = plane.truncate();
            let lateral = normal.dot(right).abs() + normal.dot(up).abs();
            let forward = normal.dot(forward_axis);
            // The edges of the pyramid are forward_axis ± right ± up.
            let opens = forward + lateral > ROUNDING * (forward.abs() + lateral);
            opens || is_positive_at(*plane, eye)
        };
        return depth.iter().all(has_points_inside);
    }
    !are_coplanar([x, y, z]) && is_positive_at(w, intersection_point([x, y, z]).0)
}

/// Returns `true` if the directions of three rows are coplanar.
fn are_coplanar(rows: [DVec4; 3]) -> bool {
    let [a, b, c] = rows.map(DVec4::truncate);
    a.dot(b.cross(c)).abs() <= COPLANAR * length(a) * length(b) * length(c)
}

/// Returns the point at which three rows are zero, and the directions in which one of them grows
/// by 1 while the others stay constant. The rows must not be coplanar.
fn intersection_point(rows: [DVec4; 3]) -> (DVec3, [DVec3; 3]) {
    let [a, b, c] = rows.map(DVec4::truncate);
    let volume = a.dot(b.cross(c));
    let grow = [b.cross(c) / volume, c.cross(a) / volume, a.cross(b) / volume];
    (-(grow[0] * rows[0].w + grow[1] * rows[1].w + grow[2] * rows[2].w), grow)
}

/// Returns `true` if the row is positive at a point by more than its rounding error.
fn is_positive_at(row: DVec4, point: DVec3) -> bool {
    let terms = row * point.extend(1.0);
    let size = terms.abs().element_sum();
    terms.element_sum() > ROUNDING * size
}
