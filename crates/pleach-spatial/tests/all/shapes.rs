//! Small shapes: each call compared with samples or another formula in f64, for random and
//! degenerate input.

use pleach_spatial::glam::{DMat3, DMat4, DVec3, Mat4, Vec3};
use pleach_spatial::{Aabb, Containment, Error, Plane, Ray, Sphere, Triangle};
use testkit::{Rng, sized};

use crate::common::RandomShapes;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;
const MAX: f32 = f32::MAX;

/// Numbers at the limits of f32.
const SPECIAL: [f32; 12] = [0.0, -0.0, 1.0, -1.0, 1e-45, -1e-38, 1e19, -1e30, MAX, -MAX, INF, NAN];

/// Calls `test` with random numbers of many seeds.
fn each_seed(test: impl Fn(&mut Rng, u64)) {
    for seed in 0..sized(3000, 20) as u64 {
        test(&mut Rng::new(seed), seed);
    }
}

/// Returns a point, often one that coincides with faces, edges and corners.
fn point(random: &mut Rng) -> Vec3 {
    if random.one_in(2) { random.grid_point(2) } else { random.vec3(3.0) }
}

fn plane(random: &mut Rng) -> Plane {
    let any = random.direction();
    let normal = random.pick(&[Vec3::X, Vec3::NEG_Y, Vec3::Z, any]);
    Plane::from_point_normal(point(random), normal).unwrap()
}

/// Returns an affine matrix: rotations and scales, or with shear.
fn matrix(random: &mut Rng) -> Mat4 {
    match random.one_in(2) {
        true => random.transform(3.0).to_matrix(),
        false => random.invertible(3.0),
    }
}

fn mapped(matrix: &Mat4, point: DVec3) -> DVec3 {
    matrix.as_dmat4().transform_point3(point)
}

/// Asserts `a <= b`, to within a few roundings of f32 at this magnitude.
#[track_caller]
fn assert_at_most(a: f64, b: f64, magnitude: f64, seed: u64) {
    assert!(a <= b + 1e-6 * (1.0 + magnitude), "{a} > {b}, seed {seed}");
}

#[track_caller]
fn assert_near(a: f64, b: f64, magnitude: f64, seed: u64) {
    assert_at_most(a, b, magnitude, seed);
    assert_at_most(b, a, magnitude, seed);
}

#[test]
fn a_box_grows_by_points_and_distances() {
    each_seed(|random, seed| {
        let (aabb, point) = (random.aabb(), point(random));
        let grown = aabb.with_point(point);
        assert!(grown.contains(&aabb) && grown.contains_point(point), "seed {seed}");
        for axis in 0..3 {
            // Nothing is larger than needed.
            assert!([aabb.min[axis], point[axis]].contains(&grown.min[axis]), "seed {seed}");
            assert!([aabb.max[axis], point[axis]].contains(&grown.max[axis]), "seed {seed}");
        }
        let distance = random.between(-1.0, 2.0);
        let grown = aabb.grown(distance);
        let [min, max] = [(aabb.min, -distance), (aabb.max, distance)]
            .map(|(corner, by)| corner.as_dvec3() + f64::from(by));
        if min.cmple(max).all() {
            assert_eq!((grown.min, grown.max), (min.as_vec3(), max.as_vec3()), "seed {seed}");
        } else {
            assert_eq!(grown, Aabb::EMPTY, "seed {seed}");
        }
    });
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    assert_eq!(Aabb::EMPTY.with_point(Vec3::Y), Aabb::new(Vec3::Y, Vec3::Y));
    assert_eq!(unit.with_point(Vec3::new(NAN, 0.0, 9.0)), unit);
    assert_eq!(unit.with_point(Vec3::splat(INF)), unit);
    assert_eq!(unit.grown(-0.5), Aabb::new(Vec3::splat(0.5), Vec3::splat(0.5)));
    assert_eq!(unit.grown(NAN), Aabb::EMPTY);
    assert_eq!(unit.grown(INF), Aabb::new(Vec3::splat(-MAX), Vec3::splat(MAX)));
    assert_eq!(Aabb::new(Vec3::splat(-MAX), Vec3::splat(MAX)).grown(MAX).max, Vec3::splat(MAX));
    assert_eq!(Aabb::EMPTY.grown(9.0), Aabb::EMPTY);
}

