//! `Ray`, `Sphere` and `Plane`: compared with other methods.

use pleach_spatial::glam::{DVec3, Vec3};
use pleach_spatial::{Aabb, Argument, Error, Plane, Ray, Sphere};
use testkit::Rng;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;
const MAX: f32 = f32::MAX;
const ROUNDS: usize = if cfg!(miri) { 50 } else { 100_000 };

/// Random points that coincide with faces, edges and corners of boxes.
trait RandomHalfIntegers {
    /// Returns a multiple of one half from −2 to 2, so that faces, edges and corners are hit
    /// exactly.
    fn half_integer(&mut self) -> f32;

    fn half_integers(&mut self) -> Vec3;
}

impl RandomHalfIntegers for Rng {
    fn half_integer(&mut self) -> f32 {
        (self.next_u64() % 9) as f32 * 0.5 - 2.0
    }

    fn half_integers(&mut self) -> Vec3 {
        Vec3::new(self.half_integer(), self.half_integer(), self.half_integer())
    }
}

fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray::new(origin, direction).unwrap()
}

fn unit_box() -> Aabb {
    Aabb::new(Vec3::ZERO, Vec3::ONE)
}

#[test]
fn directions_are_normalized() {
    for length in [f32::from_bits(1), 1e-40, 1e-30, 1.0, 1e30, 2e38] {
        for direction in [Vec3::X, Vec3::NEG_Y, Vec3::new(1.0, -1.0, 1.0), Vec3::new(0.0, 1.0, 1.0)]
        {
            let ray = ray(Vec3::ONE, direction * length);
            let expected = direction.as_dvec3().normalize().as_vec3();
            assert_eq!(ray.direction(), expected, "{length}");
            assert_eq!((ray.origin(), ray.max_distance()), (Vec3::ONE, INF));
        }
    }
}

#[test]
fn rays_without_a_direction_are_an_error() {
    assert_eq!(Ray::new(Vec3::ONE, Vec3::ZERO), Err(Error::ZeroDirection));
    assert_eq!(Ray::new(Vec3::ONE, -Vec3::ZERO), Err(Error::ZeroDirection));
    assert_eq!(Ray::between(Vec3::ONE, Vec3::ONE), Err(Error::ZeroDirection));
    for value in [NAN, INF, -INF] {
        let bad = Vec3::new(0.0, value, 1.0);
        for (result, argument) in [
            (Ray::new(bad, Vec3::X), Argument::RayOrigin),
            (Ray::new(Vec3::X, bad), Argument::RayDirection),
            (Ray::between(bad, Vec3::X), Argument::RayOrigin),
            (Ray::between(Vec3::X, bad), Argument::RayTarget),
        ] {
            let error = result.unwrap_err();
            let Error::NotFinite { argument: found, component: 1, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(found, argument);
            assert_eq!(error.to_string(), format!("{argument}.y is {value}; it must be finite"));
        }
    }
    let message = Error::ZeroDirection.to_string();
    assert!(message.starts_with("the direction of the ray is zero"), "{message}");
}

#[test]
fn max_distance_limits_a_ray() {
    let ray = ray(Vec3::new(-4.0, 0.5, 0.5), Vec3::X);
    assert_eq!(ray.with_max_distance(4.0).hit_aabb(&unit_box()), Some(4.0));
    assert_eq!(ray.with_max_distance(4_f32.next_down()).hit_aabb(&unit_box()), None);
    let inside = Ray::new(Vec3::splat(0.5), Vec3::X).unwrap();
    assert_eq!(inside.with_max_distance(0.0).hit_aabb(&unit_box()), Some(0.0));
    for invalid in [-1.0, -0.1, -INF, NAN] {
        let limited = inside.with_max_distance(invalid);
        assert_eq!(limited.max_distance(), -1.0);
        assert_eq!(limited.hit_aabb(&unit_box()), None);
        assert_eq!(limited.hit_sphere(&Sphere::new(Vec3::ZERO, 9.0)), None);
        assert_eq!(limited.hit_plane(&Plane::new(Vec3::X, -0.5)), None);
    }
    let across = Ray::between(Vec3::splat(-MAX), Vec3::splat(MAX)).unwrap();
    assert_eq!(across.max_distance(), INF);
}

#[test]
fn at_never_overflows() {
    let ray = ray(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, -2.0, 0.0));
    assert_eq!(ray.at(2.0), Vec3::new(1.0, 0.0, 3.0));
    assert_eq!(ray.at(-1.0), Vec3::new(1.0, 3.0, 3.0));
    assert_eq!(ray.at(INF), Vec3::new(1.0, -MAX, 3.0));
    assert_eq!(ray.at(NAN), ray.origin());
    let far = Ray::new(Vec3::splat(MAX), Vec3::ONE).unwrap();
    assert_eq!(far.at(MAX), Vec3::splat(MAX));
}

