//! Materials: edits only the members that differ from the file.
//!
//! - Values that are the default of glTF are not written, and are removed if the file has them.
//! - Objects that become empty are removed (see `JsonEdit`). Where the presence of an object has a
//!   meaning, as for an extension, one of its defaults is written.
//! - Other members of these objects (extras, unknown extensions) stay.

use std::borrow::Cow;

use pleach::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen, Specular,
    TextureRef, TextureTransform, Transmission, Volume,
};

use super::super::output::json_edit::{JsonEdit, json_array, number, quoted};
use super::super::output::output_document::OutputDocument;
use super::texture::Textures;
use crate::diagnostics::Pointer;
use crate::{Error, ErrorKind, Report, WarningCode};

/// Returns the edit from the file's material `was` to `now`. For a new material, `was` is the
/// default and the text `{}`.
pub(crate) fn material_edit(
    was: &Material,
    now: &Material,
    output: &mut OutputDocument<'_>,
    textures: &mut Textures,
    at: &Pointer<'_>,
) -> Result<JsonEdit, Error> {
    if was == now {
        return Ok(JsonEdit::new());
    }
    let now = &*representable(was, now, &mut output.report);
    let now = &*with_unit_emission(was, now);
    let name = now.name.as_deref();
    let mut writer = MaterialWriter { edit: JsonEdit::new(), name, output, textures, at };
    writer.core(was, now)?;
    writer.extensions(was, now)?;
    Ok(writer.edit)
}

/// Returns the material without values that glTF cannot represent: the normal scale and the
/// occlusion strength are members of their texture, and are ignored without it.
fn representable<'m>(was: &Material, now: &'m Material, report: &mut Report) -> Cow<'m, Material> {
    /// Returns the value that a reader gets, from the texture and the value before and now.
    fn writable(was: (&Option<TextureRef>, f32), now: (&Option<TextureRef>, f32)) -> f32 {
        match (was.0, now.0) {
            (_, Some(_)) => now.1,
            (Some(_), None) => 1.0,
            (None, None) => was.1,
        }
    }

    let mut written = Cow::Borrowed(now);
    let mut drop = |what: &str, value: f32, writable: f32| {
        let is_dropped = value != writable;
        if is_dropped {
            let label = label(now.name.as_deref());
            let message =
                format!("{label}: {what} {value} is not written because it has no texture");
            report.warn(&Pointer::ROOT, WarningCode::DroppedMaterialValue, message);
        }
        is_dropped
    };
    let old = (&was.normal_texture, was.normal_scale);
    let scale = writable(old, (&now.normal_texture, now.normal_scale));
    if drop("normal_scale", now.normal_scale, scale) {
        written.to_mut().normal_scale = scale;
    }
    let old = (&was.occlusion_texture, was.occlusion_strength);
    let strength = writable(old, (&now.occlusion_texture, now.occlusion_strength));
    if drop("occlusion_strength", now.occlusion_strength, strength) {
        written.to_mut().occlusion_strength = strength;
    }
    if let Some(coat) = &now.clearcoat {
        let old = was
            .clearcoat
            .as_ref()
            .map_or((&None, 1.0), |was| (&was.normal_texture, was.normal_scale));
        let scale = writable(old, (&coat.normal_texture, coat.normal_scale));
        if drop("clearcoat.normal_scale", coat.normal_scale, scale) {
            let coat = Clearcoat { normal_scale: scale, ..(**coat).clone() };
            written.to_mut().clearcoat = Some(Box::new(coat));
        }
    }
    written
}

/// Returns the material with an emission up to 1: what exceeds it is moved into the strength.
fn with_unit_emission<'m>(was: &Material, now: &'m Material) -> Cow<'m, Material> {
    let max = now.emissive.max_element();
    let is_kept = (was.emissive, was.emissive_strength) == (now.emissive, now.emissive_strength);
    let strength = now.emissive_strength * max;
    if !(max > 1.0 && strength.is_finite() && now.emissive.is_finite()) || is_kept {
        return Cow::Borrowed(now);
    }
    Cow::Owned(Material {
        emissive: now.emissive / max,
        emissive_strength: strength,
        ..now.clone()
    })
}