#[test]
fn a_box_is_nowhere_nearer_than_its_closest_point() {
    each_seed(|random, seed| {
        let (aabb, from) = (random.typical_box(), point(random));
        let closest = aabb.closest_point(from).unwrap();
        assert!(aabb.contains_point(closest), "seed {seed}");
        let distance = closest.as_dvec3().distance(from.as_dvec3());
        assert_near(f64::from(aabb.distance(from)), distance, distance, seed);
        for _ in 0..20 {
            let weight = Vec3::from_array([(); 3].map(|()| random.between(0.0, 1.0)));
            let sample = aabb.min + (aabb.max - aabb.min) * weight;
            assert_at_most(distance, sample.distance(from).into(), distance, seed);
        }
    });
}

#[test]
fn the_union_of_spheres_contains_both_and_is_not_larger_than_needed() {
    each_seed(|random, seed| {
        let mut sphere = || Sphere::new(point(random), random.between(-0.1, 2.0));
        let (a, b) = (sphere(), sphere());
        let union = a.union(&b);
        assert!(union.contains(&a) && union.contains(&b), "{a:?} {b:?}, seed {seed}");
        let radius = match (a.is_empty(), b.is_empty()) {
            (true, true) => return assert_eq!(union, Sphere::EMPTY),
            (true, false) => return assert_eq!(union, b),
            (false, true) => return assert_eq!(union, a),
            (false, false) => {
                let distance = a.center.as_dvec3().distance(b.center.as_dvec3());
                let [a, b] = [a, b].map(|it| f64::from(it.radius));
                (0.5 * (distance + a + b)).max(a).max(b)
            }
        };
        assert_near(union.radius.into(), radius, radius, seed);
        let to = point(random);
        let with_point = a.with_point(to);
        assert!(
            with_point.contains(&a) && with_point.contains(&Sphere::new(to, 0.0)),
            "seed {seed}"
        );
        assert_eq!(a.contains(&b), a.union(&b) == a, "seed {seed}");
    });
    let ball = Sphere::new(Vec3::X, 2.0);
    assert_eq!(ball.with_point(Vec3::splat(NAN)), ball);
    assert_eq!(ball.union(&Sphere::new(Vec3::ZERO, INF)).radius, INF);
    assert_eq!(ball.union(&ball), ball);
    let far = Sphere::new(Vec3::splat(MAX), MAX).union(&Sphere::new(Vec3::splat(-MAX), MAX));
    assert_eq!(far, Sphere::new(Vec3::ZERO, INF));
}

#[test]
fn spheres_grow_and_have_distances() {
    each_seed(|random, seed| {
        let sphere = Sphere::new(point(random), random.between(0.0, 2.0));
        let (from, by) = (point(random), random.between(-2.0, 2.0));
        let grown = sphere.grown(by);
        let radius = f64::from(sphere.radius) + f64::from(by);
        match radius < 0.0 {
            true => assert_eq!(grown, Sphere::EMPTY, "seed {seed}"),
            false => assert_eq!(grown, Sphere::new(sphere.center, radius as f32), "seed {seed}"),
        }
        let distance = f64::from(sphere.distance(from));
        assert_eq!(distance == 0.0, sphere.contains_point(from), "seed {seed}");
        // The nearest of many points of the surface is not nearer.
        for _ in 0..20 {
            let sample = sphere.center + random.direction() * sphere.radius;
            assert_at_most(distance, sample.distance(from).into(), 3.0, seed);
        }
        let to_center = from.as_dvec3().distance(sphere.center.as_dvec3());
        assert_near(distance, (to_center - f64::from(sphere.radius)).max(0.0), 3.0, seed);
    });
    let ball = Sphere::new(Vec3::X, 2.0);
    assert_eq!((ball.distance(Vec3::splat(NAN)), Sphere::EMPTY.distance(Vec3::X)), (INF, INF));
    assert_eq!(Sphere::new(Vec3::X, INF).distance(Vec3::splat(MAX)), 0.0);
    assert_eq!(Sphere::new(Vec3::splat(-MAX), 0.0).distance(Vec3::splat(MAX)), MAX);
    assert_eq!((ball.grown(NAN), ball.grown(-INF)), (Sphere::EMPTY, Sphere::EMPTY));
    assert_eq!((ball.grown(INF).radius, Sphere::new(Vec3::X, INF).grown(-9.0).radius), (MAX, INF));
}

