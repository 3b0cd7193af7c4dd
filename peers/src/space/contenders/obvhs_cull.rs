//! Culling with an obvhs `Bvh2`, which has no such query: a traversal of its public nodes. Subtrees
//! outside of a plane are skipped, and those inside all planes are added without further tests.
//!
//! There are two tests of a box. `Masked` tests plane by plane with glam's vectors and skips the
//! planes that a parent was inside of. `SimdPlanes` tests all planes at once with AVX2.
//!
//! `unsafe` relies on this: code compiled for AVX2 is called only if the processor supports it.

use glam::{BVec3A, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;

use super::Cull;
use super::obvhs::{Aabb, aabbs, bvh2};
use crate::space::boxes;
use crate::space::view::View;

pub struct TreeCull {
    bvh: Bvh2,
    /// The boxes in the order of the leaves.
    boxes: Vec<Aabb>,
    simd_planes: bool,
    /// Children of inner nodes, and the planes to test them against.
    stack: Vec<(u32, u8)>,
    visible: Vec<u32>,
}

impl TreeCull {
    /// Creates a culler that tests plane by plane.
    pub fn masked(boxes: &[boxes::Aabb], params: BvhBuildParams) -> Self {
        Self::new(boxes, params, false)
    }

    /// Creates a culler that tests all planes at once, if the processor supports it.
    pub fn simd_planes(boxes: &[boxes::Aabb], params: BvhBuildParams) -> Option<Self> {
        has_avx2().then(|| Self::new(boxes, params, true))
    }

    fn new(boxes: &[boxes::Aabb], params: BvhBuildParams, simd_planes: bool) -> Self {
        let aabbs = aabbs(boxes);
        let mut bvh = bvh2(&aabbs, params);
        bvh.reorder_in_stack_traversal_order();
        let leaf_order = bvh.primitive_indices.iter();
        let boxes = leaf_order.map(|&index| aabbs[index as usize]).collect();
        Self { bvh, boxes, simd_planes, stack: Vec::new(), visible: Vec::new() }
    }

    #[inline(always)]
    fn traverse(&mut self, test: impl Test) {
        let Self { bvh: Bvh2 { nodes, primitive_indices, .. }, boxes, stack, visible, .. } = self;
        visible.clear();
        stack.clear();
        let (mut pair, mut planes) = (0..1, 0b11_1111);
        loop {
            for node in &nodes[pair] {
                let Some(cut) = test.planes_cut(node.aabb(), planes) else {
                    continue;
                };
                match (cut, node.prim_count) {
                    (0, _) => push_subtree(node, nodes, primitive_indices, visible),
                    (_, 0) => stack.push((node.first_index, cut)),
                    (_, 1) => visible.push(primitive_indices[node.first_index as usize]),
                    (_, count) => {
                        for at in node.first_index as usize..(node.first_index + count) as usize {
                            if test.planes_cut(&boxes[at], cut).is_some() {
                                visible.push(primitive_indices[at]);
                            }
                        }
                    }
                }
            }
            let Some((first, remaining)) = stack.pop() else {
                return;
            };
            (pair, planes) = (first as usize..first as usize + 2, remaining);
        }
    }
}

/// Adds all leaves below a node. In stack order the nodes of a subtree are contiguous, after the
/// node's own pair: first the subtree of the second child, then that of the first.
#[inline]
fn push_subtree(node: &Bvh2Node, nodes: &[Bvh2Node], indices: &[u32], visible: &mut Vec<u32>) {
    if node.is_leaf() {
        let first = node.first_index as usize;
        visible.extend_from_slice(&indices[first..first + node.prim_count as usize]);
        return;
    }
    // Each inner node adds two more nodes to visit.
    let mut at = node.first_index as usize;
    let mut end = at + 2;
    while at < end {
        let node = &nodes[at];
        match node.prim_count {
            0 => end += 2,
            1 => visible.push(indices[node.first_index as usize]),
            count => {
                let first = node.first_index as usize;
                visible.extend_from_slice(&indices[first..first + count as usize]);
            }
        }
        at += 1;
    }
}

impl Cull for TreeCull {
    fn cull(&mut self, view: &View) {
        #[cfg(target_arch = "x86_64")]
        if self.simd_planes {
            // SAFETY: the constructor checked that the processor supports AVX2 and FMA.
            return unsafe { cull_simd_planes(self, view) };
        }
        self.traverse(Masked::new(view));
    }

    fn found(&self) -> Vec<u32> {
        self.visible.clone()
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn cull_simd_planes(tree: &mut TreeCull, view: &View) {
    tree.traverse(simd::SimdPlanes::new(view));
}

trait Test {
    /// Returns those of the planes that the box is not completely inside of, or `None` if it is
    /// outside of one.
    fn planes_cut(&self, aabb: &Aabb, planes: u8) -> Option<u8>;
}

struct Masked {
    planes: [(Vec3A, BVec3A, f32); 6],
}

impl Masked {
    fn new(view: &View) -> Self {
        let planes = view.planes.map(|plane| {
            let normal = Vec3A::from_vec4(plane);
            (normal, normal.cmpgt(Vec3A::ZERO), plane.w)
        });
        Self { planes }
    }
}

impl Test for Masked {
    #[inline(always)]
    fn planes_cut(&self, aabb: &Aabb, planes: u8) -> Option<u8> {
        let mut cut = planes;
        let mut left = planes;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            left &= left - 1;
            let (normal, positive, distance) = self.planes[index];
            if normal.dot(Vec3A::select(positive, aabb.max, aabb.min)) + distance < 0.0 {
                return None;
            }
            if normal.dot(Vec3A::select(positive, aabb.min, aabb.max)) + distance >= 0.0 {
                cut &= !(1 << index);
            }
        }
        Some(cut)
    }
}

#[cfg(target_arch = "x86_64")]
mod simd {
    use std::arch::x86_64::*;

    use super::{Aabb, Test, View};

    /// The coefficients of all planes; the last two lanes contain everything.
    pub struct SimdPlanes {
        /// Half the normals, for the sum of both corners, and their absolute values, for the
        /// difference.
        normals: [__m256; 3],
        sizes: [__m256; 3],
        distances: __m256,
    }

    impl SimdPlanes {
        #[target_feature(enable = "avx2,fma")]
        pub fn new(view: &View) -> Self {
            let column = |number: usize, padding: f32, map: fn(f32) -> f32| {
                let mut column = [padding; 8];
                for (to, plane) in column.iter_mut().zip(&view.planes) {
                    *to = map(plane[number]);
                }
                // SAFETY: the array has eight numbers.
                unsafe { _mm256_loadu_ps(column.as_ptr()) }
            };
            Self {
                normals: [0, 1, 2].map(|axis| column(axis, 0.0, |x| x / 2.0)),
                sizes: [0, 1, 2].map(|axis| column(axis, 0.0, |x| x.abs() / 2.0)),
                distances: column(3, 1.0, |x| x),
            }
        }

        #[inline]
        #[target_feature(enable = "avx2,fma")]
        fn cut(&self, aabb: &Aabb) -> Option<u8> {
            let [sum, size] = [aabb.max + aabb.min, aabb.max - aabb.min];
            let [x, y, z] = sum.to_array().map(|number| _mm256_set1_ps(number));
            let center = _mm256_fmadd_ps(z, self.normals[2], self.distances);
            let center = _mm256_fmadd_ps(y, self.normals[1], center);
            let center = _mm256_fmadd_ps(x, self.normals[0], center);
            let [x, y, z] = size.to_array().map(|number| _mm256_set1_ps(number));
            let radius = _mm256_mul_ps(z, self.sizes[2]);
            let radius = _mm256_fmadd_ps(y, self.sizes[1], radius);
            let radius = _mm256_fmadd_ps(x, self.sizes[0], radius);
            // The sign bits indicate that the farthest or nearest corner is behind a plane.
            if _mm256_movemask_ps(_mm256_add_ps(center, radius)) != 0 {
                return None;
            }
            Some(_mm256_movemask_ps(_mm256_sub_ps(center, radius)) as u8)
        }
    }

    impl Test for SimdPlanes {
        #[inline(always)]
        fn planes_cut(&self, aabb: &Aabb, _: u8) -> Option<u8> {
            // SAFETY: the constructor checked that the processor supports AVX2 and FMA.
            unsafe { self.cut(aabb) }
        }
    }
}
