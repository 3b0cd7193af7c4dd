//! Reads arbitrary bytes: the result is a scene, a patch or an error. A scene can be updated and picked, and what
//! is written of it is read as the same bytes.
//!
//! `cargo +nightly fuzz run read -- -rss_limit_mb=1024 -timeout=5`; start with the files in
//! `tests/files`. Checksums are not compared: a fuzzer does not guess them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pleach::glam::Vec3;
use pleach::{Filter, Graph, Ray, Transform};
use pleach_format::Options;

/// A graph for patches: a few nodes.
fn graph() -> Graph {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    (0..4).for_each(|_| _ = graph.add_child(root, Transform::IDENTITY).unwrap());
    graph
}

fuzz_target!(|file: &[u8]| {
    let options = Options::new().without_checksums();
    let mut graph = graph();
    if let Ok(patch) = options.patch_from_bytes(file, &graph) {
        _ = graph.apply(&patch);
        assert!(graph.check().is_empty());
        return;
    }
    let Ok(mut snapshot) = options.from_bytes(file) else { return };
    let written = options.to_bytes(&snapshot.scene, &snapshot.clips).expect("it was read");
    let again = options.from_bytes(&written).expect("it was written");
    let rewritten = options.to_bytes(&again.scene, &again.clips).expect("it was read");
    assert!(written == rewritten);

    let scene = &mut snapshot.scene;
    assert!(scene.graph.check().is_empty());
    if scene.update().is_ok() {
        assert!(scene.graph.check().is_empty() && scene.spatial.check().is_empty());
        let ray = Ray::new(Vec3::new(0.1, 0.1, 10.0), Vec3::NEG_Z).unwrap();
        _ = scene.pick(&ray, &Filter::default());
        _ = scene.check();
    }
});
