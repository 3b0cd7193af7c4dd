//! Parsers for argument values: `x,y,z`, `1280x720`.

use std::str::FromStr;

use glam::Vec3;

/// Parses `x,y,z` with finite numbers.
pub(crate) fn vector(text: &str) -> Result<Vec3, String> {
    numbers::<3>(text).map(Vec3::from_array)
}

/// Parses `N` finite numbers separated by commas.
pub(crate) fn numbers<const N: usize>(text: &str) -> Result<[f32; N], String> {
    let error = || format!("expected {N} numbers separated by commas, such as {}", example(N));
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let parts: [&str; N] = parts.try_into().map_err(|_| error())?;
    let mut numbers = [0.0; N];
    for (number, part) in numbers.iter_mut().zip(parts) {
        *number = f32::from_str(part).ok().filter(|it| it.is_finite()).ok_or_else(error)?;
    }
    Ok(numbers)
}

fn example(count: usize) -> String {
    ["0", "1.5", "-2"].iter().cycle().take(count).copied().collect::<Vec<_>>().join(",")
}

/// A size in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// The maximum width and height.
const MAX_SIDE: u32 = 16_384;

/// The maximum number of pixels: the limit of a `Picture`.
const MAX_PIXELS: u32 = 1 << 25;

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error =
            || format!("expected a width and a height from 1 to {MAX_SIDE}, such as 1280x720");
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(error)?;
        let number = |part: &str| part.trim().parse().ok().filter(|it| (1..=MAX_SIDE).contains(it));
        let width: u32 = number(width).ok_or_else(error)?;
        let height: u32 = number(height).ok_or_else(error)?;
        if width * height > MAX_PIXELS {
            return Err(format!("{text} exceeds the maximum of {MAX_PIXELS} pixels"));
        }
        Ok(Self { width, height })
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_three_finite_numbers() {
        assert_eq!(vector("1, -2.5,3e2"), Ok(Vec3::new(1.0, -2.5, 300.0)));
        for bad in ["", "1,2", "1,2,3,4", "1,2,x", "1,2,nan", "1,2,inf", "1 2 3"] {
            assert!(vector(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_outside_the_limits_are_rejected() {
        assert_eq!("640x480".parse(), Ok(Size { width: 640, height: 480 }));
        for bad in
            ["", "640", "640x", "0x480", "640x-1", "640x480x3", "99999x2", "16384x16384", "640,480"]
        {
            assert!(bad.parse::<Size>().is_err(), "{bad}");
        }
    }
}
