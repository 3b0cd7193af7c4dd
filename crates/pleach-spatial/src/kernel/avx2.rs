//! AVX2: the eight lanes of a node in one 256-bit register.
//!
//! The same operations in the same order as `scalar.rs`. A value of `Avx2` exists only if the CPU
//! supports AVX2: all calls of AVX2 code rely on that.

#![allow(unsafe_code, reason = "loads and stores of eight lanes, and calls of AVX2 code")]

use core::arch::x86_64::*;

use super::{
    CullMasks, CullPlane, CullPlanes, FIRST_PLANES, NodeKernel, Slabs, Traversal, avx2_triangles,
};
use crate::Aabb;
use crate::bvh::node::{F32x8, LANES, Node};
use crate::index::rows::{CacheLine, LINE, WORD};
use crate::shapes::ray_triangle::{Corners, PacketHit, ShearedRay};

/// Proof that the CPU supports AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    #[inline]
    pub(crate) fn new() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

/// Runs a traversal, compiled for AVX2.
#[target_feature(enable = "avx2")]
pub(crate) fn run<T: Traversal>(kernel: Avx2, traversal: T) -> T::Output {
    traversal.run(kernel)
}

/// A ray with each number in all lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayRegisters {
    near_origin: [__m256; 3],
    far_origin: [__m256; 3],
    near_slope: [__m256; 3],
    far_slope: [__m256; 3],
    near: [usize; 3],
    far: [usize; 3],
}

impl NodeKernel for Avx2 {
    type Ray = RayRegisters;

    #[inline(always)]
    fn prepare(self, slabs: &Slabs) -> RayRegisters {
        // SAFETY: `self` exists, so the CPU supports AVX2.
        unsafe { prepare(slabs) }
    }

    #[inline(always)]
    fn cull(self, node: &Node, planes: &CullPlanes, active: u32) -> CullMasks {
        // SAFETY: `self` exists, so the CPU supports AVX2.
        unsafe { cull(node, planes, active) }
    }

    #[inline(always)]
    fn ray(self, node: &Node, ray: &RayRegisters, max_distance: f32) -> (u32, F32x8) {
        // SAFETY: `self` exists, so the CPU supports AVX2.
        unsafe { intersect(node, ray, max_distance) }
    }

    #[inline(always)]
    fn triangles(self, corners: &Corners, ray: &ShearedRay) -> PacketHit {
        // SAFETY: `self` exists, so the CPU supports AVX2.
        unsafe { avx2_triangles::triangles(corners, ray) }
    }

    #[inline(always)]
    fn distances(self, node: &Node, point: [f32; 3]) -> F32x8 {
        // SAFETY: `self` exists, so the CPU supports AVX2.
        unsafe { distances(node, point) }
    }

