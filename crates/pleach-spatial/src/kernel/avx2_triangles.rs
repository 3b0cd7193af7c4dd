//! AVX2: a ray against four triangles, in the four f64 lanes of a register.
//!
//! The same operations in the same order as `ShearedRay::intersect_packet`. Most packets are missed:
//! distances are computed only if the ray is inside the edges of a triangle.

#![allow(unsafe_code, reason = "loads and stores of four lanes")]

use core::arch::x86_64::*;

use crate::shapes::ray_triangle::{Corners, PACKET_SIZE, PacketHit, ShearedRay};

#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &[f32; PACKET_SIZE]) -> __m256d {
    // SAFETY: four floats are read from an array of four.
    _mm256_cvtps_pd(unsafe { _mm_loadu_ps(numbers.as_ptr()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(value: __m256d) -> [f64; PACKET_SIZE] {
    let mut numbers = [0.0; PACKET_SIZE];
    // SAFETY: four numbers are written to an array of four.
    unsafe { _mm256_storeu_pd(numbers.as_mut_ptr(), value) };
    numbers
}

/// Returns `a * b - c * d`, rounded after each operation.
#[inline]
#[target_feature(enable = "avx2")]
fn difference_of_products(a: __m256d, b: __m256d, c: __m256d, d: __m256d) -> __m256d {
    _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d))
}

/// Returns one corner of each triangle in the space of the ray: x, y and the depth before scaling.
///
/// A function, as `array::map` is not compiled for AVX2 and would call a closure out of line.
#[inline]
#[target_feature(enable = "avx2")]
fn sheared(corner: &[[f32; PACKET_SIZE]; 3], ray: &ShearedRay) -> (__m256d, __m256d, __m256d) {
    let [first, second, major] = ray.axes;
    let depth = _mm256_sub_pd(load(&corner[major]), _mm256_set1_pd(ray.origin[major]));
    let x = _mm256_sub_pd(load(&corner[first]), _mm256_set1_pd(ray.origin[first]));
    let y = _mm256_sub_pd(load(&corner[second]), _mm256_set1_pd(ray.origin[second]));
    let x = _mm256_sub_pd(x, _mm256_mul_pd(_mm256_set1_pd(ray.shear[0]), depth));
    let y = _mm256_sub_pd(y, _mm256_mul_pd(_mm256_set1_pd(ray.shear[1]), depth));
    (x, y, depth)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn triangles(corners: &Corners, ray: &ShearedRay) -> PacketHit {
    let (x0, y0, depth0) = sheared(&corners[0], ray);
    let (x1, y1, depth1) = sheared(&corners[1], ray);
    let (x2, y2, depth2) = sheared(&corners[2], ray);
    let u = difference_of_products(x2, y1, y2, x1);
    let v = difference_of_products(x0, y2, y0, x2);
    let w = difference_of_products(x1, y0, y1, x0);

    let zero = _mm256_setzero_pd();
    let front = |edge: __m256d| _mm256_cmp_pd::<_CMP_GE_OQ>(edge, zero);
    let back = |edge: __m256d| _mm256_cmp_pd::<_CMP_LE_OQ>(edge, zero);
    let all = |a: __m256d, b: __m256d, c: __m256d| _mm256_and_pd(_mm256_and_pd(a, b), c);
    let inside = _mm256_or_pd(all(front(u), front(v), front(w)), all(back(u), back(v), back(w)));
    if _mm256_movemask_pd(inside) == 0 {
        return PacketHit::MISS;
    }

    let shear = _mm256_set1_pd(ray.shear[2]);
    let [z0, z1, z2] =
        [_mm256_mul_pd(shear, depth0), _mm256_mul_pd(shear, depth1), _mm256_mul_pd(shear, depth2)];
    let sum = _mm256_add_pd(_mm256_add_pd(u, v), w);
    let t = _mm256_add_pd(_mm256_mul_pd(u, z0), _mm256_mul_pd(v, z1));
    let t = _mm256_div_pd(_mm256_add_pd(t, _mm256_mul_pd(w, z2)), sum);
    let infinity = _mm256_set1_pd(f64::INFINITY);
    let positive = _mm256_cmp_pd::<_CMP_GE_OQ>(t, zero);
    let finite = _mm256_cmp_pd::<_CMP_NEQ_UQ>(t, infinity);
    let is_hit = _mm256_and_pd(inside, _mm256_and_pd(positive, finite));
    let absolute = _mm256_andnot_pd(_mm256_set1_pd(-0.0), t);
    PacketHit {
        mask: _mm256_movemask_pd(is_hit) as u32,
        t: store(_mm256_blendv_pd(infinity, absolute, is_hit)),
        edges: [store(u), store(v), store(w)],
    }
}
