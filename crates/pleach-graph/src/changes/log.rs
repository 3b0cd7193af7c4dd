//! `ChangeLog`: a list of changed slots that several readers follow at their own
//! pace.
//!
//! Writing appends slots and stores, for each slot, the position of its latest
//! entry; an earlier entry of the same slot is thereby superseded. A reader is a
//! position: its unread changes are the latest entries from there on, so it sees
//! each changed slot once, however often it changed.
//!
//! Positions only grow, until they are renumbered: when there are more than twice
//! as many entries as slots, entries that are superseded or were read by all
//! readers are dropped, and the readers' positions are adjusted.
//!
//! The positions of the readers are needed only for that, and to reuse the memory of
//! entries that all have read. They are looked at once as many entries were added as
//! there are readers, so that a change costs the same whatever their number.
//!
//! Invariant: an entry is live iff `latest[slot]` is its position; a slot has at
//! most one live entry. There are at most three entries per slot, plus a constant and
//! one per reader.

use alloc::vec::Vec;

use super::renumbering::Renumbering;

#[derive(Clone, Debug)]
pub(crate) struct ChangeLog {
    entries: Vec<u32>,
    /// The position of `entries[0]`.
    base: u32,
    /// By slot, up to the highest slot listed: the position of its latest entry; 0
    /// for none.
    latest: Vec<u32>,
    /// The number of entries at which the readers are looked at.
    look_at: usize,
    /// The number of superseded entries below which dropping them does not pay off.
    slack: usize,
    renumbering: Renumbering,
}

/// The minimum of `ChangeLog::slack`.
const MIN_SLACK: usize = 1024;
/// The minimum room that `reserve_room` makes.
const MIN_ROOM: usize = 64;

impl ChangeLog {
    pub(crate) fn new() -> Self {
        Self {
            entries: Vec::new(),
            base: 1,
            latest: Vec::new(),
            look_at: 0,
            slack: MIN_SLACK,
            renumbering: Renumbering::default(),
        }
    }

    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let additional = slots.saturating_sub(self.latest.len());
        self.latest.try_reserve_exact(additional).map_err(drop)
    }

    /// Grows `latest` to at least `slots` slots.
    #[inline]
    pub(crate) fn grow_to(&mut self, slots: usize) {
        if self.latest.len() < slots {
            self.latest.resize(slots, 0);
        }
    }

    /// Returns the number of entries, superseded ones included.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the position after the last entry.
    #[inline]
    pub(crate) fn end(&self) -> u32 {
        self.base + self.entries.len() as u32
    }

    /// Returns the position of the latest entry of a slot; 0 for none.
    #[inline]
    pub(crate) fn position(&self, slot: u32) -> u32 {
        self.latest[slot as usize]
    }

    /// Returns `true` if the slot was listed at `position` or later.
    #[inline]
    pub(crate) fn listed_since(&self, slot: u32, position: u32) -> bool {
        self.latest[slot as usize] >= position
    }

    /// Lists one slot. `reserve` must have been called.
    #[inline]
    pub(crate) fn push(&mut self, slot: u32) {
        self.latest[slot as usize] = self.end();
        self.entries.push(slot);
    }

    /// Lists one slot if there is room for it; `reserve_room` makes some.
    #[inline]
    pub(crate) fn try_push(&mut self, slot: u32) -> bool {
        let has_room =
            (slot as usize) < self.latest.len() && self.entries.len() < self.entries.capacity();
        if has_room {
            self.push(slot);
        }
        has_room
    }

    /// Makes room for `try_push` in a graph with `slots` slots; otherwise like
    /// `reserve`.
    #[cold]
    pub(crate) fn reserve_room(&mut self, slots: usize, readers: &mut [u32]) {
        if self.latest.len() < slots {
            self.grow_to(slots.max(2 * self.latest.len()).max(MIN_ROOM));
        }
        self.reserve(1, slots, readers);
        let len = self.entries.len();
        let room = (2 * len).max(MIN_ROOM).min(2 * slots + self.slack + 1) - len;
        let room = room.max(readers.len());
        self.entries.reserve_exact(room);
        if (u32::MAX - self.end()) as usize <= self.entries.capacity() - len {
            self.renumber(readers);
        }
    }

    /// Lists slots. `reserve` must have been called.
    #[inline]
    pub(crate) fn append(&mut self, slots: &[u32]) {
        for (&slot, position) in slots.iter().zip(self.end()..) {
            self.latest[slot as usize] = position;
        }
        self.entries.extend_from_slice(slots);
    }

    /// Lists all slots, of which there are `slots`, in order. `reserve` must have been
    /// called. All earlier entries are superseded and therefore dropped.
    pub(crate) fn append_all(&mut self, slots: usize) {
        let position = self.end();
        self.base = position;
        self.entries.clear();
        self.entries.extend(0..slots as u32);
        for (latest, position) in self.latest[..slots].iter_mut().zip(position..) {
            *latest = position;
        }
    }

    /// Returns the entries from `position` on.
    pub(crate) fn since(&self, position: u32) -> &[u32] {
        &self.entries[(position - self.base) as usize..]
    }

    /// Removes a slot from the list.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        if let Some(latest) = self.latest.get_mut(slot as usize) {
            *latest = 0;
        }
    }

    /// Returns the slots listed from position `from` on, each once, in the order of
    /// their latest change.
    pub(crate) fn read(&self, from: u32) -> Entries<'_> {
        let from = from.max(self.base);
        let entries = self.entries.get((from - self.base) as usize..).unwrap_or(&[]);
        Entries { entries: entries.iter(), position: from, latest: &self.latest }
    }

    /// Returns `true` if `reserve` has to be called before `additional` entries are
    /// added, because the readers' positions are needed.
    #[inline]
    pub(crate) fn needs_readers(&self, additional: usize, slots: usize) -> bool {
        self.entries.len() >= self.look_at
            || self.is_full(additional, slots)
            || self.runs_out_of_positions(additional)
    }

    fn is_full(&self, additional: usize, slots: usize) -> bool {
        self.entries.len() + additional > 2 * slots + additional.min(slots) + self.slack
    }

    fn runs_out_of_positions(&self, additional: usize) -> bool {
        (u32::MAX - self.end()) as usize <= additional
    }

    /// Prepares for `additional` entries. `readers` are the positions of all
    /// readers, which are adjusted where positions change.
    pub(crate) fn reserve(&mut self, additional: usize, slots: usize, readers: &mut [u32]) {
        self.slack = MIN_SLACK.max(readers.len());
        let first_unread = readers.iter().copied().min().unwrap_or(self.end());
        if first_unread >= self.end() {
            self.base = self.end();
            self.entries.clear();
        }
        if self.is_full(additional, slots) {
            self.compact(readers);
        }
        // Positions run out after 2^32 changes.
        if self.runs_out_of_positions(additional) {
            self.renumber(readers);
        }
        self.look_at = self.entries.len() + readers.len();
    }

    /// Drops entries that are superseded or were read by all. The remaining entries
    /// get new positions after all old ones.
    fn compact(&mut self, readers: &mut [u32]) {
        if ((u32::MAX - self.end()) as usize) <= self.entries.len() {
            self.renumber(readers);
        }
        let first_unread = readers.iter().copied().min().unwrap_or(self.end());
        let (old_base, old_end) = (self.base, self.end());
        let Self { entries, latest, renumbering, .. } = self;
        renumbering.begin(readers);
        let mut kept = 0;
        for index in 0..entries.len() {
            let (slot, position) = (entries[index], old_base + index as u32);
            renumbering.advance(position, old_end + kept);
            if position >= first_unread && latest[slot as usize] == position {
                latest[slot as usize] = old_end + kept;
                entries[kept as usize] = slot;
                kept += 1;
            }
        }
        renumbering.finish(old_end + kept, readers);
        entries.truncate(kept as usize);
        self.base = old_end;
    }

    /// Renumbers positions, starting at 1.
    #[cold]
    fn renumber(&mut self, readers: &mut [u32]) {
        let offset = self.base - 1;
        for latest in &mut self.latest {
            *latest = latest.saturating_sub(offset);
        }
        for reader in readers {
            *reader = reader.saturating_sub(offset).max(1);
        }
        self.base = 1;
    }
}

