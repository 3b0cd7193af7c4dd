//! Kernels: the tests of the eight boxes of a node, of columns of boxes, and of packets of triangles.
//!
//! `scalar.rs` is the definition; `avx2.rs`, `avx512.rs`, `neon.rs` and `simd128.rs` give the same
//! bits. So does `avx2_triangles.rs` for packets of triangles, defined in `shapes/ray_triangle.rs`.
//! Traversals are generic over `NodeKernel`; the implementation is selected here, once per
//! traversal, by the features of the CPU. `prefetch.rs` has no influence on results.

#![allow(unsafe_code, reason = "calls traversals compiled for a CPU feature, after detecting it")]

pub(crate) mod prefetch;
pub(crate) mod scalar;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2_triangles;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod avx512;
#[cfg(any(
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
))]
mod four_lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

use glam::DVec3;

use crate::bvh::node::{F32x8, Node};
use crate::index::rows::CacheLine;
use crate::shapes::ray_triangle::{Corners, PacketHit, ShearedRay};
use crate::{Aabb, Frustum};

/// Tests of the boxes of one node. Results of unused lanes are unspecified.
pub(crate) trait NodeKernel: Copy {
    /// A ray in the form that `ray` reads.
    type Ray: Copy;
    /// Prepares a ray for the tests of many nodes.
    fn prepare(self, slabs: &Slabs) -> Self::Ray;
    /// Returns the boxes that are outside at least one of the `active` planes, and for each plane
    /// those that are not entirely inside.
    fn cull(self, node: &Node, planes: &CullPlanes, active: u32) -> CullMasks;
    /// Returns the boxes that a ray hits within `max_distance`, and the distances of entry.
    fn ray(self, node: &Node, ray: &Self::Ray, max_distance: f32) -> (u32, F32x8);
    /// Returns the squared distances of the boxes from a point.
    fn distances(self, node: &Node, point: [f32; 3]) -> F32x8;
    /// Returns the boxes that intersect a box.
    fn overlaps(self, node: &Node, aabb: &Aabb) -> u32;
    /// Intersects a ray with the triangles of a packet.
    #[inline(always)]
    fn triangles(self, corners: &Corners, ray: &ShearedRay) -> PacketHit {
        ray.intersect_packet(corners)
    }
}

/// The results of a frustum test, as bits by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CullMasks {
    pub(crate) outside: u32,
    /// By plane; zero for planes that were not tested.
    pub(crate) intersecting: [u32; 6],
}

/// The planes of a frustum, each with the columns that hold the coordinates of its p-vertex (the
/// corner farthest along the normal) and of its n-vertex (the opposite corner).
#[derive(Clone, Copy, Debug)]
pub(crate) struct CullPlanes(pub(crate) [CullPlane; 6]);

#[derive(Clone, Copy, Debug)]
pub(crate) struct CullPlane {
    pub(crate) normal: [f32; 3],
    pub(crate) d: f32,
    pub(crate) positive_vertex: [usize; 3],
    pub(crate) negative_vertex: [usize; 3],
}

impl CullPlanes {
    pub(crate) fn new(frustum: &Frustum) -> Self {
        Self(frustum.cull_planes().map(|plane| {
            let normal = plane.normal.to_array();
            let column = |axis: usize, max: bool| axis + 3 * usize::from(max);
            CullPlane {
                normal,
                d: plane.d,
                positive_vertex: core::array::from_fn(|axis| column(axis, normal[axis] >= 0.0)),
                negative_vertex: core::array::from_fn(|axis| column(axis, normal[axis] < 0.0)),
            }
        }))
    }
}

/// A ray, prepared for slab tests in f32.
///
/// The origin is moved and the slopes (reciprocals of the direction) are scaled by more than
/// their rounding errors, so that a box is never entered later or left earlier than exactly: a
/// traversal may visit a box that the ray misses, but never misses one that it hits. (The
/// relative error of each of origin, reciprocal, difference and product is at most 2^-24.)
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slabs {
    pub(crate) near_origin: [f32; 3],
    pub(crate) far_origin: [f32; 3],
    pub(crate) near_slope: [f32; 3],
    pub(crate) far_slope: [f32; 3],
    /// The columns of the faces at which the ray enters and leaves.
    pub(crate) near: [usize; 3],
    pub(crate) far: [usize; 3],
}

