//! Affine matrices: inverses, determinants, decomposition.
//!
//! All in f64 and without trigonometry, so that the results do not depend on the
//! machine and are more precise than the f32 they are rounded to. Nothing here is
//! used by `update/propagate.rs`.

use glam::{DMat3, DVec3, Mat3, Mat4, Quat, Vec3};

use crate::Transform;
use crate::math::{rotation, unit::unit};
use crate::update::kernel::scalar;

/// Returns the linear 3 × 3 part, and the translation.
#[inline]
pub(crate) fn split(matrix: &Mat4) -> (DMat3, DVec3) {
    let [x, y, z, w] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
        .map(|axis| DVec3::new(axis.x.into(), axis.y.into(), axis.z.into()));
    (DMat3::from_cols(x, y, z), w)
}

/// Returns the matrix of a linear part and a translation.
pub(crate) fn join(linear: DMat3, translation: DVec3) -> Mat4 {
    let axis = |v: DVec3, last: f32| [v.x as f32, v.y as f32, v.z as f32, last];
    let columns = [
        axis(linear.x_axis, 0.0),
        axis(linear.y_axis, 0.0),
        axis(linear.z_axis, 0.0),
        axis(translation, 1.0),
    ];
    Mat4::from_cols_array_2d(&columns)
}

/// Returns the inverse of the linear part, or `None` if it is singular.
fn inverse3(linear: &DMat3) -> Option<DMat3> {
    let determinant = linear.determinant();
    let inverse = cofactors(linear).transpose() * (1.0 / determinant);
    (determinant != 0.0 && inverse.is_finite()).then_some(inverse)
}

