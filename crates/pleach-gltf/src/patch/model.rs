//! `Model`: a file as entries that refer to each other by identity, with bytes by content.
//!
//! Invariant: everything in the JSON is in `root` or in an entry, except for the layout of buffers
//! that [`Layout::Free`] leaves out: offsets and lengths of views in buffers, lengths of buffers,
//! and base64 text.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::content_hash::ContentHash;
use super::read::{self, Replace};
use super::value::{Blob, Pointer as ValuePointer, Ref, Text, Value};
use crate::diagnostics::{Pointer, Result};
use crate::document::SourceFile;
use crate::files::uri::Uri;
use crate::json::{Members, Text as JsonText, UInt};
use crate::load::Origin;
use crate::references::{
    GltfArray, PerArray, ReferenceTarget, References, parse_pointer, reference_at,
};
use crate::{Bytes, Document, Error, ErrorKind};

/// A file as entries.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) layout: Layout,
    /// The root object, with placeholders for the arrays of entries.
    pub(super) root: Value,
    /// The unknown chunks of a `.glb`: type and content.
    pub(super) chunks: Value,
    pub(super) lists: PerArray<List>,
    /// The indentation of the JSON text; `None` if it is one line.
    pub(super) indent: Option<String>,
}

/// The entries of an array.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// By id.
    pub(super) entries: Vec<Option<Value>>,
    /// The ids in the order of the file.
    pub(super) order: Vec<u32>,
}

impl List {
    pub(super) fn get(&self, id: u32) -> Option<&Value> {
        self.entries.get(id as usize)?.as_ref()
    }

    /// Sets the entry of an id, which need not exist.
    pub(super) fn set(&mut self, id: u32, value: Value) {
        let at = id as usize;
        if self.entries.len() <= at {
            self.entries.resize(at + 1, None);
        }
        self.entries[at] = Some(value);
    }

    /// Returns the position of each id in the file.
    pub(super) fn positions(&self) -> Vec<Option<u32>> {
        let mut positions = vec![None; self.entries.len()];
        for (position, &id) in self.order.iter().enumerate() {
            if let Some(slot) = positions.get_mut(id as usize) {
                *slot = Some(position as u32);
            }
        }
        positions
    }
}

/// The part of a file's buffers that is content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// The bytes of each buffer view. Offsets in buffers, and bytes between views, are not.
    Free,
    /// The bytes of each buffer, and all offsets.
    Exact,
}

/// The arrays that [`Model::lists`] has; channels and samplers of animations are part of these.
pub(super) fn arrays() -> impl Iterator<Item = GltfArray> {
    GltfArray::ALL.into_iter().filter(|it| it.pointer().is_some())
}

/// The objects of a view that describe a range of a buffer.
pub(super) const RANGES: [&[&str]; 3] =
    [&[], &["extensions", "EXT_meshopt_compression"], &["extensions", "KHR_meshopt_compression"]];

/// The file that a document was loaded from.
pub(super) fn source(document: &Document) -> Result<&SourceFile> {
    document.source.as_ref().ok_or_else(|| {
        let message = "the document was not loaded from a file; save it and load it again first";
        Error::new(ErrorKind::Patch, &Pointer::ROOT, message)
    })
}

/// Returns why offsets in buffers are part of a file's content, if they are.
fn exact_reason(model: &Model, references: &References<'_>, source: &SourceFile) -> Option<String> {
    if let Some(reason) = references.incomplete() {
        return Some(reason.into());
    }
    if let Some(it) = references.dangling().next() {
        return Some(format!("{} {} does not exist", it.array, it.index));
    }
    let mut names = HashSet::new();
    for buffer in &source.buffers {
        if let Origin::File(name) = &buffer.origin
            && !names.insert(name)
        {
            return Some(format!("several buffers are in the file {name:?}"));
        }
    }
    let total: usize = source.buffers.iter().map(|it| it.bytes.len()).sum();
    let mut used = 0usize;
    for (index, view) in model.lists[GltfArray::BufferViews].entries.iter().flatten().enumerate() {
        for path in RANGES {
            let Some(object) = view.at(path) else { continue };
            match byte_range(object, source) {
                ByteRange::Of(_, range) => used = used.saturating_add(range.len()),
                ByteRange::Fallback => {}
                ByteRange::Invalid => {
                    return Some(format!("bufferViews {index} is not in its buffer"));
                }
            }
        }
    }
    let images = model.lists[GltfArray::Images].entries.iter().flatten();
    for uri in images.filter_map(|it| it.at(&["uri"])?.as_string()) {
        if matches!(Uri::parse(&uri), Ok(Uri::File(name)) if names.contains(&name)) {
            return Some("a buffer and an image are in one file".into());
        }
    }
    // Views that overlap are separate in the result, which must not become much larger.
    let max = total.saturating_mul(4).saturating_add(1 << 20);
    (used > max).then(|| "buffer views overlap".into())
}

