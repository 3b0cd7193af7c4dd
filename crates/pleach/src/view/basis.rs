//! Where a node looks from, and which way: what cameras and lights take from a world matrix.
//!
//! Their own −Z is ahead and their own +Y is up. Scale and shear are taken out, as glTF asks
//! for both kinds: ahead is kept as it is, up is made square to it, and right follows from the
//! two. So a picture is never mirrored, though a scale that is negative along Z turns
//! the node round, as it does with what hangs below it and with `NodeMut::look_at`.
//!
//! Invariant: the axes are right-handed, square to each other and of length 1, in f64.

use glam::{DMat4, DVec3, Mat4};

/// Up and ahead are parallel but for rounding.
const PARALLEL: f64 = 1e-6;

/// A place and three axes: what is left of a world matrix without scale and shear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewBasis {
    pub(crate) position: DVec3,
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    pub(crate) back: DVec3,
}

impl ViewBasis {
    /// `None` if the matrix is flat: it does not tell where ahead is, or not what is up.
    pub(crate) fn from_world(world: &Mat4) -> Option<Self> {
        let back = -direction(world)?;
        let up = perpendicular(world.y_axis.truncate().as_dvec3(), back);
        let from_right =
            || Some(back.cross(perpendicular(world.x_axis.truncate().as_dvec3(), back)?));
        let up = up.or_else(from_right)?;
        Some(Self { position: position(world), right: up.cross(back), up, back })
    }

    /// The same place and axes, seen from another point.
    pub(crate) fn with_position(self, position: DVec3) -> Self {
        Self { position, ..self }
    }

    /// The view matrix: the inverse of place and axes.
    pub(crate) fn view_matrix(&self) -> DMat4 {
        let Self { position, right, up, back } = *self;
        let rows = [right, up, back].map(|axis| axis.extend(-axis.dot(position)));
        DMat4::from_cols(rows[0], rows[1], rows[2], glam::DVec4::W).transpose()
    }
}

/// Where the node is.
pub(crate) fn position(world: &Mat4) -> DVec3 {
    world.w_axis.truncate().as_dvec3()
}

/// Which way its −Z points, with length 1. `None` if it points nowhere.
pub(crate) fn direction(world: &Mat4) -> Option<DVec3> {
    normalize(-world.z_axis.truncate().as_dvec3())
}

/// What of a vector is square to an axis, with length 1.
fn perpendicular(vector: DVec3, axis: DVec3) -> Option<DVec3> {
    let vector = normalize(vector)?;
    let remainder = vector - axis * axis.dot(vector);
    if remainder.length() > PARALLEL { normalize(remainder) } else { None }
}

/// Squares of what was an f32 neither overflow nor vanish in f64.
fn normalize(vector: DVec3) -> Option<DVec3> {
    let length = vector.length();
    (length > 0.0 && length.is_finite()).then(|| vector / length)
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
    fn no_scale_but_a_negative_one_along_z_is_seen() {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        for scale in [Vec3::ONE, Vec3::new(3.0, 0.2, 1e-30), Vec3::new(-1.0, 2.0, 1e30)] {
            assert_eq!(axes_of(Mat4::from_scale(scale)), axes, "{scale}");
        }
        let upside_down = [Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z];
        assert_eq!(axes_of(Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0))), upside_down);
        let round = [Vec3::NEG_X, Vec3::Y, Vec3::NEG_Z];
        assert_eq!(axes_of(Mat4::from_scale(Vec3::new(1.0, 1.0, -2.0))), round);
    }

    #[test]
    fn ahead_is_kept_and_up_made_square_to_it() {
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
        for flat in [Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO] {
            assert!(ViewBasis::from_world(&Mat4::from_scale(flat)).is_none(), "{flat}");
        }
        assert!(ViewBasis::from_world(&Mat4::NAN).is_none());
    }
}
