//! Detects the type of an image file by its first bytes.

/// Returns the MIME type of an image file by its first bytes, if it is one of those that glTF
/// supports: PNG, JPEG, WebP, KTX2 or AVIF.
///
/// ```
/// assert_eq!(pleach_gltf::sniff_mime_type(b"\x89PNG\r\n\x1a\n"), Some("image/png"));
/// ```
#[must_use]
pub fn sniff_mime_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'#', b'?', b'R', b'A', b'D', b'I', b'A', b'N', b'C', b'E', ..]
        | [b'#', b'?', b'R', b'G', b'B', b'E', ..] => Some("image/vnd.radiance"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Some("image/ktx2"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => {
            Some("image/avif")
        }
        _ => None,
    }
}
