//! `Environment`: the ambient light, environment map, background and fog of a whole scene.
//!
//! Colours are linear. None of these is a node: they have no position.

use glam::Vec3;

use super::error::EnvironmentError;
use crate::content::Content;
use crate::{EnvironmentMap, Error};

/// The ambient light, environment map, background and fog of a scene; none of them by default.
///
/// ```
/// use pleach::{Ambient, Background, Environment, EnvironmentMap, Fog};
/// use pleach::glam::Vec3;
///
/// let dusk = Vec3::new(0.1, 0.1, 0.15);
/// let environment = Environment {
///     ambient: Ambient { color: Vec3::ONE, intensity: 0.3 },
///     map: Some(EnvironmentMap::studio()),
///     background: Some(Background::Color(dusk)),
///     fog: Some(Fog { color: dusk, near: 50.0, far: 200.0 }),
/// };
/// assert_eq!(environment.ambient.light(), Vec3::splat(0.3));
/// assert_eq!(Environment::default().background, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    /// The ambient light; none by default.
    pub ambient: Ambient,
    /// The image of the surroundings, which lights the scene and is reflected by it, if any.
    pub map: Option<EnvironmentMap>,
    /// The background; `None` if the image is not cleared.
    pub background: Option<Background>,
    /// The fog, if any.
    pub fog: Option<Fog>,
}

impl Environment {
    /// Writes everything that the environment consists of.
    pub(crate) fn write_content(&self, content: &mut Content) {
        let Self { ambient: Ambient { color, intensity }, map, background, fog } = self;
        content.write_numbers(&[color.x, color.y, color.z, *intensity]);
        content.write_option(map.as_ref(), |content, map| {
            let EnvironmentMap { source: _, intensity, rotation } = map;
            content.write_option(map.as_image(), Content::write_asset);
            content.write_numbers(&[*intensity, *rotation]);
        });
        content.write_option(background.as_ref(), |content, background| match *background {
            Background::Color(color) => content.write_numbers(&[color.x, color.y, color.z]),
            Background::EnvironmentMap { blur } => content.write_numbers(&[blur]),
        });
        content.write_option(fog.as_ref(), |content, fog| {
            let &Fog { color, near, far } = fog;
            content.write_numbers(&[color.x, color.y, color.z, near, far]);
        });
    }

    /// Checks the map, and that a background that shows the map has one.
    ///
    /// # Errors
    ///
    /// Those of [`EnvironmentMap::check`], and [`Error::Environment`] for the background.
    ///
    /// ```
    /// use pleach::{Background, Environment, EnvironmentMap};
    ///
    /// let background = Some(Background::EnvironmentMap { blur: 0.0 });
    /// let mut environment = Environment { background, ..Environment::default() };
    /// assert!(environment.check().is_err());
    /// environment.map = Some(EnvironmentMap::studio());
    /// assert_eq!(environment.check(), Ok(()));
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        if let Some(Background::EnvironmentMap { blur }) = self.background {
            if self.map.is_none() {
                return Err(EnvironmentError::NoMap.into());
            }
            if !(0.0..=1.0).contains(&blur) {
                return Err(EnvironmentError::Blur(blur).into());
            }
        }
        self.map.as_ref().map_or(Ok(()), EnvironmentMap::check)
    }
}

/// Light that reaches every surface from all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ambient {
    /// The linear colour, which is multiplied by the intensity.
    pub color: Vec3,
    /// The intensity.
    pub intensity: f32,
}

impl Default for Ambient {
    /// Creates white light with an intensity of 0.
    fn default() -> Self {
        Self { color: Vec3::ONE, intensity: 0.0 }
    }
}

impl Ambient {
    /// Returns the light that it adds to every surface: colour times intensity.
    #[must_use]
    pub fn light(&self) -> Vec3 {
        self.color * self.intensity
    }

    /// Returns the sum as a colour of intensity 1. If one of the two is black, returns the other
    /// unchanged.
    ///
    /// ```
    /// use pleach::Ambient;
    /// use pleach::glam::Vec3;
    ///
    /// let [sky, lamp] = [(Vec3::Z, 0.5), (Vec3::ONE, 0.25)]
    ///     .map(|(color, intensity)| Ambient { color, intensity });
    /// assert_eq!(sky.plus(lamp).light(), Vec3::new(0.25, 0.25, 0.75));
    /// assert_eq!(sky.plus(Ambient::default()), sky);
    /// ```
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (light, more) = (self.light(), other.light());
        if more == Vec3::ZERO {
            return self;
        }
        if light == Vec3::ZERO {
            return other;
        }
        Self { color: light + more, intensity: 1.0 }
    }
}

/// The background of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Background {
    /// One colour for all of the background: linear red, green and blue.
    Color(Vec3),
    /// The [map](Environment::map) of the environment, with its intensity and rotation.
    EnvironmentMap {
        /// The roughness of a surface that would blur its reflection as much, from 0 (not blurred) to 1.
        blur: f32,
    },
}

impl From<Vec3> for Background {
    fn from(color: Vec3) -> Self {
        Self::Color(color)
    }
}

/// Linear fog between two distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fog {
    /// The linear colour; usually that of the background.
    pub color: Vec3,
    /// The distance up to which there is no fog.
    pub near: f32,
    /// The distance from which on there is only fog.
    pub far: f32,
}

impl Fog {
    /// Returns the fraction of fog at a distance: exactly 0 up to `near`, exactly 1 from `far` on,
    /// and linear in between. Never NaN.
    ///
    /// If `near` is not less than `far`, the fraction jumps from 0 to 1 at `near`. It is 0 if
    /// `distance` or a parameter of the fog is NaN.
    ///
    /// ```
    /// use pleach::{Fog, glam::Vec3};
    ///
    /// let fog = Fog { color: Vec3::ONE, near: 50.0, far: 200.0 };
    /// assert_eq!([10.0, 50.0, 125.0, 200.0, 1e9].map(|distance| fog.factor(distance)), [0.0, 0.0, 0.5, 1.0, 1.0]);
    /// ```
    #[must_use]
    pub fn factor(&self, distance: f32) -> f32 {
        if distance <= self.near {
            return 0.0;
        }
        if distance >= self.far {
            return 1.0;
        }
        let [near, far, distance] = [self.near, self.far, distance].map(f64::from);
        let fraction = (distance - near) / (far - near);
        // False for NaN.
        if fraction > 0.0 { fraction.min(1.0) as f32 } else { 0.0 }
    }
}
