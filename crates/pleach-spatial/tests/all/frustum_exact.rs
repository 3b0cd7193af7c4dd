//! Culling compared with the view-projection in f64: up to ten million pairs of a box and a
//! frustum (a tenth with `PLEACH_EFFORT=quick`), most of them with a corner within a few
//! roundings of a side.
//!
//! A box may only be culled if its p-vertex is outside according to the matrix, by more than the
//! error of f64; and it must be culled if it is outside by more than the documented slack.

use pleach_spatial::glam::{DMat4, DVec4, Mat4, Quat, Vec3, Vec4};
use pleach_spatial::{Aabb, ClipSpace, Containment, Frustum, Side, Sphere};
use testkit::{Effort, Rng};

/// Returns the number of pairs for each of the four kinds of projection.
fn pairs() -> usize {
    if cfg!(miri) { 200 } else { Effort::pick(250_000, 2_500_000) }
}
/// The number of boxes per frustum.
const BOXES: usize = if cfg!(miri) { 20 } else { 2_000 };

const CLIPS: [ClipSpace; 3] =
    [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];

/// Random numbers in f64, and view matrices.
trait RandomViews {
    /// Returns a number from −1 to 1.
    fn signed(&mut self) -> f64;

    /// Returns a number between two powers of ten.
    fn size(&mut self, from: i32, to: i32) -> f64;

    fn vector(&mut self, size: f64) -> [f64; 3];

    fn view(&mut self) -> Mat4;
}

