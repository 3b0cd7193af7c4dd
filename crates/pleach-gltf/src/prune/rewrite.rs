//! The text of a pruned file: without unused entries, and with new indices.

use std::collections::BTreeSet;
use std::ops::Range;

use super::buffer_layout::BufferLayout;
use super::byte_range::ByteRange;
use super::text_edits::TextEdits;
use super::used::{Duplicates, UsedEntries};
use crate::Bytes;
use crate::json::{Member, Members, Root, Text, UInt};
use crate::references::{ArraySpan, GltfArray, Reference, References, parse_pointer};

/// Writes the text of the pruned file.
pub(super) struct Rewriter<'a> {
    pub(super) root: &'a Root<'a>,
    pub(super) map: &'a References<'a>,
    pub(super) duplicates: &'a Duplicates,
    pub(super) used: &'a UsedEntries,
    /// The merged buffer, if bytes are dropped.
    pub(super) merged: Option<MergedBuffer<'a>>,
}

/// The buffer that replaces all buffers with bytes. It comes first.
pub(super) struct MergedBuffer<'a> {
    pub(super) layout: &'a BufferLayout,
    /// The bytes of each buffer; `None` for placeholders.
    pub(super) buffers: &'a [Option<Bytes>],
    /// The new index of each buffer.
    new_indices: Vec<usize>,
}

impl<'a> MergedBuffer<'a> {
    pub(super) fn new(
        layout: &'a BufferLayout,
        buffers: &'a [Option<Bytes>],
        used: &UsedEntries,
    ) -> Self {
        let used = |index: usize| used.is_used(GltfArray::Buffers, index);
        let mut next =
            usize::from((0..buffers.len()).any(|index| buffers[index].is_some() && used(index)));
        let new_indices = buffers.iter().enumerate().map(|(index, bytes)| {
            // The merged buffer comes first, then the placeholders.
            let is_counted = bytes.is_none() && used(index);
            next += usize::from(is_counted);
            if is_counted { next - 1 } else { 0 }
        });
        Self { layout, buffers, new_indices: new_indices.collect() }
    }

    /// Returns `true` if a buffer is part of the merged one.
    pub(super) fn has_bytes(&self, buffer: usize) -> bool {
        self.buffers.get(buffer).is_some_and(Option::is_some)
    }

    /// Returns the start of each buffer in the merged one, and the length of that.
    pub(super) fn starts(&self) -> (Vec<usize>, usize) {
        let mut end = 0usize;
        let starts = (0..self.buffers.len()).map(|buffer| {
            let length = self.layout.length(buffer);
            if !self.has_bytes(buffer) || length == 0 {
                return 0;
            }
            let start = end.next_multiple_of(4);
            end = start + length;
            start
        });
        let starts = starts.collect();
        (starts, end)
    }
}

