//! `RowSet`: the rows of an array that changed, as bits, and as few ranges.
//!
//! Invariant: empty between uploads. Its memory is kept.

use core::ops::Range;

/// A set of rows.
#[derive(Debug, Default)]
pub(crate) struct RowSet {
    words: Vec<u64>,
    ranges: Vec<Range<u32>>,
    rows: usize,
}

impl RowSet {
    /// Clears the set and makes room for rows below `len`.
    pub(crate) fn clear(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
        self.ranges.clear();
        self.rows = 0;
    }

    /// Makes room for rows below `len`.
    pub(crate) fn grow(&mut self, len: usize) {
        self.words.resize(self.words.len().max(len.div_ceil(64)), 0);
    }

    /// Adds a row.
    #[inline]
    pub(crate) fn insert(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    /// Adds all rows below `len`.
    pub(crate) fn insert_all(&mut self, len: usize) {
        self.words[..len / 64].fill(u64::MAX);
        (len / 64 * 64..len).for_each(|row| self.insert(row));
    }

    /// Computes the ranges of the rows, ascending. Ranges that are at most `max_gap` rows apart are
    /// merged; so they have at most `1 + max_gap` times as many rows as the set.
    pub(crate) fn compute_ranges(&mut self, max_gap: u32) {
        let Self { words, ranges, rows } = self;
        ranges.clear();
        *rows = 0;
        for (index, &word) in words.iter().enumerate() {
            if word == 0 {
                continue;
            }
            *rows += word.count_ones() as usize;
            let first = 64 * index as u32;
            if word == u64::MAX {
                push(ranges, first..first + 64, max_gap);
                continue;
            }
            let mut word = word;
            while word != 0 {
                let row = first + word.trailing_zeros();
                push(ranges, row..row + 1, max_gap);
                word &= word - 1;
            }
        }
    }

    /// Returns the number of rows, as of the last [`compute_ranges`](Self::compute_ranges).
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the ranges, as of the last [`compute_ranges`](Self::compute_ranges).
    pub(crate) fn ranges(&self) -> &[Range<u32>] {
        &self.ranges
    }
}

/// Appends a range that is after all others.
fn push(ranges: &mut Vec<Range<u32>>, next: Range<u32>, max_gap: u32) {
    match ranges.last_mut() {
        Some(last) if next.start - last.end <= max_gap => last.end = next.end,
        _ => ranges.push(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(rows: &[usize], max_gap: u32) -> Vec<Range<u32>> {
        let mut set = RowSet::default();
        set.clear(300);
        rows.iter().for_each(|&row| set.insert(row));
        set.compute_ranges(max_gap);
        assert_eq!(set.len(), rows.len());
        set.ranges().to_vec()
    }

    #[test]
    fn neighbours_and_small_gaps_are_merged() {
        assert_eq!(ranges(&[63, 64, 2, 299], 0), [2..3, 63..65, 299..300]);
        assert_eq!(ranges(&[2, 5, 10], 2), [2..6, 10..11]);
        assert_eq!(ranges(&[], 3), []);
    }

    #[test]
    fn all_rows_are_one_range() {
        let mut set = RowSet::default();
        for len in [0, 1, 64, 200] {
            set.clear(len);
            set.insert_all(len);
            set.compute_ranges(0);
            assert_eq!((set.len(), set.ranges().len()), (len, len.min(1)));
        }
    }
}
