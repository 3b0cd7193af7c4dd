//! A set of rows: those in which a tree that is out of date may differ from the index, for example.
//!
//! A list without duplicates, as long as it is short. Once it would be cheaper to visit all rows, it
//! only records that: marking many rows then costs nothing.
//!
//! Invariant: a row is in `list` if and only if its bit is set. If `all` is set, both are empty.

use super::rows::WORD;

#[derive(Clone, Debug, Default)]
pub(crate) struct DirtyRows {
    bits: Vec<u64>,
    list: Vec<u32>,
    all: bool,
}

impl DirtyRows {
    /// Marks a row.
    #[inline]
    pub(crate) fn mark(&mut self, row: usize) {
        if self.all {
            return;
        }
        if self.bits.len() <= row / WORD {
            self.bits.resize(row / WORD + 1, 0);
        }
        let (word, bit) = (&mut self.bits[row / WORD], 1 << (row % WORD));
        if *word & bit == 0 {
            *word |= bit;
            self.list.push(row as u32);
        }
    }

    /// Marks all rows.
    pub(crate) fn mark_all(&mut self) {
        self.clear();
        self.all = true;
    }

    /// Unmarks all rows.
    pub(crate) fn clear(&mut self) {
        for row in self.list.drain(..) {
            self.bits[row as usize / WORD] = 0;
        }
        self.all = false;
    }

    /// Returns `true` if all rows count as marked.
    pub(crate) fn is_all(&self) -> bool {
        self.all
    }

    /// Returns the marked rows, unless all are marked.
    pub(crate) fn list(&self) -> &[u32] {
        &self.list
    }

    /// Returns the number of marked rows, of `count` rows.
    pub(crate) fn len(&self, count: usize) -> usize {
        if self.all { count } else { self.list.len() }
    }

    /// Returns `true` if the row is marked.
    pub(crate) fn contains(&self, row: usize) -> bool {
        self.all || self.bits.get(row / WORD).is_some_and(|word| word >> (row % WORD) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_listed_once_until_they_are_cleared() {
        let mut dirty = DirtyRows::default();
        for row in [5, 200, 5, 64, 200] {
            dirty.mark(row);
        }
        assert_eq!((dirty.list(), dirty.len(900)), (&[5, 200, 64][..], 3));
        assert!(dirty.contains(64) && !dirty.contains(65) && !dirty.contains(10_000));
        dirty.mark_all();
        dirty.mark(7);
        assert_eq!((dirty.list(), dirty.len(900), dirty.contains(10_000)), (&[][..], 900, true));
        dirty.clear();
        dirty.mark(5);
        assert_eq!((dirty.list(), dirty.contains(6)), (&[5][..], false));
    }
}
