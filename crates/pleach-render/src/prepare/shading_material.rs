//! `ShadingMaterial`: a material prepared for evaluation at many points.
//!
//! Numbers that are not finite are replaced, textures are decoded, and their transforms are
//! matrices. The alpha mode is evaluated here only, for camera rays and shadow rays alike.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use pleach::{AlphaMode, Material, Sampler, TextureRef};

use crate::prepare::texture::Texture;
use crate::prepare::texture_cache::TextureCache;

/// A material with decoded textures and finite factors.
#[derive(Debug)]
pub(crate) struct ShadingMaterial {
    pub(crate) base_color: Vec4,
    pub(crate) base_map: Option<TextureMap>,
    pub(crate) metallic: f32,
    pub(crate) roughness: f32,
    pub(crate) metallic_roughness_map: Option<TextureMap>,
    pub(crate) normal_map: Option<TextureMap>,
    pub(crate) normal_scale: f32,
    pub(crate) occlusion_map: Option<TextureMap>,
    pub(crate) occlusion_strength: f32,
    pub(crate) emissive: Vec3,
    pub(crate) emissive_map: Option<TextureMap>,
    pub(crate) alpha_mode: AlphaMode,
    pub(crate) double_sided: bool,
    pub(crate) unlit: bool,
    /// The reflectance of dielectrics at normal incidence (F0).
    pub(crate) reflectance: Vec3,
    pub(crate) clearcoat: f32,
    pub(crate) clearcoat_roughness: f32,
    pub(crate) transmission: f32,
    pub(crate) transmission_map: Option<TextureMap>,
    /// The tint of transmitted light by the volume, in addition to the base colour.
    pub(crate) attenuation: Vec3,
}

/// A texture with its sampler and transform.
#[derive(Debug)]
pub(crate) struct TextureMap {
    texture: Arc<Texture>,
    sampler: Sampler,
    pub(crate) uv_set: usize,
    /// `u' = x · (u, v, 1)`, `v' = y · (u, v, 1)`.
    transform_rows: [Vec3; 2],
}

impl ShadingMaterial {
    pub(crate) fn new(material: &Material, textures: &TextureCache) -> Self {
        let map = |texture: &Option<TextureRef>, is_srgb: bool| {
            let texture = texture.as_ref()?;
            TextureMap::new(texture, textures.get(&texture.image, is_srgb)?)
        };
        let ior = finite(material.ior, 1.5);
        // An index of 0 means total reflection, as in KHR_materials_ior.
        let normal_incidence = if ior > 0.0 { (ior - 1.0) / (ior + 1.0) } else { 1.0 };
        let specular = material
            .specular
            .as_ref()
            .map_or(Vec3::ONE, |value| color_factor(value.color) * unit(value.factor, 1.0));
        let clearcoat = material.clearcoat.as_ref();
        let transmission = material.transmission.as_ref();
        Self {
            base_color: Vec4::from_array(
                material.base_color.to_array().map(|value| positive(value, 1.0)),
            ),
            base_map: map(&material.base_color_texture, true),
            metallic: unit(material.metallic, 1.0),
            roughness: unit(material.roughness, 1.0),
            metallic_roughness_map: map(&material.metallic_roughness_texture, false),
            normal_map: map(&material.normal_texture, false),
            normal_scale: finite(material.normal_scale, 1.0),
            occlusion_map: map(&material.occlusion_texture, false),
            occlusion_strength: unit(material.occlusion_strength, 1.0),
            emissive: color_factor(material.emissive) * positive(material.emissive_strength, 1.0),
            emissive_map: map(&material.emissive_texture, true),
            alpha_mode: material.alpha_mode,
            double_sided: material.double_sided,
            unlit: material.unlit,
            reflectance: (specular * (normal_incidence * normal_incidence)).min(Vec3::ONE),
            clearcoat: clearcoat.map_or(0.0, |value| unit(value.factor, 0.0)),
            clearcoat_roughness: clearcoat.map_or(0.0, |value| unit(value.roughness, 0.0)),
            transmission: transmission.map_or(0.0, |value| unit(value.factor, 0.0)),
            transmission_map: transmission.and_then(|value| map(&value.texture, false)),
            attenuation: attenuation(material),
        }
    }

