//! Views of cameras in known scenes, and rejected views.

use std::f32::consts::{FRAC_PI_2, PI};

use pleach::glam::{DVec3, Mat3, Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::{
    Camera, ClipSpace, Error, Node, Projection, Scene, UpAxis, View, ViewError, Viewport,
};
use pleach_graph::{Graph, NodeId, Transform, axes};
use pleach_spatial::{Side, Sphere};

const CLIPS: [ClipSpace; 3] =
    [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

fn updated(transform: Transform) -> (Graph, NodeId) {
    let mut graph = Graph::new();
    let node = graph.add_root(transform).unwrap();
    graph.update();
    (graph, node)
}

fn view_from(transform: Transform, camera: &Camera, viewport: impl Into<Viewport>) -> View {
    let (graph, node) = updated(transform);
    View::new(camera, graph.node(node).unwrap().world(), viewport).unwrap()
}

#[track_caller]
fn assert_near(a: Vec3, b: Vec3, tolerance: f32) {
    assert!(a.abs_diff_eq(b, tolerance), "{a} is not {b}");
}

/// The default transform is at (0, 10, 5) and looks at the origin, with +Z up.
#[test]
fn default_camera_is_centred_on_the_origin_with_z_up() {
    for clip in CLIPS {
        let camera = Camera::default().with_clip_space(clip);
        let view = view_from(Camera::default_transform(), &camera, (1920, 1080));
        assert_eq!(view.position, Vec3::new(0.0, 10.0, 5.0));
        let ndc = |point| view.project(point).unwrap();
        assert_near(ndc(Vec3::ZERO) * Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO, 1e-6);
        assert!(ndc(Vec3::Z).y > 0.05 && ndc(Vec3::Z).x.abs() < 1e-6);
        assert!(ndc(Vec3::NEG_Z).y < -0.05);
        // Seen from the front of a model, +X is on the left.
        assert!(ndc(Vec3::X).x < -0.05 && ndc(Vec3::X).y.abs() < 1e-6);
        assert!(view.frustum.contains_point(Vec3::ZERO));
    }
}

#[test]
fn identity_camera_looks_along_negative_z_with_y_up() {
    let view = view_from(Transform::IDENTITY, &Camera::default(), 1.0);
    assert_eq!((view.direction(), view.up()), (Vec3::NEG_Z, Vec3::Y));
    assert_eq!(view.view, Mat4::IDENTITY);
    assert_eq!(view.view_projection, view.projection);
    let [right, above] = [Vec3::new(1.0, 0.0, -9.0), Vec3::new(0.0, 1.0, -9.0)];
    assert!(view.project(right).unwrap().x > 0.0);
    assert!(view.project(above).unwrap().y > 0.0);
    assert_eq!(view.depth(above), 9.0);
    assert_eq!(view.depth(-above), -9.0);
}

#[test]
fn view_uses_the_world_transform_of_the_last_update() {
    let (mut graph, node) = updated(Transform::from_xyz(1.0, 2.0, 3.0));
    let camera = Camera::default();
    graph.node_mut(node).unwrap().set_translation(Vec3::ZERO).unwrap();
    let before = View::new(&camera, graph.node(node).unwrap().world(), 1.0).unwrap();
    assert_eq!(before.position, Vec3::new(1.0, 2.0, 3.0));
    graph.update();
    assert_eq!(
        View::new(&camera, graph.node(node).unwrap().world(), 1.0).unwrap().position,
        Vec3::ZERO
    );
    assert_eq!(before.position, Vec3::new(1.0, 2.0, 3.0), "a view is a snapshot");
}

/// Scale, shear and mirroring of parents do not change the view.
#[test]
fn scaled_parent_changes_neither_size_nor_handedness() {
    let transform = Transform::from_xyz(3.0, -8.0, 2.0).looking_at(Vec3::ZERO, axes::UP);
    let plain = view_from(transform, &Camera::default(), 1.5);
    for scale in [
        Vec3::splat(7.0),
        Vec3::splat(1e-3),
        Vec3::new(2.0, 3.0, 0.5),
        Vec3::new(-1.0, 1.0, 1.0),
        Vec3::new(1.0, -4.0, 1.0),
        Vec3::new(1.0, 1.0, -1.0),
        Vec3::splat(-2.0),
    ] {
        let mut graph = Graph::new();
        let parent = graph.add_root(Transform::from_scale(scale)).unwrap();
        let node = graph.add_child(parent, Transform::IDENTITY).unwrap();
        let local = transform.translation / scale;
        graph.node_mut(node).unwrap().set_translation(local).unwrap();
        graph.node_mut(node).unwrap().look_at(Vec3::ZERO, axes::UP).unwrap();
        graph.update();
        let view = View::new(&Camera::default(), graph.node(node).unwrap().world(), 1.5).unwrap();
        assert_near(view.position, plain.position, 1e-5);
        assert_near(view.direction(), plain.direction(), 1e-5);
        let rotation = Mat3::from_mat4(view.view);
        assert!((rotation.determinant() - 1.0).abs() < 1e-5, "{scale}: {rotation}");
        assert!((rotation * rotation.transpose()).abs_diff_eq(Mat3::IDENTITY, 1e-6));
        let middle = view.project(Vec3::ZERO).unwrap();
        assert!(middle.truncate().length() < 1e-5, "{scale}: {middle}");
        let is_upright = scale.y > 0.0 && scale.z > 0.0;
        if is_upright {
            assert_near(view.up(), plain.up(), 1e-5);
            let point = Vec3::new(0.5, 0.5, 0.5);
            assert_near(view.project(point).unwrap(), plain.project(point).unwrap(), 1e-5);
        }
    }
}

#[test]
fn sheared_camera_keeps_its_direction_and_orthogonalizes_its_up() {
    let (mut graph, node) = updated(Transform::IDENTITY);
    let mut sheared = Mat4::from_rotation_z(0.4);
    sheared.y_axis = Vec4::new(0.3, 2.0, 0.9, 0.0);
    sheared.z_axis = Vec4::new(0.0, 3.0, 4.0, 0.0);
    graph.node_mut(node).unwrap().set_local_matrix(sheared).unwrap();
    graph.update();
    let view = View::new(&Camera::default(), graph.node(node).unwrap().world(), 1.0).unwrap();
    assert_near(view.direction(), Vec3::new(0.0, -0.6, -0.8), 1e-6);
    assert!(view.direction().dot(view.up()).abs() < 1e-6);
    let y = Vec3::new(0.3, 2.0, 0.9);
    assert!(view.up().dot(y) > 0.0 && view.up().cross(view.direction()).dot(y).abs() < 1e-6);
}

#[test]
fn aspect_is_that_of_the_camera_or_of_the_viewport() {
    let (graph, node) = updated(Transform::IDENTITY);
    let width = |camera: &Camera, viewport: Viewport| {
        let view = View::new(camera, graph.node(node).unwrap().world(), viewport).unwrap();
        view.projection.y_axis.y / view.projection.x_axis.x
    };
    let (follows, own) = (Camera::default(), Camera::default().with_aspect(2.5));
    assert_eq!(width(&follows, (1600, 800).into()), 2.0);
    assert_eq!(width(&follows, 3.0.into()), 3.0);
    assert_eq!(width(&own, (1600, 800).into()), 2.5);
    assert_eq!(width(&own, 3.0.into()), 2.5);
}

#[test]
fn perspective_rays_start_at_the_eye_and_others_on_the_near_plane() {
    let transform = Transform::from_xyz(1.0, 2.0, 3.0);
    let pixel = Vec2::new(0.0, 0.0);
    for clip in CLIPS {
        for far in [100.0, INF] {
            let camera = Camera::perspective(FRAC_PI_2)
                .with_aspect(1.0)
                .with_near(2.0)
                .with_far(far)
                .with_clip_space(clip);
            let ray = view_from(transform, &camera, (100, 100)).ray_through_pixel(pixel).unwrap();
            assert_eq!(ray.origin(), transform.translation);
            assert_near(ray.direction(), Vec3::new(-1.0, 1.0, -1.0).normalize(), 1e-6);
            assert_eq!(ray.max_distance(), INF);
        }
        let camera =
            Camera::orthographic(10.0).with_near(2.0).with_far(100.0).with_clip_space(clip);
        let ray = view_from(transform, &camera, (200, 100)).ray_through_pixel(pixel).unwrap();
        assert_near(ray.origin(), Vec3::new(-9.0, 7.0, 1.0), 1e-5);
        assert_eq!(ray.direction(), Vec3::NEG_Z);
    }
}

#[test]
fn pixels_are_counted_from_the_upper_left_corner() {
    let view = view_from(Transform::IDENTITY, &Camera::default(), (800, 600));
    for (pixel, ndc) in [
        (Vec2::new(0.0, 0.0), Vec2::new(-1.0, 1.0)),
        (Vec2::new(800.0, 600.0), Vec2::new(1.0, -1.0)),
        (Vec2::new(600.0, 300.0), Vec2::new(0.5, 0.0)),
    ] {
        assert_eq!(view.ray_through_pixel(pixel), view.ray_through_ndc(ndc));
        let point = view.ray_through_ndc(ndc).unwrap().at(20.0);
        assert!(view.project_to_pixel(point).unwrap().abs_diff_eq(pixel, 1e-3));
        assert!(view.project(point).unwrap().truncate().abs_diff_eq(ndc, 1e-5));
    }
    let shape = view_from(Transform::IDENTITY, &Camera::default(), 1.5);
    assert_eq!(shape.ray_through_pixel(Vec2::ZERO), None, "no pixels");
    assert_eq!(shape.project_to_pixel(Vec3::NEG_Z), None, "no pixels");
    assert!(shape.ray_through_ndc(Vec2::ZERO).is_some());
}

#[test]
fn points_behind_the_eye_are_not_projected() {
    let view = view_from(Transform::IDENTITY, &Camera::default(), (80, 60));
    for behind in [Vec3::Z, Vec3::new(5.0, 1.0, 0.0), Vec3::ZERO] {
        assert_eq!(view.project(behind), None);
        assert_eq!(view.project_to_pixel(behind), None);
    }
    // Points in front that are too near, too far or to the side are projected out of range.
    assert!(view.project(Vec3::new(0.0, 0.0, -0.05)).unwrap().z < 0.0);
    assert!(view.project(Vec3::new(0.0, 0.0, -600.0)).unwrap().z > 1.0);
    assert!(view.project(Vec3::new(50.0, 0.0, -1.0)).unwrap().x > 1.0);
}

/// Compares with the projections of points of the sphere.
#[test]
fn screen_size_equals_the_projected_size_of_a_sphere() {
    let cameras = [
        Camera::perspective(1.0).with_aspect(1.0),
        Camera::perspective(2.5).with_aspect(3.0).with_near(0.1).with_far(INF),
        Camera::orthographic(30.0),
        Camera::orthographic(30.0).with_zoom(4.0),
    ];
    for camera in cameras {
        let view = view_from(Transform::from_xyz(0.0, 0.0, 2.0), &camera, 1.0);
        for (distance, radius) in [(10.0, 1.0), (10.0, 9.0), (400.0, 0.5), (3.0, 0.01)] {
            let center = Vec3::new(0.0, 0.0, 2.0 - distance);
            let mut top = 0.0_f32;
            for step in 0..=20_000_u16 {
                let (sin, cos) = (f32::from(step) / 20_000.0 * PI).sin_cos();
                let point = center + radius * Vec3::new(0.0, sin, cos);
                top = top.max(view.project(point).unwrap().y);
            }
            let size = view.screen_size(center, radius);
            assert!((size - top).abs() < 1e-4 * top, "{size} for {top}: {camera:?}");
        }
    }
}

#[test]
fn screen_size_does_not_depend_on_camera_rotation() {
    let (center, radius) = (Vec3::new(3.0, -40.0, 7.0), 2.0);
    let size = |rotation: Quat| {
        let transform = Transform::from_xyz(1.0, 1.0, 1.0).with_rotation(rotation);
        view_from(transform, &Camera::default(), 1.0).screen_size(center, radius)
    };
    for angle in [0.5, 2.0, -3.0] {
        assert_eq!(size(Quat::IDENTITY), size(Quat::from_rotation_y(angle)));
    }
    let view = view_from(Transform::IDENTITY, &Camera::default(), 1.0);
    assert_eq!(view.screen_size(Vec3::new(0.0, 0.0, -1.0), 1.0), INF, "touching the sphere");
    assert_eq!(view.screen_size(Vec3::new(0.0, 0.0, -1.0), 5.0), INF, "inside of the sphere");
    for (center, radius) in [
        (Vec3::NEG_Z, -1.0),
        (Vec3::NEG_Z, NAN),
        (Vec3::NEG_Z, 0.0),
        (Vec3::new(NAN, 0.0, 0.0), 1.0),
        (Vec3::new(INF, 0.0, 0.0), INF),
    ] {
        assert_eq!(view.screen_size(center, radius), 0.0);
    }
    assert_eq!(view.screen_size(Vec3::NEG_Z, INF), INF);
}

#[test]
fn custom_matrix_behaves_like_the_equal_projection() {
    let transform = Transform::from_xyz(4.0, 5.0, 6.0).looking_at(Vec3::ONE, axes::UP);
    for clip in CLIPS {
        for camera in [
            Camera::perspective(1.2).with_aspect(1.5).with_near(0.5).with_far(80.0),
            Camera::perspective(1.2).with_aspect(1.5).with_near(0.5).with_far(INF),
            Camera::orthographic(12.0).with_aspect(1.5).with_near(-3.0).with_far(80.0),
        ] {
            let camera = camera.with_clip_space(clip);
            let own = view_from(transform, &camera, (300, 200));
            let custom = view_from(transform, &Camera::custom(own.projection, clip), (300, 200));
            assert_eq!(own.view_projection, custom.view_projection);
            assert_eq!(own.frustum, custom.frustum);
            assert!((custom.near - own.near).abs() < 1e-4, "{} {}", custom.near, own.near);
            if own.far == INF {
                assert_eq!(custom.far, INF);
            } else {
                assert!((custom.far - own.far).abs() < 0.01, "{} {}", custom.far, own.far);
            }
            for pixel in [Vec2::ZERO, Vec2::new(120.5, 17.5)] {
                assert_eq!(own.ray_through_pixel(pixel), custom.ray_through_pixel(pixel));
            }
            let (center, radius) = (Vec3::new(0.5, 1.0, -2.0), 0.5);
            assert_eq!(own.screen_size(center, radius), custom.screen_size(center, radius));
        }
    }
}

/// Off-axis, with an eye that is not at the camera, flipped vertically, and with near and far lost
/// to rounding.
#[test]
fn rays_are_correct_for_unusual_matrices() {
    let plain = Camera::perspective(1.0).with_aspect(1.0).with_near(0.5).with_far(50.0);
    let plain = plain.projection.matrix(1.0, ClipSpace::ZeroToOne).unwrap();
    let mut off_axis = plain;
    (off_axis.z_axis.x, off_axis.z_axis.y) = (0.4, -0.3);
    let moved = plain * Mat4::from_translation(Vec3::new(0.3, 0.2, -1.0));
    let moved_aside = plain * Mat4::from_translation(Vec3::new(0.3, 0.0, 0.0));
    let moved_up = plain * Mat4::from_translation(Vec3::new(0.0, 0.2, 0.0));
    let moved_back = plain * Mat4::from_translation(Vec3::new(0.0, 0.0, -1.0));
    let upside_down = Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0)) * plain;
    let mut depthless = plain;
    (depthless.z_axis.z, depthless.w_axis.z) = (-1.0, -1e-9);
    let parallel = Camera::orthographic(9.0).projection.matrix(1.0, ClipSpace::ZeroToOne).unwrap();
    let mut oblique = parallel;
    (oblique.z_axis.x, oblique.z_axis.y) = (0.1, 0.05);

    let transform =
        Transform::from_xyz(1.0, -2.0, 0.5).looking_at(Vec3::new(9.0, 9.0, 9.0), axes::UP);
    let usual = [off_axis, moved, moved_aside, moved_up, moved_back, upside_down, depthless];
    // Scaled matrices are equal in homogeneous coordinates.
    let tiny = [plain * 1e-30, parallel * 1e-30];
    for matrix in usual.into_iter().chain([parallel, oblique]).chain(tiny) {
        let view = view_from(transform, &Camera::custom(matrix, ClipSpace::ZeroToOne), (64, 64));
        for pixel in [Vec2::new(32.0, 32.0), Vec2::new(1.5, 60.5), Vec2::new(70.0, -5.0)] {
            let ray = view.ray_through_pixel(pixel).unwrap();
            for distance in [1.0, 7.0, 40.0] {
                let projected = view.project_to_pixel(ray.at(distance));
                let projected =
                    projected.unwrap_or_else(|| panic!("behind: {matrix} {pixel} {distance}"));
                assert!(projected.abs_diff_eq(pixel, 2e-3), "{matrix} {pixel}: {projected}");
            }
        }
    }
    let eye = view_from(transform, &Camera::custom(off_axis, ClipSpace::ZeroToOne), 1.0);
    assert_eq!(eye.ray_through_ndc(Vec2::ONE).unwrap().origin(), transform.translation);
    for matrix in [moved, moved_aside, moved_up, moved_back] {
        let elsewhere = view_from(transform, &Camera::custom(matrix, ClipSpace::ZeroToOne), 1.0);
        let start = elsewhere.ray_through_ndc(Vec2::ONE).unwrap().origin();
        let near = elsewhere.frustum.plane(Side::Near).distance(start);
        assert!(near.abs() < 1e-5, "{near}");
    }
}

