//! Changes of glTF files as data: the difference of two files as a patch, and three-way merges.
//!
//! ```
//! use pleach_gltf::patch::{FilePatch, content_hash};
//! use pleach_gltf::{Bytes, Options, load_bytes};
//!
//! let a = load_bytes(br#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
//!     "nodes": [{"name": "shed", "translation": [1, 0, 0]}] }"#)?;
//! let b = load_bytes(br#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}],
//!     "nodes": [{"name": "door"}, {"name": "shed", "translation": [2, 0, 0], "children": [0]}] }"#)?;
//!
//! // A patch turns the first file into the second, and can be stored.
//! let patch = FilePatch::between(&a, &b)?;
//! let moved = patch.edits().find(|edit| edit.property == "translation").unwrap();
//! assert_eq!((&*moved.path, moved.new.as_deref()), ("shed", Some("[2,0,0]")));
//! let patch = FilePatch::from_bytes(Bytes::from(patch.to_bytes()))?;
//! let applied = patch.apply(&a, &Options::new())?;
//! assert_eq!(content_hash(&applied)?, content_hash(&b)?);
//!
//! // It is for that file only.
//! let error = patch.apply(&b, &Options::new()).unwrap_err();
//! assert!(error.to_string().starts_with("the patch is for a file with the content hash "));
//! # Ok::<(), pleach_gltf::Error>(())
//! ```
//!
//! # The content of a file
//!
//! A patch restores the *content* of a file: the value of its JSON, with extras, unknown extensions,
//! and the order of all arrays; the bytes of each buffer view; the bytes of image files that it
//! refers to; and the unknown chunks of a `.glb`. Not part of the content are white space, the order
//! of the members of an object, how a number or string is written (`1.0` for `1`), and the layout
//! of buffers: the offsets of views in buffers, bytes of buffers that no view covers, the lengths of buffers, and
//! base64 text. If a file has an extension that this crate does not know, which may refer to bytes by their offset, or
//! views that overlap heavily, then offsets, lengths and all bytes of buffers are part of the content.
//!
//! [`content_hash`] is the hash of that content. It is that of the file as it was *loaded*: edits of a
//! document's scenes count after the document was saved and loaded again.
//!
//! # Matching
//!
//! Entries have no identity in glTF, so entries of two files are matched. Nodes are matched scene by
//! scene from the roots down: children of matched nodes by name, those with equal subtrees first;
//! unnamed nodes likewise, in order; then nodes that are equal except for the name (renamed); then nodes with the
//! same name elsewhere (re-parented): [`TreeMatching`]. Scenes and buffers are matched by index.
//! Other entries are matched if they are equal with all that they refer to; else if matched entries
//! use them in the same place, and neither has a name that the other file has, too; else by name; else,
//! without names, by index. A wrong match makes a patch longer, never wrong.
//!
//! # Costs
//!
//! Both files are read again as text, and all bytes are hashed. Patches contain the new values, and
//! of changed bytes those between the first and the last that differ.

mod apply;
mod assemble;
mod compare;
mod container;
mod content_hash;
mod deep_hash;
mod edit;
mod labels;
mod matching;
mod merge;
mod model;
mod read;
mod tokens;
mod tree_matching;
mod value;

use std::collections::HashSet;
use std::sync::Arc;

pub use self::content_hash::ContentHash;
use self::edit::{Change, Describe, Edit};
pub use self::edit::{EditAction, FileEdit};
use self::matching::Matching;
pub use self::merge::{Conflict, ConflictKind, Merged, merge};
use self::model::{Layout, Model, arrays};
pub use self::tree_matching::{MatchTree, TreeItem, TreeMatching};
use self::value::{Blob, BlobSource, Value};
use crate::diagnostics::{Pointer, Result};
use crate::references::PerArray;
use crate::{Bytes, Document, Error, ErrorKind, Options};

/// Returns the hash of the content of the file that a document was loaded from. Equal content has
/// equal hashes, on every machine. Takes time proportional to the size of the file.
///
/// # Errors
///
/// [`ErrorKind::Patch`] if the document was not loaded from a file.
pub fn content_hash(document: &Document) -> Result<ContentHash> {
    let ([model], _) = Model::of_all([document])?;
    Ok(model.hash())
}

/// The edits that turn one file into another; see the [module](self) for an example.
///
/// The encoding is specified in `docs/file-patches.md`.
#[derive(Clone, Debug)]
pub struct FilePatch {
    layout: Layout,
    base: ContentHash,
    result: ContentHash,
    /// The numbers of entries of the first file. Entries with larger ids are added.
    counts: PerArray<u32>,
    edits: Vec<Edit>,
    /// The program that wrote the patch.
    writer: String,
}

