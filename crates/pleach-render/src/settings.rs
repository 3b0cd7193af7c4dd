//! `Settings`: sampling, threads, shadows, exposure, studio light and background of a picture.

use glam::Vec4;

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
    /// Lighting for scenes without lights of their own.
    pub studio: Studio,
    /// The background: linear red, green, blue and alpha, which may be 0.
    ///
    /// `None` selects the scene's background, or a light grey gradient, brighter at the top, if it
    /// has none.
    pub background: Option<Vec4>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            samples: 4,
            threads: None,
            shadows: true,
            exposure: Exposure::Auto,
            studio: Studio::Auto,
            background: None,
        }
    }
}

/// The factor that light is multiplied by before tone mapping. Unlit materials, fog and the
/// background are not affected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Exposure {
    /// 1, unless the picture would be black or white: at least a tenth of the lit pixels should be
    /// brighter than 0.1, and at most a tenth brighter than 0.8. Suns of 1 lux and of 100 000 lux
    /// both give a well exposed picture, and more light never gives a darker one.
    #[default]
    Auto,
    /// A fixed factor.
    Fixed(f32),
}

/// Lighting for scenes without lights of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Studio {
    /// A scene without lights gets the studio: a key light at the upper left of the camera, and an
    /// environment that is bright above and darker below, which metals reflect. A scene with
    /// punctual lights but without ambient light gets a dim environment, so that no surface is
    /// black.
    #[default]
    Auto,
    /// The studio, instead of the lights of the scene.
    Always,
    /// Only the lights of the scene.
    Never,
}
