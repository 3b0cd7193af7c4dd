//! sRGB conversion by tables, so that colours have the same bits on every machine.
//!
//! The tables are computed once, in f64 by libm. Encoding finds the byte whose linear value is
//! nearest in sRGB, by binary search in the 255 thresholds between bytes.

use std::sync::LazyLock;

struct Tables {
    /// The linear value of each byte.
    linear: [f32; 256],
    /// The smallest linear value that is encoded as the next byte.
    thresholds: [f32; 255],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    linear: std::array::from_fn(|byte| decode(byte as f64 / 255.0) as f32),
    thresholds: std::array::from_fn(|byte| decode((byte as f64 + 0.5) / 255.0) as f32),
});

fn decode(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) }
}

/// Converts an sRGB byte to linear light.
#[inline]
pub(crate) fn to_linear(byte: u8) -> f32 {
    TABLES.linear[usize::from(byte)]
}

/// Converts linear light to the nearest sRGB byte. NaN is black.
#[inline]
pub(crate) fn from_linear(light: f32) -> u8 {
    TABLES.thresholds.partition_point(|&threshold| threshold <= light) as u8
}

/// Converts a value from 0 to 1 to the nearest byte, without sRGB encoding. NaN is 0.
#[inline]
pub(crate) fn to_byte(number: f32) -> u8 {
    // The conversion saturates.
    (number * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_round_trips() {
        assert!((0..=255).all(|byte| from_linear(to_linear(byte)) == byte));
    }

    #[test]
    fn encoding_is_the_srgb_formula_rounded() {
        let formula = |light: f64| {
            if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
        };
        for step in 0..=10_000 {
            let light = f64::from(step) / 10_000.0;
            let exact = formula(light) * 255.0;
            let byte = f64::from(from_linear(light as f32));
            assert!((byte - exact).abs() <= 0.501, "{light}: {byte} for {exact}");
        }
    }

    #[test]
    fn values_outside_of_0_to_1_are_clamped() {
        let odd = [f32::NAN, f32::NEG_INFINITY, -1.0, 2.0, f32::INFINITY];
        assert_eq!(odd.map(from_linear), [0, 0, 0, 255, 255]);
        assert_eq!(odd.map(to_byte), [0, 0, 0, 255, 255]);
    }
}
