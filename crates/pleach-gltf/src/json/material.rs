//! JSON of materials, textures, images and samplers.

use serde::Deserialize;

use super::tolerant::lenient;
use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Material<'a> {
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    pub pbr_metallic_roughness: Option<PbrMetallicRoughness>,
    pub normal_texture: Option<NormalTexture>,
    pub occlusion_texture: Option<OcclusionTexture>,
    pub emissive_texture: Option<TextureInfo>,
    pub emissive_factor: Option<[f32; 3]>,
    #[serde(borrow, default)]
    pub alpha_mode: Option<Text<'a>>,
    pub alpha_cutoff: Option<f32>,
    #[serde(default)]
    pub double_sided: bool,
    #[serde(default)]
    pub extensions: Option<Box<MaterialExtensions>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct PbrMetallicRoughness {
    pub base_color_factor: Option<[f32; 4]>,
    pub base_color_texture: Option<TextureInfo>,
    pub metallic_factor: Option<f32>,
    pub roughness_factor: Option<f32>,
    pub metallic_roughness_texture: Option<TextureInfo>,
}

/// A reference to a texture.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct TextureInfo {
    pub index: UInt,
    pub tex_coord: Option<UInt>,
    pub extensions: Option<TextureInfoExtensions>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct NormalTexture {
    pub index: UInt,
    pub tex_coord: Option<UInt>,
    pub scale: Option<f32>,
    pub extensions: Option<TextureInfoExtensions>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct OcclusionTexture {
    pub index: UInt,
    pub tex_coord: Option<UInt>,
    pub strength: Option<f32>,
    pub extensions: Option<TextureInfoExtensions>,
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
#[non_exhaustive]
pub struct TextureInfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub transform: Option<TextureTransform>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct TextureTransform {
    pub offset: Option<[f32; 2]>,
    pub rotation: Option<f32>,
    pub scale: Option<[f32; 2]>,
    pub tex_coord: Option<UInt>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct MaterialExtensions {
    #[serde(rename = "KHR_materials_anisotropy")]
    pub anisotropy: Option<KhrAnisotropy>,
    #[serde(rename = "KHR_materials_clearcoat")]
    pub clearcoat: Option<KhrClearcoat>,
    #[serde(rename = "KHR_materials_diffuse_transmission")]
    pub diffuse_transmission: Option<KhrDiffuseTransmission>,
    #[serde(rename = "KHR_materials_dispersion")]
    pub dispersion: Option<KhrDispersion>,
    #[serde(rename = "KHR_materials_emissive_strength")]
    pub emissive_strength: Option<KhrEmissiveStrength>,
    #[serde(rename = "KHR_materials_ior")]
    pub ior: Option<KhrIor>,
    #[serde(rename = "KHR_materials_iridescence")]
    pub iridescence: Option<KhrIridescence>,
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub specular_glossiness: Option<KhrSpecularGlossiness>,
    #[serde(rename = "KHR_materials_sheen")]
    pub sheen: Option<KhrSheen>,
    #[serde(rename = "KHR_materials_specular")]
    pub specular: Option<KhrSpecular>,
    #[serde(rename = "KHR_materials_transmission")]
    pub transmission: Option<KhrTransmission>,
    #[serde(rename = "KHR_materials_unlit")]
    pub unlit: Option<KhrUnlit>,
    #[serde(rename = "KHR_materials_volume")]
    pub volume: Option<KhrVolume>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct KhrUnlit {}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KhrDiffuseTransmission {
    pub diffuse_transmission_factor: Option<f32>,
    pub diffuse_transmission_texture: Option<TextureInfo>,
    pub diffuse_transmission_color_factor: Option<[f32; 3]>,
    pub diffuse_transmission_color_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct KhrDispersion {
    pub dispersion: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrEmissiveStrength {
    pub emissive_strength: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct KhrIor {
    pub ior: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrAnisotropy {
    pub anisotropy_strength: Option<f32>,
    pub anisotropy_rotation: Option<f32>,
    pub anisotropy_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrClearcoat {
    pub clearcoat_factor: Option<f32>,
    pub clearcoat_texture: Option<TextureInfo>,
    pub clearcoat_roughness_factor: Option<f32>,
    pub clearcoat_roughness_texture: Option<TextureInfo>,
    pub clearcoat_normal_texture: Option<NormalTexture>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrIridescence {
    pub iridescence_factor: Option<f32>,
    pub iridescence_texture: Option<TextureInfo>,
    pub iridescence_ior: Option<f32>,
    pub iridescence_thickness_minimum: Option<f32>,
    pub iridescence_thickness_maximum: Option<f32>,
    pub iridescence_thickness_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrSheen {
    pub sheen_color_factor: Option<[f32; 3]>,
    pub sheen_color_texture: Option<TextureInfo>,
    pub sheen_roughness_factor: Option<f32>,
    pub sheen_roughness_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrSpecular {
    pub specular_factor: Option<f32>,
    pub specular_texture: Option<TextureInfo>,
    pub specular_color_factor: Option<[f32; 3]>,
    pub specular_color_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrSpecularGlossiness {
    pub diffuse_factor: Option<[f32; 4]>,
    pub diffuse_texture: Option<TextureInfo>,
    pub specular_factor: Option<[f32; 3]>,
    pub glossiness_factor: Option<f32>,
    pub specular_glossiness_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrTransmission {
    pub transmission_factor: Option<f32>,
    pub transmission_texture: Option<TextureInfo>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KhrVolume {
    pub thickness_factor: Option<f32>,
    pub thickness_texture: Option<TextureInfo>,
    pub attenuation_distance: Option<f32>,
    pub attenuation_color: Option<[f32; 3]>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Texture<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    pub sampler: Option<UInt>,
    pub source: Option<UInt>,
    pub extensions: Option<TextureExtensions>,
}

/// Alternative images of a texture in other formats.
#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct TextureExtensions {
    #[serde(rename = "EXT_texture_webp")]
    pub webp: Option<TextureSource>,
    #[serde(rename = "KHR_texture_basisu")]
    pub basisu: Option<TextureSource>,
    #[serde(rename = "EXT_texture_avif")]
    pub avif: Option<TextureSource>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct TextureSource {
    pub source: Option<UInt>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Image<'a> {
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub uri: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub mime_type: Option<Text<'a>>,
    pub buffer_view: Option<UInt>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Sampler<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    pub mag_filter: Option<UInt>,
    pub min_filter: Option<UInt>,
    pub wrap_s: Option<UInt>,
    pub wrap_t: Option<UInt>,
}
