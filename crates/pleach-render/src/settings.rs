//! `Settings`: what a picture is to be like, apart from what the scene says.

use glam::Vec4;

/// What a picture is to be like. [`default`](Self::default) is what most want.
///
/// ```
/// use pleach_render::{Exposure, Settings};
///
/// let quick = Settings { samples: 1, shadows: false, ..Settings::default() };
/// assert_eq!((quick.threads, quick.exposure), (None, Exposure::Auto));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Rays through a pixel at whose edge something changes: 1, 4 (the default) or 16. Other
    /// numbers count as the next smaller of these.
    pub samples: u32,
    /// How many threads draw; `None` for rayon's own. The picture is the same to the bit.
    pub threads: Option<usize>,
    /// Do lights throw shadows? All of them do, whether they have a [`Shadow`](pleach::Shadow) or
    /// not: that tells how large a map is, and there are no maps here.
    pub shadows: bool,
    /// How bright the picture is.
    pub exposure: Exposure,
    /// Light that the scene does not bring itself.
    pub studio: Studio,
    /// What is behind everything: linear red, green and blue, and alpha, which may be 0.
    ///
    /// `None`: the scene's own, or where it has none a light grey, brighter above than below.
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

/// What light is multiplied with before it becomes a colour. Unlit materials, fog and the
/// background are colours already.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Exposure {
    /// 1, unless the picture would come out black or white: a tenth of what is lit is to be brighter than
    /// 0.1, and no more than a tenth brighter than 0.8. So a sun of 100 000 lux and one of 1 both make a
    /// picture, and more light never makes a darker one.
    #[default]
    Auto,
    /// This number, as it is.
    Fixed(f32),
}

/// Light that the scene does not bring itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Studio {
    /// A scene without any light gets the studio: a lamp at the upper left of the camera, and
    /// surroundings that are bright above and darker below, which metals mirror. One that has
    /// lamps, but no ambient light, gets a little of the surroundings, so that nothing is black.
    #[default]
    Auto,
    /// The studio, in place of all lights of the scene.
    Always,
    /// Nothing but what the scene brings.
    Never,
}
