//! Formats numbers for text output: short, with units. JSON contains the exact values.

use glam::Vec3;
use pleach::Aabb;

/// Formats a count with its noun: `1 node`, `1,200 nodes`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let (stem, end) = match (number, noun.as_bytes()) {
        (1, _) => (noun, ""),
        (_, b"vertex") => ("vertic", "es"),
        (_, [.., b'x' | b's'] | [.., b's', b'h']) => (noun, "es"),
        (_, [.., b'p' | b'r', b'y']) => (&noun[..noun.len() - 1], "ies"),
        _ => (noun, "s"),
    };
    format!("{} {stem}{end}", thousands(number))
}

/// Formats a number with separators: `1,234,567`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of bytes: `12 B`, `3.4 kB`, `5.67 MB`.
pub(crate) fn bytes(number: usize) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let (mut value, mut unit) = (number as f64, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", digits(value, 3), UNITS[unit])
}

/// Formats a number with four significant digits: `0.1235`, `12.35`, `1.235e9`.
pub(crate) fn number(value: f32) -> String {
    digits(f64::from(value), 4)
}

/// Formats `value` with `count` significant digits and without trailing zeros.
fn digits(value: f64, count: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        // −0 is printed as 0.
        return if value == 0.0 { "0".into() } else { value.to_string() };
    }
    let rounded = format!("{value:.*e}", count - 1);
    let Some((mantissa, exponent)) = rounded.split_once('e') else { return rounded };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        return format!("{}e{exponent}", trim_zeros(mantissa));
    }
    let decimals = (count as i32 - 1 - exponent).max(0) as usize;
    trim_zeros(&format!("{value:.decimals$}")).into()
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Formats a vector: `(1, 2.5, -3)`.
pub(crate) fn point(point: Vec3) -> String {
    format!("({}, {}, {})", number(point.x), number(point.y), number(point.z))
}

/// Formats the size of a box: `4 × 3 × 2.5 m`; in km or mm if that is shorter.
pub(crate) fn size(aabb: &Aabb) -> String {
    let size = aabb.size();
    let (unit, per_metre) = match size.max_element() {
        max if (10_000.0..1e9).contains(&max) => ("km", 1e-3),
        max if max < 0.01 && max > 1e-7 => ("mm", 1e3),
        _ => ("m", 1.0),
    };
    // A flat box may have a tiny thickness from rounding.
    let min = size.max_element() * 1e-5;
    let side = |side: f32| digits(if side > min { f64::from(side) * per_metre } else { 0.0 }, 3);
    format!("{} × {} × {} {unit}", side(size.x), side(size.y), side(size.z))
}

/// Formats a duration: `1.5 s`.
pub(crate) fn seconds(seconds: f32) -> String {
    format!("{} s", number(seconds))
}

/// Formats a fraction as `12.5 %`; 100 % if `whole` is 0.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    let percentage = if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 };
    format!("{} %", digits(percentage, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_significant_digits() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.123_456, "0.1235"),
            (1234.56, "1235"),
            (99_999.9, "100000"),
            (1_234_567.0, "1.235e6"),
            (0.000_012_34, "1.234e-5"),
            (f32::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn bytes_use_the_largest_suitable_unit() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1 kB"),
            (999_499, "999 kB"),
            (999_500, "1 MB"),
            (12_345_678, "12.3 MB"),
            (usize::MAX, "18447 PB"),
        ];
        for (count, text) in cases {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn nouns_are_pluralized() {
        let cases = [
            (0, "node", "0 nodes"),
            (1, "mesh", "1 mesh"),
            (2, "mesh", "2 meshes"),
            (3, "box", "3 boxes"),
            (8, "vertex", "8 vertices"),
            (1_234_567, "copy", "1,234,567 copies"),
            (100, "level", "100 levels"),
        ];
        for (number, noun, text) in cases {
            assert_eq!(count(number, noun), text);
        }
    }

    #[test]
    fn sizes_use_a_suitable_unit() {
        let of = |x, y, z| size(&Aabb::new(Vec3::ZERO, Vec3::new(x, y, z)));
        assert_eq!(of(4.0, 0.25, 2.0), "4 × 0.25 × 2 m");
        assert_eq!(of(40_000.0, 0.0, 500.0), "40 × 0 × 0.5 km");
        assert_eq!(of(0.002, 0.001, 0.0), "2 × 1 × 0 mm");
        assert_eq!(of(2.0, 2e-6, 1.0), "2 × 0 × 1 m");
        assert_eq!(size(&Aabb::EMPTY), "0 × 0 × 0 m");
    }
}
