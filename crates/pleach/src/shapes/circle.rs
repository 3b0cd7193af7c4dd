//! Points on a circle: exact at the quarters, mirrored bit for bit, the same on every machine.

use std::f64::consts::FRAC_PI_2;

use glam::DVec2;

/// Cosine and sine of `part / whole` of a full turn.
pub(super) fn turn(part: u32, whole: u32) -> DVec2 {
    // Exactly, in quarters and a rest of less than a quarter.
    let (part, whole) = (u64::from(part % whole), u64::from(whole));
    let (quarter, rest) = (4 * part / whole, 4 * part % whole);
    let angle = FRAC_PI_2 * (rest as f64 / whole as f64);
    let (cos, sin) = (libm::cos(angle), libm::sin(angle));
    match quarter {
        0 => DVec2::new(cos, sin),
        1 => DVec2::new(-sin, cos),
        2 => DVec2::new(-cos, -sin),
        _ => DVec2::new(sin, -cos),
    }
}

/// The direction, in XY, of `part / whole` of the way around: from the back, +Y,
/// counter-clockwise seen from above.
pub(super) fn around(part: u32, whole: u32) -> DVec2 {
    turn(part, whole).perp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_exact_and_a_full_turn_ends_where_it_began() {
        for whole in [4, 8, 12, 32, 100] {
            let quarters = [0, 1, 2, 3, 4].map(|quarter| turn(quarter * whole / 4, whole));
            let exact = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y, DVec2::X];
            assert_eq!(quarters, exact, "{whole}");
        }
        assert_eq!(turn(7, 7), DVec2::X);
        assert_eq!(around(0, 5), DVec2::Y);
        assert_eq!(around(1, 4), DVec2::NEG_X);
    }

    #[test]
    fn all_have_length_one_and_the_right_angle() {
        for whole in 3..50 {
            for part in 0..=whole {
                let point = turn(part, whole);
                assert!((point.length() - 1.0).abs() < 1e-15);
                let angle = std::f64::consts::TAU * f64::from(part) / f64::from(whole);
                assert!((point - DVec2::new(libm::cos(angle), libm::sin(angle))).length() < 1e-14);
            }
        }
    }
}