impl RandomViews for Rng {
    fn signed(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn size(&mut self, from: i32, to: i32) -> f64 {
        let power = 10_f64.powi(from + self.below((to - from) as usize + 1) as i32);
        power * (1.0 + self.signed() * 0.8)
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        [self.signed() * size, self.signed() * size, self.signed() * size]
    }

    fn view(&mut self) -> Mat4 {
        let rotation = [self.signed(), self.signed(), self.signed(), 1.01 + self.signed()];
        let rotation = Quat::from_array(rotation.map(|component| component as f32)).normalize();
        let scale = self.size(-3, 6);
        let translation = Vec3::from_array(self.vector(scale).map(|component| component as f32));
        Mat4::from_rotation_translation(rotation, translation)
    }
}

fn from_rows(rows: [[f64; 4]; 4]) -> Mat4 {
    Mat4::from_cols_array_2d(&rows.map(|row| row.map(|number| number as f32))).transpose()
}

/// Returns a perspective projection with the depth range of the clip space.
fn perspective(rng: &mut Rng, clip: ClipSpace) -> Mat4 {
    let (near, ratio) = (rng.size(-3, 2), 1.1 + rng.size(0, 6));
    let far = near * ratio;
    let [zz, zw] = match clip {
        ClipSpace::NegOneToOne => [(far + near) / (near - far), 2.0 * far * near / (near - far)],
        ClipSpace::ZeroToOne => [far / (near - far), far * near / (near - far)],
        ClipSpace::ZeroToOneReversed => [near / (far - near), far * near / (far - near)],
    };
    let (width, height) = (rng.size(-1, 1), rng.size(-1, 1));
    let (shift_x, shift_y) = (rng.signed() * 0.5, rng.signed() * 0.5);
    let rows =
        [[width, 0., shift_x, 0.], [0., height, shift_y, 0.], [0., 0., zz, zw], [0., 0., -1., 0.]];
    from_rows(rows) * rng.view()
}

fn infinite(rng: &mut Rng, clip: ClipSpace) -> Mat4 {
    let near = rng.size(-3, 2);
    let [zz, zw] = match clip {
        ClipSpace::NegOneToOne => [-1.0, -2.0 * near],
        ClipSpace::ZeroToOne => [-1.0, -near],
        ClipSpace::ZeroToOneReversed => [0.0, near],
    };
    let (width, height) = (rng.size(-1, 1), rng.size(-1, 1));
    let rows = [[width, 0., 0., 0.], [0., height, 0., 0.], [0., 0., zz, zw], [0., 0., -1., 0.]];
    from_rows(rows) * rng.view()
}

fn orthographic(rng: &mut Rng, clip: ClipSpace) -> Mat4 {
    let (near, depth) = (rng.signed() * rng.size(-3, 3), rng.size(-2, 6));
    let [zz, zw] = match clip {
        ClipSpace::NegOneToOne => [-2.0 / depth, -(2.0 * near + depth) / depth],
        ClipSpace::ZeroToOne => [-1.0 / depth, -near / depth],
        ClipSpace::ZeroToOneReversed => [1.0 / depth, (near + depth) / depth],
    };
    let (width, height) = (rng.size(-5, 2), rng.size(-5, 2));
    let (x, y) = (rng.signed(), rng.signed());
    let rows = [[width, 0., 0., x], [0., height, 0., y], [0., 0., zz, zw], [0., 0., 0., 1.]];
    from_rows(rows) * rng.view()
}

/// Returns a matrix of random numbers: mirrored, sheared, with any vanishing point.
fn any_matrix(rng: &mut Rng, _: ClipSpace) -> Mat4 {
    let scales = [0; 4].map(|_| rng.size(-3, 6));
    Mat4::from_cols_array_2d(&scales.map(|scale| [0; 4].map(|_| (rng.signed() * scale) as f32)))
}

/// Returns the six conditions of clip space: a point is in view if all are positive.
fn sides(matrix: &Mat4, clip: ClipSpace) -> [[f64; 4]; 6] {
    let [x, y, z, w] = [0, 1, 2, 3].map(|row| matrix.row(row).as_dvec4());
    let (near, far) = match clip {
        ClipSpace::NegOneToOne => (w + z, w - z),
        ClipSpace::ZeroToOne => (z, w - z),
        ClipSpace::ZeroToOneReversed => (w - z, z),
    };
    [w + x, w - x, w + y, w - y, near, far].map(|side| side.to_array())
}

fn length(side: &[f64; 4]) -> f64 {
    (side[0] * side[0] + side[1] * side[1] + side[2] * side[2]).sqrt()
}

/// Returns the value of a side at the p-vertex, and the sum of the absolute values of its terms.
fn at_p_vertex(side: &[f64; 4], min: [f32; 3], max: [f32; 3]) -> (f64, f64) {
    let (mut sum, mut size) = (side[3], side[3].abs());
    let mut axis = 0;
    while axis < 3 {
        let component = side[axis];
        sum += component * f64::from(if component >= 0.0 { max[axis] } else { min[axis] });
        size += component.abs() * f64::from(min[axis].abs().max(max[axis].abs()));
        axis += 1;
    }
    (sum, size)
}

fn nudged(number: f32, ulps: u32) -> f32 {
    // Seven values, centred on the number itself.
    f32::from_bits(number.to_bits().wrapping_add(ulps % 7).wrapping_sub(3))
}

/// Returns a box whose p-vertex for a side lies on it, to within three roundings.
fn touching_box(
    rng: &mut Rng,
    side: &[f64; 4],
    size: f64,
    point: [f64; 3],
) -> ([f32; 3], [f32; 3]) {
    let length = length(side);
    let height = side[0] * point[0] + side[1] * point[1] + side[2] * point[2] + side[3];
    let mut bits = rng.next_u64();
    let (mut min, mut max) = ([0.0; 3], [0.0; 3]);
    let mut axis = 0;
    while axis < 3 {
        let normal = side[axis] / length;
        let on_plane = (point[axis] - height / length * normal) as f32;
        let corner = if on_plane.abs() > 1e-30 { nudged(on_plane, bits as u32) } else { on_plane };
        let extent = (size * (bits & 0xff) as f64 / 256.0) as f32;
        bits >>= 16;
        if normal >= 0.0 {
            (min[axis], max[axis]) = (corner - extent, corner);
        } else {
            (min[axis], max[axis]) = (corner, corner + extent);
        }
        axis += 1;
    }
    (min, max)
}

fn exact(matrix: &Mat4) -> DMat4 {
    DMat4::from_cols_array(&matrix.to_cols_array().map(f64::from))
}

/// Returns a point in view, or nearly so, if the matrix is invertible.
fn random_point_in_view(rng: &mut Rng, inverse: &DMat4) -> [f64; 3] {
    let point = *inverse * DVec4::new(rng.signed(), rng.signed(), rng.signed(), 1.0);
    let point = (point / point.w).truncate();
    let reasonable = point.is_finite() && point.abs().max_element() < 1e30;
    if reasonable { point.to_array() } else { [0.0; 3] }
}

fn random_box(rng: &mut Rng, size: f64, center_range: f64) -> ([f32; 3], [f32; 3]) {
    let (center, half) = (rng.vector(center_range), rng.vector(size));
    let mut min = [0.0; 3];
    let mut max = [0.0; 3];
    for axis in 0..3 {
        min[axis] = (center[axis] - half[axis].abs()) as f32;
        max[axis] = (center[axis] + half[axis].abs()) as f32;
    }
    (min, max)
}

/// The cases that a run covered, to verify that it covered the hard ones.
#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    culled: usize,
    /// Not culled only because of the slack.
    saved: usize,
}

