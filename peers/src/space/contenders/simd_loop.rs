//! `simd loop`: a linear pass over arrays of the boxes' minimum and maximum coordinates, all planes
//! for sixty-four boxes at a time (AVX-512), for eight (AVX2) or one by one, whichever the
//! processor supports. No handles, no filters: a lower bound.
//!
//! For each plane and axis only the array of the corner farthest along the normal is read, and the
//! sign bits of the sums indicate what is outside. All planes are tested: with boxes in random
//! order some of sixteen nearly always need the next plane, and an early exit was not faster.
//!
//! `unsafe` relies on this: a kernel is called only if the processor supports it; all arrays have
//! the same length, a multiple of sixty-four; and the list has capacity for that many and sixteen
//! more entries before a kernel writes into it.

use super::Cull;
use crate::space::boxes::Aabb;
use crate::space::view::View;

/// The lengths of the arrays are a multiple of this.
const BLOCK: usize = 64;

pub struct SimdLoop {
    /// Minimum x, y, z, then maximum x, y, z.
    columns: [Column; 6],
    boxes: usize,
    visible: Vec<u32>,
}

/// Numbers aligned to cache lines: unaligned loads of sixteen take twice as long.
struct Column(Vec<Line>);

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A plane in the form of the kernels: its coefficients, and the array to read for each axis.
#[derive(Clone, Copy)]
struct Plane<'a> {
    coefficients: [f32; 4],
    columns: [&'a [Line]; 3],
}

impl Column {
    fn new(coefficients: impl ExactSizeIterator<Item = f32>) -> Self {
        let mut lines = vec![Line([f32::NAN; 16]); coefficients.len().next_multiple_of(BLOCK) / 16];
        let slots = lines.iter_mut().flat_map(|line| &mut line.0);
        slots.zip(coefficients).for_each(|(slot, number)| *slot = number);
        Self(lines)
    }
}

impl SimdLoop {
    pub fn new(boxes: &[Aabb]) -> Self {
        let min = |axis: usize| Column::new(boxes.iter().map(move |one| one.min[axis]));
        let max = |axis: usize| Column::new(boxes.iter().map(move |one| one.max[axis]));
        let columns = [min(0), min(1), min(2), max(0), max(1), max(2)];
        Self { columns, boxes: boxes.len(), visible: Vec::new() }
    }
}

impl Cull for SimdLoop {
    fn cull(&mut self, view: &View) {
        let columns = &self.columns;
        let planes = view.planes.map(|plane| {
            let coefficients = plane.to_array();
            let columns = std::array::from_fn(|axis| {
                let side = if coefficients[axis] > 0.0 { 3 } else { 0 };
                columns[side + axis].0.as_slice()
            });
            Plane { coefficients, columns }
        });
        self.visible.clear();
        self.visible.reserve(self.boxes + BLOCK + 16);
        scan(&planes, &mut self.visible);
        // Removes the padding of the arrays.
        while self.visible.last().is_some_and(|&last| last as usize >= self.boxes) {
            self.visible.pop();
        }
    }

    fn found(&self) -> Vec<u32> {
        self.visible.clone()
    }
}

/// Scans the boxes. `visible` must have capacity for as many entries as an array has, and sixteen
/// more.
fn scan(planes: &[Plane<'_>; 6], visible: &mut Vec<u32>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        // SAFETY: the processor supports AVX-512, and the list has the capacity.
        return unsafe { simd::scan_64(planes, visible) };
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor supports AVX2 and FMA, and the list has the capacity.
        return unsafe { simd::scan_8(planes, visible) };
    }
    one_by_one(planes, visible);
}

