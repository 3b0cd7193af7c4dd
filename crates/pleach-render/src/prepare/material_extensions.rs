//! `MaterialExtensions`: the lobes that glTF's extensions add to a material.
//!
//! One struct per extension: its finite factors and textures, and how they set the parameters of a
//! point. An extension whose factor is zero has no effect at any point and is dropped here, so a
//! plain material costs nothing.

use glam::{Vec2, Vec3, Vec4};
use pleach::{Material, TextureRef};
use pleach_shading::Surface;
use pleach_shading::brdf::transmission::attenuation;

use crate::prepare::shading_material::{TextureMap, color_factor, finite, positive, unit};

/// The extensions of a material that have an effect.
#[derive(Debug)]
pub(crate) struct MaterialExtensions {
    dispersion: f32,
    specular: Option<Specular>,
    pub(crate) clearcoat: Option<Clearcoat>,
    sheen: Option<Sheen>,
    pub(crate) transmission: Option<Transmission>,
    diffuse_transmission: Option<DiffuseTransmission>,
    volume: Option<Volume>,
    iridescence: Option<Iridescence>,
    pub(crate) anisotropy: Option<Anisotropy>,
}

#[derive(Debug)]
struct Specular {
    factor: f32,
    map: Option<TextureMap>,
    color: Vec3,
    color_map: Option<TextureMap>,
}

#[derive(Debug)]
pub(crate) struct Clearcoat {
    factor: f32,
    map: Option<TextureMap>,
    roughness: f32,
    roughness_map: Option<TextureMap>,
    pub(crate) normal_map: Option<TextureMap>,
    pub(crate) normal_scale: f32,
}

#[derive(Debug)]
struct Sheen {
    color: Vec3,
    color_map: Option<TextureMap>,
    roughness: f32,
    roughness_map: Option<TextureMap>,
}

#[derive(Debug)]
pub(crate) struct Transmission {
    factor: f32,
    map: Option<TextureMap>,
}

#[derive(Debug)]
struct DiffuseTransmission {
    factor: f32,
    map: Option<TextureMap>,
    color: Vec3,
    color_map: Option<TextureMap>,
}

#[derive(Debug)]
struct Volume {
    thickness: f32,
    thickness_map: Option<TextureMap>,
    attenuation_distance: f32,
    attenuation_color: Vec3,
}

#[derive(Debug)]
struct Iridescence {
    factor: f32,
    map: Option<TextureMap>,
    ior: f32,
    thickness_min: f32,
    thickness_max: f32,
    thickness_map: Option<TextureMap>,
}

#[derive(Debug)]
pub(crate) struct Anisotropy {
    strength: f32,
    /// Cosine and sine of the rotation.
    rotation: Vec2,
    map: Option<TextureMap>,
}

impl MaterialExtensions {
    /// `map` decodes a texture; the flag is `true` for sRGB colours, and for textures of which only
    /// alpha is read.
    pub(crate) fn new(
        material: &Material,
        map: impl Fn(&Option<TextureRef>, bool) -> Option<TextureMap>,
    ) -> Self {
        let specular = material.specular.as_ref().map(|it| Specular {
            factor: unit(it.factor, 1.0),
            map: map(&it.texture, true),
            color: color_factor(it.color),
            color_map: map(&it.color_texture, true),
        });
        let clearcoat = material.clearcoat.as_ref().filter(|it| it.factor > 0.0);
        let sheen = material.sheen.as_ref().filter(|it| it.color.max_element() > 0.0);
        let transmission = material.transmission.as_ref().filter(|it| it.factor > 0.0);
        let diffuse = material.diffuse_transmission.as_ref().filter(|it| it.factor > 0.0);
        let iridescence = material.iridescence.as_ref().filter(|it| it.factor > 0.0);
        let anisotropy = material.anisotropy.as_ref().filter(|it| it.strength > 0.0);
        Self {
            dispersion: positive(material.dispersion, 0.0),
            specular,
            clearcoat: clearcoat.map(|it| Clearcoat {
                factor: unit(it.factor, 0.0),
                map: map(&it.texture, false),
                roughness: unit(it.roughness, 0.0),
                roughness_map: map(&it.roughness_texture, false),
                normal_map: map(&it.normal_texture, false),
                normal_scale: finite(it.normal_scale, 1.0),
            }),
            sheen: sheen.map(|it| Sheen {
                color: color_factor(it.color),
                color_map: map(&it.color_texture, true),
                roughness: unit(it.roughness, 0.0),
                roughness_map: map(&it.roughness_texture, true),
            }),
            transmission: transmission.map(|it| Transmission {
                factor: unit(it.factor, 0.0),
                map: map(&it.texture, false),
            }),
            diffuse_transmission: diffuse.map(|it| DiffuseTransmission {
                factor: unit(it.factor, 0.0),
                map: map(&it.texture, true),
                color: color_factor(it.color),
                color_map: map(&it.color_texture, true),
            }),
            volume: material.volume.as_ref().map(|it| Volume {
                thickness: positive(it.thickness, 0.0),
                thickness_map: map(&it.thickness_texture, false),
                attenuation_distance: it.attenuation_distance,
                attenuation_color: color_factor(it.attenuation_color),
            }),
            iridescence: iridescence.map(|it| Iridescence {
                factor: unit(it.factor, 0.0),
                map: map(&it.texture, false),
                ior: positive(it.ior, 1.3),
                thickness_min: positive(it.thickness_min, 100.0),
                thickness_max: positive(it.thickness_max, 400.0),
                thickness_map: map(&it.thickness_texture, false),
            }),
            anisotropy: anisotropy.map(|it| {
                let (sin, cos) = libm::sincosf(finite(it.rotation, 0.0));
                Anisotropy {
                    strength: unit(it.strength, 0.0),
                    rotation: Vec2::new(cos, sin),
                    map: map(&it.texture, false),
                }
            }),
        }
    }

