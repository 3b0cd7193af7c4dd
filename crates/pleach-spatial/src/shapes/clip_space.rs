//! Clip space: from a view-projection to the six sides of what is in view.
//!
//! A point `p` is in view if `(x, y, z, w) = matrix * (p, 1)` has `x` and `y` between
//! `-w` and `w`, and `z` between the bounds of the [`ClipSpace`]. Each bound is a sum
//! of two rows of the matrix, and a plane (Gribb and Hartmann, 2001). In f64, in which
//! such sums are exact or nearly so.
//!
//! Invariant: every side has a normal of length 1, or is `(0, 0, 0, 1)`, at infinity.

use glam::{DVec3, DVec4, Mat4};

use crate::error::Argument;
use crate::shapes::plane::{length, normalized};
use crate::{Error, Side};

/// What depth means after a projection: the range of `z / w` that is in view.
///
/// An infinite far plane needs no word here: it is recognised from the matrix.
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
    /// 1 is near, 0 is far: the same with depth reversed for precision.
    ZeroToOneReversed,
}

/// Parallel in f32: the difference of two rows is no more than this part of them.
const PARALLEL: f64 = 1.0 / (1 << 22) as f64;
/// Flat: three rows of length 1 span no more than this.
const COPLANAR: f64 = 1e-6;
/// Nothing: what f64 leaves of a sum that is zero.
const ROUNDING: f64 = 1e-12;

const AT_INFINITY: DVec4 = DVec4::W;

/// The sides in the order of [`Side`], inside positive.
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

/// A plane with a normal of length 1; at infinity if it has none or is beyond f32.
pub(crate) fn normalized_side(side: Side, plane: DVec4) -> Result<DVec4, Error> {
    if plane.truncate() == DVec3::ZERO {
        return if plane.w < 0.0 { Err(Error::NothingInside(side)) } else { Ok(AT_INFINITY) };
    }
    let plane = normalized(plane);
    Ok(if plane.w > f64::from(f32::MAX) { AT_INFINITY } else { plane })
}

/// The sum of two rows. `None` if they cancel out but for the rounding of f32: what is
/// left of the normal then points anywhere. So it is with a far plane that is four million
/// times (eight, in −1..1) as far as the near one; to take it for infinitely far culls less.
fn row_sum(a: DVec4, b: DVec4) -> Option<DVec4> {
    let sum = a + b;
    let remaining = length(sum.truncate());
    let longest = length(a.truncate()).max(length(b.truncate()));
    (remaining == 0.0 || remaining > PARALLEL * longest).then_some(sum)
}

/// Is there a volume between the sides, given near and far as planes?
///
/// A projection with a vanishing point has an eye, where `x = y = w = 0`; what it sees is
/// the pyramid of the directions with `|x| <= w` and `|y| <= w`, which `z` then cuts. The
/// rows' constants do not matter for the pyramid, so it is found wherever the eye is;
/// and it is still there if near or far were lost to rounding, when the matrix is singular.
/// Otherwise (parallel projections, and those with a vanishing point at their side) the
/// point `x = y = z = 0` must be in front.
fn has_volume([x, y, z, w]: [DVec4; 4], depth: &[DVec4]) -> bool {
    if !are_coplanar([x, y, w]) {
        let (eye, [right, up, ahead]) = intersection_point([x, y, w]);
        let has_points_inside = |plane: &DVec4| {
            let normal = plane.truncate();
            let lateral = normal.dot(right).abs() + normal.dot(up).abs();
            let forward = normal.dot(ahead);
            // The pyramid's own edges are ahead ± right ± up.
            let opens = forward + lateral > ROUNDING * (forward.abs() + lateral);
            opens || is_positive_at(*plane, eye)
        };
        return depth.iter().all(has_points_inside);
    }
    !are_coplanar([x, y, z]) && is_positive_at(w, intersection_point([x, y, z]).0)
}

/// Do the directions of three rows lie in a plane, to within `FLAT`?
fn are_coplanar(rows: [DVec4; 3]) -> bool {
    let [a, b, c] = rows.map(DVec4::truncate);
    a.dot(b.cross(c)).abs() <= COPLANAR * length(a) * length(b) * length(c)
}

/// Where three rows are zero, and the directions in which one of them grows by 1 and
/// the others stay. The rows must not be flat.
fn intersection_point(rows: [DVec4; 3]) -> (DVec3, [DVec3; 3]) {
    let [a, b, c] = rows.map(DVec4::truncate);
    let volume = a.dot(b.cross(c));
    let grow = [b.cross(c) / volume, c.cross(a) / volume, a.cross(b) / volume];
    (-(grow[0] * rows[0].w + grow[1] * rows[1].w + grow[2] * rows[2].w), grow)
}

/// Is the row positive at a point, and not by rounding only?
fn is_positive_at(row: DVec4, point: DVec3) -> bool {
    let terms = row * point.extend(1.0);
    let size = terms.abs().element_sum();
    terms.element_sum() > ROUNDING * size
}
