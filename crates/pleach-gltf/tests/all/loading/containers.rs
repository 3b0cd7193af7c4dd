//! Faults of the JSON text and the `.glb` container.

use pleach_gltf::ErrorKind::{Container, Data, Json};
use pleach_gltf::{ErrorKind, Options};
use serde_json::json;

use super::file::full_file;
use crate::common::container::{container, padded};

/// Returns the smallest file as a chunk.
fn json_chunk() -> Vec<u8> {
    padded(br#"{"asset":{"version":"2.0"}}"#.to_vec(), b' ')
}

#[test]
fn invalid_json_is_reported_with_line_and_column() {
    let error = pleach_gltf::load_bytes(b"{\"asset\": {\"version\": \"2.0\"},\n \"nodes\": [{]}")
        .unwrap_err();
    assert_eq!(error.kind(), Json);
    assert!(error.message().contains("line 2, column 13"), "{error}");
    for (bytes, expected) in [
        (&b""[..], "the file is empty: it has no JSON"),
        (b"[]", "expected '{' (line 1, column 1)"),
        (b"root:x:0:0", "the file is neither glTF (JSON) nor GLB"),
        (
            br#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": -1}]}"#,
            "/nodes/0/mesh: invalid type: integer `-1`, expected a non-negative \
             integer (line 1, column 51)",
        ),
        (b"\x89PNG\r\n", "the file is neither glTF (JSON) nor GLB"),
        (b"{\"asset\": \"\xff\"}", "the JSON is not valid UTF-8 at byte 11"),
    ] {
        let error = pleach_gltf::load_bytes(bytes).unwrap_err();
        assert_eq!((error.kind(), &*error.to_string()), (Json, expected));
    }
}

#[test]
fn a_byte_order_mark_is_reported_and_ignored() {
    let text = [b"\xef\xbb\xbf", full_file().text().as_bytes()].concat();
    let document = pleach_gltf::load_bytes(&text).unwrap();
    let warnings = document.report().to_string();
    assert_eq!(warnings, "the JSON begins with a byte order mark; it is ignored\n");
    assert!(document.json().starts_with('{'));
    let strict = Options::new().strict().load_bytes(&text).unwrap_err();
    assert_eq!(strict.kind(), ErrorKind::Strict);
}

#[test]
fn integers_may_have_a_decimal_point() {
    let text = full_file().set("/nodes/0/mesh", 0.0).set("/accessors/0/count", 3.0).text();
    assert!(text.contains("\"mesh\":0.0") && text.contains("\"count\":3.0"));
    assert!(Options::new().strict().load_bytes(text.as_bytes()).is_ok());
}

#[test]
fn an_invalid_container_is_rejected() {
    let good = container(&[(b"JSON", json_chunk())]);
    assert!(pleach_gltf::load_bytes(&good).is_ok());
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let cases: [(Vec<u8>, &str); 8] = [
        (good[..4].to_vec(), "the file ends after 4 bytes, within the 12 bytes of the GLB header"),
        (
            good[..11].to_vec(),
            "the file ends after 11 bytes, within the 12 bytes of the GLB header",
        ),
        (
            with(4, &[1]),
            "GLB version 1 is not supported, only version 2; convert it to glTF 2.0, for example with `npx gltf-pipeline -i IN -o OUT.glb`",
        ),
        (
            good[..good.len() - 1].to_vec(),
            "the GLB header declares 48 bytes, but the file has 47: it is truncated",
        ),
        (with(12, &[99]), "GLB chunk 0 declares 99 bytes, but 28 are available"),
        (with(12, &[255; 4]), "GLB chunk 0 declares 4294967295 bytes, but 28 are available"),
        (with(16, b"BIN\0"), "the first GLB chunk must be JSON, but is of type 0x004e4942"),
        (container::<&[u8]>(&[]), "the GLB has no JSON chunk"),
    ];
    for (bytes, expected) in cases {
        let error = pleach_gltf::load_bytes(&bytes).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (Container, expected));
    }
    // The header of a second chunk is truncated.
    let mut cut = good.clone();
    cut.extend_from_slice(&[0; 4]);
    cut[8] = 52;
    let error = pleach_gltf::load_bytes(&cut).unwrap_err();
    let expected = "the header of GLB chunk 1 is truncated at byte 48";
    assert_eq!((error.kind(), error.to_string().as_str()), (Container, expected));
}

#[test]
fn container_faults_that_are_tolerated_are_reported() {
    let mut long = container(&[(b"JSON", json_chunk())]);
    long.extend_from_slice(b"tail");
    let mut unpadded = json_chunk();
    unpadded.push(b' ');
    let cases = [
        (long, "4 bytes after the end of the GLB are ignored\n"),
        (
            container(&[(b"JSON", json_chunk()), (b"JSON", json_chunk())]),
            "GLB chunk 1 is a duplicate; it is ignored\n",
        ),
        (
            container(&[(b"JSON", json_chunk()), (b"BIN\0", vec![0; 4]), (b"BIN\0", vec![0; 4])]),
            "GLB chunk 2 is a duplicate; it is ignored\n",
        ),
        (
            container(&[(b"JSON", unpadded)]),
            "GLB chunk 0 has 29 bytes, which is not a multiple of 4\n",
        ),
    ];
    for (bytes, expected) in cases {
        let document = pleach_gltf::load_bytes(&bytes).unwrap();
        assert_eq!(document.report().to_string(), expected);
        let strict = Options::new().strict().load_bytes(&bytes).unwrap_err();
        assert_eq!(
            (strict.kind(), strict.to_string() + "\n"),
            (ErrorKind::Strict, expected.into())
        );
    }
}

#[test]
fn unknown_chunks_are_accepted() {
    let file = container(&[(b"JSON", json_chunk()), (b"BIN\0", vec![0; 4]), (b"WHAT", vec![1; 8])]);
    let document = Options::new().strict().load_bytes(&file).unwrap();
    assert!(document.report().is_empty());
    let without_bin = container(&[(b"JSON", json_chunk()), (b"WHAT", vec![1; 8])]);
    assert!(Options::new().strict().load_bytes(&without_bin).is_ok());
}

#[test]
fn a_binary_chunk_may_be_longer_than_its_buffer_but_not_shorter() {
    let mut file = full_file();
    file.bin.push(0);
    let json = |length: usize| {
        let json = full_file().set("/buffers", json!([{"byteLength": length}])).json;
        padded(json.to_string().into_bytes(), b' ')
    };
    let bytes =
        |length: usize| container(&[(b"JSON", json(length)), (b"BIN\0", file.padded_bin())]);
    assert!(Options::new().strict().load_bytes(&bytes(full_file().bin.len())).is_ok());
    let error = Options::new().load_bytes(&bytes(100_000)).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Data, "/buffers/0/byteLength"));
    // Only the first buffer is the chunk.
    let two = full_file().set("/buffers", json!([{"byteLength": 4}, {"byteLength": 4}])).json;
    let two =
        container(&[(b"JSON", padded(two.to_string().into_bytes(), b' ')), (b"BIN\0", vec![0; 8])]);
    let error = pleach_gltf::load_bytes(&two).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Data, "/buffers/1"));
}