#[test]
fn results_are_never_nan() {
    let numbers = [NAN, INF, -INF, f32::MAX, f32::MIN, 0.0, -0.0, 1e-45, -1e-40, 1.0, 1e20];
    let transforms = [
        Transform::IDENTITY,
        Transform::from_xyz(1e6, -1e6, 1e6).looking_at(Vec3::ZERO, axes::UP),
        Transform::from_scale(Vec3::splat(1e-30)),
    ];
    let cameras = [
        Camera::default(),
        Camera::default()
            .with_near(0.1)
            .with_far(INF)
            .with_clip_space(ClipSpace::ZeroToOneReversed),
        Camera::orthographic(3.0),
        Camera::perspective(PI.next_down()).with_aspect(1e-3),
    ];
    for (transform, camera) in
        transforms.iter().flat_map(|transform| cameras.map(|camera| (transform, camera)))
    {
        let view = view_from(*transform, &camera, (7, 5));
        for x in numbers {
            for y in numbers {
                let ndc = Vec2::new(x, y);
                for ray in [view.ray_through_ndc(ndc), view.ray_through_pixel(ndc)] {
                    let finite = |v: Vec3| v.is_finite();
                    assert!(ray.is_none_or(|ray| finite(ray.origin()) && finite(ray.direction())));
                    assert!(ray.is_none() || ndc.is_finite());
                }
                for z in numbers {
                    let point = Vec3::new(x, y, z);
                    assert!(view.project(point).is_none_or(Vec3::is_finite));
                    assert!(view.project_to_pixel(point).is_none_or(Vec2::is_finite));
                    assert!(!view.depth(point).is_nan());
                    for radius in numbers {
                        let size = view.screen_size(point, radius);
                        assert!(size >= 0.0, "{point} {radius} {size}");
                    }
                }
            }
        }
    }
    let view = view_from(Transform::IDENTITY, &Camera::default(), 1.0);
    assert_eq!(view.depth(Vec3::new(NAN, 0.0, 0.0)), INF);
}

