//! `Picture`: colour, distance and node of each pixel.
//!
//! Invariant: all three vectors have width × height entries, row by row from the upper left corner.

use pleach_graph::NodeId;

/// A rendered picture: for each pixel the colour, the distance of the surface and its node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Red, green and blue in sRGB, and alpha, not premultiplied.
    pub pixels: Vec<[u8; 4]>,
    /// Distances along the ray through the centre of the pixel, in metres; infinite where nothing
    /// was hit.
    pub distances: Vec<f32>,
    /// The node that the ray hits first.
    pub nodes: Vec<Option<NodeId>>,
}

impl Picture {
    /// Creates a picture of one colour, without distances and nodes.
    #[must_use]
    pub fn new(width: u32, height: u32, color: [u8; 4]) -> Self {
        let count = width as usize * height as usize;
        Self {
            width,
            height,
            pixels: vec![color; count],
            distances: vec![f32::INFINITY; count],
            nodes: vec![None; count],
        }
    }

    /// Returns the pixels as bytes, four per pixel, row by row from the top, as image encoders
    /// expect them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }
}