/// Tests each face separately: intersects its plane and compares the point with the face.
fn hit_face_by_face(ray: &Ray, aabb: &Aabb) -> Option<f64> {
    let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
    if aabb.contains_point(ray.origin()) {
        return Some(0.0);
    }
    let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    let mut nearest: Option<f64> = None;
    for axis in 0..3 {
        for face in [min[axis], max[axis]] {
            let distance = (face - origin[axis]) / direction[axis];
            let point = origin + direction * distance;
            let within = (0..3)
                .filter(|&other| other != axis)
                .all(|other| min[other] <= point[other] && point[other] <= max[other]);
            if distance >= 0.0 && distance.is_finite() && within {
                nearest = Some(nearest.map_or(distance, |nearest| nearest.min(distance)));
            }
        }
    }
    nearest
}

#[test]
fn box_hits_match_those_of_the_six_faces() {
    let mut rng = Rng::new(1);
    let mut hits = 0;
    for _ in 0..ROUNDS {
        let seed = rng.state();
        let (a, b) = (rng.vec3(1.0), rng.vec3(1.0));
        let aabb = Aabb::new(a.min(b), a.max(b));
        let origin = rng.vec3(1.0) * 2.0;
        let aim = aabb.center() + rng.vec3(1.0) * aabb.size() - origin;
        let ray = ray(origin, aim);
        let hit = ray.hit_aabb(&aabb);
        let expected = hit_face_by_face(&ray, &aabb);
        let grown = Aabb::new(aabb.min - 1e-6, aabb.max + 1e-6);
        match (hit, expected) {
            (Some(hit), Some(expected)) => {
                assert!((f64::from(hit) - expected).abs() < 1e-6, "seed {seed:#x}");
                hits += 1;
            }
            (None, None) => {}
            // An edge, which rounding may put on either side.
            _ => assert!(hit_face_by_face(&ray, &grown).is_some(), "seed {seed:#x}"),
        }
    }
    assert!(hits > ROUNDS / 10);
}

/// Along the axes, through edges, corners and boxes without volume, with exact numbers only.
#[test]
fn faces_edges_and_corners_belong_to_the_box() {
    let mut rng = Rng::new(2);
    let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    for _ in 0..ROUNDS {
        let seed = rng.state();
        let (a, b, origin) = (rng.half_integers(), rng.half_integers(), rng.half_integers());
        let aabb = Aabb::new(a.min(b), a.max(b));
        let direction = axes[(rng.next_u64() % 6) as usize];
        let ray = ray(origin, direction);
        // In steps of one half: the first point of the ray in the box.
        let mut steps = (0..=8).map(|step| step as f32 * 0.5);
        let expected = steps.find(|&distance| aabb.contains_point(ray.at(distance)));
        assert_eq!(ray.hit_aabb(&aabb), expected, "seed {seed:#x}");
    }
    let diagonal = Ray::new(Vec3::splat(-1.0), Vec3::ONE).unwrap();
    let distance = diagonal.hit_aabb(&unit_box()).unwrap();
    assert!((distance - 3_f32.sqrt()).abs() < 1e-6);
    assert!(diagonal.hit_aabb(&Aabb::new(Vec3::ONE, Vec3::ONE)).is_some());
}