/// The bytes that an object of a view describes.
enum ByteRange {
    Of(usize, Range<usize>),
    /// None: a fallback buffer.
    Fallback,
    Invalid,
}

fn byte_range(object: &Value, source: &SourceFile) -> ByteRange {
    let number = |key| object.at(&[key]).map_or(Some(0), Value::as_index);
    let Some(Value::Ref(Ref { array: GltfArray::Buffers, id })) = object.at(&["buffer"]) else {
        return ByteRange::Invalid;
    };
    let Some(buffer) = source.buffers.get(*id as usize) else { return ByteRange::Invalid };
    if buffer.origin == Origin::Fallback {
        return ByteRange::Fallback;
    }
    let (Some(start), Some(length)) = (number("byteOffset"), number("byteLength")) else {
        return ByteRange::Invalid;
    };
    match start.checked_add(length) {
        Some(end) if end <= buffer.bytes.len() => ByteRange::Of(*id as usize, start..end),
        _ => ByteRange::Invalid,
    }
}

impl Model {
    /// Reads the file that a document was loaded from. Takes time proportional to its size.
    pub(super) fn of(document: &Document, layout: Layout) -> Result<Self> {
        let source = source(document)?;
        let (mut model, _) = Self::read(document)?;
        model.take_bytes(source, layout)?;
        Ok(model)
    }

    /// Reads the files of several documents, with the layout in which they can be compared. Returns
    /// the reason if it is [`Layout::Exact`].
    pub(super) fn of_all<const N: usize>(
        documents: [&Document; N],
    ) -> Result<([Self; N], Option<String>)> {
        let mut models = Vec::with_capacity(N);
        let mut reason = None;
        for document in documents {
            let (model, references) = Self::read(document)?;
            reason = match reason {
                None => exact_reason(&model, &references, source(document)?),
                known => known,
            };
            models.push(model);
        }
        let layout = if reason.is_some() { Layout::Exact } else { Layout::Free };
        for (model, document) in models.iter_mut().zip(documents) {
            model.take_bytes(source(document)?, layout)?;
        }
        let models = models.try_into().expect("there is a model for each document");
        Ok((models, reason))
    }

    /// Reads the JSON alone.
    fn read(document: &Document) -> Result<(Self, References<'_>)> {
        let text = document.json();
        let references = References::from_json(text);
        let mut reader = EntryReader { text, references: &references, lists: PerArray::default() };
        let start = text.len() - text.trim_ascii_start().len();
        let span = start..text.trim_ascii_end().len();
        let root = read::read(text, &span, &mut RootReader(&mut reader))?;
        if root.as_object().is_none() {
            let message = "the root object has a repeated key; remove one of the two members";
            return Err(Error::new(ErrorKind::Json, &Pointer::ROOT, message));
        }
        let (lists, chunks) = (reader.lists, Value::Array(Vec::new()));
        let model = Self { layout: Layout::Free, root, chunks, lists, indent: indent_of(text) };
        Ok((model, references))
    }

    /// Replaces what describes bytes by the bytes.
    fn take_bytes(&mut self, source: &SourceFile, layout: Layout) -> Result<()> {
        self.layout = layout;
        self.chunks = read::array(source.unknown_chunks.iter().map(chunk).collect());
        self.take_image_files(source);
        if layout == Layout::Free {
            self.take_views(source)?;
        }
        self.take_buffers(source);
        Ok(())
    }

    /// Replaces the URIs of image files by the files.
    fn take_image_files(&mut self, source: &SourceFile) {
        let files: BTreeMap<&str, &Bytes> =
            source.files.iter().map(|(name, bytes)| (&**name, bytes)).collect();
        let mut blobs: BTreeMap<String, Arc<Blob>> = BTreeMap::new();
        for image in self.lists[GltfArray::Images].entries.iter_mut().flatten() {
            let Some(uri) = image.as_object_mut().and_then(|it| it.get_mut("uri")) else {
                continue;
            };
            let Some(Ok(Uri::File(name))) = uri.as_string().as_deref().map(Uri::parse) else {
                continue;
            };
            let (Value::Text(text), Some(bytes)) = (&*uri, files.get(&*name)) else { continue };
            let blob = blobs.entry(name).or_insert_with(|| Blob::new((*bytes).clone()));
            *uri = Value::File(Box::new((text.clone(), Arc::clone(blob))));
        }
    }

