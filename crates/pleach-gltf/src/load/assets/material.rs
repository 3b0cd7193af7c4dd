//! Materials and their textures.
//!
//! Every index is checked. Factors out of glTF's ranges are used unchanged with a warning, so that
//! a value survives saving and loading. Unknown values of `alphaMode`, filters and wrapping modes
//! become the default with a warning.

pub(crate) mod specular_glossiness;

use glam::{Vec2, Vec3, Vec4};
use pleach::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Handle, Iridescence, MagFilter,
    Material, MinFilter, Sheen, Specular, TextureRef, TextureTransform, Transmission, Volume, Wrap,
};

use crate::diagnostics::{Pointer, Result, Tolerance};
use crate::json::{self, MaterialExtensions, Root, TextureInfo, UInt, check_index};
use crate::{Error, WarningCode};

/// Loads a material of the file. `images` are those of the file, in order.
pub(crate) fn material(
    root: &Root<'_>,
    index: usize,
    images: &[Handle<pleach::Image>],
    tolerance: &mut Tolerance,
) -> Result<Material> {
    read(root, index, images, tolerance, true)
}

/// Loads a material, with or without KHR_materials_pbrSpecularGlossiness.
fn read(
    root: &Root<'_>,
    index: usize,
    images: &[Handle<pleach::Image>],
    tolerance: &mut Tolerance,
    with_glossiness: bool,
) -> Result<Material> {
    let Some(json) = root.materials.get(index) else {
        let at = Pointer::root("materials");
        return Err(Error::missing(&at, "material", index, root.materials.len()));
    };
    let at = Pointer::entry("materials", index);
    let mut read = MaterialReader { root, images, tolerance };
    let mut material = read.core(json, &at)?;
    if let Some(extensions) = &json.extensions {
        let at = at.key("extensions");
        if with_glossiness && let Some(it) = &extensions.specular_glossiness {
            let at = at.key(specular_glossiness::NAME);
            let fallback = json.pbr_metallic_roughness.as_ref();
            read.specular_glossiness(it, fallback, &mut material, &at)?;
        }
        read.extensions(extensions, &mut material, &at)?;
    }
    Ok(material)
}

/// Checks the indices of all textures, including unused ones.
pub(crate) fn check_textures(root: &Root<'_>, tolerance: &mut Tolerance) -> Result<()> {
    for (index, texture) in root.textures.iter().enumerate() {
        let at = Pointer::entry("textures", index);
        if let Some(source) = texture.source {
            check_index(source, root.images.len(), "image", &at.key("source"))?;
        }
        if let Some(sampler) = texture.sampler {
            check_index(sampler, root.samplers.len(), "sampler", &at.key("sampler"))?;
        }
        if let Some((_, Some(name))) = preferred_image(texture)
            && let Some(message) = not_decoded(name)
        {
            let extensions = at.key("extensions");
            // The file is valid, so a strict loader accepts it, too.
            tolerance.warn(&extensions.key(name), WarningCode::UndecodableTexture, message);
        }
    }
    Ok(())
}

/// Returns the reason for which the images of an extension are not decoded, if so.
fn not_decoded(extension: &str) -> Option<&'static str> {
    match extension {
        "EXT_texture_avif" => Some("AVIF images are kept, but not decoded"),
        "KHR_texture_basisu" if cfg!(not(feature = "ktx2")) => {
            Some("KTX2 images are kept, but decoded with the feature `ktx2` only")
        }
        _ => None,
    }
}