#[test]
fn empty_and_infinite_boxes() {
    let ray = ray(Vec3::new(0.5, 0.5, -1.0), Vec3::Z);
    for empty in [
        Aabb::EMPTY,
        Aabb::new(Vec3::ONE, Vec3::ZERO),
        Aabb::new(Vec3::new(0.0, NAN, 0.0), Vec3::ONE),
        Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, NAN)),
    ] {
        assert_eq!(ray.hit_aabb(&empty), None);
    }
    assert_eq!(ray.hit_aabb(&Aabb::new(Vec3::splat(-INF), Vec3::splat(INF))), Some(0.0));
    let half_space = Aabb::new(Vec3::new(-INF, -INF, 2.0), Vec3::splat(INF));
    assert_eq!(ray.hit_aabb(&half_space), Some(3.0));
    assert_eq!(ray.hit_aabb(&Aabb::new(Vec3::splat(INF), Vec3::splat(INF))), None);
    let last = Aabb::new(Vec3::new(0.0, 0.0, MAX), Vec3::new(1.0, 1.0, MAX));
    assert_eq!(ray.hit_aabb(&last), Some(MAX));
    // Twice `MAX` overflows f32.
    let before = Ray::new(Vec3::new(0.5, 0.5, -MAX), Vec3::Z).unwrap();
    assert_eq!(before.hit_aabb(&last), None);
    let slow = Ray::new(Vec3::ZERO, Vec3::new(1.0, 1e-40, 0.0)).unwrap();
    assert_eq!(slow.hit_aabb(&Aabb::new(Vec3::Y, Vec3::new(MAX, 2.0, 0.0))), None);
}

#[test]
fn spheres_are_hit_on_their_surface() {
    let mut rng = Rng::new(3);
    let mut hits = 0;
    for _ in 0..ROUNDS {
        let seed = rng.state();
        let far = 10_f32.powi((rng.next_u64() % 7) as i32);
        let sphere = Sphere::new(rng.vec3(1.0) * far, rng.between(-1.0, 1.0).abs());
        let origin = rng.vec3(1.0);
        let aim = sphere.center + rng.vec3(1.0) * 1.2 * sphere.radius - origin;
        let ray = ray(origin, aim);
        let (direction, radius) = (ray.direction().as_dvec3(), f64::from(sphere.radius));
        let from_center = ray.origin().as_dvec3() - sphere.center.as_dvec3();
        // The distance of the line from the centre, from the area of the parallelogram.
        let offset = from_center.cross(direction).length() / direction.length();
        // The error of f64 at that distance.
        let rounding = 1e-13 * f64::from(far);
        match ray.hit_sphere(&sphere) {
            Some(0.0) if sphere.contains_point(origin) => {}
            Some(distance) => {
                hits += 1;
                assert!(offset <= radius + rounding, "seed {seed:#x}");
                let at = from_center + direction * f64::from(distance);
                let tolerance = 2e-7 * f64::from(far.max(distance)) + 1e-6;
                // A grazing hit is inaccurate along the ray, not across it.
                let along = (radius * radius - offset * offset).max(0.0).sqrt();
                let expected = -from_center.dot(direction) - along * direction.length();
                assert!((f64::from(distance) - expected).abs() < tolerance, "seed {seed:#x}");
                assert!(at.length() <= radius + tolerance, "seed {seed:#x}");
            }
            None => {
                let away = from_center.dot(direction) > 0.0;
                assert!(away || offset >= radius - rounding, "seed {seed:#x}: {offset} {radius}");
                assert!(!sphere.contains_point(origin), "seed {seed:#x}");
            }
        }
    }
    assert!(hits > ROUNDS / 4);
}

#[test]
fn known_sphere_hits() {
    let ray = ray(Vec3::new(-4.0, 0.0, 0.0), Vec3::X);
    let at =
        |x: f32, y: f32, radius: f32| ray.hit_sphere(&Sphere::new(Vec3::new(x, y, 0.0), radius));
    assert_eq!(at(0.0, 0.0, 1.0), Some(3.0));
    assert_eq!(at(0.0, 1.0, 1.0), Some(4.0));
    assert_eq!(at(0.0, 1_f32.next_up(), 1.0), None);
    assert_eq!(at(-8.0, 0.0, 1.0), None);
    assert_eq!(at(-4.0, 0.0, 1.0), Some(0.0));
    assert_eq!(at(-5.0, 0.0, 1.0), Some(0.0));
    assert_eq!(at(1.0, 0.0, 0.0), Some(5.0));
    assert_eq!(at(0.0, 0.0, INF), Some(0.0));
    assert_eq!(at(1e30, 0.0, 1.0), Some(1e30));
    for (x, radius) in [(0.0, -1.0), (0.0, NAN), (NAN, 1.0), (INF, 1.0), (-INF, INF)] {
        assert_eq!(at(x, 0.0, radius), None);
    }
}

