//! `TextureCache`: the decoded textures of a scene, kept from picture to picture.
//!
//! The key is the image's id, which is never reused for another image, its version, and whether it
//! contains sRGB colours: their mip levels are computed in linear light.
//!
//! Invariant: after `load`, every texture that the materials of this picture need is present or has
//! failed, and nothing else is kept. Each failure is reported once.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use pleach::{AssetId, Handle, Image, ImageData, Material, TextureRef};

use crate::prepare::texture::Texture;
use crate::threads;

/// Decodes an encoded image.
pub(crate) type Decode = dyn Fn(&Image) -> Result<Image, String> + Send + Sync;

/// The image and its version, and whether it contains sRGB colours.
type Key = (AssetId, u64, bool);

#[derive(Default)]
pub(crate) struct TextureCache {
    pub(crate) decode: Option<Box<Decode>>,
    /// `None` if the image could not be decoded.
    textures: HashMap<Key, Option<Arc<Texture>>>,
    warned_images: HashSet<(AssetId, u64)>,
    pub(crate) warnings: Vec<String>,
}

impl TextureCache {
    /// Decodes the images of these materials that are not yet present, on all threads.
    pub(crate) fn load<'a>(&mut self, materials: impl Iterator<Item = &'a Material>) {
        let mut needed: Vec<(Key, &Handle<Image>)> = Vec::new();
        let mut seen = HashSet::new();
        for (texture, is_srgb) in materials.flat_map(textures) {
            let key = (texture.image.id(), texture.image.version(), is_srgb);
            if seen.insert(key) {
                needed.push((key, &texture.image));
            }
        }
        self.textures.retain(|key, _| seen.contains(key));
        needed.retain(|(key, _)| !self.textures.contains_key(key));
        let decode = self.decode.as_deref();
        let loaded =
            threads::map(&needed, |&(key, image)| (key, load_texture(&image.get(), key.2, decode)));
        for ((key, loaded), (_, image)) in loaded.into_iter().zip(needed) {
            let texture = match loaded {
                Ok(texture) => Some(Arc::new(texture)),
                Err(cause) => {
                    if self.warned_images.insert((key.0, key.1)) {
                        self.warnings.push(format!("{} is ignored: {cause}", describe(image)));
                    }
                    None
                }
            };
            self.textures.insert(key, texture);
        }
    }

    /// Adds a warning unless it was already reported.
    pub(crate) fn warn_once(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(crate) fn get(&self, image: &Handle<Image>, is_srgb: bool) -> Option<Arc<Texture>> {
        self.textures.get(&(image.id(), image.version(), is_srgb)).cloned().flatten()
    }
}

/// Returns the textures of a material, and whether they contain sRGB colours.
///
/// Of some only alpha is read, which is linear in both cases: they count as sRGB, because files
/// store them in the same image as a colour.
fn textures(material: &Material) -> impl Iterator<Item = (&TextureRef, bool)> {
    let own = [
        (&material.base_color_texture, true),
        (&material.emissive_texture, true),
        (&material.metallic_roughness_texture, false),
        (&material.normal_texture, false),
        (&material.occlusion_texture, false),
    ];
    let extended = [
        material.clearcoat.as_ref().map(|it| {
            vec![(&it.texture, false), (&it.roughness_texture, false), (&it.normal_texture, false)]
        }),
        material
            .sheen
            .as_ref()
            .map(|it| vec![(&it.color_texture, true), (&it.roughness_texture, true)]),
        material.specular.as_ref().map(|it| vec![(&it.texture, true), (&it.color_texture, true)]),
        material.transmission.as_ref().map(|it| vec![(&it.texture, false)]),
        material
            .diffuse_transmission
            .as_ref()
            .map(|it| vec![(&it.texture, true), (&it.color_texture, true)]),
        material.volume.as_ref().map(|it| vec![(&it.thickness_texture, false)]),
        material
            .iridescence
            .as_ref()
            .map(|it| vec![(&it.texture, false), (&it.thickness_texture, false)]),
        material.anisotropy.as_ref().map(|it| vec![(&it.texture, false)]),
    ];
    let all = own.into_iter().chain(extended.into_iter().flatten().flatten());
    all.filter_map(|(it, is_srgb)| Some((it.as_ref()?, is_srgb)))
}

fn load_texture(image: &Image, is_srgb: bool, decode: Option<&Decode>) -> Result<Texture, String> {
    let decoded;
    let data = match (&image.data, decode) {
        (ImageData::Rgba8 { .. }, _) => &image.data,
        (ImageData::External { uri }, _) => return Err(format!("{uri:?} was not read")),
        (ImageData::Encoded { mime, .. }, None) => {
            return Err(format!("no decoder for {mime}; set one with `Renderer::with_decoder`"));
        }
        (ImageData::Encoded { .. }, Some(decode)) => {
            decoded = decode(image)?;
            &decoded.data
        }
        _ => return Err("this kind of image data is not supported".into()),
    };
    let ImageData::Rgba8 { width, height, pixels } = data else {
        return Err("the decoder returned no pixels".into());
    };
    let texture = Texture::new(*width, *height, pixels, is_srgb);
    texture.ok_or_else(|| {
        format!("{} bytes do not match {width} × {height} pixels of four bytes", pixels.len())
    })
}

fn describe(image: &Handle<Image>) -> String {
    match &image.get().name {
        Some(name) => format!("image {name:?}"),
        None => "an unnamed image".into(),
    }
}

impl fmt::Debug for TextureCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextureCache")
            .field("textures", &self.textures.len())
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}
