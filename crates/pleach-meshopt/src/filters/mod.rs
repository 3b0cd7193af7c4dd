//! Filters: what an encoder did to the values of a row before packing them, undone in place.
//!
//! Invariant: every result has the bits of meshoptimizer's portable decoder, whatever the input:
//! the same operations on `f32` in the same order, rounded half away from zero, and cut to the
//! bits of the output. (Its SIMD decoders may differ from it by one in the last place, which
//! the extension allows.)

use crate::Filter;

/// Undoes a filter on rows of this stride, which suits the filter.
pub(crate) fn undo(filter: Filter, stride: usize, rows: &mut [u8]) {
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
    [y + orange - green, y + green, y - orange - green, alpha].map(|v| cut(v as f32 * scale + 0.5))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, decode};

    // Streams by meshoptimizer's encoders, and what its portable decoder makes of them.

    const OCTAHEDRAL_4: [u8; 61] = [
        0xa0, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0xa5, 0xf4, 0x4d, 0x58, 0x01, 0x3f, 0xc0, 0x00, 0x00,
        0x5d, 0xdb, 0x38, 0x2e, 0x00, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0x04, 0x81, 0x7f, 0xfe, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7f, 0x00, 0x7f,
        0x7f,
    ];
    const OCTAHEDRAL_8: [u8; 57] = [
        0xa1, 0xff, 0xfa, 0x00, 0x69, 0xe3, 0xb1, 0xa7, 0x00, 0x09, 0x0f, 0x1a, 0x19, 0x00, 0x0c,
        0x70, 0x7d, 0xae, 0x00, 0x05, 0x12, 0x02, 0x1b, 0x00, 0x04, 0x01, 0x00, 0x01, 0x00, 0x02,
        0x7f, 0x7f, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0xff, 0x07, 0x00, 0x00, 0xff, 0x07, 0xff, 0x7f, 0x00, 0x00,
    ];
    const QUATERNION: [u8; 62] = [
        0xa1, 0xff, 0xbf, 0x00, 0xb2, 0x6f, 0x83, 0x42, 0x00, 0x0b, 0x0e, 0x05, 0x04, 0x00, 0xb1,
        0xde, 0x6d, 0xb0, 0x00, 0x0a, 0x19, 0x0c, 0x09, 0x00, 0xb1, 0x70, 0x43, 0x86, 0x00, 0x0a,
        0x0d, 0x01, 0x06, 0x00, 0x00, 0x02, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xfc, 0x07,
        0x00, 0x00,
    ];
    const EXPONENTIAL_4: [u8; 61] = [
        0xa1, 0xdf, 0x00, 0x00, 0x00, 0xe3, 0xa7, 0xd9, 0xf1, 0x98, 0xc0, 0x71, 0x00, 0x40, 0x8f,
        0x92, 0x1e, 0xc7, 0xe6, 0x29, 0x1c, 0xcf, 0x01, 0x06, 0x18, 0x10, 0x00, 0x00, 0x02, 0x02,
        0x29, 0x42, 0x21, 0x4c, 0x47, 0x08, 0x89, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf2,
        0x00,
    ];
    const EXPONENTIAL_8: [u8; 102] = [
        0xa0, 0x01, 0x0f, 0xc0, 0x00, 0x00, 0xb6, 0xdb, 0x26, 0x01, 0x0f, 0xc0, 0x00, 0x00, 0xe6,
        0x6a, 0xb0, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0x9f, 0x9f, 0x3c, 0x1b, 0x01, 0x3f, 0xc0, 0x00,
        0x00, 0x04, 0x18, 0x2a, 0x3f, 0x01, 0x3f, 0x40, 0x00, 0x00, 0x41, 0x8b, 0x37, 0x01, 0x3f,
        0xc0, 0x00, 0x00, 0x36, 0xfc, 0xb3, 0x9c, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0x06, 0xac, 0x87,
        0x98, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0x27, 0x20, 0x04, 0x81, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe9, 0x00, 0x00, 0x40, 0xea,
    ];
    const COLOR_4: [u8; 65] = [
        0xa0, 0x01, 0x3d, 0xc0, 0x00, 0x00, 0x80, 0xff, 0xc2, 0x01, 0x3c, 0xc0, 0x00, 0x00, 0x84,
        0x7e, 0x80, 0x01, 0x30, 0xc0, 0x00, 0x00, 0x7e, 0x8b, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0x7d,
        0x7f, 0xfe, 0xb1, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x40, 0x7f, 0xc1, 0xff,
    ];
    const COLOR_8: [u8; 67] = [
        0xa1, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01, 0xfd, 0x00, 0x02, 0x03, 0x06, 0x03, 0x00, 0x04,
        0x01, 0x00, 0x00, 0x00, 0x03, 0x02, 0x00, 0x02, 0x00, 0x01, 0x00, 0x00, 0x31, 0x00, 0x02,
        0x00, 0x00, 0x03, 0x00, 0x02, 0x00, 0x01, 0xcb, 0x00, 0x00, 0x01, 0x02, 0x01, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xff,
        0x01, 0x01, 0xff, 0xff, 0x03, 0x00, 0x00,
    ];

    fn decoded(filter: Filter, count: usize, stride: usize, stream: &[u8]) -> Vec<u8> {
        decode(Mode::Attributes, filter, count, stride, stream).unwrap()
    }

    #[test]
    fn unit_vectors_come_back() {
        let rows: [[i8; 4]; 5] = [
            [127, 0, 0, 127],
            [76, -81, 62, -127],
            [-46, 61, -102, 64],
            [0, 0, -127, 0],
            [-34, -67, -102, 127],
        ];
        let bytes = rows.as_flattened().iter().map(|v| v.cast_unsigned()).collect::<Vec<_>>();
        assert_eq!(decoded(Filter::Octahedral, 5, 4, &OCTAHEDRAL_4), bytes);

        let rows: [[i16; 4]; 5] = [
            [32767, 0, 0, 32767],
            [19658, -20979, 15721, -32767],
            [-11785, 15723, -26222, 16384],
            [0, 0, -32767, 0],
            [-8752, -17504, -26281, 32767],
        ];
        let bytes = rows.map(|row| row.map(i16::to_le_bytes));
        let bytes = bytes.as_flattened().as_flattened();
        assert_eq!(decoded(Filter::Octahedral, 5, 8, &OCTAHEDRAL_8), bytes);
    }

    #[test]
    fn quaternions_come_back_with_any_component_the_largest() {
        let rows: [[i16; 4]; 5] = [
            [32767, 0, 0, 0],
            [16399, -16378, 16378, 16378],
            [-3271, 22943, 3271, -22932],
            [-3271, -6554, 31770, -3271],
            [0, -19661, 0, 26213],
        ];
        let bytes = rows.map(|row| row.map(i16::to_le_bytes));
        let bytes = bytes.as_flattened().as_flattened();
        assert_eq!(decoded(Filter::Quaternion, 5, 8, &QUATERNION), bytes);
    }

    #[test]
    fn floats_come_back_as_precise_as_they_were_stored() {
        let floats: [f32; 10] = [
            0.0,
            1.0,
            -2.5,
            1.0000076e-6,
            12346.0,
            -0.099998474,
            33999028000.0,
            0.3330078,
            7.0,
            -9.9997864e-21,
        ];
        let bytes = floats.map(f32::to_le_bytes);
        assert_eq!(decoded(Filter::Exponential, 10, 4, &EXPONENTIAL_4), bytes.as_flattened());

        let floats: [f32; 10] = [
            0.0,
            1.0,
            -2.5,
            1.0000001e-6,
            12345.678,
            -0.10000001,
            34000000000.0,
            0.333,
            7.0,
            -1e-20,
        ];
        let bytes = floats.map(f32::to_le_bytes);
        assert_eq!(decoded(Filter::Exponential, 5, 8, &EXPONENTIAL_8), bytes.as_flattened());
    }

    #[test]
    fn colors_come_back() {
        let rows: [[u8; 4]; 5] = [
            [254, 1, 0, 255],
            [65, 128, 191, 128],
            [0, 0, 0, 0],
            [255, 255, 255, 255],
            [230, 26, 102, 76],
        ];
        assert_eq!(decoded(Filter::Color, 5, 4, &COLOR_4), rows.as_flattened());

        let rows: [[u16; 4]; 5] = [
            [65471, 64, 0, 65535],
            [16464, 32800, 49135, 32800],
            [0, 0, 0, 0],
            [65535, 65535, 65535, 65535],
            [59001, 6598, 26201, 19667],
        ];
        let bytes = rows.map(|row| row.map(u16::to_le_bytes));
        let bytes = bytes.as_flattened().as_flattened();
        assert_eq!(decoded(Filter::Color, 5, 8, &COLOR_8), bytes);
    }

    #[test]
    fn rows_without_a_scale_become_zero() {
        let mut row = [0; 4];
        undo(Filter::Octahedral, 4, &mut row);
        assert_eq!(row, [0; 4]);
        let mut row = [9, 5, 3, 0];
        undo(Filter::Color, 4, &mut row);
        assert_eq!(row, [0; 4]);
    }
}
