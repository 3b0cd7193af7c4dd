//! Materials into the file: the members that differ from what the file says, and no others.
//!
//! - A value that is glTF's default is not said; if the file says it, it is taken out.
//! - An object that becomes empty goes (see `Patch`). Where its being there says something,
//!   as that of an extension does, one of its defaults is said.
//! - Whatever else is in these objects (extras, extensions of others) stays.

use std::borrow::Cow;

use pleach::{
    AlphaMode, Anisotropy, Clearcoat, Iridescence, Material, Sheen, Specular, TextureRef,
    TextureTransform, Transmission, Volume,
};

use super::patch::{Patch, list, number, quoted};
use super::sheet::Sheet;
use super::texture::Textures;
use crate::place::At;
use crate::{Error, ErrorKind, Report};

/// What makes a file's material, which decodes to `was`, into `now`. A new one was the default,
/// in a text of `{}`.
pub(crate) fn patch(
    was: &Material,
    now: &Material,
    sheet: &mut Sheet<'_>,
    textures: &mut Textures,
) -> Result<Patch, Error> {
    if was == now {
        return Ok(Patch::new());
    }
    let now = &*sayable(was, now, &mut sheet.report);
    let mut edits = Edits { patch: Patch::new(), name: now.name.as_deref(), sheet, textures };
    edits.core(was, now)?;
    edits.extensions(was, now)?;
    Ok(edits.patch)
}

/// The material without what glTF cannot say: the scale of normals and the strength of
/// occlusion are said with their texture, and without it stay as they were.
fn sayable<'m>(was: &Material, now: &'m Material, report: &mut Report) -> Cow<'m, Material> {
    /// What a number is, after all, given what it and its texture were.
    fn left(was: (&Option<TextureRef>, f32), now: (&Option<TextureRef>, f32)) -> f32 {
        match (was.0, now.0) {
            (_, Some(_)) => now.1,
            (Some(_), None) => 1.0,
            (None, None) => was.1,
        }
    }

    let mut said = Cow::Borrowed(now);
    let mut drop = |what: &str, value: f32, left: f32| {
        let is_lost = value != left;
        if is_lost {
            let name = whose(now.name.as_deref());
            let message = format!("{name}: {what} {value} is not written, as it has no texture");
            report.warn(&At::ROOT, message);
        }
        is_lost
    };
    let old = (&was.normal_texture, was.normal_scale);
    let scale = left(old, (&now.normal_texture, now.normal_scale));
    if drop("normal_scale", now.normal_scale, scale) {
        said.to_mut().normal_scale = scale;
    }
    let old = (&was.occlusion_texture, was.occlusion_strength);
    let strength = left(old, (&now.occlusion_texture, now.occlusion_strength));
    if drop("occlusion_strength", now.occlusion_strength, strength) {
        said.to_mut().occlusion_strength = strength;
    }
    if let Some(coat) = &now.clearcoat {
        let old = was
            .clearcoat
            .as_ref()
            .map_or((&None, 1.0), |was| (&was.normal_texture, was.normal_scale));
        let scale = left(old, (&coat.normal_texture, coat.normal_scale));
        if drop("clearcoat.normal_scale", coat.normal_scale, scale) {
            let coat = Clearcoat { normal_scale: scale, ..(**coat).clone() };
            said.to_mut().clearcoat = Some(Box::new(coat));
        }
    }
    said
}

fn whose(name: Option<&str>) -> String {
    name.map_or("a material".into(), |name| format!("material {name:?}"))
}