/// Returns the nearest value to `value` that glTF allows for a member.
fn in_range(key: &str, value: f32) -> f32 {
    match key {
        "baseColorFactor"
        | "metallicFactor"
        | "roughnessFactor"
        | "emissiveFactor"
        | "strength"
        | "clearcoatFactor"
        | "clearcoatRoughnessFactor"
        | "sheenColorFactor"
        | "sheenRoughnessFactor"
        | "specularFactor"
        | "transmissionFactor"
        | "diffuseTransmissionFactor"
        | "iridescenceFactor"
        | "anisotropyStrength"
        | "attenuationColor" => value.clamp(0.0, 1.0),
        "alphaCutoff"
        | "emissiveStrength"
        | "dispersion"
        | "thicknessFactor"
        | "specularColorFactor"
        | "diffuseTransmissionColorFactor"
        | "iridescenceThicknessMinimum"
        | "iridescenceThicknessMaximum" => value.max(0.0),
        "ior" if value != 0.0 => value.max(1.0),
        "iridescenceIor" => value.max(1.0),
        // No attenuation.
        "attenuationDistance" if value <= 0.0 => f32::INFINITY,
        _ => value,
    }
}

fn label(name: Option<&str>) -> String {
    name.map_or("a material".into(), |name| format!("material {name:?}"))
}

