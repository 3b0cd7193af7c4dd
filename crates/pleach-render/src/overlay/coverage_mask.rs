//! `BlendLayer`: how much of each pixel is covered by what is drawn in one colour.
//!
//! Where lines cross, or lie on each other, the greater cover counts: so their order cannot be
//! told from the picture.

use rayon::prelude::*;

/// Red, green, blue in sRGB.
pub(super) type Color = [u8; 3];

/// A cover for each pixel, row by row.
#[derive(Debug)]
pub(super) struct Layer(pub(super) Vec<u8>);

impl Layer {
    pub(super) fn new(pixels: usize) -> Self {
        Self(vec![0; pixels])
    }

    /// Colours pixels as they are covered, and uncovers them. `ink` is asked for the colour.
    pub(super) fn paint(&mut self, pixels: &mut [[u8; 4]], ink: impl Fn([u8; 4]) -> Color + Sync) {
        self.0.par_iter_mut().zip(pixels).with_min_len(1 << 14).for_each(|(cover, pixel)| {
            let cover = std::mem::take(cover);
            if cover > 0 {
                over(pixel, ink(*pixel), cover);
            }
        });
    }
}

/// Puts a colour over a pixel, which has an alpha that is not premultiplied.
pub(super) fn over(pixel: &mut [u8; 4], color: Color, alpha: u8) {
    let (alpha, below) = (u32::from(alpha), u32::from(pixel[3]));
    let (ours, theirs) = (alpha * 255, below * (255 - alpha));
    let both = ours + theirs;
    if both == 0 {
        return;
    }
    for (channel, color) in pixel.iter_mut().zip(color) {
        let sum = u32::from(color) * ours + u32::from(*channel) * theirs;
        *channel = ((sum + both / 2) / both) as u8;
    }
    pixel[3] = ((both + 127) / 255) as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_over_a_pixel_is_the_mean_by_alpha() {
        let over = |mut pixel, alpha| {
            over(&mut pixel, [200, 100, 0], alpha);
            pixel
        };
        assert_eq!(over([0, 0, 0, 255], 0), [0, 0, 0, 255]);
        assert_eq!(over([0, 0, 0, 255], 255), [200, 100, 0, 255]);
        assert_eq!(over([0, 0, 100, 255], 51), [40, 20, 80, 255]);
        // What is transparent has no colour.
        assert_eq!(over([9, 9, 9, 0], 51), [200, 100, 0, 51]);
        assert_eq!(over([9, 9, 9, 0], 0), [9, 9, 9, 0]);
    }
}
