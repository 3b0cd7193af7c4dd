//! Decodes two triangles and five unit vectors, as a glTF loader would.
//!
//! `cargo run -p pleach-meshopt --example decode_quad`

use pleach_meshopt::{Error, Filter, Layout, Mode, decode};

/// Two triangles that share an edge.
const TRIANGLES: [u8; 19] = [
    0xe1, 0xf0, 0x10, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01,
    0x69, 0x00, 0x00,
];
/// Five unit vectors of `i8`, in octahedral encoding.
const NORMALS: [u8; 61] = [
    0xa0, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0xa5, 0xf4, 0x4d, 0x58, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0x5d,
    0xdb, 0x38, 0x2e, 0x00, 0x01, 0x3f, 0xc0, 0x00, 0x00, 0x04, 0x81, 0x7f, 0xfe, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7f, 0x00, 0x7f, 0x7f,
];
/// The most that this program is willing to allocate for one stream, in bytes.
const LIMIT: usize = 1 << 20;

fn main() -> Result<(), Error> {
    let layout = Layout { mode: Mode::Triangles, filter: Filter::None, count: 6, byte_stride: 2 };
    assert!(layout.byte_length().is_some_and(|length| length <= LIMIT));
    let bytes = decode(&layout, &TRIANGLES)?;
    let indices: Vec<u16> = bytes.as_chunks().0.iter().map(|&it| u16::from_le_bytes(it)).collect();
    println!("{} bytes to indices {indices:?}", TRIANGLES.len());
    assert_eq!(indices, [0, 1, 2, 2, 1, 3]);

    let filter = Filter::Octahedral;
    let layout = Layout { mode: Mode::Attributes, filter, count: 5, byte_stride: 4 };
    assert!(layout.byte_length().is_some_and(|length| length <= LIMIT));
    let bytes = decode(&layout, &NORMALS)?;
    for normal in bytes.as_chunks::<4>().0 {
        let normal = normal.map(|component| f32::from(component.cast_signed()) / 127.0);
        println!("normal {:?}", &normal[..3]);
        let length = normal[..3].iter().map(|it| it * it).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 0.01, "not a unit vector: {normal:?}");
    }
    Ok(())
}
