//! Errors of [`Renderer::render`](crate::Renderer::render).

use std::fmt;

/// Errors of [`Renderer::render`](crate::Renderer::render).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The viewport of the view is an aspect ratio, or has no pixels.
    NoPixels,
    /// The viewport has more than 2^25 pixels, which is slightly more than 7680 × 4320.
    TooManyPixels {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
}

/// The maximum number of pixels of a picture: slightly more than 7680 × 4320.
pub(crate) const MAX_PIXELS: u64 = 1 << 25;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPixels => write!(
                f,
                "the view has no pixels; create it with a width and a height of at least 1: \
                 `scene.view(camera, (1280, 720))`",
            ),
            Self::TooManyPixels { width, height } => write!(
                f,
                "a picture of {width} × {height} pixels is too large; the maximum is {MAX_PIXELS} \
                 pixels, such as 7680 × 4320",
            ),
        }
    }
}

impl std::error::Error for Error {}
