//! `Canvas`: the picture that a draw makes, before it reaches the caller's target.

/// The size of a picture, its samples and its exposure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Canvas {
    pub(crate) size: [u32; 2],
    /// The samples of each pixel: 1 or 4.
    pub(crate) samples: u32,
    /// The factor of light. `None` if light is to be measured: it is stored times
    /// [`MEASURING_EXPOSURE`], and colours that exposure does not change are black.
    pub(crate) exposure: Option<f32>,
}

/// The exposure that light is stored with to be measured: bright light does not overflow half floats.
pub(crate) const MEASURING_EXPOSURE: f32 = 1.0 / 256.0;
