//! `Frustum`: known planes in every clip space, and errors.

use std::f32::consts::FRAC_1_SQRT_2;

use pleach_spatial::glam::camera::rh::proj::{directx, opengl};
use pleach_spatial::glam::camera::rh::view::look_at_mat4;
use pleach_spatial::glam::{EulerRot, Mat4, Vec3, Vec4};
use pleach_spatial::{Aabb, Argument, ClipSpace, Containment, Error, Frustum, Plane, Side, Sphere};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

const CLIPS: [ClipSpace; 3] =
    [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];

fn from_rows(rows: [[f32; 4]; 4]) -> Mat4 {
    Mat4::from_cols_array_2d(&rows).transpose()
}

/// Returns a projection of 90° in width and height along −Z, with these z coefficients.
fn square_perspective(zz: f32, zw: f32) -> Mat4 {
    from_rows([[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., zz, zw], [0., 0., -1., 0.]])
}

/// Returns the same projection from 1 to 3 metres for a clip space.
fn one_to_three(clip: ClipSpace) -> Mat4 {
    match clip {
        ClipSpace::NegOneToOne => square_perspective(-2.0, -3.0),
        ClipSpace::ZeroToOne => square_perspective(-1.5, -1.5),
        ClipSpace::ZeroToOneReversed => square_perspective(0.5, 1.5),
    }
}

fn frustum(matrix: &Mat4, clip: ClipSpace) -> Frustum {
    Frustum::from_view_projection(matrix, clip).unwrap()
}

fn cube(x: f32, y: f32, z: f32, half: f32) -> Aabb {
    Aabb::from_center_half(Vec3::new(x, y, z), Vec3::splat(half))
}

#[test]
fn a_known_perspective_has_known_planes_in_every_clip_space() {
    let h = FRAC_1_SQRT_2;
    let expected = [
        Plane::new(Vec3::new(h, 0.0, -h), 0.0),
        Plane::new(Vec3::new(-h, 0.0, -h), 0.0),
        Plane::new(Vec3::new(0.0, h, -h), 0.0),
        Plane::new(Vec3::new(0.0, -h, -h), 0.0),
        Plane::new(Vec3::NEG_Z, -1.0),
        Plane::new(Vec3::Z, 3.0),
    ];
    for clip in CLIPS {
        let frustum = frustum(&one_to_three(clip), clip);
        assert_eq!(frustum.planes(), &expected, "{clip:?}");
        for (index, side) in Side::ALL.into_iter().enumerate() {
            assert_eq!(frustum.plane(side), &expected[index]);
        }
    }
}

#[test]
fn a_known_orthographic_camera_has_known_planes() {
    let planes = |left: f32, right: f32, bottom: f32, top: f32, near: f32, far: f32| {
        [
            Plane::new(Vec3::X, -left),
            Plane::new(Vec3::NEG_X, right),
            Plane::new(Vec3::Y, -bottom),
            Plane::new(Vec3::NEG_Y, top),
            Plane::new(Vec3::NEG_Z, -near),
            Plane::new(Vec3::Z, far),
        ]
    };
    let sizes = (-4.0, 12.0, -2.0, 6.0, 8.0, 24.0);
    let (left, right, bottom, top, near, far) = sizes;
    let expected = planes(left, right, bottom, top, near, far);
    let zero = directx::orthographic(left, right, bottom, top, near, far);
    let one = opengl::orthographic(left, right, bottom, top, near, far);
    let reversed = directx::orthographic(left, right, bottom, top, far, near);
    for (matrix, clip) in [
        (zero, ClipSpace::ZeroToOne),
        (one, ClipSpace::NegOneToOne),
        (reversed, ClipSpace::ZeroToOneReversed),
    ] {
        let frustum = frustum(&matrix, clip);
        for (plane, expected) in frustum.planes().iter().zip(expected) {
            assert_eq!(plane.normal, expected.normal, "{clip:?}");
            assert!((plane.d - expected.d).abs() < 1e-4, "{clip:?}: {plane:?} {expected:?}");
        }
    }
}