    /// Sets the parameters of all extensions except for directions. `sample` samples a texture at
    /// the point, and `scale` is that of the node.
    pub(crate) fn apply(
        &self,
        surface: &mut Surface,
        scale: f32,
        sample: impl Fn(&Option<TextureMap>) -> Option<Vec4>,
    ) {
        let red = |map| sample(map).map_or(1.0, |it| it.x);
        let green = |map| sample(map).map_or(1.0, |it| it.y);
        let alpha = |map| sample(map).map_or(1.0, |it| it.w);
        let color = |map| sample(map).map_or(Vec3::ONE, Vec4::truncate);
        if let Some(it) = &self.specular {
            surface.specular = it.factor * alpha(&it.map);
            surface.specular_color = it.color * color(&it.color_map);
        }
        if let Some(it) = &self.clearcoat {
            surface.clearcoat = it.factor * red(&it.map);
            surface.clearcoat_roughness = it.roughness * green(&it.roughness_map);
        }
        if let Some(it) = &self.sheen {
            surface.sheen_color = it.color * color(&it.color_map);
            surface.sheen_roughness = it.roughness * alpha(&it.roughness_map);
        }
        if let Some(it) = &self.transmission {
            surface.transmission = it.factor * red(&it.map);
            surface.dispersion = self.dispersion;
        }
        if let Some(it) = &self.diffuse_transmission {
            surface.diffuse_transmission = it.factor * alpha(&it.map);
            surface.diffuse_transmission_color = it.color * color(&it.color_map);
        }
        if let Some(it) = &self.volume {
            surface.thickness = it.thickness * green(&it.thickness_map) * scale;
            surface.attenuation_distance = it.attenuation_distance;
            surface.attenuation_color = it.attenuation_color;
        }
        if let Some(it) = &self.iridescence {
            let range = it.thickness_max - it.thickness_min;
            surface.iridescence = it.factor * red(&it.map);
            surface.iridescence_ior = it.ior;
            surface.iridescence_thickness = it.thickness_min + range * green(&it.thickness_map);
        }
        if let Some(it) = &self.anisotropy {
            surface.anisotropy = it.strength * sample(&it.map).map_or(1.0, |it| it.z);
        }
    }

    /// Returns the fraction of light that passes in a shadow ray.
    pub(crate) fn shadow_tint(
        &self,
        base: Vec3,
        scale: f32,
        sample: impl Fn(&Option<TextureMap>) -> Option<Vec4>,
    ) -> Vec3 {
        let Some(transmission) = &self.transmission else { return Vec3::ZERO };
        let factor = transmission.factor * sample(&transmission.map).map_or(1.0, |it| it.x);
        let volume = self.volume.as_ref();
        let attenuation = volume.map_or(Vec3::ONE, |it| {
            let thickness = it.thickness * sample(&it.thickness_map).map_or(1.0, |it| it.y);
            attenuation(thickness * scale, it.attenuation_color, it.attenuation_distance)
        });
        base * attenuation * factor
    }
}

impl Anisotropy {
    /// Returns the direction of the anisotropy in terms of tangent and bitangent, of length 1.
    pub(crate) fn direction(&self, sample: impl Fn(&Option<TextureMap>) -> Option<Vec4>) -> Vec2 {
        let direction = sample(&self.map)
            .map_or(Vec2::X, |it| Vec2::new(it.x, it.y) * 2.0 - 1.0)
            .normalize_or(Vec2::X);
        self.rotation.rotate(direction)
    }
}