    #[inline(always)]
    fn overlaps(self, node: &Node, aabb: &Aabb) -> u32 {
        // SAFETY: `self` exists, so the CPU supports AVX2.
        unsafe { overlaps(node, aabb) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(lane: &F32x8) -> __m256 {
    // SAFETY: eight floats are read from an array of eight.
    unsafe { _mm256_loadu_ps(lane.as_ptr()) }
}

/// Loads the lanes of a half of a line.
#[inline]
#[target_feature(enable = "avx2")]
fn load_half(line: &CacheLine, half: usize) -> __m256 {
    load(&line.0.as_chunks::<LANES>().0[half])
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(value: __m256) -> F32x8 {
    let mut lane = [0.0; LANES];
    // SAFETY: eight floats are written to an array of eight.
    unsafe { _mm256_storeu_ps(lane.as_mut_ptr(), value) };
    lane
}

#[inline]
#[target_feature(enable = "avx2")]
fn bits(mask: __m256) -> u32 {
    _mm256_movemask_ps(mask) as u32
}

#[inline]
#[target_feature(enable = "avx2")]
fn plane_distance(plane: &CullPlane, [x, y, z]: [__m256; 3]) -> __m256 {
    let [a, b, c] = plane.normal;
    let x = _mm256_mul_ps(_mm256_set1_ps(a), x);
    let y = _mm256_mul_ps(_mm256_set1_ps(b), y);
    let z = _mm256_mul_ps(_mm256_set1_ps(c), z);
    _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(x, y), z), _mm256_set1_ps(plane.d))
}

#[inline]
#[target_feature(enable = "avx2")]
fn cull(node: &Node, planes: &CullPlanes, active: u32) -> CullMasks {
    let zero = _mm256_setzero_ps();
    let mut masks = CullMasks { outside: 0, intersecting: [0; 6] };
    let mut left = active;
    while left != 0 {
        let index = left.trailing_zeros() as usize;
        left &= left - 1;
        let plane = &planes.0[index];
        let [x, y, z] = plane.positive_vertex;
        let positive = [load(&node.bounds[x]), load(&node.bounds[y]), load(&node.bounds[z])];
        let [x, y, z] = plane.negative_vertex;
        let negative = [load(&node.bounds[x]), load(&node.bounds[y]), load(&node.bounds[z])];
        masks.outside |= bits(_mm256_cmp_ps::<_CMP_LT_OQ>(plane_distance(plane, positive), zero));
        masks.intersecting[index] =
            bits(_mm256_cmp_ps::<_CMP_LT_OQ>(plane_distance(plane, negative), zero));
    }
    masks
}

#[inline]
#[target_feature(enable = "avx2")]
fn prepare(slabs: &Slabs) -> RayRegisters {
    let splat = |[x, y, z]: [f32; 3]| [_mm256_set1_ps(x), _mm256_set1_ps(y), _mm256_set1_ps(z)];
    RayRegisters {
        near_origin: splat(slabs.near_origin),
        far_origin: splat(slabs.far_origin),
        near_slope: splat(slabs.near_slope),
        far_slope: splat(slabs.far_slope),
        near: slabs.near,
        far: slabs.far,
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn intersect(node: &Node, ray: &RayRegisters, max_distance: f32) -> (u32, F32x8) {
    let (mut near, mut far) = (_mm256_setzero_ps(), _mm256_set1_ps(max_distance));
    for axis in 0..3 {
        let from = _mm256_sub_ps(load(&node.bounds[ray.near[axis]]), ray.near_origin[axis]);
        let to = _mm256_sub_ps(load(&node.bounds[ray.far[axis]]), ray.far_origin[axis]);
        let enter = _mm256_mul_ps(from, ray.near_slope[axis]);
        let leave = _mm256_mul_ps(to, ray.far_slope[axis]);
        // For a NaN and a number these return the second operand, the number.
        near = _mm256_max_ps(enter, near);
        far = _mm256_min_ps(leave, far);
    }
    (bits(_mm256_cmp_ps::<_CMP_LE_OQ>(near, far)), store(near))
}

#[inline]
#[target_feature(enable = "avx2")]
fn distances(node: &Node, point: [f32; 3]) -> F32x8 {
    let gap = |axis: usize| {
        let point = _mm256_set1_ps(point[axis]);
        let below = _mm256_sub_ps(load(&node.bounds[axis]), point);
        let above = _mm256_sub_ps(point, load(&node.bounds[axis + 3]));
        let gap = _mm256_max_ps(_mm256_max_ps(below, above), _mm256_setzero_ps());
        _mm256_mul_ps(gap, gap)
    };
    store(_mm256_add_ps(_mm256_add_ps(gap(0), gap(1)), gap(2)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn overlaps(node: &Node, aabb: &Aabb) -> u32 {
    let (min, max) = (aabb.min.to_array(), aabb.max.to_array());
    let overlaps_on = |axis: usize| {
        let (from, to) = (load(&node.bounds[axis]), load(&node.bounds[axis + 3]));
        let begins = _mm256_cmp_ps::<_CMP_LE_OQ>(from, _mm256_set1_ps(max[axis]));
        let ends = _mm256_cmp_ps::<_CMP_GE_OQ>(to, _mm256_set1_ps(min[axis]));
        _mm256_and_ps(begins, ends)
    };
    bits(_mm256_and_ps(_mm256_and_ps(overlaps_on(0), overlaps_on(1)), overlaps_on(2)))
}

/// Skips the other planes of a line of which no box is in view after the first ones: neighbouring rows
/// are often near each other. A distance below zero stays the lowest, so the bits are the same.
#[target_feature(enable = "avx2")]
pub(crate) fn cull_columns(columns: [&[CacheLine]; 6], planes: &CullPlanes, words: &mut [u64]) {
    let columns = columns.map(|column| column.as_chunks::<{ WORD / LINE }>().0);
    let corners = planes.0.map(|plane| plane.positive_vertex.map(|column| columns[column]));
    let zero = _mm256_setzero_ps();
    for (index, word) in words.iter_mut().enumerate() {
        *word = 0;
        'lines: for line in 0..WORD / LINE {
            let mut lowest = [_mm256_set1_ps(f32::INFINITY); LINE / LANES];
            for (number, (plane, corner)) in planes.0.iter().zip(&corners).enumerate() {
                let [x, y, z] = corner;
                let [x, y, z] = [&x[index][line], &y[index][line], &z[index][line]];
                for (half, lowest) in lowest.iter_mut().enumerate() {
                    // Not by `map`, which is compiled without AVX2 and not inlined here.
                    let corner = [load_half(x, half), load_half(y, half), load_half(z, half)];
                    *lowest = _mm256_min_ps(plane_distance(plane, corner), *lowest);
                }
                let highest = _mm256_max_ps(lowest[0], lowest[1]);
                if number + 1 == FIRST_PLANES
                    && bits(_mm256_cmp_ps::<_CMP_GE_OQ>(highest, zero)) == 0
                {
                    continue 'lines;
                }
            }
            for (half, lowest) in lowest.into_iter().enumerate() {
                let inside = bits(_mm256_cmp_ps::<_CMP_GE_OQ>(lowest, zero));
                *word |= u64::from(inside) << (LINE * line + LANES * half);
            }
        }
    }
}
