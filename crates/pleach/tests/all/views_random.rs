//! Random cameras, compared with independent formulas in f64.
//!
//! `PLEACH_SEED=7 cargo test -p pleach views_random` repeats a run.

use pleach::glam::dcamera::rh::proj::{directx, opengl};
use pleach::glam::{DMat4, DVec3, Mat3, Mat4, Vec2, Vec3};
use pleach::{Camera, ClipSpace, Projection, View};
use pleach_graph::{Graph, Transform};
use pleach_spatial::{Aabb, Containment};
use testkit::Rng;

struct Case {
    camera: Camera,
    aspect: f32,
    world: Mat4,
    view: View,
}

fn random_case(random: &mut Rng) -> Case {
    let clip =
        random.pick(&[ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed]);
    let aspect = random.between(0.3, 3.0);
    let (near, depth) = (random.between(0.05, 2.0), random.between(1.0, 300.0));
    let far = random.pick(&[near + depth, f32::INFINITY]);
    let camera = if random.next_u64().is_multiple_of(2) {
        Camera::perspective(random.between(0.1, 2.8))
            .with_aspect(aspect)
            .with_near(near)
            .with_far(far)
    } else {
        let near = random.between(-20.0, 2.0);
        let camera = Camera::orthographic(random.between(0.5, 80.0)).with_aspect(aspect);
        camera.with_zoom(random.between(0.2, 5.0)).with_near(near).with_far(near + depth)
    };
    let camera = camera.with_clip_space(clip);
    let mut graph = Graph::new();
    let at = Transform::from_translation(random.vec3(50.0)).with_rotation(random.rotation());
    let parent = graph.add_root(at).unwrap();
    let at = Transform::from_translation(random.vec3(5.0)).with_rotation(random.rotation());
    let node = graph.add_child(parent, at).unwrap();
    graph.update();
    let view = View::new(&camera, graph.node(node).unwrap().world(), (1280, 720)).unwrap();
    Case { camera, aspect, world: graph.node(node).unwrap().world(), view }
}

/// The projection as glam computes it in f64.
fn expected_projection(case: &Case) -> DMat4 {
    let aspect = f64::from(case.aspect);
    match case.camera.projection {
        Projection::Perspective { fov_y, near, far } => {
            let [fov, near, far] = [fov_y, near, far].map(f64::from);
            match case.camera.clip_space {
                ClipSpace::NegOneToOne if far.is_infinite() => {
                    opengl::perspective(fov, aspect, near, 1e14)
                }
                ClipSpace::ZeroToOne if far.is_infinite() => {
                    directx::perspective_infinite(fov, aspect, near)
                }
                ClipSpace::ZeroToOneReversed if far.is_infinite() => {
                    directx::perspective_infinite_reverse(fov, aspect, near)
                }
                ClipSpace::NegOneToOne => opengl::perspective(fov, aspect, near, far),
                ClipSpace::ZeroToOne => directx::perspective(fov, aspect, near, far),
                ClipSpace::ZeroToOneReversed => directx::perspective(fov, aspect, far, near),
            }
        }
        Projection::Orthographic { height, zoom, near, far } => {
            let [height, zoom, near, far] = [height, zoom, near, far].map(f64::from);
            let (y, x) = (height / zoom / 2.0, height / zoom / 2.0 * aspect);
            match case.camera.clip_space {
                ClipSpace::NegOneToOne => opengl::orthographic(-x, x, -y, y, near, far),
                ClipSpace::ZeroToOne => directx::orthographic(-x, x, -y, y, near, far),
                ClipSpace::ZeroToOneReversed => directx::orthographic(-x, x, -y, y, far, near),
            }
        }
        Projection::Custom(_) => unreachable!("no custom projections are generated"),
    }
}

/// Returns `true` if a number equals the expected one up to rounding of numbers of this size.
fn is_close(found: f32, expected: f64, size: f64) -> bool {
    (f64::from(found) - expected).abs() <= 1e-6 * size
}

#[test]
fn view_is_the_inverse_of_world_and_view_projection_the_product() {
    let mut random = Rng::from_env(20_240_607);
    for _ in 0..2_000 {
        let case = random_case(&mut random);
        let inverse = case.world.as_dmat4().inverse();
        let expected = expected_projection(&case);
        let product = expected * inverse;
        for column in 0..4 {
            for row in 0..4 {
                let size = if column == 3 { 100.0 } else { 1.0 };
                let at = inverse.col(column)[row];
                assert!(is_close(case.view.view.col(column)[row], at, size));
                let at = expected.col(column)[row];
                assert!(is_close(case.view.projection.col(column)[row], at, at.abs() + 1e-12));
                let at = product.col(column)[row];
                let size = size * expected.row(row).abs().max_element();
                assert!(is_close(case.view.view_projection.col(column)[row], at, size));
            }
        }
        let identity = case.view.view * case.world;
        assert!(identity.abs_diff_eq(Mat4::IDENTITY, 3e-5), "{identity}");
    }
}

