//! Procedural images: grass and planks.

use pleach::{Error, Image};

/// Creates a square image of `side` × `side` pixels.
fn image(name: &str, side: u32, color: impl Fn(u32, u32) -> [u8; 3]) -> Result<Image, Error> {
    let pixel_coordinates = (0..side * side).map(|i| (i % side, i / side));
    let pixels = pixel_coordinates.flat_map(|(x, y)| {
        let [red, green, blue] = color(x, y);
        [red, green, blue, 255]
    });
    Ok(Image::from_rgba8(side, side, pixels.collect())?.named(name))
}

/// Returns a hash of the coordinates from 0 to 255.
fn noise(x: u32, y: u32) -> u32 {
    let mut hash = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
    hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    (hash ^ hash >> 12) >> 8 & 0xff
}

/// Creates an image of grass in several greens.
pub(super) fn grass() -> Result<Image, Error> {
    image("grass", 64, |x, y| {
        let shade = (noise(x, y) + noise(x / 3, y / 3 + 99)) / 2;
        [(58 + shade / 7) as u8, (96 + shade / 5) as u8, (40 + shade / 9) as u8]
    })
}

/// Creates an image of four boards in a frame.
pub(super) fn planks() -> Result<Image, Error> {
    const SIDE: u32 = 64;
    image("planks", SIDE, |x, y| {
        let is_frame = [x, y, SIDE - 1 - x, SIDE - 1 - y].into_iter().any(|edge| edge < 6);
        let is_gap = !is_frame && (x % 13 == 6 || x == 6 || y == 6);
        let grain = if is_frame { noise(x / 9, y / 2) } else { noise(x / 2, y / 17 + x / 13) };
        let base = if is_gap { 90 } else { 205 + grain / 6 };
        [base as u8, (base - base / 12) as u8, (base - base / 6) as u8]
    })
}