    /// Replaces the byte ranges of views by their bytes.
    fn take_views(&mut self, source: &SourceFile) -> Result<()> {
        for (index, view) in
            self.lists[GltfArray::BufferViews].entries.iter_mut().flatten().enumerate()
        {
            for path in RANGES {
                let object = path
                    .iter()
                    .try_fold(&mut *view, |value, key| value.as_object_mut()?.get_mut(key));
                let Some(object) = object else { continue };
                let bytes = match byte_range(object, source) {
                    ByteRange::Of(buffer, range) => source.buffers[buffer].bytes.slice(range),
                    ByteRange::Fallback => continue,
                    ByteRange::Invalid => None,
                };
                let (Some(bytes), Some(object)) = (bytes, object.as_object_mut()) else {
                    let at = Pointer::entry("bufferViews", index);
                    return Err(Error::data(&at, "the view is not in its buffer"));
                };
                object.remove("byteOffset");
                object.set("byteLength", Value::Bytes(Blob::new(bytes)));
            }
        }
        Ok(())
    }

    /// Reduces data URIs of buffers to their head. Removes the lengths of buffers, or with an exact
    /// layout replaces them by the bytes.
    fn take_buffers(&mut self, source: &SourceFile) {
        let entries = self.lists[GltfArray::Buffers].entries.iter_mut().flatten();
        for (entry, buffer) in entries.zip(&source.buffers) {
            let Some(object) = entry.as_object_mut() else { continue };
            if buffer.origin == Origin::Fallback {
                continue;
            }
            if buffer.origin == Origin::Data {
                let uri = object.get("uri").and_then(Value::as_string);
                let head = uri.as_deref().map(data_uri_head).unwrap_or_default();
                object.set("uri", Value::Text(Text::string(&head)));
            }
            match self.layout {
                Layout::Free => _ = object.remove("byteLength"),
                Layout::Exact => {
                    object.set("byteLength", Value::Bytes(Blob::new(buffer.bytes.clone())));
                }
            }
        }
    }

    /// Returns the hash of the content. Ids must be the indices of the file.
    pub(super) fn hash(&self) -> ContentHash {
        let mut hasher = Sha256::new();
        hasher.update(b"pleach content 1\0");
        hasher.update([match self.layout {
            Layout::Free => 0,
            Layout::Exact => 1,
        }]);
        hash_value(&self.root, &mut hasher);
        hash_value(&self.chunks, &mut hasher);
        // Without empty arrays: an array that a later version knows changes no other file's hash.
        for array in arrays().filter(|&it| !self.lists[it].order.is_empty()) {
            let list = &self.lists[array];
            hash_text(b'N', array.name(), &mut hasher);
            hasher.update((list.order.len() as u64).to_le_bytes());
            for value in list.order.iter().filter_map(|&id| list.get(id)) {
                hash_value(value, &mut hasher);
            }
        }
        ContentHash::from_hasher(hasher)
    }

    /// Calls `visit` for every value.
    pub(super) fn visit<'a>(&'a self, mut visit: impl FnMut(&'a Value)) {
        self.root.visit(&mut visit);
        self.chunks.visit(&mut visit);
        for array in arrays() {
            self.lists[array].entries.iter().flatten().for_each(|it| it.visit(&mut visit));
        }
    }

    /// Returns the entry with an id.
    pub(super) fn entry(&self, of: Ref) -> Option<&Value> {
        self.lists[of.array].get(of.id)
    }
}

fn chunk((kind, content): &(u32, Bytes)) -> Value {
    let kind = Text::number(*kind as usize);
    Value::Array(vec![kind, Value::Bytes(Blob::new(content.clone()))])
}

/// Returns a data URI up to and including the comma, as if it was base64.
fn data_uri_head(uri: &str) -> String {
    match Uri::parse(uri) {
        Ok(Uri::Data { base64: true, .. }) => {
            uri.split_once(',').map_or_else(String::new, |(head, _)| format!("{head},"))
        }
        Ok(Uri::Data { mime, .. }) => format!("data:{mime};base64,"),
        _ => uri.into(),
    }
}

/// Returns the indentation of the first member, or `None` if it is in the first line.
fn indent_of(text: &str) -> Option<String> {
    let first = text.trim_start().strip_prefix('{')?;
    let line = first.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let width = line.len() - line.trim_start_matches([' ', '\t']).len();
    Some(line[..width.min(8)].into())
}

