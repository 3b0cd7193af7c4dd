//! Names: name → nodes and node → name.
//!
//! All texts are in one `String`, in the order in which they were set, so setting a
//! name costs no more than copying it. The age of a name is a counter, so that one
//! that comes back (by an undo) is as old as it was.
//! Lookups by name use lists (`lists.rs`), which are built by the first lookup and
//! kept up to date from then on: a graph that is never searched pays for the texts
//! only, and one without names pays nothing.
//!
//! Texts that are no longer in use are removed when they take more than half of the
//! space.
//!
//! Invariant: each named node has its own text, even if names are equal. The lists,
//! once built, contain each named node once, the lowest age first.

#[cfg(not(feature = "std"))]
mod btree_index;
#[cfg(feature = "std")]
mod hash_index;
mod lists;

use alloc::string::String;
use alloc::vec::Vec;

#[cfg(not(feature = "std"))]
use btree_index::{ListMap, NameIndex};
#[cfg(feature = "std")]
use hash_index::{ListMap, NameIndex};
use lists::NameLists;

/// The location of a name in the texts.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    len: usize,
    age: u64,
}

const UNNAMED: Span = Span { start: usize::MAX, len: 0, age: 0 };

/// The maximum age of a name that is restored: more than a program can set.
const MAX_AGE: u64 = 1 << 62;

impl Span {
    fn is_named(self) -> bool {
        self.start != UNNAMED.start
    }

    /// Returns the number of bytes it occupies: an empty name takes one, so that no
    /// two names start at the same byte.
    fn stored_len(self) -> usize {
        self.len.max(1)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    texts: String,
    /// The number of bytes of `texts` that are not in use.
    unused: usize,
    /// By slot, up to the last named slot.
    spans: Vec<Span>,
    next_age: u64,
    index: NameIndex,
    /// The lists are not in the order of age.
    is_index_unordered: bool,
}

impl Names {
    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Option<&str> {
        let &Span { start, len, .. } = self.spans.get(slot as usize)?;
        self.texts.get(start..)?.get(..len)
    }

    /// Returns `true` if the slot has a name.
    #[inline]
    pub(crate) fn is_named(&self, slot: u32) -> bool {
        self.spans.get(slot as usize).is_some_and(|span| span.is_named())
    }

    /// Returns the slots with this name, the oldest name first.
    pub(crate) fn slots_named(&self, name: &str) -> impl Iterator<Item = u32> + Clone + '_ {
        let lists = self.index.get_or_build(|| self.build_lists());
        let oldest = lists.list(name).find(|&slot| self.get(slot) == Some(name));
        let text = oldest.and_then(|slot| self.get(slot));
        core::iter::successors(oldest, move |&slot| {
            lists.after(slot).find(|&slot| self.get(slot) == text)
        })
    }

    /// Returns `true` if any node has this name.
    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.slots_named(name).next().is_some()
    }

    /// Returns the age of the next name.
    pub(crate) fn next_age(&self) -> u64 {
        self.next_age
    }

    /// Fills empty names: those of `named`, with their ages, and the ends of their texts, which are
    /// one after the other in `texts`. The ages are below `next_age`.
    pub(crate) fn restore_all(
        &mut self,
        named: &[u32],
        ages: &[u64],
        ends: &[usize],
        texts: String,
        next_age: u64,
    ) {
        self.spans.resize(named.iter().max().map_or(0, |&slot| slot as usize + 1), UNNAMED);
        let starts = || [0].iter().chain(ends);
        let rows = named.iter().zip(ages).zip(starts().zip(ends));
        // Empty names take a byte each, so that texts with some are copied.
        let has_empty = starts().zip(ends).any(|(start, end)| start == end);
        for ((&slot, &age), (&start, &end)) in rows {
            self.spans[slot as usize] = match has_empty {
                true => append(&mut self.texts, &texts[start..end], age),
                false => Span { start, len: end - start, age },
            };
        }
        if !has_empty {
            self.texts = texts;
        }
        self.next_age = next_age;
        // Without `std` the lists are always there.
        self.is_index_unordered = true;
        self.finish_restoring();
    }

    /// Sets a name, and returns whether it changed.
    pub(crate) fn set(&mut self, slot: u32, name: &str) -> bool {
        if self.get(slot) == Some(name) {
            return false;
        }
        self.clear(slot);
        // The pass over the spans is amortized over as many unused bytes.
        if self.unused > self.used() + self.spans.len() {
            self.compact();
        }
        if self.spans.len() <= slot as usize {
            self.spans.resize(slot as usize + 1, UNNAMED);
        }
        let age = self.next_age;
        self.next_age += 1;
        self.spans[slot as usize] = append(&mut self.texts, name, age);
        if let Some(lists) = self.index.get_mut() {
            lists.push(slot, name);
        }
        true
    }

    /// Returns the name of a slot, and its age.
    pub(crate) fn get_with_age(&self, slot: u32) -> Option<(&str, u64)> {
        Some((self.get(slot)?, self.spans[slot as usize].age))
    }

    /// Sets a name that the slot had before, with the age that it had.
    /// `finish_restoring` completes this.
    pub(crate) fn restore(&mut self, slot: u32, name: &str, age: u64) {
        // A patch may contain any number; ages must not overflow.
        let age = age.min(MAX_AGE);
        self.clear(slot);
        self.set(slot, name);
        self.spans[slot as usize].age = age;
        // The age of the next name is greater than all, also those of another graph.
        self.next_age = self.next_age.max(age + 1);
        let Some(lists) = self.index.get_mut() else { return };
        let spans = &self.spans;
        if !lists.move_older(slot, name, |other| spans[other as usize].age > age) {
            self.is_index_unordered = true;
        }
    }

    /// Brings the lists up to date after names were restored.
    pub(crate) fn finish_restoring(&mut self) {
        if core::mem::take(&mut self.is_index_unordered) {
            let mut index = core::mem::take(&mut self.index);
            index.reset(|| self.build_lists());
            self.index = index;
        }
    }

    /// Removes a name, and returns whether there was one.
    pub(crate) fn clear(&mut self, slot: u32) -> bool {
        let Some(&span) = self.spans.get(slot as usize) else { return false };
        if !span.is_named() {
            return false;
        }
        if let Some(lists) = self.index.get_mut() {
            lists.remove(slot, &self.texts[span.start..][..span.len]);
        }
        self.spans[slot as usize] = UNNAMED;
        self.unused += span.stored_len();
        if self.used() == 0 {
            self.texts.clear();
            self.unused = 0;
        }
        true
    }

    /// Returns the number of bytes of `texts` that are in use.
    fn used(&self) -> usize {
        self.texts.len() - self.unused
    }

    #[cold]
    fn compact(&mut self) {
        let mut texts = String::with_capacity(2 * self.used());
        for slot in self.by_age() {
            let Span { start, len, age } = self.spans[slot as usize];
            self.spans[slot as usize] = append(&mut texts, &self.texts[start..][..len], age);
        }
        self.texts = texts;
        self.unused = 0;
    }

    /// Returns the named slots, the oldest name first.
    pub(crate) fn by_age(&self) -> Vec<u32> {
        let slots = (0..).zip(&self.spans).filter(|(_, span)| span.is_named());
        // Mostly sorted already, so sorting is fast.
        let mut by_age: Vec<(u64, u32)> = slots.map(|(slot, span)| (span.age, slot)).collect();
        by_age.sort_unstable();
        by_age.into_iter().map(|(_, slot)| slot).collect()
    }

    fn build_lists(&self) -> NameLists {
        let by_age = self.by_age();
        let mut lists = NameLists::with_capacity(self.spans.len(), by_age.len());
        for slot in by_age {
            let Span { start, len, .. } = self.spans[slot as usize];
            lists.push(slot, &self.texts[start..][..len]);
        }
        lists
    }

    /// Returns `true` if the lists have been built. For `read/check.rs`, which must
    /// not build them.
    pub(crate) fn is_indexed(&self) -> bool {
        self.index.get().is_some()
    }

    /// Returns the age of the name of a slot, for `read/check.rs`.
    pub(crate) fn age(&self, slot: u32) -> u64 {
        self.spans[slot as usize].age
    }

    /// Returns the byte range of the text of a named slot, for `read/check.rs`.
    pub(crate) fn byte_range(&self, slot: u32) -> core::ops::Range<usize> {
        let span = self.spans[slot as usize];
        span.start..span.start + span.stored_len()
    }

    /// Returns the total and the unused number of bytes, for `read/check.rs`.
    pub(crate) fn byte_counts(&self) -> (usize, usize) {
        (self.texts.len(), self.unused)
    }
}

