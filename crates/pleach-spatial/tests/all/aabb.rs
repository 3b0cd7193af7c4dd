//! `Aabb`: compared with its eight corners, and with extreme numbers.

use pleach_spatial::glam::{Mat3, Mat4, Quat, Vec3};
use pleach_spatial::{Aabb, Sphere};
use testkit::Rng;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;
const MAX: f32 = f32::MAX;

/// Random boxes and transforms of any size.
trait RandomBoxes {
    /// Returns a vector of any magnitude from a thousandth to a million.
    fn scaled(&mut self) -> Vec3;

    fn any_box(&mut self) -> Aabb;

    fn any_affine(&mut self) -> Mat4;
}

impl RandomBoxes for Rng {
    fn scaled(&mut self) -> Vec3 {
        self.vec3(1.0) * 10_f32.powi((self.next_u64() % 10) as i32 - 3)
    }

    fn any_box(&mut self) -> Aabb {
        let (a, b) = (self.scaled(), self.scaled());
        match self.next_u64() % 8 {
            0 => Aabb::new(a, a),
            1 => Aabb::new(a.min(b).with_z(0.0), a.max(b).with_z(0.0)),
            _ => Aabb::new(a.min(b), a.max(b)),
        }
    }

    fn any_affine(&mut self) -> Mat4 {
        let rotation = Quat::from_vec4(self.vec3(1.0).extend(1.1)).normalize();
        let scale = match self.next_u64() % 8 {
            0 => Vec3::ZERO,
            1 => self.vec3(1.0) * Vec3::new(1.0, 0.0, 1.0),
            2 => Vec3::new(-1.0, 1.0, 1.0),
            3 => self.scaled(),
            _ => self.vec3(1.0),
        };
        let shear = match self.next_u64() % 4 {
            0 => Mat3::from_cols(self.vec3(1.0), self.vec3(1.0), self.vec3(1.0)),
            1 => Mat3::from_diagonal(Vec3::new(1.0, -0.0, 2.0)),
            _ => Mat3::IDENTITY,
        };
        let linear = Mat3::from_quat(rotation) * Mat3::from_diagonal(scale) * shear;
        Mat4::from_translation(self.scaled()) * Mat4::from_mat3(linear)
    }
}

fn unit_box() -> Aabb {
    Aabb::new(Vec3::ZERO, Vec3::ONE)
}

/// Returns boxes that are empty for different reasons.
fn empties() -> [Aabb; 6] {
    [
        Aabb::EMPTY,
        Aabb::new(Vec3::ONE, Vec3::ZERO),
        Aabb::new(Vec3::new(0.0, 5.0, 0.0), Vec3::new(9.0, 4.0, 9.0)),
        Aabb::new(Vec3::new(NAN, 0.0, 0.0), Vec3::ONE),
        Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, NAN)),
        Aabb::new(Vec3::NAN, Vec3::NAN),
    ]
}

/// Returns boxes that are not finite, or whose sizes are not.
fn huge() -> [Aabb; 5] {
    [
        Aabb::new(Vec3::splat(-INF), Vec3::splat(INF)),
        Aabb::new(Vec3::ZERO, Vec3::new(1.0, INF, 1.0)),
        Aabb::new(Vec3::splat(-MAX), Vec3::splat(MAX)),
        Aabb::new(Vec3::splat(INF), Vec3::splat(INF)),
        Aabb::new(Vec3::new(-INF, 0.0, 0.0), Vec3::new(MAX, 0.0, 0.0)),
    ]
}

/// Returns the bits, with positive zero for both zeros.
fn bits(aabb: &Aabb) -> [u32; 6] {
    let [a, b, c] = aabb.min.to_array();
    let [d, e, f] = aabb.max.to_array();
    [a, b, c, d, e, f].map(|number| (number + 0.0).to_bits())
}

#[test]
fn transformed_is_the_box_of_the_eight_corners_to_the_bit() {
    let mut rng = Rng::new(1);
    for _ in 0..if cfg!(miri) { 50 } else { 100_000 } {
        let seed = rng.state();
        let (aabb, matrix) = (rng.any_box(), rng.any_affine());
        let corners = aabb.corners().map(|corner| matrix.transform_point3(corner));
        let expected = Aabb::from_points(corners);
        assert_eq!(bits(&aabb.transformed(&matrix)), bits(&expected), "seed {seed:#x}");
    }
}