#[test]
fn invalid_views_are_rejected_with_the_name_of_the_node() {
    let mut scene = Scene::new();
    let flat = Node::camera(Camera::default()).named("main").scaled(Vec3::new(1.0, 1.0, 0.0));
    let node = scene.spawn(flat).unwrap();
    scene.update().unwrap();
    let error = |scene: &mut Scene, camera: Camera, viewport: Viewport| {
        *scene.camera_mut(node).unwrap() = camera;
        let without_node = View::new(&camera, scene.node(node).unwrap().world(), viewport);
        let error = scene.view(node, viewport).unwrap_err();
        let unnamed = error.to_string().replace(" 1v1 \"main\"", "");
        assert_eq!(without_node.unwrap_err().to_string(), unnamed);
        error
    };
    let flat = error(&mut scene, Camera::default(), 1.0.into());
    assert_eq!(
        flat.to_string(),
        "camera 1v1 \"main\": its world matrix is singular (a scale of zero, or nearly), \
         so it has no view direction; give it and its parents a scale",
    );
    assert!(matches!(flat, Error::View { error: ViewError::Singular, .. }));

    scene.node_mut(node).unwrap().set_scale(Vec3::ONE).unwrap();
    scene.update().unwrap();
    assert_eq!(
        error(&mut scene, Camera::default(), (0, 600).into()).to_string(),
        "camera 1v1 \"main\": the viewport has 0 × 600 pixels; \
         skip the frame while the window has no size",
    );
    assert_eq!(
        error(&mut scene, Camera::perspective(60.0).with_aspect(1.0), 1.0.into()).to_string(),
        "camera 1v1 \"main\": fov_y is 60; it must be greater than 0 and less than π, in radians \
         (60° are 1.0471976)",
    );
    assert_eq!(
        error(&mut scene, Camera::default(), NAN.into()).to_string(),
        "camera 1v1 \"main\": aspect is NaN; it must be positive and finite: \
         the image's width divided by its height",
    );
    assert_eq!(
        error(&mut scene, Camera::custom(Mat4::ZERO, ClipSpace::ZeroToOne), 1.0.into()).to_string(),
        "camera 1v1 \"main\": the view-projection has no volume in view: it is singular, or there \
         is nothing between its sides; check near < far, the field of view, the clip space, that the \
         camera's transform is not singular, and that f32 can represent its near plane at its position",
    );
    scene.remove(node).unwrap();
    assert_eq!(scene.view(node, 1.0), Err(Error::NoCamera(node)));
}

