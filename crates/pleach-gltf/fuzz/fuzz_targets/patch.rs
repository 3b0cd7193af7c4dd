//! Patches from arbitrary bytes are errors or apply; patches between arbitrary files are right.
//!
//! The first byte selects: the JSON and bytes of a patch, in a valid container, for a small model; or two
//! files, separated by a zero byte.
//! `cargo +nightly fuzz run patch -- -rss_limit_mb=1024 -timeout=5`

#![no_main]

use libfuzzer_sys::fuzz_target;
use pleach_gltf::patch::{FilePatch, content_hash, merge};
use pleach_gltf::{Bytes, Options, load_bytes};
use sha2::{Digest, Sha256};

const MODEL: &[u8] = br#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],
    "nodes":[{"name":"a","children":[1]},{"name":"b","mesh":0,"extras":{"x":[1,"y"]}}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3","min":[0,0,0],"max":[0,0,0]}],
    "bufferViews":[{"buffer":0,"byteLength":12}],
    "buffers":[{"byteLength":12,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAA"}]}"#;

fuzz_target!(|input: &[u8]| {
    let Some((&kind, input)) = input.split_first() else { return };
    if kind % 2 == 0 {
        let base = load_bytes(MODEL).unwrap();
        if let Ok(patch) = FilePatch::from_bytes(Bytes::from(container(kind, input, &base))) {
            _ = patch.edits().count();
            if let Ok(applied) = patch.apply(&base, &Options::new()) {
                _ = content_hash(&applied);
            }
        }
        return;
    }
    let mut files = input.splitn(2, |byte| *byte == 0);
    let (Some(a), Some(b)) = (files.next(), files.next()) else { return };
    let (Ok(a), Ok(b)) = (load_bytes(a), load_bytes(b)) else { return };
    let patch = FilePatch::between(&a, &b).unwrap();
    let patch = FilePatch::from_bytes(Bytes::from(patch.to_bytes())).unwrap();
    patch.apply(&a, &Options::new()).unwrap();
    let base = load_bytes(MODEL).unwrap();
    _ = merge(Some(&base), &a, &b, &Options::new());
});

/// Returns a patch with these edits, or with this JSON, and a valid checksum.
fn container(kind: u8, input: &[u8], base: &pleach_gltf::Document) -> Vec<u8> {
    let hash = content_hash(base).unwrap();
    let json = match kind % 4 {
        0 => input.to_vec(),
        _ => {
            let head = format!(
                "{{\"layout\":\"free\",\"base\":\"{hash}\",\"result\":\"{hash}\",\"counts\":{{\"nodes\":2}},\
                 \"blobs\":[],\"edits\":["
            );
            [head.as_bytes(), input, b"]}"].concat()
        }
    };
    let mut out = b"PLEACHFP\x01\0\0\0\0\0\0\0".to_vec();
    out.extend((json.len() as u64).to_le_bytes());
    out.extend(0u64.to_le_bytes());
    out.extend(Sha256::digest(&json));
    out.extend(json);
    out
}
