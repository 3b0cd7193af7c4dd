//! `simd loop`: computes all joint matrices in one pass, world × inverse bind, with glam or with a
//! kernel for AVX-512 (one matrix per register) or AVX2 (two columns per register). Joints are
//! contiguous; no handles, no skins, no change tracking. A lower bound.
//!
//! The kernels use fused multiply-add, which pleach avoids: its results have the same bits
//! everywhere. Stores go through the caches, since joint matrices are read soon after.
//!
//! `unsafe` relies on this: a kernel is called only if the processor supports it, and every load
//! and store goes through a reference to the matrix.

use glam::Mat4;

use super::crowd::{Crowd, JOINTS};

/// The matrices of the joints of a skeleton, aligned to cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Matrices(pub [Mat4; JOINTS]);

/// The implementation of the matrix products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernel {
    Glam,
    Avx2,
    Avx512,
}

impl Kernel {
    /// Returns the kernels that this processor supports.
    pub fn available() -> Vec<Self> {
        let mut kernels = vec![Self::Glam];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                kernels.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f") {
                kernels.push(Self::Avx512);
            }
        }
        kernels
    }

    /// Returns the widest supported kernel.
    pub fn widest() -> Self {
        *Self::available().last().expect("glam is always available")
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Glam => "glam",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        }
    }

    /// Computes the joint matrices of skeletons that share their inverse bind matrices.
    pub fn joint_matrices<'a>(
        self,
        worlds: impl Iterator<Item = &'a [Mat4; JOINTS]>,
        inverse_bind_matrices: &'a Matrices,
        joint_matrices: &'a mut [Matrices],
    ) {
        let skeletons =
            worlds.zip(joint_matrices).map(|(worlds, joint_matrices)| SkeletonMatrices {
                worlds,
                inverse_bind_matrices: &inverse_bind_matrices.0,
                joint_matrices: &mut joint_matrices.0,
            });
        match self {
            Self::Glam => with_glam(skeletons),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor supports it: it is among the available kernels.
            Self::Avx2 => unsafe { simd::with_avx2(skeletons) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor supports it: it is among the available kernels.
            Self::Avx512 => unsafe { simd::with_avx512(skeletons) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => unreachable!("not among the available kernels"),
        }
    }
}

/// The world matrices of a crowd, and its joint matrices.
pub struct JointLoop {
    worlds: Vec<Matrices>,
    inverse_bind_matrices: Matrices,
    joint_matrices: Vec<Matrices>,
}

impl JointLoop {
    pub fn new(crowd: &Crowd) -> Self {
        let worlds = crowd
            .joint_slots()
            .map(|start| Matrices(*joints(crowd.scene.graph.world_matrices(), start)));
        let worlds: Vec<_> = worlds.collect();
        let joint_matrices = vec![Matrices([Mat4::NAN; JOINTS]); worlds.len()];
        Self {
            worlds,
            inverse_bind_matrices: Matrices(*joints(&crowd.inverse_bind_matrices, 0)),
            joint_matrices,
        }
    }

    pub fn run(&mut self, kernel: Kernel) {
        let worlds = self.worlds.iter().map(|worlds| &worlds.0);
        kernel.joint_matrices(worlds, &self.inverse_bind_matrices, &mut self.joint_matrices);
    }

    pub fn joint_matrices(&self) -> impl Iterator<Item = &[Mat4]> {
        self.joint_matrices.iter().map(|joint_matrices| &joint_matrices.0[..])
    }
}

/// Returns the matrices of a skeleton's joints, starting at its first.
pub fn joints(matrices: &[Mat4], start: usize) -> &[Mat4; JOINTS] {
    matrices[start..].first_chunk().expect("there is a matrix for each joint")
}

struct SkeletonMatrices<'a> {
    worlds: &'a [Mat4; JOINTS],
    inverse_bind_matrices: &'a [Mat4; JOINTS],
    joint_matrices: &'a mut [Mat4; JOINTS],
}

fn with_glam<'a>(skeletons: impl Iterator<Item = SkeletonMatrices<'a>>) {
    for SkeletonMatrices { worlds, inverse_bind_matrices, joint_matrices } in skeletons {
        for (joint, matrix) in joint_matrices.iter_mut().enumerate() {
            *matrix = worlds[joint] * inverse_bind_matrices[joint];
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod simd {
    use std::arch::x86_64::*;

    use super::{JOINTS, Mat4, SkeletonMatrices};

    #[target_feature(enable = "avx512f")]
    pub fn with_avx512<'a>(skeletons: impl Iterator<Item = SkeletonMatrices<'a>>) {
        for SkeletonMatrices { worlds, inverse_bind_matrices, joint_matrices } in skeletons {
            for joint in 0..JOINTS {
                let columns = columns(&worlds[joint]);
                // SAFETY: a matrix has sixteen numbers.
                let bind = unsafe { _mm512_loadu_ps(floats(&inverse_bind_matrices[joint])) };
                let [x, y, z, w] = columns.map(|column| _mm512_broadcast_f32x4(column));
                let sum = _mm512_mul_ps(x, _mm512_permute_ps::<0b00_00_00_00>(bind));
                let sum = _mm512_fmadd_ps(y, _mm512_permute_ps::<0b01_01_01_01>(bind), sum);
                let sum = _mm512_fmadd_ps(z, _mm512_permute_ps::<0b10_10_10_10>(bind), sum);
                let sum = _mm512_fmadd_ps(w, _mm512_permute_ps::<0b11_11_11_11>(bind), sum);
                // SAFETY: a matrix has sixteen numbers.
                unsafe { _mm512_storeu_ps(floats_mut(&mut joint_matrices[joint]), sum) };
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    pub fn with_avx2<'a>(skeletons: impl Iterator<Item = SkeletonMatrices<'a>>) {
        for SkeletonMatrices { worlds, inverse_bind_matrices, joint_matrices } in skeletons {
            for joint in 0..JOINTS {
                let columns = columns(&worlds[joint]);
                let [x, y, z, w] = columns.map(|column| broadcast_pair(column));
                for half in [0, 8] {
                    // SAFETY: a matrix has two times eight numbers.
                    let bind =
                        unsafe { _mm256_loadu_ps(floats(&inverse_bind_matrices[joint]).add(half)) };
                    let sum = _mm256_mul_ps(x, _mm256_permute_ps::<0b00_00_00_00>(bind));
                    let sum = _mm256_fmadd_ps(y, _mm256_permute_ps::<0b01_01_01_01>(bind), sum);
                    let sum = _mm256_fmadd_ps(z, _mm256_permute_ps::<0b10_10_10_10>(bind), sum);
                    let sum = _mm256_fmadd_ps(w, _mm256_permute_ps::<0b11_11_11_11>(bind), sum);
                    // SAFETY: a matrix has two times eight numbers.
                    unsafe {
                        _mm256_storeu_ps(floats_mut(&mut joint_matrices[joint]).add(half), sum)
                    };
                }
            }
        }
    }

    /// Duplicates four numbers into both halves.
    #[target_feature(enable = "avx2")]
    fn broadcast_pair(four: __m128) -> __m256 {
        _mm256_set_m128(four, four)
    }

    #[inline]
    fn columns(matrix: &Mat4) -> [__m128; 4] {
        [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis].map(Into::into)
    }

    #[inline]
    fn floats(matrix: &Mat4) -> *const f32 {
        std::ptr::from_ref(matrix).cast()
    }

    #[inline]
    fn floats_mut(matrix: &mut Mat4) -> *mut f32 {
        std::ptr::from_mut(matrix).cast()
    }
}
