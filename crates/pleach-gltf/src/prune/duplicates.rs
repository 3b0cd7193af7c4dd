//! Finds equal entries: for each entry the first one that equals it.
//!
//! Two entries are equal if their texts are, after each reference is replaced by the first equal
//! entry, and if the bytes they reference are equal. Names of materials and meshes, by which
//! programs find them, and extras are compared; names of other entries are not. Arrays are compared
//! in the order of dependency: referenced entries first.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};

use super::byte_range::{ByteRange, element_size};
use super::text_edits::TextEdits;
use super::used::{Duplicates, UsedEntries};
use crate::Bytes;
use crate::json::{Members, Root, UInt};
use crate::references::{GltfArray, References};

/// The file whose entries are compared.
pub(super) struct DuplicateFinder<'a> {
    pub(super) root: &'a Root<'a>,
    pub(super) map: &'a References<'a>,
    /// The bytes of each buffer; `None` for placeholders.
    pub(super) buffers: &'a [Option<Bytes>],
    /// The used entries.
    pub(super) used: &'a UsedEntries,
}

impl DuplicateFinder<'_> {
    pub(super) fn find(&self) -> Duplicates {
        let mut duplicates = Duplicates::default();
        let accessor_uses = self.accessor_uses();
        let excluded = self.excluded();
        let lists = [
            GltfArray::BufferViews,
            GltfArray::Accessors,
            GltfArray::Images,
            GltfArray::Samplers,
            GltfArray::Textures,
            GltfArray::Materials,
            GltfArray::Meshes,
        ];
        let mut budget = self.budget();
        for array in lists {
            let mut seen: HashMap<u64, Vec<(usize, String)>> = HashMap::new();
            let mut found = Vec::with_capacity(self.map.entries[array].len());
            for index in 0..self.map.entries[array].len() {
                let cost = self.cost(array, index);
                let is_used = self.used.is_used(array, index);
                let is_compared = is_used && cost <= budget && !excluded.contains(&(array, index));
                let key = Some(index).filter(|_| is_compared);
                let Some(key) =
                    key.and_then(|index| self.key(array, index, &duplicates, &accessor_uses))
                else {
                    found.push(index);
                    continue;
                };
                budget -= cost;
                let others = seen.entry(self.hash(array, index, &key)).or_default();
                let original = others.iter().find(|(other, text)| {
                    *text == key && self.has_same_bytes(array, *other, index)
                });
                match original {
                    Some(&(original, _)) => found.push(original),
                    None => {
                        found.push(index);
                        others.push((index, key));
                    }
                }
            }
            duplicates.0[array] = found;
        }
        duplicates
    }

    /// Returns the number of bytes that may be compared in all. Ordinary files compare each byte a
    /// few times; a hostile file with many accessors of the same bytes could take days.
    fn budget(&self) -> usize {
        const MAX_PASSES: usize = 64;
        let total: usize = self.buffers.iter().flatten().map(|bytes| bytes.len()).sum();
        total.saturating_mul(MAX_PASSES)
    }

    /// Returns the number of bytes that are compared for an entry.
    fn cost(&self, array: GltfArray, index: usize) -> usize {
        match array {
            GltfArray::BufferViews => self.view(index).map_or(0, <[u8]>::len),
            GltfArray::Accessors => {
                let accessor = &self.root.accessors[index];
                let view = accessor.buffer_view.map(UInt::index);
                let range = view.and_then(|view| ByteRange::of_accessor(self.root, accessor, view));
                range.map_or(0, |range| range.bytes.len())
            }
            _ => 0,
        }
    }

    /// Returns the entries that are not compared: targets of animation pointers, because they
    /// differ once animated; and views of accessors, because shared views need a `byteStride`, so
    /// the accessors are compared instead.
    fn excluded(&self) -> HashSet<(GltfArray, usize)> {
        let references = self.map.all().iter().filter(|reference| reference.is_pointer);
        let accessors = self.root.accessors.iter().enumerate();
        let accessors = accessors.filter(|it| self.used.is_used(GltfArray::Accessors, it.0));
        let views = accessors.filter_map(|(_, accessor)| accessor.buffer_view);
        let views = views.map(|view| (GltfArray::BufferViews, view.index()));
        references.map(|reference| (reference.array, reference.index)).chain(views).collect()
    }

    /// Returns the use of each accessor as bits: 1 for vertex attributes, 2 for indices. A buffer
    /// view must not serve both.
    fn accessor_uses(&self) -> Vec<u8> {
        let mut accessor_uses = vec![0u8; self.root.accessors.len()];
        let mut put = |accessor: UInt, bit: u8| {
            if let Some(accessor_uses) = accessor_uses.get_mut(accessor.index()) {
                *accessor_uses |= bit;
            }
        };
        for primitive in self.root.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            let targets = primitive.targets.iter().flat_map(|it| &it.0);
            primitive.attributes.0.iter().chain(targets).for_each(|(_, it)| put(*it, 1));
            primitive.indices.into_iter().for_each(|it| put(it, 2));
        }
        accessor_uses
    }

    /// Returns the text that equal entries share, or `None` for entries that are not compared.
    fn key(
        &self,
        array: GltfArray,
        index: usize,
        duplicates: &Duplicates,
        accessor_uses: &[u8],
    ) -> Option<String> {
        let root = self.root;
        let ignored: &[&str] = match array {
            GltfArray::BufferViews => &["name", "buffer", "byteOffset"],
            GltfArray::Accessors => &["name", "bufferView", "byteOffset"],
            GltfArray::Images => &["name", "bufferView"],
            GltfArray::Samplers | GltfArray::Textures => &["name"],
            _ => &[],
        };
        let mut key = self.text(array, index, duplicates, ignored);
        match array {
            GltfArray::BufferViews => {
                // Uncompressed views are compared by their bytes; compressed ones by their range.
                if let Some((_, range)) = ByteRange::of_compressed(&root.buffer_views[index]).next()
                {
                    key.push_str(&format!("{range:?}"));
                }
            }
            GltfArray::Accessors => {
                let accessor = &root.accessors[index];
                let view = accessor.buffer_view?.index();
                key.push_str(&format!(" used {}", accessor_uses[index]));
                key.push_str(&self.target(view));
                if ByteRange::of_accessor(root, accessor, view).is_none() {
                    let view = duplicates.original_of(GltfArray::BufferViews, view);
                    key.push_str(&format!(" in {view} at {}", accessor.byte_offset.get()));
                }
            }
            GltfArray::Images => {
                if let Some(view) = root.images[index].buffer_view {
                    let view = duplicates.original_of(GltfArray::BufferViews, view.index());
                    key.push_str(&format!(" in {view}"));
                }
            }
            _ => {}
        }
        Some(key)
    }

    /// Returns the `target` of a view, if it has one.
    fn target(&self, view: usize) -> String {
        let Some(entry) = self.map.entries[GltfArray::BufferViews].get(view) else {
            return String::new();
        };
        let mut members = Members::of(self.map.text, &entry.span);
        let target = members.find(|member| member.raw_key == "target");
        target.map_or_else(String::new, |it| format!(" for {}", &self.map.text[it.value]))
    }

    /// Returns the text of an entry without white space and the members `ignored`, with references
    /// replaced by the first equal entry.
    fn text(
        &self,
        array: GltfArray,
        index: usize,
        duplicates: &Duplicates,
        ignored: &[&str],
    ) -> String {
        let span = self.map.entries[array][index].span.clone();
        let text = &self.map.text[span.clone()];
        let mut edits = TextEdits::default();
        let members: Vec<_> = Members::of(text, &(0..text.len())).collect();
        for member in members.iter().filter(|member| ignored.contains(&member.raw_key)) {
            edits.replace(member.start..member.value.end, "");
        }
        for reference in self.map.of_entry(array, index) {
            let number = duplicates.original_of(reference.array, reference.index).to_string();
            edits.replace(
                reference.span.start - span.start..reference.span.end - span.start,
                number,
            );
        }
        compact(&edits.apply(text))
    }

    fn hash(&self, array: GltfArray, index: usize, key: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(key.as_bytes());
        match array {
            GltfArray::BufferViews => hasher.write(self.view(index).unwrap_or_default()),
            GltfArray::Accessors => self.elements(index).for_each(|it| hasher.write(it)),
            _ => {}
        }
        hasher.finish()
    }

    fn has_same_bytes(&self, array: GltfArray, one: usize, other: usize) -> bool {
        match array {
            GltfArray::BufferViews => self.view(one) == self.view(other),
            GltfArray::Accessors => self.elements(one).eq(self.elements(other)),
            _ => true,
        }
    }

    /// Returns the bytes of an uncompressed view.
    fn view(&self, index: usize) -> Option<&[u8]> {
        let view = &self.root.buffer_views[index];
        if view.compressed().is_some() {
            return None;
        }
        self.bytes(&ByteRange::of_view(view)?)
    }

    fn bytes(&self, range: &ByteRange) -> Option<&[u8]> {
        self.buffers.get(range.buffer)?.as_ref()?.get(range.bytes.clone())
    }

    /// Returns the bytes of each element of an accessor, or nothing if they are unknown.
    fn elements(&self, index: usize) -> impl Iterator<Item = &[u8]> {
        let accessor = &self.root.accessors[index];
        let view = accessor.buffer_view.map(UInt::index);
        let range = view.and_then(|view| ByteRange::of_accessor(self.root, accessor, view));
        let bytes = range.and_then(|range| self.bytes(&range)).unwrap_or_default();
        let size = element_size(accessor).unwrap_or(1);
        let view = view.and_then(|view| self.root.buffer_views.get(view));
        let stride = view.and_then(|view| view.byte_stride).map_or(size, UInt::index).max(1);
        bytes.chunks(stride).map(move |chunk| &chunk[..size.min(chunk.len())])
    }
}

/// Removes white space outside of strings, and commas before the first member or after another
/// comma.
fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\n' | '\r' | '\t' => {}
            ',' if out.ends_with([',', '{']) => {}
            '}' => {
                if out.ends_with(',') {
                    out.pop();
                }
                out.push('}');
            }
            '"' => {
                out.push('"');
                while let Some(char) = chars.next() {
                    out.push(char);
                    match char {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_commas_of_removed_members_are_removed() {
        assert_eq!(
            compact("{ , \"a b\\\" ,\" : [1, 2] , , \"c\":3 , }"),
            "{\"a b\\\" ,\":[1,2],\"c\":3}"
        );
    }
}
