//! `Content`: every bit of a component or an asset, for comparing, hashing and counting.
//!
//! Components and assets write what they consist of; the recorded history then compares values bit
//! for bit, gives states of a scene a number (`history/revisions.rs`), and counts the assets that a
//! patch keeps alive. So a type lists its fields once for all three.
//!
//! Invariant: two values of a type that write the same are the same, as long as the assets that both
//! refer to are; lists therefore write their length, and variants their number.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use pleach_graph::NodeId;

use crate::assets::{Asset, AssetVersion};
use crate::{AssetId, Component, Handle};

/// Receives the content of a component or an asset: see
/// [`Component::write_content`](crate::Component::write_content).
///
/// It is a [`Hasher`], so that a type with `Hash` writes itself by `self.hash(content)`. Numbers and
/// handles, which have no `Hash` by content, have methods of their own.
#[derive(Debug)]
pub struct Content {
    sink: Sink,
    is_complete: bool,
}

#[derive(Debug)]
enum Sink {
    /// Everything, with the ids of assets.
    Bits(Vec<u8>),
    Hash(ContentHash),
    /// Only assets.
    Assets(AssetBytes),
}

/// A hash that takes one word at a time; not for adversaries.
#[derive(Debug)]
struct ContentHash {
    hash: u64,
    /// Assets are distinguished by their number in the registry, too.
    has_numbers: bool,
    /// By asset: how many others were written before it.
    first_uses: BTreeMap<AssetId, u64>,
    /// The number of references to assets.
    references: u64,
}

impl ContentHash {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

    #[inline]
    fn add(&mut self, word: u64) {
        self.hash = (self.hash.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }

    #[inline]
    fn add_numbers(&mut self, numbers: &[f32]) {
        for pair in numbers.chunks(2) {
            let high = pair.get(1).map_or(0, |number| number.to_bits());
            self.add(u64::from(high) << 32 | u64::from(pair[0].to_bits()));
        }
    }
}

/// The memory of assets, each counted once.
#[derive(Debug, Default)]
struct AssetBytes {
    bytes: usize,
    counted: BTreeSet<AssetId>,
    /// Not counted.
    ignored: BTreeSet<AssetId>,
    is_ignoring: bool,
}

impl AssetBytes {
    /// Returns `true` if the asset was not added before.
    fn add<T: Asset>(&mut self, handle: &Handle<T>) -> bool {
        let id = handle.id();
        if self.is_ignoring {
            return self.ignored.insert(id);
        }
        let is_new = !self.ignored.contains(&id) && self.counted.insert(id);
        if is_new {
            self.bytes += handle.get().byte_size();
        }
        is_new
    }
}

impl Content {
    fn new(sink: Sink) -> Self {
        Self { sink, is_complete: true }
    }

    fn bits() -> Self {
        Self::new(Sink::Bits(Vec::new()))
    }

    fn hash(has_numbers: bool) -> Self {
        let (hash, first_uses) = (ContentHash::SEED, BTreeMap::new());
        Self::new(Sink::Hash(ContentHash { hash, has_numbers, first_uses, references: 0 }))
    }

    /// Creates a hash that is the same for equal scenes, whatever ids their assets have.
    pub(crate) fn of_scene() -> Self {
        Self::hash(false)
    }

    /// Creates a hash that distinguishes assets with the same value.
    pub(crate) fn of_edits() -> Self {
        Self::hash(true)
    }

    /// Creates a sum of the memory of assets.
    pub(crate) fn of_assets() -> Self {
        Self::new(Sink::Assets(AssetBytes::default()))
    }

    /// Returns `false` if something was written that has no content.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the memory of the assets that were written, in bytes.
    pub(crate) fn asset_bytes(&self) -> usize {
        if let Sink::Assets(assets) = &self.sink { assets.bytes } else { 0 }
    }

    /// Counts the assets that `write` writes, except for those that `ignored` writes.
    pub(crate) fn count_without(
        &mut self,
        ignored: impl FnOnce(&mut Self),
        write: impl FnOnce(&mut Self),
    ) {
        self.set_ignoring(true);
        ignored(self);
        self.set_ignoring(false);
        write(self);
        if let Sink::Assets(assets) = &mut self.sink {
            assets.ignored.clear();
        }
    }

    /// Counts an asset as 0 bytes from now on.
    pub(crate) fn skip_asset(&mut self, id: AssetId) {
        if let Sink::Assets(assets) = &mut self.sink {
            assets.counted.insert(id);
        }
    }

    fn set_ignoring(&mut self, is_ignoring: bool) {
        if let Sink::Assets(assets) = &mut self.sink {
            assets.is_ignoring = is_ignoring;
        }
    }

    /// Writes a component, if its kind has content.
    pub(crate) fn write_component<T: Component>(&mut self, component: &T) {
        self.is_complete &= component.write_content(self);
    }

    /// Hashes the component of a node, if its kind has content.
    pub(crate) fn write_row<T: Component>(&mut self, node: NodeId, component: &T) {
        let before = self.finish();
        self.write_text(T::NAME);
        node.hash(self);
        if !component.write_content(self)
            && let Sink::Hash(hash) = &mut self.sink
        {
            hash.hash = before;
        }
    }

    /// Writes numbers by their bits, and how many there are.
    pub fn write_numbers(&mut self, numbers: &[f32]) {
        self.write_usize(numbers.len());
        match &mut self.sink {
            Sink::Bits(bytes) => bytes.extend(numbers.iter().flat_map(|it| it.to_le_bytes())),
            Sink::Hash(hash) => hash.add_numbers(numbers),
            Sink::Assets(_) => {}
        }
    }