impl Rewriter<'_> {
    pub(super) fn text(&self) -> String {
        let map = self.map;
        let mut edits = TextEdits::default();
        for array in GltfArray::ALL {
            // Channels and samplers are parts of animations.
            if matches!(
                array,
                GltfArray::AnimationChannels | GltfArray::AnimationSamplers | GltfArray::Buffers
            ) {
                continue;
            }
            for index in (0..map.entries[array].len()).filter(|&it| self.used.is_used(array, it)) {
                for reference in map.of_entry(array, index) {
                    self.renumber(reference, &mut edits);
                }
            }
        }
        for ArraySpan { array, entries, .. } in &map.arrays {
            let is_used = |index: usize| self.used.is_used(*array, entries.start + index);
            let entries = &map.entries[*array][entries.clone()];
            let used = (0..entries.len()).filter(|&index| is_used(index)).count();
            // Empty arrays are removed with their member, below.
            if used > 0 && used < entries.len() && !self.replaces_array(*array) {
                let spans: Vec<Range<usize>> = entries.iter().map(|it| it.span.clone()).collect();
                edits.remove(&spans, is_used);
            }
        }
        if let Some(merged) = &self.merged {
            self.move_views(merged, &mut edits);
        }
        self.root_members(&mut edits);
        edits.apply(map.text)
    }

    /// Returns `true` if the array is written from scratch: the buffers, if bytes move.
    fn replaces_array(&self, array: GltfArray) -> bool {
        array == GltfArray::Buffers && self.merged.is_some()
    }

    fn renumber(&self, reference: &Reference, edits: &mut TextEdits) {
        let number = match (reference.array, &self.merged) {
            (GltfArray::Buffers, Some(merged)) => merged.new_indices[reference.index],
            _ => self.used.new_index(self.duplicates, reference),
        };
        if number == reference.index - reference.first {
            return;
        }
        if !reference.is_pointer {
            edits.replace(reference.span.clone(), number.to_string());
            return;
        }
        let pointer = serde_json::from_str::<Text<'_>>(&self.map.text[reference.span.clone()]);
        if let Ok(mut pointer) = pointer.map(|text| text.to_string())
            && let Some((_, _, digits)) = parse_pointer(&pointer)
        {
            pointer.replace_range(digits, &number.to_string());
            // Serializing a string cannot fail.
            edits.replace(
                reference.span.clone(),
                serde_json::to_string(&pointer).unwrap_or_default(),
            );
        }
    }

    /// Edits the offsets of views and accessors, and replaces the array of buffers.
    fn move_views(&self, merged: &MergedBuffer<'_>, edits: &mut TextEdits) {
        let text = self.map.text;
        let (starts, length) = merged.starts();
        let views = self.root.buffer_views.iter().zip(&self.map.entries[GltfArray::BufferViews]);
        for (index, (view, entry)) in views.enumerate() {
            if !self.used.is_used(GltfArray::BufferViews, index) {
                continue;
            }
            let Some(range) = merged.layout.view(index) else { continue };
            let start = starts.get(view.buffer.index()).copied().unwrap_or(0);
            set_number(text, &entry.span, "byteOffset", start + range.start, edits);
            set_number(text, &entry.span, "byteLength", range.len(), edits);
            for (extension, range) in ByteRange::of_compressed(view) {
                let Some(at) = merged.layout.new_offset(range.buffer, range.bytes.start) else {
                    continue;
                };
                let start = starts.get(range.buffer).copied().unwrap_or(0);
                let object = member(text, &entry.span, "extensions")
                    .and_then(|it| member(text, &it.value, extension));
                if let Some(object) = object {
                    set_number(text, &object.value, "byteOffset", start + at, edits);
                }
            }
        }
        let accessors = self.root.accessors.iter().zip(&self.map.entries[GltfArray::Accessors]);
        for (index, (accessor, entry)) in accessors.enumerate() {
            let view =
                accessor.buffer_view.filter(|_| self.used.is_used(GltfArray::Accessors, index));
            let view =
                view.map(|view| self.duplicates.original_of(GltfArray::BufferViews, view.index()));
            let range = view.and_then(|view| {
                let range = ByteRange::of_accessor(self.root, accessor, view)?;
                let at = merged.layout.new_offset(range.buffer, range.bytes.start)?;
                Some((merged.layout.view(view)?, at))
            });
            if let Some((view, at)) = range {
                set_number(text, &entry.span, "byteOffset", at - view.start, edits);
            }
        }
        if let Some(array) = self.map.arrays.iter().find(|it| it.array == GltfArray::Buffers) {
            edits.replace(array.span.clone(), self.buffers(merged, length));
        }
    }

    /// Returns the array of buffers: the merged one, then the placeholders.
    fn buffers(&self, merged: &MergedBuffer<'_>, length: usize) -> String {
        let text = self.map.text;
        let entries = &self.map.entries[GltfArray::Buffers];
        let used: Vec<usize> =
            (0..entries.len()).filter(|&it| self.used.is_used(GltfArray::Buffers, it)).collect();
        let merged_entry = used.iter().copied().find(|&index| merged.has_bytes(index));
        let others = used.iter().copied().filter(|&index| !merged.has_bytes(index));
        let written = |index: usize| {
            let entry = &text[entries[index].span.clone()];
            let span = 0..entry.len();
            let mut edits = TextEdits::default();
            let has_bytes = merged.has_bytes(index);
            let length = if has_bytes { length } else { merged.layout.length(index) };
            set_number(entry, &span, "byteLength", length, &mut edits);
            let members: Vec<Member<'_>> = Members::of(entry, &span).collect();
            let spans: Vec<_> = members.iter().map(|it| it.start..it.value.end).collect();
            edits.remove(&spans, |it| !(has_bytes && members[it].raw_key == "uri"));
            edits.apply(entry)
        };
        let written: Vec<String> = merged_entry.into_iter().chain(others).map(written).collect();
        format!("[{}]", written.join(","))
    }

    /// Removes members of the root that have become empty, and extensions that are no longer used.
    fn root_members(&self, edits: &mut TextEdits) {
        let text = self.map.text;
        let members: Vec<Member<'_>> = Members::of(text, &(0..text.len())).collect();
        let is_empty = |array: GltfArray| {
            let used = self.used.in_array(array);
            !used.is_empty() && !used.contains(&true)
        };
        let mut removed: BTreeSet<&str> = BTreeSet::new();
        for array in GltfArray::ALL.into_iter().filter(|&array| is_empty(array)) {
            if GltfArray::of_root(array.name()) == Some(array) {
                removed.insert(array.name());
            }
        }
        let unused = self.unused_extensions(is_empty(GltfArray::Lights));
        if is_empty(GltfArray::Lights)
            && !remove_members(text, "/extensions", &["KHR_lights_punctual"], edits)
        {
            removed.insert("extensions");
        }
        for key in ["extensionsUsed", "extensionsRequired"] {
            let unused: Vec<String> = unused.iter().map(|name| format!("\"{name}\"")).collect();
            let Some(array) = members.iter().find(|member| member.raw_key == key) else { continue };
            let names: Vec<Range<usize>> =
                Members::of(text, &array.value).map(|entry| entry.value).collect();
            let is_used = |index: usize| !unused.iter().any(|it| *it == text[names[index].clone()]);
            match (0..names.len()).filter(|&index| is_used(index)).count() {
                0 if !names.is_empty() => _ = removed.insert(key),
                _ => edits.remove(&names, is_used),
            }
        }
        let spans: Vec<_> = members.iter().map(|it| it.start..it.value.end).collect();
        edits.remove(&spans, |index| !removed.contains(members[index].raw_key));
    }

    /// Returns the extensions that only unused entries have.
    fn unused_extensions(&self, without_lights: bool) -> BTreeSet<&str> {
        let mut unused = self.map.extension_names();
        if without_lights {
            unused.insert("KHR_lights_punctual");
        } else if !self.used.in_array(GltfArray::Lights).is_empty() {
            unused.remove("KHR_lights_punctual");
        }
        // Extensions of the root are not examined.
        unused.remove("KHR_materials_variants");
        unused.remove("KHR_xmp_json_ld");
        for (array, index, name) in &self.map.extensions {
            if self.used.is_used(*array, *index) {
                unused.remove(name);
            }
        }
        unused
    }
}