/// The live entries from a position on.
#[derive(Clone, Debug)]
pub(crate) struct Entries<'a> {
    entries: core::slice::Iter<'a, u32>,
    position: u32,
    latest: &'a [u32],
}

impl Iterator for Entries<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        for &slot in self.entries.by_ref() {
            let position = self.position;
            self.position += 1;
            if self.latest[slot as usize] == position {
                return Some(slot);
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.entries.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    /// Readers of different paces, compared with a set of unread slots for each.
    #[test]
    fn every_reader_sees_every_change_once_at_its_own_pace() {
        const SLOTS: usize = 50;
        for first_position in [1, u32::MAX - if cfg!(miri) { 80 } else { 9_000 }] {
            let mut log = ChangeLog::new();
            log.base = first_position;
            log.grow_to(SLOTS);
            let mut readers = [first_position; 4];
            let mut unseen: [BTreeSet<u32>; 4] = Default::default();
            let mut rng = testkit::Rng::new(3);
            let mut random = |below: u32| rng.below(below as usize) as u32;
            for _ in 0..if cfg!(miri) { 150 } else { 20_000 } {
                log.reserve(1, SLOTS, &mut readers);
                let slot = random(SLOTS as u32);
                if random(20) == 0 {
                    log.remove(slot);
                    unseen.iter_mut().for_each(|set| _ = set.remove(&slot));
                } else {
                    log.push(slot);
                    unseen.iter_mut().for_each(|set| _ = set.insert(slot));
                }
                for (pace, (reader, unseen)) in
                    [2, 10, 300, 5_000].into_iter().zip(readers.iter_mut().zip(&mut unseen))
                {
                    if random(pace) == 0 {
                        let seen: Vec<u32> = log.read(*reader).collect();
                        let set: BTreeSet<u32> = seen.iter().copied().collect();
                        assert_eq!(set.len(), seen.len(), "a slot was listed twice");
                        assert_eq!(set, core::mem::take(unseen));
                        *reader = log.end();
                    }
                }
                assert!(log.entries.len() <= 3 * SLOTS + MIN_SLACK);
            }
        }
    }
}
