//! The text of a pruned file: what is unused left out, what stays renumbered.

use std::collections::BTreeSet;
use std::ops::Range;

use super::extent::Extent;
use super::list::GltfArray;
use super::live::{Live, Same};
use super::pack::Packing;
use super::rules;
use super::splice::Splices;
use super::survey::{Name, Survey};
use crate::Bytes;
use crate::json::{Member, Members, Root, Text, UInt};

/// What is written, and how.
pub(super) struct Writing<'a> {
    pub(super) root: &'a Root<'a>,
    pub(super) survey: &'a Survey<'a>,
    pub(super) same: &'a Same,
    pub(super) live: &'a Live,
    /// Where bytes go, if any do.
    pub(super) moved: Option<Moved<'a>>,
}

/// Bytes that go elsewhere: all buffers with bytes become one, the first.
pub(super) struct Moved<'a> {
    pub(super) packing: &'a Packing,
    /// By buffer; none for one that is only a stand-in.
    pub(super) buffers: &'a [Option<Bytes>],
    /// By buffer: its number afterwards.
    numbers: Vec<usize>,
}

impl<'a> Moved<'a> {
    pub(super) fn new(packing: &'a Packing, buffers: &'a [Option<Bytes>], live: &Live) -> Self {
        let used = |index: usize| live.is_used(GltfArray::Buffers, index);
        let mut next =
            usize::from((0..buffers.len()).any(|index| buffers[index].is_some() && used(index)));
        let numbers = buffers.iter().enumerate().map(|(index, bytes)| {
            // The one of all bytes comes first, then those without.
            let is_counted = bytes.is_none() && used(index);
            next += usize::from(is_counted);
            if is_counted { next - 1 } else { 0 }
        });
        Self { packing, buffers, numbers: numbers.collect() }
    }

    /// Is a buffer one of those that become one?
    pub(super) fn is_joined(&self, buffer: usize) -> bool {
        self.buffers.get(buffer).is_some_and(Option::is_some)
    }