#[test]
fn planes_are_hit_from_both_sides() {
    let mut rng = Rng::new(4);
    for _ in 0..ROUNDS {
        let seed = rng.state();
        let plane = Plane::from_point_normal(rng.vec3(1.0), rng.vec3(1.0)).unwrap();
        let ray = ray(rng.vec3(1.0), rng.vec3(1.0));
        let height = plane.distance(ray.origin());
        let slope = plane.normal.dot(ray.direction());
        match ray.hit_plane(&plane) {
            Some(distance) => {
                let off = plane.distance(ray.at(distance)).abs();
                assert!(off < 1e-6 * (1.0 + distance), "seed {seed:#x}: {off}");
            }
            None => assert!(height * slope >= 0.0, "seed {seed:#x}"),
        }
    }
    let floor = Plane::new(Vec3::Z, -1.0);
    let hit = |z: f32, direction: Vec3| ray(Vec3::new(0.0, 0.0, z), direction).hit_plane(&floor);
    assert_eq!(hit(3.0, Vec3::NEG_Z), Some(2.0));
    assert_eq!(hit(-3.0, Vec3::Z), Some(4.0));
    assert_eq!(hit(3.0, Vec3::Z), None);
    assert_eq!(hit(3.0, Vec3::X), None);
    assert_eq!(hit(1.0, Vec3::X), Some(0.0));
    assert_eq!(hit(1.0, Vec3::Z), Some(0.0));
    let up = ray(Vec3::ZERO, Vec3::Z);
    for odd in [
        Plane::AT_INFINITY,
        Plane::new(Vec3::ZERO, 0.0),
        Plane::new(Vec3::new(0.0, NAN, 1.0), 0.0),
        Plane::new(Vec3::Z, -INF),
    ] {
        assert_eq!(up.hit_plane(&odd), None);
    }
}

#[test]
fn planes_have_an_inside() {
    let plane = Plane::new(Vec3::X, -2.0);
    assert!(plane.contains_point(Vec3::new(2.0, 9.0, 9.0)));
    assert!(!plane.contains_point(Vec3::new(1.9, 9.0, 9.0)));
    assert!(plane.flipped().contains_point(Vec3::new(1.9, 9.0, 9.0)));
    assert_eq!(Plane::AT_INFINITY.distance(Vec3::splat(-1e30)), 1.0);
    for bad in [Vec3::NAN, Vec3::new(0.0, INF, 0.0)] {
        assert_eq!(plane.distance(bad), -INF);
        assert_eq!(Plane::new(bad, 0.0).distance(Vec3::ONE), -INF);
        assert!(!Plane::AT_INFINITY.contains_point(bad));
        assert!(Plane::from_point_normal(bad, Vec3::X).is_err());
        assert!(Plane::from_point_normal(Vec3::X, bad).is_err());
        assert_eq!(Plane::new(bad, 0.0).normalized(), None);
    }
    assert_eq!(Plane::from_point_normal(Vec3::ONE, Vec3::ZERO), Err(Error::ZeroNormal));
    assert_eq!(Plane::new(Vec3::X * 4.0, 8.0).normalized(), Some(Plane::new(Vec3::X, 2.0)));
    assert_eq!(Plane::new(Vec3::X * 1e-40, 0.0).normalized(), Some(Plane::new(Vec3::X, 0.0)));
    assert_eq!(Plane::new(Vec3::ZERO, 3.0).normalized(), Some(Plane::AT_INFINITY));
    assert_eq!(Plane::new(Vec3::ZERO, -3.0).normalized(), None);
    let far = Plane::from_point_normal(Vec3::splat(MAX), Vec3::ONE).unwrap();
    assert!(far.is_finite() && far.d == -MAX);
}

