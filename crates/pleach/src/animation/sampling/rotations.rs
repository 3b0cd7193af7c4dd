//! Four rotations at once: a lane of each register is a rotation, and each of its components has a
//! register of its own.
//!
//! Invariant: the bits are those of `rotation::slerp`.

use glam::{Mat4, Quat, Vec4};

use crate::animation::rotation::sinc;

pub(super) const LANES: usize = 4;

/// Four rotations, and the angles from each to the next key of its track; 0 if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct RotationLanes {
    pub(super) components: [Vec4; 4],
    pub(super) angles: Vec4,
}

impl RotationLanes {
    #[inline]
    pub(super) fn new(rotations: [Quat; LANES], angles: Vec4) -> Self {
        let [x, y, z, w] = rotations.map(Vec4::from);
        let columns = Mat4::from_cols(x, y, z, w).transpose();
        let components = [columns.x_axis, columns.y_axis, columns.z_axis, columns.w_axis];
        Self { components, angles }
    }

    #[inline]
    pub(super) fn rotations(&self) -> [Quat; LANES] {
        let [x, y, z, w] = self.components;
        let rows = Mat4::from_cols(x, y, z, w).transpose();
        [rows.x_axis, rows.y_axis, rows.z_axis, rows.w_axis].map(Quat::from_vec4)
    }

    /// Interpolates to the next key; exactly these rotations where the angle is 0.
    #[inline]
    pub(super) fn slerp(&self, next: &[Vec4; 4], t: Vec4) -> [Quat; LANES] {
        let (components, angles) = (&self.components, self.angles);
        let rest = 1.0 - t;
        let (x, y) = (rest * angles, t * angles);
        let weight = rest * sinc(x * x);
        let next_weight = (t * sinc(y * y)).copysign(angles);
        let sum = [0, 1, 2, 3].map(|it| components[it] * weight + next[it] * next_weight);
        let [x, y, z, w] = sum.map(|it| it * it);
        let length = Vec4::from_array(((x + y) + (z + w)).to_array().map(f32::sqrt));
        let is_still = angles.cmpeq(Vec4::ZERO);
        let select = |it: usize| Vec4::select(is_still, components[it], sum[it] / length);
        let components = [0, 1, 2, 3].map(select);
        Self { components, angles }.rotations()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animation::rotation::{angle, slerp};

    #[test]
    fn four_slerps_at_once_have_the_bits_of_single_ones() {
        let seed = 17;
        let mut random = testkit::Rng::new(seed);
        let mut rotation = || {
            let q = Vec4::from_array([(); 4].map(|()| random.between(-1.0, 1.0)));
            Quat::from_vec4(q / q.length().max(1e-3))
        };
        let bits = |rotation: Quat| rotation.to_array().map(f32::to_bits);
        for round in 0..2000 {
            let from = [(); 4].map(|()| rotation());
            let mut to = [(); 4].map(|()| rotation());
            to[round % 4] = if round % 3 == 0 { from[round % 4] } else { -from[round % 4] };
            let t = ((round % 1000) + 1) as f32 / 1000.0;
            let angles = [0, 1, 2, 3].map(|it| angle(from[it], to[it]));
            let lanes = RotationLanes::new(from, Vec4::from_array(angles));
            let next = RotationLanes::new(to, Vec4::ZERO).components;
            let expected = [0, 1, 2, 3].map(|it| bits(slerp(from[it], to[it], angles[it], t)));
            let found = lanes.slerp(&next, Vec4::splat(t)).map(bits);
            assert_eq!(found, expected, "seed {seed}, round {round}");
            assert_eq!(lanes.rotations().map(bits), from.map(bits));
        }
    }
}
