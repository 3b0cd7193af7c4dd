//! Clones of documents.

use pleach_gltf::Format;

use crate::common::samples;

#[test]
fn a_clone_is_saved_like_the_original_and_edited_on_its_own() {
    for path in samples::files().into_iter().take(12) {
        let Ok(document) = pleach_gltf::load(&path) else { continue };
        let mut clone = document.clone();
        let saved = document.save_bytes(Format::Glb).unwrap();
        assert!(clone.save_bytes(Format::Glb).unwrap().bytes == saved.bytes, "{}", path.display());
        let Some(scene) = clone.scene_mut() else { continue };
        let node = scene.spawn(pleach::Node::group().named("only in the clone")).unwrap();
        assert!(document.scenes().iter().all(|scene| !scene.graph.contains(node)));
        assert!(document.save_bytes(Format::Glb).unwrap().bytes == saved.bytes);
        assert!(clone.save_bytes(Format::Glb).unwrap().bytes != saved.bytes);
    }
}