/// The keys from the material to a member.
type Path<'p> = &'p [&'static str];

const PBR: &str = "pbrMetallicRoughness";
const EXTENSIONS: &str = "extensions";

/// Writes one material.
struct MaterialWriter<'e, 's> {
    edit: JsonEdit,
    name: Option<&'e str>,
    output: &'e mut OutputDocument<'s>,
    textures: &'e mut Textures,
    /// The material in the file.
    at: &'e Pointer<'e>,
}

impl MaterialWriter<'_, '_> {
    fn core(&mut self, was: &Material, now: &Material) -> Result<(), Error> {
        if was.name != now.name {
            self.edit.set_or_remove(&["name"], now.name.as_deref().map(quoted));
        }
        let (old, new) = (was.base_color.to_array(), now.base_color.to_array());
        self.numbers(&[PBR, "baseColorFactor"], old, new, [1.0; 4])?;
        let (old, new) = (&was.base_color_texture, &now.base_color_texture);
        self.texture(&[PBR, "baseColorTexture"], old, new)?;
        self.number(&[PBR, "metallicFactor"], was.metallic, now.metallic, 1.0)?;
        self.number(&[PBR, "roughnessFactor"], was.roughness, now.roughness, 1.0)?;
        let (old, new) = (&was.metallic_roughness_texture, &now.metallic_roughness_texture);
        self.texture(&[PBR, "metallicRoughnessTexture"], old, new)?;

        let (old, new) = (&was.normal_texture, &now.normal_texture);
        let scale = ("scale", was.normal_scale, now.normal_scale);
        self.texture_with(&["normalTexture"], old, new, Some(scale))?;
        let (old, new) = (&was.occlusion_texture, &now.occlusion_texture);
        let strength = ("strength", was.occlusion_strength, now.occlusion_strength);
        self.texture_with(&["occlusionTexture"], old, new, Some(strength))?;
        self.texture(&["emissiveTexture"], &was.emissive_texture, &now.emissive_texture)?;
        let (old, new) = (was.emissive.to_array(), now.emissive.to_array());
        self.numbers(&["emissiveFactor"], old, new, [0.0; 3])?;

        self.alpha_mode(was.alpha_mode, now.alpha_mode)?;
        if was.double_sided != now.double_sided {
            self.edit.set_or_remove(&["doubleSided"], now.double_sided.then(|| "true".into()));
        }
        Ok(())
    }

    fn alpha_mode(&mut self, was: AlphaMode, now: AlphaMode) -> Result<(), Error> {
        if was == now {
            return Ok(());
        }
        let parts = |mode| match mode {
            AlphaMode::Opaque => (None, None),
            AlphaMode::Mask { cutoff } => (Some("MASK"), Some(cutoff)),
            AlphaMode::Blend => (Some("BLEND"), None),
        };
        let ((old, old_cutoff), (new, new_cutoff)) = (parts(was), parts(now));
        if old != new {
            self.edit.set_or_remove(&["alphaMode"], new.map(quoted));
        }
        // A file may have a cutoff without effect, in another alpha mode.
        if old_cutoff != new_cutoff {
            let path = ["alphaCutoff"];
            let cutoff = new_cutoff.map(|cutoff| self.clamped(&path, cutoff));
            let cutoff = cutoff.filter(|&cutoff| cutoff != 0.5);
            let cutoff = cutoff.map(|cutoff| self.number_text(&path, cutoff)).transpose()?;
            self.edit.set_or_remove(&path, cutoff);
        }
        Ok(())
    }

    fn extensions(&mut self, was: &Material, now: &Material) -> Result<(), Error> {
        const STRENGTH: Path<'_> = &["KHR_materials_emissive_strength", "emissiveStrength"];
        const IOR: Path<'_> = &["KHR_materials_ior", "ior"];
        const DISPERSION: Path<'_> = &["KHR_materials_dispersion", "dispersion"];

        if was.unlit != now.unlit {
            let name = "KHR_materials_unlit";
            self.edit.set_or_remove(&[EXTENSIONS, name], now.unlit.then(|| "{}".into()));
            if now.unlit {
                self.output.used.insert(name);
            }
        }
        self.single_value(STRENGTH, was.emissive_strength, now.emissive_strength, 1.0)?;
        self.single_value(IOR, was.ior, now.ior, 1.5)?;
        self.single_value(DISPERSION, was.dispersion, now.dispersion, 0.0)?;

        self.extension(CLEARCOAT, &was.clearcoat, &now.clearcoat)?;
        self.extension(SHEEN, &was.sheen, &now.sheen)?;
        self.extension(SPECULAR, &was.specular, &now.specular)?;
        self.extension(TRANSMISSION, &was.transmission, &now.transmission)?;
        let (old, new) = (&was.diffuse_transmission, &now.diffuse_transmission);
        self.extension(DIFFUSE_TRANSMISSION, old, new)?;
        self.extension(VOLUME, &was.volume, &now.volume)?;
        self.extension(IRIDESCENCE, &was.iridescence, &now.iridescence)?;
        self.extension(ANISOTROPY, &was.anisotropy, &now.anisotropy)
    }

    /// Edits an extension of a single value, which is absent if the value is the default.
    fn single_value(
        &mut self,
        path: Path<'_>,
        was: f32,
        now: f32,
        default: f32,
    ) -> Result<(), Error> {
        let now = if was == now { now } else { self.clamped(path, now) };
        if was != now && now != default {
            self.output.used.insert(path[0]);
        }
        self.number(&join(&[EXTENSIONS], path), was, now, default)
    }

    fn extension<T: Default + PartialEq>(
        &mut self,
        kind: Extension<T>,
        was: &Option<Box<T>>,
        now: &Option<Box<T>>,
    ) -> Result<(), Error> {
        if was == now {
            return Ok(());
        }
        let Some(now) = now else {
            self.edit.remove(&[EXTENSIONS, kind.name]);
            return Ok(());
        };
        self.output.used.insert(kind.name);
        let default = T::default();
        (kind.members)(self, was.as_deref().unwrap_or(&default), now)?;
        if **now == default {
            self.edit.set(&[EXTENSIONS, kind.name, kind.default.0], kind.default.1);
        }
        Ok(())
    }

    fn clearcoat(&mut self, was: &Clearcoat, now: &Clearcoat) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, CLEARCOAT.name, key];
        self.number(&at("clearcoatFactor"), was.factor, now.factor, 0.0)?;
        self.texture(&at("clearcoatTexture"), &was.texture, &now.texture)?;
        self.number(&at("clearcoatRoughnessFactor"), was.roughness, now.roughness, 0.0)?;
        let (old, new) = (&was.roughness_texture, &now.roughness_texture);
        self.texture(&at("clearcoatRoughnessTexture"), old, new)?;
        let (old, new) = (&was.normal_texture, &now.normal_texture);
        let scale = ("scale", was.normal_scale, now.normal_scale);
        self.texture_with(&at("clearcoatNormalTexture"), old, new, Some(scale))
    }

    fn sheen(&mut self, was: &Sheen, now: &Sheen) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, SHEEN.name, key];
        let (old, new) = (was.color.to_array(), now.color.to_array());
        self.numbers(&at("sheenColorFactor"), old, new, [0.0; 3])?;
        self.texture(&at("sheenColorTexture"), &was.color_texture, &now.color_texture)?;
        self.number(&at("sheenRoughnessFactor"), was.roughness, now.roughness, 0.0)?;
        let (old, new) = (&was.roughness_texture, &now.roughness_texture);
        self.texture(&at("sheenRoughnessTexture"), old, new)
    }

    fn specular(&mut self, was: &Specular, now: &Specular) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, SPECULAR.name, key];
        self.number(&at("specularFactor"), was.factor, now.factor, 1.0)?;
        self.texture(&at("specularTexture"), &was.texture, &now.texture)?;
        let (old, new) = (was.color.to_array(), now.color.to_array());
        self.numbers(&at("specularColorFactor"), old, new, [1.0; 3])?;
        self.texture(&at("specularColorTexture"), &was.color_texture, &now.color_texture)
    }

    fn transmission(&mut self, was: &Transmission, now: &Transmission) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, TRANSMISSION.name, key];
        self.number(&at("transmissionFactor"), was.factor, now.factor, 0.0)?;
        self.texture(&at("transmissionTexture"), &was.texture, &now.texture)
    }

    fn diffuse_transmission(
        &mut self,
        was: &DiffuseTransmission,
        now: &DiffuseTransmission,
    ) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, DIFFUSE_TRANSMISSION.name, key];
        self.number(&at("diffuseTransmissionFactor"), was.factor, now.factor, 0.0)?;
        self.texture(&at("diffuseTransmissionTexture"), &was.texture, &now.texture)?;
        let (old, new) = (was.color.to_array(), now.color.to_array());
        self.numbers(&at("diffuseTransmissionColorFactor"), old, new, [1.0; 3])?;
        let (old, new) = (&was.color_texture, &now.color_texture);
        self.texture(&at("diffuseTransmissionColorTexture"), old, new)
    }

    fn volume(&mut self, was: &Volume, now: &Volume) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, VOLUME.name, key];
        self.number(&at("thicknessFactor"), was.thickness, now.thickness, 0.0)?;
        self.texture(&at("thicknessTexture"), &was.thickness_texture, &now.thickness_texture)?;
        let (old, new) = (was.attenuation_distance, now.attenuation_distance);
        self.number(&at("attenuationDistance"), old, new, f32::INFINITY)?;
        let (old, new) = (was.attenuation_color.to_array(), now.attenuation_color.to_array());
        self.numbers(&at("attenuationColor"), old, new, [1.0; 3])
    }

    fn iridescence(&mut self, was: &Iridescence, now: &Iridescence) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, IRIDESCENCE.name, key];
        self.number(&at("iridescenceFactor"), was.factor, now.factor, 0.0)?;
        self.texture(&at("iridescenceTexture"), &was.texture, &now.texture)?;
        self.number(&at("iridescenceIor"), was.ior, now.ior, 1.3)?;
        let (old, new) = (was.thickness_min, now.thickness_min);
        self.number(&at("iridescenceThicknessMinimum"), old, new, 100.0)?;
        let (old, new) = (was.thickness_max, now.thickness_max);
        self.number(&at("iridescenceThicknessMaximum"), old, new, 400.0)?;
        let (old, new) = (&was.thickness_texture, &now.thickness_texture);
        self.texture(&at("iridescenceThicknessTexture"), old, new)
    }

    fn anisotropy(&mut self, was: &Anisotropy, now: &Anisotropy) -> Result<(), Error> {
        let at = |key| [EXTENSIONS, ANISOTROPY.name, key];
        self.number(&at("anisotropyStrength"), was.strength, now.strength, 0.0)?;
        self.number(&at("anisotropyRotation"), was.rotation, now.rotation, 0.0)?;
        self.texture(&at("anisotropyTexture"), &was.texture, &now.texture)
    }

    fn texture(
        &mut self,
        path: Path<'_>,
        was: &Option<TextureRef>,
        now: &Option<TextureRef>,
    ) -> Result<(), Error> {
        self.texture_with(path, was, now, None)
    }

    /// Edits a texture, with an optional member of the texture info whose default is 1.
    fn texture_with(
        &mut self,
        path: Path<'_>,
        was: &Option<TextureRef>,
        now: &Option<TextureRef>,
        scale: Option<(&'static str, f32, f32)>,
    ) -> Result<(), Error> {
        match (was, now) {
            (None, None) => Ok(()),
            (Some(_), None) => {
                self.edit.remove(path);
                Ok(())
            }
            (Some(was), Some(now)) => self.texture_info(path, Some(was), now, scale),
            (None, Some(now)) => {
                // Replaces the whole object, for example a texture info without an image.
                let outer = std::mem::take(&mut self.edit);
                self.texture_info(&[], None, now, scale.map(|(key, _, now)| (key, 1.0, now)))?;
                let info = std::mem::replace(&mut self.edit, outer);
                self.edit.set(path, info.to_object());
                Ok(())
            }
        }
    }

    fn texture_info(
        &mut self,
        path: Path<'_>,
        was: Option<&TextureRef>,
        now: &TextureRef,
        scale: Option<(&'static str, f32, f32)>,
    ) -> Result<(), Error> {
        if was.is_none_or(|was| (&was.image, was.sampler) != (&now.image, now.sampler)) {
            let index = self.textures.index(now, self.output)?;
            self.edit.set(&join(path, &["index"]), index.to_string());
        }
        let transform = join(path, &[EXTENSIONS, "KHR_texture_transform"]);
        let (old_set, old) = was.map_or((0, None), |was| (was.uv_set, was.transform));
        let is_removed = old.is_some() && now.transform.is_none();
        let is_set_changed = old_set != now.uv_set;
        if is_set_changed || is_removed {
            // `texCoord` of the transform overrides that of the texture info, and may be the only
            // one.
            let set = Some(now.uv_set).filter(|&set| set != 0);
            self.edit.set_or_remove(&join(path, &["texCoord"]), set.map(|set| set.to_string()));
            self.edit.remove(&join(&transform, &["texCoord"]));
        }
        if is_removed {
            self.edit.remove(&transform);
        }
        if let Some(now) = now.transform.filter(|_| is_set_changed || old != now.transform) {
            self.transform(&transform, old.unwrap_or_default(), now)?;
        }
        if let Some((key, was, now)) = scale {
            self.number(&join(path, &[key]), was, now, 1.0)?;
        }
        Ok(())
    }

    fn transform(
        &mut self,
        path: Path<'_>,
        was: TextureTransform,
        now: TextureTransform,
    ) -> Result<(), Error> {
        self.output.used.insert("KHR_texture_transform");
        let (old, new) = (was.offset.to_array(), now.offset.to_array());
        self.numbers(&join(path, &["offset"]), old, new, [0.0; 2])?;
        self.number(&join(path, &["rotation"]), was.rotation, now.rotation, 0.0)?;
        let (old, new) = (was.scale.to_array(), now.scale.to_array());
        self.numbers(&join(path, &["scale"]), old, new, [1.0; 2])?;
        if now == TextureTransform::IDENTITY {
            self.edit.set(&join(path, &["rotation"]), "0");
        }
        Ok(())
    }

    fn number(&mut self, path: Path<'_>, was: f32, now: f32, default: f32) -> Result<(), Error> {
        let now = if was == now { now } else { self.clamped(path, now) };
        if was == now {
            return Ok(());
        }
        if now == default {
            self.edit.remove(path);
        } else {
            let text = self.number_text(path, now)?;
            self.edit.set(path, text);
        }
        Ok(())
    }

    fn numbers<const N: usize>(
        &mut self,
        path: Path<'_>,
        was: [f32; N],
        now: [f32; N],
        default: [f32; N],
    ) -> Result<(), Error> {
        let now = if was == now { now } else { now.map(|now| self.clamped(path, now)) };
        if was == now {
            return Ok(());
        }
        if now == default {
            self.edit.remove(path);
        } else {
            let texts = now
                .iter()
                .map(|&now| self.number_text(path, now))
                .collect::<Result<Vec<_>, _>>()?;
            self.edit.set(path, json_array(texts));
        }
        Ok(())
    }

    /// Returns a value in the range that glTF allows, with a warning if it was out of it. NaN is
    /// returned unchanged, and refused by `number_text`.
    fn clamped(&mut self, path: Path<'_>, value: f32) -> f32 {
        let clamped = in_range(path.last().copied().unwrap_or_default(), value);
        if clamped != value && !value.is_nan() {
            let (label, path) = (label(self.name), path.join("/"));
            let message = format!(
                "{label}: {path} is {value}, which glTF does not allow; {clamped} is written"
            );
            self.output.report.warn(self.at, WarningCode::FactorOutOfRange, message);
        }
        if value.is_nan() { value } else { clamped }
    }

    fn number_text(&self, path: Path<'_>, value: f32) -> Result<String, Error> {
        if value.is_finite() {
            return Ok(number(value));
        }
        let (label, path) = (label(self.name), path.join("/"));
        let message = format!("{label}: {path} is {value}; JSON can only represent finite numbers");
        Err(Error::new(ErrorKind::Unwritable, self.at, message))
    }
}

fn join(path: Path<'_>, more: Path<'_>) -> Vec<&'static str> {
    [path, more].concat()
}

