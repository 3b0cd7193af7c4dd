//! The difference of two transforms: distance, angle, scale.

use glam::{DMat4, DQuat, DVec3, Mat4};
use pleach_graph::NodeRef;
use serde::Serialize;

/// The difference of two transforms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct TransformDelta {
    /// The distance between the origins, in metres.
    pub(super) distance: f64,
    /// The angle of rotation.
    pub(super) degrees: f64,
    /// The ratio of the scales along the local axes.
    pub(super) scale: [f64; 3],
}

impl TransformDelta {
    pub(super) const IDENTITY: Self = Self { distance: 0.0, degrees: 0.0, scale: [1.0; 3] };

    pub(super) fn between(from: &Mat4, to: &Mat4) -> Self {
        let (from, to) = (from.as_dmat4(), to.as_dmat4());
        let ((size, rotation), (new_size, to_rotation)) = (decompose(&from), decompose(&to));
        // The precision of f32 matrices.
        let ratio = |from: f64, to: f64| {
            let ratio = if from == to { 1.0 } else { to / from };
            if (ratio - 1.0).abs() < 1e-6 { 1.0 } else { ratio }
        };
        let degrees = angle(rotation, to_rotation);
        Self {
            distance: (to.w_axis - from.w_axis).truncate().length(),
            degrees: if degrees < 1e-4 { 0.0 } else { degrees },
            scale: [
                ratio(size.x, new_size.x),
                ratio(size.y, new_size.y),
                ratio(size.z, new_size.z),
            ],
        }
    }
}

/// Returns scale and rotation; the identity rotation for a singular matrix.
fn decompose(matrix: &DMat4) -> (DVec3, DQuat) {
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
    let mut scale = DVec3::from_array(axes.map(DVec3::length));
    if axes[0].cross(axes[1]).dot(axes[2]) < 0.0 {
        scale.x = -scale.x;
    }
    let is_singular = axes.iter().any(|axis| axis.length_squared() == 0.0);
    let rotation = || matrix.to_scale_rotation_translation().1;
    (scale, if is_singular { DQuat::IDENTITY } else { rotation() })
}

/// Returns the angle between two rotations in degrees.
fn angle(from: DQuat, to: DQuat) -> f64 {
    let rotation = from.inverse() * to;
    let degrees = 2.0 * libm::atan2(rotation.xyz().length(), rotation.w.abs()).to_degrees();
    if degrees.is_finite() { degrees } else { 0.0 }
}

/// Returns `true` if the local transforms of two nodes differ by at most `tolerance` in each
/// number.
pub(super) fn is_same_local(one: NodeRef<'_>, other: NodeRef<'_>, tolerance: f32) -> bool {
    let near = |one: &[f32], other: &[f32]| {
        one.iter().zip(other).all(|(one, other)| (one - other).abs() <= tolerance)
    };
    if one.has_local_matrix() || other.has_local_matrix() {
        let (one, other) = (one.local_matrix(), other.local_matrix());
        return near(&one.to_cols_array(), &other.to_cols_array());
    }
    let (one, other) = (one.transform(), other.transform());
    let rotation = one.rotation.to_array();
    near(&one.translation.to_array(), &other.translation.to_array())
        && near(&one.scale.to_array(), &other.scale.to_array())
        // q and −q are the same rotation.
        && (near(&rotation, &other.rotation.to_array()) || near(&rotation, &(-other.rotation).to_array()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    #[test]
    fn deltas_consist_of_distance_angle_and_scale() {
        let from = Mat4::from_translation(Vec3::X);
        let rotation = Quat::from_rotation_z(0.5);
        let scale = Vec3::new(1.0, 2.0, 0.5);
        let to = Mat4::from_scale_rotation_translation(scale, rotation, Vec3::splat(4.0));
        let delta = TransformDelta::between(&from, &to);
        assert!((delta.distance - 41f64.sqrt()).abs() < 1e-9, "{delta:?}");
        assert!((delta.degrees - 0.5f64.to_degrees()).abs() < 1e-4, "{delta:?}");
        for (got, expected) in delta.scale.iter().zip([1.0, 2.0, 0.5]) {
            assert!((got - expected).abs() < 1e-6, "{delta:?}");
        }
    }

    #[test]
    fn singular_matrices_have_no_angle() {
        let delta = TransformDelta::between(&Mat4::ZERO, &Mat4::IDENTITY);
        assert_eq!((delta.distance, delta.degrees), (0.0, 0.0));
    }
}
