//! Materials out of the JSON, with the textures they use.
//!
//! Every index is checked. Numbers out of glTF's ranges are told, and used as they are: a value
//! that someone sets, saves and loads again is the same value. Words that are not known
//! (`alphaMode`, filters, wraps) are told, and read as the default.

use glam::{Vec2, Vec3, Vec4};
use pleach::{
    AlphaMode, Anisotropy, Clearcoat, Handle, Iridescence, MagFilter, Material, MinFilter, Sheen,
    Specular, TextureRef, TextureTransform, Transmission, Volume, Wrap,
};

use crate::Error;
use crate::json::{self, MaterialExtensions, Root, TextureInfo, Whole, checked};
use crate::place::At;
use crate::report::Tolerance;

/// A material of the file. `images` are the file's, in their order.
pub(crate) fn material(
    root: &Root<'_>,
    index: usize,
    images: &[Handle<pleach::Image>],
    tolerance: &mut Tolerance,
) -> Result<Material, Error> {
    let Some(json) = root.materials.get(index) else {
        let at = At::root("materials");
        return Err(Error::missing(&at, "material", index, root.materials.len()));
    };
    let at = At::entry("materials", index);
    let mut read = Reader { root, images, tolerance };
    let mut material = read.core(json, &at)?;
    if let Some(extensions) = &json.extensions {
        read.extensions(extensions, &mut material, &at.key("extensions"))?;
    }
    Ok(material)
}

/// Checks what textures refer to, also those that no material uses.
pub(crate) fn check_textures(root: &Root<'_>) -> Result<(), Error> {
    for (index, texture) in root.textures.iter().enumerate() {
        let at = At::entry("textures", index);
        if let Some(source) = texture.source {
            checked(source, root.images.len(), "image", &at.key("source"))?;
        }
        if let Some(sampler) = texture.sampler {
            checked(sampler, root.samplers.len(), "sampler", &at.key("sampler"))?;
        }
    }
    Ok(())
}

/// Tells which filters and wraps of the file are not known. Once a file, as
/// [`sampler`] reads them again and again.
pub(crate) fn check_samplers(root: &Root<'_>, tolerance: &mut Tolerance) -> Result<(), Error> {
    for (index, sampler) in root.samplers.iter().enumerate() {
        let at = At::entry("samplers", index);
        let members = [
            ("magFilter", sampler.mag_filter, sampler.mag_filter.and_then(mag_filter).is_some()),
            ("minFilter", sampler.min_filter, sampler.min_filter.and_then(min_filter).is_some()),
            ("wrapS", sampler.wrap_s, sampler.wrap_s.and_then(wrap).is_some()),
            ("wrapT", sampler.wrap_t, sampler.wrap_t.and_then(wrap).is_some()),
        ];
        for (key, value, is_known) in members {
            if let Some(Whole(value)) = value.filter(|_| !is_known) {
                let message = format!("{value} is not known; the default is used");
                tolerance.bend(&at.key(key), message)?;
            }
        }
    }
    Ok(())
}

/// A sampler's value. What is not known is the default.
pub(crate) fn sampler(json: &json::Sampler) -> pleach::Sampler {
    pleach::Sampler {
        mag_filter: json.mag_filter.and_then(mag_filter),
        min_filter: json.min_filter.and_then(min_filter),
        wrap_u: json.wrap_s.and_then(wrap).unwrap_or_default(),
        wrap_v: json.wrap_t.and_then(wrap).unwrap_or_default(),
    }
}

// The numbers are OpenGL's.

fn mag_filter(number: Whole) -> Option<MagFilter> {
    match number.0 {
        9728 => Some(MagFilter::Nearest),
        9729 => Some(MagFilter::Linear),
        _ => None,
    }
}

fn min_filter(number: Whole) -> Option<MinFilter> {
    match number.0 {
        9728 => Some(MinFilter::Nearest),
        9729 => Some(MinFilter::Linear),
        9984 => Some(MinFilter::NearestMipmapNearest),
        9985 => Some(MinFilter::LinearMipmapNearest),
        9986 => Some(MinFilter::NearestMipmapLinear),
        9987 => Some(MinFilter::LinearMipmapLinear),
        _ => None,
    }
}

