//! `References`: the entries and references of a file, with their positions in the text.
//!
//! Invariant: every reference of glTF and of the known extensions is listed with its span. If the
//! file may have others, `incomplete` is set.

use std::collections::BTreeSet;
use std::ops::Range;

use super::gltf_array::{GltfArray, PerArray};
use super::rules::{self, ReferenceTarget};
use crate::extensions;
use crate::json::{Members, Text, UInt, pointer_to};

type Span = Range<usize>;

/// The maximum nesting of glTF, except for extras.
const MAX_DEPTH: usize = 12;

/// The entries of a file's arrays and the references between them.
#[derive(Debug, Default)]
pub struct References<'a> {
    pub(crate) text: &'a str,
    pub(crate) entries: PerArray<Vec<Entry>>,
    /// The arrays of the entries.
    pub(crate) arrays: Vec<ArraySpan>,
    /// The references, in the order of the text.
    references: Vec<Reference>,
    /// The extensions of entries: array, index, name.
    pub(crate) extensions: Vec<(GltfArray, usize, &'a str)>,
    /// The first reason why there may be other references.
    incomplete: Option<String>,
}

/// An entry of an array.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) span: Span,
    /// The range of its references.
    references: Span,
}

/// The position of an array.
#[derive(Clone, Debug)]
pub(crate) struct ArraySpan {
    pub(crate) array: GltfArray,
    /// The range of its entries: all entries of the array, except for channels and samplers.
    pub(crate) entries: Span,
    pub(crate) span: Span,
}

/// A value that refers to an entry: an index or a JSON pointer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reference {
    /// The array of the entry.
    pub array: GltfArray,
    /// The index of the entry. Channels and samplers are counted through all animations.
    pub index: usize,
    /// The position of the value.
    pub(crate) span: Span,
    /// The entry with index 0 in the text.
    pub(crate) first: usize,
    /// `true` for a JSON pointer, `false` for an index.
    pub(crate) is_pointer: bool,
}

impl<'a> References<'a> {
    /// Lists the references of a file, from its JSON text. The text must be valid JSON, such as
    /// [`Document::json`](crate::Document::json); the result for other texts is unspecified. Takes
    /// time proportional to the length of the text.
    #[must_use]
    pub fn from_json(json: &'a str) -> Self {
        let mut map = Self { text: json, ..Self::default() };
        for member in Members::of(json, &(0..json.len())) {
            map.check_key(member.raw_key);
            match GltfArray::of_root(member.raw_key) {
                Some(array) => map.read_array(array, member.value),
                None if member.raw_key == "extensions" => map.root_extensions(member.value),
                None if member.raw_key == "asset" => map.asset(member.value),
                None => {
                    if let Some(kind) = rules::reference_at(None, &[member.raw_key]) {
                        map.add_reference(kind, member.value, 0);
                    }
                }
            }
        }
        map
    }

    /// Returns the number of entries of an array. Channels and samplers are counted through all
    /// animations.
    #[must_use]
    pub fn len(&self, array: GltfArray) -> usize {
        self.entries[array].len()
    }

