//! `ViewBasis`: the position and axes of cameras and lights.
//!
//! A node's −Z is ahead and its +Y is up. Scale and shear are removed, as glTF requires for both:
//! ahead keeps its direction, up is made perpendicular to it, and right is their cross product. So
//! an image is never mirrored, although a negative scale along Z reverses the direction, as it does
//! for the node's descendants and for `NodeMut::look_at`.
//!
//! Invariant: the axes are right-handed, perpendicular to each other and of length 1, in f64.

use glam::{DMat4, DVec3, Mat4};
use pleach_graph::unit;

/// The length below which the remainder of two parallel unit vectors is only rounding error.
const PARALLEL: f64 = 1e-6;

/// The position and axes of a world matrix, without scale and shear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewBasis {
    pub(crate) position: DVec3,
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    pub(crate) back: DVec3,
}

impl ViewBasis {
    /// Returns the basis of a world matrix, or `None` if the matrix does not determine a direction
    /// and an up axis.
    pub(crate) fn from_world(world: &Mat4) -> Option<Self> {
        let back = -direction(world)?;
        let up = perpendicular(world.y_axis.truncate().as_dvec3(), back);
        let from_right =
            || Some(back.cross(perpendicular(world.x_axis.truncate().as_dvec3(), back)?));
        let up = up.or_else(from_right)?;
        Some(Self { position: position(world), right: up.cross(back), up, back })
    }

    /// Returns the same axes at another position.
    pub(crate) fn with_position(self, position: DVec3) -> Self {
        Self { position, ..self }
    }

    /// Returns the view matrix: the inverse of position and axes.
    pub(crate) fn view_matrix(&self) -> DMat4 {
        let Self { position, right, up, back } = *self;
        let rows = [right, up, back].map(|axis| axis.extend(-axis.dot(position)));
        DMat4::from_cols(rows[0], rows[1], rows[2], glam::DVec4::W).transpose()
    }
}

/// Returns the position of a world matrix.
pub(crate) fn position(world: &Mat4) -> DVec3 {
    world.w_axis.truncate().as_dvec3()
}

/// Returns the direction of −Z, of length 1, or `None` if it is zero or not finite.
pub(crate) fn direction(world: &Mat4) -> Option<DVec3> {
    unit(-world.z_axis.truncate().as_dvec3())
}

/// Returns the direction of a vector's component that is perpendicular to `axis`.
fn perpendicular(vector: DVec3, axis: DVec3) -> Option<DVec3> {
    let vector = unit(vector)?;
    let remainder = vector - axis * axis.dot(vector);
    if remainder.length() > PARALLEL { unit(remainder) } else { None }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3, Vec4};

    use super::*;

    fn axes_of(matrix: Mat4) -> [Vec3; 3] {
        let ViewBasis { right, up, back, .. } = ViewBasis::from_world(&matrix).unwrap();
        [right, up, back].map(|axis| axis.as_vec3())
    }

    #[test]
    fn only_a_negative_scale_along_z_reverses_the_direction() {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        for scale in [Vec3::ONE, Vec3::new(3.0, 0.2, 1e-30), Vec3::new(-1.0, 2.0, 1e30)] {
            assert_eq!(axes_of(Mat4::from_scale(scale)), axes, "{scale}");
        }
        let upside_down = [Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z];
        assert_eq!(axes_of(Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0))), upside_down);
        let reversed = [Vec3::NEG_X, Vec3::Y, Vec3::NEG_Z];
        assert_eq!(axes_of(Mat4::from_scale(Vec3::new(1.0, 1.0, -2.0))), reversed);
    }

    #[test]
    fn ahead_is_kept_and_up_is_made_perpendicular() {
        let mut sheared = Mat4::from_quat(Quat::from_rotation_x(0.3));
        sheared.y_axis += sheared.z_axis * 0.7;
        sheared.x_axis = Vec4::new(5.0, 5.0, 5.0, 0.0);
        let expected = Mat4::from_quat(Quat::from_rotation_x(0.3));
        let [right, up, back] = axes_of(sheared);
        assert!(right.abs_diff_eq(expected.x_axis.truncate(), 1e-6));
        assert!(up.abs_diff_eq(expected.y_axis.truncate(), 1e-6));
        assert!(back.abs_diff_eq(expected.z_axis.truncate(), 1e-6));
    }

    #[test]
    fn two_axes_are_enough_if_z_is_one_of_them() {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        assert_eq!(axes_of(Mat4::from_scale(Vec3::new(0.0, 1.0, 1.0))), axes);
        assert_eq!(axes_of(Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0))), axes);
        for scale in [Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO] {
            assert!(ViewBasis::from_world(&Mat4::from_scale(scale)).is_none(), "{scale}");
        }
        assert!(ViewBasis::from_world(&Mat4::NAN).is_none());
    }
}