/// From the material down.
type Path<'p> = &'p [&'static str];

const PBR: &str = "pbrMetallicRoughness";
const EXTENSIONS: &str = "extensions";

/// The edits of one material.
struct Edits<'e, 's> {
    patch: Patch,
    name: Option<&'e str>,
    sheet: &'e mut Sheet<'s>,
    textures: &'e mut Textures,
}

impl Edits<'_, '_> {
    fn core(&mut self, was: &Material, now: &Material) -> Result<(), Error> {
        if was.name != now.name {
            self.patch.set(&["name"], now.name.as_deref().map(quoted));
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
            self.patch.set(&["doubleSided"], now.double_sided.then(|| "true".into()));
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
            self.patch.set(&["alphaMode"], new.map(quoted));
        }
        // A file may have one that does nothing, as the mode was another.
        if old_cutoff != new_cutoff {
            let path = ["alphaCutoff"];
            let cutoff = new_cutoff.filter(|&cutoff| cutoff != 0.5);
            let cutoff = cutoff.map(|cutoff| self.said(&path, cutoff)).transpose()?;
            self.patch.set(&path, cutoff);
        }
        Ok(())
    }

    fn extensions(&mut self, was: &Material, now: &Material) -> Result<(), Error> {
        const STRENGTH: Path<'_> = &["KHR_materials_emissive_strength", "emissiveStrength"];
        const IOR: Path<'_> = &["KHR_materials_ior", "ior"];
        const DISPERSION: Path<'_> = &["KHR_materials_dispersion", "dispersion"];

        if was.unlit != now.unlit {
            let name = "KHR_materials_unlit";
            self.patch.set(&[EXTENSIONS, name], now.unlit.then(|| "{}".into()));
            if now.unlit {
                self.sheet.used.insert(name);
            }
        }
        self.lone(STRENGTH, was.emissive_strength, now.emissive_strength, 1.0)?;
        self.lone(IOR, was.ior, now.ior, 1.5)?;
        self.lone(DISPERSION, was.dispersion, now.dispersion, 0.0)?;

        self.extension(CLEARCOAT, &was.clearcoat, &now.clearcoat)?;
        self.extension(SHEEN, &was.sheen, &now.sheen)?;
        self.extension(SPECULAR, &was.specular, &now.specular)?;
        self.extension(TRANSMISSION, &was.transmission, &now.transmission)?;
        self.extension(VOLUME, &was.volume, &now.volume)?;
        self.extension(IRIDESCENCE, &was.iridescence, &now.iridescence)?;
        self.extension(ANISOTROPY, &was.anisotropy, &now.anisotropy)
    }

    /// An extension of one number, whose absence is the number's default.
    fn lone(&mut self, path: Path<'_>, was: f32, now: f32, default: f32) -> Result<(), Error> {
        if was != now && now != default {
            self.sheet.used.insert(path[0]);
        }
        self.number(&below(&[EXTENSIONS], path), was, now, default)
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
            self.patch.remove(&[EXTENSIONS, kind.name]);
            return Ok(());
        };
        self.sheet.used.insert(kind.name);
        let default = T::default();
        (kind.members)(self, was.as_deref().unwrap_or(&default), now)?;
        if **now == default {
            self.patch.put(&[EXTENSIONS, kind.name, kind.default.0], kind.default.1);
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

    /// A texture, perhaps with a number that is said beside it, and is 1 if it is not.
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
                self.patch.remove(path);
                Ok(())
            }
            (Some(was), Some(now)) => self.info(path, Some(was), now, scale),
            (None, Some(now)) => {
                // All of it is new, and replaces one that showed no image, if there was any.
                let outer = std::mem::take(&mut self.patch);
                self.info(&[], None, now, scale.map(|(key, _, now)| (key, 1.0, now)))?;
                let info = std::mem::replace(&mut self.patch, outer);
                self.patch.put(path, info.object());
                Ok(())
            }
        }
    }

    fn info(
        &mut self,
        path: Path<'_>,
        was: Option<&TextureRef>,
        now: &TextureRef,
        scale: Option<(&'static str, f32, f32)>,
    ) -> Result<(), Error> {
        if was.is_none_or(|was| (&was.image, was.sampler) != (&now.image, now.sampler)) {
            let index = self.textures.index(now, self.sheet)?;
            self.patch.put(&below(path, &["index"]), index.to_string());
        }
        let transform = below(path, &[EXTENSIONS, "KHR_texture_transform"]);
        let (old_set, old) = was.map_or((0, None), |was| (was.uv_set, was.transform));
        let is_removed = old.is_some() && now.transform.is_none();
        let is_moved = old_set != now.uv_set;
        if is_moved || is_removed {
            // The transform's word on this counts more, and may have been the only one.
            let set = Some(now.uv_set).filter(|&set| set != 0);
            self.patch.set(&below(path, &["texCoord"]), set.map(|set| set.to_string()));
            self.patch.remove(&below(&transform, &["texCoord"]));
        }
        if is_removed {
            self.patch.remove(&transform);
        }
        if let Some(now) = now.transform.filter(|_| is_moved || old != now.transform) {
            self.transform(&transform, old.unwrap_or_default(), now)?;
        }
        if let Some((key, was, now)) = scale {
            self.number(&below(path, &[key]), was, now, 1.0)?;
        }
        Ok(())
    }

    fn transform(
        &mut self,
        path: Path<'_>,
        was: TextureTransform,
        now: TextureTransform,
    ) -> Result<(), Error> {
        self.sheet.used.insert("KHR_texture_transform");
        let (old, new) = (was.offset.to_array(), now.offset.to_array());
        self.numbers(&below(path, &["offset"]), old, new, [0.0; 2])?;
        self.number(&below(path, &["rotation"]), was.rotation, now.rotation, 0.0)?;
        let (old, new) = (was.scale.to_array(), now.scale.to_array());
        self.numbers(&below(path, &["scale"]), old, new, [1.0; 2])?;
        if now == TextureTransform::IDENTITY {
            self.patch.put(&below(path, &["rotation"]), "0");
        }
        Ok(())
    }

    fn number(&mut self, path: Path<'_>, was: f32, now: f32, default: f32) -> Result<(), Error> {
        if was == now {
            return Ok(());
        }
        if now == default {
            self.patch.remove(path);
        } else {
            let text = self.said(path, now)?;
            self.patch.put(path, text);
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
        if was == now {
            return Ok(());
        }
        if now == default {
            self.patch.remove(path);
        } else {
            let texts =
                now.iter().map(|&now| self.said(path, now)).collect::<Result<Vec<_>, _>>()?;
            self.patch.put(path, list(texts));
        }
        Ok(())
    }

    fn said(&self, path: Path<'_>, value: f32) -> Result<String, Error> {
        if value.is_finite() {
            return Ok(number(value));
        }
        let (whose, path) = (whose(self.name), path.join("/"));
        let message = format!("{whose}: {path} is {value}, and JSON has finite numbers only");
        Err(Error::new(ErrorKind::Unwritable, &At::ROOT, message))
    }
}

fn below(path: Path<'_>, more: Path<'_>) -> Vec<&'static str> {
    [path, more].concat()
}