    /// Where each buffer begins in the one, and how long that is.
    pub(super) fn starts(&self) -> (Vec<usize>, usize) {
        let mut end = 0usize;
        let starts = (0..self.buffers.len()).map(|buffer| {
            let length = self.packing.length(buffer);
            if !self.is_joined(buffer) || length == 0 {
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

impl Writing<'_> {
    pub(super) fn text(&self) -> String {
        let survey = self.survey;
        let mut splices = Splices::default();
        for list in GltfArray::ALL {
            // Channels and curves are within animations.
            if matches!(
                list,
                GltfArray::AnimationChannels | GltfArray::AnimationSamplers | GltfArray::Buffers
            ) {
                continue;
            }
            for index in (0..survey.entries[list].len()).filter(|&it| self.live.is_used(list, it)) {
                for name in survey.names_of(list, index) {
                    self.renumber(name, &mut splices);
                }
            }
        }
        for array in &survey.arrays {
            let entries = &survey.entries[array.list][array.entries.clone()];
            let is_used = |index: usize| self.live.is_used(array.list, array.entries.start + index);
            let used = (0..entries.len()).filter(|&index| is_used(index)).count();
            // One that is empty goes as a whole, below.
            if used > 0 && used < entries.len() && !self.rewrites(array.list) {
                let spans: Vec<Range<usize>> = entries.iter().map(|it| it.span.clone()).collect();
                splices.remove(&spans, is_used);
            }
        }
        if let Some(moved) = &self.moved {
            self.bytes(moved, &mut splices);
        }
        self.root_members(&mut splices);
        splices.apply(survey.text)
    }

    /// The list of buffers is written anew if bytes move.
    fn rewrites(&self, list: GltfArray) -> bool {
        list == GltfArray::Buffers && self.moved.is_some()
    }

    fn renumber(&self, name: &Name, splices: &mut Splices) {
        let number = match (name.list, &self.moved) {
            (GltfArray::Buffers, Some(moved)) => moved.numbers[name.index],
            _ => self.live.number(self.same, name),
        };
        if number == name.index - name.first {
            return;
        }
        if !name.is_pointer {
            splices.put(name.span.clone(), number.to_string());
            return;
        }
        let pointer = serde_json::from_str::<Text<'_>>(&self.survey.text[name.span.clone()]);
        if let Ok(mut pointer) = pointer.map(|text| text.to_string())
            && let Some((_, _, digits)) = rules::pointed(&pointer)
        {
            pointer.replace_range(digits, &number.to_string());
            // A string cannot fail to be written.
            splices.put(name.span.clone(), serde_json::to_string(&pointer).unwrap_or_default());
        }
    }

    /// New places of views and accessors, and the list of buffers.
    fn bytes(&self, moved: &Moved<'_>, splices: &mut Splices) {
        let text = self.survey.text;
        let (starts, length) = moved.starts();
        let views = self.root.buffer_views.iter().zip(&self.survey.entries[GltfArray::BufferViews]);
        for (index, (view, entry)) in views.enumerate() {
            if !self.live.is_used(GltfArray::BufferViews, index) {
                continue;
            }
            let Some(place) = moved.packing.view(index) else { continue };
            let start = starts.get(view.buffer.index()).copied().unwrap_or(0);
            put_number(text, &entry.span, "byteOffset", start + place.start, splices);
            put_number(text, &entry.span, "byteLength", place.len(), splices);
            for (extension, extent) in Extent::of_compressed(view) {
                let Some(at) = moved.packing.moved(extent.buffer, extent.bytes.start) else {
                    continue;
                };
                let start = starts.get(extent.buffer).copied().unwrap_or(0);
                let object = member(text, &entry.span, "extensions")
                    .and_then(|it| member(text, &it.value, extension));
                if let Some(object) = object {
                    put_number(text, &object.value, "byteOffset", start + at, splices);
                }
            }
        }
        let accessors = self.root.accessors.iter().zip(&self.survey.entries[GltfArray::Accessors]);
        for (index, (accessor, entry)) in accessors.enumerate() {
            let view =
                accessor.buffer_view.filter(|_| self.live.is_used(GltfArray::Accessors, index));
            let view = view.map(|view| self.same.of(GltfArray::BufferViews, view.index()));
            let place = view.and_then(|view| {
                let extent = Extent::of_accessor(self.root, accessor, view)?;
                let at = moved.packing.moved(extent.buffer, extent.bytes.start)?;
                Some((moved.packing.view(view)?, at))
            });
            if let Some((view, at)) = place {
                put_number(text, &entry.span, "byteOffset", at - view.start, splices);
            }
        }
        if let Some(array) = self.survey.arrays.iter().find(|it| it.list == GltfArray::Buffers) {
            splices.put(array.span.clone(), self.buffers(moved, length));
        }
    }

    /// The list of buffers: the joined one, then those without bytes.
    fn buffers(&self, moved: &Moved<'_>, length: usize) -> String {
        let text = self.survey.text;
        let entries = &self.survey.entries[GltfArray::Buffers];
        let used: Vec<usize> =
            (0..entries.len()).filter(|&it| self.live.is_used(GltfArray::Buffers, it)).collect();
        let joined = used.iter().copied().find(|&index| moved.is_joined(index));
        let others = used.iter().copied().filter(|&index| !moved.is_joined(index));
        let written = |index: usize| {
            let entry = &text[entries[index].span.clone()];
            let whole = 0..entry.len();
            let mut splices = Splices::default();
            let is_joined = moved.is_joined(index);
            let length = if is_joined { length } else { moved.packing.length(index) };
            put_number(entry, &whole, "byteLength", length, &mut splices);
            let members: Vec<Member<'_>> = Members::of(entry, &whole).collect();
            let spans: Vec<_> = members.iter().map(|it| it.start..it.value.end).collect();
            splices.remove(&spans, |it| !(is_joined && members[it].raw_key == "uri"));
            splices.apply(entry)
        };
        let written: Vec<String> = joined.into_iter().chain(others).map(written).collect();
        format!("[{}]", written.join(","))
    }

    /// Members of the root that have become empty, and extensions that nothing uses any more.
    fn root_members(&self, splices: &mut Splices) {
        let text = self.survey.text;
        let members: Vec<Member<'_>> = Members::of(text, &(0..text.len())).collect();
        let is_empty = |list: GltfArray| {
            let used = self.live.of_list(list);
            !used.is_empty() && !used.contains(&true)
        };
        let mut gone: BTreeSet<&str> = BTreeSet::new();
        for list in GltfArray::ALL.into_iter().filter(|&list| is_empty(list)) {
            if GltfArray::of_root(list.name()) == Some(list) {
                gone.insert(list.name());
            }
        }
        let unused = self.unused_extensions(is_empty(GltfArray::Lights));
        if is_empty(GltfArray::Lights)
            && !keep_only(text, "/extensions", &["KHR_lights_punctual"], splices)
        {
            gone.insert("extensions");
        }
        for key in ["extensionsUsed", "extensionsRequired"] {
            let unused: Vec<String> = unused.iter().map(|name| format!("\"{name}\"")).collect();
            let Some(list) = members.iter().find(|member| member.raw_key == key) else { continue };
            let names: Vec<Range<usize>> =
                Members::of(text, &list.value).map(|entry| entry.value).collect();
            let is_used = |index: usize| !unused.iter().any(|it| *it == text[names[index].clone()]);
            match (0..names.len()).filter(|&index| is_used(index)).count() {
                0 if !names.is_empty() => _ = gone.insert(key),
                _ => splices.remove(&names, is_used),
            }
        }
        let spans: Vec<_> = members.iter().map(|it| it.start..it.value.end).collect();
        splices.remove(&spans, |index| !gone.contains(members[index].raw_key));
    }

    /// Extensions that only unused entries have.
    fn unused_extensions(&self, without_lights: bool) -> BTreeSet<&str> {
        let mut unused = self.survey.extension_names();
        if without_lights {
            unused.insert("KHR_lights_punctual");
        } else if !self.live.of_list(GltfArray::Lights).is_empty() {
            unused.remove("KHR_lights_punctual");
        }
        // Those of the root as a whole are not looked at.
        unused.remove("KHR_materials_variants");
        unused.remove("KHR_xmp_json_ld");
        for (list, index, name) in &self.survey.extensions {
            if self.live.is_used(*list, *index) {
                unused.remove(name);
            }
        }
        unused
    }
}

/// Takes members out of the object at a pointer; false if none would be left.
fn keep_only(text: &str, pointer: &str, gone: &[&str], splices: &mut Splices) -> bool {
    let Some(object) = crate::json::value_at(text, pointer) else { return true };
    let members: Vec<Member<'_>> = Members::of(text, &object).collect();
    let is_kept = |index: usize| !gone.contains(&members[index].raw_key);
    if !(0..members.len()).any(is_kept) {
        return false;
    }
    let spans: Vec<_> = members.iter().map(|it| it.start..it.value.end).collect();
    splices.remove(&spans, is_kept);
    true
}

/// A member of the object at a span.
fn member<'a>(text: &'a str, object: &Range<usize>, key: &str) -> Option<Member<'a>> {
    Members::of(text, object).find(|member| member.raw_key == key)
}

/// Gives a member of an object with others another number. One that is not there is 0.
fn put_number(text: &str, object: &Range<usize>, key: &str, number: usize, splices: &mut Splices) {
    let Some(found) = member(text, object, key) else {
        if number != 0 {
            let start = object.start + 1;
            splices.put(start..start, format!("\"{key}\":{number},"));
        }
        return;
    };
    let old = serde_json::from_str::<UInt>(&text[found.value.clone()]).map(UInt::index);
    if old.ok() != Some(number) {
        splices.put(found.value, number.to_string());
    }
}
