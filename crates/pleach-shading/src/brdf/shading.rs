//! `Shading`: all lobes of a surface, layered, for one view direction.
//!
//! From the bottom: diffuse reflection or transmission; a dielectric or metallic specular lobe,
//! with or without a thin film; sheen; clear coat. A layer dims what is below it by what it
//! reflects. Terms that do not depend on the light are computed once.
//!
//! Twin: `brdf_shading.wgsl` in `pleach-wgpu`.

use glam::{Vec2, Vec3};

use crate::brdf::{
    Surface, anisotropy, clearcoat, diffuse, fresnel, ggx, iridescence, sheen, transmission,
};
use crate::environment::{EnvironmentLight, SplitSumLut};

/// A surface seen from one direction.
///
/// ```
/// use pleach_shading::glam::Vec3;
/// use pleach_shading::{Shading, SplitSumLut, Surface};
///
/// let surface = Surface { base_color: Vec3::new(0.8, 0.4, 0.2), ..Surface::default() };
/// let shading = Shading::new(&surface, Vec3::Z, SplitSumLut::shared());
/// // A rough surface that faces a light of intensity 1 is about as bright as its colour.
/// let reflected = shading.evaluate(Vec3::Z);
/// assert!((reflected - surface.base_color).abs().max_element() < 0.03);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shading<'a> {
    surface: Surface,
    lut: &'a SplitSumLut,
    /// The unit vector towards the camera.
    view: Vec3,
    n_dot_v: f32,
    /// The widths of the specular lobe along tangent and bitangent.
    alphas: [f32; 2],
    /// The reflectance of the dielectric at normal and grazing incidence.
    dielectric_f0: Vec3,
    dielectric_f90: f32,
    /// The reflectance of uniform light.
    dielectric_environment: Vec3,
    metal_environment: Vec3,
    /// The reflectance of the thin film on either base.
    dielectric_film: Vec3,
    metal_film: Vec3,
    /// The fraction of uniform light that the sheen reflects.
    sheen_albedo: f32,
    /// The fraction of light that the clear coat reflects.
    coat_weight: f32,
    /// The transmittance of the volume along the refracted ray.
    attenuation: Vec3,
}

impl<'a> Shading<'a> {
    /// Prepares the shading of a surface. `view` is the unit vector towards the camera.
    ///
    /// Results are finite for any finite parameters and unit directions.
    #[must_use]
    pub fn new(surface: &Surface, view: Vec3, lut: &'a SplitSumLut) -> Self {
        let surface = surface.clamped();
        let n_dot_v = surface.normal.dot(view).clamp(ggx::MIN_COSINE, 1.0);
        let f0 = fresnel::f0_from_ior(surface.ior);
        let dielectric_f0 = (surface.specular_color * f0).min(Vec3::ONE) * surface.specular;
        let split_sum: Vec2 = lut.ggx(n_dot_v, surface.roughness);
        let has_film = surface.iridescence > 0.0;
        let film = |base_f0: Vec3| {
            let Surface { iridescence_ior, iridescence_thickness, .. } = surface;
            if has_film {
                iridescence::reflectance(iridescence_ior, iridescence_thickness, n_dot_v, base_f0)
            } else {
                Vec3::ZERO
            }
        };
        Self {
            lut,
            view,
            n_dot_v,
            alphas: anisotropy::alphas(
                ggx::alpha_from_roughness(surface.roughness),
                surface.anisotropy,
            ),
            dielectric_f0,
            dielectric_f90: surface.specular,
            dielectric_environment: fresnel::environment(
                dielectric_f0,
                surface.specular,
                split_sum,
            ),
            metal_environment: fresnel::environment(surface.base_color, 1.0, split_sum),
            dielectric_film: film(dielectric_f0),
            metal_film: film(surface.base_color),
            sheen_albedo: sheen_albedo(&surface, lut, n_dot_v),
            coat_weight: clearcoat::weight(surface.clearcoat, surface.clearcoat_normal, view),
            attenuation: transmission::attenuation(
                surface.thickness,
                surface.attenuation_color,
                surface.attenuation_distance,
            ),
            surface,
        }
    }