#[test]
fn view_fields_hold_its_inputs() {
    let camera = Camera::perspective(0.9)
        .with_aspect(1.7)
        .with_clip_space(ClipSpace::NegOneToOne)
        .with_near(0.3)
        .with_far(70.0)
        .with_layers(6);
    let (graph, node) = updated(Transform::IDENTITY);
    let view = View::new(&camera, graph.node(node).unwrap().world(), (17, 10)).unwrap();
    assert_eq!((view.camera, view.clip_space, view.layers), (None, ClipSpace::NegOneToOne, 6));
    assert_eq!((view.near, view.far), (0.3, 70.0));
    assert_eq!(view.viewport, Viewport::Pixels(17, 10));
    assert_eq!(Projection::matrix(&camera.projection, 1.7, camera.clip_space), Ok(view.projection));
    let sphere = Sphere::new(Vec3::new(0.0, 0.0, -5.0), 1.0);
    assert!(view.frustum.intersects_sphere(&sphere));
}

/// No graph or node is needed, and the view is that of a camera in a scene.
#[test]
fn view_without_a_scene_equals_that_of_a_node() {
    let mut scene = Scene::new();
    let camera = Camera::perspective(0.8).with_near(0.2).with_far(80.0);
    let transform = Transform::from_xyz(3.0, -8.0, 2.0).looking_at(Vec3::ZERO, axes::UP);
    let node = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
    scene.update().unwrap();
    let mut view = View::new(&camera, transform, (640, 480)).unwrap();
    assert_eq!(view.camera, None);
    view.camera = Some(node);
    assert_eq!(scene.view(node, (640, 480)).unwrap(), view);
}

