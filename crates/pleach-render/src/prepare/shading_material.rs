//! `ShadingMaterial`: a material prepared for evaluation at many points.
//!
//! Numbers that are not finite are replaced, textures are decoded, and their transforms are
//! matrices. The alpha mode is evaluated here only, for camera rays and shadow rays alike.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use pleach::{AlphaMode, Material, Sampler, TextureRef};

use crate::prepare::material_extensions::MaterialExtensions;
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
    pub(crate) ior: f32,
    pub(crate) extensions: MaterialExtensions,
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
            ior: positive(material.ior, 1.5),
            extensions: MaterialExtensions::new(material, map),
        }
    }

    /// Returns `true` if it transmits light, so that it is not part of the picture that is seen
    /// through transmissive surfaces.
    pub(crate) fn is_transmissive(&self) -> bool {
        !self.unlit && self.extensions.transmission.is_some()
    }

    /// Returns `true` if every point covers what is behind it, so that alpha need not be evaluated.
    pub(crate) fn is_opaque(&self) -> bool {
        self.alpha_mode == AlphaMode::Opaque
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

    /// Returns the linear part of the transform by rows.
    pub(crate) fn linear_rows(&self) -> [Vec2; 2] {
        self.transform_rows.map(Vec3::truncate)
    }

    fn transformed(&self, uv: Vec2) -> Vec2 {
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

pub(super) fn finite(value: f32, fallback: f32) -> f32 {
    if value.is_finite() { value } else { fallback }
}

pub(super) fn positive(value: f32, fallback: f32) -> f32 {
    finite(value, fallback).max(0.0)
}

/// Clamps to the range from 0 to 1.
pub(super) fn unit(value: f32, fallback: f32) -> f32 {
    finite(value, fallback).clamp(0.0, 1.0)
}

pub(super) fn color_factor(color: Vec3) -> Vec3 {
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