fn run(seed: u64, projection: fn(&mut Rng, ClipSpace) -> Mat4) -> Tally {
    let mut rng = Rng::new(seed);
    let mut tally = Tally::default();
    let pairs = pairs();
    while tally.pairs < pairs {
        let start = rng.state();
        let clip = CLIPS[rng.below(3)];
        let matrix = projection(&mut rng, clip);
        let Ok(frustum) = Frustum::from_view_projection(&matrix, clip) else { continue };
        let (sides, inverse) = (sides(&matrix, clip), exact(&matrix).inverse());
        for _ in 0..BOXES {
            let (size, center_range) = (rng.size(-3, 6), rng.size(-3, 6));
            let side = &sides[rng.below(6)];
            let kind = if length(side) > 0.0 { rng.below(8) } else { 0 };
            let (min, max) = match kind {
                0 => random_box(&mut rng, size, center_range),
                1..4 => {
                    let point = rng.vector(center_range);
                    touching_box(&mut rng, side, size, point)
                }
                _ => {
                    let point = random_point_in_view(&mut rng, &inverse);
                    touching_box(&mut rng, side, size, point)
                }
            };
            let aabb = Aabb::new(Vec3::from_array(min), Vec3::from_array(max));
            let outside = frustum.first_outside(&aabb);
            tally.pairs += 1;
            if let Some(outside) = outside {
                tally.culled += 1;
                let (sum, size) = at_p_vertex(&sides[outside as usize], min, max);
                assert!(
                    sum < -size / (1_u64 << 48) as f64,
                    "seed {start:#x}: {aabb:?} has a point inside of {outside}: {sum}",
                );
            } else {
                check_kept(start, &frustum, &sides, &aabb);
                tally.saved += usize::from(plain_test_errs(&frustum, &sides, &aabb));
            }
        }
    }
    tally
}

/// Asserts that a box that was kept is not outside any side by more than the slack.
fn check_kept(start: u64, frustum: &Frustum, sides: &[[f64; 4]; 6], aabb: &Aabb) {
    for (side, plane) in sides.iter().zip(frustum.planes()) {
        let (sum, size) = at_p_vertex(side, aabb.min.to_array(), aabb.max.to_array());
        let slack = size / (1 << 19) as f64 + length(side) * 1e-35;
        let at_infinity = plane.normal == Vec3::ZERO;
        assert!(
            at_infinity || sum >= -slack,
            "seed {start:#x}: {aabb:?} is outside of {side:?} by {sum}, and kept",
        );
    }
}

/// Returns `true` if a test without slack would cull the box by a side that it has a point inside
/// of.
fn plain_test_errs(frustum: &Frustum, sides: &[[f64; 4]; 6], aabb: &Aabb) -> bool {
    sides.iter().zip(frustum.planes()).any(|(side, plane)| {
        let farthest = Vec3::select(plane.normal.cmpge(Vec3::ZERO), aabb.max, aabb.min);
        plane.normal.dot(farthest) + plane.d < 0.0
            && at_p_vertex(side, aabb.min.to_array(), aabb.max.to_array()).0 >= 0.0
    })
}

fn assert_hard_cases_were_covered(tally: &Tally) {
    if cfg!(miri) {
        return;
    }
    println!("{tally:?}");
    assert!(tally.culled > tally.pairs / 5 && tally.culled < tally.pairs * 19 / 20, "{tally:?}");
    assert!(tally.saved > 1000, "{tally:?}");
}

#[test]
fn no_box_in_view_of_a_perspective_is_culled() {
    assert_hard_cases_were_covered(&run(1, perspective));
}

#[test]
fn no_box_in_view_of_an_infinite_perspective_is_culled() {
    assert_hard_cases_were_covered(&run(2, infinite));
}

#[test]
fn no_box_in_view_of_an_orthographic_camera_is_culled() {
    assert_hard_cases_were_covered(&run(3, orthographic));
}

#[test]
fn no_box_in_view_of_any_matrix_is_culled() {
    assert_hard_cases_were_covered(&run(4, any_matrix));
}

