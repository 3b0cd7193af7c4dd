//! `DrawOrder`: the order of draws, by a stable sort of compact keys.
//!
//! Draws are sorted by their bucket, then by their rank: first counted and placed by bucket, then each
//! bucket is sorted by itself. A key is the rank of a draw and its position, in 64 bits; the draws
//! themselves are not moved. Many keys are sorted digit by digit, lowest first, skipping the digits
//! that all of them share.
//!
//! Invariant: the order is by bucket, rank and position.

#[derive(Clone, Debug, Default)]
pub(super) struct DrawOrder {
    keys: Vec<u64>,
    /// Memory to sort in.
    spare: Vec<u64>,
    /// By bucket: the end of its keys. One more while they are counted.
    ends: Vec<u32>,
}

/// The number of bits of a digit.
const DIGIT: u32 = 11;

/// The number of digits of a rank.
const PLACES: usize = u32::BITS.div_ceil(DIGIT) as usize;

/// With fewer keys than this, comparing them is faster.
const MIN_KEYS: usize = 400;

impl DrawOrder {
    /// Sorts draws, given the bucket, less than `buckets`, and the rank of each. Returns their
    /// positions. O(draws + buckets), or a logarithm more for small buckets.
    pub(super) fn sort(
        &mut self,
        buckets: usize,
        draws: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> impl Iterator<Item = u32> {
        let Self { keys, spare, ends } = self;
        ends.clear();
        ends.resize(buckets + 1, 0);
        for (bucket, _) in draws.clone() {
            ends[bucket as usize + 1] += 1;
        }
        let mut end = 0;
        for count in ends.iter_mut() {
            end += *count;
            *count = end;
        }
        // From the start of each bucket to its end.
        keys.clear();
        keys.resize(end as usize, 0);
        for (position, (bucket, rank)) in draws.enumerate() {
            let end = &mut ends[bucket as usize];
            keys[*end as usize] = u64::from(rank) << 32 | position as u64;
            *end += 1;
        }
        let mut start = 0;
        for &end in &ends[..buckets] {
            sort_keys(&mut keys[start..end as usize], spare);
            start = end as usize;
        }
        keys.iter().map(|&key| key as u32)
    }
}

/// Sorts keys, whose positions must ascend.
fn sort_keys(keys: &mut [u64], spare: &mut Vec<u64>) {
    if keys.len() < MIN_KEYS {
        return keys.sort_unstable();
    }
    // By place and digit: the number of keys that have it there.
    let mut counts = [[0u32; 1 << DIGIT]; PLACES];
    for &key in &*keys {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(key, place)] += 1;
        }
    }
    if spare.len() < keys.len() {
        spare.resize(keys.len(), 0);
    }
    let first = keys[0];
    let (mut from, mut to) = (keys, &mut spare[..]);
    let mut is_moved = false;
    for (place, counts) in counts.iter_mut().enumerate() {
        if counts[digit(first, place)] as usize != from.len() {
            to = &mut to[..from.len()];
            sort_by_digit(from, to, place, counts);
            core::mem::swap(&mut from, &mut to);
            is_moved = !is_moved;
        }
    }
    if is_moved {
        to[..from.len()].copy_from_slice(from);
    }
}

/// Writes the keys to `sorted`, in the order of their digits at one place, whose `counts` are used up.
fn sort_by_digit(keys: &[u64], sorted: &mut [u64], place: usize, counts: &mut [u32; 1 << DIGIT]) {
    // From counts to the position of the next key with that digit.
    let mut position = 0;
    for next in counts.iter_mut() {
        position += core::mem::replace(next, position);
    }
    for &key in keys {
        let next = &mut counts[digit(key, place)];
        sorted[*next as usize] = key;
        *next += 1;
    }
}

/// Returns a digit of the rank of a key.
#[inline]
fn digit(key: u64, place: usize) -> usize {
    (key >> (u32::BITS + place as u32 * DIGIT)) as usize & ((1 << DIGIT) - 1)
}

/// Maps a float to an integer with the same order.
#[inline]
pub(super) fn sortable(depth: f32) -> u32 {
    let bits = depth.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_sorted_as_numbers() {
        let depths = [f32::NEG_INFINITY, -2.5, -1e-40, -0.0, 0.0, 1e-40, 1.0, 1.5, f32::INFINITY];
        assert!(depths.is_sorted_by(|&a, &b| sortable(a) < sortable(b)));
    }

    #[test]
    fn the_order_is_stable_and_agrees_with_comparisons() {
        let mut state = 1u64;
        let mut order = DrawOrder::default();
        for (len, buckets, mask) in [
            (0, 1, !0),
            (1, 1, !0),
            (MIN_KEYS - 1, 1, 0xff),
            (MIN_KEYS, 1, !0),
            (MIN_KEYS + 1, 1, 0),
            (1000, 1, 0b11 << 9),
            (1000, 1, 0xf000_000f),
            (3000, 1, 0x0fff_ff00),
            (3000, 7, !0),
            (9000, 3, 0x7ff),
            (100, 900, !0),
            (2000, 900, 1),
        ] {
            let draws: Vec<(u32, u32)> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 45) as u32 % buckets, (state >> 21) as u32 & mask)
                })
                .collect();
            let mut expected: Vec<u32> = (0..len as u32).collect();
            expected.sort_by_key(|&draw| draws[draw as usize]);
            let found: Vec<u32> = order.sort(buckets as usize, draws.iter().copied()).collect();
            assert_eq!(found, expected, "{len} draws, {buckets} buckets, {mask:x}");
        }
    }
}