#[test]
fn a_transformed_sphere_contains_all_transformed_points() {
    each_seed(|random, seed| {
        let sphere = Sphere::new(point(random), random.between(0.0, 2.0));
        let (is_rigid, transform) = (random.one_in(2), random.transform(3.0));
        let matrix = if is_rigid { transform.to_matrix() } else { random.invertible(3.0) };
        let moved = sphere.transformed(&matrix);
        let (center, radius) = (moved.center.as_dvec3(), f64::from(moved.radius));
        let mut farthest = 0.0_f64;
        for _ in 0..50 {
            let direction = random.direction().as_dvec3().normalize();
            let sample = sphere.center.as_dvec3() + direction * f64::from(sphere.radius);
            farthest = farthest.max(mapped(&matrix, sample).distance(center));
        }
        assert_at_most(farthest, radius, 1e-9, seed);
        if is_rigid {
            let scale = f64::from(transform.scale.abs().max_element());
            assert_near(radius, f64::from(sphere.radius) * scale, radius + center.length(), seed);
        }
        // The exact norm, by power iteration.
        let linear = DMat3::from_mat4(matrix.as_dmat4());
        let gram = linear.transpose() * linear;
        let mut vector = DVec3::new(1.0, 0.9, 1.1);
        for _ in 0..500 {
            vector = (gram * vector).normalize_or(DVec3::X);
        }
        let exact = (linear * vector).length() * f64::from(sphere.radius);
        assert_at_most(radius, 1.33 * exact, radius + center.length(), seed);
    });
    let ball = Sphere::new(Vec3::X, 2.0);
    assert_eq!(ball.transformed(&Mat4::from_scale(Vec3::ZERO)), Sphere::new(Vec3::ZERO, 0.0));
    assert_eq!(ball.transformed(&Mat4::from_scale(Vec3::splat(NAN))), Sphere::EMPTY);
    assert_eq!(Sphere::EMPTY.transformed(&Mat4::IDENTITY), Sphere::EMPTY);
    assert_eq!(ball.transformed(&Mat4::from_scale(Vec3::splat(MAX))).radius, INF);
    assert_eq!(Sphere::new(Vec3::X, INF).transformed(&Mat4::from_scale(Vec3::ZERO)).radius, 0.0);
}

#[test]
fn a_transformed_plane_has_the_transformed_points_inside() {
    each_seed(|random, seed| {
        let (plane, matrix) = (plane(random), matrix(random));
        let moved = plane.transformed(&matrix).unwrap();
        assert_near(moved.normal.as_dvec3().length(), 1.0, 0.0, seed);
        for _ in 0..10 {
            let sample = point(random).as_dvec3();
            let [before, after] = [(plane, sample), (moved, mapped(&matrix, sample))]
                .map(|(plane, it)| plane.normal.as_dvec3().dot(it) + f64::from(plane.d));
            // Not if it is nearer to the plane than its rounding.
            if before.abs() > 1e-2 && after.abs() > 1e-4 {
                assert_eq!(before > 0.0, after > 0.0, "{plane:?} {matrix} {sample}, seed {seed}");
            }
            let on_plane = sample - plane.normal.as_dvec3() * before;
            let on_moved = mapped(&matrix, on_plane);
            let off = moved.normal.as_dvec3().dot(on_moved) + f64::from(moved.d);
            assert_near(off, 0.0, on_moved.length() + f64::from(moved.d.abs()), seed);
        }
    });
    let floor = Plane::new(Vec3::Z, -1.0);
    for singular in [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 1.0)] {
        assert_eq!(floor.transformed(&Mat4::from_scale(singular)), None, "{singular}");
    }
    assert_eq!(floor.transformed(&Mat4::from_scale(Vec3::splat(NAN))), None);
    assert_eq!(Plane::new(Vec3::splat(NAN), 0.0).transformed(&Mat4::IDENTITY), None);
    let (at_infinity, moved) = (Plane::AT_INFINITY, Mat4::from_translation(Vec3::X));
    assert_eq!(at_infinity.transformed(&moved), Some(at_infinity));
    assert_eq!(at_infinity.flipped().transformed(&moved), None, "nothing is inside");
    // Normals of any length, and mirroring.
    let long = Plane::new(Vec3::Z * 4.0, -4.0);
    let mirror = Mat4::from_scale(Vec3::new(1.0, 1.0, -2.0));
    assert_eq!(long.transformed(&mirror), Some(Plane::new(Vec3::NEG_Z, -2.0)));
    let far = Plane::new(Vec3::Z, MAX).transformed(&Mat4::from_scale(Vec3::splat(9.0)));
    assert_eq!(far, Some(Plane::new(Vec3::Z, MAX)));
}