    /// Writes rows of numbers by their bits, and how many there are.
    pub(crate) fn write_rows<T: AsRef<[f32; N]>, const N: usize>(&mut self, rows: &[T]) {
        self.write_usize(rows.len());
        match &mut self.sink {
            Sink::Bits(bytes) => {
                let numbers = rows.iter().flat_map(|row| row.as_ref());
                bytes.extend(numbers.flat_map(|it| it.to_le_bytes()));
            }
            Sink::Hash(hash) => rows.iter().for_each(|row| hash.add_numbers(row.as_ref())),
            Sink::Assets(_) => {}
        }
    }

    pub(crate) fn write_text(&mut self, text: &str) {
        self.write_usize(text.len());
        self.write(text.as_bytes());
    }

    pub(crate) fn write_option<T>(&mut self, value: Option<&T>, write: impl FnOnce(&mut Self, &T)) {
        self.write_u8(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// Writes a reference to an asset, and its current value.
    pub fn write_asset<T: Asset>(&mut self, handle: &Handle<T>) {
        match &mut self.sink {
            Sink::Bits(_) => self.write_u64(handle.id().to_bits()),
            Sink::Assets(assets) => {
                if assets.add(handle) {
                    handle.snapshot().value().write_content(self);
                }
            }
            Sink::Hash(_) => {
                if self.is_first_use(handle.id()) {
                    self.write_version(&handle.snapshot());
                }
            }
        }
    }

    /// Writes an edit of an asset: which one, and the version after it.
    pub(crate) fn write_asset_edit<T: Asset>(&mut self, handle: &Handle<T>, new: &AssetVersion<T>) {
        self.write_text(&T::KIND.to_string());
        self.is_first_use(handle.id());
        self.write_version(new);
    }

    /// Writes which asset it is; returns `true` if it was not written before.
    fn is_first_use(&mut self, id: AssetId) -> bool {
        let Sink::Hash(hash) = &mut self.sink else { return false };
        hash.references += 1;
        if hash.has_numbers {
            hash.add(id.to_bits() & u64::from(u32::MAX));
        }
        let uses = hash.first_uses.len() as u64;
        let use_of_asset = *hash.first_uses.entry(id).or_insert(uses);
        hash.add(use_of_asset);
        use_of_asset == uses
    }

    /// Writes the hash of a version, which keeps it if it refers to no other assets.
    fn write_version<T: Asset>(&mut self, version: &AssetVersion<T>) {
        let Sink::Hash(hash) = &mut self.sink else { return };
        if let Some(known) = version.content_hash() {
            hash.add(known);
            return;
        }
        let (outer, references) = (hash.hash, hash.references);
        hash.hash = ContentHash::SEED;
        let has_content = version.value().write_content(self);
        self.is_complete &= has_content;
        let Sink::Hash(hash) = &mut self.sink else { return };
        let own = if has_content { hash.hash } else { 0 };
        if has_content && hash.references == references {
            version.set_content_hash(own);
        }
        hash.hash = outer;
        hash.add(own);
    }
}

impl Hasher for Content {
    /// Returns the hash; 0 if the content is not hashed.
    fn finish(&self) -> u64 {
        if let Sink::Hash(hash) = &self.sink { hash.hash } else { 0 }
    }

    fn write(&mut self, bytes: &[u8]) {
        match &mut self.sink {
            Sink::Bits(bits) => bits.extend_from_slice(bytes),
            Sink::Hash(hash) => {
                for chunk in bytes.chunks(8) {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    hash.add(u64::from_le_bytes(word));
                }
            }
            Sink::Assets(_) => {}
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        match &mut self.sink {
            Sink::Bits(bits) => bits.extend_from_slice(&number.to_le_bytes()),
            Sink::Hash(hash) => hash.add(number),
            Sink::Assets(_) => {}
        }
    }

    fn write_u128(&mut self, number: u128) {
        self.write(&number.to_le_bytes());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// Returns `true` if two values write the same content, and `None` if they have none.
fn compare(contents: &mut [Content; 2], write: [&dyn Fn(&mut Content) -> bool; 2]) -> Option<bool> {
    for (content, write) in contents.iter_mut().zip(write) {
        if let Sink::Bits(bits) = &mut content.sink {
            bits.clear();
        }
        if !write(content) {
            return None;
        }
    }
    match [&contents[0].sink, &contents[1].sink] {
        [Sink::Bits(a), Sink::Bits(b)] => Some(a == b),
        _ => None,
    }
}

/// Compares values bit for bit.
pub(crate) struct Comparison([Content; 2]);

impl Comparison {
    pub(crate) fn new() -> Self {
        Self([Content::bits(), Content::bits()])
    }

    /// Returns `true` if both components have the same content; `false` if their kind has none.
    pub(crate) fn is_same_component<T: Component>(&mut self, a: &T, b: &T) -> bool {
        let write = |component: &T, content: &mut Content| component.write_content(content);
        compare(&mut self.0, [&|it| write(a, it), &|it| write(b, it)]).unwrap_or(false)
    }

    /// Returns whether both values of an asset have the same content; `None` if its kind has none.
    pub(crate) fn is_same_asset<T: Asset>(&mut self, a: &T, b: &T) -> Option<bool> {
        let write = |asset: &T, content: &mut Content| asset.write_content(content);
        compare(&mut self.0, [&|it| write(a, it), &|it| write(b, it)])
    }

    pub(crate) fn is_same(&mut self, a: impl Fn(&mut Content), b: impl Fn(&mut Content)) -> bool {
        let all = |write: &dyn Fn(&mut Content), content: &mut Content| {
            write(content);
            true
        };
        compare(&mut self.0, [&|it| all(&a, it), &|it| all(&b, it)]).unwrap_or(false)
    }
}
