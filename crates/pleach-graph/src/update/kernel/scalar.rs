//! The reference kernel, which defines the operations and their order.
//!
//! Every other kernel gives the same bits on every machine: plain IEEE
//! multiplications, additions and subtractions in the order written here, never
//! fused. Results that overflow are clamped to the largest finite number, so finite
//! transforms never yield an infinity or a NaN.
//!
//! A matrix is `[f32; 16]`, column-major, with the last row (0, 0, 0, 1).

use super::{Batch, Worlds, prefetch};
use crate::Transform;

/// Returns the matrix of a transform; may contain infinities where it overflows.
#[inline]
pub(crate) fn compose(local: &Transform) -> [f32; 16] {
    let [x, y, z, w] = local.rotation.to_array();
    let [sx, sy, sz] = local.scale.to_array();
    let [tx, ty, tz] = local.translation.to_array();
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    #[rustfmt::skip]
    let matrix = [
        (1.0 - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx, 0.0,
        (xy - wz) * sy, (1.0 - (xx + zz)) * sy, (yz + wx) * sy, 0.0,
        (xz + wy) * sz, (yz - wx) * sz, (1.0 - (xx + yy)) * sz, 0.0,
        tx, ty, tz, 1.0,
    ];
    matrix
}

/// Returns `parent × local`, saturated.
#[inline]
pub(crate) fn product(parent: &[f32; 16], local: &[f32; 16]) -> [f32; 16] {
    let mut world = [0.0; 16];
    for column in 0..4 {
        let [x, y, z] = [local[column * 4], local[column * 4 + 1], local[column * 4 + 2]];
        for row in 0..3 {
            let linear = (parent[row] * x + parent[4 + row] * y) + parent[8 + row] * z;
            world[column * 4 + row] = linear + if column == 3 { parent[12 + row] } else { 0.0 };
        }
    }
    saturated(world)
}

/// Returns the matrix with every element clamped to finite numbers and the last row
/// set to (0, 0, 0, 1).
#[inline]
pub(crate) fn saturated(mut matrix: [f32; 16]) -> [f32; 16] {
    for element in &mut matrix {
        *element = saturate(*element);
    }
    [matrix[3], matrix[7], matrix[11], matrix[15]] = [0.0, 0.0, 0.0, 1.0];
    matrix
}

/// Clamps infinities to the largest finite numbers; a NaN, which here only results
/// from ∞ − ∞, becomes the lowest, as with `maxps` and `minps`.
#[inline]
fn saturate(value: f32) -> f32 {
    let value = if value > -f32::MAX { value } else { -f32::MAX };
    if value < f32::MAX { value } else { f32::MAX }
}

/// Computes the world transforms of roots.
pub(super) fn roots<W: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut W) {
    for slot in batch.slots() {
        *worlds.get_mut(slot) = saturated(compose(&batch.locals[slot]));
    }
}

/// Computes the world transforms of nodes with parents.
pub(super) fn children<W: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut W) {
    for (slot, ahead) in batch.slots_with_lookahead() {
        prefetch(batch.locals, worlds, ahead);
        let parent = worlds.get(batch.parents[slot] as usize);
        let world = product(parent, &compose(&batch.locals[slot]));
        *worlds.get_mut(slot) = world;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Mat4, Quat, Vec3};

    #[test]
    fn compose_agrees_with_glam() {
        let t = Transform {
            translation: Vec3::new(1.0, -2.0, 3.5),
            rotation: Quat::from_xyzw(0.1, -0.2, 0.3, 0.927_361_85),
            scale: Vec3::new(2.0, 0.5, -1.5),
        };
        let expected = Mat4::from_scale_rotation_translation(t.scale, t.rotation, t.translation);
        // Compared as numbers, not bits: glam's last row may contain −0.
        assert_eq!(compose(&t), expected.to_cols_array());
    }

    #[test]
    fn overflowing_product_stays_finite() {
        let big = saturated(compose(&Transform {
            translation: Vec3::splat(3.0e38),
            rotation: Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            scale: Vec3::new(3.0e38, -3.0e38, 3.0e38),
        }));
        let mut world = big;
        for _ in 0..4 {
            world = product(&world, &big);
            assert!(world.iter().all(|v| v.is_finite()), "{world:?}");
            assert_eq!([world[3], world[7], world[11], world[15]], [0.0, 0.0, 0.0, 1.0]);
        }
    }
}
