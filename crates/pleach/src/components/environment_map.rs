//! `EnvironmentMap`: light that reaches a scene from far away, different in each direction.
//!
//! This file defines which texel of an equirectangular image is seen in which direction. Renderers
//! use the two functions for that, or state the same equations in their shaders.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

use super::error::EnvironmentError;
use crate::{Assets, Error, Handle, Image};

/// An image of the surroundings of a scene, which lights all surfaces and is reflected by them.
///
/// ```
/// use pleach::{EnvironmentMap, Image, Scene};
///
/// # fn read() -> Vec<u8> { Vec::new() }
/// let mut scene = Scene::new();
/// scene.environment.map = Some(EnvironmentMap::studio());
///
/// let sky = scene.assets.add(Image::from_encoded("image/vnd.radiance", read()));
/// scene.environment.map = Some(EnvironmentMap { intensity: 0.5, ..EnvironmentMap::image(&sky) });
/// ```
///
/// Radiance is linear. As with [`Ambient`](crate::Ambient), no factor of π is between light and
/// colour: a map that is 1 everywhere, with an intensity of 1, gives a white rough surface the
/// colour 1. It is added to ambient light and [`Light`](crate::Light)s.
#[doc(alias("image-based lighting", "IBL", "skybox", "environment texture", "hdri"))]
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentMap {
    /// The image.
    pub source: EnvironmentSource,
    /// The factor of its radiance. 1 by default.
    pub intensity: f32,
    /// The rotation of the surroundings about +Z in radians, counterclockwise seen from above. 0 by
    /// default.
    pub rotation: f32,
}

/// The image of an [`EnvironmentMap`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EnvironmentSource {
    /// A neutral photo studio that is built into the renderers: soft boxes in a grey room, which show
    /// the shape and the material of any object.
    Studio,
    /// An equirectangular image: the bytes of a Radiance file (`image/vnd.radiance`), or pixels of
    /// [`RgbF32`](crate::ImageData::RgbF32). Images with 8 bits per channel are taken as sRGB.
    ///
    /// Its upper edge is straight up (+Z). Its centre is +X, its left quarter +Y and its right quarter
    /// −Y; see [`EnvironmentMap::uv`].
    Image(Handle<Image>),
}

impl EnvironmentMap {
    /// Creates a map with the built-in studio.
    #[must_use]
    pub fn studio() -> Self {
        Self { source: EnvironmentSource::Studio, intensity: 1.0, rotation: 0.0 }
    }

    /// Creates a map from an equirectangular image.
    #[must_use]
    pub fn image(image: &Handle<Image>) -> Self {
        Self { source: EnvironmentSource::Image(image.clone()), ..Self::studio() }
    }

    /// Returns the position in the equirectangular image that is seen in a direction in the world,
    /// which need not be normalized: (0, 0) is the upper left corner, (1, 1) the lower right one. (0.5,
    /// 0.5) for the zero vector.
    ///
    /// ```
    /// use pleach::EnvironmentMap;
    /// use pleach::glam::{Vec2, Vec3};
    ///
    /// let map = EnvironmentMap::studio();
    /// assert_eq!(map.uv(Vec3::X), Vec2::new(0.5, 0.5));
    /// assert_eq!(map.uv(Vec3::Y), Vec2::new(0.25, 0.5));
    /// assert_eq!(map.uv(Vec3::Z).y, 0.0);
    /// // Turned by a quarter, the centre of the image is seen along +Y.
    /// let map = EnvironmentMap { rotation: std::f32::consts::FRAC_PI_2, ..map };
    /// assert!(map.uv(Vec3::Y).abs_diff_eq(Vec2::new(0.5, 0.5), 1e-6));
    /// ```
    #[must_use]
    pub fn uv(&self, direction: Vec3) -> Vec2 {
        let azimuth = libm::atan2f(direction.y, direction.x) - self.rotation;
        let elevation = libm::atan2f(direction.z, libm::hypotf(direction.x, direction.y));
        let u = 0.5 - azimuth / TAU;
        Vec2::new(u - libm::floorf(u), 0.5 - elevation / PI)
    }

    /// Returns the unit vector in the world in which a position of the equirectangular image is seen:
    /// the inverse of [`uv`](Self::uv).
    ///
    /// ```
    /// use pleach::EnvironmentMap;
    /// use pleach::glam::{Vec2, Vec3};
    ///
    /// let map = EnvironmentMap::studio();
    /// assert!(map.direction(Vec2::new(0.75, 0.5)).abs_diff_eq(-Vec3::Y, 1e-6));
    /// assert!(map.direction(Vec2::new(0.75, 1.0)).abs_diff_eq(-Vec3::Z, 1e-6));
    /// ```
    #[must_use]
    pub fn direction(&self, uv: Vec2) -> Vec3 {
        let (sin, cos) = libm::sincosf((0.5 - uv.x) * TAU + self.rotation);
        let (up, across) = libm::sincosf((0.5 - uv.y) * PI);
        Vec3::new(cos * across, sin * across, up)
    }

    /// Returns the image, or `None` for the built-in studio.
    #[must_use]
    pub fn as_image(&self) -> Option<&Handle<Image>> {
        match &self.source {
            EnvironmentSource::Studio => None,
            EnvironmentSource::Image(image) => Some(image),
        }
    }

    /// Makes the image known to a registry.
    #[inline]
    pub(crate) fn include_assets(&self, assets: &Assets) {
        if let EnvironmentSource::Image(image) = &self.source {
            assets.include(image);
        }
    }

    /// Checks the numbers and the image.
    ///
    /// # Errors
    ///
    /// [`Error::Environment`] if the intensity is negative, infinite or NaN, or the rotation infinite or
    /// NaN; [`Error::Image`] if the pixels of the image do not match its size.
    ///
    /// ```
    /// use pleach::EnvironmentMap;
    ///
    /// let map = EnvironmentMap { intensity: -1.0, ..EnvironmentMap::studio() };
    /// let error = map.check().unwrap_err();
    /// assert_eq!(error.to_string(), "environment: the intensity of the map is -1; it must be finite and not negative");
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        if !(self.intensity.is_finite() && self.intensity >= 0.0) {
            return Err(EnvironmentError::Intensity(self.intensity).into());
        }
        if !self.rotation.is_finite() {
            return Err(EnvironmentError::Rotation(self.rotation).into());
        }
        self.as_image().map_or(Ok(()), |image| image.get().check())
    }
}

impl Default for EnvironmentMap {
    /// Creates a map with the built-in studio.
    fn default() -> Self {
        Self::studio()
    }
}
