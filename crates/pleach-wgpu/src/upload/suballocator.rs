//! `Suballocator`: free ranges of an array, and which of them to use next.
//!
//! Best fit: the smallest free range that is large enough, and of those the first. Freed ranges are
//! merged with their free neighbours at once.
//!
//! Invariant: free ranges neither overlap nor touch; both indices list the same ranges.

use std::collections::{BTreeMap, BTreeSet};

/// The free ranges of an array of `len` units.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suballocator {
    len: u32,
    free: u32,
    /// By start: the length.
    by_start: BTreeMap<u32, u32>,
    /// Length and start.
    by_length: BTreeSet<(u32, u32)>,
}

impl Suballocator {
    /// Creates an allocator of an array of which everything is free.
    pub(crate) fn new(len: u32) -> Self {
        let mut allocator = Self::default();
        allocator.grow(len);
        allocator
    }

    /// Returns the start of a range of `len` units, which is not free any more. O(log ranges).
    /// `None` if no free range is large enough. An empty range is at 0 and need not be freed.
    pub(crate) fn allocate(&mut self, len: u32) -> Option<u32> {
        if len == 0 {
            return Some(0);
        }
        let &(found, start) = self.by_length.range((len, 0)..).next()?;
        self.remove(start, found);
        if found > len {
            self.insert(start + len, found - len);
        }
        self.free -= len;
        Some(start)
    }

    /// Frees a range that was allocated. O(log ranges).
    pub(crate) fn release(&mut self, start: u32, len: u32) {
        if len == 0 {
            return;
        }
        self.free += len;
        let (mut start, mut len) = (start, len);
        let before = self.by_start.range(..start).next_back().map(|(&start, &len)| (start, len));
        if let Some((before, before_len)) = before
            && before + before_len == start
        {
            self.remove(before, before_len);
            (start, len) = (before, before_len + len);
        }
        if let Some(&after_len) = self.by_start.get(&(start + len)) {
            self.remove(start + len, after_len);
            len += after_len;
        }
        self.insert(start, len);
    }

    /// Makes the array longer.
    pub(crate) fn grow(&mut self, len: u32) {
        if len > self.len {
            let start = self.len;
            self.len = len;
            self.release(start, len - start);
        }
    }

    /// Returns the length of the array.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Returns `true` if nothing is allocated.
    pub(crate) fn is_unused(&self) -> bool {
        self.free == self.len
    }

    fn insert(&mut self, start: u32, len: u32) {
        self.by_start.insert(start, len);
        self.by_length.insert((len, start));
    }

    fn remove(&mut self, start: u32, len: u32) {
        self.by_start.remove(&start);
        self.by_length.remove(&(len, start));
    }
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use super::*;

    /// Returns the free ranges of an array of units, by looking at each.
    fn free_ranges(is_used: &[bool]) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (unit, _) in is_used.iter().enumerate().filter(|(_, used)| !**used) {
            match ranges.last_mut() {
                Some((start, len)) if *start + *len == unit as u32 => *len += 1,
                _ => ranges.push((unit as u32, 1)),
            }
        }
        ranges
    }

    #[test]
    fn it_agrees_with_an_array_of_used_units() {
        let mut rng = Rng::from_env(11);
        let mut allocator = Suballocator::new(200);
        let mut is_used = vec![false; 200];
        let mut allocated: Vec<(u32, u32)> = Vec::new();
        for step in 0..20_000 {
            if step % 4000 == 3999 {
                allocator.grow(allocator.len() + 50);
                is_used.resize(allocator.len() as usize, false);
            }
            if rng.one_in(2) || allocated.is_empty() {
                let len = rng.below(25) as u32;
                let fits = free_ranges(&is_used).into_iter().filter(|&(_, free)| free >= len);
                let best = fits.min_by_key(|&(start, free)| (free, start)).map(|(start, _)| start);
                let start = allocator.allocate(len);
                if len == 0 {
                    assert_eq!(start, Some(0));
                    continue;
                }
                assert_eq!(start, best);
                if let Some(start) = start {
                    is_used[start as usize..][..len as usize].fill(true);
                    allocated.push((start, len));
                }
            } else {
                let (start, len) = allocated.swap_remove(rng.below(allocated.len()));
                is_used[start as usize..][..len as usize].fill(false);
                allocator.release(start, len);
            }
            let ranges: Vec<_> =
                allocator.by_start.iter().map(|(&start, &len)| (start, len)).collect();
            assert_eq!(ranges, free_ranges(&is_used));
            assert_eq!(allocator.by_length.len(), ranges.len());
            assert_eq!(allocator.is_unused(), allocated.is_empty());
        }
    }
}