#[test]
fn planes_classify_boxes_by_their_corners() {
    each_seed(|random, seed| {
        let (plane, aabb) = (plane(random), random.aabb());
        let distance =
            |corner: Vec3| plane.normal.as_dvec3().dot(corner.as_dvec3()) + f64::from(plane.d);
        let distances = aabb.corners().map(distance);
        let nearest = distances.into_iter().fold(f64::INFINITY, f64::min);
        let farthest = distances.into_iter().fold(f64::NEG_INFINITY, f64::max);
        // Decided by rounding, unless normals and corners have few digits.
        let is_exact =
            plane.normal.abs().max_element() == 1.0 && aabb.max.abs().max_element() < 9.0;
        if !is_exact && (nearest.abs() < 1e-12 || farthest.abs() < 1e-12) {
            return;
        }
        let expected = match (nearest >= 0.0, farthest >= 0.0) {
            (true, _) => Containment::Inside,
            (_, true) => Containment::Intersects,
            _ => Containment::Outside,
        };
        assert_eq!(plane.classify(&aabb), expected, "{plane:?} {aabb:?}, seed {seed}");
    });
    let floor = Plane::new(Vec3::Z, 0.0);
    let half_space = Aabb::new(Vec3::new(-INF, -INF, 0.0), Vec3::splat(INF));
    assert_eq!(floor.classify(&half_space), Containment::Inside);
    assert_eq!(floor.flipped().classify(&half_space), Containment::Intersects);
    assert_eq!(
        floor.classify(&Aabb::new(Vec3::splat(-INF), Vec3::splat(INF))),
        Containment::Intersects
    );
    assert_eq!(floor.classify(&Aabb::EMPTY), Containment::Outside);
    assert_eq!(Plane::AT_INFINITY.classify(&half_space), Containment::Inside);
    assert_eq!(Plane::AT_INFINITY.flipped().classify(&half_space), Containment::Outside);
    assert_eq!(Plane::new(Vec3::Z, NAN).classify(&half_space), Containment::Outside);
}

#[test]
fn planes_classify_spheres_by_the_distance_of_their_centre() {
    each_seed(|random, seed| {
        let sphere = Sphere::new(point(random), random.between(0.0, 2.0));
        let mut plane = plane(random);
        let distance = plane.normal.as_dvec3().dot(sphere.center.as_dvec3()) + f64::from(plane.d);
        let radius = f64::from(sphere.radius);
        if (distance.abs() - radius).abs() < 1e-5 {
            return;
        }
        let expected = match (distance >= radius, distance >= -radius) {
            (true, _) => Containment::Inside,
            (_, true) => Containment::Intersects,
            _ => Containment::Outside,
        };
        assert_eq!(plane.classify_sphere(&sphere), expected, "{plane:?} {sphere:?}, seed {seed}");
        // The length of the normal is irrelevant.
        (plane.normal, plane.d) = (plane.normal * 3.0, plane.d * 3.0);
        assert_eq!(plane.classify_sphere(&sphere), expected, "seed {seed}");
    });
    let floor = Plane::new(Vec3::Z, 0.0);
    let touching = [Sphere::new(Vec3::Z, 1.0), Sphere::new(Vec3::NEG_Z, 1.0)];
    let expected = [Containment::Inside, Containment::Intersects];
    assert_eq!(touching.map(|it| floor.classify_sphere(&it)), expected);
    let everything = Sphere::new(Vec3::ZERO, INF);
    assert_eq!(floor.classify_sphere(&everything), Containment::Intersects);
    assert_eq!(Plane::AT_INFINITY.classify_sphere(&everything), Containment::Inside);
    assert_eq!(floor.classify_sphere(&Sphere::EMPTY), Containment::Outside);
}

