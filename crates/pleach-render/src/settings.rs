//! `Settings`: sampling, threads, shadows, exposure, tone mapping, studio light and background of a picture.

use glam::Vec4;
use pleach_shading::{Exposure, Studio, ToneMapping};

/// Settings of a [`Renderer`](crate::Renderer).
///
/// ```
/// use pleach_render::{Exposure, Settings};
///
/// let quick = Settings { samples: 1, shadows: false, ..Settings::default() };
/// assert_eq!((quick.threads, quick.exposure), (None, Exposure::Auto));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The number of rays through a pixel at an edge: 1, 4 (the default) or 16. Other values are
    /// rounded down to the next of these.
    pub samples: u32,
    /// The number of threads: `Some(0)` for one per core, `Some(1)` for the calling thread alone.
    /// `None`, the default, uses the threads of the rayon pool that the calling thread belongs to,
    /// or the calling thread alone outside of one. At most 256 are started; they are kept for the
    /// next picture. The picture is the same to the bit.
    ///
    /// Without the feature `parallel`, and if threads cannot be started, the calling thread renders
    /// the picture.
    pub threads: Option<usize>,
    /// Enables shadows. All lights cast them, with or without a [`Shadow`](pleach::Shadow): that
    /// describes shadow maps, which a ray tracer does not need.
    pub shadows: bool,
    /// The exposure.
    pub exposure: Exposure,
    /// The mapping from light to colour; [`ToneMapping::KhronosPbrNeutral`] by default. Unlit
    /// materials, fog and a coloured background are not affected.
    pub tone_mapping: ToneMapping,
    /// Lighting for scenes without lights of their own.
    pub studio: Studio,
    /// The background: linear red, green, blue and alpha, which may be 0.
    ///
    /// `None` selects the scene's background (a colour, or its environment map), or a light grey
    /// gradient, brighter at the top, if it has none.
    pub background: Option<Vec4>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            samples: 4,
            threads: None,
            shadows: true,
            exposure: Exposure::Auto,
            tone_mapping: ToneMapping::default(),
            studio: Studio::Auto,
            background: None,
        }
    }
}