/// A material extension with an object of its own.
struct Extension<T> {
    name: &'static str,
    /// The member that is written if all values are defaults.
    default: (&'static str, &'static str),
    members: fn(&mut MaterialWriter<'_, '_>, &T, &T) -> Result<(), Error>,
}

const CLEARCOAT: Extension<Clearcoat> = Extension {
    name: "KHR_materials_clearcoat",
    default: ("clearcoatFactor", "0"),
    members: |writer, was, now| writer.clearcoat(was, now),
};
const SHEEN: Extension<Sheen> = Extension {
    name: "KHR_materials_sheen",
    default: ("sheenColorFactor", "[0,0,0]"),
    members: |writer, was, now| writer.sheen(was, now),
};
const SPECULAR: Extension<Specular> = Extension {
    name: "KHR_materials_specular",
    default: ("specularFactor", "1"),
    members: |writer, was, now| writer.specular(was, now),
};
const TRANSMISSION: Extension<Transmission> = Extension {
    name: "KHR_materials_transmission",
    default: ("transmissionFactor", "0"),
    members: |writer, was, now| writer.transmission(was, now),
};
const DIFFUSE_TRANSMISSION: Extension<DiffuseTransmission> = Extension {
    name: "KHR_materials_diffuse_transmission",
    default: ("diffuseTransmissionFactor", "0"),
    members: |writer, was, now| writer.diffuse_transmission(was, now),
};
const VOLUME: Extension<Volume> = Extension {
    name: "KHR_materials_volume",
    default: ("thicknessFactor", "0"),
    members: |writer, was, now| writer.volume(was, now),
};
const IRIDESCENCE: Extension<Iridescence> = Extension {
    name: "KHR_materials_iridescence",
    default: ("iridescenceFactor", "0"),
    members: |writer, was, now| writer.iridescence(was, now),
};
const ANISOTROPY: Extension<Anisotropy> = Extension {
    name: "KHR_materials_anisotropy",
    default: ("anisotropyStrength", "0"),
    members: |writer, was, now| writer.anisotropy(was, now),
};

#[cfg(test)]
mod tests;