/// Independent of planes: points are transformed back from clip space, and boxes placed around
/// them.
#[test]
fn boxes_around_points_in_view_are_not_culled() {
    let mut rng = Rng::new(5);
    let mut in_view_count = 0;
    for round in 0..if cfg!(miri) { 10 } else { 4_000 } {
        let start = rng.state();
        let clip = CLIPS[rng.below(3)];
        let projection = [perspective, infinite, orthographic][round % 3];
        let matrix = projection(&mut rng, clip);
        let Ok(frustum) = Frustum::from_view_projection(&matrix, clip) else { continue };
        let exact = exact(&matrix);
        let inverse = exact.inverse();
        for _ in 0..25 {
            let at = DVec4::new(rng.signed(), rng.signed(), rng.signed() * 0.5 + 0.5, 1.0);
            let point = inverse * at;
            let point = (point / point.w).truncate().as_vec3();
            let clipped = exact * point.as_dvec3().extend(1.0);
            let min_z = if clip == ClipSpace::NegOneToOne { -clipped.w } else { 0.0 };
            let in_view = point.is_finite()
                && clipped.x.abs() <= clipped.w
                && clipped.y.abs() <= clipped.w
                && (min_z..=clipped.w).contains(&clipped.z);
            if !in_view {
                continue;
            }
            in_view_count += 1;
            let size = rng.size(-3, 6);
            let extent = Vec3::from_array(rng.vector(size).map(|component| component.abs() as f32));
            for aabb in [
                Aabb::new(point, point),
                Aabb::new(point, point + extent),
                Aabb::new(point - extent, point),
                Aabb::new(point - extent, point + extent),
            ] {
                assert!(frustum.intersects(&aabb), "seed {start:#x}: {aabb:?} has {point}");
            }
            let away = extent.length();
            for sphere in [Sphere::new(point, 0.0), Sphere::new(point + extent, away.next_up())] {
                let has = sphere.contains_point(point);
                assert!(!has || frustum.intersects_sphere(&sphere), "seed {start:#x}: {sphere:?}");
            }
        }
    }
    assert!(cfg!(miri) || in_view_count > 50_000, "{in_view_count}");
}

/// The tree relies on this: nothing within a box that is inside needs a test.
#[test]
fn boxes_within_a_box_that_is_inside_are_not_culled() {
    let mut rng = Rng::new(6);
    let mut inside = 0;
    for round in 0..if cfg!(miri) { 10 } else { 400 } {
        let start = rng.state();
        let clip = CLIPS[rng.below(3)];
        let projection = [perspective, infinite, orthographic, any_matrix][round % 4];
        let matrix = projection(&mut rng, clip);
        let Ok(frustum) = Frustum::from_view_projection(&matrix, clip) else { continue };
        let (sides, inverse) = (sides(&matrix, clip), exact(&matrix).inverse());
        for _ in 0..500 {
            // The n-vertex lies on the side.
            let side = sides[rng.below(6)].map(|component| -component);
            if length(&side) == 0.0 {
                continue;
            }
            let (size, point) = (rng.size(-3, 3), random_point_in_view(&mut rng, &inverse));
            let (min, max) = touching_box(&mut rng, &side, size, point);
            let outer = Aabb::new(min.into(), max.into());
            if frustum.classify(&outer) != Containment::Inside {
                continue;
            }
            inside += 1;
            let corners = outer.corners();
            for inner in corners.map(|corner| Aabb::new(corner, corner)) {
                assert_ne!(frustum.classify(&inner), Containment::Outside, "seed {start:#x}");
            }
        }
    }
    assert!(cfg!(miri) || inside > 1_000, "{inside}");
}

/// Tiny and huge numbers in the matrix and in the boxes.
#[test]
fn no_box_in_view_is_culled_for_extreme_numbers() {
    let mut rng = Rng::new(7);
    let mut culled = 0;
    for _ in 0..if cfg!(miri) { 10 } else { 20_000 } {
        let start = rng.state();
        let clip = CLIPS[rng.below(3)];
        let matrix = any_matrix(&mut rng, clip);
        let column = rng.size(-38, 30) as f32;
        let row = Vec4::new(1.0, rng.size(-30, 30) as f32, 1.0, 1.0);
        let mut matrix = Mat4::from_diagonal(row) * matrix;
        matrix.y_axis *= column;
        let Ok(frustum) = Frustum::from_view_projection(&matrix, clip) else { continue };
        let sides = sides(&matrix, clip);
        for _ in 0..20 {
            let (size, center_range) = (rng.size(-44, 38), rng.size(-44, 38));
            let (min, max) = random_box(&mut rng, size, center_range);
            let aabb = Aabb::new(min.into(), max.into());
            if let Some(outside) = frustum.first_outside(&aabb) {
                culled += 1;
                let (sum, _) = at_p_vertex(&sides[outside as usize], min, max);
                assert!(sum < 0.0, "seed {start:#x}: {aabb:?} has a point inside of {outside}");
            }
        }
    }
    assert!(cfg!(miri) || culled > 1_000, "{culled}");
}

#[test]
fn sides_are_numbered_in_order() {
    for (index, side) in Side::ALL.into_iter().enumerate() {
        assert_eq!(side as usize, index);
    }
}
