//! Checks that every save must pass, and the yard before and after an edit.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach::Scene;
use pleach::animation::{Channel, Clip, Interpolation};
use pleach::glam::Vec3;
use pleach_gltf::{Document, Saved};

use crate::common_save::{FORMATS, again, assert_same_scene, errors, json_of, load_yard, text_of};

/// Saves the document, checks and loads the file, compares the scenes, and saves again. Returns the
/// JSON text.
#[track_caller]
pub(crate) fn save_and_check(document: &mut Document, what: &str) -> String {
    let written = FORMATS.map(|format| {
        let saved = document.save_bytes(format).unwrap_or_else(|error| panic!("{what}: {error}"));
        let errors = errors(&saved);
        let json = json_of(&saved.bytes);
        assert!(errors.is_empty(), "{what}: {}\nin\n{json}", errors.join("\n"));
        let back = again(&saved);
        assert_eq!(back.scenes().len(), document.scenes().len());
        for (one, other) in document.scenes().iter().zip(back.scenes()) {
            assert_same_scene(one, other, what);
        }
        // A document without edits is written unchanged.
        let doubled = back.save_bytes(format).unwrap();
        assert!(doubled.bytes == saved.bytes, "{what}: {format:?} differs when saved once more");
        let files = |saved: &Saved| -> BTreeMap<String, Vec<u8>> {
            saved.files.iter().map(|it| (it.0.clone(), it.1.to_vec())).collect()
        };
        assert!(files(&doubled) == files(&saved), "{what}: {format:?} has other files then");
        saved
    });
    text_of(&written[0])
}

/// Returns the yard's text before and after an edit.
#[track_caller]
pub(crate) fn yard_after(edit: impl FnOnce(&mut Document)) -> (String, String) {
    let (before, mut document) = load_yard();
    edit(&mut document);
    (before, save_and_check(&mut document, "the yard"))
}

/// Returns the yard's text before and after an edit of the scene, where nodes are found by name.
#[track_caller]
pub(crate) fn scene_after(edit: impl FnOnce(&mut Scene)) -> (String, String) {
    yard_after(|document| edit(&mut document.scenes_mut()[0]))
}

/// Returns the text of an accessor in the new file `buffer.bin`.
pub(crate) fn accessor(
    number: usize,
    component: u32,
    count: usize,
    kind: &str,
    bounds: &str,
) -> String {
    format!(
        "+/accessors/{number} = {{\"bufferView\":{number},\"componentType\":{component},\
         \"count\":{count},{bounds}\"type\":\"{kind}\"}}"
    )
}

pub(crate) fn clip(name: &str, height: f32) -> Clip {
    let times: Arc<[f32]> = [0.0, 0.5].into();
    let moves = [Vec3::ZERO, Vec3::new(0.0, height, -0.0)];
    let channels = vec![
        Channel::translation(0, Interpolation::Linear, Arc::clone(&times), moves).unwrap(),
        Channel::scale(1, Interpolation::Step, times, [Vec3::ONE, Vec3::splat(2.0)]).unwrap(),
    ];
    Clip::new(name, ["first", "second"], channels).unwrap()
}
