//! `MaterialBlock`: the parameters of a material as its uniform block.
//!
//! The layout is that of `struct Material` in `shaders/material.wgsl`. Numbers that are not finite are
//! replaced by the defaults of their fields.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use pleach::{AlphaMode, Material, TextureRef};

/// The textures of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names of the fields of `Material`")]
pub enum TextureSlot {
    BaseColor,
    MetallicRoughness,
    Normal,
    Occlusion,
    Emissive,
    Clearcoat,
    ClearcoatRoughness,
    ClearcoatNormal,
    SheenColor,
    SheenRoughness,
    Specular,
    SpecularColor,
    Transmission,
    DiffuseTransmission,
    DiffuseTransmissionColor,
    Thickness,
    Iridescence,
    IridescenceThickness,
    Anisotropy,
}

impl TextureSlot {
    /// All slots, in order.
    pub const ALL: [Self; 19] = [
        Self::BaseColor,
        Self::MetallicRoughness,
        Self::Normal,
        Self::Occlusion,
        Self::Emissive,
        Self::Clearcoat,
        Self::ClearcoatRoughness,
        Self::ClearcoatNormal,
        Self::SheenColor,
        Self::SheenRoughness,
        Self::Specular,
        Self::SpecularColor,
        Self::Transmission,
        Self::DiffuseTransmission,
        Self::DiffuseTransmissionColor,
        Self::Thickness,
        Self::Iridescence,
        Self::IridescenceThickness,
        Self::Anisotropy,
    ];

    /// Returns `true` if the colours of its images are sRGB.
    #[must_use]
    pub fn is_srgb(self) -> bool {
        matches!(
            self,
            Self::BaseColor
                | Self::Emissive
                | Self::SheenColor
                | Self::SpecularColor
                | Self::DiffuseTransmissionColor
        )
    }

    /// Returns the texture of a material in this slot.
    #[must_use]
    pub fn texture(self, material: &Material) -> Option<&TextureRef> {
        let clearcoat = material.clearcoat.as_deref();
        let sheen = material.sheen.as_deref();
        let specular = material.specular.as_deref();
        let diffuse = material.diffuse_transmission.as_deref();
        let iridescence = material.iridescence.as_deref();
        match self {
            Self::BaseColor => material.base_color_texture.as_ref(),
            Self::MetallicRoughness => material.metallic_roughness_texture.as_ref(),
            Self::Normal => material.normal_texture.as_ref(),
            Self::Occlusion => material.occlusion_texture.as_ref(),
            Self::Emissive => material.emissive_texture.as_ref(),
            Self::Clearcoat => clearcoat?.texture.as_ref(),
            Self::ClearcoatRoughness => clearcoat?.roughness_texture.as_ref(),
            Self::ClearcoatNormal => clearcoat?.normal_texture.as_ref(),
            Self::SheenColor => sheen?.color_texture.as_ref(),
            Self::SheenRoughness => sheen?.roughness_texture.as_ref(),
            Self::Specular => specular?.texture.as_ref(),
            Self::SpecularColor => specular?.color_texture.as_ref(),
            Self::Transmission => material.transmission.as_deref()?.texture.as_ref(),
            Self::DiffuseTransmission => diffuse?.texture.as_ref(),
            Self::DiffuseTransmissionColor => diffuse?.color_texture.as_ref(),
            Self::Thickness => material.volume.as_deref()?.thickness_texture.as_ref(),
            Self::Iridescence => iridescence?.texture.as_ref(),
            Self::IridescenceThickness => iridescence?.thickness_texture.as_ref(),
            Self::Anisotropy => material.anisotropy.as_deref()?.texture.as_ref(),
        }
    }
}

/// The uniform block of a material: 784 bytes, without padding in between.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
#[expect(missing_docs, reason = "the names of the fields of `Material`")]
pub struct MaterialBlock {
    pub base_color: [f32; 4],
    /// Times its strength.
    pub emissive: [f32; 3],
    /// 0 unless alpha is a mask.
    pub alpha_cutoff: f32,
    pub metallic: f32,
    pub roughness: f32,
    pub normal_scale: f32,
    pub occlusion_strength: f32,
    pub ior: f32,
    pub dispersion: f32,
    pub clearcoat: f32,
    pub clearcoat_roughness: f32,
    pub sheen_color: [f32; 3],
    pub sheen_roughness: f32,
    pub specular_color: [f32; 3],
    pub specular: f32,
    pub transmission: f32,
    pub diffuse_transmission: f32,
    pub thickness: f32,
    /// 0 if it is infinite.
    pub attenuation_distance: f32,
    pub attenuation_color: [f32; 3],
    pub clearcoat_normal_scale: f32,
    pub diffuse_transmission_color: [f32; 3],
    pub iridescence: f32,
    pub iridescence_ior: f32,
    pub iridescence_thickness_min: f32,
    pub iridescence_thickness_max: f32,
    pub anisotropy: f32,
    /// The cosine and the sine of the rotation, 0, 0.
    pub anisotropy_rotation: [f32; 4],
    /// By slot: the two rows of the transform of the coordinates. The last number of the first row is
    /// the set of coordinates, 0 or 1.
    pub uv_transforms: [[[f32; 4]; 2]; 19],
}