#[test]
fn an_infinite_far_plane_is_recognised() {
    let near = 0.25;
    for (matrix, clip) in [
        (square_perspective(-1.0, -2.0 * near), ClipSpace::NegOneToOne),
        (directx::perspective_infinite(1.2, 1.5, near), ClipSpace::ZeroToOne),
        (directx::perspective_infinite_reverse(1.2, 1.5, near), ClipSpace::ZeroToOneReversed),
    ] {
        for eye in [Vec3::ZERO, Vec3::new(3e5, -2e6, 7.0)] {
            let view = look_at_mat4(eye, eye + Vec3::new(1.0, 2.0, 0.5), Vec3::Z);
            let frustum = frustum(&(matrix * view), clip);
            assert_eq!(frustum.plane(Side::Far), &Plane::AT_INFINITY, "{clip:?}");
            let in_front = eye + Vec3::new(1.0, 2.0, 0.5) * 1e9;
            assert!(frustum.contains_point(in_front));
            assert_eq!(
                frustum.classify(&Aabb::from_center_half(in_front, Vec3::ONE)),
                Containment::Inside,
            );
            let behind = Aabb::from_center_half(2.0 * eye - in_front, Vec3::ONE);
            assert_eq!(frustum.classify(&behind), Containment::Outside);
        }
    }
}

#[test]
fn a_far_plane_beyond_the_precision_of_f32_is_infinite() {
    let matrix = directx::perspective(1.0, 1.0, 1e-3, 1e7);
    let frustum = frustum(&matrix, ClipSpace::ZeroToOne);
    assert_eq!(frustum.plane(Side::Far), &Plane::AT_INFINITY);
    // The rows of z and w differ by one or two roundings, in arbitrary directions.
    let view = look_at_mat4(Vec3::new(3.0, 1.0, -2.0), Vec3::new(-1.0, 0.3, 0.7), Vec3::Z);
    for (far, infinite) in [(1e4, false), (1e5, false), (6e5, true), (8e5, true)] {
        let matrix = directx::perspective(1.0, 1.0, 0.1, far) * view;
        let plane = *self::frustum(&matrix, ClipSpace::ZeroToOne).plane(Side::Far);
        assert_eq!(plane == Plane::AT_INFINITY, infinite, "{far}: {plane:?}");
    }
    // With reversed depth, f32 represents the far plane exactly.
    let reversed = directx::perspective(1.0, 1.0, 1e7, 1e-3);
    let far = *self::frustum(&reversed, ClipSpace::ZeroToOneReversed).plane(Side::Far);
    assert_eq!(far.normal, Vec3::Z);
    assert!((far.d - 1e7).abs() < 10.0, "{far:?}");
}

/// The near plane is lost to rounding, and the matrix is singular. Boxes in front of the camera are
/// still in view.
#[test]
fn a_camera_far_from_the_origin_has_a_frustum() {
    for seed in 0..200_u32 {
        let direction =
            Vec3::new((seed % 17) as f32 / 8.5 - 1.0, (seed % 13) as f32 / 6.5 - 1.0, 0.3);
        let eye = Vec3::new(3e6, -5e6, 1e6) * (1.0 + seed as f32);
        let view = look_at_mat4(eye, eye + direction * 1e6, Vec3::Z);
        for matrix in [
            directx::perspective_infinite(1.0, 1.0, 1e-3) * view,
            directx::perspective(1.0, 1.0, 1e-3, 1e6) * view,
        ] {
            let frustum = frustum(&matrix, ClipSpace::ZeroToOne);
            let in_front = eye.as_dvec3() + direction.as_dvec3() * 1e5;
            assert!(frustum.intersects(&Aabb::from_center_half(in_front.as_vec3(), Vec3::ONE)));
        }
    }
}

#[test]
fn extreme_projections_are_accepted() {
    let view = look_at_mat4(Vec3::new(10.0, -20.0, 5.0), Vec3::ZERO, Vec3::Z);
    for (near, far) in [(1e-3, 1e7), (1e-6, 1e-5), (1e5, 1e9), (1.0, 1.001), (1e-3, 1e30)] {
        for fov in [1e-4, 1e-2, 1.0, 3.1] {
            for aspect in [1e-2, 1.0, 50.0] {
                for (matrix, clip) in [
                    (opengl::perspective(fov, aspect, near, far), ClipSpace::NegOneToOne),
                    (directx::perspective(fov, aspect, near, far), ClipSpace::ZeroToOne),
                    (directx::perspective(fov, aspect, far, near), ClipSpace::ZeroToOneReversed),
                ] {
                    let result = Frustum::from_view_projection(&(matrix * view), clip);
                    assert!(result.is_ok(), "{near} {far} {fov} {aspect} {clip:?}: {result:?}");
                }
            }
        }
    }
    // A matrix times a positive number is the same projection.
    for scale in [1e-30, 1e30] {
        let matrix = one_to_three(ClipSpace::ZeroToOne) * scale;
        let planes = *frustum(&matrix, ClipSpace::ZeroToOne).planes();
        let expected = *frustum(&one_to_three(ClipSpace::ZeroToOne), ClipSpace::ZeroToOne).planes();
        for (plane, expected) in planes.iter().zip(expected) {
            assert!(plane.normal.abs_diff_eq(expected.normal, 1e-6));
            assert!((plane.d - expected.d).abs() < 1e-6);
        }
    }
}

