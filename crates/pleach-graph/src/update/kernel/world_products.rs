//! Products of world matrices with other matrices, in batches: joint matrices of
//! skins.
//!
//! `scalar_products` is the reference; `avx512_products`, with one matrix per
//! register, and `avx2_products`, with half of one, give the same bits. Never fused,
//! and not saturated: results that overflow are infinite.
//!
//! The slots of a skeleton nearly always follow each other. The kernels then read the
//! worlds as a slice: with a load and a comparison less per matrix, products are as fast
//! as the memory. Prefetching made them slower.

#![allow(unsafe_code, reason = "loads and stores of SIMD registers")]

use glam::{Mat4, Vec4};

use super::TransformKernel;
use crate::Graph;

/// Returns `a × b`, with the same bits on every machine: the order of the sums of glam's product
/// depends on the target. Not saturated.
///
/// ```
/// use pleach_graph::glam::{Mat4, Vec3};
/// use pleach_graph::mat4_product;
///
/// let [a, b] = [Vec3::X, Vec3::Y].map(Mat4::from_translation);
/// assert_eq!(mat4_product(&a, &b).w_axis.truncate(), Vec3::new(1.0, 1.0, 0.0));
/// ```
#[inline]
#[must_use]
pub fn mat4_product(a: &Mat4, b: &Mat4) -> Mat4 {
    let column = |b: Vec4| ((a.x_axis * b.x + a.y_axis * b.y) + a.z_axis * b.z) + a.w_axis * b.w;
    Mat4::from_cols(column(b.x_axis), column(b.y_axis), column(b.z_axis), column(b.w_axis))
}

impl Graph {
    /// Multiplies world matrices with other matrices, with the graph's kernel:
    /// joint matrices of skins.
    ///
    /// `products[i]` becomes the world matrix of row `rows[i]`, as of the last
    /// update, times `matrices[i]`; if there is no such row, it is not changed.
    /// Stops at the end of the shortest slice.
    ///
    /// ```
    /// use pleach_graph::glam::{Mat4, Vec3};
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let joint = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// graph.update();
    /// let inverse_bind = Mat4::from_translation(Vec3::new(-1.0, 0.0, 0.0));
    /// let mut joint_matrices = [Mat4::IDENTITY];
    /// graph.world_products(&[joint.index() as u32], &[inverse_bind], &mut joint_matrices);
    /// assert_eq!(joint_matrices[0].w_axis.truncate(), Vec3::new(0.0, 2.0, 3.0));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn world_products(&self, rows: &[u32], matrices: &[Mat4], products: &mut [Mat4]) {
        self.kernel.products(self.worlds.matrices(), rows, matrices, products);
    }
}

impl TransformKernel {
    /// Writes `worlds[slot] * matrix` for each slot and matrix. If there is no such
    /// slot, its product is not changed.
    pub(crate) fn products(
        self,
        worlds: &[Mat4],
        slots: &[u32],
        matrices: &[Mat4],
        products: &mut [Mat4],
    ) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: a graph has only kernels for which `is_available` is true.
            Self::Avx512 => unsafe { avx512_products(worlds, slots, matrices, products) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: as above.
            Self::Avx2 => unsafe { avx2_products(worlds, slots, matrices, products) },
            _ => scalar_products(worlds, slots, matrices, products),
        }
    }
}

fn scalar_products(worlds: &[Mat4], slots: &[u32], matrices: &[Mat4], products: &mut [Mat4]) {
    for ((product, &slot), matrix) in products.iter_mut().zip(slots).zip(matrices) {
        let Some(world) = worlds.get(slot as usize) else { continue };
        *product = mat4_product(world, matrix);
    }
}

