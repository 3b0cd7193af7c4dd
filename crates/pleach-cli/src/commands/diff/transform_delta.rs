//! How far something moved: distance, angle, scale.

use glam::{DMat4, DQuat, DVec3, Mat4};
use pleach_graph::NodeRef;
use serde::Serialize;

/// From one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct TransformDelta {
    /// Between the origins, in metres.
    pub(super) distance: f64,
    /// By how much it turned.
    pub(super) degrees: f64,
    /// How many times larger it is, along its own axes.
    pub(super) scale: [f64; 3],
}

impl TransformDelta {
    pub(super) const IDENTITY: Self = Self { distance: 0.0, degrees: 0.0, scale: [1.0; 3] };

    pub(super) fn between(from: &Mat4, to: &Mat4) -> Self {
        let (from, to) = (from.as_dmat4(), to.as_dmat4());
        let ((size, rotation), (new_size, to_rotation)) = (decompose(&from), decompose(&to));
        // Matrices of f32 do not tell more than that.
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

/// Scale and rotation. A flat matrix has no rotation of its own.
fn decompose(matrix: &DMat4) -> (DVec3, DQuat) {
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
    let mut scale = DVec3::from_array(axes.map(DVec3::length));
    if axes[0].cross(axes[1]).dot(axes[2]) < 0.0 {
        scale.x = -scale.x;
    }
    let is_singular = axes.iter().any(|axis| axis.length_squared() == 0.0);
    let rotation =
        if is_singular { DQuat::IDENTITY } else { matrix.to_scale_rotation_translation().1 };
    (scale, rotation)
}

/// Between two rotations, in degrees.
fn angle(from: DQuat, to: DQuat) -> f64 {
    let rotation = from.inverse() * to;
    let degrees = 2.0 * libm::atan2(rotation.xyz().length(), rotation.w.abs()).to_degrees();
    if degrees.is_finite() { degrees } else { 0.0 }
}

/// Is the local transform of two nodes the same, but for so much in each number?
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
        // Both signs of a quaternion turn alike.
        && (near(&rotation, &other.rotation.to_array()) || near(&rotation, &(-other.rotation).to_array()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    #[test]
    fn a_motion_is_told_by_distance_angle_and_scale() {
        let from = Mat4::from_translation(Vec3::X);
        let rotation = Quat::from_rotation_z(0.5);
        let to = Mat4::from_scale_rotation_translation(
            Vec3::new(1.0, 2.0, 0.5),
            rotation,
            Vec3::splat(4.0),
        );
        let motion = TransformDelta::between(&from, &to);
        assert!((motion.distance - 41f64.sqrt()).abs() < 1e-9, "{motion:?}");
        assert!((motion.degrees - 0.5f64.to_degrees()).abs() < 1e-4, "{motion:?}");
        for (got, expected) in motion.scale.iter().zip([1.0, 2.0, 0.5]) {
            assert!((got - expected).abs() < 1e-6, "{motion:?}");
        }
    }

    #[test]
    fn what_is_flat_has_no_angle() {
        let motion = TransformDelta::between(&Mat4::ZERO, &Mat4::IDENTITY);
        assert_eq!((motion.distance, motion.degrees), (0.0, 0.0));
    }
}