/// Returns the cofactor matrix: det · transposed inverse, finite even if singular.
fn cofactors(linear: &DMat3) -> DMat3 {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *linear;
    DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

/// Returns the inverse of an affine matrix, or `None` if it is singular or the
/// inverse exceeds f32.
pub(crate) fn inverse(matrix: &Mat4) -> Option<Mat4> {
    let (linear, translation) = split(matrix);
    let inverse = inverse3(&linear)?;
    let inverse = join(inverse, -(inverse * translation));
    inverse.is_finite().then_some(inverse)
}

/// Returns `true` if the matrix mirrors (its determinant is negative).
#[inline]
pub(crate) fn is_mirrored(matrix: &Mat4) -> bool {
    split(matrix).0.determinant() < 0.0
}

/// Returns the transposed inverse of the linear part, which transforms normals. If
/// there is none, the cofactor matrix, which gives the same directions, with a
/// largest element of 1.
pub(crate) fn normal_matrix(matrix: &Mat4) -> Mat3 {
    let (linear, _) = split(matrix);
    if let Some(inverse) = inverse3(&linear) {
        let normal = inverse.transpose().as_mat3();
        if normal.is_finite() {
            return normal;
        }
    }
    let cofactors = cofactors(&linear);
    let max = cofactors.to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    if max == 0.0 { Mat3::ZERO } else { (cofactors * (1.0 / max)).as_mat3() }
}

/// Transforms a direction by the inverse of `matrix`; `None` if it is singular.
pub(crate) fn inverse_transform_direction(matrix: &Mat4, direction: DVec3) -> Option<DVec3> {
    inverse3(&split(matrix).0).map(|inverse| inverse * direction)
}

/// Transforms a point by the inverse of `matrix`; `None` if it is singular.
pub(crate) fn inverse_transform_point(matrix: &Mat4, point: DVec3) -> Option<Vec3> {
    let (linear, translation) = split(matrix);
    Some((inverse3(&linear)? * (point - translation)).as_vec3())
}

/// Returns the local matrix with which a child of `parent` has the world matrix
/// `world`, or `None` if `parent` is (nearly) singular, so that no f32 matrix does.
pub(crate) fn local_keeping_world(parent: &Mat4, world: &Mat4) -> Option<Mat4> {
    let (parent_linear, parent_translation) = split(parent);
    let (linear, translation) = split(world);
    let inverse = inverse3(&parent_linear)?;
    let local = join(inverse * linear, inverse * (translation - parent_translation));
    (local.is_finite() && preserves_world(parent, &local, world, 1e-3)).then_some(local)
}

/// Returns `true` if `parent` maps the point `local` to the translation of `world`, in
/// the sense of `preserves_world`.
pub(crate) fn maps_to(parent: &Mat4, local: Vec3, world: &Mat4) -> bool {
    let product =
        scalar::product(&parent.to_cols_array(), &Mat4::from_translation(local).to_cols_array());
    let position = Mat4::from_cols_array(&product).w_axis;
    let size = |matrix: &Mat4| matrix.w_axis.truncate().abs().max_element();
    let error = (position - world.w_axis).truncate().abs().max_element();
    local.is_finite() && error <= 1e-3 * size(world).max(size(parent))
}

/// Returns `true` if `parent × local` equals `world`, with `tolerance` relative to
/// the size of each axis, and to the distances from the origin.
pub(crate) fn preserves_world(parent: &Mat4, local: &Mat4, world: &Mat4, tolerance: f32) -> bool {
    let product = scalar::product(&parent.to_cols_array(), &local.to_cols_array());
    let product = Mat4::from_cols_array(&product);
    let size = |matrix: &Mat4, column: usize| matrix.col(column).truncate().abs().max_element();
    (0..4).all(|column| {
        let size = match column {
            3 => size(world, 3).max(size(parent, 3)),
            _ => size(world, column),
        };
        let error = (product.col(column) - world.col(column)).truncate().abs().max_element();
        error <= tolerance * size
    })
}

/// Returns the transform nearest to a matrix, and whether it equals the matrix up
/// to f32 rounding.
///
/// The rotation maps the x axis to the direction of the first column, and the y
/// axis into the plane of the first two; the scales are the columns' lengths along
/// those axes. A mirroring matrix gets a negative scale.
pub(crate) fn decompose(matrix: &Mat4) -> (Transform, bool) {
    let (linear, _) = split(matrix);
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let [x, y, z] = orthonormal_axes(columns);
    let nearest = Transform {
        translation: Vec3::new(matrix.w_axis.x, matrix.w_axis.y, matrix.w_axis.z),
        rotation: rotation::from_axes([x, y, z]),
        scale: DVec3::new(x.dot(columns[0]), y.dot(columns[1]), z.dot(columns[2])).as_vec3(),
    };
    if !nearest.scale.is_finite() {
        let clamped = nearest.scale.clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        return (Transform { scale: clamped, ..nearest }, false);
    }
    let composed = nearest.to_matrix();
    let exact = (0..3).all(|column| {
        let [a, b] = [matrix, &composed].map(|matrix| matrix.col(column).truncate().as_dvec3());
        (a - b).abs().max_element() <= 1e-6 * a.abs().max_element()
    });
    (nearest, exact)
}

/// Like `decompose`, for the local matrix with which a child of `parent` has the matrix
/// `world`: an error that is negligible in local space may not be in world space.
pub(crate) fn decompose_below(parent: &Mat4, local: &Mat4, world: &Mat4) -> (Transform, bool) {
    let (nearest, exact) = decompose(local);
    (nearest, exact && preserves_world(parent, &nearest.to_matrix(), world, 2e-6))
}

/// Returns the rotation and scale of the world matrix of a node whose own scale is
/// `own_scale`: like `decompose`, but the signs of the own scale stay with its axes.
pub(crate) fn rotation_and_scale(world: &Mat4, own_scale: Vec3) -> (Quat, Vec3) {
    let (linear, _) = split(world);
    let sign = |scale: f32| if scale < 0.0 { -1.0 } else { 1.0 };
    let [x, y, z] = orthonormal_axes([
        linear.x_axis * sign(own_scale.x),
        linear.y_axis * sign(own_scale.y),
        linear.z_axis * sign(own_scale.z),
    ]);
    let scale =
        DVec3::new(x.dot(linear.x_axis), y.dot(linear.y_axis), z.dot(linear.z_axis)).as_vec3();
    let limit = Vec3::splat(f32::MAX);
    (rotation::from_axes([x, y, z]), scale.clamp(-limit, limit))
}

/// Returns right-handed orthonormal axes along the columns, as far as these
/// determine them.
pub(crate) fn orthonormal_axes(columns: [DVec3; 3]) -> [DVec3; 3] {
    let [x, y, z] = columns.map(unit);
    let orthogonal = |v: Option<DVec3>, axis: DVec3| {
        let rejection = v? - axis * axis.dot(v?);
        // Parallel up to rounding: no direction.
        if rejection.length() > 1e-7 { unit(rejection) } else { None }
    };
    match (x, y, z) {
        (Some(x), ..) => {
            let y = orthogonal(y, x).or_else(|| unit(orthogonal(z, x)?.cross(x)));
            let y = y.unwrap_or_else(|| any_orthogonal(x));
            [x, y, x.cross(y)]
        }
        (None, Some(y), _) => {
            let z = orthogonal(z, y).unwrap_or_else(|| any_orthogonal(y));
            [y.cross(z), y, z]
        }
        (None, None, Some(z)) => {
            let x = any_orthogonal(z);
            [x, z.cross(x), z]
        }
        (None, None, None) => [DVec3::X, DVec3::Y, DVec3::Z],
    }
}

/// Returns some unit vector orthogonal to a unit vector.
pub(crate) fn any_orthogonal(axis: DVec3) -> DVec3 {
    let other = if axis.x.abs() < 0.6 { DVec3::X } else { DVec3::Y };
    unit(other - axis * axis.dot(other)).expect("the axes are not parallel")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trs(scale: Vec3) -> Mat4 {
        Mat4::from_scale_rotation_translation(
            scale,
            Quat::from_xyzw(0.1, 0.7, -0.3, 0.4).normalize(),
            Vec3::new(1.0, 2.0, 3.0),
        )
    }

    #[test]
    fn decompose_is_exact_for_composed_matrices() {
        for scale in [
            Vec3::ONE,
            Vec3::new(3.0, 0.2, -7.0),
            Vec3::new(-1.0, 2.0, 2.0),
            Vec3::new(-1.0, -2.0, -3.0),
            Vec3::new(0.0, 2.0, 3.0),
            Vec3::new(1.0, 0.0, 3.0),
            Vec3::new(0.0, 0.0, -3.0),
            Vec3::ZERO,
        ] {
            let matrix = trs(scale);
            let (nearest, exact) = decompose(&matrix);
            assert!(exact, "{scale}: {nearest:?}");
            assert!(nearest.to_matrix().abs_diff_eq(matrix, 1e-5), "{scale}");
        }
    }

    #[test]
    fn decompose_is_not_exact_for_sheared_matrices() {
        let sheared = trs(Vec3::new(1.0, 2.0, 3.0)) * trs(Vec3::new(1.0, 5.0, 1.0));
        let (nearest, exact) = decompose(&sheared);
        assert!(!exact);
        assert!((nearest.rotation.length() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn singular_and_tiny_matrices_have_finite_normal_matrices() {
        for scale in
            [Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO, Vec3::splat(1e-42)]
        {
            let normal = normal_matrix(&trs(scale));
            assert!(normal.is_finite(), "{scale}: {normal}");
        }
        let singular = normal_matrix(&Mat4::from_scale(Vec3::new(2.0, 3.0, 0.0)));
        assert_eq!(singular * Vec3::Z, Vec3::Z);
    }

    #[test]
    fn normal_matrix_is_the_transposed_inverse() {
        let matrix = trs(Vec3::new(1.0, -2.0, 3.0));
        let expected = Mat3::from_mat4(matrix).inverse().transpose();
        assert!(normal_matrix(&matrix).abs_diff_eq(expected, 1e-5));
    }
}