/// Removes members of the object at a pointer. Returns `false` if none would remain.
fn remove_members(text: &str, pointer: &str, removed: &[&str], edits: &mut TextEdits) -> bool {
    let Some(object) = crate::json::value_at(text, pointer) else { return true };
    let members: Vec<Member<'_>> = Members::of(text, &object).collect();
    let is_kept = |index: usize| !removed.contains(&members[index].raw_key);
    if !(0..members.len()).any(is_kept) {
        return false;
    }
    let spans: Vec<_> = members.iter().map(|it| it.start..it.value.end).collect();
    edits.remove(&spans, is_kept);
    true
}

/// Returns a member of the object at a span.
fn member<'a>(text: &'a str, object: &Range<usize>, key: &str) -> Option<Member<'a>> {
    Members::of(text, object).find(|member| member.raw_key == key)
}

/// Sets a number of an object. A missing member counts as 0.
fn set_number(text: &str, object: &Range<usize>, key: &str, number: usize, edits: &mut TextEdits) {
    let Some(found) = member(text, object, key) else {
        if number != 0 {
            let start = object.start + 1;
            edits.replace(start..start, format!("\"{key}\":{number},"));
        }
        return;
    };
    let old = serde_json::from_str::<UInt>(&text[found.value.clone()]).map(UInt::index);
    if old.ok() != Some(number) {
        edits.replace(found.value, number.to_string());
    }
}
