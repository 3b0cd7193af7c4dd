//! What every save must be, and what the yard is after an edit.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach::Scene;
use pleach::animation::{Channel, Clip, Interpolation};
use pleach::glam::Vec3;
use pleach_gltf::{Document, Saved};

use crate::common_save::{FORMS, again, assert_same_scene, faults, json_of, load_yard, text_of};

/// Saves, checks the file, loads it, compares the scenes, and saves that again; the text.
#[track_caller]
pub(crate) fn checked(document: &mut Document, what: &str) -> String {
    let written = FORMS.map(|form| {
        let saved = document.save_bytes(form).unwrap_or_else(|fault| panic!("{what}: {fault}"));
        let faults = faults(&saved);
        let json = json_of(&saved.bytes);
        assert!(faults.is_empty(), "{what}: {}\nin\n{json}", faults.join("\n"));
        let back = again(&saved);
        assert_eq!(back.scenes().len(), document.scenes().len());
        for (one, other) in document.scenes().iter().zip(back.scenes()) {
            assert_same_scene(one, other, what);
        }
        // One that is saved without an edit is what it was.
        let twice = back.save_bytes(form).unwrap();
        assert!(twice.bytes == saved.bytes, "{what}: {form:?} differs when saved once more");
        let files = |saved: &Saved| -> BTreeMap<String, Vec<u8>> {
            saved.files.iter().map(|it| (it.0.clone(), it.1.to_vec())).collect()
        };
        assert!(files(&twice) == files(&saved), "{what}: {form:?} has other files then");
        saved
    });
    text_of(&written[0])
}

/// The yard's text, and what it is after an edit.
#[track_caller]
pub(crate) fn yard_after(edit: impl FnOnce(&mut Document)) -> (String, String) {
    let (before, mut document) = load_yard();
    edit(&mut document);
    (before, checked(&mut document, "the yard"))
}

/// The same for an edit of the scene, where nodes are found by name.
#[track_caller]
pub(crate) fn scene_after(edit: impl FnOnce(&mut Scene)) -> (String, String) {
    yard_after(|document| edit(&mut document.scenes_mut()[0]))
}

/// The new accessor's text is that of one in a new file `buffer.bin`.
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
