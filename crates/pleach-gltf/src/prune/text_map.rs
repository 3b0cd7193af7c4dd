//! `TextMap`: the positions of entries and references in the text of a file.
//!
//! Invariant: every reference of glTF and of the extensions in the file is listed with its span. If
//! that cannot be guaranteed, there is no map.

use std::collections::BTreeSet;
use std::ops::Range;

use super::gltf_array::{GltfArray, PerArray};
use super::reference_rules::{self as rules, ReferenceKind};
use crate::json::{Members, Text, UInt};

type Span = Range<usize>;

/// The maximum nesting of glTF, except for extras.
const MAX_DEPTH: usize = 12;

/// The entries and references in a file's text.
#[derive(Debug, Default)]
pub(super) struct TextMap<'a> {
    pub(super) text: &'a str,
    pub(super) entries: PerArray<Vec<Entry>>,
    /// The arrays of the entries.
    pub(super) arrays: Vec<ArraySpan>,
    /// The references, in the order of the text.
    pub(super) references: Vec<Reference>,
    /// The extensions of entries: array, index, name.
    pub(super) extensions: Vec<(GltfArray, usize, &'a str)>,
}

/// An entry of an array.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) span: Span,
    /// The range of its references in the map.
    pub(super) references: Span,
}

/// The position of an array.
#[derive(Clone, Debug)]
pub(super) struct ArraySpan {
    pub(super) array: GltfArray,
    /// The range of its entries: all entries of the array, except for channels and samplers.
    pub(super) entries: Span,
    pub(super) span: Span,
}

/// A value that references an entry.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    /// The position of the value.
    pub(super) span: Span,
    pub(super) array: GltfArray,
    pub(super) index: usize,
    /// The entry with index 0 in the text.
    pub(super) first: usize,
    /// `true` for a JSON pointer, `false` for an index.
    pub(super) is_pointer: bool,
}