fn wrap(number: Whole) -> Option<Wrap> {
    match number.0 {
        10497 => Some(Wrap::Repeat),
        33648 => Some(Wrap::MirroredRepeat),
        33071 => Some(Wrap::ClampToEdge),
        _ => None,
    }
}

/// Which image a texture shows, of those it offers, and by which extension: WebP if it is
/// there, as whoever wrote it meant the other one for those who cannot read it; KTX2 last, as it
/// is not decoded here.
pub(crate) fn image_of(texture: &json::Texture) -> Option<(Whole, Option<&'static str>)> {
    let extensions = texture.extensions.as_ref();
    let webp = extensions.and_then(|it| it.webp.as_ref()?.source);
    let basisu = extensions.and_then(|it| it.basisu.as_ref()?.source);
    webp.map(|source| (source, Some("EXT_texture_webp")))
        .or(texture.source.map(|source| (source, None)))
        .or(basisu.map(|source| (source, Some("KHR_texture_basisu"))))
}

/// Reads one material.
struct Reader<'r> {
    root: &'r Root<'r>,
    images: &'r [Handle<pleach::Image>],
    tolerance: &'r mut Tolerance,
}

impl Reader<'_> {
    fn core(&mut self, json: &json::Material<'_>, at: &At<'_>) -> Result<Material, Error> {
        let mut material = Material {
            name: json.name.as_ref().map(|name| name.to_string()),
            alpha_mode: self.alpha_mode(json, at)?,
            double_sided: json.double_sided,
            ..Material::default()
        };
        if let Some(pbr) = &json.pbr_metallic_roughness {
            let at = at.key("pbrMetallicRoughness");
            let color = self.each(pbr.base_color_factor, UNIT, &at.key("baseColorFactor"))?;
            material.base_color = color.map_or(Vec4::ONE, Vec4::from);
            let info = pbr.base_color_texture.as_ref();
            material.base_color_texture = self.texture(info, &at.key("baseColorTexture"))?;
            let metallic = self.one(pbr.metallic_factor, UNIT, &at.key("metallicFactor"))?;
            material.metallic = metallic.unwrap_or(1.0);
            let roughness = self.one(pbr.roughness_factor, UNIT, &at.key("roughnessFactor"))?;
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
            let strength = self.one(info.strength, UNIT, &at.key("strength"))?;
            material.occlusion_strength = strength.unwrap_or(1.0);
        }
        let emissive = self.each(json.emissive_factor, UNIT, &at.key("emissiveFactor"))?;
        material.emissive = emissive.map_or(Vec3::ZERO, Vec3::from);
        let info = json.emissive_texture.as_ref();
        material.emissive_texture = self.texture(info, &at.key("emissiveTexture"))?;
        Ok(material)
    }

    fn alpha_mode(&mut self, json: &json::Material<'_>, at: &At<'_>) -> Result<AlphaMode, Error> {
        match json.alpha_mode.as_deref() {
            None | Some("OPAQUE") => Ok(AlphaMode::Opaque),
            Some("BLEND") => Ok(AlphaMode::Blend),
            Some("MASK") => {
                let cutoff = self.one(json.alpha_cutoff, POSITIVE, &at.key("alphaCutoff"))?;
                Ok(AlphaMode::Mask { cutoff: cutoff.unwrap_or(0.5) })
            }
            Some(other) => {
                let message = format!("{other:?} is not known; OPAQUE is used");
                self.tolerance.bend(&at.key("alphaMode"), message)?;
                Ok(AlphaMode::Opaque)
            }
        }
    }

    fn extensions(
        &mut self,
        json: &MaterialExtensions,
        material: &mut Material,
        at: &At<'_>,
    ) -> Result<(), Error> {
        material.unlit = json.unlit.is_some();
        if let Some(it) = &json.emissive_strength {
            let at = at.key("KHR_materials_emissive_strength");
            let strength = it.emissive_strength;
            let strength = self.one(strength, POSITIVE, &at.key("emissiveStrength"))?;
            material.emissive_strength = strength.unwrap_or(1.0);
        }
        if let Some(it) = &json.ior {
            let at = at.key("KHR_materials_ior");
            material.ior = self.one(it.ior, IOR, &at.key("ior"))?.unwrap_or(1.5);
        }
        if let Some(it) = &json.dispersion {
            let at = at.key("KHR_materials_dispersion");
            let dispersion = self.one(it.dispersion, POSITIVE, &at.key("dispersion"))?;
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

    fn clearcoat(&mut self, json: &json::KhrClearcoat, at: &At<'_>) -> Result<Clearcoat, Error> {
        let factor = self.one(json.clearcoat_factor, UNIT, &at.key("clearcoatFactor"))?;
        let rough = json.clearcoat_roughness_factor;
        let rough = self.one(rough, UNIT, &at.key("clearcoatRoughnessFactor"))?;
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

    fn sheen(&mut self, json: &json::KhrSheen, at: &At<'_>) -> Result<Sheen, Error> {
        let color = self.each(json.sheen_color_factor, UNIT, &at.key("sheenColorFactor"))?;
        let rough = json.sheen_roughness_factor;
        let rough = self.one(rough, UNIT, &at.key("sheenRoughnessFactor"))?;
        let (color_texture, roughness_texture) =
            (json.sheen_color_texture.as_ref(), json.sheen_roughness_texture.as_ref());
        Ok(Sheen {
            color: color.map_or(Vec3::ZERO, Vec3::from),
            color_texture: self.texture(color_texture, &at.key("sheenColorTexture"))?,
            roughness: rough.unwrap_or(0.0),
            roughness_texture: self.texture(roughness_texture, &at.key("sheenRoughnessTexture"))?,
        })
    }

    fn specular(&mut self, json: &json::KhrSpecular, at: &At<'_>) -> Result<Specular, Error> {
        let factor = self.one(json.specular_factor, UNIT, &at.key("specularFactor"))?;
        let color = json.specular_color_factor;
        let color = self.each(color, POSITIVE, &at.key("specularColorFactor"))?;
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
        at: &At<'_>,
    ) -> Result<Transmission, Error> {
        let factor = self.one(json.transmission_factor, UNIT, &at.key("transmissionFactor"))?;
        let texture = json.transmission_texture.as_ref();
        Ok(Transmission {
            factor: factor.unwrap_or(0.0),
            texture: self.texture(texture, &at.key("transmissionTexture"))?,
        })
    }

    fn volume(&mut self, json: &json::KhrVolume, at: &At<'_>) -> Result<Volume, Error> {
        let thickness = self.one(json.thickness_factor, POSITIVE, &at.key("thicknessFactor"))?;
        let color = self.each(json.attenuation_color, UNIT, &at.key("attenuationColor"))?;
        let mut distance = json.attenuation_distance.unwrap_or(f32::INFINITY);
        if distance <= 0.0 {
            // Whoever divides by it would have the trouble.
            let message = format!("{distance} is not above 0; it is read as infinite");
            self.tolerance.bend(&at.key("attenuationDistance"), message)?;
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
        at: &At<'_>,
    ) -> Result<Iridescence, Error> {
        let factor = self.one(json.iridescence_factor, UNIT, &at.key("iridescenceFactor"))?;
        let ior = self.one(json.iridescence_ior, FILM_IOR, &at.key("iridescenceIor"))?;
        let (min, max) = (json.iridescence_thickness_minimum, json.iridescence_thickness_maximum);
        let min = self.one(min, POSITIVE, &at.key("iridescenceThicknessMinimum"))?;
        let max = self.one(max, POSITIVE, &at.key("iridescenceThicknessMaximum"))?;
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

    fn anisotropy(&mut self, json: &json::KhrAnisotropy, at: &At<'_>) -> Result<Anisotropy, Error> {
        let strength = self.one(json.anisotropy_strength, UNIT, &at.key("anisotropyStrength"))?;
        let texture = json.anisotropy_texture.as_ref();
        Ok(Anisotropy {
            strength: strength.unwrap_or(0.0),
            rotation: json.anisotropy_rotation.unwrap_or(0.0),
            texture: self.texture(texture, &at.key("anisotropyTexture"))?,
        })
    }

    /// A texture with its sampler; `None` if it shows no image.
    fn texture(
        &mut self,
        info: Option<&TextureInfo>,
        at: &At<'_>,
    ) -> Result<Option<TextureRef>, Error> {
        let Some(info) = info else { return Ok(None) };
        let textures = &self.root.textures;
        let index = checked(info.index, textures.len(), "texture", &at.key("index"))?;
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

    /// A texture's sampler.
    fn sampler(&self, texture: usize) -> Result<pleach::Sampler, Error> {
        let at = At::entry("textures", texture);
        let (index, samplers) = (self.root.textures[texture].sampler, &self.root.samplers);
        let Some(index) = index else { return Ok(pleach::Sampler::default()) };
        let index = checked(index, samplers.len(), "sampler", &at.key("sampler"))?;
        Ok(sampler(&samplers[index]))
    }

    /// A texture's image.
    fn image(&self, texture: usize) -> Result<Option<Handle<pleach::Image>>, Error> {
        let Some((index, by)) = image_of(&self.root.textures[texture]) else { return Ok(None) };
        let at = At::entry("textures", texture);
        let extensions = at.key("extensions");
        let extension = by.map(|by| extensions.key(by));
        let at = extension.as_ref().unwrap_or(&at).key("source");
        let index = checked(index, self.images.len(), "image", &at)?;
        Ok(Some(self.images[index].clone()))
    }

    /// Which coordinates are used; the transform's word counts more than the texture's.
    fn uv_set(&mut self, info: &TextureInfo, at: &At<'_>) -> Result<u32, Error> {
        let over = info.transform().and_then(|it| it.tex_coord);
        let Whole(set) = over.or(info.tex_coord).unwrap_or_default();
        if let Ok(set) = u32::try_from(set) {
            return Ok(set);
        }
        let message = format!("there is no set {set} of coordinates; 0 is used");
        self.tolerance.bend(&at.key("texCoord"), message)?;
        Ok(0)
    }

    /// A number, which is told if it is out of its range.
    fn one(&mut self, value: Option<f32>, range: Range, at: &At<'_>) -> Result<Option<f32>, Error> {
        if let Some(value) = value.filter(|&value| !(range.has)(value)) {
            let message = format!("{value} is {}; it is used as it is", range.others);
            self.tolerance.bend(at, message)?;
        }
        Ok(value)
    }

    /// Numbers of one range.
    fn each<const N: usize>(
        &mut self,
        values: Option<[f32; N]>,
        range: Range,
        at: &At<'_>,
    ) -> Result<Option<[f32; N]>, Error> {
        for (index, value) in values.iter().flatten().enumerate() {
            self.one(Some(*value), range, &at.index(index))?;
        }
        Ok(values)
    }
}

/// Numbers that glTF allows.
#[derive(Clone, Copy)]
struct Range {
    has: fn(f32) -> bool,
    /// What is said of others.
    others: &'static str,
}

const UNIT: Range = Range { has: |it| (0.0..=1.0).contains(&it), others: "not from 0 to 1" };
const POSITIVE: Range = Range { has: |it| it >= 0.0, others: "negative" };
const IOR: Range = Range { has: |it| it == 0.0 || it >= 1.0, others: "neither 0 nor at least 1" };
const FILM_IOR: Range = Range { has: |it| it >= 1.0, others: "below 1" };

#[cfg(test)]
mod tests {
    use pleach::{Assets, Image};

    use super::*;
    use crate::Report;
    use crate::json::Bounds;

    fn images() -> Vec<Handle<Image>> {
        let assets = Assets::without_feed();
        ["a", "b", "c"].map(|uri| assets.add(Image::from_uri(uri))).into()
    }

    /// The material of a file with these members, and what was odd; or, if strict, an error.
    fn read(members: &str, strict: bool) -> Result<(Material, String), Error> {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},{members}}}"#);
        let root = Root::parse(&text, Bounds::NONE).unwrap();
        let mut tolerance = Tolerance { strict, report: Report::default() };
        check_samplers(&root, &mut tolerance)?;
        let material = material(&root, 0, &images(), &mut tolerance)?;
        Ok((material, tolerance.report.to_string()))
    }

    fn refused(members: &str) -> String {
        read(members, false).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_material_is_the_default() {
        let default = (Material::default(), String::new());
        assert_eq!(read(r#""materials":[{}]"#, true).unwrap(), default);
        let objects = r#""materials":[{"pbrMetallicRoughness":{},"alphaCutoff":0.1,
            "extensions":{"KHR_materials_ior":{},"KHR_materials_emissive_strength":{},
            "KHR_materials_dispersion":{},"X":1}}]"#;
        assert_eq!(read(objects, true).unwrap(), default);
        let extensions = r#""materials":[{"extensions":{"KHR_materials_clearcoat":{},
            "KHR_materials_sheen":{},"KHR_materials_specular":{},"KHR_materials_transmission":{},
            "KHR_materials_volume":{},"KHR_materials_iridescence":{},
            "KHR_materials_anisotropy":{},"KHR_materials_unlit":{}}}]"#;
        let expected = Material {
            unlit: true,
            clearcoat: Some(Box::default()),
            sheen: Some(Box::default()),
            specular: Some(Box::default()),
            transmission: Some(Box::default()),
            volume: Some(Box::default()),
            iridescence: Some(Box::default()),
            anisotropy: Some(Box::default()),
            ..Material::default()
        };
        assert_eq!(read(extensions, true).unwrap().0, expected);
    }

    #[test]
    fn an_index_of_nothing_is_refused_with_its_place() {
        let base = r#""materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":9}}}]"#;
        let none = refused(&format!(r#"{base},"textures":[{{}},{{}}]"#));
        let at = "/materials/0/pbrMetallicRoughness/baseColorTexture/index";
        assert_eq!(none, format!("{at}: texture 9 does not exist (the file has 2)"));

        let normal = r#""materials":[{"extensions":{"KHR_materials_clearcoat":
            {"clearcoatNormalTexture":{"index":0}}}}]"#;
        let at = "/materials/0/extensions/KHR_materials_clearcoat/clearcoatNormalTexture/index";
        assert_eq!(refused(normal), format!("{at}: texture 0 does not exist (the file has 0)"));
        let textures = [
            (r#"{"sampler":1}"#, "/textures/0/sampler: sampler 1", 0),
            (r#"{"source":3}"#, "/textures/0/source: image 3", 3),
            (
                r#"{"source":0,"extensions":{"EXT_texture_webp":{"source":5}}}"#,
                "/textures/0/extensions/EXT_texture_webp/source: image 5",
                3,
            ),
        ];
        for (texture, fault, have) in textures {
            let members = format!(r#"{normal},"textures":[{texture}]"#);
            let expected = format!("{fault} does not exist (the file has {have})");
            assert_eq!(refused(&members), expected);
        }
        assert_eq!(
            refused(r#""nodes":[]"#),
            "/materials: material 0 does not exist (the file has 0)"
        );
    }

    #[test]
    fn a_texture_shows_the_best_image_it_offers() {
        let shown = |texture: &str| {
            let text = format!(
                r#"{{"asset":{{"version":"2.0"}},"textures":[{texture}],
                    "materials":[{{"emissiveTexture":{{"index":0}}}}]}}"#
            );
            let (root, images) = (Root::parse(&text, Bounds::NONE).unwrap(), images());
            let mut tolerance = Tolerance { strict: true, report: Report::default() };
            let material = material(&root, 0, &images, &mut tolerance).unwrap();
            let texture = material.emissive_texture?;
            images.iter().position(|image| *image == texture.image)
        };
        let both = r#""EXT_texture_webp":{"source":1},"KHR_texture_basisu":{"source":2}"#;
        assert_eq!(shown("{}"), None);
        assert_eq!(shown(r#"{"source":0}"#), Some(0));
        assert_eq!(shown(&format!(r#"{{"source":0,"extensions":{{{both}}}}}"#)), Some(1));
        let basisu = r#""extensions":{"EXT_texture_webp":{},"KHR_texture_basisu":{"source":2}}"#;
        assert_eq!(shown(&format!(r#"{{"source":0,{basisu}}}"#)), Some(0));
        assert_eq!(shown(&format!("{{{basisu}}}")), Some(2));
    }

    #[test]
    fn a_transform_chooses_the_coordinates() {
        let members = r#""textures":[{"source":0}],"materials":[{"normalTexture":{"index":0,
            "texCoord":1,"extensions":{"KHR_texture_transform":{"rotation":2,"texCoord":3}}}}]"#;
        let texture = read(members, true).unwrap().0.normal_texture.unwrap();
        assert_eq!(texture.uv_set, 3);
        let expected = TextureTransform { rotation: 2.0, ..TextureTransform::IDENTITY };
        assert_eq!(texture.transform, Some(expected));
        let members = members.replace(",\"texCoord\":3", "");
        assert_eq!(read(&members, true).unwrap().0.normal_texture.unwrap().uv_set, 1);
    }

    #[test]
    fn numbers_out_of_range_are_told_and_used() {
        let members = r#""materials":[{"emissiveFactor":[0,2,0],"pbrMetallicRoughness":
            {"roughnessFactor":-1},"extensions":{"KHR_materials_ior":{"ior":0.5},
            "KHR_materials_volume":{"attenuationDistance":0},
            "KHR_materials_iridescence":{"iridescenceIor":0.5}}}]"#;
        let (material, told) = read(members, false).unwrap();
        assert_eq!(
            told,
            "/materials/0/pbrMetallicRoughness/roughnessFactor: -1 is not from 0 to 1; \
             it is used as it is\n\
             /materials/0/emissiveFactor/1: 2 is not from 0 to 1; it is used as it is\n\
             /materials/0/extensions/KHR_materials_ior/ior: 0.5 is neither 0 nor at least 1; \
             it is used as it is\n\
             /materials/0/extensions/KHR_materials_volume/attenuationDistance: 0 is not above 0; \
             it is read as infinite\n\
             /materials/0/extensions/KHR_materials_iridescence/iridescenceIor: 0.5 is below 1; \
             it is used as it is\n"
        );
        assert_eq!((material.roughness, material.emissive.y, material.ior), (-1.0, 2.0, 0.5));
        assert_eq!(material.volume.unwrap().attenuation_distance, f32::INFINITY);
        let error = read(members, true).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Strict);
        // What JSON can say and an f32 cannot is no number here.
        let text = r#"{"asset":{"version":"2.0"},"materials":[{"alphaCutoff":1e39}]}"#;
        assert_eq!(Root::parse(text, Bounds::NONE).unwrap_err().kind(), crate::ErrorKind::Json);
    }

    #[test]
    fn unknown_words_are_told_and_the_default() {
        let members = r#""samplers":[{"magFilter":9987,"minFilter":9987,"wrapS":1,"wrapT":33071}],
            "textures":[{"source":0,"sampler":0}],
            "materials":[{"alphaMode":"HASHED","emissiveTexture":{"index":0,"texCoord":5e9}}]"#;
        let (material, told) = read(members, false).unwrap();
        assert_eq!(
            told,
            "/samplers/0/magFilter: 9987 is not known; the default is used\n\
             /samplers/0/wrapS: 1 is not known; the default is used\n\
             /materials/0/alphaMode: \"HASHED\" is not known; OPAQUE is used\n\
             /materials/0/emissiveTexture/texCoord: there is no set 5000000000 of coordinates; \
             0 is used\n"
        );
        assert_eq!(material.alpha_mode, AlphaMode::Opaque);
        let expected = pleach::Sampler {
            min_filter: Some(MinFilter::LinearMipmapLinear),
            wrap_v: Wrap::ClampToEdge,
            ..pleach::Sampler::default()
        };
        assert_eq!(material.emissive_texture.unwrap().sampler, expected);
        assert!(read(members, true).is_err());
    }
}