/// Some shadow maps use such projections: the vanishing point is at the side of the image, and
/// the depth does not decrease along the view direction.
#[test]
fn a_vanishing_point_at_the_side_is_a_volume() {
    let matrix =
        from_rows([[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., -0.5, 0.], [0., 0.2, 0., 1.]]);
    let frustum = frustum(&matrix, ClipSpace::ZeroToOne);
    assert_eq!(frustum.classify(&cube(0.0, 0.0, -1.0, 0.1)), Containment::Inside);
    assert_eq!(frustum.first_outside(&cube(1.2, -0.9, -1.0, 0.1)), Some(Side::Right));
    assert_eq!(frustum.classify(&cube(1.0, 0.9, -1.0, 0.05)), Containment::Inside);
}

#[test]
fn normals_have_length_one_and_planes_are_where_the_camera_is() {
    let projection = directx::perspective(1.1, 1.6, 0.1, 500.0);
    for seed in 0..100 {
        let at = Vec3::new(seed as f32 * 7.3, 50.0 - seed as f32, (seed % 7) as f32);
        let view = look_at_mat4(at, at + Vec3::new(1.0, -0.3 * seed as f32, 0.4), Vec3::Z);
        let frustum = frustum(&(projection * view), ClipSpace::ZeroToOne);
        for plane in frustum.planes() {
            assert!((plane.normal.length() - 1.0).abs() < 1e-6);
        }
        for side in [Side::Left, Side::Right, Side::Bottom, Side::Top] {
            assert!(frustum.plane(side).distance(at).abs() < 1e-3);
        }
        let (near, far) = (frustum.plane(Side::Near), frustum.plane(Side::Far));
        assert!((near.distance(at) + 0.1).abs() < 1e-3);
        assert!((far.distance(at) - 500.0).abs() < 1.0);
    }
}

#[test]
fn boxes_are_inside_intersecting_or_outside_each_side() {
    use Containment::{Inside, Intersects, Outside};
    let frustum = frustum(&one_to_three(ClipSpace::ZeroToOne), ClipSpace::ZeroToOne);
    for (aabb, containment, outside) in [
        (cube(0.0, 0.0, -2.0, 0.5), Inside, None),
        (cube(-2.0, 0.0, -2.0, 0.5), Intersects, None),
        (cube(0.0, 0.0, -1.0, 0.1), Intersects, None),
        (cube(0.0, 0.0, -2.0, 50.0), Intersects, None),
        (cube(-9.0, 0.0, -2.0, 0.5), Outside, Some(Side::Left)),
        (cube(9.0, 0.0, -2.0, 0.5), Outside, Some(Side::Right)),
        (cube(0.0, -9.0, -2.0, 0.5), Outside, Some(Side::Bottom)),
        (cube(0.0, 9.0, -2.0, 0.5), Outside, Some(Side::Top)),
        (cube(0.0, 0.0, -0.4, 0.5), Outside, Some(Side::Near)),
        (cube(0.0, 0.0, -4.0, 0.5), Outside, Some(Side::Far)),
        // Outside several sides: the first in order.
        (cube(-9.0, 9.0, 9.0, 0.5), Outside, Some(Side::Left)),
        (cube(8.0, 9.0, -4.0, 0.5), Outside, Some(Side::Right)),
        // Touching boxes are not outside.
        (cube(0.0, 0.0, -3.5, 0.5), Intersects, None),
        (cube(0.0, 0.0, -0.5, 0.5), Intersects, None),
    ] {
        assert_eq!(frustum.classify(&aabb), containment, "{aabb:?}");
        assert_eq!(frustum.first_outside(&aabb), outside, "{aabb:?}");
        assert_eq!(frustum.intersects(&aabb), containment != Outside, "{aabb:?}");
    }
}

#[test]
fn empty_boxes_are_never_in_view_and_huge_ones_always() {
    let frustum = frustum(&one_to_three(ClipSpace::ZeroToOne), ClipSpace::ZeroToOne);
    for empty in [
        Aabb::EMPTY,
        Aabb::new(Vec3::new(0.1, 0.0, -2.0), Vec3::new(0.0, 0.0, -2.0)),
        Aabb::new(Vec3::new(NAN, 0.0, -2.0), Vec3::new(0.0, 0.0, -2.0)),
    ] {
        assert_eq!(frustum.classify(&empty), Containment::Outside);
        assert_eq!(frustum.first_outside(&empty), None);
        assert!(!frustum.intersects(&empty));
    }
    for huge in [
        Aabb::new(Vec3::splat(-INF), Vec3::splat(INF)),
        Aabb::new(Vec3::new(0.0, 0.0, -INF), Vec3::ZERO),
        Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX)),
        Aabb::new(Vec3::splat(-1e37), Vec3::splat(1e37)),
    ] {
        assert_eq!(frustum.classify(&huge), Containment::Intersects);
    }
}

