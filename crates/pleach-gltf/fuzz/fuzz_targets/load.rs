//! Loads arbitrary bytes: the result is a document or an error. Documents can be updated and picked.
//!
//! `cargo +nightly fuzz run load -- -rss_limit_mb=1024 -timeout=5`; start with the sample models
//! in `corpus/load`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pleach::glam::Vec3;
use pleach::{Filter, Ray};

fuzz_target!(|file: &[u8]| {
    let Ok(mut document) = pleach_gltf::load_bytes(file) else { return };
    let ray = Ray::new(Vec3::new(0.1, 0.1, 10.0), Vec3::NEG_Z).unwrap();
    for scene in document.scenes_mut() {
        _ = scene.update();
        assert!(scene.graph.check().is_empty());
        assert!(scene.spatial.check().is_empty());
        _ = scene.pick(&ray, &Filter::default());
    }
    for scene in 0..document.scenes().len().min(4) {
        for animation in 0..document.animations().len().min(4) {
            _ = document.bind(animation, scene);
        }
    }
});
