//! `Options`: what is chosen when a renderer is created.

use glam::Vec4;
use pleach_shading::{Exposure, Studio, ToneMapping};

use crate::Tier;

/// Settings of a [`Renderer`](crate::Renderer).
///
/// ```
/// use pleach_wgpu::{Options, Shadows, Tier};
///
/// let options = Options { tier: Some(Tier::Limited), ..Options::default() };
/// assert_eq!((options.samples, options.shadows), (4, Shadows::Configured));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The tier; `None`, the default, for the best that the device supports. [`Tier::Limited`] draws
    /// as in a browser without WebGPU.
    pub tier: Option<Tier>,
    /// The samples of each pixel: 4 by default. Other numbers than 4 are rounded down to 1 or 4.
    pub samples: u32,
    /// The lights that cast shadows.
    pub shadows: Shadows,
    /// The exposure. [`Exposure::Auto`] is measured by [`Headless`](crate::Headless); for a
    /// [`Renderer`](crate::Renderer), which does not wait for results, it is 1.
    pub exposure: Exposure,
    /// The curve from light to colour.
    pub tone_mapping: ToneMapping,
    /// Lighting for scenes without lights of their own.
    pub studio: Studio,
    /// The background: linear red, green, blue and alpha, which may be 0. `None` selects that of the
    /// scene, or a grey gradient if it has none.
    pub background: Option<Vec4>,
    /// `true` if the colours of the target are not premultiplied by alpha, as in image files; a
    /// window shows premultiplied ones.
    pub straight_alpha: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tier: None,
            samples: 4,
            shadows: Shadows::default(),
            exposure: Exposure::Fixed(1.0),
            tone_mapping: ToneMapping::default(),
            studio: Studio::default(),
            background: None,
            straight_alpha: false,
        }
    }
}

/// The lights that cast shadows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shadows {
    /// None.
    Off,
    /// Lights with [shadow settings](pleach::Light::shadow).
    #[default]
    Configured,
    /// All directional, spot and point lights, as in pictures of the CPU renderer.
    All,
}