#[test]
fn points_and_spheres_in_view() {
    let frustum = frustum(&one_to_three(ClipSpace::ZeroToOne), ClipSpace::ZeroToOne);
    assert!(frustum.contains_point(Vec3::new(0.0, 0.0, -1.0)));
    assert!(frustum.contains_point(Vec3::new(2.0, -2.0, -2.0)));
    assert!(!frustum.contains_point(Vec3::new(2.1, 0.0, -2.0)));
    assert!(!frustum.contains_point(Vec3::ZERO));
    for bad in [Vec3::NAN, Vec3::new(0.0, 0.0, -INF), Vec3::new(INF, 0.0, -2.0)] {
        assert!(!frustum.contains_point(bad));
    }
    let sphere = |z: f32, radius: f32| Sphere::new(Vec3::new(0.0, 0.0, z), radius);
    assert!(frustum.intersects_sphere(&sphere(-2.0, 0.0)));
    assert!(frustum.intersects_sphere(&sphere(0.0, 1.0)));
    assert!(!frustum.intersects_sphere(&sphere(0.0, 0.999)));
    assert!(frustum.intersects_sphere(&sphere(-4.0, 1.0)));
    assert!(!frustum.intersects_sphere(&sphere(-4.0, 0.999)));
    assert!(frustum.intersects_sphere(&sphere(50.0, INF)));
    for empty in [sphere(-2.0, -1.0), sphere(-2.0, NAN), sphere(-INF, 1.0), sphere(NAN, INF)] {
        assert!(!frustum.intersects_sphere(&empty), "{empty:?}");
    }
}

#[test]
fn a_matrix_that_is_not_finite_is_an_error_that_names_the_number() {
    for value in [NAN, INF, -INF] {
        for index in 0..16 {
            let mut numbers = one_to_three(ClipSpace::ZeroToOne).to_cols_array();
            numbers[index] = value;
            let error = Frustum::from_view_projection(
                &Mat4::from_cols_array(&numbers),
                ClipSpace::ZeroToOne,
            );
            match error.unwrap_err() {
                Error::NotFinite {
                    argument: Argument::ViewProjection,
                    component,
                    value: found,
                } => {
                    assert_eq!(component, index);
                    assert_eq!(found.to_bits(), value.to_bits());
                }
                other => panic!("{other}"),
            }
        }
    }
    let mut matrix = Mat4::IDENTITY;
    matrix.z_axis.y = INF;
    let error = Frustum::from_view_projection(&matrix, ClipSpace::ZeroToOne).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("view-projection column 2 row 1 is inf; it must be finite"));
}

#[test]
fn a_matrix_without_a_volume_in_view_is_an_error() {
    let view = look_at_mat4(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO, Vec3::Z);
    let camera = directx::perspective(1.0, 1.5, 0.1, 100.0) * view;
    let ortho = directx::orthographic(-1.0, 1.0, -2.0, 2.0, 0.0, 9.0) * view;
    let row = |matrix: &Mat4, index: usize| matrix.row(index);
    let with_row = |matrix: &Mat4, index: usize, row: Vec4| {
        let mut matrix = matrix.transpose();
        *matrix.col_mut(index) = row;
        matrix.transpose()
    };
    let mut cases = vec![("zero", Mat4::ZERO)];
    for (name, matrix) in [("camera", camera), ("ortho", ortho)] {
        for index in [0, 1, 3] {
            cases.push((name, with_row(&matrix, index, Vec4::ZERO)));
        }
        cases.extend([
            (name, with_row(&matrix, 0, row(&matrix, 1))),
            (name, with_row(&matrix, 0, row(&matrix, 3))),
            (name, with_row(&matrix, 1, -row(&matrix, 3))),
            (name, with_row(&matrix, 1, row(&matrix, 0) * 3.0)),
            // Near and far are the same, or there is nothing between them.
            (name, with_row(&matrix, 2, row(&matrix, 3) * 2.0)),
            (name, with_row(&matrix, 2, row(&matrix, 3) * -1.0)),
            (name, with_row(&matrix, 2, Vec4::new(0.0, 0.0, 0.0, -1.0))),
            (name, -matrix),
        ]);
        // A world without depth, height or width.
        for flat in [Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0)] {
            cases.push((name, matrix * Mat4::from_scale(flat)));
            // As close to singular as f32 allows: all rows differ, with rounding errors everywhere.
            let rotation = Mat4::from_euler(EulerRot::XYZ, 0.4, 1.1, 2.3);
            cases.push((name, matrix * rotation * Mat4::from_scale(flat) * rotation.transpose()));
        }
        cases.push((name, matrix * Mat4::from_scale(Vec3::ZERO)));
    }
    for (index, (name, matrix)) in cases.iter().enumerate() {
        for clip in [ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed] {
            let error = Frustum::from_view_projection(matrix, clip);
            let is_expected = matches!(error, Err(Error::NoVolume | Error::NothingInside(_)));
            assert!(is_expected, "{index} {name} {clip:?}: {matrix:?} {error:?}");
        }
    }
    assert!(Error::NoVolume.to_string().contains("near < far"));
}