fn hash_text(tag: u8, text: &str, hasher: &mut Sha256) {
    hasher.update([tag]);
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn hash_value(value: &Value, hasher: &mut Sha256) {
    let count = |tag: u8, count: usize, hasher: &mut Sha256| {
        hasher.update([tag]);
        hasher.update((count as u64).to_le_bytes());
    };
    let reference = |to: &Ref, hasher: &mut Sha256| {
        hash_text(b'R', to.array.name(), hasher);
        hasher.update(u64::from(to.id).to_le_bytes());
    };
    match value {
        Value::Text(text) => hash_text(b'T', &text.canonical(), hasher),
        Value::Array(values) => {
            count(b'A', values.len(), hasher);
            values.iter().for_each(|it| hash_value(it, hasher));
        }
        Value::Object(object) => {
            count(b'O', object.len(), hasher);
            for (key, value) in object.iter() {
                hash_text(b'K', key, hasher);
                hash_value(value, hasher);
            }
        }
        Value::Ref(to) => reference(to, hasher),
        Value::Pointer(pointer) => {
            reference(&pointer.to, hasher);
            hash_text(b'P', &pointer.tail, hasher);
        }
        Value::Bytes(blob) => {
            hasher.update(b"B");
            hasher.update(blob.hash.as_bytes());
        }
        Value::File(file) => {
            hash_text(b'F', &file.0.canonical(), hasher);
            hasher.update(file.1.hash.as_bytes());
        }
        Value::List(array) => hash_text(b'L', array.name(), hasher),
    }
}

/// Reads the entries of a file.
struct EntryReader<'a, 'b> {
    text: &'a str,
    references: &'b References<'a>,
    lists: PerArray<List>,
}

impl EntryReader<'_, '_> {
    /// Returns the reference at `path` in an entry of `array`, if there is one to an entry that
    /// exists.
    fn reference(
        &self,
        array: Option<GltfArray>,
        path: &[&str],
        span: &Range<usize>,
    ) -> Option<Value> {
        let text = &self.text[span.clone()];
        if text.starts_with(['{', '[']) {
            return None;
        }
        let exists = |array: GltfArray, index: usize| {
            let id = u32::try_from(index).ok().filter(|_| index < self.references.len(array));
            id.map(|id| Ref { array, id })
        };
        match reference_at(array, path)? {
            // Counted in the animation, which is one entry.
            ReferenceTarget::Index(GltfArray::AnimationSamplers) => None,
            ReferenceTarget::Index(array) => {
                let index = serde_json::from_str::<UInt>(text).ok()?.index();
                exists(array, index).map(Value::Ref)
            }
            ReferenceTarget::Pointer => {
                let pointer = serde_json::from_str::<JsonText<'_>>(text).ok()?;
                let (array, index, digits) = parse_pointer(&pointer)?;
                let tail = pointer[digits.end..].to_string();
                let to = exists(array, index)?;
                // An index with leading zeros is not a valid pointer.
                (pointer[digits] == index.to_string())
                    .then(|| Value::Pointer(Box::new(ValuePointer { to, tail })))
            }
        }
    }
}

/// Reads the root object.
struct RootReader<'a, 'b, 'c>(&'c mut EntryReader<'a, 'b>);

impl<'a> Replace<'a> for RootReader<'a, '_, '_> {
    fn replace(&mut self, path: &[&'a str], span: &Range<usize>) -> Result<Option<Value>> {
        let is_at = |array: &GltfArray| {
            let pointer = array.pointer().and_then(|it| it.strip_prefix('/'));
            pointer.is_some_and(|it| it.split('/').eq(path.iter().copied()))
        };
        let is_array = self.0.text[span.clone()].starts_with('[');
        let Some(array) = GltfArray::ALL.into_iter().find(is_at).filter(|_| is_array) else {
            return Ok(self.0.reference(None, path, span));
        };
        for member in Members::of(self.0.text, span) {
            let entry = EntryReplace { reader: self.0, array };
            let value = read::read(self.0.text, &member.value, &mut { entry })?;
            let list = &mut self.0.lists[array];
            list.order.push(list.entries.len() as u32);
            list.entries.push(Some(value));
        }
        Ok(Some(Value::List(array)))
    }

    fn is_opaque(&self, path: &[&'a str]) -> bool {
        path.last() == Some(&"extras")
    }
}

/// Reads an entry.
struct EntryReplace<'a, 'b, 'c> {
    reader: &'c EntryReader<'a, 'b>,
    array: GltfArray,
}

impl<'a> Replace<'a> for EntryReplace<'a, '_, '_> {
    fn replace(&mut self, path: &[&'a str], span: &Range<usize>) -> Result<Option<Value>> {
        Ok(self.reader.reference(Some(self.array), path, span))
    }

    fn is_opaque(&self, path: &[&'a str]) -> bool {
        matches!(path, [.., "extras"] | [.., "KHR_xmp_json_ld"])
    }
}
