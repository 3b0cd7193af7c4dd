//! Any bytes: decoding them ends in a valid mesh or an error.
//!
//! `cargo +nightly fuzz run decode -- -rss_limit_mb=256 -timeout=5`; start with
//! `examples/box.drc` in `corpus/decode`.

#![no_main]

use libfuzzer_sys::fuzz_target;

/// In bytes; more than the entropy decoders need.
const BUDGET: usize = 32 << 20;

fuzz_target!(|stream: &[u8]| {
    let Ok(mesh) = pleach_draco::decode(stream, BUDGET) else { return };
    assert!(mesh.indices.len().is_multiple_of(3));
    assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.point_count));
    for attribute in &mesh.attributes {
        let size = attribute.components * attribute.component_type.size();
        assert_eq!(attribute.bytes.len(), mesh.point_count * size);
    }
});
