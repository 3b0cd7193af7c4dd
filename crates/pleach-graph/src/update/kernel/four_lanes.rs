//! The kernel for registers of four lanes: one matrix column per register.
//!
//! Generic over `Lanes`, which `neon.rs` and `simd128.rs` implement. Gives the same
//! bits as `scalar.rs`: each lane does the operations that the scalar kernel does
//! for its element, in the same order, never fused. `avx512.rs` explains how the
//! elements are computed from the quaternion.

use super::{Batch, Worlds, prefetch};
use crate::Transform;

/// A register of four numbers.
///
/// Every operation rounds each lane as IEEE 754 defines for one number.
pub(super) trait Lanes: Copy {
    fn load(values: &[f32; 4]) -> Self;
    fn store(self, values: &mut [f32; 4]);
    fn splat(value: f32) -> Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    /// Returns the lanes `A`, `B` and `C`; the last lane is unspecified.
    fn shuffle<const A: usize, const B: usize, const C: usize>(self) -> Self;
    /// Returns lane `LANE` in all lanes.
    fn broadcast<const LANE: usize>(self) -> Self;
    /// Returns `self` with lane `LANE` of `other`.
    fn with_lane<const LANE: usize>(self, other: Self) -> Self;
    /// Flips the sign of the lanes in which `signs` is −0.
    fn flip_signs(self, signs: Self) -> Self;
    /// Clamps infinities to the largest finite numbers; a NaN becomes the lowest.
    fn saturate(self) -> Self;
}

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const W: usize = 3;

/// Computes the world transforms of nodes with parents.
#[inline(always)]
pub(super) fn children<L: Lanes, C: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut C) {
    for (slot, ahead) in batch.slots_with_lookahead() {
        prefetch(batch.locals, worlds, ahead);
        let (parent, _) = worlds.get(batch.parents[slot] as usize).as_chunks();
        let parent = [0, 1, 2, 3].map(|column| L::load(&parent[column]));
        let columns = product(parent, &batch.locals[slot]);
        let (world, _) = worlds.get_mut(slot).as_chunks_mut();
        for (world, column) in world.iter_mut().zip(columns) {
            column.store(world);
        }
    }
}

#[inline(always)]
fn product<L: Lanes>(parent: [L; 4], local: &Transform) -> [L; 4] {
    let rotation = L::load(&local.rotation.to_array());
    let doubled = rotation.add(rotation);
    let one = L::splat(1.0);
    let negate = |signs: [f32; 4]| L::load(&signs);

    let a = rotation.shuffle::<Y, X, X>().multiply(doubled.shuffle::<Y, Y, Z>());
    let b = rotation.shuffle::<Z, W, W>().multiply(doubled.shuffle::<Z, Z, Y>());
    let sum = a.add(b.flip_signs(negate([0.0, 0.0, -0.0, 0.0])));
    let column0 = sum.with_lane::<X>(one.subtract(sum));

    let a = rotation.shuffle::<X, X, Y>().multiply(doubled.shuffle::<Y, X, Z>());
    let b = rotation.shuffle::<W, Z, W>().multiply(doubled.shuffle::<Z, Z, X>());
    let sum = a.add(b.flip_signs(negate([-0.0, 0.0, 0.0, 0.0])));
    let column1 = sum.with_lane::<Y>(one.subtract(sum));

    let a = rotation.shuffle::<X, Y, X>().multiply(doubled.shuffle::<Z, Z, X>());
    let b = rotation.shuffle::<W, W, Y>().multiply(doubled.shuffle::<Y, X, Y>());
    let sum = a.add(b.flip_signs(negate([0.0, -0.0, 0.0, 0.0])));
    let column2 = sum.with_lane::<Z>(one.subtract(sum));

    let zero = L::splat(0.0);
    let [x, y, z] = local.translation.to_array();
    [
        column(parent, column0.multiply(L::splat(local.scale.x)), zero, zero),
        column(parent, column1.multiply(L::splat(local.scale.y)), zero, zero),
        column(parent, column2.multiply(L::splat(local.scale.z)), zero, zero),
        column(parent, L::load(&[x, y, z, 0.0]), parent[3], one),
    ]
}

/// Returns one column of `parent × local`, saturated, with `last` as its last row.
#[inline(always)]
fn column<L: Lanes>(parent: [L; 4], local: L, translation: L, last: L) -> L {
    let x = parent[0].multiply(local.broadcast::<X>());
    let y = parent[1].multiply(local.broadcast::<Y>());
    let z = parent[2].multiply(local.broadcast::<Z>());
    x.add(y).add(z).add(translation).saturate().with_lane::<W>(last)
}
