//! Formats numbers for the notes of problems.

use glam::Vec3;

/// Formats a count with its noun.
pub(super) fn count(number: usize, singular: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}

/// Formats a number with four significant digits.
pub(super) fn number(value: f32) -> String {
    let rounded: f32 = format!("{value:.3e}").parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".into(),
        1e-5..1e6 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// Formats a vector: `(1, 2.5, -3)`.
pub(super) fn point(point: Vec3) -> String {
    format!("({}, {}, {})", number(point.x), number(point.y), number(point.z))
}

/// Formats `part` of `whole` with a percentage.
pub(super) fn fraction(part: usize, whole: usize, of: &str) -> String {
    let percentage = 100.0 * part as f64 / whole.max(1) as f64;
    format!("{part} of {whole} {of} ({} %)", number(percentage as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_significant_digits() {
        let cases = [(0.0, "0"), (-0.0, "0"), (0.123_456, "0.1235"), (1234.56, "1235")];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(f32::INFINITY), "inf");
        assert_eq!(number(1e-9), "1e-9");
        assert_eq!(fraction(1, 3, "normals"), "1 of 3 normals (33.33 %)");
    }
}
