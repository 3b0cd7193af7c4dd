//! `CoverageMask`: the coverage of each pixel by the lines of one colour.
//!
//! Where lines cross or overlap, the maximum applies: so their order does not affect the picture.

use pleach_shading::overlay::Color;

/// The coverage of each pixel, row by row.
#[derive(Debug)]
pub(super) struct CoverageMask(pub(super) Vec<u8>);

impl CoverageMask {
    pub(super) fn new(pixels: usize) -> Self {
        Self(vec![0; pixels])
    }

    /// Blends a colour over the covered pixels and clears the mask. `color` returns the colour
    /// for a pixel.
    pub(super) fn blend(&mut self, pixels: &mut [[u8; 4]], color: impl Fn([u8; 4]) -> Color) {
        for (coverage, pixel) in self.0.iter_mut().zip(pixels) {
            let coverage = std::mem::take(coverage);
            if coverage > 0 {
                blend_over(pixel, color(*pixel), coverage);
            }
        }
    }
}

/// Blends a colour over a pixel, whose alpha is not premultiplied.
pub(super) fn blend_over(pixel: &mut [u8; 4], color: Color, alpha: u8) {
    let (alpha, pixel_alpha) = (u32::from(alpha), u32::from(pixel[3]));
    let (top_weight, bottom_weight) = (alpha * 255, pixel_alpha * (255 - alpha));
    let total_weight = top_weight + bottom_weight;
    if total_weight == 0 {
        return;
    }
    for (channel, color) in pixel.iter_mut().zip(color) {
        let sum = u32::from(color) * top_weight + u32::from(*channel) * bottom_weight;
        *channel = ((sum + total_weight / 2) / total_weight) as u8;
    }
    pixel[3] = ((total_weight + 127) / 255) as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blending_over_a_pixel_is_the_mean_weighted_by_alpha() {
        let blend_over = |mut pixel, alpha| {
            blend_over(&mut pixel, [200, 100, 0], alpha);
            pixel
        };
        assert_eq!(blend_over([0, 0, 0, 255], 0), [0, 0, 0, 255]);
        assert_eq!(blend_over([0, 0, 0, 255], 255), [200, 100, 0, 255]);
        assert_eq!(blend_over([0, 0, 100, 255], 51), [40, 20, 80, 255]);
        // A transparent pixel contributes no colour.
        assert_eq!(blend_over([9, 9, 9, 0], 51), [200, 100, 0, 51]);
        assert_eq!(blend_over([9, 9, 9, 0], 0), [9, 9, 9, 0]);
    }
}