#[test]
fn from_planes_normalizes_or_rejects_planes() {
    let good = *frustum(&one_to_three(ClipSpace::ZeroToOne), ClipSpace::ZeroToOne).planes();
    let scaled = good.map(|plane| Plane::new(plane.normal * 4e-30, plane.d * 4e-30));
    let result = Frustum::from_planes(scaled).unwrap();
    for (plane, expected) in result.planes().iter().zip(good) {
        assert!(plane.normal.abs_diff_eq(expected.normal, 1e-6));
        assert!((plane.d - expected.d).abs() < 1e-6);
    }

    let mut open = good;
    open[5] = Plane::new(Vec3::ZERO, 0.0);
    let result = Frustum::from_planes(open).unwrap();
    assert_eq!(result.plane(Side::Far), &Plane::AT_INFINITY);
    assert!(result.intersects(&cube(0.0, 0.0, -1e9, 1.0)));

    open[5] = Plane::new(Vec3::ZERO, -1.0);
    assert_eq!(Frustum::from_planes(open), Err(Error::NothingInside(Side::Far)));
    for (component, value) in [(0, NAN), (2, INF), (3, -INF)] {
        let mut numbers = [0.0, 1.0, 0.0, 2.0];
        numbers[component] = value;
        let [x, y, z, d] = numbers;
        open[2] = Plane::new(Vec3::new(x, y, z), d);
        let error = Frustum::from_planes(open).unwrap_err().to_string();
        let name = ["normal.x", "normal.y", "normal.z", "d"][component];
        assert_eq!(error, format!("bottom plane {name} is {value}; it must be finite"));
    }

    // No volume is not an error here: everything is culled.
    let mut crossed = good;
    (crossed[4], crossed[5]) = (Plane::new(Vec3::X, -5.0), Plane::new(Vec3::NEG_X, 4.0));
    let nothing = Frustum::from_planes(crossed).unwrap();
    assert!(!nothing.intersects(&cube(4.5, 0.0, -2.0, 0.2)));
}

#[test]
fn extreme_planes_are_accepted() {
    let max = f32::MAX;
    let beyond = Plane::new(Vec3::new(1e-30, 0.0, 0.0), max);
    let before = Plane::new(Vec3::new(1e-30, 0.0, 0.0), -max);
    let planes = |plane: Plane| Frustum::from_planes([plane; 6]).unwrap();
    assert_eq!(planes(beyond).plane(Side::Left), &Plane::AT_INFINITY);
    assert_eq!(planes(before).plane(Side::Left), &Plane::new(Vec3::X, -max));
    assert!(!planes(before).intersects(&cube(1e30, 0.0, 0.0, 1.0)));
    assert!(planes(before).intersects(&cube(max, 0.0, 0.0, 1.0)));
    assert!(planes(Plane::new(Vec3::X, max)).intersects(&cube(-1e36, 0.0, 0.0, 1.0)));
    assert!(!planes(Plane::new(Vec3::X, -1e37)).intersects(&cube(1e36, 0.0, 0.0, 1.0)));
    assert!(planes(Plane::new(Vec3::X, -1e36)).intersects(&cube(1e36, 0.0, 0.0, 1.0)));
}

#[test]
fn sides_have_names_and_the_default_clip_space_is_zero_to_one() {
    let names: Vec<String> = Side::ALL.iter().map(Side::to_string).collect();
    assert_eq!(names, ["left", "right", "bottom", "top", "near", "far"]);
    assert_eq!(ClipSpace::default(), ClipSpace::ZeroToOne);
}