/// Returns the worlds of slots that follow each other, as those of most skeletons do.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn contiguous<'a>(worlds: &'a [Mat4], slots: &[u32]) -> Option<&'a [Mat4]> {
    let first = *slots.first()?;
    // Without an early exit, so that several slots are compared at once.
    let follow = slots.iter().zip(0..).map(|(&slot, at)| slot == first.wrapping_add(at));
    if !follow.fold(true, |all, follows| all & follows) {
        return None;
    }
    worlds.get(first as usize..)?.get(..slots.len())
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "avx512f,avx512dq")]
fn avx512_products(worlds: &[Mat4], slots: &[u32], matrices: &[Mat4], products: &mut [Mat4]) {
    if let Some(worlds) = contiguous(worlds, &slots[..slots.len().min(products.len())]) {
        for ((product, world), matrix) in products.iter_mut().zip(worlds).zip(matrices) {
            avx512_product(world, matrix, product);
        }
        return;
    }
    for ((product, &slot), matrix) in products.iter_mut().zip(slots).zip(matrices) {
        if let Some(world) = worlds.get(slot as usize) {
            avx512_product(world, matrix, product);
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn avx512_product(world: &Mat4, matrix: &Mat4, product: &mut Mat4) {
    use core::arch::x86_64::*;
    let world: &[f32; 16] = world.as_ref();
    // SAFETY: four columns of four floats each.
    let [x, y, z, w] = unsafe {
        [0, 4, 8, 12].map(|i| _mm512_broadcast_f32x4(_mm_loadu_ps(world.as_ptr().add(i))))
    };
    let matrix: &[f32; 16] = matrix.as_ref();
    // SAFETY: sixteen floats.
    let matrix = unsafe { _mm512_loadu_ps(matrix.as_ptr()) };
    let x = _mm512_mul_ps(x, _mm512_permute_ps::<0b00_00_00_00>(matrix));
    let y = _mm512_mul_ps(y, _mm512_permute_ps::<0b01_01_01_01>(matrix));
    let z = _mm512_mul_ps(z, _mm512_permute_ps::<0b10_10_10_10>(matrix));
    let w = _mm512_mul_ps(w, _mm512_permute_ps::<0b11_11_11_11>(matrix));
    let sum = _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(x, y), z), w);
    let product: &mut [f32; 16] = product.as_mut();
    // SAFETY: sixteen floats.
    unsafe { _mm512_storeu_ps(product.as_mut_ptr(), sum) };
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "avx2")]
fn avx2_products(worlds: &[Mat4], slots: &[u32], matrices: &[Mat4], products: &mut [Mat4]) {
    if let Some(worlds) = contiguous(worlds, &slots[..slots.len().min(products.len())]) {
        for ((product, world), matrix) in products.iter_mut().zip(worlds).zip(matrices) {
            avx2_product(world, matrix, product);
        }
        return;
    }
    for ((product, &slot), matrix) in products.iter_mut().zip(slots).zip(matrices) {
        if let Some(world) = worlds.get(slot as usize) {
            avx2_product(world, matrix, product);
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "avx2")]
#[inline]
fn avx2_product(world: &Mat4, matrix: &Mat4, product: &mut Mat4) {
    use core::arch::x86_64::*;
    let columns = [world.x_axis, world.y_axis, world.z_axis, world.w_axis];
    let [x, y, z, w] = columns.map(|it| {
        let column = __m128::from(it);
        _mm256_set_m128(column, column)
    });
    let matrix: &[f32; 16] = matrix.as_ref();
    let [left, right] = [0, 8].map(|half| {
        // SAFETY: two halves of eight floats each.
        let matrix = unsafe { _mm256_loadu_ps(matrix.as_ptr().add(half)) };
        let x = _mm256_mul_ps(x, _mm256_permute_ps::<0b00_00_00_00>(matrix));
        let y = _mm256_mul_ps(y, _mm256_permute_ps::<0b01_01_01_01>(matrix));
        let z = _mm256_mul_ps(z, _mm256_permute_ps::<0b10_10_10_10>(matrix));
        let w = _mm256_mul_ps(w, _mm256_permute_ps::<0b11_11_11_11>(matrix));
        _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(x, y), z), w)
    });
    let product: &mut [f32; 16] = product.as_mut();
    // SAFETY: two halves of eight floats each.
    unsafe {
        _mm256_storeu_ps(product.as_mut_ptr(), left);
        _mm256_storeu_ps(product.as_mut_ptr().add(8), right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_kernel_gives_the_bits_of_the_scalar_products() {
        let mut rng = testkit::Rng::new(1);
        let mut matrix = || {
            Mat4::from_cols_array(&[(); 16].map(|()| {
                let size = rng.pick(&[1.0, 1.0, 1e-30, 1e15, 0.0, -1.0]);
                rng.between(-1.0, 1.0) * size
            }))
        };
        let worlds: Vec<Mat4> = (0..50).map(|_| matrix()).collect();
        let matrices: Vec<Mat4> = (0..200).map(|_| matrix()).collect();
        let slots: Vec<u32> =
            (0..200).map(|i| if i % 17 == 0 { u32::MAX } else { i * 7 % 50 }).collect();
        let by = |kernel: TransformKernel| {
            let mut products = alloc::vec![Mat4::IDENTITY; 200];
            kernel.products(&worlds, &slots, &matrices, &mut products);
            products.iter().flat_map(|it| it.to_cols_array()).map(f32::to_bits).collect::<Vec<_>>()
        };
        let scalar = by(TransformKernel::Scalar);
        for kernel in TransformKernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            assert_eq!(by(kernel), scalar, "{kernel:?}");
        }
        assert_eq!(scalar[..16], Mat4::IDENTITY.to_cols_array().map(f32::to_bits));
    }

    #[test]
    fn slots_that_follow_each_other_give_the_bits_of_single_products() {
        let mut rng = testkit::Rng::new(2);
        let mut matrix = || Mat4::from_cols_array(&[(); 16].map(|()| rng.between(-2.0, 2.0)));
        let worlds: Vec<Mat4> = (0..40).map(|_| matrix()).collect();
        let matrices: Vec<Mat4> = (0..40).map(|_| matrix()).collect();
        let max = u32::MAX;
        let lists: [Vec<u32>; 8] = [
            (3..33).collect(),
            (30..50).collect(),
            (38..41).chain(0..5).collect(),
            [7, 8, 9, 11, 12].into(),
            [4, 4, 5].into(),
            [max - 1, max, 0, 1].into(),
            [max].into(),
            [].into(),
        ];
        for (kernel, slots) in
            TransformKernel::ALL.iter().flat_map(|kernel| lists.iter().map(move |it| (kernel, it)))
        {
            if !kernel.is_available() {
                continue;
            }
            // The shortest of the slices ends the list.
            for len in [slots.len(), slots.len() / 2, slots.len() + 3] {
                for matrices in [&matrices[..], &matrices[..2]] {
                    let mut products = alloc::vec![Mat4::IDENTITY; len];
                    kernel.products(&worlds, slots, matrices, &mut products);
                    for (index, product) in products.iter().enumerate() {
                        let world = slots.get(index).and_then(|&slot| worlds.get(slot as usize));
                        let expected = match (world, matrices.get(index)) {
                            (Some(world), Some(matrix)) => mat4_product(world, matrix),
                            _ => Mat4::IDENTITY,
                        };
                        let bits = |it: &Mat4| it.to_cols_array().map(f32::to_bits);
                        assert_eq!(
                            bits(product),
                            bits(&expected),
                            "{kernel:?}, {slots:?}, {index}"
                        );
                    }
                }
            }
        }
    }
}
