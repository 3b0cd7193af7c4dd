//! `DrawOrder`: the order of draws, by a stable sort of compact keys.
//!
//! Draws are sorted by their bucket, then by their rank. A key is the rank of a draw and its position,
//! in 64 bits; the draws themselves are not moved. The keys are placed by equal intervals of ranks,
//! then by bucket, in their order: so each bucket is nearly sorted, and insertions complete it. A
//! bucket for which that would take long (most ranks in one interval) is sorted by itself, if it is
//! large digit by digit, lowest first, skipping the digits that all keys share.
//!
//! Invariant: the order is by bucket, rank and position.

#[derive(Clone, Debug, Default)]
pub(super) struct DrawOrder {
    keys: Vec<u64>,
    /// By position.
    buckets: Vec<u32>,
    /// Memory to sort in.
    spare: Vec<u64>,
    /// By bucket: the end of its keys. One more while they are counted.
    ends: Vec<u32>,
    /// The same, by interval of ranks.
    interval_ends: Vec<u32>,
}

/// The number of bits of a digit.
const DIGIT: u32 = 11;

/// The number of digits of a rank.
const PLACES: usize = u32::BITS.div_ceil(DIGIT) as usize;

/// With fewer keys than this, comparing them is faster than digits.
const MIN_DIGIT_KEYS: usize = 400;

/// With fewer keys than this, intervals do not pay.
const MIN_INTERVAL_KEYS: usize = 64;

/// The range of the number of intervals, so that their counts stay in the cache.
const MIN_INTERVALS: usize = 1 << 8;
const MAX_INTERVALS: usize = 1 << 13;

/// The number of keys that insertions may move, per key of a bucket.
const MAX_MOVES: usize = 4;

impl DrawOrder {
    /// Sorts draws, given the bucket, less than `buckets`, and the rank of each. Returns their
    /// positions. O(draws + buckets), or a logarithm more where ranks are distributed unevenly.
    pub(super) fn sort(
        &mut self,
        buckets: usize,
        draws: impl ExactSizeIterator<Item = (u32, u32)>,
    ) -> impl Iterator<Item = u32> {
        let Self { keys, buckets: bucket_of, spare, ends, interval_ends } = self;
        let len = draws.len();
        ends.clear();
        ends.resize(buckets + 1, 0);
        bucket_of.resize(len, 0);
        keys.resize(len, 0);
        spare.resize(len, 0);
        let (mut min, mut max) = (u32::MAX, 0);
        let places = keys.iter_mut().zip(&mut *bucket_of);
        for (position, ((bucket, rank), (key, bucket_of))) in draws.zip(places).enumerate() {
            ends[bucket as usize + 1] += 1;
            (min, max) = (min.min(rank), max.max(rank));
            *bucket_of = bucket;
            *key = u64::from(rank) << 32 | position as u64;
        }
        if len < MIN_INTERVAL_KEYS {
            spare.copy_from_slice(keys);
        } else {
            // Few keys of a bucket share an interval.
            let intervals = (2 * len / buckets.max(1)).next_power_of_two();
            let intervals = intervals.clamp(MIN_INTERVALS, MAX_INTERVALS);
            place_by_interval(keys, spare, interval_ends, (min, max), intervals);
        }
        add_up(ends);
        for &key in &*spare {
            let end = &mut ends[bucket_of[key as u32 as usize] as usize];
            keys[*end as usize] = key;
            *end += 1;
        }
        let mut start = 0;
        for &end in &ends[..buckets] {
            if start + 1 < end as usize {
                sort_bucket(&mut keys[start..end as usize], spare);
            }
            start = end as usize;
        }
        keys.iter().map(|&key| key as u32)
    }
}

/// Turns the counts of items, each at the index after its own, into the positions of the first ones.
fn add_up(counts: &mut [u32]) {
    let mut end = 0;
    for count in counts {
        end += *count;
        *count = end;
    }
}

/// Writes the keys to `placed` by intervals of their ranks, which are from `min` to `max`; within one
/// in their order. The number of `intervals` is a power of two.
fn place_by_interval(
    keys: &[u64],
    placed: &mut [u64],
    ends: &mut Vec<u32>,
    (min, max): (u32, u32),
    intervals: usize,
) {
    let bits = u32::BITS - (max - min).leading_zeros();
    let shift = bits.saturating_sub(intervals.trailing_zeros());
    let interval = |key: u64| (((key >> 32) as u32 - min) >> shift) as usize;
    ends.clear();
    ends.resize(intervals + 1, 0);
    for &key in keys {
        ends[interval(key) + 1] += 1;
    }
    add_up(ends);
    for &key in keys {
        let end = &mut ends[interval(key)];
        placed[*end as usize] = key;
        *end += 1;
    }
}

/// Sorts the keys of a bucket.
fn sort_bucket(keys: &mut [u64], spare: &mut Vec<u64>) {
    let mut moves = MAX_MOVES * keys.len();
    for next in 1..keys.len() {
        let key = keys[next];
        if keys[next - 1] <= key {
            continue;
        }
        let mut at = next;
        while at > 0 && keys[at - 1] > key {
            keys[at] = keys[at - 1];
            at -= 1;
        }
        keys[at] = key;
        if next - at > moves {
            return sort_unordered(keys, spare);
        }
        moves -= next - at;
    }
}

/// Sorts keys in any order.
#[cold]
fn sort_unordered(keys: &mut [u64], spare: &mut Vec<u64>) {
    if keys.len() < MIN_DIGIT_KEYS {
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
            (MIN_INTERVAL_KEYS - 1, 1, 0xff),
            (MIN_INTERVAL_KEYS, 1, !0),
            (MIN_DIGIT_KEYS - 1, 1, 0xff),
            (MIN_DIGIT_KEYS, 1, !0),
            (MIN_DIGIT_KEYS + 1, 1, 0),
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
            // Also with a few far outliers, and so most ranks in one interval.
            let outliers = draws.iter().map(|&(bucket, rank)| {
                let is_outlier = rank % 97 == 0;
                (bucket, if is_outlier { rank | 1 << 31 } else { rank & 0x3fff })
            });
            for draws in [outliers.collect(), draws] {
                let mut expected: Vec<u32> = (0..len as u32).collect();
                expected.sort_by_key(|&draw| draws[draw as usize]);
                let found: Vec<u32> = order.sort(buckets as usize, draws.iter().copied()).collect();
                assert_eq!(found, expected, "{len} draws, {buckets} buckets, {mask:x}");
            }
        }
    }
}
