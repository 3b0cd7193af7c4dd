//! Projections: expected matrices in every clip space, and rejected parameters.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use pleach::glam::dcamera::rh::proj::{directx, opengl};
use pleach::glam::{DMat4, Mat4, Vec3, Vec4};
use pleach::{Camera, ClipSpace, Projection, ProjectionError, ProjectionParameter};

const CLIPS: [ClipSpace; 3] =
    [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

fn perspective(fov_y: f32, near: f32, far: f32) -> Projection {
    Projection::Perspective { fov_y, near, far }
}

fn orthographic(height: f32, zoom: f32, near: f32, far: f32) -> Projection {
    Projection::Orthographic { height, zoom, near, far }
}

fn from_rows(rows: [[f64; 4]; 4]) -> DMat4 {
    DMat4::from_cols_array_2d(&rows).transpose()
}

/// Asserts that all elements equal the nearest f32, or one of its neighbours.
#[track_caller]
fn assert_rounded(matrix: Mat4, expected: DMat4) {
    for (&found, &exact) in matrix.to_cols_array().iter().zip(&expected.to_cols_array()) {
        let error = (f64::from(found) - exact).abs();
        assert!(error <= 1.2e-7 * exact.abs(), "{found} for {exact} in {matrix}");
    }
}

/// Field of view, aspect, near and far: common values, and the example of the glTF specification.
const CAMERAS: [(f32, f32, f32, f32); 6] = [
    (0.660_593, 1.5, 0.01, 100.0),
    (FRAC_PI_3, 16.0 / 9.0, 0.1, 500.0),
    (FRAC_PI_2, 1.0, 1.0, 3.0),
    (0.02, 0.25, 10.0, 10.1),
    (3.1, 9.0, 1e-3, 1e6),
    (1.0, 2.0, 5.0, INF),
];

#[test]
fn perspective_matrices_equal_those_of_gltf() {
    for (fov_y, aspect, near, far) in CAMERAS {
        let matrix = perspective(fov_y, near, far).matrix(aspect, ClipSpace::NegOneToOne).unwrap();
        let [y, a, n, f] = [fov_y, aspect, near, far].map(f64::from);
        let (zz, zw) = match f.is_finite() {
            true => ((f + n) / (n - f), 2.0 * f * n / (n - f)),
            false => (-1.0, -2.0 * n),
        };
        let tan = (0.5 * y).tan();
        let expected = from_rows([
            [1.0 / (a * tan), 0.0, 0.0, 0.0],
            [0.0, 1.0 / tan, 0.0, 0.0],
            [0.0, 0.0, zz, zw],
            [0.0, 0.0, -1.0, 0.0],
        ]);
        assert_rounded(matrix, expected);
    }
}

#[test]
fn orthographic_matrices_equal_those_of_gltf() {
    for (xmag, ymag, near, far) in
        [(4.0_f32, 2.0_f32, 0.0_f32, 10.0_f32), (0.3, 0.7, 0.01, 100.0), (1e4, 1e4, 1.0, 1e5)]
    {
        let projection = orthographic(2.0 * ymag, 1.0, near, far);
        let matrix = projection.matrix(xmag / ymag, ClipSpace::NegOneToOne).unwrap();
        let [t, n, f] = [ymag, near, far].map(f64::from);
        let r = f64::from(xmag / ymag) * t;
        let expected = from_rows([
            [1.0 / r, 0.0, 0.0, 0.0],
            [0.0, 1.0 / t, 0.0, 0.0],
            [0.0, 0.0, 2.0 / (n - f), (f + n) / (n - f)],
            [0.0, 0.0, 0.0, 1.0],
        ]);
        assert_rounded(matrix, expected);
    }
}

#[test]
fn perspective_matrices_equal_those_of_glam_in_f64() {
    for (fov_y, aspect, near, far) in CAMERAS {
        let [y, a, n, f] = [fov_y, aspect, near, far].map(f64::from);
        let matrix = |clip| perspective(fov_y, near, far).matrix(aspect, clip).unwrap();
        if far == INF {
            let zero_to_one = directx::perspective_infinite(y, a, n);
            assert_rounded(matrix(ClipSpace::ZeroToOne), zero_to_one);
            let reversed = directx::perspective_infinite_reverse(y, a, n);
            assert_rounded(matrix(ClipSpace::ZeroToOneReversed), reversed);
        } else {
            assert_rounded(matrix(ClipSpace::NegOneToOne), opengl::perspective(y, a, n, f));
            assert_rounded(matrix(ClipSpace::ZeroToOne), directx::perspective(y, a, n, f));
            // glam reverses depth by swapping near and far.
            assert_rounded(matrix(ClipSpace::ZeroToOneReversed), directx::perspective(y, a, f, n));
        }
    }
}

#[test]
fn orthographic_matrices_equal_those_of_glam_in_f64() {
    for (height, zoom, aspect, near, far) in
        [(10.0_f32, 1.0_f32, 1.5_f32, 0.1_f32, 500.0_f32), (3.0, 4.0, 0.5, -20.0, 30.0)]
    {
        let [h, z, a, n, f] = [height, zoom, aspect, near, far].map(f64::from);
        let (y, x) = (0.5 * h / z, 0.5 * h / z * a);
        let matrix = |clip| orthographic(height, zoom, near, far).matrix(aspect, clip).unwrap();
        let gl = opengl::orthographic(-x, x, -y, y, n, f);
        assert_rounded(matrix(ClipSpace::NegOneToOne), gl);
        let dx = directx::orthographic(-x, x, -y, y, n, f);
        assert_rounded(matrix(ClipSpace::ZeroToOne), dx);
        let reversed = directx::orthographic(-x, x, -y, y, f, n);
        assert_rounded(matrix(ClipSpace::ZeroToOneReversed), reversed);
    }
}

/// View space is right-handed, looks along −Z, and +Y is up.
#[test]
fn near_far_and_edges_map_to_the_limits_of_clip_space() {
    for clip in CLIPS {
        let (at_near, at_far) = match clip {
            ClipSpace::NegOneToOne => (-1.0, 1.0),
            ClipSpace::ZeroToOne => (0.0, 1.0),
            ClipSpace::ZeroToOneReversed => (1.0, 0.0),
        };
        for (projection, far) in [
            (perspective(FRAC_PI_2, 2.0, 50.0), 50.0),
            (perspective(FRAC_PI_2, 2.0, INF), 1e9),
            (orthographic(4.0, 1.0, 2.0, 50.0), 50.0),
        ] {
            let matrix = projection.matrix(2.0, clip).unwrap();
            let near_corner = matrix.project_point3(Vec3::new(4.0, 2.0, -2.0));
            let expected = Vec3::new(1.0, 1.0, at_near);
            assert!(near_corner.abs_diff_eq(expected, 1e-6), "{clip:?} {near_corner}");
            let far_middle = matrix.project_point3(Vec3::new(0.0, 0.0, -far));
            assert!(far_middle.abs_diff_eq(Vec3::new(0.0, 0.0, at_far), 1e-6), "{far_middle}");
        }
    }
}

/// The elements of the depth row in each clip space.
#[test]
fn matrices_have_the_expected_elements() {
    let close = |matrix: Mat4, rows: [[f32; 4]; 4]| {
        let expected = Mat4::from_cols_array_2d(&rows).transpose();
        assert!(matrix.abs_diff_eq(expected, 1e-6), "{matrix}");
    };
    for (clip, zz, zw) in [
        (ClipSpace::NegOneToOne, -2.0, -3.0),
        (ClipSpace::ZeroToOne, -1.5, -1.5),
        (ClipSpace::ZeroToOneReversed, 0.5, 1.5),
    ] {
        let rows = [[0.5, 0., 0., 0.], [0., 1., 0., 0.], [0., 0., zz, zw], [0., 0., -1., 0.]];
        close(perspective(FRAC_PI_2, 1.0, 3.0).matrix(2.0, clip).unwrap(), rows);
    }
    for (clip, zz, zw) in [
        (ClipSpace::NegOneToOne, -0.5, -1.5),
        (ClipSpace::ZeroToOne, -0.25, -0.25),
        (ClipSpace::ZeroToOneReversed, 0.25, 1.25),
    ] {
        let rows = [[0.25, 0., 0., 0.], [0., 0.5, 0., 0.], [0., 0., zz, zw], [0., 0., 0., 1.]];
        close(orthographic(4.0, 1.0, 1.0, 5.0).matrix(2.0, clip).unwrap(), rows);
    }
}

/// The tangent function of the platform would change the hash.
#[test]
fn projection_matrices_have_a_fixed_hash() {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for step in 1..400_u16 {
        let fov_y = f32::from(step) * 0.007_8;
        for clip in CLIPS {
            let matrix = perspective(fov_y, 0.1, 500.0).matrix(fov_y + 0.3, clip).unwrap();
            for number in matrix.to_cols_array() {
                hash = (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0100_0000_01B3);
            }
        }
    }
    assert_eq!(hash, 2_448_346_019_443_646_876);
}

#[test]
fn aspect_scales_x_and_zoom_scales_both_axes() {
    let clip = ClipSpace::ZeroToOne;
    for projection in [perspective(1.0, 0.1, 10.0), orthographic(10.0, 1.0, 0.0, 10.0)] {
        let [square, wide] = [1.0, 4.0].map(|aspect| projection.matrix(aspect, clip).unwrap());
        assert_eq!(wide.x_axis.x, square.x_axis.x / 4.0);
        assert_eq!(wide.y_axis, square.y_axis);
    }
    let camera = Camera::orthographic(10.0);
    let [plain, zoomed] = [camera, camera.with_zoom(4.0)].map(|camera| camera.projection);
    let [plain, zoomed] = [plain, zoomed].map(|p| p.matrix(2.0, clip).unwrap());
    assert_eq!(zoomed.x_axis.x, plain.x_axis.x * 4.0);
    assert_eq!(zoomed.y_axis.y, plain.y_axis.y * 4.0);
    assert_eq!((zoomed.z_axis, zoomed.w_axis), (plain.z_axis, plain.w_axis));
}

#[test]
fn custom_matrix_is_used_unchanged() {
    let matrix = Mat4::from_cols_array(&std::array::from_fn(|at| at as f32 - 7.5));
    let custom = Projection::Custom(matrix);
    assert_eq!(custom.matrix(NAN, ClipSpace::NegOneToOne), Ok(matrix));
    let camera =
        Camera::custom(matrix, ClipSpace::NegOneToOne).with_near(5.0).with_far(6.0).with_zoom(3.0);
    assert_eq!((camera.projection, camera.clip_space), (custom, ClipSpace::NegOneToOne));
}

#[test]
fn invalid_parameters_are_rejected_with_name_and_value() {
    let message = |projection: Projection, aspect: f32| {
        projection.matrix(aspect, ClipSpace::ZeroToOne).unwrap_err().to_string()
    };
    let fov = |fov_y: f32| message(perspective(fov_y, 0.1, 10.0), 1.0);
    let radians = "it must be greater than 0 and less than π, in radians";
    assert_eq!(fov(0.0), format!("projection: fov_y is 0; {radians}"));
    assert_eq!(fov(NAN), format!("projection: fov_y is NaN; {radians}"));
    assert_eq!(fov(-1.5), format!("projection: fov_y is -1.5; {radians}"));
    assert_eq!(fov(INF), format!("projection: fov_y is inf; {radians}"));
    assert_eq!(fov(62.5), format!("projection: fov_y is 62.5; {radians} (62.5° are 1.0908308)"),);
    assert!(perspective(PI, 0.1, 10.0).matrix(1.0, ClipSpace::ZeroToOne).is_err());
    assert!(perspective(PI.next_down(), 0.1, 10.0).matrix(1.0, ClipSpace::ZeroToOne).is_ok());

    assert_eq!(
        message(perspective(1.0, 0.0, 10.0), 1.0),
        "projection: near is 0; it must be finite, and positive in a perspective: \
         0.1 will often do",
    );
    assert_eq!(
        message(orthographic(1.0, 1.0, f32::NEG_INFINITY, 10.0), 1.0),
        "projection: near is -inf; it must be finite, and positive in a perspective: \
         0.1 will often do",
    );
    for projection in [perspective(1.0, 2.5, 2.5), orthographic(1.0, 1.0, 2.5, 2.5)] {
        assert_eq!(
            message(projection, 1.0),
            "projection: far is 2.5; it must be greater than near, which is 2.5 \
             (an infinite perspective has an infinite far, and no zfar in a file)",
        );
    }
    assert_eq!(
        message(orthographic(1.0, 1.0, 0.0, INF), 1.0),
        "projection: far is inf; it must be finite in an orthographic projection, \
         whose depths are evenly spaced",
    );
    for projection in [perspective(1.0, 0.1, 10.0), orthographic(1.0, 1.0, 0.1, 10.0)] {
        assert_eq!(
            message(projection, 0.0),
            "projection: aspect is 0; it must be positive and finite: \
             the image's width divided by its height",
        );
    }
    assert_eq!(
        message(orthographic(-3.0, 1.0, 0.0, 1.0), 1.0),
        "projection: height is -3; it must be positive and finite: \
         how much of the world the image shows from bottom to top",
    );
    assert_eq!(
        message(orthographic(3.0, 0.0, 0.0, 1.0), 1.0),
        "projection: zoom is 0; it must be positive and finite, and 1 for none",
    );
    let mut custom = Mat4::IDENTITY;
    custom.z_axis.y = NAN;
    assert_eq!(
        message(Projection::Custom(custom), 1.0),
        "projection: column 2 row 1 of the custom matrix is NaN; it must be finite",
    );
    assert_eq!(
        message(perspective(1e-44, 0.1, 10.0), 1.0),
        "projection: f32 cannot hold its matrix; \
         choose fov_y, height, zoom, aspect and near closer to 1",
    );
    assert_eq!(
        perspective(1.0, -1.0, 2.0).matrix(1.0, ClipSpace::ZeroToOne),
        Err(ProjectionError::OutOfRange { parameter: ProjectionParameter::Near, value: -1.0 }
            .into()),
    );
}

/// For any parameters the result is an error, or a finite matrix with positive scales.
#[test]
fn matrices_are_always_finite() {
    let numbers =
        [NAN, INF, -INF, 0.0, -0.0, -1.0, 1e-45, 1e-39, 1e-20, 0.1, 1.0, 3.0, 3.2, 1e20, f32::MAX];
    let mut made = 0;
    for clip in CLIPS {
        for a in numbers {
            for b in numbers {
                for c in numbers {
                    for aspect in numbers {
                        let projections = [perspective(a, b, c), orthographic(a, 2.0, b, c)];
                        for projection in projections.into_iter().chain([orthographic(a, b, -c, c)])
                        {
                            let Ok(matrix) = projection.matrix(aspect, clip) else { continue };
                            made += 1;
                            assert!(matrix.is_finite(), "{projection:?} {aspect} {matrix}");
                            assert!(matrix.x_axis.x > 0.0 && matrix.y_axis.y > 0.0);
                        }
                    }
                }
            }
        }
    }
    assert!(made > 1000, "{made}");
}

#[test]
fn camera_is_plain_data_with_defaults() {
    let camera = Camera::default();
    assert_eq!(camera.projection, perspective(FRAC_PI_3, 0.1, 500.0));
    assert_eq!((camera.aspect, camera.layers), (None, u32::MAX));
    assert_eq!(camera.clip_space, ClipSpace::ZeroToOne);
    assert_eq!(Projection::default(), camera.projection);

    let camera = Camera::perspective(0.5)
        .with_aspect(2.0)
        .with_near(1.0)
        .with_far(INF)
        .with_clip_space(ClipSpace::ZeroToOneReversed)
        .with_layers(0b101)
        .with_zoom(7.0);
    assert_eq!(camera.projection, perspective(0.5, 1.0, INF));
    assert_eq!((camera.aspect, camera.layers), (Some(2.0), 0b101));
    assert_eq!(camera.clip_space, ClipSpace::ZeroToOneReversed);
    assert_eq!(camera.with_aspect(3.0).aspect, Some(3.0));

    let map = Camera::orthographic(20.0).with_near(-5.0).with_far(5.0);
    assert_eq!(map.projection, orthographic(20.0, 1.0, -5.0, 5.0));
    assert_eq!(map.aspect, None);
}

/// Column-major: translations are elements 12, 13 and 14, and the last row of a perspective
/// is elements 3, 7, 11 and 15.
#[test]
fn matrices_are_column_major() {
    let matrix = perspective(1.0, 0.1, 10.0).matrix(1.0, ClipSpace::ZeroToOne).unwrap();
    let numbers = matrix.to_cols_array();
    assert_eq!([numbers[3], numbers[7], numbers[11], numbers[15]], [0.0, 0.0, -1.0, 0.0]);
    assert_eq!(
        matrix * Vec4::new(0.0, 0.0, -5.0, 1.0),
        Vec4::new(0.0, 0.0, matrix.z_axis.z * -5.0 + numbers[14], 5.0)
    );
}