#[test]
fn a_transformed_ray_has_the_transformed_points() {
    each_seed(|random, seed| {
        let (ray, matrix) = (random.ray(3.0), matrix(random));
        let Some(moved) = ray.transformed(&matrix) else { panic!("seed {seed}") };
        assert_near(moved.direction().as_dvec3().length(), 1.0, 0.0, seed);
        let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
        for _ in 0..10 {
            let along = f64::from(random.between(0.0, 5.0).min(ray.max_distance()));
            let sample = mapped(&matrix, origin + direction * along);
            let off = moved.distance(sample.as_vec3());
            assert_near(off.into(), 0.0, sample.length() + 5.0, seed);
        }
        if ray.max_distance().is_finite() {
            let end = mapped(&matrix, origin + direction * f64::from(ray.max_distance()));
            let moved_end = moved.at(moved.max_distance()).as_dvec3();
            assert_near(end.distance(moved_end), 0.0, end.length() + 5.0, seed);
        }
    });
    let ray = Ray::new(Vec3::X, Vec3::Y).unwrap();
    assert_eq!(ray.transformed(&Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0))), None);
    let flat = ray.transformed(&Mat4::from_scale(Vec3::new(0.0, 2.0, 0.0))).unwrap();
    assert_eq!((flat.origin(), flat.direction()), (Vec3::ZERO, Vec3::Y), "singular otherwise");
    assert_eq!(ray.transformed(&Mat4::from_scale(Vec3::splat(INF))), None);
    assert_eq!(flat.max_distance(), INF);
    let empty = ray.with_max_distance(-3.0).transformed(&Mat4::from_scale(Vec3::splat(5.0)));
    assert_eq!(empty.unwrap().max_distance(), -1.0);
    let far = ray.with_max_distance(MAX).transformed(&Mat4::from_scale(Vec3::splat(MAX))).unwrap();
    assert_eq!((far.origin(), far.max_distance()), (Vec3::X * MAX, MAX));
}

#[test]
fn a_ray_is_nowhere_nearer_than_its_closest_point() {
    each_seed(|random, seed| {
        let (ray, from) = (random.ray(3.0), point(random));
        let distance = f64::from(ray.distance(from));
        let closest = ray.closest_point(from).unwrap();
        assert_near(closest.as_dvec3().distance(from.as_dvec3()), distance, 5.0, seed);
        assert_near(ray.distance(closest).into(), 0.0, 5.0, seed);
        let end = f64::from(ray.max_distance().min(10.0));
        for step in 0..=100 {
            let along = end * f64::from(step) / 100.0;
            let sample = ray.origin().as_dvec3() + ray.direction().as_dvec3() * along;
            assert_at_most(distance, sample.distance(from.as_dvec3()), 5.0, seed);
        }
    });
    let ray = Ray::new(Vec3::X, Vec3::Y).unwrap();
    assert_eq!(ray.closest_point(Vec3::splat(NAN)), None);
    assert_eq!((ray.distance(Vec3::splat(INF)), ray.distance(Vec3::splat(-MAX))), (INF, MAX));
    let empty = ray.with_max_distance(-1.0);
    assert_eq!((empty.closest_point(Vec3::X), empty.distance(Vec3::X)), (None, INF));
    assert_eq!(ray.with_max_distance(0.0).closest_point(Vec3::Y * 9.0), Some(Vec3::X));
}

#[test]
fn a_ray_is_inside_a_box_between_its_entry_and_exit() {
    each_seed(|random, seed| {
        let (ray, aabb) = (random.ray(3.0), random.typical_box());
        let through = ray.hit_aabb_through(&aabb);
        assert_eq!(through.map(|(enter, _)| enter), ray.hit_aabb(&aabb), "seed {seed}");
        let end = f64::from(ray.max_distance().min(12.0));
        let near = aabb.grown(-1e-4);
        for step in 0..=200 {
            let along = end * f64::from(step) / 200.0;
            let sample = ray.origin().as_dvec3() + ray.direction().as_dvec3() * along;
            let is_inside = |it: &Aabb| it.contains_point(sample.as_vec3());
            match through {
                Some((enter, leave)) if along >= enter.into() && along <= leave.into() => {
                    assert!(is_inside(&aabb.grown(1e-4)), "{ray:?} {aabb:?}, seed {seed}");
                }
                _ => assert!(!is_inside(&near), "{ray:?} {aabb:?}, seed {seed}"),
            }
        }
    });
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let along_edge = Ray::new(Vec3::new(-2.0, 1.0, 1.0), Vec3::X).unwrap();
    assert_eq!(along_edge.hit_aabb_through(&unit), Some((2.0, 3.0)));
    let corner = Ray::new(Vec3::new(-1.0, 2.0, 0.0), Vec3::new(1.0, -1.0, 0.0)).unwrap();
    let (enter, leave) = corner.hit_aabb_through(&unit).unwrap();
    assert!(enter < leave);
    let inside = Ray::new(Vec3::splat(0.5), Vec3::NEG_Z).unwrap();
    assert_eq!(inside.hit_aabb_through(&unit), Some((0.0, 0.5)));
    assert_eq!(inside.with_max_distance(0.25).hit_aabb_through(&unit), Some((0.0, 0.25)));
    assert_eq!(inside.with_max_distance(-1.0).hit_aabb_through(&unit), None);
    assert_eq!(inside.hit_aabb_through(&Aabb::EMPTY), None);
    let everything = Aabb::new(Vec3::splat(-INF), Vec3::splat(INF));
    assert_eq!(inside.hit_aabb_through(&everything), Some((0.0, INF)));
}