#[test]
fn transformed_clamps_to_f32_max() {
    let far = Aabb::new(Vec3::new(-1e30, 1.0, 1e30), Vec3::new(1e30, 2.0, 2e30));
    let grown = far.transformed(&Mat4::from_scale(Vec3::splat(1e20)));
    assert_eq!(grown, Aabb::new(Vec3::new(-MAX, 1e20, MAX), Vec3::new(MAX, 2e20, MAX)));

    // The first two terms overflow with opposite signs; the sum does not.
    let columns = [Vec3::new(1e20, 0.0, 0.0), Vec3::new(-1e20, 0.0, 0.0), Vec3::Z];
    let [x, y, z] = columns.map(|column| column.extend(0.0));
    let matrix = Mat4::from_cols(x, y, z, Vec3::ZERO.extend(1.0));
    let corner = Vec3::new(1e30, 1e30, 0.0);
    let cancelled = Aabb::new(corner, corner).transformed(&matrix);
    assert_eq!(cancelled, Aabb::new(Vec3::ZERO, Vec3::ZERO));
    let spread = Aabb::new(Vec3::ZERO, corner).transformed(&matrix);
    assert_eq!((spread.min.x, spread.max.x), (-MAX, MAX));
}

#[test]
fn transformed_of_empty_boxes_invalid_matrices_and_huge_boxes() {
    for aabb in empties() {
        assert_eq!(aabb.transformed(&Mat4::IDENTITY), Aabb::EMPTY);
    }
    for value in [NAN, INF, -INF] {
        let mut matrix = Mat4::IDENTITY;
        matrix.y_axis.x = value;
        assert_eq!(unit_box().transformed(&matrix), Aabb::EMPTY);
        let moved = Mat4::from_translation(Vec3::new(0.0, value, 0.0));
        assert_eq!(unit_box().transformed(&moved), Aabb::EMPTY);
    }
    for aabb in huge() {
        for matrix in [Mat4::IDENTITY, Mat4::from_scale(Vec3::new(0.0, -2.0, 1.0))] {
            let transformed = aabb.transformed(&matrix);
            assert!(transformed.is_finite() && !transformed.is_empty(), "{aabb:?}");
        }
    }
}

#[test]
fn from_points_is_exact_and_ignores_points_that_are_not_finite() {
    let mut rng = Rng::new(2);
    let points: Vec<Vec3> = (0..1000).map(|_| rng.scaled()).collect();
    let aabb = Aabb::from_points(points.iter().copied());
    for axis in 0..3 {
        let mut along: Vec<f32> = points.iter().map(|point| point[axis]).collect();
        along.sort_by(f32::total_cmp);
        assert_eq!((aabb.min[axis], aabb.max[axis]), (along[0], along[999]));
    }
    let bad = [Vec3::new(NAN, 9e9, 9e9), Vec3::new(9e9, INF, 0.0), Vec3::new(0.0, 0.0, -INF)];
    assert_eq!(Aabb::from_points(points.iter().copied().chain(bad)), aabb);
    assert_eq!(Aabb::from_points(bad), Aabb::EMPTY);
    assert_eq!(Aabb::from_points([]), Aabb::EMPTY);
}

#[test]
fn from_xyz_ignores_incomplete_points() {
    let one = Aabb::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(Aabb::from_xyz(&[1.0, 2.0, 3.0]), Some(one));
    assert_eq!(Aabb::from_xyz(&[1.0, 2.0, 3.0, 9.0, 9.0]), Some(one));
    assert_eq!(Aabb::from_xyz(&[1.0, 2.0, 3.0, NAN, 9.0, 9.0]), Some(one));
    for nothing in [&[][..], &[1.0], &[1.0, 2.0], &[NAN, 0.0, 0.0], &[0.0, INF, 0.0, 1.0]] {
        assert_eq!(Aabb::from_xyz(nothing), None);
    }
}

