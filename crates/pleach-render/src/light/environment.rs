//! `EnvironmentLight`: light from all directions, for diffuse and specular reflection, and the
//! studio lighting for scenes without lights.

use glam::Vec3;
use pleach::View;
use pleach_graph::axes;

use crate::light::punctual_light::PunctualLight;

/// Light from all directions: a gradient from ground to sky.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EnvironmentLight {
    sky: Vec3,
    ground: Vec3,
}

impl EnvironmentLight {
    /// Creates uniform light.
    pub(crate) fn uniform(light: Vec3) -> Self {
        let light = light.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 });
        Self { sky: light, ground: light }
    }

    /// Creates the studio's environment with a strength.
    pub(crate) fn studio(strength: f32) -> Self {
        Self { sky: SKY * strength, ground: GROUND * strength }
    }

    /// Returns `true` if the environment is black.
    pub(crate) fn is_dark(&self) -> bool {
        self.sky == Vec3::ZERO && self.ground == Vec3::ZERO
    }

    /// Returns the irradiance of a surface with this normal.
    pub(crate) fn irradiance(&self, normal: Vec3) -> Vec3 {
        self.lerp(0.5 + 0.5 * normal.dot(axes::UP))
    }

    /// Returns the light reflected from `direction`, blurred by the roughness.
    pub(crate) fn reflected(&self, direction: Vec3, roughness: f32) -> Vec3 {
        let elevation = direction.dot(axes::UP);
        // The transition at the horizon widens with the roughness.
        let width = 0.25 + 0.75 * roughness;
        let blend = (0.5 + 0.5 * elevation / width).clamp(0.0, 1.0);
        let horizon = self.lerp(blend * blend * (3.0 - 2.0 * blend));
        // Smooth surfaces reflect a sky that is brighter at the zenith than at the horizon.
        let gradient = (self.sky - self.ground) * (elevation.max(0.0) - 0.4) * (1.0 - roughness);
        (horizon + gradient * blend).max(Vec3::ZERO)
    }

    fn lerp(&self, elevation: f32) -> Vec3 {
        self.ground + (self.sky - self.ground) * elevation
    }
}

const SKY: Vec3 = Vec3::new(0.60, 0.62, 0.65);
const GROUND: Vec3 = Vec3::new(0.17, 0.16, 0.15);
const KEY_LIGHT: Vec3 = Vec3::new(0.75, 0.73, 0.69);

/// Returns the studio's key light: at the upper left of the camera, in front of the scene.
pub(crate) fn key_light(view: &View) -> PunctualLight {
    let (back, camera_up) = (-view.direction(), view.up());
    let right = camera_up.cross(back);
    let direction = back * 0.5 + camera_up * 0.65 - right * 0.6;
    PunctualLight::directional(direction.normalize_or(axes::UP), KEY_LIGHT)
}
