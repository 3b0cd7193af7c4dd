//! `Backdrop`: the colour or light behind all surfaces.

use glam::{Vec3, Vec4};
use pleach::{Background, Scene};

#[cfg(doc)]
use crate::environment::EnvironmentLight;

/// The background of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Backdrop {
    /// A colour, which exposure and tone mapping do not change.
    Gradient(BackgroundGradient),
    /// The light of the environment map: see [`EnvironmentLight::background`].
    EnvironmentMap {
        /// The roughness that the map is blurred by, from 0 to 1.
        blur: f32,
    },
}

impl Backdrop {
    /// Returns the requested background, else that of the scene, else a light grey gradient.
    /// Components of colours are clamped to the range from 0 to 1.
    ///
    /// ```
    /// use pleach::{Background, Scene, glam::Vec3};
    /// use pleach_shading::Backdrop;
    ///
    /// let mut scene = Scene::new();
    /// scene.environment.background = Some(Background::Color(Vec3::X));
    /// let Backdrop::Gradient(red) = Backdrop::new(None, &scene) else { unreachable!() };
    /// assert_eq!(red.at(0.5), Vec3::X.extend(1.0));
    /// ```
    #[must_use]
    pub fn new(requested: Option<Vec4>, scene: &Scene) -> Self {
        let is_requested = requested.is_some();
        match scene.environment.background {
            Some(Background::EnvironmentMap { blur })
                if !is_requested && scene.environment.map.is_some() =>
            {
                Self::EnvironmentMap { blur: if blur > 0.0 { blur.min(1.0) } else { 0.0 } }
            }
            _ => Self::Gradient(BackgroundGradient::new(requested, scene)),
        }
    }
}

/// A vertical gradient of linear colours, not premultiplied by alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackgroundGradient {
    /// The colour and alpha at the top.
    pub top: Vec4,
    /// The colour and alpha at the bottom.
    pub bottom: Vec4,
}

/// The default: a light grey, slightly brighter at the top.
const DEFAULT_TOP: Vec3 = Vec3::splat(0.58);
const DEFAULT_BOTTOM: Vec3 = Vec3::splat(0.32);

impl BackgroundGradient {
    /// Returns the requested background, else that of the scene, else a light grey gradient.
    /// Components are clamped to the range from 0 to 1.
    ///
    /// ```
    /// use pleach::{Background, Scene, glam::Vec3};
    /// use pleach_shading::BackgroundGradient;
    ///
    /// let mut scene = Scene::new();
    /// scene.environment.background = Some(Background::Color(Vec3::X));
    /// assert_eq!(BackgroundGradient::new(None, &scene).at(0.5), Vec3::X.extend(1.0));
    /// ```
    #[must_use]
    pub fn new(requested: Option<Vec4>, scene: &Scene) -> Self {
        let uniform = |color: Vec4| Self { top: color, bottom: color };
        match (requested, scene.environment.background) {
            (Some(color), _) => uniform(clamp_color(color)),
            (None, Some(Background::Color(color))) => uniform(clamp_color(color.extend(1.0))),
            _ => Self { top: DEFAULT_TOP.extend(1.0), bottom: DEFAULT_BOTTOM.extend(1.0) },
        }
    }

    /// Returns the linear colour, not premultiplied; `fraction` is 0 at the top and 1 at the
    /// bottom.
    #[must_use]
    pub fn at(&self, fraction: f32) -> Vec4 {
        self.top + (self.bottom - self.top) * fraction
    }
}

fn clamp_color(color: Vec4) -> Vec4 {
    Vec4::from_array(color.to_array().map(|it| if it > 0.0 { it.min(1.0) } else { 0.0 }))
}
