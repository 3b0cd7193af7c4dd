//! The color filter: colors in YCoCg, with alpha.

/// Decodes four components of 8 bits.
pub(super) fn decode_8(element: &mut [u8; 4]) {
    let v = u32::from_le_bytes(*element);
    let chroma = [v >> 8, v >> 16].map(|v| i32::from(v as i8));
    let [r, g, b, a] = rgba(v & 0xff, chroma, v >> 24, 255.0).map(|v| v as u32 & 0xff);
    *element = (r | g << 8 | b << 16 | a << 24).to_le_bytes();
}

/// Decodes four components of 16 bits.
pub(super) fn decode_16(element: &mut [u8; 8]) {
    let v = u64::from_le_bytes(*element);
    let chroma = [v >> 16, v >> 32].map(|v| i32::from(v as i16));
    let [r, g, b, a] =
        rgba(v as u32 & 0xffff, chroma, (v >> 48) as u32, 65535.0).map(|v| u64::from(v as u16));
    *element = (r | g << 16 | b << 32 | a << 48).to_le_bytes();
}

/// Converts YCoCg to RGB. The highest set bit of alpha is the scale of all components.
#[inline]
fn rgba(y: u32, [co, cg]: [i32; 2], alpha: u32, max: f32) -> [i32; 4] {
    let (y, alpha) = (y as i32, alpha as i32);
    let mut one = alpha;
    for shift in [1, 2, 4, 8] {
        one |= one >> shift;
    }
    let alpha = alpha << 1 & one | alpha & 1;
    let scale = max / one as f32;
    [y + co - cg, y + cg, y - co - cg, alpha].map(|v| truncate(v as f32 * scale + 0.5))
}

/// Rounds towards zero. The lower bits of what is out of range are 0.
#[inline]
fn truncate(v: f32) -> i32 {
    if v.abs() < 2_147_483_648.0 { v as i32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::decode_attributes;
    use crate::Filter;

    // Made by meshoptimizer's encoder; the expected values by its portable decoder.
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

    #[test]
    fn colors_are_decoded() {
        let elements: [[u8; 4]; 5] = [
            [254, 1, 0, 255],
            [65, 128, 191, 128],
            [0, 0, 0, 0],
            [255, 255, 255, 255],
            [230, 26, 102, 76],
        ];
        assert_eq!(decode_attributes(Filter::Color, 5, 4, &COLOR_4), elements.as_flattened());

        let elements: [[u16; 4]; 5] = [
            [65471, 64, 0, 65535],
            [16464, 32800, 49135, 32800],
            [0, 0, 0, 0],
            [65535, 65535, 65535, 65535],
            [59001, 6598, 26201, 19667],
        ];
        let bytes = elements.map(|element| element.map(u16::to_le_bytes));
        let bytes = bytes.as_flattened().as_flattened();
        assert_eq!(decode_attributes(Filter::Color, 5, 8, &COLOR_8), bytes);
    }

    #[test]
    fn elements_without_a_scale_become_zero() {
        let mut element = [9, 5, 3, 0];
        super::decode_8(&mut element);
        assert_eq!(element, [0; 4]);
    }
}
