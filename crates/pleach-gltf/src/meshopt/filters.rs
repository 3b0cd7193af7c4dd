//! Filters: what an encoder did to the values of a row before packing them, undone in place.
//!
//! Invariant: every result has the bits of meshoptimizer's portable decoder, whatever the input:
//! the same operations on `f32` in the same order, rounded half away from zero, and cut to the
//! bits of the output. (Its SIMD decoders may differ from it by one in the last place, which
//! the extension allows.)

use super::Filter;

/// Undoes a filter on rows of this stride, which suits the filter.
pub(super) fn undo(filter: Filter, stride: usize, rows: &mut [u8]) {
    match (filter, stride) {
        (Filter::None, _) => {}
        (Filter::Octahedral, 4) => rows.as_chunks_mut().0.iter_mut().for_each(octahedral_8),
        (Filter::Octahedral, _) => rows.as_chunks_mut().0.iter_mut().for_each(octahedral_16),
        (Filter::Quaternion, _) => rows.as_chunks_mut().0.iter_mut().for_each(quaternion),
        (Filter::Exponential, _) => rows.as_chunks_mut().0.iter_mut().for_each(exponential),
        (Filter::Color, 4) => rows.as_chunks_mut().0.iter_mut().for_each(color_8),
        (Filter::Color, _) => rows.as_chunks_mut().0.iter_mut().for_each(color_16),
    }
}

/// A unit vector and a fourth value, which stays.
fn octahedral_8(row: &mut [u8; 4]) {
    let [x, y, one, _] = row.map(|v| f32::from(v.cast_signed()));
    let [x, y, z] = octahedral([x, y, one], 127.0);
    (row[0], row[1], row[2]) = (x as u8, y as u8, z as u8);
}

fn octahedral_16(row: &mut [u8; 8]) {
    let values = halves(row);
    let [x, y, one, _] = values.map(|v| f32::from(v.cast_signed()));
    let [x, y, z] = octahedral([x, y, one], 32767.0);
    set_halves(row, [x as u16, y as u16, z as u16, values[3]]);
}

/// From a point of an octahedron, folded into a square whose half side is `one`, to the sphere.
#[inline]
fn octahedral([x, y, one]: [f32; 3], max: f32) -> [i32; 3] {
    let z = one - x.abs() - y.abs();
    // Below the equator the corners of the square were folded out.
    let fold = if z >= 0.0 { 0.0 } else { z };
    let x = x + if x >= 0.0 { fold } else { -fold };
    let y = y + if y >= 0.0 { fold } else { -fold };
    let scale = max / (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|v| round(v * scale))
}

/// Three components in cyclic order after the largest; the fourth value has their scale, and in
/// its two lowest bits the place of the largest.
fn quaternion(row: &mut [u8; 8]) {
    let [x, y, z, scale] = halves(row).map(u16::cast_signed);
    let largest = scale as u16 & 3;
    let scale = 1.0 / 2f32.sqrt() / f32::from(scale | 3);
    let [x, y, z] = [x, y, z].map(|v| f32::from(v) * scale);
    let rest = 1.0 - x * x - y * y - z * z;
    let w = if rest >= 0.0 { rest } else { 0.0 }.sqrt();
    let [w, x, y, z] = [w, x, y, z].map(|v| round(v * 32767.0) as u16);
    let turned = u64::from(w) | u64::from(x) << 16 | u64::from(y) << 32 | u64::from(z) << 48;
    *row = turned.rotate_left(16 * u32::from(largest)).to_le_bytes();
}

/// A float: eight bits of exponent above 24 of mantissa, both signed.
fn exponential(row: &mut [u8; 4]) {
    let v = i32::from_le_bytes(*row);
    let (exponent, mantissa) = (v >> 24, v << 8 >> 8);
    let power = f32::from_bits(((exponent + 127) as u32) << 23);
    *row = (power * mantissa as f32).to_le_bytes();
}

fn color_8(row: &mut [u8; 4]) {
    let [y, orange, green, alpha] = *row;
    let signed = [orange, green].map(|v| i32::from(v.cast_signed()));
    *row = color(i32::from(y), signed, i32::from(alpha), 255.0).map(|v| v as u8);
}

fn color_16(row: &mut [u8; 8]) {
    let [y, orange, green, alpha] = halves(row);
    let signed = [orange, green].map(|v| i32::from(v.cast_signed()));
    set_halves(row, color(i32::from(y), signed, i32::from(alpha), 65535.0).map(|v| v as u16));
}

/// Luma and two differences to red, green and blue. The highest bit of alpha has their scale.
#[inline]
fn color(y: i32, [orange, green]: [i32; 2], alpha: i32, max: f32) -> [i32; 4] {
    let mut one = alpha;
    for shift in [1, 2, 4, 8] {
        one |= one >> shift;
    }
    let alpha = alpha << 1 & one | alpha & 1;
    let scale = max / one as f32;
    [y + orange - green, y + green, y - orange - green, alpha]
        .map(|v| cut(v as f32 * scale + 0.5))
}

/// To the nearest integer, halves away from zero; not a number is 0.
#[inline]
fn round(v: f32) -> i32 {
    (v + 0.5f32.copysign(v)) as i32
}

/// Towards zero; what is out of range is 0 in its lower bits.
#[inline]
fn cut(v: f32) -> i32 {
    if v.abs() < 2_147_483_648.0 { v as i32 } else { 0 }
}

fn halves(row: &[u8; 8]) -> [u16; 4] {
    let [a, b, c, d, e, f, g, h] = *row;
    [[a, b], [c, d], [e, f], [g, h]].map(u16::from_le_bytes)
}

fn set_halves(row: &mut [u8; 8], values: [u16; 4]) {
    let [[a, b], [c, d], [e, f], [g, h]] = values.map(u16::to_le_bytes);
    *row = [a, b, c, d, e, f, g, h];
}