impl Slabs {
    pub(crate) fn new(origin: DVec3, direction: DVec3) -> Self {
        const ROUNDING: f64 = 1.0 / (1 << 21) as f64;
        // Avoids 0 * infinity for a face through the origin.
        const MIN_PAD: f64 = 1e-30;
        let (origin, direction) = (origin.to_array(), direction.to_array());
        let mut slabs = Self {
            near_origin: [0.0; 3],
            far_origin: [0.0; 3],
            near_slope: [0.0; 3],
            far_slope: [0.0; 3],
            near: [0; 3],
            far: [0; 3],
        };
        for axis in 0..3 {
            let (o, d) = (origin[axis], direction[axis]);
            let pad = o.abs() * ROUNDING + MIN_PAD;
            let pad = if d >= 0.0 { pad } else { -pad };
            slabs.near_origin[axis] = (o + pad) as f32;
            slabs.far_origin[axis] = (o - pad) as f32;
            // Negative zero would exchange the faces of the slab.
            let slope = if d == 0.0 { f64::INFINITY } else { 1.0 / d };
            // Infinite only for directions parallel to the slab: otherwise the slab is entered
            // eventually.
            let near_slope = (slope * (1.0 - ROUNDING)) as f32;
            slabs.near_slope[axis] =
                if d == 0.0 { near_slope } else { near_slope.clamp(-f32::MAX, f32::MAX) };
            slabs.far_slope[axis] = (slope * (1.0 + ROUNDING)) as f32;
            let column = |max: bool| axis + 3 * usize::from(max);
            slabs.near[axis] = column(d < 0.0);
            slabs.far[axis] = column(d >= 0.0);
        }
        slabs
    }
}

/// The instruction set used by culling and traversals.
///
/// All kernels give the same results and differ in speed only. An index uses the fastest one that
/// this CPU supports, unless [set](crate::SpatialIndex::set_kernel) otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryKernel {
    /// Portable Rust.
    Scalar,
    /// AVX2: eight boxes in 256-bit registers.
    Avx2,
    /// AVX-512: sixteen boxes in 512-bit registers for scans; otherwise like `Avx2`.
    Avx512,
    /// NEON: four boxes in 128-bit registers of an aarch64 CPU.
    Neon,
    /// Four boxes in 128-bit registers of WebAssembly, if the crate is compiled with the target
    /// feature `simd128`.
    Simd128,
}

impl QueryKernel {
    /// All kernels. Of those that a CPU supports, later ones are faster.
    pub const ALL: [Self; 5] = [Self::Scalar, Self::Avx2, Self::Avx512, Self::Neon, Self::Simd128];

    /// Returns `true` if this CPU supports the kernel.
    ///
    /// ```
    /// assert!(pleach_spatial::QueryKernel::Scalar.is_available());
    /// assert!(pleach_spatial::QueryKernel::best().is_available());
    /// ```
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Neon => cfg!(all(
                target_arch = "aarch64",
                target_feature = "neon",
                target_endian = "little"
            )),
            Self::Simd128 => cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("popcnt")
            }
            #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Returns the fastest kernel that this CPU supports.
    #[must_use]
    pub fn best() -> Self {
        *Self::ALL.iter().rev().find(|kernel| kernel.is_available()).unwrap_or(&Self::Scalar)
    }
}

impl Default for QueryKernel {
    fn default() -> Self {
        Self::best()
    }
}

/// An operation that is generic over the kernel, such as a traversal of a tree.
pub(crate) trait Traversal {
    type Output;
    fn run<L: NodeKernel>(self, kernel: L) -> Self::Output;
}