    /// Returns the fraction of a punctual light that is reflected or transmitted towards the
    /// camera, including the cosine. `light` is the unit vector towards the light.
    ///
    /// Multiply it by the [incident light](crate::IncidentLight::light).
    #[must_use]
    pub fn evaluate(&self, light: Vec3) -> Vec3 {
        let Surface { normal, base_color, metallic, .. } = self.surface;
        let n_dot_l = normal.dot(light).min(1.0);
        let half = (light + self.view).normalize_or_zero();
        let v_dot_h = self.view.dot(half).clamp(0.0, 1.0);

        let specular = self.specular(light, half, n_dot_l);
        let below = self.transmitted_or_diffuse(light, n_dot_l);
        let fresnel = fresnel::schlick(self.dielectric_f0, self.dielectric_f90, v_dot_h);
        let metal_fresnel = fresnel::schlick(base_color, 1.0, v_dot_h);
        let (mut dielectric, mut metal) =
            (layer(below, Vec3::splat(specular), fresnel), metal_fresnel * specular);
        if self.surface.iridescence > 0.0 {
            let film = layer(below, Vec3::splat(specular), self.dielectric_film);
            dielectric = mix(dielectric, film, self.surface.iridescence);
            metal = mix(metal, self.metal_film * specular, self.surface.iridescence);
        }
        let mut reflected = mix(dielectric, metal, metallic);
        if self.surface.sheen_color != Vec3::ZERO {
            reflected = self.add_sheen(reflected, half, n_dot_l);
        }
        if self.surface.clearcoat > 0.0 {
            let Surface { clearcoat_roughness, clearcoat_normal, .. } = self.surface;
            let directions = [light, self.view, half];
            let coat = clearcoat::specular(clearcoat_roughness, clearcoat_normal, directions);
            reflected = mix(reflected, Vec3::splat(coat), self.coat_weight);
        }
        reflected
    }

    /// Returns the light of the environment that is reflected, or transmitted diffusely, towards
    /// the camera. It is dimmed by the surface's occlusion.
    #[must_use]
    pub fn environment_light(&self, environment: &EnvironmentLight) -> Vec3 {
        if environment.is_dark() {
            return Vec3::ZERO;
        }
        let surface = &self.surface;
        let specular = environment.specular(self.reflection(), surface.roughness);
        let below = self.environment_diffuse(environment) * (1.0 - surface.transmission);
        let mut dielectric = layer(below, specular, self.dielectric_environment);
        let mut metal = specular * self.metal_environment;
        if surface.iridescence > 0.0 {
            let film = layer(below, specular, self.dielectric_film);
            dielectric = mix(dielectric, film, surface.iridescence);
            metal = mix(metal, specular * self.metal_film, surface.iridescence);
        }
        let mut reflected = mix(dielectric, metal, surface.metallic);
        if surface.sheen_color != Vec3::ZERO {
            let light = environment.sheen(surface.normal, self.view, surface.sheen_roughness);
            reflected = reflected * self.below_sheen(self.sheen_albedo)
                + light * surface.sheen_color * self.sheen_albedo;
        }
        if surface.clearcoat > 0.0 {
            let direction = reflect(self.view, surface.clearcoat_normal);
            let coat = environment.specular(direction, surface.clearcoat_roughness);
            reflected = mix(reflected, coat, self.coat_weight);
        }
        reflected * surface.occlusion
    }

    /// Returns the emitted light that passes the clear coat.
    #[must_use]
    pub fn emitted_light(&self) -> Vec3 {
        self.surface.emissive * (1.0 - self.coat_weight)
    }

    /// Returns the fraction of the light behind the surface that reaches the camera through it:
    /// colour, attenuation and the layers above. Multiply it by the light at the end of the
    /// [transmission ray](Self::transmission_rays).
    #[must_use]
    pub fn transmittance(&self) -> Vec3 {
        let surface = &self.surface;
        if surface.transmission <= 0.0 {
            return Vec3::ZERO;
        }
        let mut through = 1.0 - self.dielectric_environment.max_element();
        if surface.iridescence > 0.0 {
            let film = 1.0 - self.dielectric_film.max_element();
            through += (film - through) * surface.iridescence;
        }
        let above = self.below_sheen(self.sheen_albedo) * (1.0 - self.coat_weight);
        let factor = surface.transmission * (1.0 - surface.metallic) * through * above;
        surface.base_color * self.attenuation * factor
    }

    /// Returns the vector from the surface to the exit point of the refracted ray, for each colour
    /// channel. The three are equal without dispersion, and zero for a thin surface.
    #[must_use]
    pub fn transmission_rays(&self) -> [Vec3; 3] {
        let Surface { normal, thickness, ior, dispersion, .. } = self.surface;
        let ray = |ior| transmission::transmission_ray(normal, self.view, thickness, ior);
        if dispersion == 0.0 {
            return [ray(ior); 3];
        }
        transmission::dispersed_iors(ior, dispersion).map(ray)
    }