    /// Returns `true` if every point is opaque, so that alpha need not be evaluated.
    pub(crate) fn is_opaque(&self) -> bool {
        self.alpha_mode == AlphaMode::Opaque && self.transmission == 0.0
    }

    /// Returns the fraction of the background that a point with this alpha covers.
    pub(crate) fn coverage(&self, alpha: f32) -> f32 {
        match self.alpha_mode {
            AlphaMode::Opaque => 1.0,
            AlphaMode::Mask { cutoff } => {
                if alpha >= cutoff {
                    1.0
                } else {
                    0.0
                }
            }
            AlphaMode::Blend => alpha.clamp(0.0, 1.0),
        }
    }
}

impl TextureMap {
    fn new(texture: &TextureRef, pixels: Arc<Texture>) -> Option<Self> {
        Some(Self {
            texture: pixels,
            sampler: texture.sampler,
            uv_set: texture.uv_set as usize,
            transform_rows: transform_rows(texture),
        })
    }

    pub(crate) fn transformed(&self, uv: Vec2) -> Vec2 {
        let [u, v] = self.transform_rows.map(|row| row.x * uv.x + row.y * uv.y + row.z);
        Vec2::new(u, v)
    }

    /// Samples the map at texture coordinates of the geometry; `footprint` is the area of a screen
    /// pixel in the texture coordinates.
    pub(crate) fn sample(&self, uv: Vec2, footprint: f32) -> Vec4 {
        let [x, y] = self.transform_rows;
        let size = self.texture.size();
        let density = (x.x * y.y - x.y * y.x).abs() * size.x * size.y;
        self.texture.sample(&self.sampler, self.transformed(uv), mip_level(footprint * density))
    }
}

/// Returns the rows of the matrix of a texture transform.
fn transform_rows(texture: &TextureRef) -> [Vec3; 2] {
    let Some(transform) = texture.transform else { return [Vec3::X, Vec3::Y] };
    let [sx, sy] = transform.scale.to_array().map(|value| finite(value, 1.0));
    let [ox, oy] = transform.offset.to_array().map(|value| finite(value, 0.0));
    let (sin, cos) = libm::sincosf(finite(transform.rotation, 0.0));
    // Scale, then rotation, then translation; counter-clockwise in coordinates where v grows
    // downwards.
    [Vec3::new(cos * sx, sin * sy, ox), Vec3::new(-sin * sx, cos * sy, oy)]
}

/// Returns the mip level for a footprint of `area` texels: half its binary logarithm, from the
/// exponent and linear interpolation between powers of two.
fn mip_level(area: f32) -> f32 {
    if area.is_nan() || area <= 1.0 {
        return 0.0;
    }
    let bits = area.min(f32::MAX).to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = (bits & 0x7f_ffff) as f32 / (1 << 23) as f32;
    (exponent as f32 + mantissa) * 0.5
}

/// Returns the transmittance of the material's volume at its thickness.
fn attenuation(material: &Material) -> Vec3 {
    let Some(volume) = &material.volume else { return Vec3::ONE };
    let ratio = positive(volume.thickness, 0.0) / volume.attenuation_distance;
    if !ratio.is_finite() || ratio <= 0.0 {
        return Vec3::ONE;
    }
    color_factor(volume.attenuation_color).min(Vec3::ONE).map(|value| libm::powf(value, ratio))
}

fn finite(value: f32, fallback: f32) -> f32 {
    if value.is_finite() { value } else { fallback }
}

fn positive(value: f32, fallback: f32) -> f32 {
    finite(value, fallback).max(0.0)
}

/// Clamps to the range from 0 to 1.
fn unit(value: f32, fallback: f32) -> f32 {
    finite(value, fallback).clamp(0.0, 1.0)
}

fn color_factor(color: Vec3) -> Vec3 {
    color.map(|value| positive(value, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mip_level_of_a_power_of_four_is_an_integer() {
        let areas = [0.0, 0.5, 1.0, 4.0, 16.0, 1024.0, f32::NAN, -1.0];
        assert_eq!(areas.map(mip_level), [0.0, 0.0, 0.0, 1.0, 2.0, 5.0, 0.0, 0.0]);
        assert!(mip_level(f32::INFINITY) < 65.0);
    }
}