#[test]
fn d_perspective_follows_the_viewport_unless_an_aspect_is_set() {
    let wide = View::new(&Camera::perspective(1.0), Transform::IDENTITY, (300, 100)).unwrap();
    assert_eq!(wide.projection.y_axis.y / wide.projection.x_axis.x, 3.0);
    let fixed = Camera::perspective(1.0).with_near(0.5).with_far(9.0).with_aspect(2.0);
    let fixed = View::new(&fixed, Transform::IDENTITY, (300, 100)).unwrap();
    assert_eq!(fixed.projection.y_axis.y / fixed.projection.x_axis.x, 2.0);
    assert_eq!((fixed.near, fixed.far), (0.5, 9.0));
}

#[test]
fn default_camera_with_y_up_is_centred_on_the_origin() {
    let transform = Camera::default_transform_for(UpAxis::Y);
    let view = view_from(transform, &Camera::default(), 1.5);
    assert_eq!(view.position, Vec3::new(0.0, 5.0, 10.0));
    let ndc = |point| view.project(point).unwrap();
    assert_near(ndc(Vec3::ZERO) * Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO, 1e-6);
    assert!(ndc(Vec3::Y).y > 0.05 && ndc(Vec3::Y).x.abs() < 1e-6);
    assert!(ndc(Vec3::X).x > 0.05 && ndc(Vec3::X).y.abs() < 1e-6);
    assert_eq!(Camera::default_transform_for(UpAxis::Z), Camera::default_transform());
}