/// Warns of unknown filters and wrapping modes, once per file, because
/// [`sampler`] is called once per texture reference.
pub(crate) fn check_samplers(root: &Root<'_>, tolerance: &mut Tolerance) -> Result<()> {
    for (index, sampler) in root.samplers.iter().enumerate() {
        let at = Pointer::entry("samplers", index);
        let members = [
            ("magFilter", sampler.mag_filter, sampler.mag_filter.and_then(mag_filter).is_some()),
            ("minFilter", sampler.min_filter, sampler.min_filter.and_then(min_filter).is_some()),
            ("wrapS", sampler.wrap_s, sampler.wrap_s.and_then(wrap).is_some()),
            ("wrapT", sampler.wrap_t, sampler.wrap_t.and_then(wrap).is_some()),
        ];
        for (key, value, is_known) in members {
            if let Some(value) = value.filter(|_| !is_known).map(UInt::get) {
                let message = format!("the mode {value} is not supported; the default is used");
                tolerance.tolerate(&at.key(key), WarningCode::UnknownSamplerMode, message)?;
            }
        }
    }
    Ok(())
}

/// Converts a sampler. Unknown modes become the default.
pub(crate) fn sampler(json: &json::Sampler) -> pleach::Sampler {
    pleach::Sampler {
        mag_filter: json.mag_filter.and_then(mag_filter),
        min_filter: json.min_filter.and_then(min_filter),
        wrap_u: json.wrap_s.and_then(wrap).unwrap_or_default(),
        wrap_v: json.wrap_t.and_then(wrap).unwrap_or_default(),
    }
}

// The values are those of OpenGL.

fn mag_filter(number: UInt) -> Option<MagFilter> {
    match number.get() {
        9728 => Some(MagFilter::Nearest),
        9729 => Some(MagFilter::Linear),
        _ => None,
    }
}

fn min_filter(number: UInt) -> Option<MinFilter> {
    match number.get() {
        9728 => Some(MinFilter::Nearest),
        9729 => Some(MinFilter::Linear),
        9984 => Some(MinFilter::NearestMipmapNearest),
        9985 => Some(MinFilter::LinearMipmapNearest),
        9986 => Some(MinFilter::NearestMipmapLinear),
        9987 => Some(MinFilter::LinearMipmapLinear),
        _ => None,
    }
}

fn wrap(number: UInt) -> Option<Wrap> {
    match number.get() {
        10497 => Some(Wrap::Repeat),
        33648 => Some(Wrap::MirroredRepeat),
        33071 => Some(Wrap::ClampToEdge),
        _ => None,
    }
}

/// Returns the preferred image of a texture and its extension: WebP first, because the plain image
/// is then a fallback for readers without WebP; KTX2 and AVIF last, because decoding KTX2 is optional
/// and AVIF is not decoded.
pub(crate) fn preferred_image(texture: &json::Texture) -> Option<(UInt, Option<&'static str>)> {
    let extensions = texture.extensions.as_ref();
    let webp = extensions.and_then(|it| it.webp.as_ref()?.source);
    let basisu = extensions.and_then(|it| it.basisu.as_ref()?.source);
    let avif = extensions.and_then(|it| it.avif.as_ref()?.source);
    webp.map(|source| (source, Some("EXT_texture_webp")))
        .or(texture.source.map(|source| (source, None)))
        .or(basisu.map(|source| (source, Some("KHR_texture_basisu"))))
        .or(avif.map(|source| (source, Some("EXT_texture_avif"))))
}

/// Loads one material.
struct MaterialReader<'r> {
    root: &'r Root<'r>,
    images: &'r [Handle<pleach::Image>],
    tolerance: &'r mut Tolerance,
}