fn one_by_one(planes: &[Plane<'_>; 6], visible: &mut Vec<u32>) {
    for index in 0..16 * planes[0].columns[0].len() {
        let inside = planes.iter().all(|Plane { coefficients: [x, y, z, distance], columns }| {
            let [px, py, pz] = columns.map(|column| column[index / 16].0[index % 16]);
            x * px + y * py + z * pz + distance >= 0.0
        });
        if inside {
            visible.push(index as u32);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod simd {
    use std::arch::x86_64::*;

    use super::Plane;

    /// Scans the boxes. `visible` must have capacity for as many entries as an array has, and
    /// sixteen more.
    #[target_feature(enable = "avx512f,avx512dq,popcnt")]
    pub unsafe fn scan_64(planes: &[Plane<'_>; 6], visible: &mut Vec<u32>) {
        let coefficients =
            planes.map(|plane| plane.coefficients.map(|number| _mm512_set1_ps(number)));
        let columns = planes.map(|plane| plane.columns.map(|column| column.as_ptr()));
        let to = visible.as_mut_ptr();
        let mut count = 0;
        let mut indices = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        for at in (0..planes[0].columns[0].len()).step_by(4) {
            let mut outside = [_mm512_setzero_si512(); 4];
            for ([x, y, z, distance], columns) in coefficients.into_iter().zip(columns) {
                for (line, outside) in outside.iter_mut().enumerate() {
                    // SAFETY: the arrays have the same length, a multiple of four lines, and a line
                    // is sixteen numbers aligned to 64 bytes.
                    let [px, py, pz] = columns
                        .map(|column| unsafe { _mm512_load_ps(column.add(at + line).cast()) });
                    let sum = _mm512_fmadd_ps(z, pz, distance);
                    let sum = _mm512_fmadd_ps(y, py, sum);
                    let sum = _mm512_fmadd_ps(x, px, sum);
                    *outside = _mm512_or_si512(*outside, _mm512_castps_si512(sum));
                }
            }
            for outside in outside {
                let inside = !_mm512_movepi32_mask(outside);
                let found = _mm512_maskz_compress_epi32(inside, indices);
                // SAFETY: the list has capacity for sixteen more entries than an array, and `count`
                // is the number of entries written so far.
                unsafe { _mm512_storeu_si512(to.add(count).cast(), found) };
                count += inside.count_ones() as usize;
                indices = _mm512_add_epi32(indices, _mm512_set1_epi32(16));
            }
        }
        // SAFETY: `count` entries have been written.
        unsafe { visible.set_len(count) };
    }

    /// Scans the boxes. `visible` must have capacity for as many entries as an array has.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn scan_8(planes: &[Plane<'_>; 6], visible: &mut Vec<u32>) {
        let coefficients =
            planes.map(|plane| plane.coefficients.map(|number| _mm256_set1_ps(number)));
        let columns = planes.map(|plane| plane.columns.map(|column| column.as_ptr().cast::<f32>()));
        let to = visible.as_mut_ptr();
        let mut count = 0;
        for at in (0..16 * planes[0].columns[0].len()).step_by(8) {
            let mut outside = _mm256_setzero_ps();
            for ([x, y, z, distance], columns) in coefficients.into_iter().zip(columns) {
                // SAFETY: the arrays have the same length, a multiple of eight numbers, and eight
                // of them are aligned to 32 bytes.
                let [px, py, pz] = columns.map(|column| unsafe { _mm256_load_ps(column.add(at)) });
                let sum = _mm256_fmadd_ps(z, pz, distance);
                let sum = _mm256_fmadd_ps(y, py, sum);
                let sum = _mm256_fmadd_ps(x, px, sum);
                outside = _mm256_or_ps(outside, sum);
            }
            let mut inside = !_mm256_movemask_ps(outside) as u8;
            while inside != 0 {
                // SAFETY: each entry is written once, and the capacity suffices for all.
                unsafe { to.add(count).write(at as u32 + inside.trailing_zeros()) };
                count += 1;
                inside &= inside - 1;
            }
        }
        // SAFETY: `count` entries have been written.
        unsafe { visible.set_len(count) };
    }
}