#[test]
fn from_center_half_is_the_inverse_of_center_and_half_extents() {
    let aabb = Aabb::new(Vec3::new(-1.0, 2.0, 4.0), Vec3::new(3.0, 2.0, 9.0));
    assert_eq!(Aabb::from_center_half(aabb.center(), aabb.half_extents()), aabb);
    let whole = Aabb::from_center_half(Vec3::splat(1e38), Vec3::new(INF, MAX, 0.0));
    assert_eq!(whole, Aabb::new(Vec3::new(-MAX, 1e38 - MAX, 1e38), Vec3::new(MAX, MAX, 1e38)));
    for (center, half) in [
        (Vec3::ZERO, Vec3::new(1.0, -1e-30, 1.0)),
        (Vec3::ZERO, Vec3::new(1.0, NAN, 1.0)),
        (Vec3::new(NAN, 0.0, 0.0), Vec3::ONE),
        (Vec3::new(0.0, INF, 0.0), Vec3::ONE),
    ] {
        assert_eq!(Aabb::from_center_half(center, half), Aabb::EMPTY);
    }
}

#[test]
fn sizes_do_not_overflow() {
    let widest = Aabb::new(Vec3::splat(-MAX), Vec3::splat(MAX));
    assert_eq!(widest.center(), Vec3::ZERO);
    assert_eq!(widest.half_extents(), Vec3::splat(MAX));
    assert_eq!(widest.size(), Vec3::splat(MAX));
    assert_eq!(widest.half_area(), MAX);
    let corner = Aabb::new(Vec3::splat(MAX), Vec3::splat(MAX));
    assert_eq!((corner.center(), corner.half_area()), (Vec3::splat(MAX), 0.0));
    let flat = Aabb::new(Vec3::ZERO, Vec3::new(MAX, 0.0, 2.0));
    assert_eq!(flat.half_area(), MAX);
    assert_eq!(Aabb::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)).half_area(), 11.0);
    let tiny = Vec3::splat(f32::from_bits(3));
    assert_eq!(Aabb::new(tiny, tiny).center(), tiny);
}

#[test]
fn empty_boxes_contain_and_intersect_nothing() {
    for empty in empties() {
        assert!(empty.is_empty());
        let measures = (empty.center(), empty.half_extents(), empty.size(), empty.half_area());
        assert_eq!(measures, (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0));
        assert_eq!(empty.corners(), [Vec3::ZERO; 8]);
        for other in [unit_box(), Aabb::new(Vec3::splat(-9.0), Vec3::splat(9.0)), huge()[0]] {
            assert!(!empty.intersects(&other) && !other.intersects(&empty));
            assert!(other.contains(&empty) && !empty.contains(&other));
            assert_eq!(empty.intersection(&other), Aabb::EMPTY);
            assert_eq!(other.intersection(&empty), Aabb::EMPTY);
            assert_eq!((empty.union(&other), other.union(&empty)), (other, other));
        }
        for other in empties() {
            assert!(empty.contains(&other) && !empty.intersects(&other));
            assert_eq!(empty.union(&other), Aabb::EMPTY);
        }
        for point in [Vec3::ZERO, Vec3::splat(0.5), Vec3::splat(INF), Vec3::NAN] {
            assert!(!empty.contains_point(point));
            assert_eq!(empty.closest_point(point), None);
            assert_eq!((empty.distance(point), empty.distance_squared(point)), (INF, INF));
        }
        assert!(!empty.intersects_sphere(&Sphere::new(Vec3::ZERO, INF)));
    }
}

#[test]
fn huge_boxes_never_give_nan() {
    let points = [Vec3::ZERO, Vec3::splat(MAX), Vec3::splat(-INF), Vec3::NAN];
    for aabb in huge() {
        let mut numbers = vec![aabb.half_area()];
        let vectors = [aabb.center(), aabb.half_extents(), aabb.size()];
        numbers.extend(vectors.iter().flat_map(|vector| vector.to_array()));
        for point in points {
            numbers.extend([aabb.distance(point), aabb.distance_squared(point)]);
            numbers.extend(aabb.closest_point(point).iter().flat_map(|point| point.to_array()));
        }
        assert!(numbers.iter().all(|number| !number.is_nan()), "{aabb:?}: {numbers:?}");
    }
    assert_eq!(unit_box().closest_point(Vec3::new(0.0, NAN, 0.0)), None);
    assert_eq!(unit_box().distance(Vec3::new(0.0, NAN, 0.0)), INF);
    assert_eq!(unit_box().distance(Vec3::new(-INF, 0.0, 0.0)), INF);
}