impl MaterialReader<'_> {
    fn core(&mut self, json: &json::Material<'_>, at: &Pointer<'_>) -> Result<Material> {
        let mut material = Material {
            name: json.name.as_ref().map(|name| name.to_string()),
            alpha_mode: self.alpha_mode(json, at)?,
            double_sided: json.double_sided,
            ..Material::default()
        };
        if let Some(pbr) = &json.pbr_metallic_roughness {
            let at = at.key("pbrMetallicRoughness");
            let color = self.factors(pbr.base_color_factor, UNIT, &at.key("baseColorFactor"))?;
            material.base_color = color.map_or(Vec4::ONE, Vec4::from);
            let info = pbr.base_color_texture.as_ref();
            material.base_color_texture = self.texture(info, &at.key("baseColorTexture"))?;
            let metallic = self.factor(pbr.metallic_factor, UNIT, &at.key("metallicFactor"))?;
            material.metallic = metallic.unwrap_or(1.0);
            let roughness = self.factor(pbr.roughness_factor, UNIT, &at.key("roughnessFactor"))?;
            material.roughness = roughness.unwrap_or(1.0);
            let info = pbr.metallic_roughness_texture.as_ref();
            material.metallic_roughness_texture =
                self.texture(info, &at.key("metallicRoughnessTexture"))?;
        }
        if let Some(info) = &json.normal_texture {
            let common = info.info();
            material.normal_texture = self.texture(Some(&common), &at.key("normalTexture"))?;
            material.normal_scale = info.scale.unwrap_or(1.0);
        }
        if let Some(info) = &json.occlusion_texture {
            let at = at.key("occlusionTexture");
            material.occlusion_texture = self.texture(Some(&info.info()), &at)?;
            let strength = self.factor(info.strength, UNIT, &at.key("strength"))?;
            material.occlusion_strength = strength.unwrap_or(1.0);
        }
        let emissive = self.factors(json.emissive_factor, UNIT, &at.key("emissiveFactor"))?;
        material.emissive = emissive.map_or(Vec3::ZERO, Vec3::from);
        let info = json.emissive_texture.as_ref();
        material.emissive_texture = self.texture(info, &at.key("emissiveTexture"))?;
        Ok(material)
    }

    fn alpha_mode(&mut self, json: &json::Material<'_>, at: &Pointer<'_>) -> Result<AlphaMode> {
        match json.alpha_mode.as_deref() {
            None | Some("OPAQUE") => Ok(AlphaMode::Opaque),
            Some("BLEND") => Ok(AlphaMode::Blend),
            Some("MASK") => {
                let cutoff = self.factor(json.alpha_cutoff, POSITIVE, &at.key("alphaCutoff"))?;
                Ok(AlphaMode::Mask { cutoff: cutoff.unwrap_or(0.5) })
            }
            Some(other) => {
                let message = format!("the alpha mode {other:?} is not supported; OPAQUE is used");
                self.tolerance.tolerate(
                    &at.key("alphaMode"),
                    WarningCode::UnknownAlphaMode,
                    message,
                )?;
                Ok(AlphaMode::Opaque)
            }
        }
    }

    fn extensions(
        &mut self,
        json: &MaterialExtensions,
        material: &mut Material,
        at: &Pointer<'_>,
    ) -> Result<()> {
        material.unlit = json.unlit.is_some();
        if let Some(it) = &json.emissive_strength {
            let at = at.key("KHR_materials_emissive_strength");
            let strength = it.emissive_strength;
            let strength = self.factor(strength, POSITIVE, &at.key("emissiveStrength"))?;
            material.emissive_strength = strength.unwrap_or(1.0);
        }
        if let Some(it) = &json.ior {
            let at = at.key("KHR_materials_ior");
            material.ior = self.factor(it.ior, IOR, &at.key("ior"))?.unwrap_or(1.5);
        }
        if let Some(it) = &json.dispersion {
            let at = at.key("KHR_materials_dispersion");
            let dispersion = self.factor(it.dispersion, POSITIVE, &at.key("dispersion"))?;
            material.dispersion = dispersion.unwrap_or(0.0);
        }
        if let Some(it) = &json.clearcoat {
            let at = at.key("KHR_materials_clearcoat");
            material.clearcoat = Some(Box::new(self.clearcoat(it, &at)?));
        }
        if let Some(it) = &json.sheen {
            let at = at.key("KHR_materials_sheen");
            material.sheen = Some(Box::new(self.sheen(it, &at)?));
        }
        if let Some(it) = &json.specular {
            let at = at.key("KHR_materials_specular");
            material.specular = Some(Box::new(self.specular(it, &at)?));
        }
        if let Some(it) = &json.transmission {
            let at = at.key("KHR_materials_transmission");
            material.transmission = Some(Box::new(self.transmission(it, &at)?));
        }
        if let Some(it) = &json.diffuse_transmission {
            let at = at.key("KHR_materials_diffuse_transmission");
            material.diffuse_transmission = Some(Box::new(self.diffuse_transmission(it, &at)?));
        }
        if let Some(it) = &json.volume {
            let at = at.key("KHR_materials_volume");
            material.volume = Some(Box::new(self.volume(it, &at)?));
        }
        if let Some(it) = &json.iridescence {
            let at = at.key("KHR_materials_iridescence");
            material.iridescence = Some(Box::new(self.iridescence(it, &at)?));
        }
        if let Some(it) = &json.anisotropy {
            let at = at.key("KHR_materials_anisotropy");
            material.anisotropy = Some(Box::new(self.anisotropy(it, &at)?));
        }
        Ok(())
    }

    fn clearcoat(&mut self, json: &json::KhrClearcoat, at: &Pointer<'_>) -> Result<Clearcoat> {
        let factor = self.factor(json.clearcoat_factor, UNIT, &at.key("clearcoatFactor"))?;
        let rough = json.clearcoat_roughness_factor;
        let rough = self.factor(rough, UNIT, &at.key("clearcoatRoughnessFactor"))?;
        let mut clearcoat = Clearcoat {
            factor: factor.unwrap_or(0.0),
            texture: self.texture(json.clearcoat_texture.as_ref(), &at.key("clearcoatTexture"))?,
            roughness: rough.unwrap_or(0.0),
            roughness_texture: self.texture(
                json.clearcoat_roughness_texture.as_ref(),
                &at.key("clearcoatRoughnessTexture"),
            )?,
            ..Clearcoat::default()
        };
        if let Some(info) = &json.clearcoat_normal_texture {
            let at = at.key("clearcoatNormalTexture");
            clearcoat.normal_texture = self.texture(Some(&info.info()), &at)?;
            clearcoat.normal_scale = info.scale.unwrap_or(1.0);
        }
        Ok(clearcoat)
    }

    fn sheen(&mut self, json: &json::KhrSheen, at: &Pointer<'_>) -> Result<Sheen> {
        let color = self.factors(json.sheen_color_factor, UNIT, &at.key("sheenColorFactor"))?;
        let rough = json.sheen_roughness_factor;
        let rough = self.factor(rough, UNIT, &at.key("sheenRoughnessFactor"))?;
        let (color_texture, roughness_texture) =
            (json.sheen_color_texture.as_ref(), json.sheen_roughness_texture.as_ref());
        Ok(Sheen {
            color: color.map_or(Vec3::ZERO, Vec3::from),
            color_texture: self.texture(color_texture, &at.key("sheenColorTexture"))?,
            roughness: rough.unwrap_or(0.0),
            roughness_texture: self.texture(roughness_texture, &at.key("sheenRoughnessTexture"))?,
        })
    }

    fn specular(&mut self, json: &json::KhrSpecular, at: &Pointer<'_>) -> Result<Specular> {
        let factor = self.factor(json.specular_factor, UNIT, &at.key("specularFactor"))?;
        let color = json.specular_color_factor;
        let color = self.factors(color, POSITIVE, &at.key("specularColorFactor"))?;
        let color_texture = json.specular_color_texture.as_ref();
        Ok(Specular {
            factor: factor.unwrap_or(1.0),
            texture: self.texture(json.specular_texture.as_ref(), &at.key("specularTexture"))?,
            color: color.map_or(Vec3::ONE, Vec3::from),
            color_texture: self.texture(color_texture, &at.key("specularColorTexture"))?,
        })
    }

    fn transmission(
        &mut self,
        json: &json::KhrTransmission,
        at: &Pointer<'_>,
    ) -> Result<Transmission> {
        let factor = self.factor(json.transmission_factor, UNIT, &at.key("transmissionFactor"))?;
        let texture = json.transmission_texture.as_ref();
        Ok(Transmission {
            factor: factor.unwrap_or(0.0),
            texture: self.texture(texture, &at.key("transmissionTexture"))?,
        })
    }

    fn diffuse_transmission(
        &mut self,
        json: &json::KhrDiffuseTransmission,
        at: &Pointer<'_>,
    ) -> Result<DiffuseTransmission> {
        let factor = json.diffuse_transmission_factor;
        let factor = self.factor(factor, UNIT, &at.key("diffuseTransmissionFactor"))?;
        let texture = json.diffuse_transmission_texture.as_ref();
        let color = json.diffuse_transmission_color_factor;
        let color = self.factors(color, POSITIVE, &at.key("diffuseTransmissionColorFactor"))?;
        let color_texture = json.diffuse_transmission_color_texture.as_ref();
        Ok(DiffuseTransmission {
            factor: factor.unwrap_or(0.0),
            texture: self.texture(texture, &at.key("diffuseTransmissionTexture"))?,
            color: color.map_or(Vec3::ONE, Vec3::from),
            color_texture: self
                .texture(color_texture, &at.key("diffuseTransmissionColorTexture"))?,
        })
    }

    fn volume(&mut self, json: &json::KhrVolume, at: &Pointer<'_>) -> Result<Volume> {
        let thickness = self.factor(json.thickness_factor, POSITIVE, &at.key("thicknessFactor"))?;
        let color = self.factors(json.attenuation_color, UNIT, &at.key("attenuationColor"))?;
        let mut distance = json.attenuation_distance.unwrap_or(f32::INFINITY);
        if distance <= 0.0 {
            // Renderers divide by it.
            let message = format!("{distance} is not positive; infinity is used");
            self.tolerance.tolerate(
                &at.key("attenuationDistance"),
                WarningCode::AttenuationDistance,
                message,
            )?;
            distance = f32::INFINITY;
        }
        let texture = json.thickness_texture.as_ref();
        Ok(Volume {
            thickness: thickness.unwrap_or(0.0),
            thickness_texture: self.texture(texture, &at.key("thicknessTexture"))?,
            attenuation_distance: distance,
            attenuation_color: color.map_or(Vec3::ONE, Vec3::from),
        })
    }

    fn iridescence(
        &mut self,
        json: &json::KhrIridescence,
        at: &Pointer<'_>,
    ) -> Result<Iridescence> {
        let factor = self.factor(json.iridescence_factor, UNIT, &at.key("iridescenceFactor"))?;
        let ior = self.factor(json.iridescence_ior, FILM_IOR, &at.key("iridescenceIor"))?;
        let (min, max) = (json.iridescence_thickness_minimum, json.iridescence_thickness_maximum);
        let min = self.factor(min, POSITIVE, &at.key("iridescenceThicknessMinimum"))?;
        let max = self.factor(max, POSITIVE, &at.key("iridescenceThicknessMaximum"))?;
        let (texture, thickness_texture) =
            (json.iridescence_texture.as_ref(), json.iridescence_thickness_texture.as_ref());
        Ok(Iridescence {
            factor: factor.unwrap_or(0.0),
            texture: self.texture(texture, &at.key("iridescenceTexture"))?,
            ior: ior.unwrap_or(1.3),
            thickness_min: min.unwrap_or(100.0),
            thickness_max: max.unwrap_or(400.0),
            thickness_texture: self
                .texture(thickness_texture, &at.key("iridescenceThicknessTexture"))?,
        })
    }

    fn anisotropy(&mut self, json: &json::KhrAnisotropy, at: &Pointer<'_>) -> Result<Anisotropy> {
        let strength =
            self.factor(json.anisotropy_strength, UNIT, &at.key("anisotropyStrength"))?;
        let texture = json.anisotropy_texture.as_ref();
        Ok(Anisotropy {
            strength: strength.unwrap_or(0.0),
            rotation: json.anisotropy_rotation.unwrap_or(0.0),
            texture: self.texture(texture, &at.key("anisotropyTexture"))?,
        })
    }

    /// Loads a texture reference with its sampler; `None` if the texture has no image.
    fn texture(
        &mut self,
        info: Option<&TextureInfo>,
        at: &Pointer<'_>,
    ) -> Result<Option<TextureRef>> {
        let Some(info) = info else { return Ok(None) };
        let textures = &self.root.textures;
        let index = check_index(info.index, textures.len(), "texture", &at.key("index"))?;
        let sampler = self.sampler(index)?;
        let uv_set = self.uv_set(info, at)?;
        let Some(image) = self.image(index)? else { return Ok(None) };
        let transform = info.transform().map(|it| TextureTransform {
            offset: it.offset.map_or(Vec2::ZERO, Vec2::from),
            rotation: it.rotation.unwrap_or(0.0),
            scale: it.scale.map_or(Vec2::ONE, Vec2::from),
        });
        Ok(Some(TextureRef { image, sampler, uv_set, transform }))
    }

    /// Returns the sampler of a texture.
    fn sampler(&self, texture: usize) -> Result<pleach::Sampler> {
        let at = Pointer::entry("textures", texture);
        let (index, samplers) = (self.root.textures[texture].sampler, &self.root.samplers);
        let Some(index) = index else { return Ok(pleach::Sampler::default()) };
        let index = check_index(index, samplers.len(), "sampler", &at.key("sampler"))?;
        Ok(sampler(&samplers[index]))
    }

    /// Returns the image of a texture.
    fn image(&self, texture: usize) -> Result<Option<Handle<pleach::Image>>> {
        let Some((index, by)) = preferred_image(&self.root.textures[texture]) else {
            return Ok(None);
        };
        let at = Pointer::entry("textures", texture);
        let extensions = at.key("extensions");
        let extension = by.map(|by| extensions.key(by));
        let at = extension.as_ref().unwrap_or(&at).key("source");
        let index = check_index(index, self.images.len(), "image", &at)?;
        Ok(Some(self.images[index].clone()))
    }

    /// Returns the texture coordinate set; that of the transform overrides that of the texture.
    fn uv_set(&mut self, info: &TextureInfo, at: &Pointer<'_>) -> Result<u32> {
        let overriding = info.transform().and_then(|it| it.tex_coord);
        let set = overriding.or(info.tex_coord).unwrap_or_default().get();
        if let Ok(set) = u32::try_from(set) {
            return Ok(set);
        }
        let message = format!("texture coordinate set {set} is not supported; 0 is used");
        self.tolerance.tolerate(&at.key("texCoord"), WarningCode::TexCoordLimit, message)?;
        Ok(0)
    }

    /// Returns a factor, with a warning if it is out of its range.
    fn factor(
        &mut self,
        value: Option<f32>,
        range: ValidRange,
        at: &Pointer<'_>,
    ) -> Result<Option<f32>> {
        if let Some(value) = value.filter(|&value| !(range.contains)(value)) {
            let message = format!("{value} is {}; it is used unchanged", range.violation);
            self.tolerance.tolerate(at, WarningCode::FactorOutOfRange, message)?;
        }
        Ok(value)
    }

    /// Returns factors, with a warning for each that is out of the range.
    fn factors<const N: usize>(
        &mut self,
        values: Option<[f32; N]>,
        range: ValidRange,
        at: &Pointer<'_>,
    ) -> Result<Option<[f32; N]>> {
        for (index, value) in values.iter().flatten().enumerate() {
            self.factor(Some(*value), range, &at.index(index))?;
        }
        Ok(values)
    }
}

/// A range of values that glTF allows.
#[derive(Clone, Copy)]
struct ValidRange {
    contains: fn(f32) -> bool,
    /// The description of other values.
    violation: &'static str,
}

const UNIT: ValidRange =
    ValidRange { contains: |it| (0.0..=1.0).contains(&it), violation: "not between 0 and 1" };
const POSITIVE: ValidRange = ValidRange { contains: |it| it >= 0.0, violation: "negative" };
const IOR: ValidRange =
    ValidRange { contains: |it| it == 0.0 || it >= 1.0, violation: "neither 0 nor at least 1" };
const FILM_IOR: ValidRange = ValidRange { contains: |it| it >= 1.0, violation: "below 1" };

#[cfg(test)]
mod tests;