/// Appends a name, and returns its location.
#[inline]
fn append(texts: &mut String, name: &str, age: u64) -> Span {
    let span = Span { start: texts.len(), len: name.len(), age };
    texts.push_str(if name.is_empty() { "\0" } else { name });
    span
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    const NAMES: [&str; 9] = ["", "a", "b", "cc", "dd", "ä", "🌳", "a name", "a longer name"];

    /// Random naming, compared with a plain list, oldest name first. The lists are
    /// built at a random step, or only for the comparison; and hashes collide (see
    /// `hash_index.rs`).
    #[test]
    fn slots_by_name_agree_with_a_plain_list_whenever_the_lists_are_built() {
        let mut rng = testkit::Rng::new(11);
        let mut random = |below: usize| rng.below(below);
        for round in 0..if cfg!(miri) { 3 } else { 60 } {
            let mut names = Names::default();
            let mut naive: Vec<(u32, &str)> = Vec::new();
            let indexed_at = random(600);
            for step in 0..if cfg!(miri) { 40 } else { 400 } {
                if step == indexed_at {
                    _ = names.slots_named("").next();
                    assert!(names.is_indexed());
                }
                let (slot, name) = (random(30) as u32, NAMES[random(NAMES.len())]);
                if random(4) == 0 {
                    names.clear(slot);
                    naive.retain(|&(other, _)| other != slot);
                } else {
                    names.set(slot, name);
                    if !naive.contains(&(slot, name)) {
                        naive.retain(|&(other, _)| other != slot);
                        naive.push((slot, name));
                    }
                }
                let copy = names.clone();
                for name in NAMES {
                    let expected = naive.iter().filter(|(_, held)| *held == name);
                    let expected: Vec<u32> = expected.map(|&(slot, _)| slot).collect();
                    let found: Vec<u32> = copy.slots_named(name).collect();
                    assert_eq!(found, expected, "{name:?}, round {round}, step {step}");
                }
            }
            for slot in 0..30 {
                let held = naive.iter().find(|&&(other, _)| other == slot);
                assert_eq!(names.get(slot), held.map(|&(_, name)| name));
            }
        }
    }

    #[test]
    fn unused_texts_are_removed() {
        let mut names = Names::default();
        for slot in 0..100 {
            names.set(slot, "a name that stays");
        }
        let count = if cfg!(miri) { 200 } else { 10_000 };
        for number in 0..count {
            names.set(number % 50, &format!("name {number}"));
            assert!(names.texts.len() <= 2 * names.used() + 120);
        }
        assert_eq!(
            (names.get(7), names.get(99)),
            (Some(&*format!("name {}", count - 43)), Some("a name that stays"))
        );
        (0..100).for_each(|slot| _ = names.clear(slot));
        assert_eq!(names.byte_counts(), (0, 0));
    }
}
