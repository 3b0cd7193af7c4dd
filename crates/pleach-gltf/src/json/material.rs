//! JSON of materials, textures, images and samplers.

use serde::Deserialize;

use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Material<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Option<Text<'a>>,
    pub(crate) pbr_metallic_roughness: Option<PbrMetallicRoughness>,
    pub(crate) normal_texture: Option<NormalTexture>,
    pub(crate) occlusion_texture: Option<OcclusionTexture>,
    pub(crate) emissive_texture: Option<TextureInfo>,
    pub(crate) emissive_factor: Option<[f32; 3]>,
    #[serde(borrow, default)]
    pub(crate) alpha_mode: Option<Text<'a>>,
    pub(crate) alpha_cutoff: Option<f32>,
    #[serde(default)]
    pub(crate) double_sided: bool,
    #[serde(default)]
    pub(crate) extensions: Option<Box<MaterialExtensions>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PbrMetallicRoughness {
    pub(crate) base_color_factor: Option<[f32; 4]>,
    pub(crate) base_color_texture: Option<TextureInfo>,
    pub(crate) metallic_factor: Option<f32>,
    pub(crate) roughness_factor: Option<f32>,
    pub(crate) metallic_roughness_texture: Option<TextureInfo>,
}

/// A reference to a texture.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextureInfo {
    pub(crate) index: UInt,
    pub(crate) tex_coord: Option<UInt>,
    pub(crate) extensions: Option<TextureInfoExtensions>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NormalTexture {
    pub(crate) index: UInt,
    pub(crate) tex_coord: Option<UInt>,
    pub(crate) scale: Option<f32>,
    pub(crate) extensions: Option<TextureInfoExtensions>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OcclusionTexture {
    pub(crate) index: UInt,
    pub(crate) tex_coord: Option<UInt>,
    pub(crate) strength: Option<f32>,
    pub(crate) extensions: Option<TextureInfoExtensions>,
}

impl TextureInfo {
    pub(crate) fn transform(&self) -> Option<TextureTransform> {
        self.extensions?.transform
    }
}

impl NormalTexture {
    /// Returns the members that all texture references have.
    pub(crate) fn info(&self) -> TextureInfo {
        TextureInfo { index: self.index, tex_coord: self.tex_coord, extensions: self.extensions }
    }
}

impl OcclusionTexture {
    /// Returns the members that all texture references have.
    pub(crate) fn info(&self) -> TextureInfo {
        TextureInfo { index: self.index, tex_coord: self.tex_coord, extensions: self.extensions }
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct TextureInfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(crate) transform: Option<TextureTransform>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextureTransform {
    pub(crate) offset: Option<[f32; 2]>,
    pub(crate) rotation: Option<f32>,
    pub(crate) scale: Option<[f32; 2]>,
    pub(crate) tex_coord: Option<UInt>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_anisotropy")]
    pub(crate) anisotropy: Option<KhrAnisotropy>,
    #[serde(rename = "KHR_materials_clearcoat")]
    pub(crate) clearcoat: Option<KhrClearcoat>,
    #[serde(rename = "KHR_materials_diffuse_transmission")]
    pub(crate) diffuse_transmission: Option<KhrDiffuseTransmission>,
    #[serde(rename = "KHR_materials_dispersion")]
    pub(crate) dispersion: Option<KhrDispersion>,
    #[serde(rename = "KHR_materials_emissive_strength")]
    pub(crate) emissive_strength: Option<KhrEmissiveStrength>,
    #[serde(rename = "KHR_materials_ior")]
    pub(crate) ior: Option<KhrIor>,
    #[serde(rename = "KHR_materials_iridescence")]
    pub(crate) iridescence: Option<KhrIridescence>,
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub(crate) specular_glossiness: Option<KhrSpecularGlossiness>,
    #[serde(rename = "KHR_materials_sheen")]
    pub(crate) sheen: Option<KhrSheen>,
    #[serde(rename = "KHR_materials_specular")]
    pub(crate) specular: Option<KhrSpecular>,
    #[serde(rename = "KHR_materials_transmission")]
    pub(crate) transmission: Option<KhrTransmission>,
    #[serde(rename = "KHR_materials_unlit")]
    pub(crate) unlit: Option<KhrUnlit>,
    #[serde(rename = "KHR_materials_volume")]
    pub(crate) volume: Option<KhrVolume>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct KhrUnlit {}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrDiffuseTransmission {
    pub(crate) diffuse_transmission_factor: Option<f32>,
    pub(crate) diffuse_transmission_texture: Option<TextureInfo>,
    pub(crate) diffuse_transmission_color_factor: Option<[f32; 3]>,
    pub(crate) diffuse_transmission_color_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct KhrDispersion {
    pub(crate) dispersion: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrEmissiveStrength {
    pub(crate) emissive_strength: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct KhrIor {
    pub(crate) ior: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrAnisotropy {
    pub(crate) anisotropy_strength: Option<f32>,
    pub(crate) anisotropy_rotation: Option<f32>,
    pub(crate) anisotropy_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrClearcoat {
    pub(crate) clearcoat_factor: Option<f32>,
    pub(crate) clearcoat_texture: Option<TextureInfo>,
    pub(crate) clearcoat_roughness_factor: Option<f32>,
    pub(crate) clearcoat_roughness_texture: Option<TextureInfo>,
    pub(crate) clearcoat_normal_texture: Option<NormalTexture>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrIridescence {
    pub(crate) iridescence_factor: Option<f32>,
    pub(crate) iridescence_texture: Option<TextureInfo>,
    pub(crate) iridescence_ior: Option<f32>,
    pub(crate) iridescence_thickness_minimum: Option<f32>,
    pub(crate) iridescence_thickness_maximum: Option<f32>,
    pub(crate) iridescence_thickness_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrSheen {
    pub(crate) sheen_color_factor: Option<[f32; 3]>,
    pub(crate) sheen_color_texture: Option<TextureInfo>,
    pub(crate) sheen_roughness_factor: Option<f32>,
    pub(crate) sheen_roughness_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrSpecular {
    pub(crate) specular_factor: Option<f32>,
    pub(crate) specular_texture: Option<TextureInfo>,
    pub(crate) specular_color_factor: Option<[f32; 3]>,
    pub(crate) specular_color_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrSpecularGlossiness {
    pub(crate) diffuse_factor: Option<[f32; 4]>,
    pub(crate) diffuse_texture: Option<TextureInfo>,
    pub(crate) specular_factor: Option<[f32; 3]>,
    pub(crate) glossiness_factor: Option<f32>,
    pub(crate) specular_glossiness_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrTransmission {
    pub(crate) transmission_factor: Option<f32>,
    pub(crate) transmission_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KhrVolume {
    pub(crate) thickness_factor: Option<f32>,
    pub(crate) thickness_texture: Option<TextureInfo>,
    pub(crate) attenuation_distance: Option<f32>,
    pub(crate) attenuation_color: Option<[f32; 3]>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Texture {
    pub(crate) sampler: Option<UInt>,
    pub(crate) source: Option<UInt>,
    pub(crate) extensions: Option<TextureExtensions>,
}

/// Alternative images of a texture in other formats.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct TextureExtensions {
    #[serde(rename = "EXT_texture_webp")]
    pub(crate) webp: Option<TextureSource>,
    #[serde(rename = "KHR_texture_basisu")]
    pub(crate) basisu: Option<TextureSource>,
    #[serde(rename = "EXT_texture_avif")]
    pub(crate) avif: Option<TextureSource>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct TextureSource {
    pub(crate) source: Option<UInt>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Image<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) uri: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) mime_type: Option<Text<'a>>,
    pub(crate) buffer_view: Option<UInt>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sampler {
    pub(crate) mag_filter: Option<UInt>,
    pub(crate) min_filter: Option<UInt>,
    pub(crate) wrap_s: Option<UInt>,
    pub(crate) wrap_t: Option<UInt>,
}