#[test]
fn a_triangle_is_nowhere_nearer_than_its_closest_point() {
    each_seed(|random, seed| {
        let [a, b, c] = match random.below(6) {
            // Without area: a point, a segment, three points of a line.
            0 => [point(random); 3],
            1 => {
                let (from, to) = (point(random), point(random));
                [from, to, random.pick(&[from, to, (from + to) * 0.5])]
            }
            _ => [(); 3].map(|()| point(random)),
        };
        let (triangle, from) = (Triangle::new(a, b, c), point(random));
        let [p, q, r] = [a, b, c].map(|corner| corner.as_dvec3());
        let distance = f64::from(triangle.distance(from));
        let closest = triangle.closest_point(from).unwrap();
        assert_near(closest.as_dvec3().distance(from.as_dvec3()), distance, 5.0, seed);
        assert_near(triangle.distance(closest).into(), 0.0, 5.0, seed);
        let mut nearest = f64::INFINITY;
        for i in 0..=20 {
            for j in 0..=20 - i {
                let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                let sample = p + (q - p) * u + (r - p) * v;
                nearest = nearest.min(sample.distance(from.as_dvec3()));
            }
        }
        assert_at_most(distance, nearest, 5.0, seed);
        // A sample is never farther than a step of the grid from the closest point.
        let step = [q - p, r - p, r - q].map(DVec3::length).into_iter().fold(0.0, f64::max) / 20.0;
        assert_at_most(nearest, distance + step, 5.0, seed);

        let (ab, ac) = (q - p, r - p);
        let square = ab.length_squared() * ac.length_squared() - ab.dot(ac).powi(2);
        let area = f64::from(triangle.area());
        assert_near(area * area * 4.0, square, 50.0, seed);
        match triangle.normal() {
            Some(normal) => {
                let normal = normal.as_dvec3();
                assert_near(normal.length(), 1.0, 0.0, seed);
                assert!(area > 0.0 && normal.dot(ab.cross(ac)) > 0.0, "seed {seed}");
                assert_near(normal.dot(ab.normalize()), 0.0, 0.0, seed);
                assert_near(normal.dot(ac.normalize()), 0.0, 0.0, seed);
            }
            None => assert_eq!(area, 0.0, "seed {seed}"),
        }
    });
    let huge = Triangle::new(Vec3::splat(-MAX), Vec3::X * MAX, Vec3::Y * MAX);
    assert_eq!(huge.area(), MAX);
    let tiny = f32::from_bits(1);
    assert_eq!(Triangle::new(Vec3::ZERO, Vec3::X * tiny, Vec3::Y * tiny).normal(), Some(Vec3::Z));
    let bad = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::splat(NAN));
    assert_eq!((bad.area(), bad.normal(), bad.closest_point(Vec3::ZERO)), (0.0, None, None));
    assert_eq!((bad.distance(Vec3::ZERO), huge.distance(Vec3::splat(INF))), (INF, INF));
}

