//! Why there is no picture.

use std::fmt;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The view's viewport is an aspect, or has no pixels.
    NoPixels,
    /// The viewport has more pixels than a picture may have.
    TooManyPixels {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The threads asked for could not be started.
    Threads(String),
}

/// As many pixels as a picture may have: a little more than 7680 × 4320.
pub(crate) const MAX_PIXELS: u64 = 1 << 25;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPixels => write!(
                f,
                "the view has no pixels; make it with a width and a height of at least 1: \
                 `scene.view(camera, (1280, 720))`",
            ),
            Self::TooManyPixels { width, height } => write!(
                f,
                "a picture of {width} × {height} pixels is too large; it may have {MAX_PIXELS} \
                 in all, such as 7680 × 4320",
            ),
            Self::Threads(cause) => write!(
                f,
                "the threads to draw with could not be started ({cause}); ask for fewer, or leave \
                 `Settings::threads` at `None`",
            ),
        }
    }
}

impl std::error::Error for Error {}
