//! Points on the unit circle: exact at the quarters, symmetric bit for bit, and the same on
//! every machine.

use std::f64::consts::FRAC_PI_2;

use glam::DVec2;

/// Returns the cosine and sine of `index / count` of a full circle.
pub(super) fn circle_point(index: u32, count: u32) -> DVec2 {
    // Split exactly into quarters and a remainder of less than a quarter.
    let (index, count) = (u64::from(index % count), u64::from(count));
    let (quarter, remainder) = (4 * index / count, 4 * index % count);
    let angle = FRAC_PI_2 * (remainder as f64 / count as f64);
    let (cos, sin) = (libm::cos(angle), libm::sin(angle));
    match quarter {
        0 => DVec2::new(cos, sin),
        1 => DVec2::new(-sin, cos),
        2 => DVec2::new(-cos, -sin),
        _ => DVec2::new(sin, -cos),
    }
}

/// Returns the direction in XY at `index / count` of a full circle that starts at +Y and runs
/// counter-clockwise seen from above.
pub(super) fn radial_direction(index: u32, count: u32) -> DVec2 {
    circle_point(index, count).perp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_points_are_exact_and_a_full_circle_ends_at_its_start() {
        for count in [4, 8, 12, 32, 100] {
            let quarters = [0, 1, 2, 3, 4].map(|quarter| circle_point(quarter * count / 4, count));
            let exact = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y, DVec2::X];
            assert_eq!(quarters, exact, "{count}");
        }
        assert_eq!(circle_point(7, 7), DVec2::X);
        assert_eq!(radial_direction(0, 5), DVec2::Y);
        assert_eq!(radial_direction(1, 4), DVec2::NEG_X);
    }

    #[test]
    fn points_have_length_one_and_the_right_angle() {
        for count in 3..50 {
            for index in 0..=count {
                let point = circle_point(index, count);
                assert!((point.length() - 1.0).abs() < 1e-15);
                let angle = std::f64::consts::TAU * f64::from(index) / f64::from(count);
                assert!((point - DVec2::new(libm::cos(angle), libm::sin(angle))).length() < 1e-14);
            }
        }
    }
}