/// Every call with numbers at the limits of f32: no NaN, and nothing panics.
#[test]
fn no_shape_returns_nan() {
    let mut random = Rng::new(5);
    for seed in 0..sized(20_000, 50) {
        let mut number = || random.pick(&SPECIAL);
        let mut vector = || Vec3::new(number(), number(), number());
        let (a, b, c, d) = (vector(), vector(), vector(), vector());
        let numbers = [d.x, d.y];
        let rest = vector();
        let matrix = Mat4::from_cols(a.extend(0.0), b.extend(0.0), c.extend(0.0), rest.extend(1.0));
        let (aabb, sphere) = (Aabb::new(a.min(b), a.max(b)), Sphere::new(a, d.z));
        let mut results: Vec<f32> = Vec::new();
        let mut vectors: Vec<Vec3> = Vec::new();
        if !aabb.is_empty() {
            let grown = [aabb.grown(numbers[0]), aabb.with_point(c)];
            vectors.extend(grown.iter().flat_map(|it| [it.min, it.max]));
        }
        for sphere in [sphere.union(&Sphere::new(b, numbers[1])), sphere.grown(numbers[0])]
            .into_iter()
            .chain([sphere.transformed(&matrix), sphere.with_point(c)])
            .filter(|sphere| !sphere.is_empty())
        {
            vectors.push(sphere.center);
            results.push(sphere.radius);
        }
        results.push(sphere.distance(c));
        let plane = Plane::new(a, numbers[0]);
        if let Some(moved) = plane.transformed(&matrix) {
            vectors.push(moved.normal);
            results.push(moved.d);
        }
        _ = (plane.classify(&aabb), plane.classify_sphere(&sphere));
        if let Ok(ray) = Ray::new(a, b) {
            let ray = ray.with_max_distance(numbers[1]);
            vectors.extend(ray.closest_point(c));
            results.push(ray.distance(c));
            results
                .extend(ray.hit_aabb_through(&aabb).into_iter().flat_map(|(from, to)| [from, to]));
            if let Some(moved) = ray.transformed(&matrix) {
                vectors.extend([moved.origin(), moved.direction()]);
                results.push(moved.max_distance());
            }
        }
        let triangle = Triangle::new(a, b, c);
        vectors.extend(triangle.normal().into_iter().chain(triangle.closest_point(rest)));
        results.extend([triangle.area(), triangle.distance(rest)]);
        assert!(results.iter().all(|it| !it.is_nan()), "round {seed}: {results:?}");
        assert!(vectors.iter().all(|it| !it.is_nan()), "round {seed}: {vectors:?}");
    }
}

/// The identity changes nothing.
#[test]
fn the_identity_keeps_shapes() {
    each_seed(|random, seed| {
        let sphere = Sphere::new(point(random), random.between(0.0, 2.0));
        assert_eq!(sphere.transformed(&Mat4::IDENTITY), sphere, "seed {seed}");
        let ray = random.ray(3.0);
        let moved = ray.transformed(&DMat4::IDENTITY.as_mat4()).unwrap();
        assert_eq!(moved.origin(), ray.origin(), "seed {seed}");
        assert_near(moved.direction().distance(ray.direction()).into(), 0.0, 0.0, seed);
    });
}

#[test]
fn a_sphere_of_points_contains_them_and_is_not_much_larger_than_needed() {
    each_seed(|random, seed| {
        let points: Vec<Vec3> = (0..1 + random.below(20)).map(|_| point(random)).collect();
        let sphere = Sphere::from_points(points.iter().copied());
        assert!(points.iter().all(|&point| sphere.contains_point(point)), "seed {seed}");
        // Tight around its centre, which is that of the box.
        let box_center = Aabb::from_points(points.iter().copied()).center();
        assert_eq!(sphere.center, box_center, "seed {seed}");
        let farthest = points
            .iter()
            .map(|point| point.as_dvec3().distance(sphere.center.as_dvec3()))
            .fold(0.0, f64::max);
        assert_near(f64::from(sphere.radius), farthest, farthest, seed);
        // No sphere is smaller than half of the largest distance.
        let pairs = points.iter().flat_map(|a| points.iter().map(move |b| (a, b)));
        let largest = pairs.map(|(a, b)| a.as_dvec3().distance(b.as_dvec3())).fold(0.0, f64::max);
        assert_at_most(f64::from(sphere.radius), 1.74 * largest / 2.0, largest, seed);
    });
    assert_eq!(Sphere::from_points([]), Sphere::EMPTY);
    assert_eq!(Sphere::from_points([Vec3::splat(NAN), Vec3::X * INF]), Sphere::EMPTY);
    let one = Sphere::from_points([Vec3::splat(NAN), Vec3::Y]);
    assert_eq!(one, Sphere::new(Vec3::Y, 0.0));
    let huge = Sphere::from_points([Vec3::splat(MAX), Vec3::splat(-MAX)]);
    assert!(huge.contains_point(Vec3::splat(MAX)) && !huge.is_empty());
}