impl MaterialBlock {
    /// Computes the block of a material.
    #[must_use]
    pub fn new(material: &Material) -> Self {
        let clearcoat = material.clearcoat.as_deref().cloned().unwrap_or_default();
        let sheen = material.sheen.as_deref().cloned().unwrap_or_default();
        let specular = material.specular.as_deref().cloned().unwrap_or_default();
        let transmission = material.transmission.as_deref().map_or(0.0, |it| it.factor);
        let diffuse = material.diffuse_transmission.as_deref().cloned().unwrap_or_default();
        let volume = material.volume.as_deref().cloned().unwrap_or_default();
        let iridescence = material.iridescence.as_deref().cloned().unwrap_or_default();
        let anisotropy = material.anisotropy.as_deref().cloned().unwrap_or_default();
        let (sin, cos) = libm::sincosf(finite(anisotropy.rotation, 0.0));
        let strength = finite(material.emissive_strength, 1.0);
        Self {
            base_color: material.base_color.to_array().map(|it| finite(it, 1.0)),
            emissive: color(material.emissive, 0.0).map(|it| finite(it * strength, 0.0)),
            alpha_cutoff: match material.alpha_mode {
                AlphaMode::Mask { cutoff } => finite(cutoff, 0.5),
                AlphaMode::Opaque | AlphaMode::Blend => 0.0,
            },
            metallic: finite(material.metallic, 1.0),
            roughness: finite(material.roughness, 1.0),
            normal_scale: finite(material.normal_scale, 1.0),
            occlusion_strength: finite(material.occlusion_strength, 1.0),
            ior: finite(material.ior, 1.5),
            dispersion: finite(material.dispersion, 0.0),
            clearcoat: finite(clearcoat.factor, 0.0),
            clearcoat_roughness: finite(clearcoat.roughness, 0.0),
            sheen_color: color(sheen.color, 0.0),
            sheen_roughness: finite(sheen.roughness, 0.0),
            specular_color: color(specular.color, 1.0),
            specular: finite(specular.factor, 1.0),
            transmission: finite(transmission, 0.0),
            diffuse_transmission: finite(diffuse.factor, 0.0),
            thickness: finite(volume.thickness, 0.0),
            attenuation_distance: finite(volume.attenuation_distance, 0.0),
            attenuation_color: color(volume.attenuation_color, 1.0),
            clearcoat_normal_scale: finite(clearcoat.normal_scale, 1.0),
            diffuse_transmission_color: color(diffuse.color, 1.0),
            iridescence: finite(iridescence.factor, 0.0),
            iridescence_ior: finite(iridescence.ior, 1.3),
            iridescence_thickness_min: finite(iridescence.thickness_min, 100.0),
            iridescence_thickness_max: finite(iridescence.thickness_max, 400.0),
            anisotropy: finite(anisotropy.strength, 0.0),
            anisotropy_rotation: [cos, sin, 0.0, 0.0],
            uv_transforms: TextureSlot::ALL.map(|slot| transform_rows(slot.texture(material))),
        }
    }
}

fn finite(value: f32, fallback: f32) -> f32 {
    if value.is_finite() { value } else { fallback }
}

fn color(color: Vec3, fallback: f32) -> [f32; 3] {
    color.to_array().map(|it| finite(it, fallback))
}

/// Returns the rows of the transform of texture coordinates, with the set of coordinates.
fn transform_rows(texture: Option<&TextureRef>) -> [[f32; 4]; 2] {
    let set = texture.map_or(0.0, |it| it.uv_set.min(1) as f32);
    let Some(transform) = texture.and_then(|it| it.transform) else {
        return [[1.0, 0.0, 0.0, set], [0.0, 1.0, 0.0, 0.0]];
    };
    let [sx, sy] = transform.scale.to_array().map(|it| finite(it, 1.0));
    let [ox, oy] = transform.offset.to_array().map(|it| finite(it, 0.0));
    let (sin, cos) = libm::sincosf(finite(transform.rotation, 0.0));
    // Scale, then rotation, then translation; counter-clockwise in coordinates where v grows
    // downwards.
    [[cos * sx, sin * sy, ox, set], [-sin * sx, cos * sy, oy, 0.0]]
}
