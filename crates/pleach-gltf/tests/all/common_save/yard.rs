//! The yard: a file with every kind of data, in unusual formatting.

use std::fmt::Write as _;

use pleach_gltf::{Bytes, Document};

use super::{Files, load_with};
use crate::common::accessors::{bytes_of, width};

/// Concatenated bytes, each with a view and an accessor.
#[derive(Default)]
pub(crate) struct AccessorBuilder {
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: String,
    pub(crate) accessors: String,
    pub(crate) count: usize,
}

impl AccessorBuilder {
    pub(crate) fn add(
        &mut self,
        bytes: &[u8],
        count: usize,
        component: u32,
        kind: &str,
        more: &str,
    ) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let comma = if self.count == 0 { "" } else { ",\n    " };
        write!(
            self.views,
            "{comma}{{ \"buffer\" : 0, \"byteOffset\": {}, \"byteLength\":{} }}",
            self.bytes.len(),
            bytes.len()
        )
        .unwrap();
        write!(
            self.accessors,
            "{comma}{{ \"bufferView\": {}, \"componentType\": {component}, \"count\": {count}, \
             \"type\": \"{kind}\"{more} }}",
            self.count
        )
        .unwrap();
        self.bytes.extend_from_slice(bytes);
        self.count += 1;
    }

    pub(crate) fn floats(&mut self, values: &[f32], kind: &str, more: &str) {
        self.add(&bytes_of(values), values.len() / width(kind), 5126, kind, more);
    }
}

/// Returns a file with every kind of data, in unusual formatting; `yard.gltf` has everything except
/// the bytes.
pub(crate) fn yard() -> (String, Files) {
    let mut builder = AccessorBuilder::default();
    let bounds = ", \"min\": [0,0,0], \"max\": [1.0,1.00,0.0]";
    let triangle = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    builder.floats(&triangle, "VEC3", bounds); // 0: of the house
    builder.add(&[0, 0, 1, 0, 2, 0], 3, 5123, "SCALAR", "");
    builder.floats(&triangle, "VEC3", bounds); // 2: of the door
    builder.floats(&[0.0, 0.0, 1.0].repeat(3), "VEC3", ""); // 3: of both
    builder.add(&[0, 1, 2, 0].repeat(3), 3, 5121, "VEC4", ""); // 4
    builder.floats(&[0.5, 0.25, 0.25, 0.0].repeat(3), "VEC4", "");
    let mut identity = [0.0; 16];
    for i in 0..4 {
        identity[i * 5] = 1.0;
    }
    builder.floats(&identity.repeat(3), "MAT4", ""); // 6
    builder.floats(&[0.5; 9], "VEC3", ", \"min\": [0.5,0.5,0.5], \"max\": [0.5,0.5,0.5]"); // 7
    builder.floats(&[0.0, 1.0], "SCALAR", ", \"min\": [0], \"max\": [1]"); // 8
    builder.floats(&[0.0, 0.0, 0.0, 0.0, 2.0, 0.0], "VEC3", ""); // 9
    builder.floats(&[1.0, 0.0, 0.0, 2.0, 0.0, 0.0], "VEC3", ""); // 10: of the instances
    builder.add(&[0, 1], 2, 5121, "SCALAR", ""); // 11
    builder.floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], "VEC2", ""); // 12
    let text = include_str!("yard.gltf")
        .replace("\"VIEWS\"", &builder.views)
        .replace("\"ACCESSORS\"", &builder.accessors)
        .replace("\"LENGTH\"", &builder.bytes.len().to_string());
    let png = b"\x89PNG\r\n\x1a\nnot really".to_vec();
    let files = Files::from([
        ("data.bin".into(), Bytes::from(builder.bytes)),
        ("old wood.png".into(), Bytes::from(png)),
    ]);
    (text, files)
}

/// Returns the yard's text and document.
pub(crate) fn load_yard() -> (String, Document) {
    let (text, files) = yard();
    let document = load_with(&text, &files);
    assert!(document.report().is_empty(), "{}", document.report());
    (text, document)
}