    /// Returns the mip level of a picture of this width in pixels that is as blurred as the light
    /// transmitted by the surface.
    #[must_use]
    pub fn transmission_lod(&self, width: f32) -> f32 {
        transmission::transmission_lod(self.surface.roughness, self.surface.ior, width)
    }

    /// The specular lobe of the base without its Fresnel term.
    fn specular(&self, light: Vec3, half: Vec3, n_dot_l: f32) -> f32 {
        let Surface { normal, tangent, bitangent, anisotropy, .. } = self.surface;
        if anisotropy > 0.0 {
            let (frame, directions) = ([tangent, bitangent, normal], [light, self.view, half]);
            return anisotropy::specular(self.alphas, frame, directions, n_dot_l, self.n_dot_v);
        }
        ggx::specular(self.alphas[1], normal, half, n_dot_l, self.n_dot_v)
    }

    /// The light of a punctual light from below the specular layer.
    fn transmitted_or_diffuse(&self, light: Vec3, n_dot_l: f32) -> Vec3 {
        let surface = &self.surface;
        let below = diffuse::diffuse(
            surface.base_color,
            Vec3::splat(n_dot_l.max(0.0)),
            surface.diffuse_transmission,
            surface.diffuse_transmission_color * self.attenuation,
            Vec3::splat((-n_dot_l).max(0.0)),
        );
        if surface.transmission <= 0.0 {
            return below;
        }
        let directions = [surface.normal, self.view, light];
        let lobe =
            transmission::transmitted(surface.roughness, surface.ior, directions, self.n_dot_v);
        mix(below, surface.base_color * self.attenuation * lobe, surface.transmission)
    }

    fn environment_diffuse(&self, environment: &EnvironmentLight) -> Vec3 {
        let surface = &self.surface;
        let back = if surface.diffuse_transmission > 0.0 {
            environment.irradiance(-surface.normal)
        } else {
            Vec3::ZERO
        };
        diffuse::diffuse(
            surface.base_color,
            environment.irradiance(surface.normal),
            surface.diffuse_transmission,
            surface.diffuse_transmission_color * self.attenuation,
            back,
        )
    }

    fn add_sheen(&self, below: Vec3, half: Vec3, n_dot_l: f32) -> Vec3 {
        let Surface { normal, sheen_color, sheen_roughness, .. } = self.surface;
        let n_dot_h = normal.dot(half).clamp(0.0, 1.0);
        let alpha = sheen::alpha_from_roughness(sheen_roughness);
        let lobe = sheen::specular(alpha, n_dot_h, n_dot_l, self.n_dot_v);
        let albedo = self.lut.charlie(n_dot_l.max(0.0), sheen_roughness).max(self.sheen_albedo);
        below * self.below_sheen(albedo) + sheen_color * lobe
    }

    /// The fraction of light that the sheen leaves for the layers below.
    fn below_sheen(&self, albedo: f32) -> f32 {
        (1.0 - self.surface.sheen_color.max_element() * albedo).max(0.0)
    }

    fn reflection(&self) -> Vec3 {
        let Surface { normal, bitangent, roughness, anisotropy, .. } = self.surface;
        if anisotropy > 0.0 {
            let bent = anisotropy::bent_normal(normal, bitangent, self.view, roughness, anisotropy);
            return reflect(self.view, bent);
        }
        reflect(self.view, normal)
    }
}

fn sheen_albedo(surface: &Surface, lut: &SplitSumLut, n_dot_v: f32) -> f32 {
    if surface.sheen_color == Vec3::ZERO {
        return 0.0;
    }
    lut.charlie(n_dot_v, surface.sheen_roughness)
}

/// Puts a specular layer on top of `below`, which keeps what the layer does not reflect.
fn layer(below: Vec3, specular: Vec3, fresnel: Vec3) -> Vec3 {
    below * (1.0 - fresnel.max_element()) + specular * fresnel
}

fn reflect(view: Vec3, normal: Vec3) -> Vec3 {
    normal * (2.0 * normal.dot(view)) - view
}

fn mix(a: Vec3, b: Vec3, weight: f32) -> Vec3 {
    a + (b - a) * weight
}