#[test]
fn bounding_spheres_contain_every_corner() {
    let mut rng = Rng::new(5);
    for _ in 0..ROUNDS {
        let seed = rng.state();
        let scale = 10_f32.powi((rng.next_u64() % 60) as i32 - 30);
        let (a, b) = (rng.vec3(1.0) * scale, rng.vec3(1.0) * scale);
        let aabb = Aabb::new(a.min(b), a.max(b));
        let sphere = Sphere::from_aabb(&aabb);
        assert!(aabb.corners().iter().all(|&corner| sphere.contains_point(corner)), "{seed:#x}");
        let half: DVec3 = (aabb.max.as_dvec3() - aabb.min.as_dvec3()) * 0.5;
        let excess = f64::from(sphere.radius) / half.length();
        assert!(excess < 1.0 + 1e-5, "seed {seed:#x}: {excess}");
    }
    assert_eq!(Sphere::from_aabb(&Aabb::EMPTY), Sphere::EMPTY);
    let widest = Sphere::from_aabb(&Aabb::new(Vec3::splat(-MAX), Vec3::splat(MAX)));
    assert_eq!(widest, Sphere::new(Vec3::ZERO, INF));
    let infinite = Sphere::from_aabb(&Aabb::new(Vec3::splat(-INF), Vec3::splat(INF)));
    assert_eq!(infinite, widest);
}

#[test]
fn spheres_intersect_boxes_and_each_other() {
    let sphere = Sphere::new(Vec3::new(-1.0, 0.5, 0.5), 1.0);
    assert!(sphere.intersects(&unit_box()) && unit_box().intersects_sphere(&sphere));
    assert!(!Sphere { radius: 0.999, ..sphere }.intersects(&unit_box()));
    // Near the corner: the bounding box of the sphere would intersect.
    let corner = Sphere::new(Vec3::splat(1.6), 1.0);
    assert!(!corner.intersects(&unit_box()));
    assert!(Sphere { radius: 1.04, ..corner }.intersects(&unit_box()));
    assert!(Sphere::new(Vec3::splat(0.5), 0.0).intersects(&unit_box()));
    assert!(Sphere::new(Vec3::splat(9e9), INF).intersects(&unit_box()));

    let other = Sphere::new(Vec3::new(1.0, 0.5, 0.5), 1.0);
    assert!(sphere.intersects_sphere(&other) && other.intersects_sphere(&sphere));
    assert!(!sphere.intersects_sphere(&Sphere { radius: 0.999, ..other }));
    let huge = [Sphere::new(Vec3::splat(MAX), 1.0), Sphere::new(Vec3::splat(-MAX), 1.0)];
    assert!(!huge[0].intersects_sphere(&huge[1]) && huge[0].intersects_sphere(&huge[0]));

    let infinite = Sphere::new(Vec3::ZERO, INF);
    assert!(infinite.contains_point(Vec3::splat(MAX)) && !infinite.contains_point(Vec3::NAN));
    for empty in [
        Sphere::EMPTY,
        Sphere::new(Vec3::ZERO, NAN),
        Sphere::new(Vec3::new(0.0, NAN, 0.0), 1.0),
        Sphere::new(Vec3::new(0.0, INF, 0.0), INF),
    ] {
        assert!(empty.is_empty() && !empty.contains_point(empty.center));
        assert!(!empty.contains_point(Vec3::ZERO));
        assert!(!empty.intersects(&unit_box()) && !unit_box().intersects_sphere(&empty));
        assert!(!empty.intersects_sphere(&infinite) && !infinite.intersects_sphere(&empty));
    }
}

/// Compared with a box test by clamping in f64.
#[test]
fn spheres_intersect_boxes_within_their_radius() {
    let mut rng = Rng::new(6);
    for _ in 0..ROUNDS {
        let seed = rng.state();
        let (a, b, center) = (rng.vec3(1.0), rng.vec3(1.0), rng.vec3(1.0) * 2.0);
        let aabb = Aabb::new(a.min(b), a.max(b));
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let from = center.as_dvec3();
        let distance = (from.clamp(min, max) - from).length();
        for (factor, intersects) in [(0.999, false), (1.001, true)] {
            let sphere = Sphere::new(center, (distance * factor) as f32);
            let expected = intersects || distance == 0.0;
            assert_eq!(sphere.intersects(&aabb), expected, "seed {seed:#x}");
        }
    }
}