#[test]
fn touching_boxes_intersect() {
    let (left, right) = (unit_box(), Aabb::new(Vec3::X, Vec3::new(2.0, 1.0, 1.0)));
    assert!(left.intersects(&right));
    assert_eq!(left.intersection(&right), Aabb::new(Vec3::X, Vec3::ONE));
    let beyond = Aabb::new(Vec3::X.with_x(1_f32.next_up()), Vec3::splat(2.0));
    assert!(!left.intersects(&beyond));
    assert_eq!(left.intersection(&beyond), Aabb::EMPTY);
    assert!(left.contains(&left) && left.contains(&left.intersection(&right)));
    assert!(!left.contains(&right));
}

/// Relations with points and other boxes, compared with their definition by axis.
#[test]
fn relations_match_those_of_the_intervals() {
    let mut rng = Rng::new(3);
    let small = |rng: &mut Rng| (rng.next_u64() % 5) as f32;
    for _ in 0..if cfg!(miri) { 50 } else { 50_000 } {
        let [a, b, c, d, p] =
            [0; 5].map(|_| Vec3::new(small(&mut rng), small(&mut rng), small(&mut rng)));
        let (one, two) = (Aabb::new(a, b), Aabb::new(c.min(d), c.max(d)));
        let axes = |test: &dyn Fn(usize) -> bool| (0..3).all(test);
        let empty = !axes(&|i| a[i] <= b[i]);
        let intersects = !empty && axes(&|i| a[i].max(two.min[i]) <= b[i].min(two.max[i]));
        assert_eq!(one.is_empty(), empty);
        assert_eq!(one.intersects(&two), intersects);
        assert_eq!(one.intersection(&two).is_empty(), !intersects);
        assert_eq!(one.contains_point(p), axes(&|i| a[i] <= p[i] && p[i] <= b[i]));
        let within = empty || axes(&|i| two.min[i] <= a[i] && b[i] <= two.max[i]);
        assert_eq!(two.contains(&one), within);
        assert!(two.union(&one).contains(&one) && two.union(&one).contains(&two));
    }
}

#[test]
fn distance_matches_the_closest_point() {
    let mut rng = Rng::new(4);
    for _ in 0..if cfg!(miri) { 50 } else { 50_000 } {
        let seed = rng.state();
        let (aabb, point) = (rng.any_box(), rng.scaled());
        let closest = aabb.closest_point(point).unwrap();
        assert!(aabb.contains_point(closest));
        let away = (closest.as_dvec3() - point.as_dvec3()).length();
        assert!((f64::from(aabb.distance(point)) - away).abs() <= 1e-6 * away, "seed {seed:#x}");
        let square = f64::from(aabb.distance_squared(point));
        assert!((square - away * away).abs() <= 1e-6 * away * away, "seed {seed:#x}");
        assert_eq!(aabb.contains_point(point), away == 0.0);
        // No corner, nor any other point of the box, is nearer.
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let other = min + (max - min) * (rng.vec3(1.0) * 0.5 + 0.5).as_dvec3();
        assert!((other - point.as_dvec3()).length() >= away * (1.0 - 1e-9), "seed {seed:#x}");
    }
    let far = Vec3::new(3.0, 4.0, 0.0) * 2_f32.powi(90);
    assert_eq!(unit_box().distance(far), 5.0 * 2_f32.powi(90));
    assert_eq!(unit_box().distance_squared(far), INF);
}

#[test]
fn corners_are_numbered_by_their_bits() {
    let aabb = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 4.0));
    for (index, corner) in aabb.corners().into_iter().enumerate() {
        assert_eq!(corner.element_sum(), index as f32);
    }
}