/// A point on the ray through a pixel is projected to that pixel, and a point in front of the
/// camera lies on the ray through its projection.
#[test]
fn rays_are_the_inverse_of_projection() {
    let mut random = Rng::from_env(20_240_607);
    for _ in 0..5_000 {
        let Case { camera, view, .. } = random_case(&mut random);
        let pixel = Vec2::new(random.between(-50.0, 1330.0), random.between(-50.0, 770.0));
        let ray = view.ray_through_pixel(pixel).unwrap();
        let distance = random.between(1.0, 100.0);
        let projected = view.project_to_pixel(ray.at(distance)).unwrap();
        // The rounding error of a point at a distance of 100 from the origin, in pixels.
        let spread = view.projection.y_axis.y.max(view.projection.x_axis.x);
        let tolerance = match camera.projection {
            Projection::Perspective { .. } => (spread + 2.0) / view.depth(ray.at(distance)),
            _ => spread,
        };
        let tolerance = 640.0 * 1e-5 * tolerance + 1e-3;
        assert!(projected.abs_diff_eq(pixel, tolerance), "{camera:?} {pixel}: {projected}");

        let ahead = view.direction() * random.between(1.0, 100.0);
        let point = view.position + ahead + random.vec3(1.0);
        if let Some(position) = view.project(point) {
            let ray = view.ray_through_ndc(position.truncate()).unwrap();
            let along = (point - ray.origin()).dot(ray.direction());
            let off = (ray.at(along) - point).length();
            assert!(off < 1e-4, "{camera:?} {point}: {off}");
            let pixel = view.project_to_pixel(point).unwrap();
            let expected = Vec2::new((position.x + 1.0) * 640.0, (1.0 - position.y) * 360.0);
            assert!(pixel.abs_diff_eq(expected, 1e-3 * (1.0 + position.truncate().length())));
        }
    }
}

/// A point is in the frustum if and only if its projection is inside of the image.
#[test]
fn frustum_contains_exactly_the_points_inside_of_the_image() {
    let mut random = Rng::from_env(20_240_607);
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..1_000 {
        let case = random_case(&mut random);
        let matrix = expected_projection(&case) * case.world.as_dmat4().inverse();
        for _ in 0..40 {
            let ahead = case.view.direction() * random.between(-10.0, 60.0);
            let point = case.view.position + ahead + random.vec3(40.0);
            let clip = matrix * point.as_dvec3().extend(1.0);
            let from = if case.camera.clip_space == ClipSpace::NegOneToOne { -clip.w } else { 0.0 };
            // The distances to the borders, in clip space.
            let margins = [
                clip.w + clip.x,
                clip.w - clip.x,
                clip.w + clip.y,
                clip.w - clip.y,
                clip.z - from,
                clip.w - clip.z,
            ];
            let margin = margins.into_iter().fold(f64::INFINITY, f64::min);
            // Points within the rounding error of the border are skipped.
            if margin.abs() < 1e-3 * (1.0 + clip.abs().max_element()) {
                continue;
            }
            let is_inside = margin > 0.0;
            let frustum = &case.view.frustum;
            assert_eq!(frustum.contains_point(point), is_inside, "{:?} {clip}", case.camera);
            let dot = Aabb::new(point, point);
            assert_eq!(frustum.classify(&dot) == Containment::Outside, !is_inside);
            if is_inside {
                let projected = case.view.project(point).unwrap();
                assert!(projected.truncate().abs().max_element() < 1.0);
                inside += 1;
            } else {
                outside += 1;
            }
        }
    }
    assert!(inside > 2_000 && outside > 2_000, "{inside} {outside}");
}

#[test]
fn projections_and_depths_agree_with_f64() {
    let mut random = Rng::from_env(20_240_607);
    for _ in 0..5_000 {
        let case = random_case(&mut random);
        let inverse = case.world.as_dmat4().inverse();
        let point = random.vec3(60.0);
        let before: DVec3 = inverse.transform_point3(point.as_dvec3());
        assert!(is_close(case.view.depth(point), -before.z, 200.0));
        let clip = expected_projection(&case) * before.extend(1.0);
        if clip.w < 0.5 {
            continue;
        }
        let expected = clip.truncate() / clip.w;
        let found = case.view.project(point).unwrap();
        let spread = f64::from(case.view.projection.y_axis.y.max(case.view.projection.x_axis.x));
        for axis in 0..2 {
            let size = 200.0 * spread / clip.w + expected[axis].abs() * 200.0 / clip.w;
            assert!(is_close(found[axis], expected[axis], size), "{found} {expected}");
        }
        assert!(is_close(found.z, expected.z, 200.0 / clip.w), "{found} {expected}");
    }
}

/// Random affine parents, sheared and mirrored: the view stays rigid and looks along the node's −Z.
#[test]
fn view_is_rigid_under_any_parent() {
    let mut random = Rng::from_env(20_240_607);
    for _ in 0..2_000 {
        let mut graph = Graph::new();
        let mut node = graph.add_root(Transform::IDENTITY).unwrap();
        for _ in 0..3 {
            let scale = Vec3::from_array(
                [0; 3].map(|_| random.between(0.2, 4.0) * random.pick(&[1.0, 1.0, 1.0, -1.0])),
            );
            let at = Transform::from_translation(random.vec3(10.0));
            let at = at.with_rotation(random.rotation()).with_scale(scale);
            node = graph.add_child(node, at).unwrap();
        }
        graph.update();
        let world = graph.node(node).unwrap().world();
        let view = View::new(&Camera::default(), graph.node(node).unwrap().world(), 1.0).unwrap();
        let rotation = Mat3::from_mat4(view.view);
        assert!((rotation * rotation.transpose()).abs_diff_eq(Mat3::IDENTITY, 1e-6));
        assert!((rotation.determinant() - 1.0).abs() < 1e-6);
        let ahead = world.transform_vector3(Vec3::NEG_Z).normalize();
        assert!(view.direction().abs_diff_eq(ahead, 1e-6));
        assert!(view.up().dot(world.transform_vector3(Vec3::Y)) > 0.0);
        assert_eq!(view.position, world.w_axis.truncate());
        assert!(view.view.transform_point3(view.position).length() < 1e-4);
    }
}
