//! Entries that say the same: for each the first that does.
//!
//! Two are the same if their texts are, once what they name was exchanged for what stands for
//! it, and the bytes they show are the same. Names of materials and meshes, by which programs find
//! them, and extras are part of that; names of all else are not. Lists are gone through so that
//! what is named comes first.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};

use super::extent::{self, Extent};
use super::list::GltfArray;
use super::live::{Live, Same};
use super::splice::Splices;
use super::survey::Survey;
use crate::Bytes;
use crate::json::{Members, Root, UInt};

/// A file whose entries are compared.
pub(super) struct Equal<'a> {
    pub(super) root: &'a Root<'a>,
    pub(super) survey: &'a Survey<'a>,
    /// By buffer; none for one that is only a stand-in.
    pub(super) buffers: &'a [Option<Bytes>],
    /// What is used at all.
    pub(super) live: &'a Live,
}

impl Equal<'_> {
    pub(super) fn find(&self) -> Same {
        let mut same = Same::default();
        let uses = self.uses();
        let apart = self.apart();
        let lists = [
            GltfArray::BufferViews,
            GltfArray::Accessors,
            GltfArray::Images,
            GltfArray::Samplers,
            GltfArray::Textures,
            GltfArray::Materials,
            GltfArray::Meshes,
        ];
        let mut room = self.room();
        for list in lists {
            let mut met: HashMap<u64, Vec<(usize, String)>> = HashMap::new();
            let mut found = Vec::with_capacity(self.survey.entries[list].len());
            for index in 0..self.survey.entries[list].len() {
                let cost = self.cost(list, index);
                let is_used = self.live.is_used(list, index);
                let is_compared = is_used && cost <= room && !apart.contains(&(list, index));
                let key = Some(index).filter(|_| is_compared);
                let Some(key) = key.and_then(|index| self.key(list, index, &same, &uses)) else {
                    found.push(index);
                    continue;
                };
                room -= cost;
                let others = met.entry(self.hash(list, index, &key)).or_default();
                let first = others
                    .iter()
                    .find(|(other, text)| *text == key && self.has_same_bytes(list, *other, index));
                match first {
                    Some(&(first, _)) => found.push(first),
                    None => {
                        found.push(index);
                        others.push((index, key));
                    }
                }
            }
            same.0[list] = found;
        }
        same
    }

    /// How many bytes are looked at in all. An honest file's are looked at a few times; many
    /// accessors of the same bytes could keep one busy for days.
    fn room(&self) -> usize {
        const TIMES: usize = 64;
        let whole: usize = self.buffers.iter().flatten().map(|bytes| bytes.len()).sum();
        whole.saturating_mul(TIMES)
    }

    /// How many bytes are looked at for an entry.
    fn cost(&self, list: GltfArray, index: usize) -> usize {
        match list {
            GltfArray::BufferViews => self.view(index).map_or(0, <[u8]>::len),
            GltfArray::Accessors => {
                let accessor = &self.root.accessors[index];
                let view = accessor.buffer_view.map(UInt::index);
                let extent = view.and_then(|view| Extent::of_accessor(self.root, accessor, view));
                extent.map_or(0, |extent| extent.bytes.len())
            }
            _ => 0,
        }
    }

    /// What is not compared. What a pointer of an animation moves is another, even if it begins
    /// the same. Views of accessors must say how far elements are apart if several share them; so
    /// it is the accessors that are compared.
    fn apart(&self) -> HashSet<(GltfArray, usize)> {
        let names = self.survey.names.iter().filter(|name| name.is_pointer);
        let accessors = self.root.accessors.iter().enumerate();
        let accessors = accessors.filter(|it| self.live.is_used(GltfArray::Accessors, it.0));
        let views = accessors.filter_map(|(_, accessor)| accessor.buffer_view);
        let views = views.map(|view| (GltfArray::BufferViews, view.index()));
        names.map(|name| (name.list, name.index)).chain(views).collect()
    }

    /// By accessor, as bits: for vertices, for indices, for something else. One buffer view must
    /// not serve both of the first.
    fn uses(&self) -> Vec<u8> {
        let mut uses = vec![0u8; self.root.accessors.len()];
        let mut put = |accessor: UInt, bit: u8| {
            if let Some(uses) = uses.get_mut(accessor.index()) {
                *uses |= bit;
            }
        };
        for primitive in self.root.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            let targets = primitive.targets.iter().flat_map(|it| &it.0);
            primitive.attributes.0.iter().chain(targets).for_each(|(_, it)| put(*it, 1));
            primitive.indices.into_iter().for_each(|it| put(it, 2));
        }
        uses
    }

    /// What must be the same as text. None for what is not worth comparing.
    fn key(&self, list: GltfArray, index: usize, same: &Same, uses: &[u8]) -> Option<String> {
        let root = self.root;
        let ignored: &[&str] = match list {
            GltfArray::BufferViews => &["name", "buffer", "byteOffset"],
            GltfArray::Accessors => &["name", "bufferView", "byteOffset"],
            GltfArray::Images => &["name", "bufferView"],
            GltfArray::Samplers | GltfArray::Textures => &["name"],
            _ => &[],
        };
        let mut key = self.text(list, index, same, ignored);
        match list {
            GltfArray::BufferViews => {
                // Only whole ones; what is compressed is the same if it is the same piece.
                if let Some((_, extent)) = Extent::of_compressed(&root.buffer_views[index]).next() {
                    key.push_str(&format!("{extent:?}"));
                }
            }
            GltfArray::Accessors => {
                let accessor = &root.accessors[index];
                let view = accessor.buffer_view?.index();
                key.push_str(&format!(" used {}", uses[index]));
                key.push_str(&self.target(view));
                if Extent::of_accessor(root, accessor, view).is_none() {
                    let view = same.of(GltfArray::BufferViews, view);
                    key.push_str(&format!(" in {view} at {}", accessor.byte_offset.0));
                }
            }
            GltfArray::Images => {
                if let Some(view) = root.images[index].buffer_view {
                    let view = same.of(GltfArray::BufferViews, view.index());
                    key.push_str(&format!(" in {view}"));
                }
            }
            _ => {}
        }
        Some(key)
    }

    /// What a GPU uses a view for, if it says so.
    fn target(&self, view: usize) -> String {
        let Some(entry) = self.survey.entries[GltfArray::BufferViews].get(view) else {
            return String::new();
        };
        let mut members = Members::of(self.survey.text, &entry.span);
        let target = members.find(|member| member.raw_key == "target");
        target.map_or_else(String::new, |it| format!(" for {}", &self.survey.text[it.value]))
    }

    /// The text of an entry without white space and these members, and with what stands for
    /// what it names.
    fn text(&self, list: GltfArray, index: usize, same: &Same, ignored: &[&str]) -> String {
        let span = self.survey.entries[list][index].span.clone();
        let text = &self.survey.text[span.clone()];
        let mut splices = Splices::default();
        let members: Vec<_> = Members::of(text, &(0..text.len())).collect();
        for member in members.iter().filter(|member| ignored.contains(&member.raw_key)) {
            splices.put(member.start..member.value.end, "");
        }
        for name in self.survey.names_of(list, index) {
            let number = same.of(name.list, name.index).to_string();
            splices.put(name.span.start - span.start..name.span.end - span.start, number);
        }
        compact(&splices.apply(text))
    }

    fn hash(&self, list: GltfArray, index: usize, key: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(key.as_bytes());
        match list {
            GltfArray::BufferViews => hasher.write(self.view(index).unwrap_or_default()),
            GltfArray::Accessors => self.elements(index).for_each(|it| hasher.write(it)),
            _ => {}
        }
        hasher.finish()
    }

    fn has_same_bytes(&self, list: GltfArray, one: usize, other: usize) -> bool {
        match list {
            GltfArray::BufferViews => self.view(one) == self.view(other),
            GltfArray::Accessors => self.elements(one).eq(self.elements(other)),
            _ => true,
        }
    }

    /// The bytes of a view that is not compressed.
    fn view(&self, index: usize) -> Option<&[u8]> {
        let view = &self.root.buffer_views[index];
        if view.compressed().is_some() {
            return None;
        }
        self.bytes(&Extent::of_view(view)?)
    }

    fn bytes(&self, extent: &Extent) -> Option<&[u8]> {
        self.buffers.get(extent.buffer)?.as_ref()?.get(extent.bytes.clone())
    }

    /// The bytes of an accessor's elements; none if they are not known.
    fn elements(&self, index: usize) -> impl Iterator<Item = &[u8]> {
        let accessor = &self.root.accessors[index];
        let view = accessor.buffer_view.map(UInt::index);
        let column = view.and_then(|view| Extent::of_accessor(self.root, accessor, view));
        let bytes = column.and_then(|extent| self.bytes(&extent)).unwrap_or_default();
        let size = extent::element(accessor).unwrap_or(1);
        let view = view.and_then(|view| self.root.buffer_views.get(view));
        let apart = view.and_then(|view| view.byte_stride).map_or(size, UInt::index).max(1);
        bytes.chunks(apart).map(move |chunk| &chunk[..size.min(chunk.len())])
    }
}

/// Without white space, beside that in strings, and with no comma before the first member or
/// after another comma.
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
    fn white_space_and_commas_of_what_was_taken_out_go() {
        assert_eq!(
            compact("{ , \"a b\\\" ,\" : [1, 2] , , \"c\":3 , }"),
            "{\"a b\\\" ,\":[1,2],\"c\":3}"
        );
    }
}
