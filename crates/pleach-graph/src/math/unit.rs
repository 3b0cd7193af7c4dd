//! Scales vectors to length 1: the one place where a vector is normalized.
//!
//! Guarantees: the same bits on every machine; a result for every finite vector except
//! zero, with a relative error of a few units in the last place of f64, however long
//! or short the vector is.

use glam::DVec3;

/// Squared lengths in this range have neither overflowed nor lost bits to underflow.
const SAFE: core::ops::RangeInclusive<f64> = 1e-280..=f64::MAX;

/// Returns the vector scaled to length 1, or `None` if it is zero or not finite.
///
/// The bits are the same on every machine. Vectors whose squared length overflows or underflows are scaled by a power of two first. Costs a square
/// root and three divisions.
///
/// ```
/// use pleach_graph::{glam::DVec3, unit};
///
/// assert_eq!(unit(DVec3::new(0.0, 3.0, 4.0)), Some(DVec3::new(0.0, 0.6, 0.8)));
/// assert_eq!(unit(DVec3::X * 1e-300), Some(DVec3::X));
/// assert_eq!(unit(DVec3::ZERO), None);
/// assert_eq!(unit(DVec3::INFINITY), None);
/// ```
#[inline]
#[must_use]
pub fn unit(vector: DVec3) -> Option<DVec3> {
    let squared = vector.length_squared();
    if SAFE.contains(&squared) { Some(vector / vector.length()) } else { scaled_unit(vector) }
}

/// Like [`unit`], for very long and very short vectors.
#[cold]
fn scaled_unit(vector: DVec3) -> Option<DVec3> {
    if vector == DVec3::ZERO || !vector.is_finite() {
        return None;
    }
    // Powers of two do not round, and afterwards the largest component has a normal square.
    let is_long = vector.abs().max_element() > 1.0;
    let factor = f64::from_bits(if is_long { 1023 - 600 } else { 1023 + 600 } << 52);
    let vector = vector * factor;
    Some(vector / vector.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTIONS: [DVec3; 4] = [
        DVec3::new(1.0, -2.0, 3.0),
        DVec3::new(0.1, 0.7, -0.2),
        DVec3::new(0.0, 1.0, 1e-9),
        DVec3::new(-1.0, 0.0, 0.0),
    ];

    #[test]
    fn the_length_of_a_vector_does_not_change_its_direction() {
        for direction in DIRECTIONS {
            let expected = direction / direction.length();
            // Smaller ones are subnormal and have lost bits already.
            for exponent in -990..=1020_i32 {
                let power = f64::from_bits(((1023 + exponent) as u64) << 52);
                assert_eq!(unit(direction * power), Some(expected), "{direction} · 2^{exponent}");
            }
        }
    }

    #[test]
    fn every_finite_vector_but_zero_has_a_direction() {
        let tiny = f64::from_bits(1);
        assert_eq!(unit(DVec3::new(0.0, -tiny, 0.0)), Some(DVec3::NEG_Y));
        for size in [tiny, f64::MIN_POSITIVE, 1e-162, 1e-140, 1e154, f64::MAX] {
            let length = unit(DVec3::splat(size)).expect("not zero").length();
            assert!((length - 1.0).abs() < 1e-15, "{size}: {length}");
        }
        for none in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::new(f64::NAN, 1e300, 0.0)] {
            assert_eq!(unit(none), None, "{none}");
        }
    }
}
