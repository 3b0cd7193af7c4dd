//! Reads the MIME type and the size in pixels from the first bytes of an image file, without
//! decoding it.

/// The type and size of an image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The MIME type.
    pub(crate) mime: &'static str,
    /// Width and height, if the header contains them.
    pub(crate) size: Option<(u32, u32)>,
}

/// Parses the header of an image file, or returns `None` for formats that glTF does not use.
pub(crate) fn header(bytes: &[u8]) -> Option<Header> {
    let (mime, size) = match bytes {
        [0x89, b'P', b'N', b'G', ..] => ("image/png", png(bytes)),
        [0xff, 0xd8, 0xff, ..] => ("image/jpeg", jpeg(bytes)),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            ("image/webp", webp(bytes))
        }
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => ("image/ktx2", ktx2(bytes)),
        _ => return None,
    };
    Some(Header { mime, size })
}

fn read_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..)?.first_chunk().copied()
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    (read_at(bytes, 12)? == *b"IHDR").then_some(())?;
    Some((u32::from_be_bytes(read_at(bytes, 16)?), u32::from_be_bytes(read_at(bytes, 20)?)))
}

fn ktx2(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((u32::from_le_bytes(read_at(bytes, 20)?), u32::from_le_bytes(read_at(bytes, 24)?)))
}

/// Walks the segments up to the start of the frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut offset = 2;
    loop {
        let [marker, kind] = read_at(bytes, offset)?;
        match (marker, kind) {
            // A fill byte.
            (0xff, 0xff) => offset += 1,
            // A marker without a length.
            (0xff, 0x01 | 0xd0..=0xd8) => offset += 2,
            (0xff, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf) => {
                let height = u16::from_be_bytes(read_at(bytes, offset + 5)?);
                let width = u16::from_be_bytes(read_at(bytes, offset + 7)?);
                return Some((width.into(), height.into()));
            }
            (0xff, _) => {
                offset += 2 + usize::from(u16::from_be_bytes(read_at(bytes, offset + 2)?).max(2));
            }
            _ => return None,
        }
    }
}

/// Reads the first chunk: lossy, lossless or extended.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let read_u16 = |offset| Some(u32::from(u16::from_le_bytes(read_at(bytes, offset)?)));
    match &read_at::<4>(bytes, 12)? {
        b"VP8 " => Some((read_u16(26)? & 0x3fff, read_u16(28)? & 0x3fff)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(read_at(bytes, 21)?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => {
            let read_u24 = |offset| {
                let [a, b, c] = read_at(bytes, offset)?;
                Some(u32::from_le_bytes([a, b, c, 0]) + 1)
            };
            Some((read_u24(24)?, read_u24(27)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_match_those_of_the_encoder() {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 300, 7);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[0; 2100]).unwrap();
        assert_eq!(header(&file), Some(Header { mime: "image/png", size: Some((300, 7)) }));
    }

    #[test]
    fn jpeg_webp_and_ktx2_headers_are_parsed() {
        // A JPEG: an application segment, a fill byte, then a frame of 258 × 3 pixels.
        let jpeg = [
            &[0xff, 0xd8, 0xff, 0xe0, 0, 4, 9, 9, 0xff][..],
            &[0xff, 0xc2, 0, 11, 8, 0, 3, 1, 2, 1, 0, 0, 0],
        ]
        .concat();
        assert_eq!(header(&jpeg).unwrap().size, Some((258, 3)));
        let webp = |chunk: &[u8]| [b"RIFF\0\0\0\0WEBP", chunk].concat();
        let lossless = 299u32 | 6 << 14;
        let lossless = [b"VP8L\0\0\0\0\x2f", &lossless.to_le_bytes()[..]].concat();
        assert_eq!(header(&webp(&lossless)).unwrap().size, Some((300, 7)));
        let extended = b"VP8X\0\0\0\0\0\0\0\0\x2b\x01\0\x06\0\0";
        assert_eq!(header(&webp(extended)).unwrap().size, Some((300, 7)));
        let lossy = b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x2c\x01\x07\x40";
        assert_eq!(header(&webp(lossy)).unwrap().size, Some((300, 7)));
        let mut ktx2 = vec![0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, 13, 10, 26, 10];
        ktx2.extend([0; 8]);
        ktx2.extend([0, 1, 0, 0, 64, 0, 0, 0]);
        assert_eq!(header(&ktx2), Some(Header { mime: "image/ktx2", size: Some((256, 64)) }));
    }

    #[test]
    fn truncated_headers_have_no_size() {
        let whole = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x2b\x01\0\x06\0\0";
        for end in 0..whole.len() {
            assert_eq!(header(&whole[..end]).and_then(|it| it.size), None, "{end}");
        }
        assert_eq!(header(&[0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]).unwrap().size, None);
        assert_eq!(header(&[0xff, 0xd8, 0xff, 0xff, 0xff, 0xff]).unwrap().size, None);
    }
}