/// An extension that is an object of its own.
struct Extension<T> {
    name: &'static str,
    /// What is said if there is nothing but defaults: the first of them.
    default: (&'static str, &'static str),
    members: fn(&mut Edits<'_, '_>, &T, &T) -> Result<(), Error>,
}

const CLEARCOAT: Extension<Clearcoat> = Extension {
    name: "KHR_materials_clearcoat",
    default: ("clearcoatFactor", "0"),
    members: |edits, was, now| edits.clearcoat(was, now),
};
const SHEEN: Extension<Sheen> = Extension {
    name: "KHR_materials_sheen",
    default: ("sheenColorFactor", "[0,0,0]"),
    members: |edits, was, now| edits.sheen(was, now),
};
const SPECULAR: Extension<Specular> = Extension {
    name: "KHR_materials_specular",
    default: ("specularFactor", "1"),
    members: |edits, was, now| edits.specular(was, now),
};
const TRANSMISSION: Extension<Transmission> = Extension {
    name: "KHR_materials_transmission",
    default: ("transmissionFactor", "0"),
    members: |edits, was, now| edits.transmission(was, now),
};
const VOLUME: Extension<Volume> = Extension {
    name: "KHR_materials_volume",
    default: ("thicknessFactor", "0"),
    members: |edits, was, now| edits.volume(was, now),
};
const IRIDESCENCE: Extension<Iridescence> = Extension {
    name: "KHR_materials_iridescence",
    default: ("iridescenceFactor", "0"),
    members: |edits, was, now| edits.iridescence(was, now),
};
const ANISOTROPY: Extension<Anisotropy> = Extension {
    name: "KHR_materials_anisotropy",
    default: ("anisotropyStrength", "0"),
    members: |edits, was, now| edits.anisotropy(was, now),
};

#[cfg(test)]
mod tests {
    use pleach::glam::{Vec2, Vec3, Vec4};
    use pleach::{Assets, Handle, Image, MagFilter, MinFilter, Sampler, Wrap};

