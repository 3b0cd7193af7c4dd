//! The octahedral filter: unit vectors in octahedral encoding, with a fourth component that is kept.

use super::round;

/// Decodes four `i8`.
pub(super) fn decode_8(element: &mut [u8; 4]) {
    let v = u32::from_le_bytes(*element);
    let [x, y, one] = [v, v >> 8, v >> 16].map(|v| f32::from(v as i8));
    let [x, y, z] = unit_vector([x, y, one], 127.0).map(|v| v as u32 & 0xff);
    *element = (x | y << 8 | z << 16 | v & 0xff00_0000).to_le_bytes();
}

/// Decodes four `i16`.
pub(super) fn decode_16(element: &mut [u8; 8]) {
    let v = u64::from_le_bytes(*element);
    let [x, y, one] = [v, v >> 16, v >> 32].map(|v| f32::from(v as i16));
    let [x, y, z] = unit_vector([x, y, one], 32767.0).map(|v| u64::from(v as u16));
    *element = (x | y << 16 | z << 32 | v & 0xffff_0000_0000_0000).to_le_bytes();
}

/// Returns the unit vector at octahedral coordinates, in units of `one`, scaled by `max`.
#[inline]
fn unit_vector([x, y, one]: [f32; 3], max: f32) -> [i32; 3] {
    let z = one - x.abs() - y.abs();
    // Below the equator, the corners of the square are folded out.
    let fold = if z >= 0.0 { 0.0 } else { z };
    let x = x + if x >= 0.0 { fold } else { -fold };
    let y = y + if y >= 0.0 { fold } else { -fold };
    let scale = max / (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|v| round(v * scale))
}

#[cfg(test)]
mod tests {
    use super::super::decode_attributes;
    use crate::Filter;

    // Made by meshoptimizer's encoder; the expected values by its portable decoder.
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

    #[test]
    fn unit_vectors_are_decoded() {
        let elements: [[i8; 4]; 5] = [
            [127, 0, 0, 127],
            [76, -81, 62, -127],
            [-46, 61, -102, 64],
            [0, 0, -127, 0],
            [-34, -67, -102, 127],
        ];
        let bytes = elements.as_flattened().iter().map(|v| v.cast_unsigned()).collect::<Vec<_>>();
        assert_eq!(decode_attributes(Filter::Octahedral, 5, 4, &OCTAHEDRAL_4), bytes);

        let elements: [[i16; 4]; 5] = [
            [32767, 0, 0, 32767],
            [19658, -20979, 15721, -32767],
            [-11785, 15723, -26222, 16384],
            [0, 0, -32767, 0],
            [-8752, -17504, -26281, 32767],
        ];
        let bytes = elements.map(|element| element.map(i16::to_le_bytes));
        let bytes = bytes.as_flattened().as_flattened();
        assert_eq!(decode_attributes(Filter::Octahedral, 5, 8, &OCTAHEDRAL_8), bytes);
    }

    #[test]
    fn elements_without_a_scale_become_zero() {
        let mut element = [0; 4];
        super::decode_8(&mut element);
        assert_eq!(element, [0; 4]);
    }
}