/// Runs a traversal, compiled for the kernel's instruction set. Falls back to the scalar kernel if
/// this CPU does not support it.
#[inline]
pub(crate) fn traverse<T: Traversal>(kernel: QueryKernel, traversal: T) -> T::Output {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if kernel != QueryKernel::Scalar
        && let Some(avx2) = avx2::Avx2::new()
    {
        // SAFETY: `avx2` exists only if the CPU supports AVX2.
        return unsafe { avx2::run(avx2, traversal) };
    }
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    if kernel == QueryKernel::Neon {
        return traversal.run(four_lanes::FourLanes::<neon::Neon>::NEW);
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    if kernel == QueryKernel::Simd128 {
        return traversal.run(four_lanes::FourLanes::<simd128::Simd128>::NEW);
    }
    _ = kernel;
    traversal.run(scalar::Scalar)
}

/// The planes that are tested before a kernel may skip a line of boxes: left and right, between which
/// most of a world is out of view.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
const FIRST_PLANES: usize = 2;

/// Writes a bit for each row of six columns that is in view. All columns are as long as the words.
pub(crate) fn cull_columns(
    kernel: QueryKernel,
    columns: [&[CacheLine]; 6],
    planes: &CullPlanes,
    words: &mut [u64],
) {
    match kernel {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        QueryKernel::Avx512 if QueryKernel::Avx512.is_available() => {
            // SAFETY: checked by the guard.
            unsafe { avx512::cull_columns(columns, planes, words) };
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        QueryKernel::Avx2 if QueryKernel::Avx2.is_available() => {
            // SAFETY: checked by the guard.
            unsafe { avx2::cull_columns(columns, planes, words) };
        }
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        QueryKernel::Neon => four_lanes::cull_columns::<neon::Neon>(columns, planes, words),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        QueryKernel::Simd128 => {
            four_lanes::cull_columns::<simd128::Simd128>(columns, planes, words);
        }
        _ => scalar::cull_columns(columns, planes, words),
    }
}

/// Writes the indices of the bits that are set, in ascending order.
pub(crate) fn list_bits(kernel: QueryKernel, words: &[u64], numbers: &mut Vec<u32>) {
    numbers.clear();
    match kernel {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        QueryKernel::Avx512 if QueryKernel::Avx512.is_available() => {
            // SAFETY: checked by the guard.
            unsafe { avx512::list_bits(words, numbers) };
        }
        _ => scalar::each_bit(words, |bit| numbers.push(bit as u32)),
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use testkit::Rng;

    use super::scalar::Scalar;
    use super::*;
    use crate::ClipSpace;
    use crate::bvh::node::{Child, LANES};
    use crate::index::rows::LINE;
    use crate::shapes::ray_triangle::PACKET_SIZE;

    /// Random numbers of many magnitudes, including zeros, equal values and both signs.
    trait RandomShapes {
        fn number(&mut self) -> f32;
        fn vector(&mut self) -> Vec3;
        fn aabb(&mut self) -> Aabb;
        fn node(&mut self) -> Node;
        fn frustum(&mut self) -> Frustum;
    }

    impl RandomShapes for Rng {
        fn number(&mut self) -> f32 {
            let size = [0.0, 1e-30, 0.001, 1.0, 1.0, 10.0, 1000.0, 1e30][self.below(8)];
            let number = self.below(64) as f32 - 32.0;
            size * number
        }

        fn vector(&mut self) -> Vec3 {
            Vec3::new(self.number(), self.number(), self.number())
        }

        fn aabb(&mut self) -> Aabb {
            let (a, b) = (self.vector(), self.vector());
            Aabb::new(a.min(b), a.max(b))
        }

        fn node(&mut self) -> Node {
            let mut node = Node::VACANT;
            for item in 0..self.below(LANES + 1) {
                node.push(&self.aabb(), Child::leaf(item as u32));
            }
            node
        }

        fn frustum(&mut self) -> Frustum {
            loop {
                let numbers: [f32; 16] = core::array::from_fn(|_| self.number());
                let matrix = glam::Mat4::from_cols_array(&numbers);
                if let Ok(frustum) = Frustum::from_view_projection(&matrix, ClipSpace::ZeroToOne) {
                    return frustum;
                }
            }
        }
    }

    const ROUNDS: u64 = if cfg!(miri) { 20 } else { 20_000 };

    /// Compares every test of `NodeKernel` on one node with the scalar kernel.
    fn compare(kernel: impl NodeKernel, seed: u64) {
        let mut random = Rng::new(seed);
        let (node, planes) = (random.node(), CullPlanes::new(&random.frustum()));
        let active = random.next_u32() & 0b11_1111;
        let culled = kernel.cull(&node, &planes, active);
        assert_eq!(culled, Scalar.cull(&node, &planes, active), "seed {seed}");

        let slabs = Slabs::new(random.vector().as_dvec3(), random.vector().as_dvec3());
        let max_distance = random.number().abs();
        let (mask, near) = kernel.ray(&node, &kernel.prepare(&slabs), max_distance);
        let (scalar_mask, scalar_near) = Scalar.ray(&node, &slabs, max_distance);
        assert_eq!(mask, scalar_mask, "seed {seed}");
        assert_eq!(near.map(f32::to_bits), scalar_near.map(f32::to_bits), "seed {seed}");

        let point = random.vector().to_array();
        let (near, scalar) = (kernel.distances(&node, point), Scalar.distances(&node, point));
        assert_eq!(near.map(f32::to_bits), scalar.map(f32::to_bits), "seed {seed}");

        let aabb = random.aabb();
        assert_eq!(kernel.overlaps(&node, &aabb), Scalar.overlaps(&node, &aabb), "seed {seed}");
        node.prefetch();
        compare_triangles(kernel, &mut random, seed);
    }

    /// Compares the hits of a packet: small, large, thin, coplanar and vacant triangles, and rays
    /// through their corners, edges and interiors.
    fn compare_triangles(kernel: impl NodeKernel, random: &mut Rng, seed: u64) {
        let size = [1e-20, 0.01, 1.0, 1.0, 1e6, 1e30][random.below(6)];
        let mut point = || Vec3::from([(); 3].map(|()| (random.below(9) as f32 - 4.0) * size));
        let triangles: [[Vec3; 3]; PACKET_SIZE] =
            core::array::from_fn(|_| [(); 3].map(|()| point()));
        let (origin, mut target) = (point().as_dvec3(), point().as_dvec3());
        let [a, b, c] = triangles[random.below(PACKET_SIZE)].map(|corner| corner.as_dvec3());
        target = [target, a, (a + b) / 2.0, (a + b + c) / 3.0, a + DVec3::X][random.below(5)];
        let vacant = random.below(PACKET_SIZE + 1);
        let mut corners = Corners::default();
        for (i, triangle) in triangles.iter().enumerate().filter(|&(i, _)| i != vacant) {
            for (corner, position) in triangle.iter().enumerate() {
                for axis in 0..3 {
                    corners[corner][axis][i] = position[axis];
                }
            }
        }
        let scale = [1.0, 1e-200, 1e200, f64::INFINITY][random.below(8).min(3) * random.below(2)];
        let ray = ShearedRay::new(origin * scale, (target - origin) * scale);
        let (hit, expected) = (kernel.triangles(&corners, &ray), ray.intersect_packet(&corners));
        assert_eq!(hit.mask, expected.mask, "seed {seed}");
        for i in (0..PACKET_SIZE).filter(|i| hit.mask >> i & 1 != 0) {
            let bits =
                |hit: &PacketHit| [hit.t[i], hit.edges[0][i], hit.edges[1][i], hit.edges[2][i]];
            let [hit, expected] = [bits(&hit), bits(&expected)].map(|it| it.map(f64::to_bits));
            assert_eq!(hit, expected, "seed {seed}, triangle {i}");
        }
    }

    struct Compare(u64);

    impl Traversal for Compare {
        type Output = ();

        fn run<L: NodeKernel>(self, kernel: L) {
            compare(kernel, self.0);
        }
    }

    #[test]
    fn every_kernel_gives_the_bits_of_the_scalar_kernel() {
        for kernel in QueryKernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            println!("{kernel:?} is compared");
            (0..ROUNDS).for_each(|seed| traverse(kernel, Compare(seed)));
        }
    }

    #[test]
    fn every_kernel_finds_the_same_rows_in_view() {
        for seed in 0..ROUNDS / 10 {
            let mut random = Rng::new(seed);
            let words = 1 + random.below(3);
            let boxes: Vec<Aabb> = (0..64 * words).map(|_| random.aabb().with_slack()).collect();
            let columns: [Vec<CacheLine>; 6] = core::array::from_fn(|column| {
                let number = |aabb: &Aabb| [aabb.min, aabb.max][column / 3][column % 3];
                let line = |boxes: &[Aabb; LINE]| CacheLine(boxes.each_ref().map(number));
                boxes.as_chunks().0.iter().map(line).collect()
            });
            let columns = columns.each_ref().map(Vec::as_slice);
            let planes = CullPlanes::new(&random.frustum());
            let mut expected = vec![0; words];
            cull_columns(QueryKernel::Scalar, columns, &planes, &mut expected);
            for kernel in QueryKernel::ALL {
                let mut found = vec![u64::MAX; words];
                cull_columns(kernel, columns, &planes, &mut found);
                assert_eq!(found, expected, "{kernel:?}, seed {seed}");
            }
        }
    }

    #[test]
    fn every_kernel_lists_the_same_bits() {
        for seed in 0..ROUNDS / 10 {
            let mut random = Rng::new(seed);
            // Full, empty and sparse words.
            let mut word = || match random.below(4) {
                0 => 0,
                1 => u64::MAX,
                2 => 1 << random.below(64),
                _ => random.next_u64(),
            };
            let words: Vec<u64> = (0..seed % 150).map(|_| word()).collect();
            let is_set = |bit: &u32| words[*bit as usize / 64] >> (bit % 64) & 1 != 0;
            let expected: Vec<u32> = (0..64 * words.len() as u32).filter(is_set).collect();
            for kernel in QueryKernel::ALL {
                let mut found = vec![7; 3];
                list_bits(kernel, &words, &mut found);
                assert_eq!(found, expected, "{kernel:?}, seed {seed}");
            }
        }
    }
}
