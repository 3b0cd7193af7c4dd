//! `Picture`: what was seen, pixel by pixel, and how far away it was.
//!
//! Invariant: all columns have width × height entries, row by row from the upper left corner.

use pleach_graph::NodeId;

/// A picture of a scene: colours, and for each pixel how far away what it shows is, and which
/// node that is.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue in sRGB, and alpha, not premultiplied.
    pub pixels: Vec<[u8; 4]>,
    /// Along the ray through the pixel's middle, in metres; infinite where nothing is.
    pub distances: Vec<f32>,
    /// The node that is met there first.
    pub nodes: Vec<Option<NodeId>>,
}

impl Picture {
    /// A picture of one colour, with nothing in it.
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

    /// The pixels as bytes, four each, row by row from the top: what encoders take.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }
}
