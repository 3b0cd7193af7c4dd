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
    let v = u32::from_le_bytes(*row);
    let [x, y, one] = [v, v >> 8, v >> 16].map(|v| f32::from(v as i8));
    let [x, y, z] = octahedral([x, y, one], 127.0).map(|v| v as u32 & 0xff);
    *row = (x | y << 8 | z << 16 | v & 0xff00_0000).to_le_bytes();
}

fn octahedral_16(row: &mut [u8; 8]) {
    let v = u64::from_le_bytes(*row);
    let [x, y, one] = [v, v >> 16, v >> 32].map(|v| f32::from(v as i16));
    let [x, y, z] = octahedral([x, y, one], 32767.0).map(|v| u64::from(v as u16));
    *row = (x | y << 16 | z << 32 | v & 0xffff_0000_0000_0000).to_le_bytes();
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
    let v = u64::from_le_bytes(*row);
    let last = (v >> 48) as i16;
    let scale = 1.0 / 2f32.sqrt() / f32::from(last | 3);
    let [x, y, z] = [v, v >> 16, v >> 32].map(|v| f32::from(v as i16) * scale);
    let rest = 1.0 - x * x - y * y - z * z;
    let w = if rest >= 0.0 { rest } else { 0.0 }.sqrt();
    let [w, x, y, z] = [w, x, y, z].map(|v| u64::from(round(v * 32767.0) as u16));
    let turned = (w | x << 16 | y << 32 | z << 48).rotate_left(16 * (last as u32 & 3));
    *row = turned.to_le_bytes();
}

/// A float: eight bits of exponent above 24 of mantissa, both signed.
fn exponential(row: &mut [u8; 4]) {
    let v = i32::from_le_bytes(*row);
    let (exponent, mantissa) = (v >> 24, v << 8 >> 8);
    let power = f32::from_bits(((exponent + 127) as u32) << 23);
    *row = (power * mantissa as f32).to_le_bytes();
}

fn color_8(row: &mut [u8; 4]) {
    let v = u32::from_le_bytes(*row);
    let signed = [v >> 8, v >> 16].map(|v| i32::from(v as i8));
    let [r, g, b, a] = color(v & 0xff, signed, v >> 24, 255.0).map(|v| v as u32 & 0xff);
    *row = (r | g << 8 | b << 16 | a << 24).to_le_bytes();
}

fn color_16(row: &mut [u8; 8]) {
    let v = u64::from_le_bytes(*row);
    let signed = [v >> 16, v >> 32].map(|v| i32::from(v as i16));
    let [r, g, b, a] =
        color(v as u32 & 0xffff, signed, (v >> 48) as u32, 65535.0).map(|v| u64::from(v as u16));
    *row = (r | g << 16 | b << 32 | a << 48).to_le_bytes();
}

/// Luma and two differences to red, green and blue. The highest bit of alpha has their scale.
#[inline]
fn color(y: u32, [orange, green]: [i32; 2], alpha: u32, max: f32) -> [i32; 4] {
    let (y, alpha) = (y as i32, alpha as i32);
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