#[test]
fn a_sphere_and_a_plane_are_nowhere_nearer_than_their_closest_point() {
    each_seed(|random, seed| {
        let target = point(random);
        let exact = target.as_dvec3();
        let sphere = Sphere::new(point(random), random.between(0.0, 3.0));
        let closest = sphere.closest_point(target).unwrap();
        let (center, radius) = (sphere.center.as_dvec3(), f64::from(sphere.radius));
        if sphere.contains_point(target) {
            assert_eq!(closest, target, "seed {seed}");
        }
        assert_at_most(closest.as_dvec3().distance(center), radius, 3.0, seed);
        let distance = closest.as_dvec3().distance(exact);
        assert_near(distance, f64::from(sphere.distance(target)), 3.0, seed);
        for _ in 0..10 {
            let other = center + random.direction().as_dvec3() * radius;
            assert_at_most(distance, other.distance(exact), 3.0, seed);
        }

        let plane = plane(random);
        let closest = plane.closest_point(target).unwrap().as_dvec3();
        let normal = plane.normal.as_dvec3();
        assert_near(normal.dot(closest) + f64::from(plane.d), 0.0, 3.0, seed);
        assert_near(closest.distance(exact), f64::from(plane.distance(target)).abs(), 3.0, seed);
        // The offset is parallel to the normal.
        assert_near((exact - closest).cross(normal).length(), 0.0, 3.0, seed);
        let scaled = Plane::new(plane.normal * 8.0, plane.d * 8.0);
        let again = scaled.closest_point(target).unwrap().as_dvec3();
        assert_near(again.distance(closest), 0.0, 3.0, seed);
    });
    for bad in [Vec3::splat(NAN), Vec3::Y * INF] {
        assert_eq!(Sphere::new(Vec3::ZERO, 1.0).closest_point(bad), None);
        assert_eq!(Plane::new(Vec3::Z, 0.0).closest_point(bad), None);
        assert_eq!(Sphere::new(bad, 1.0).closest_point(Vec3::ZERO), None);
        assert_eq!(Plane::new(bad, 0.0).closest_point(Vec3::ZERO), None);
    }
    assert_eq!(Sphere::EMPTY.closest_point(Vec3::ZERO), None);
    assert_eq!(Plane::AT_INFINITY.closest_point(Vec3::ZERO), None);
    let all = Sphere::new(Vec3::ZERO, INF);
    assert_eq!(all.closest_point(Vec3::splat(MAX)), Some(Vec3::splat(MAX)));
    let far = Sphere::new(Vec3::ZERO, 1.0).closest_point(Vec3::X * MAX);
    assert_eq!(far, Some(Vec3::X));
}

#[test]
fn a_plane_of_three_points_contains_them_and_has_the_front_of_their_triangle_inside() {
    each_seed(|random, seed| {
        let [a, b, c] = [0; 3].map(|_| point(random));
        let normal = (b - a).as_dvec3().cross((c - a).as_dvec3());
        match Plane::from_points(a, b, c) {
            Ok(plane) => {
                for corner in [a, b, c] {
                    assert_near(f64::from(plane.distance(corner)), 0.0, 3.0, seed);
                }
                let above = a.as_dvec3() + normal.normalize();
                assert_near(f64::from(plane.distance(above.as_vec3())), 1.0, 3.0, seed);
                let triangle = Triangle { a, b, c }.normal().unwrap();
                assert!(plane.normal.dot(triangle) > 0.999, "seed {seed}");
                let back = Plane::from_points(c, b, a).unwrap();
                assert!(back.normal.dot(plane.normal) < -0.999, "seed {seed}");
            }
            Err(error) => {
                assert_eq!(error, Error::ZeroNormal, "seed {seed}");
                assert!(normal.length() < 1e-6, "seed {seed}");
            }
        }
    });
    for (a, b, c) in [(Vec3::X, Vec3::X, Vec3::Y), (Vec3::X, Vec3::X * 2.0, Vec3::X * 5.0)] {
        assert_eq!(Plane::from_points(a, b, c), Err(Error::ZeroNormal));
    }
    assert!(Plane::from_points(Vec3::ZERO, Vec3::X * NAN, Vec3::Y).is_err());
    for size in [1e-40, 1e-20, 1e20, 3e38] {
        let plane = Plane::from_points(Vec3::ZERO, Vec3::X * size, Vec3::Y * size).unwrap();
        assert_eq!(plane, Plane::new(Vec3::Z, 0.0), "{size}");
    }
}