impl<'a> TextMap<'a> {
    /// Maps a text that was parsed before.
    ///
    /// # Errors
    ///
    /// The reason why not all references are understood.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let mut map = Self { text, ..Self::default() };
        for member in Members::of(text, &(0..text.len())) {
            check_key(member.raw_key)?;
            match GltfArray::of_root(member.raw_key) {
                Some(array) => map.read_array(array, member.value)?,
                None if member.raw_key == "extensions" => map.root_extensions(member.value)?,
                None if member.raw_key == "asset" => map.asset(member.value)?,
                None => {}
            }
        }
        map.check()?;
        Ok(map)
    }

    /// Returns the references in an entry.
    pub(super) fn references_of(&self, array: GltfArray, index: usize) -> &[Reference] {
        &self.references[self.entries[array][index].references.clone()]
    }

    fn read_array(&mut self, array: GltfArray, span: Span) -> Result<(), String> {
        let first = self.entries[array].len();
        for entry in Members::of(self.text, &span) {
            let start = self.references.len();
            let index = self.entries[array].len();
            self.entries[array].push(Entry { span: entry.value.clone(), references: start..start });
            self.read_entry(array, index, entry.value)?;
            self.entries[array][index].references.end = self.references.len();
        }
        self.arrays.push(ArraySpan { array, entries: first..self.entries[array].len(), span });
        Ok(())
    }

    /// Reads an entry, with an explicit stack.
    fn read_entry(&mut self, array: GltfArray, index: usize, span: Span) -> Result<(), String> {
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
            check_key(key)?;
            if key == "extras" {
                continue;
            }
            path.push(key);
            let value = &text[member.value.clone()];
            let is_nested = value.starts_with(['{', '[']);
            if let [.., "extensions", name] = path[..]
                && !is_element
            {
                if !rules::is_known(Some(array), name) {
                    return Err(unknown_extension(name, array));
                }
                let (array, index) =
                    stack.iter().rev().find_map(|it| it.inner).unwrap_or((array, index));
                self.extensions.push((array, index, name));
                if name == "KHR_xmp_json_ld" {
                    path.pop();
                    continue;
                }
            }
            if let Some(kind) = rules::reference_at(array, &path) {
                self.add_reference(kind, member.value.clone(), first_sampler)?;
            }
            if !is_nested || path.len() > MAX_DEPTH {
                path.pop();
                continue;
            }
            let inner = self.open_inner_entry(array, &path, member.value.clone());
            stack.push(OpenValue { members: Members::of(text, &member.value), inner });
        }
        Ok(())
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

    fn add_reference(
        &mut self,
        kind: ReferenceKind,
        span: Span,
        first_sampler: usize,
    ) -> Result<(), String> {
        let value = &self.text[span.clone()];
        let error = || format!("{value} is not a known reference");
        let number = |value: &str| serde_json::from_str::<UInt>(value).map(UInt::index).ok();
        let reference = match kind {
            ReferenceKind::Index(array) => {
                let index = number(value).ok_or_else(error)?;
                Reference { span, array, index, first: 0, is_pointer: false }
            }
            ReferenceKind::AnimationSampler => {
                let index = number(value).and_then(|it| it.checked_add(first_sampler));
                let index = index.ok_or_else(error)?;
                Reference {
                    span,
                    array: GltfArray::AnimationSamplers,
                    index,
                    first: first_sampler,
                    is_pointer: false,
                }
            }
            ReferenceKind::Pointer => {
                let pointer = serde_json::from_str::<Text<'_>>(value).map_err(|_| error())?;
                let (array, index, _) = rules::parse_pointer(&pointer).ok_or_else(error)?;
                Reference { span, array, index, first: 0, is_pointer: true }
            }
        };
        self.references.push(reference);
        Ok(())
    }

    fn root_extensions(&mut self, span: Span) -> Result<(), String> {
        for member in Members::of(self.text, &span) {
            check_key(member.raw_key)?;
            if !rules::is_known(None, member.raw_key) {
                return Err(format!("the extension {:?} may reference any entry", member.raw_key));
            }
            if member.raw_key == "KHR_lights_punctual" {
                let mut members = Members::of(self.text, &member.value);
                if let Some(lights) = members.find(|it| it.raw_key == "lights") {
                    self.read_array(GltfArray::Lights, lights.value)?;
                }
            }
        }
        Ok(())
    }

    fn asset(&self, span: Span) -> Result<(), String> {
        let mut members = Members::of(self.text, &span);
        let Some(extensions) = members.find(|it| it.raw_key == "extensions") else { return Ok(()) };
        let known = |name: &str| rules::is_known(None, name);
        match Members::of(self.text, &extensions.value).find(|it| !known(it.raw_key)) {
            Some(member) => {
                Err(format!("the extension {:?} may reference any entry", member.raw_key))
            }
            None => Ok(()),
        }
    }

    /// Checks that all references are in range, including those that the loader does not know.
    fn check(&self) -> Result<(), String> {
        match self.references.iter().find(|it| it.index >= self.entries[it.array].len()) {
            Some(reference) => {
                let Reference { array, index, .. } = reference;
                let count = self.entries[*array].len();
                Err(format!(
                    "a reference to entry {index} of {array} is out of range: there are {count}"
                ))
            }
            None => Ok(()),
        }
    }

    /// Returns the names of all extensions that entries have.
    pub(super) fn extension_names(&self) -> BTreeSet<&'a str> {
        self.extensions.iter().map(|it| it.2).collect()
    }
}

/// A value whose members are being read.
struct OpenValue<'a> {
    members: Members<'a>,
    /// The channel or sampler that the value is.
    inner: Option<(GltfArray, usize)>,
}

/// Rejects keys with escapes, because keys are compared as text.
fn check_key(key: &str) -> Result<(), String> {
    match key.contains('\\') {
        true => Err(format!("the key {key:?} contains escapes")),
        false => Ok(()),
    }
}

fn unknown_extension(extension: &str, array: GltfArray) -> String {
    format!("the extension {extension:?} in {array} may reference any entry")
}