    /// Returns the text of an entry.
    #[must_use]
    pub fn entry(&self, array: GltfArray, index: usize) -> Option<&'a str> {
        self.text.get(self.entries[array].get(index)?.span.clone())
    }

    /// Returns the references in an entry, in the order of the text; none if it does not exist.
    #[must_use]
    pub fn of_entry(&self, array: GltfArray, index: usize) -> &[Reference] {
        let entry = self.entries[array].get(index);
        entry.map_or(&[], |it| &self.references[it.references.clone()])
    }

    /// Returns all references, in the order of the text.
    #[must_use]
    pub fn all(&self) -> &[Reference] {
        &self.references
    }

    /// Returns the references to entries that do not exist.
    pub fn dangling(&self) -> impl Iterator<Item = &Reference> {
        self.references.iter().filter(|it| it.index >= self.len(it.array))
    }

    /// Returns the location of a reference as a JSON pointer. Takes time proportional to the length
    /// of the text.
    #[must_use]
    pub fn pointer(&self, reference: &Reference) -> String {
        pointer_to(self.text, reference.span.start + 1)
    }

    /// Returns why the file may have references that are not listed: an unknown extension, or a
    /// member with a value that is not a reference.
    #[must_use]
    pub fn incomplete(&self) -> Option<&str> {
        self.incomplete.as_deref()
    }

    fn read_array(&mut self, array: GltfArray, span: Span) {
        let first = self.entries[array].len();
        for entry in Members::of(self.text, &span) {
            let start = self.references.len();
            let index = self.entries[array].len();
            self.entries[array].push(Entry { span: entry.value.clone(), references: start..start });
            self.read_entry(array, index, entry.value);
            self.entries[array][index].references.end = self.references.len();
        }
        self.arrays.push(ArraySpan { array, entries: first..self.entries[array].len(), span });
    }

    /// Reads an entry, with an explicit stack.
    fn read_entry(&mut self, array: GltfArray, index: usize, span: Span) {
        let text = self.text;
        let first_sampler = self.entries[GltfArray::AnimationSamplers].len();
        let mut path: Vec<&'a str> = Vec::new();
        let mut stack = vec![OpenValue { members: Members::of(text, &span), inner: None }];
        while let Some(top) = stack.last_mut() {
            let Some(member) = top.members.next() else {
                let closed = stack.pop();
                path.pop();
                if let Some((array, index)) = closed.and_then(|it| it.inner) {
                    self.entries[array][index].references.end = self.references.len();
                }
                continue;
            };
            let is_element = member.start == member.value.start;
            let key = if is_element { "*" } else { member.raw_key };
            self.check_key(key);
            if key == "extras" {
                continue;
            }
            path.push(key);
            let value = &text[member.value.clone()];
            let is_nested = value.starts_with(['{', '[']);
            if let [.., "extensions", name] = path[..]
                && !is_element
            {
                if !extensions::is_known_at(Some(array), name) {
                    self.set_incomplete(|| {
                        format!("the extension {name:?} in {array} may reference any entry")
                    });
                }
                let (array, index) =
                    stack.iter().rev().find_map(|it| it.inner).unwrap_or((array, index));
                self.extensions.push((array, index, name));
                if name == "KHR_xmp_json_ld" {
                    path.pop();
                    continue;
                }
            }
            if let Some(kind) = rules::reference_at(Some(array), &path) {
                self.add_reference(kind, member.value.clone(), first_sampler);
            }
            if !is_nested || path.len() > MAX_DEPTH {
                path.pop();
                continue;
            }
            let inner = self.open_inner_entry(array, &path, member.value.clone());
            stack.push(OpenValue { members: Members::of(text, &member.value), inner });
        }
    }

    /// Adds a channel or sampler, which is an entry inside of an animation.
    fn open_inner_entry(
        &mut self,
        array: GltfArray,
        path: &[&str],
        span: Span,
    ) -> Option<(GltfArray, usize)> {
        let inner = match (array, path) {
            (GltfArray::Animations, ["channels", ..]) => GltfArray::AnimationChannels,
            (GltfArray::Animations, ["samplers", ..]) => GltfArray::AnimationSamplers,
            _ => return None,
        };
        match path {
            [_] => {
                let first = self.entries[inner].len();
                let count = Members::of(self.text, &span).count();
                self.arrays.push(ArraySpan { array: inner, entries: first..first + count, span });
                None
            }
            [_, "*"] => {
                let start = self.references.len();
                self.entries[inner].push(Entry { span, references: start..start });
                Some((inner, self.entries[inner].len() - 1))
            }
            _ => None,
        }
    }

    fn add_reference(&mut self, kind: ReferenceTarget, span: Span, first_sampler: usize) {
        let value = &self.text[span.clone()];
        let number = || serde_json::from_str::<UInt>(value).map(UInt::index).ok();
        let entry = match kind {
            ReferenceTarget::Index(GltfArray::AnimationSamplers) => number()
                .and_then(|it| it.checked_add(first_sampler))
                .map(|index| (GltfArray::AnimationSamplers, index)),
            ReferenceTarget::Index(array) => number().map(|index| (array, index)),
            ReferenceTarget::Pointer => serde_json::from_str::<Text<'_>>(value)
                .ok()
                .and_then(|pointer| rules::parse_pointer(&pointer))
                .map(|(array, index, _)| (array, index)),
        };
        let Some((array, index)) = entry else {
            self.set_incomplete(|| format!("{value} is not a known reference"));
            return;
        };
        let first = if array == GltfArray::AnimationSamplers { first_sampler } else { 0 };
        let is_pointer = kind == ReferenceTarget::Pointer;
        self.references.push(Reference { array, index, span, first, is_pointer });
    }

    fn root_extensions(&mut self, span: Span) {
        for member in Members::of(self.text, &span) {
            let name = member.raw_key;
            self.check_key(name);
            if !extensions::is_known_at(None, name) {
                self.set_incomplete(|| format!("the extension {name:?} may reference any entry"));
            }
            let (key, array) = match name {
                "KHR_lights_punctual" => ("lights", GltfArray::Lights),
                "EXT_lights_image_based" => ("lights", GltfArray::ImageBasedLights),
                "KHR_materials_variants" => ("variants", GltfArray::Variants),
                _ => continue,
            };
            let mut members = Members::of(self.text, &member.value);
            if let Some(entries) = members.find(|it| it.raw_key == key) {
                self.read_array(array, entries.value);
            }
        }
    }

    fn asset(&mut self, span: Span) {
        let mut members = Members::of(self.text, &span);
        let Some(extensions) = members.find(|it| it.raw_key == "extensions") else { return };
        let mut names = Members::of(self.text, &extensions.value).map(|it| it.raw_key);
        if let Some(name) = names.find(|name| !extensions::is_known_at(None, name)) {
            self.set_incomplete(|| format!("the extension {name:?} may reference any entry"));
        }
    }

    /// Keys with escapes are not understood, because keys are compared as text.
    fn check_key(&mut self, key: &str) {
        if key.contains('\\') {
            self.set_incomplete(|| format!("the key {key:?} contains escapes"));
        }
    }

    fn set_incomplete(&mut self, reason: impl FnOnce() -> String) {
        self.incomplete.get_or_insert_with(reason);
    }

    /// Returns the names of all extensions that entries have.
    pub(crate) fn extension_names(&self) -> BTreeSet<&'a str> {
        self.extensions.iter().map(|it| it.2).collect()
    }
}

/// A value whose members are being read.
struct OpenValue<'a> {
    members: Members<'a>,
    /// The channel or sampler that the value is.
    inner: Option<(GltfArray, usize)>,
}