    use super::*;
    use crate::json::Bounds;
    use crate::json::{Root, value_at};
    use crate::load;
    use crate::report::Tolerance;

    const FILE: &str = r#"{"asset":{"version":"2.0"},
        "images":[{"uri":"a.png"},{"uri":"b.jpg"},{"uri":"c.webp"},{"uri":"d.ktx2"}],
        "samplers":[{"magFilter":9728},{}],
        "textures":[{"source":0},{"source":0,"sampler":0},{"source":1,"sampler":1},{}]}"#;

    fn images() -> Vec<Handle<Image>> {
        let assets = Assets::without_feed();
        ["a.png", "b.jpg", "c.webp", "d.ktx2"].map(|uri| assets.add(Image::from_uri(uri))).into()
    }

    fn loaded(file: &str, images: &[Handle<Image>]) -> Material {
        let mut strict = Tolerance { strict: true, report: Report::default() };
        let root = Root::parse(file, Bounds::NONE).unwrap();
        load::material::material(&root, 0, images, &mut strict).unwrap()
    }

    /// The file with its first material changed to this, or, if it has none, with this one.
    fn saved(file: &str, images: &[Handle<Image>], now: &Material) -> Result<String, Error> {
        let root = Root::parse(file, Bounds::NONE).unwrap();
        let mut sheet = Sheet::new(&root, 0, 0);
        let mut textures = Textures::new(&root, images);
        if root.materials.is_empty() {
            let patch = patch(&Material::default(), now, &mut sheet, &mut textures)?;
            sheet.materials.add(patch.object());
        } else {
            let was = loaded(file, images);
            let patch = patch(&was, now, &mut sheet, &mut textures)?;
            sheet.materials.patch(0, patch);
        }
        let mut whole = Patch::new();
        let arrays = [
            ("materials", &sheet.materials),
            ("textures", &sheet.textures),
            ("samplers", &sheet.samplers),
            ("images", &sheet.images),
        ];
        for (key, array) in arrays {
            let source = value_at(file, &format!("/{key}")).map(|span| &file[span]);
            if let Some(json) = array.write(source).filter(|_| !array.is_unchanged()) {
                whole.put(&[key], json);
            }
        }
        Ok(whole.apply(file))
    }

    fn material_of(file: &str) -> &str {
        &file[value_at(file, "/materials/0").unwrap()]
    }

    /// The text of a new material.
    fn new(now: &Material, images: &[Handle<Image>]) -> String {
        material_of(&saved(FILE, images, now).unwrap()).into()
    }

    struct Random(u64);

    impl Random {
        fn seeded() -> Self {
            let seed = std::env::var("PLEACH_SEED").ok().and_then(|seed| seed.parse().ok());
            let seed = seed.unwrap_or(20_240_607);
            println!("PLEACH_SEED={seed}");
            Self(seed)
        }

        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % end
        }

        fn chance(&mut self) -> bool {
            self.below(2) == 0
        }

        /// From 0 to 1, or the default, which is met often, as it is special.
        fn unit(&mut self, default: f32) -> f32 {
            if self.chance() { default } else { self.below(1001) as f32 / 1000.0 }
        }

        fn unit3(&mut self, default: f32) -> Vec3 {
            if self.chance() {
                return Vec3::splat(default);
            }
            Vec3::new(self.unit(default), self.unit(default), self.unit(default))
        }

        fn maybe<T: Default>(&mut self, fill: impl Fn(&mut Self) -> T) -> Option<Box<T>> {
            match self.below(4) {
                0 => Some(Box::default()),
                1 | 2 => Some(Box::new(fill(self))),
                _ => None,
            }
        }

        fn texture(&mut self, images: &[Handle<Image>]) -> Option<TextureRef> {
            if self.chance() {
                return None;
            }
            let mut texture = TextureRef::new(images[self.below(4) as usize].clone());
            if self.chance() {
                let mags = [None, Some(MagFilter::Nearest), Some(MagFilter::Linear)];
                let mins = [
                    None,
                    Some(MinFilter::Nearest),
                    Some(MinFilter::Linear),
                    Some(MinFilter::NearestMipmapNearest),
                    Some(MinFilter::LinearMipmapNearest),
                    Some(MinFilter::NearestMipmapLinear),
                    Some(MinFilter::LinearMipmapLinear),
                ];
                let wraps = [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge];
                texture.sampler = Sampler {
                    mag_filter: mags[self.below(3) as usize],
                    min_filter: mins[self.below(7) as usize],
                    wrap_u: wraps[self.below(3) as usize],
                    wrap_v: wraps[self.below(3) as usize],
                };
            }
            if self.chance() {
                texture.uv_set = self.below(3) as u32;
            }
            texture.transform = match self.below(4) {
                0 => Some(TextureTransform::IDENTITY),
                1 => Some(TextureTransform {
                    offset: Vec2::new(self.unit(0.0), self.unit(0.0)),
                    rotation: self.unit(0.0),
                    scale: Vec2::new(self.unit(1.0), self.unit(1.0)),
                }),
                _ => None,
            };
            Some(texture)
        }

        fn material(&mut self, images: &[Handle<Image>]) -> Material {
            let mut material = Material {
                name: self.chance().then(|| format!("\"paint\\ {}\"", self.below(9))),
                base_color: self.unit3(1.0).extend(self.unit(1.0)),
                base_color_texture: self.texture(images),
                metallic: self.unit(1.0),
                roughness: self.unit(1.0),
                metallic_roughness_texture: self.texture(images),
                normal_texture: self.texture(images),
                occlusion_texture: self.texture(images),
                emissive: self.unit3(0.0),
                emissive_texture: self.texture(images),
                emissive_strength: self.unit(1.0) * 3.0,
                alpha_mode: match self.below(3) {
                    0 => AlphaMode::Opaque,
                    1 => AlphaMode::Blend,
                    _ => AlphaMode::Mask { cutoff: self.unit(0.5) },
                },
                double_sided: self.chance(),
                unlit: self.chance(),
                ior: self.unit(0.5) + 1.0,
                dispersion: self.unit(0.0),
                clearcoat: self.maybe(|it| Clearcoat {
                    factor: it.unit(0.0),
                    texture: it.texture(images),
                    roughness: it.unit(0.0),
                    roughness_texture: it.texture(images),
                    normal_texture: it.texture(images),
                    normal_scale: 1.0,
                }),
                sheen: self.maybe(|it| Sheen {
                    color: it.unit3(0.0),
                    color_texture: it.texture(images),
                    roughness: it.unit(0.0),
                    roughness_texture: it.texture(images),
                }),
                specular: self.maybe(|it| Specular {
                    factor: it.unit(1.0),
                    texture: it.texture(images),
                    color: it.unit3(1.0),
                    color_texture: it.texture(images),
                }),
                transmission: self
                    .maybe(|it| Transmission { factor: it.unit(0.0), texture: it.texture(images) }),
                volume: self.maybe(|it| Volume {
                    thickness: it.unit(0.0),
                    thickness_texture: it.texture(images),
                    attenuation_distance: it.unit(f32::INFINITY) + 0.1,
                    attenuation_color: it.unit3(1.0),
                }),
                iridescence: self.maybe(|it| Iridescence {
                    factor: it.unit(0.0),
                    texture: it.texture(images),
                    ior: it.unit(0.3) + 1.0,
                    thickness_min: it.unit(100.0),
                    thickness_max: it.unit(400.0),
                    thickness_texture: it.texture(images),
                }),
                anisotropy: self.maybe(|it| Anisotropy {
                    strength: it.unit(0.0),
                    rotation: it.unit(0.0),
                    texture: it.texture(images),
                }),
                ..Material::default()
            };
            // These are said with their texture only.
            if material.normal_texture.is_some() {
                material.normal_scale = self.unit(1.0);
            }
            if material.occlusion_texture.is_some() {
                material.occlusion_strength = self.unit(1.0);
            }
            if let Some(coat) = &mut material.clearcoat
                && coat.normal_texture.is_some()
            {
                coat.normal_scale = self.unit(1.0);
            }
            material
        }
    }

    #[test]
    fn every_field_comes_back() {
        let (mut random, images) = (Random::seeded(), images());
        for _ in 0..2000 {
            let material = random.material(&images);
            let file = saved(FILE, &images, &material).unwrap();
            assert_eq!(loaded(&file, &images), material, "{file}");
            assert_eq!(saved(&file, &images, &material).unwrap(), file);
        }
    }

    #[test]
    fn a_change_leaves_the_rest_as_it_was() {
        const EXTRAS: &str = "{ \"a\":1.50 ,\"b\" : [ ]}";
        let (mut random, images) = (Random::seeded(), images());
        for _ in 0..2000 {
            let (a, b) = (random.material(&images), random.material(&images));
            let plain = saved(FILE, &images, &a).unwrap();
            // Something of someone else, in the material and in one of its textures.
            let mut foreign = Patch::new();
            foreign.put(&["extras"], EXTRAS);
            foreign.put(&["extensions", "VENDOR_x"], EXTRAS);
            if a.base_color_texture.is_some() && b.base_color_texture.is_some() {
                foreign.put(&[PBR, "baseColorTexture", "extras"], EXTRAS);
                foreign.put(&[PBR, "baseColorTexture", EXTENSIONS, "VENDOR_y"], EXTRAS);
            }
            if a.sheen.is_some() && b.sheen.is_some() {
                foreign.put(&[EXTENSIONS, SHEEN.name, "extras"], EXTRAS);
            }
            let mut before = plain.clone();
            let span = value_at(&plain, "/materials/0").unwrap();
            before.replace_range(span.clone(), &foreign.apply(&plain[span]));
            assert_eq!(loaded(&before, &images), a);

            let after = saved(&before, &images, &b).unwrap();
            assert_eq!(loaded(&after, &images), b, "{before}\n{after}");
            assert_eq!(after.matches(EXTRAS).count(), before.matches(EXTRAS).count(), "{after}");
            // And back; only the order of members may have changed.
            let back = saved(&after, &images, &a).unwrap();
            assert_eq!(loaded(&back, &images), a);
        }
    }

    #[test]
    fn a_new_material_says_only_what_is_not_the_default() {
        let images = images();
        assert_eq!(new(&Material::default(), &images), "{}");
        let red = Material::from_color(Vec4::new(1.0, 0.0, 0.25, 1.0)).named("red");
        assert_eq!(
            new(&red, &images),
            concat!(
                r#"{"name":"red","pbrMetallicRoughness":"#,
                r#"{"baseColorFactor":[1,0,0.25,1],"metallicFactor":0}}"#
            )
        );
        let glass = Material {
            unlit: true,
            ior: 1.4,
            base_color_texture: Some(TextureRef::new(images[0].clone())),
            transmission: Some(Box::new(Transmission { factor: 1.0, texture: None })),
            volume: Some(Box::default()),
            ..Material::default()
        };
        assert_eq!(
            new(&glass, &images),
            concat!(
                r#"{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}},"extensions":{"#,
                r#""KHR_materials_unlit":{},"KHR_materials_ior":{"ior":1.4},"#,
                r#""KHR_materials_transmission":{"transmissionFactor":1},"#,
                r#""KHR_materials_volume":{"thicknessFactor":0}}}"#
            )
        );
    }

    #[test]
    fn what_is_written_is_listed_as_used() {
        let (mut random, images) = (Random::seeded(), images());
        for _ in 0..200 {
            let material = random.material(&images);
            let root = Root::parse(FILE, Bounds::NONE).unwrap();
            let mut sheet = Sheet::new(&root, 0, 0);
            let mut textures = Textures::new(&root, &images);
            let made =
                patch(&Material::default(), &material, &mut sheet, &mut textures).unwrap().object();
            let textures = sheet.textures.write(None).unwrap_or_default();
            let named = |text: &str| -> Vec<String> {
                text.split('"')
                    .filter(|key| key.starts_with("KHR_") || key.starts_with("EXT_"))
                    .map(String::from)
                    .collect()
            };
            let mut expected = [named(&made), named(&textures)].concat();
            expected.sort();
            expected.dedup();
            assert_eq!(sheet.used.iter().copied().collect::<Vec<_>>(), expected, "{made}");
        }
    }

    #[test]
    fn one_member_changes_one_member() {
        let images = images();
        let file = FILE.replace(
            r#""textures""#,
            r#""materials":[ { "alphaCutoff" : 0.30, "normalTexture": {"texCoord":1.0, "x":2,
                "scale":5e-1, "index":0, "extensions":{"KHR_texture_transform":{"texCoord":2}}} } ],
            "textures""#,
        );
        let was = loaded(&file, &images);
        assert_eq!(was.normal_texture.as_ref().unwrap().uv_set, 2);

        let mut now = was.clone();
        now.normal_scale = 1.0;
        let expected = file.replace("\n                \"scale\":5e-1,", "");
        assert_eq!(saved(&file, &images, &now).unwrap(), expected);

        // The same image by another sampler.
        let mut now = was.clone();
        now.normal_texture.as_mut().unwrap().sampler.mag_filter = Some(MagFilter::Nearest);
        let expected = file.replace("\"index\":0", "\"index\":1");
        assert_eq!(saved(&file, &images, &now).unwrap(), expected);

        // Other coordinates: the transform has no word on it any more, but is still there.
        let mut now = was.clone();
        now.normal_texture.as_mut().unwrap().uv_set = 3;
        let moved = saved(&file, &images, &now).unwrap();
        assert!(moved.contains(r#"{"KHR_texture_transform":{"rotation":0}}"#), "{moved}");
        assert_eq!(loaded(&moved, &images), now);

        // The cutoff was another mode's, and is not taken for this one's.
        let now = Material { alpha_mode: AlphaMode::MASK, ..was.clone() };
        let file = saved(&file, &images, &now).unwrap();
        assert!(material_of(&file).ends_with(", \"alphaMode\": \"MASK\" }"), "{file}");
        assert_eq!(loaded(&file, &images), now);

        // Without the transform its set of coordinates is still the one.
        let mut now = was.clone();
        now.normal_texture.as_mut().unwrap().transform = None;
        let file = saved(&file, &images, &now).unwrap();
        assert!(file.contains("\"texCoord\":2, \"x\":2,"), "{file}");
        assert_eq!(loaded(&file, &images), now);
    }

    #[test]
    fn a_texture_replaces_one_that_showed_nothing() {
        let images = images();
        let file = FILE.replace(
            r#""textures""#,
            r#""materials":[{"emissiveTexture":{"index":3,"texCoord":4},"occlusionTexture":
            {"index":3,"strength":0.5},"extensions":{"KHR_materials_sheen":null}}],"textures""#,
        );
        let was = loaded(&file, &images);
        assert_eq!((&was.emissive_texture, was.occlusion_strength), (&None, 0.5));
        let texture = Some(TextureRef::new(images[0].clone()));
        let now = Material {
            emissive_texture: texture.clone(),
            occlusion_texture: texture,
            occlusion_strength: 1.0,
            sheen: Some(Box::default()),
            ..was
        };
        let file = saved(&file, &images, &now).unwrap();
        assert!(material_of(&file).starts_with(r#"{"emissiveTexture":{"index":0},"#), "{file}");
        assert_eq!(loaded(&file, &images), now);
    }

    #[test]
    fn a_number_that_json_does_not_have_is_refused() {
        let images = images();
        let broken = Material { roughness: f32::NAN, ..Material::default() }.named("rust");
        let error = saved(FILE, &images, &broken).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unwritable);
        assert_eq!(
            error.to_string(),
            "material \"rust\": pbrMetallicRoughness/roughnessFactor is NaN, \
             and JSON has finite numbers only"
        );
    }

    #[test]
    fn a_scale_without_its_texture_is_told() {
        let root = Root::parse(FILE, Bounds::NONE).unwrap();
        let mut sheet = Sheet::new(&root, 0, 0);
        let mut textures = Textures::new(&root, &[]);
        let clearcoat = Clearcoat { normal_scale: 3.0, ..Clearcoat::default() };
        let material = Material {
            normal_scale: 2.0,
            clearcoat: Some(Box::new(clearcoat)),
            ..Material::default()
        };
        let made = patch(&Material::default(), &material, &mut sheet, &mut textures).unwrap();
        assert_eq!(
            made.object(),
            r#"{"extensions":{"KHR_materials_clearcoat":{"clearcoatFactor":0}}}"#
        );
        assert_eq!(
            sheet.report.to_string(),
            "a material: normal_scale 2 is not written, as it has no texture\n\
             a material: clearcoat.normal_scale 3 is not written, as it has no texture\n"
        );
    }
}