impl FilePatch {
    /// Computes the edits that turn the file of `a` into that of `b`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Patch`] if one of the documents was not loaded from a file.
    pub fn between(a: &Document, b: &Document) -> Result<Self> {
        let ([a, b], _) = Model::of_all([a, b])?;
        let (base, result) = (a.hash(), b.hash());
        let matching = Matching::of(&a, &b);
        let counts = counts(&a);
        let b = matching::relabel(b, &matching.of_b, &mut counts.clone());
        let mut edits = compare::compare(&a, &b);
        omit_known_bytes(&mut edits, &a);
        let writer = concat!("pleach ", env!("CARGO_PKG_VERSION")).into();
        Ok(Self { layout: a.layout, base, result, counts, edits, writer })
    }

    /// Returns the hash of the content of the file that the patch is for.
    #[must_use]
    pub fn base(&self) -> ContentHash {
        self.base
    }

    /// Returns the hash of the content of the file that applying the patch gives.
    #[must_use]
    pub fn result(&self) -> ContentHash {
        self.result
    }

    /// Returns the program that wrote the patch, and its version.
    #[must_use]
    pub fn writer(&self) -> &str {
        &self.writer
    }

    /// Returns `true` if both files have the same content.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the number of edits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Returns the edits in readable form: those of the root object, then array by array.
    #[must_use]
    pub fn edits(&self) -> impl ExactSizeIterator<Item = FileEdit> {
        self.edits.iter().map(|edit| Describe { counts: &self.counts }.edit(edit))
    }

    /// Applies the patch to a file, and loads the result with `options`. The result is verified: it has
    /// the content of the second file.
    ///
    /// The layout of buffers and the text of the JSON are new, except that members keep their order
    /// and numbers their digits where they are not edited.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Patch`] if the file of `document` is not that of the patch (the message has both
    /// hashes), or an edit of a damaged patch does not fit; the errors of [`Options::load_with`].
    pub fn apply(&self, document: &Document, options: &Options) -> Result<Document> {
        let model = Model::of(document, self.layout).and_then(|model| {
            let hash = model.hash();
            if hash == self.base { Ok(model) } else { Err(self.other_file(hash)) }
        })?;
        let applied = assemble::assemble(apply::apply(model, &self.edits)?, options)?;
        let hash = Model::of(&applied, self.layout)?.hash();
        if hash != self.result {
            let message = format!(
                "the result has the content hash {hash}, but the patch states {}: it is damaged",
                self.result
            );
            return Err(Error::new(ErrorKind::Patch, &Pointer::ROOT, message));
        }
        Ok(applied)
    }

    fn other_file(&self, hash: ContentHash) -> Error {
        let remedy = if hash == self.result {
            "the patch was applied to it already"
        } else {
            "apply it to the file that it was made from"
        };
        let message = format!(
            "the patch is for a file with the content hash {}, but this file has {hash}; {remedy}",
            self.base
        );
        Error::new(ErrorKind::Patch, &Pointer::ROOT, message)
    }

    /// Encodes the patch as a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        container::encode(self)
    }

    /// Decodes a patch that [`to_bytes`](Self::to_bytes) encoded. Memory is proportional to the number
    /// of bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Patch`] if the bytes are truncated or damaged, or were written by a newer version,
    /// which the message names; [`ErrorKind::Limit`] if a value is nested too deeply.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Self> {
        container::decode(&bytes.into())
    }
}

/// Returns the number of ids of each array.
fn counts(model: &Model) -> PerArray<u32> {
    let mut counts = PerArray::default();
    for array in arrays() {
        counts[array] = model.lists[array].entries.len() as u32;
    }
    counts
}

/// Drops the bytes of new values that the first file has.
fn omit_known_bytes(edits: &mut [Edit], a: &Model) {
    let mut known = HashSet::new();
    a.visit(|value| known.extend(value.blob().map(|blob| blob.hash)));
    let mut omit = |leaf: &mut Value| {
        let blob = match leaf {
            Value::Bytes(blob) => blob,
            Value::File(file) => &mut file.1,
            _ => return,
        };
        if known.contains(&blob.hash) {
            let Blob { hash, length, .. } = **blob;
            *blob = Arc::new(Blob { hash, length, source: BlobSource::Base });
        }
    };
    for edit in edits {
        match &mut edit.change {
            Change::Add(value) | Change::Set { new: Some(value), .. } => {
                value.edit_leaves(&mut omit);
            }
            Change::Splice { new, .. } => new.iter_mut().for_each(|it| it.edit_leaves(&mut omit)),
            _ => {}
        }
    }
}
