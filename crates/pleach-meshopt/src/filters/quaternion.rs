//! The quaternion filter: unit quaternions without their largest component.

use super::round;

/// Decodes four `i16`: three components in cyclic order after the largest; the fourth value is
/// their scale, and its two lowest bits are the index of the largest.
pub(super) fn decode(element: &mut [u8; 8]) {
    let v = u64::from_le_bytes(*element);
    let last = (v >> 48) as i16;
    let scale = 1.0 / 2f32.sqrt() / f32::from(last | 3);
    let [x, y, z] = [v, v >> 16, v >> 32].map(|v| f32::from(v as i16) * scale);
    let w_squared = 1.0 - x * x - y * y - z * z;
    let w = if w_squared >= 0.0 { w_squared } else { 0.0 }.sqrt();
    let [w, x, y, z] = [w, x, y, z].map(|v| u64::from(round(v * 32767.0) as u16));
    let rotated = (w | x << 16 | y << 32 | z << 48).rotate_left(16 * (last as u32 & 3));
    *element = rotated.to_le_bytes();
}

#[cfg(test)]
mod tests {
    use super::super::decode_attributes;
    use crate::Filter;

    // Made by meshoptimizer's encoder; the expected values by its portable decoder.
    const QUATERNION: [u8; 62] = [
        0xa1, 0xff, 0xbf, 0x00, 0xb2, 0x6f, 0x83, 0x42, 0x00, 0x0b, 0x0e, 0x05, 0x04, 0x00, 0xb1,
        0xde, 0x6d, 0xb0, 0x00, 0x0a, 0x19, 0x0c, 0x09, 0x00, 0xb1, 0x70, 0x43, 0x86, 0x00, 0x0a,
        0x0d, 0x01, 0x06, 0x00, 0x00, 0x02, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xfc, 0x07,
        0x00, 0x00,
    ];

    #[test]
    fn quaternions_are_decoded_whichever_component_is_the_largest() {
        let elements: [[i16; 4]; 5] = [
            [32767, 0, 0, 0],
            [16399, -16378, 16378, 16378],
            [-3271, 22943, 3271, -22932],
            [-3271, -6554, 31770, -3271],
            [0, -19661, 0, 26213],
        ];
        let bytes = elements.map(|element| element.map(i16::to_le_bytes));
        let bytes = bytes.as_flattened().as_flattened();
        assert_eq!(decode_attributes(Filter::Quaternion, 5, 8, &QUATERNION), bytes);
    }
}