/// Points project to the pixels whose rays hit them, whatever the projection.
#[test]
fn lens_projects_what_its_rays_pass_through() {
    let sheared = {
        let mut matrix = Projection::default().matrix(1.5, ClipSpace::ZeroToOne).unwrap();
        (matrix.z_axis.x, matrix.w_axis.y) = (0.3, 0.2);
        Camera::custom(matrix, ClipSpace::ZeroToOne)
    };
    for camera in [Camera::default(), Camera::orthographic(8.0), sheared] {
        let lens = view_from(Transform::IDENTITY, &camera, 1.5).lens();
        for point in [Vec3::new(0.5, 0.7, -3.0), Vec3::new(-1.0, 0.2, -9.0)].map(Vec3::as_dvec3) {
            let ndc = lens.project(point).unwrap();
            let (origin, direction) = lens.ray(ndc.truncate()).unwrap();
            let off = (point - origin).cross(direction.normalize()).length();
            assert!(off < 1e-5, "{point} is {off} away from its ray");
            assert!((point - origin).dot(direction) > 0.0);
            let clip = lens.to_clip(point.extend(1.0));
            assert!((clip.truncate() / clip.w).abs_diff_eq(ndc, 1e-12));
            assert!(lens.depth_margins(clip).iter().all(|&margin| margin > 0.0));
            assert_eq!(origin == DVec3::ZERO, lens.rays_start_at_camera());
        }
    }
}
