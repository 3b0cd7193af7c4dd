//! `simd loop`: a pass over sorted arrays with an AVX-512 kernel, one matrix per register, selected
//! at run time; without AVX-512 it is the pass of `loop`.
//!
//! The only `unsafe` code of the transform benchmark. Its invariants: the AVX-512 pass is called
//! only if the processor supports it; unchecked indices are used only where `Arrays` guarantees
//! that they are valid; and every load and store goes through a reference to the transform or
//! matrix, whose type gives the alignment.

use super::arrays::{Arrays, Kernel};
use super::plain_loop::Glam;

pub struct Simd;

impl Kernel for Simd {
    fn update(&self, arrays: &mut Arrays, nodes: impl Iterator<Item = usize> + Clone) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor supports AVX-512F.
            return unsafe { avx512::update(arrays, nodes) };
        }
        Glam.update(arrays, nodes);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::arrays::{Arrays, StoredTransform, World};

    /// The prefetch distance in nodes.
    const PREFETCH_DISTANCE: usize = 24;

    #[target_feature(enable = "avx512f")]
    pub fn update(arrays: &mut Arrays, nodes: impl Iterator<Item = usize> + Clone) {
        let (transforms, parents, worlds) = arrays.slices();
        let compose = Compose::new();
        let mut upcoming = nodes.clone().skip(PREFETCH_DISTANCE);
        for node in nodes {
            if let Some(next) = upcoming.next() {
                prefetch(transforms, worlds, next);
            }
            assert!(node < transforms.len());
            // SAFETY: by the invariant of the arrays there are as many parents as transforms and
            // one world more, and every parent is a valid index of `worlds`.
            let (stored, parent, to) = unsafe {
                let parent = *parents.get_unchecked(node) as usize;
                let parent = columns(worlds.get_unchecked(parent));
                (transforms.get_unchecked(node), parent, worlds.get_unchecked_mut(node + 1))
            };
            store(to, product(parent, compose.matrix(stored)));
        }
    }

    /// Prefetches the data of a later node; any address is allowed.
    #[target_feature(enable = "avx512f")]
    fn prefetch(transforms: &[StoredTransform], worlds: &[World], node: usize) {
        let stored = transforms.as_ptr().wrapping_add(node);
        let world = worlds.as_ptr().wrapping_add(node + 1);
        _mm_prefetch::<_MM_HINT_T0>(stored.cast());
        _mm_prefetch::<_MM_HINT_ET0>(world.cast());
    }

    /// Returns `parent * local`: each column is a linear combination of the columns of `parent`,
    /// weighted by that column of `local`.
    #[target_feature(enable = "avx512f")]
    fn product([x, y, z, w]: [__m512; 4], local: __m512) -> __m512 {
        let by_x = _mm512_mul_ps(x, _mm512_permute_ps::<0b00_00_00_00>(local));
        let by_y = _mm512_mul_ps(y, _mm512_permute_ps::<0b01_01_01_01>(local));
        let by_z = _mm512_mul_ps(z, _mm512_permute_ps::<0b10_10_10_10>(local));
        // The last row of `local` is 0 0 0 1: only the last column includes `w`.
        let by_w = _mm512_maskz_mov_ps(0xf000, w);
        _mm512_add_ps(_mm512_add_ps(by_x, by_y), _mm512_add_ps(by_z, by_w))
    }

    /// Returns the four columns of a matrix, each broadcast to a whole register.
    #[target_feature(enable = "avx512f")]
    fn columns(matrix: &World) -> [__m512; 4] {
        let column = |first: usize| {
            let four: &[f32; 4] = matrix.0[first..].first_chunk().expect("four numbers");
            // SAFETY: `four` has four numbers.
            _mm512_broadcast_f32x4(unsafe { _mm_loadu_ps(four.as_ptr()) })
        };
        [column(0), column(4), column(8), column(12)]
    }

    #[target_feature(enable = "avx512f")]
    fn store(to: &mut World, matrix: __m512) {
        // SAFETY: `to` has sixteen numbers and is aligned to 64 bytes.
        unsafe { _mm512_store_ps(to.0.as_mut_ptr(), matrix) }
    }

    /// The constants that compose a matrix from a stored transform. Each number of the rotation's
    /// columns is `base + f * a * b + g * c * d` with `a` to `d` from the quaternion, multiplied by
    /// its column's scale. The last column is all ones, which "scaled" by the translation and its 1
    /// give the result.
    struct Compose {
        a: __m512i,
        b: __m512i,
        c: __m512i,
        d: __m512i,
        f: __m512,
        g: __m512,
        base: __m512,
        scale: __m512i,
    }

    impl Compose {
        #[target_feature(enable = "avx512f")]
        #[rustfmt::skip]
        fn new() -> Self {
            // The positions of the numbers in a stored transform. `x` also stands for unused
            // positions.
            let [t, u, v, one] = [0, 1, 2, 3];
            let [x, y, z, w] = [4, 5, 6, 7];
            let [k, l, m] = [8, 9, 10];
            Self {
                a: _mm512_setr_epi32(y, x, x, x,  x, x, y, x,  x, y, x, x,  x, x, x, x),
                b: _mm512_setr_epi32(y, y, z, x,  y, x, z, x,  z, z, x, x,  x, x, x, x),
                c: _mm512_setr_epi32(z, w, w, x,  w, z, w, x,  w, w, y, x,  x, x, x, x),
                d: _mm512_setr_epi32(z, z, y, x,  z, z, x, x,  y, x, y, x,  x, x, x, x),
                f: _mm512_setr_ps(-2., 2., 2., 0.,  2., -2., 2., 0.,  2., 2., -2., 0.,  0., 0., 0., 0.),
                g: _mm512_setr_ps(-2., 2., -2., 0.,  -2., -2., 2., 0.,  2., -2., -2., 0.,  0., 0., 0., 0.),
                base: _mm512_setr_ps(1., 0., 0., 0.,  0., 1., 0., 0.,  0., 0., 1., 0.,  1., 1., 1., 1.),
                scale: _mm512_setr_epi32(k, k, k, k,  l, l, l, l,  m, m, m, m,  t, u, v, one),
            }
        }

        #[target_feature(enable = "avx512f")]
        fn matrix(&self, stored: &StoredTransform) -> __m512 {
            let stored = load(stored);
            let pick = |which| _mm512_permutexvar_ps(which, stored);
            let ab = _mm512_mul_ps(_mm512_mul_ps(pick(self.a), self.f), pick(self.b));
            let cd = _mm512_mul_ps(_mm512_mul_ps(pick(self.c), self.g), pick(self.d));
            let rotation = _mm512_add_ps(self.base, _mm512_add_ps(ab, cd));
            _mm512_mul_ps(rotation, pick(self.scale))
        }
    }

    #[target_feature(enable = "avx512f")]
    fn load(stored: &StoredTransform) -> __m512 {
        const TWELVE: __mmask16 = 0x0fff;
        // SAFETY: `stored` is twelve consecutive numbers, and no more are read.
        unsafe { _mm512_maskz_loadu_ps(TWELVE, std::ptr::from_ref(stored).cast()) }
    }
}
