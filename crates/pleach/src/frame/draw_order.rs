//! The order of draws: a stable sort of compact keys.
//!
//! A key is 64 bits with the position of the draw it stands for; the draws themselves are not moved.
//! Many keys are sorted digit by digit, lowest first, skipping the digits that all keys share.
//!
//! Invariant: keys are sorted by their bits, and equal ones by their position.

/// A key of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DrawKey {
    /// The bits to sort by.
    pub(super) bits: u64,
    /// The position of the draw; that of the key before sorting.
    pub(super) draw: u32,
}

/// The number of bits of a digit.
const DIGIT: u32 = 11;

/// The number of digits of a key.
const PLACES: usize = u64::BITS.div_ceil(DIGIT) as usize;

/// With fewer keys than this, comparing them is faster.
const MIN_KEYS: usize = 400;

/// Sorts keys, whose positions must ascend, by their bits; `spare` is memory to work in.
pub(super) fn sort(keys: &mut Vec<DrawKey>, spare: &mut Vec<DrawKey>) {
    if keys.len() < MIN_KEYS {
        keys.sort_unstable();
        return;
    }
    // By place and digit: the number of keys that have it there.
    let mut counts = [[0u32; 1 << DIGIT]; PLACES];
    for key in &*keys {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(key.bits, place)] += 1;
        }
    }
    let first = keys[0].bits;
    spare.resize(keys.len(), DrawKey::default());
    for (place, counts) in counts.iter_mut().enumerate() {
        if counts[digit(first, place)] as usize != keys.len() {
            sort_by_digit(keys, spare, place, counts);
            core::mem::swap(keys, spare);
        }
    }
}

/// Writes the keys to `sorted`, in the order of the digits at one place, whose `counts` are used up.
fn sort_by_digit(
    keys: &[DrawKey],
    sorted: &mut [DrawKey],
    place: usize,
    counts: &mut [u32; 1 << DIGIT],
) {
    // From counts to the position of the next key with that digit.
    let mut position = 0;
    for next in counts.iter_mut() {
        position += core::mem::replace(next, position);
    }
    for key in keys {
        let next = &mut counts[digit(key.bits, place)];
        sorted[*next as usize] = *key;
        *next += 1;
    }
}

#[inline]
fn digit(bits: u64, place: usize) -> usize {
    (bits >> (place as u32 * DIGIT)) as usize & ((1 << DIGIT) - 1)
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
    fn sort_by_digits_is_stable_and_agrees_with_comparisons() {
        let mut state = 1u64;
        let mut spare = Vec::new();
        for (len, mask) in [
            (0, !0),
            (1, !0),
            (MIN_KEYS - 1, 0xff),
            (MIN_KEYS, !0),
            (MIN_KEYS + 1, 0),
            (1000, 0b11 << 9),
            (1000, 0xf000_0000_0000_000f),
            (3000, 0x0fff_ff00),
        ] {
            let mut keys: Vec<DrawKey> = (0..len as u32)
                .map(|draw| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    DrawKey { bits: (state ^ state >> 29) & mask, draw }
                })
                .collect();
            let mut expected = keys.clone();
            expected.sort_by_key(|key| key.bits);
            sort(&mut keys, &mut spare);
            assert_eq!(keys, expected, "{len} keys, {mask:x}");
        }
    }
}
