//! `simd loop`: a straight pass over columns of the boxes' least and largest coordinates, all
//! planes for sixty-four boxes at a time (AVX-512), for eight (AVX2) or one by one, whichever the
//! processor can do. No handles, no filters: a lower bound.
//!
//! For each plane and axis only the column with the corner farthest along the normal is read, and
//! the sign bits of the sums tell what is outside. No plane is left out: with boxes in no order
//! some of sixteen nearly always need the next one, and an early end was no faster.
//!
//! `unsafe` rests on this: a kernel is called only where the processor has been asked for what
//! it needs; all columns have the same length, a multiple of sixty-four; and the list has room
//! for that many and sixteen more before a kernel writes into it.

use super::Cull;
use crate::space::boxes::Aabb;
use crate::space::view::View;

/// Boxes that a column's length is a multiple of.
const BLOCK: usize = 64;

pub struct SimdLoop {
    /// Least x, y, z, then largest x, y, z.
    columns: [Column; 6],
    boxes: usize,
    visible: Vec<u32>,
}

/// Numbers that begin a cache line: sixteen that do not are twice as long in coming.
struct Column(Vec<Line>);

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A plane as the kernels want it: its numbers, and the column to read for each axis.
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
        // What fills the columns up to their length is no box, seen or not.
        while self.visible.last().is_some_and(|&last| last as usize >= self.boxes) {
            self.visible.pop();
        }
    }

    fn found(&self) -> Vec<u32> {
        self.visible.clone()
    }
}

/// The list must have room for as many entries as a column is long, and sixteen more.
fn scan(planes: &[Plane<'_>; 6], visible: &mut Vec<u32>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        // SAFETY: the processor has AVX-512, and there is room in the list.
        return unsafe { simd::scan_64(planes, visible) };
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has AVX2 and FMA, and there is room in the list.
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

    /// The list must have room for as many entries as a column is long, and sixteen more.
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
                    // SAFETY: the columns are equally long, a multiple of four lines, and a line
                    // is sixteen numbers at an address divisible by 64.
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
                // SAFETY: the list has room for sixteen more entries than a column has, and the
                // count is that of the entries found so far.
                unsafe { _mm512_storeu_si512(to.add(count).cast(), found) };
                count += inside.count_ones() as usize;
                indices = _mm512_add_epi32(indices, _mm512_set1_epi32(16));
            }
        }
        // SAFETY: so many have been written.
        unsafe { visible.set_len(count) };
    }

    /// The list must have room for as many entries as a column is long.
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
                // SAFETY: the columns are equally long, a multiple of eight numbers, and eight of
                // them begin at an address divisible by 32.
                let [px, py, pz] = columns.map(|column| unsafe { _mm256_load_ps(column.add(at)) });
                let sum = _mm256_fmadd_ps(z, pz, distance);
                let sum = _mm256_fmadd_ps(y, py, sum);
                let sum = _mm256_fmadd_ps(x, px, sum);
                outside = _mm256_or_ps(outside, sum);
            }
            let mut inside = !_mm256_movemask_ps(outside) as u8;
            while inside != 0 {
                // SAFETY: each entry is found once and there is room for all.
                unsafe { to.add(count).write(at as u32 + inside.trailing_zeros()) };
                count += 1;
                inside &= inside - 1;
            }
        }
        // SAFETY: so many have been written.
        unsafe { visible.set_len(count) };
    }
}
