//! `SurfaceShading`: glTF's metallic-roughness model.
//!
//! A Lambertian base under a GGX specular lobe with multiple-scattering energy compensation, lit by
//! punctual lights and the environment. All terms omit the factor 1/π: see `punctual_light.rs`.

use glam::Vec3;

use crate::light::environment::EnvironmentLight;
use crate::light::punctual_light::IncidentLight;
use crate::trace::surface::Surface;

/// The minimum roughness: the highlight of a punctual light on a smoother surface would be too
/// small to be seen.
const MIN_ROUGHNESS: f32 = 0.05;
/// The reflectance of a clear coat at normal incidence.
const COAT_F0: f32 = 0.04;

/// A surface with a view direction, and the terms that do not depend on the light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceShading<'a> {
    surface: &'a Surface<'a>,
    /// The unit vector towards the camera.
    to_camera: Vec3,
    n_dot_v: f32,
    /// The diffuse albedo.
    diffuse: Vec3,
    /// The specular reflectance at normal incidence.
    f0: Vec3,
    roughness: f32,
    /// The reflectance of uniform light, and the multiple-scattering energy compensation.
    env_reflectance: Vec3,
    compensation: Vec3,
    /// The fraction of light that the clear coat reflects.
    coat_fresnel: f32,
}

impl<'a> SurfaceShading<'a> {
    pub(crate) fn new(surface: &'a Surface<'a>, to_camera: Vec3) -> Self {
        let n_dot_v = surface.normal.dot(to_camera).clamp(1e-3, 1.0);
        let base = surface.base.truncate();
        let metallic = surface.metallic.clamp(0.0, 1.0);
        let roughness = surface.roughness.clamp(MIN_ROUGHNESS, 1.0);
        let f0 = surface.material.reflectance * (1.0 - metallic) + base * metallic;
        let [scale, bias] = environment_brdf(n_dot_v, roughness);
        let compensation = Vec3::ONE + f0 * (1.0 / (scale + bias) - 1.0);
        Self {
            surface,
            to_camera,
            n_dot_v,
            diffuse: base * ((1.0 - metallic) * (1.0 - surface.transmission)),
            f0,
            roughness,
            env_reflectance: ((f0 * scale + Vec3::splat(bias)) * compensation)
                .clamp(Vec3::ZERO, Vec3::ONE),
            compensation,
            coat_fresnel: surface.material.clearcoat * schlick(COAT_F0, n_dot_v),
        }
    }

    /// Returns the reflected light of a punctual light.
    pub(crate) fn direct_light(&self, incident: &IncidentLight) -> Vec3 {
        let normal = self.surface.normal;
        let n_dot_l = normal.dot(incident.direction).min(1.0);
        if n_dot_l <= 0.0 {
            return Vec3::ZERO;
        }
        let half = (incident.direction + self.to_camera).normalize_or_zero();
        let (n_dot_h, v_dot_h) =
            (normal.dot(half).clamp(0.0, 1.0), self.to_camera.dot(half).clamp(0.0, 1.0));
        let schlick_weight = pow5(1.0 - v_dot_h);
        let fresnel = self.f0 + (Vec3::ONE - self.f0) * schlick_weight;
        let specular =
            fresnel * self.compensation * ggx(self.roughness, n_dot_h, n_dot_l, self.n_dot_v);
        let diffuse = self.diffuse * (Vec3::ONE - fresnel);
        let mut reflected = (diffuse + specular) * (1.0 - self.coat_fresnel);
        if self.surface.material.clearcoat > 0.0 {
            let roughness = self.surface.material.clearcoat_roughness.max(MIN_ROUGHNESS);
            let coat = schlick(COAT_F0, v_dot_h) * ggx(roughness, n_dot_h, n_dot_l, self.n_dot_v);
            reflected += Vec3::splat(coat * self.surface.material.clearcoat);
        }
        reflected * incident.light * n_dot_l
    }

    /// Returns the reflected light of the environment.
    pub(crate) fn environment_light(&self, env: &EnvironmentLight) -> Vec3 {
        if env.is_dark() {
            return Vec3::ZERO;
        }
        let normal = self.surface.normal;
        let reflection = normal * (2.0 * normal.dot(self.to_camera)) - self.to_camera;
        let diffuse = env.irradiance(normal) * self.diffuse * (Vec3::ONE - self.env_reflectance);
        let specular = env.reflected(reflection, self.roughness) * self.env_reflectance;
        let mut reflected = (diffuse + specular) * (1.0 - self.coat_fresnel);
        if self.coat_fresnel > 0.0 {
            reflected += env.reflected(reflection, self.surface.material.clearcoat_roughness)
                * self.coat_fresnel;
        }
        reflected * self.surface.occlusion
    }

    /// Returns the transmittance of the surface.
    pub(crate) fn transmittance(&self) -> Vec3 {
        let factor = (1.0 - self.surface.metallic.clamp(0.0, 1.0)) * self.surface.transmission;
        let tint = self.surface.base.truncate() * self.surface.material.attenuation;
        (tint * factor * (Vec3::ONE - self.env_reflectance)).clamp(Vec3::ZERO, Vec3::ONE)
    }
}

/// The GGX distribution with height-correlated Smith masking-shadowing, times π.
fn ggx(roughness: f32, n_dot_h: f32, n_dot_l: f32, n_dot_v: f32) -> f32 {
    let alpha = roughness * roughness;
    let squared = alpha * alpha;
    let ggx_denominator = n_dot_h * n_dot_h * (squared - 1.0) + 1.0;
    let smith_denominator = n_dot_l * (n_dot_v * n_dot_v * (1.0 - squared) + squared).sqrt()
        + n_dot_v * (n_dot_l * n_dot_l * (1.0 - squared) + squared).sqrt();
    squared / (ggx_denominator * ggx_denominator) * 0.5 / smith_denominator
}

/// Returns the reflectance of uniform light as `f0 * scale + bias`: the approximation of Karis,
/// "Physically Based Shading on Mobile" (2014).
fn environment_brdf(n_dot_v: f32, roughness: f32) -> [f32; 2] {
    let x = 1.0 - roughness;
    let y = 0.0425 - 0.0275 * roughness;
    let edge = (x * x).min(libm::exp2f(-9.28 * n_dot_v)) * x + y;
    let scale = 1.04 - 0.572 * roughness - 1.04 * edge;
    let bias = 1.04 * edge - 0.04 + 0.022 * roughness;
    [scale, bias]
}

fn schlick(f0: f32, cosine: f32) -> f32 {
    f0 + (1.0 - f0) * pow5(1.0 - cosine)
}

fn pow5(x: f32) -> f32 {
    let square = x * x;
    square * square * x
}
