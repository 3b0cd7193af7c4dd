//! `EnvironmentLight`: the light of a scene that comes from all directions.
//!
//! Twin: `environment.wgsl` in `pleach-wgpu`.

use std::sync::Arc;

use glam::Vec3;

use crate::environment::PrefilteredEnvironment;

/// Uniform light, and an environment map.
///
/// There is no factor π: a white surface in uniform light of 1 is white.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentLight {
    /// Light that is the same from all directions.
    pub uniform: Vec3,
    /// The environment map.
    pub map: Option<Arc<PrefilteredEnvironment>>,
    /// The factor of the map's light.
    pub intensity: f32,
    /// The rotation of the map around +Z in radians, counter-clockwise seen from above.
    pub rotation: f32,
}

impl EnvironmentLight {
    /// Creates uniform light. Components that are negative or not finite become 0.
    #[must_use]
    pub fn uniform(light: Vec3) -> Self {
        let uniform = light.map(|it| if it.is_finite() { it.clamp(0.0, 1e30) } else { 0.0 });
        Self { uniform, ..Self::default() }
    }

    /// Returns the light with an environment map in addition.
    #[must_use]
    pub fn with_map(self, map: Arc<PrefilteredEnvironment>, intensity: f32, rotation: f32) -> Self {
        let intensity = if intensity.is_finite() { intensity.clamp(0.0, 1e25) } else { 0.0 };
        let rotation = if rotation.is_finite() { rotation } else { 0.0 };
        Self { map: Some(map), intensity, rotation, ..self }
    }

    /// Returns `true` if there is no light.
    #[must_use]
    pub fn is_dark(&self) -> bool {
        self.uniform == Vec3::ZERO && (self.map.is_none() || self.intensity <= 0.0)
    }

    /// Returns the irradiance divided by π of a surface with this normal.
    #[must_use]
    pub fn irradiance(&self, normal: Vec3) -> Vec3 {
        let map = self.map.as_ref().map(|map| map.harmonics.irradiance(self.to_map(normal)));
        self.uniform + map.unwrap_or_default() * self.intensity
    }

    /// Returns the light around a direction, blurred by the GGX lobe of a roughness.
    #[must_use]
    pub fn specular(&self, direction: Vec3, roughness: f32) -> Vec3 {
        let map = self.map.as_ref().map(|map| map.specular(self.to_map(direction), roughness));
        self.uniform + map.unwrap_or_default() * self.intensity
    }

    /// Returns the light of the map in a direction, for a background; `blur` is the roughness that
    /// it is blurred by. Black without a map.
    #[must_use]
    pub fn background(&self, direction: Vec3, blur: f32) -> Vec3 {
        let map = self.map.as_ref().map(|map| map.specular(self.to_map(direction), blur));
        map.unwrap_or_default() * self.intensity
    }

    /// Returns the light that the sheen lobe of a roughness gathers around a normal, seen from
    /// `view`.
    #[must_use]
    pub fn sheen(&self, normal: Vec3, view: Vec3, roughness: f32) -> Vec3 {
        let map = self
            .map
            .as_ref()
            .map(|map| map.harmonics.sheen(self.to_map(normal), self.to_map(view), roughness));
        self.uniform + map.unwrap_or_default() * self.intensity
    }

    /// Returns what `environment.wgsl` reads, for a uniform buffer: uniform light and intensity;
    /// cosine and sine of the rotation and the number of the last level; nine harmonics.
    #[must_use]
    pub fn to_uniform(&self) -> [[f32; 4]; 11] {
        let mut rows = [[0.0; 4]; 11];
        let (sin, cos) = libm::sincosf(self.rotation);
        let Vec3 { x, y, z } = self.uniform;
        rows[0] = [x, y, z, if self.map.is_some() { self.intensity } else { 0.0 }];
        rows[1] = [cos, sin, 0.0, 0.0];
        if let Some(map) = &self.map {
            rows[1][2] = (map.cube.levels().len() - 1) as f32;
            for (row, coefficient) in rows[2..].iter_mut().zip(map.harmonics.coefficients) {
                *row = coefficient.extend(0.0).to_array();
            }
        }
        rows
    }

    /// Rotates a direction of the world into the space of the map.
    fn to_map(&self, direction: Vec3) -> Vec3 {
        if self.rotation == 0.0 {
            return direction;
        }
        let (sin, cos) = libm::sincosf(self.rotation);
        let Vec3 { x, y, z } = direction;
        Vec3::new(cos * x + sin * y, cos * y - sin * x, z)
    }
}
