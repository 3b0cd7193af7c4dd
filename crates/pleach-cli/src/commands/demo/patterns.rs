//! Procedural images: plaster, masonry, paving, planks and a banner.

use pleach::{Error, Image};

/// Creates a square image of `side` × `side` pixels.
fn image(name: &str, side: u32, color: impl Fn(u32, u32) -> [f32; 3]) -> Result<Image, Error> {
    let pixel_coordinates = (0..side * side).map(|i| (i % side, i / side));
    let pixels = pixel_coordinates.flat_map(|(x, y)| {
        let [red, green, blue] = color(x, y).map(|it| (it.clamp(0.0, 1.0) * 255.0) as u8);
        [red, green, blue, 255]
    });
    Ok(Image::from_rgba8(side, side, pixels.collect())?.named(name))
}

/// Returns a hash of the coordinates from 0 to 1.
fn noise(x: u32, y: u32) -> f32 {
    let mut hash = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
    hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    ((hash ^ hash >> 12) >> 8 & 0xff) as f32 / 255.0
}

/// Returns noise with features of `size` pixels, which repeats after `side` pixels.
fn smooth_noise(x: u32, y: u32, size: u32, side: u32) -> f32 {
    let cells = side / size;
    let corner = |i: u32, j: u32| noise((x / size + i) % cells + 17 * size, (y / size + j) % cells);
    let ease = |at: u32| {
        let t = (at % size) as f32 / size as f32;
        t * t * (3.0 - 2.0 * t)
    };
    let (s, t) = (ease(x), ease(y));
    let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
    lerp(lerp(corner(0, 0), corner(1, 0), s), lerp(corner(0, 1), corner(1, 1), s), t)
}

/// Returns noise of several sizes, from 0 to 1, which repeats after `side` pixels.
fn cloudy(x: u32, y: u32, side: u32) -> f32 {
    let octave = |divisor: u32, weight: f32| weight * smooth_noise(x, y, side / divisor, side);
    octave(4, 0.5) + octave(8, 0.25) + octave(16, 0.15) + octave(64, 0.1)
}

fn grey(value: f32) -> [f32; 3] {
    [value; 3]
}

/// Creates an image of weathered plaster.
pub(super) fn plaster() -> Result<Image, Error> {
    const SIDE: u32 = 256;
    image("plaster", SIDE, |x, y| {
        let stain = cloudy(x, y, SIDE);
        let value = 0.74 + 0.26 * stain + 0.04 * noise(x, y);
        [value, value - 0.02 * (1.0 - stain), value - 0.05 * (1.0 - stain)]
    })
}

/// Creates an image of four courses of stone blocks.
pub(super) fn masonry() -> Result<Image, Error> {
    const SIDE: u32 = 256;
    image("masonry", SIDE, |x, y| {
        let course = y / 64;
        let x = (x + course % 2 * 64) % SIDE;
        let edge = [x % 128, 127 - x % 128, y % 64, 63 - y % 64].into_iter().min().unwrap_or(0);
        let stone = 0.80 + 0.2 * noise(x / 128 + 5, course);
        let value = stone * (0.84 + 0.2 * cloudy(x, y, SIDE)) + 0.03 * noise(x, y);
        grey(if edge < 2 { 0.66 * value } else { value })
    })
}

/// Creates an image of paving slabs of several sizes.
pub(super) fn paving() -> Result<Image, Error> {
    const SIDE: u32 = 512;
    /// Left, top, width and height of each slab, in cells of 64 pixels.
    const SLABS: [[u32; 4]; 12] = [
        [0, 0, 3, 2],
        [3, 0, 2, 2],
        [5, 0, 3, 3],
        [0, 2, 2, 3],
        [2, 2, 3, 2],
        [5, 3, 2, 2],
        [7, 3, 1, 2],
        [2, 4, 3, 2],
        [0, 5, 2, 3],
        [5, 5, 3, 2],
        [2, 6, 3, 2],
        [5, 7, 3, 1],
    ];
    image("paving", SIDE, |x, y| {
        let is_inside = |[left, top, width, height]: [u32; 4]| {
            (left * 64..(left + width) * 64).contains(&x)
                && (top * 64..(top + height) * 64).contains(&y)
        };
        let number = SLABS.iter().position(|&slab| is_inside(slab)).unwrap_or(0);
        let [left, top, width, height] = SLABS[number].map(|it| it * 64);
        let edges = [x - left, left + width - 1 - x, y - top, top + height - 1 - y];
        let edge = edges.into_iter().min().unwrap_or(0);
        let tone = 0.72 + 0.28 * noise(number as u32, 3);
        let warmth = 0.06 * (noise(number as u32, 8) - 0.5);
        let value = tone * (0.82 + 0.24 * cloudy(x, y, SIDE)) + 0.04 * noise(x, y);
        match edge {
            0..3 => grey(0.40),
            3..5 => grey(0.85 * value),
            _ => [value + warmth, value, value - warmth],
        }
    })
}

/// Creates an image of four boards.
pub(super) fn planks() -> Result<Image, Error> {
    const SIDE: u32 = 128;
    image("planks", SIDE, |x, y| {
        let board = x / 32;
        let grain = 0.6 * smooth_noise(x * 8 % SIDE, (y + board * 37) % SIDE, 16, SIDE)
            + 0.4 * noise(x / 2, y / 19 + board);
        let value = 0.74 + 0.1 * noise(board, 7) + 0.2 * grain;
        grey(if x % 32 < 2 { 0.42 } else { value })
    })
}

/// Creates an image of a crimson banner: a gold border, and a sun.
pub(super) fn banner() -> Result<Image, Error> {
    const SIDE: u32 = 256;
    const CRIMSON: [f32; 3] = [0.66, 0.08, 0.10];
    const GOLD: [f32; 3] = [0.93, 0.70, 0.26];
    image("banner", SIDE, |x, y| {
        // The banner is three times as high as wide.
        let (across, down) = (x as f32 / 256.0 - 0.5, (y as f32 / 256.0 - 0.36) * 3.0);
        let radius = libm::hypotf(across, down);
        let angle = libm::atan2f(down, across);
        let ray = 0.27 + 0.11 * libm::cosf(angle * 12.0);
        let is_sun = radius < 0.17 || (0.2..ray).contains(&radius);
        let is_border =
            (0.40..0.45).contains(&across.abs()) || (8..14).contains(&y) || (228..234).contains(&y);
        let thread = 0.94 + 0.06 * noise(x, y / 2);
        if is_sun || is_border { GOLD } else { CRIMSON }.map(|it| it * thread)
    })
}
