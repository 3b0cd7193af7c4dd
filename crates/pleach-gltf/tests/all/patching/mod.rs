//! Patches and merges of files, compared with what an independent reading of the files gives.

mod content;
mod hostile;
mod merging;
mod models;
mod random_edits;
mod renaming;

use pleach_gltf::patch::{FilePatch, content_hash};
use pleach_gltf::{Bytes, Document, Options};
use serde_json::Value;

use self::content::content;
use crate::common_save::{Files, saved, text_of, value};

/// A model as JSON and files.
#[derive(Clone, Debug)]
struct Model {
    json: Value,
    files: Files,
}

impl Model {
    /// Returns the model of a document, as a `.gltf` with files.
    fn of(document: &Document) -> Self {
        let saved = saved(document);
        Self { json: value(&text_of(&saved)), files: saved.files.iter().cloned().collect() }
    }

    fn new(json: Value) -> Self {
        Self { json, files: Files::new() }
    }

    fn try_load(&self) -> Result<Document, pleach_gltf::Error> {
        Options::new().load_with(self.json.to_string().into_bytes(), &self.files)
    }

    #[track_caller]
    fn load(&self) -> Document {
        self.try_load().unwrap_or_else(|error| panic!("{error}\n{}", self.json))
    }
}

/// Checks that the patch from `a` to `b`, encoded and decoded, turns `a` into `b`. Returns it.
#[track_caller]
fn check_patch(a: &Document, b: &Document, what: &str) -> FilePatch {
    let patch = FilePatch::between(a, b).unwrap_or_else(|error| panic!("{what}: {error}"));
    let bytes = patch.to_bytes();
    let decoded = FilePatch::from_bytes(Bytes::from(bytes.clone()))
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(decoded.to_bytes(), bytes, "{what}: encoded again");
    assert!(decoded.edits().eq(patch.edits()), "{what}");
    for patch in [&patch, &decoded] {
        let applied = patch.apply(a, &Options::new());
        let applied = applied.unwrap_or_else(|error| panic!("{what}: {error}"));
        let (got, want) = (content(&applied), content(b));
        assert!(got == want, "{what}: the content differs\n got {got:#}\nwant {want:#}");
    }
    assert_eq!(patch.base() == patch.result(), patch.is_empty(), "{what}");
    let same_hash = content_hash(a).unwrap() == content_hash(b).unwrap();
    assert!(!same_hash || patch.is_empty(), "{what}");
    patch
}
