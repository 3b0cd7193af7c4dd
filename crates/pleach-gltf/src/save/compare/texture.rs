//! `Textures`: finds the texture of the file with an image and a sampler, or adds one.
//!
//! NoFiles is added twice: one image per handle, one sampler per value, one texture per pair.
//! Entries of the file are used first; only the entry of an image that was edited is changed.

use std::collections::HashMap;

use pleach::{AssetId, Handle, Image, ImageData, MagFilter, MinFilter, Sampler, TextureRef, Wrap};

use super::super::output::json_edit::{JsonEdit, quoted};
use super::super::output::output_document::OutputDocument;
use crate::diagnostics::Pointer;
use crate::document::loaded::is_edited;
use crate::files::sniff_mime_type;
use crate::json::Root;
use crate::load::material::{preferred_image, sampler};
use crate::save::SaveContext;
use crate::{Document, Error, ErrorKind, WarningCode};

/// The indices of textures, samplers and images, by value.
#[derive(Debug)]
pub(crate) struct Textures {
    textures: HashMap<(AssetId, Sampler), usize>,
    samplers: HashMap<Sampler, usize>,
    images: HashMap<AssetId, usize>,
}

impl Textures {
    /// Collects the entries of the file. `images` are the handles of the file's images, in order.
    pub(crate) fn new(root: &Root<'_>, images: &[Handle<Image>]) -> Self {
        let mut all =
            Self { textures: HashMap::new(), samplers: HashMap::new(), images: HashMap::new() };
        for (index, image) in images.iter().enumerate() {
            all.images.entry(image.id()).or_insert(index);
        }
        for (index, json) in root.samplers.iter().enumerate() {
            all.samplers.entry(sampler(json)).or_insert(index);
        }
        for (index, texture) in root.textures.iter().enumerate() {
            let image = preferred_image(texture).and_then(|(image, _)| images.get(image.index()));
            let sampler = match texture.sampler {
                Some(index) => root.samplers.get(index.index()).map(sampler),
                None => Some(Sampler::default()),
            };
            if let (Some(image), Some(sampler)) = (image, sampler) {
                all.textures.entry((image.id(), sampler)).or_insert(index);
            }
        }
        all
    }

    /// Returns the index of a texture with this image and sampler, and adds it if there is none.
    pub(crate) fn index(
        &mut self,
        texture: &TextureRef,
        output: &mut OutputDocument<'_>,
    ) -> Result<usize, Error> {
        let key = (texture.image.id(), texture.sampler);
        if let Some(&index) = self.textures.get(&key) {
            return Ok(index);
        }
        let mut entry = JsonEdit::new();
        if texture.sampler != Sampler::default() {
            let index = self.sampler(texture.sampler, output);
            entry.set(&["sampler"], index.to_string());
        }
        let image = self.image(&texture.image, output)?.to_string();
        if is_radiance(&texture.image.get().data) {
            let message =
                "its image is a Radiance file, which glTF supports for environment maps only";
            output.report.warn(
                &Pointer::root("textures").index(output.textures.len()),
                WarningCode::UnsupportedImageType,
                message,
            );
        }
        match texture_extension(&texture.image.get().data) {
            Some(name) => {
                // There is no fallback image, so readers must support the extension.
                output.used.insert(name);
                output.required.insert(name);
                entry.set(&["extensions", name, "source"], image);
            }
            None => entry.set(&["source"], image),
        }
        let index = output.textures.add(entry.to_object());
        self.textures.insert(key, index);
        Ok(index)
    }

    fn sampler(&mut self, value: Sampler, output: &mut OutputDocument<'_>) -> usize {
        let add = || output.samplers.add(sampler_entry(value).to_object());
        *self.samplers.entry(value).or_insert_with(add)
    }

    /// Returns the index of an image, and adds it if it is not in the file.
    pub(crate) fn image(
        &mut self,
        image: &Handle<Image>,
        output: &mut OutputDocument<'_>,
    ) -> Result<usize, Error> {
        if let Some(&index) = self.images.get(&image.id()) {
            return Ok(index);
        }
        let entry = image_entry(&image.get(), output)?;
        let index = output.images.add(entry.to_object());
        self.images.insert(image.id(), index);
        Ok(index)
    }
}

impl SaveContext<'_> {
    /// Edits the entries of the file's images that were edited in place, and of their textures if
    /// these need another extension.
    pub(crate) fn write_edited_images(&mut self) -> Result<(), Error> {
        let Document { images, loaded, .. } = self.input.document;
        for (index, (image, loaded)) in images.iter().zip(&loaded.images).enumerate() {
            if is_edited(image, loaded) {
                self.write_edited_image(index, &image.get(), loaded)?;
            }
        }
        Ok(())
    }

    fn write_edited_image(&mut self, index: usize, now: &Image, was: &Image) -> Result<(), Error> {
        let output = &mut self.output;
        if now.data == was.data {
            let mut edit = JsonEdit::new();
            if now.name != was.name {
                edit.set_or_remove(&["name"], now.name.as_deref().map(quoted));
            }
            output.images.edit(index, edit);
            return Ok(());
        }
        let mut edit = image_entry(now, output)?;
        if now.name.is_none() {
            edit.remove(&["name"]);
        }
        if matches!(now.data, ImageData::External { .. }) {
            edit.remove(&["mimeType"]);
            edit.remove(&["bufferView"]);
        } else {
            edit.remove(&["uri"]);
        }
        output.images.edit(index, edit);
        output.replaced_images.insert(index);
        let extension = texture_extension(&now.data);
        for (number, texture) in self.input.root.textures.iter().enumerate() {
            let Some((_, before)) =
                preferred_image(texture).filter(|(image, _)| image.index() == index)
            else {
                continue;
            };
            if before == extension {
                continue;
            }
            let mut edit = JsonEdit::new();
            match before {
                Some(name) => edit.remove(&["extensions", name]),
                None => edit.remove(&["source"]),
            }
            match extension {
                Some(name) => {
                    output.used.insert(name);
                    if before.is_none() || texture.source.is_none() {
                        output.required.insert(name);
                    }
                    edit.set(&["extensions", name, "source"], index.to_string());
                }
                None => edit.set(&["source"], index.to_string()),
            }
            output.textures.edit(number, edit);
        }
        Ok(())
    }
}

fn image_entry(image: &Image, output: &mut OutputDocument<'_>) -> Result<JsonEdit, Error> {
    let mut entry = JsonEdit::new();
    if let Some(name) = &image.name {
        entry.set(&["name"], quoted(name));
    }
    match &image.data {
        ImageData::External { uri } => entry.set(&["uri"], quoted(uri)),
        ImageData::Encoded { mime, bytes } => {
            let known = sniff_mime_type(bytes);
            if bytes.is_empty() {
                return Err(unwritable(image, "it has no bytes"));
            }
            if known.is_none() && mime.is_empty() {
                let reason = "the image type is unknown; set it in `mime`";
                return Err(unwritable(image, reason));
            }
            if known.is_none() && !IMAGE_TYPES.contains(&mime.as_str()) && mime != RADIANCE {
                let message =
                    format!("an image has the type {mime:?}, which glTF does not support");
                output.report.warn(
                    &Pointer::root("images").index(output.images.len()),
                    WarningCode::UnsupportedImageType,
                    message,
                );
            }
            set_bytes(&mut entry, known.unwrap_or(mime), bytes, output);
        }
        ImageData::Rgba8 { .. } => set_bytes(&mut entry, "image/png", &to_png(image)?, output),
        ImageData::RgbF32 { .. } => {
            set_bytes(&mut entry, RADIANCE, &to_radiance(image)?, output);
        }
        _ => return Err(unwritable(image, "this kind of data is not supported")),
    }
    Ok(entry)
}

fn set_bytes(entry: &mut JsonEdit, mime: &str, bytes: &[u8], output: &mut OutputDocument<'_>) {
    let view = output.view(bytes, None, None);
    entry.set(&["mimeType"], quoted(mime));
    entry.set(&["bufferView"], view.to_string());
}

fn sampler_entry(sampler: Sampler) -> JsonEdit {
    let mut entry = JsonEdit::new();
    if let Some(filter) = sampler.mag_filter {
        let number = match filter {
            MagFilter::Nearest => "9728",
            MagFilter::Linear => "9729",
        };
        entry.set(&["magFilter"], number);
    }
    if let Some(filter) = sampler.min_filter {
        let number = match filter {
            MinFilter::Nearest => "9728",
            MinFilter::Linear => "9729",
            MinFilter::NearestMipmapNearest => "9984",
            MinFilter::LinearMipmapNearest => "9985",
            MinFilter::NearestMipmapLinear => "9986",
            MinFilter::LinearMipmapLinear => "9987",
        };
        entry.set(&["minFilter"], number);
    }
    for (key, wrap) in [("wrapS", sampler.wrap_u), ("wrapT", sampler.wrap_v)] {
        match wrap {
            Wrap::Repeat => {}
            Wrap::MirroredRepeat => entry.set(&[key], "33648"),
            Wrap::ClampToEdge => entry.set(&[key], "33071"),
        }
    }
    entry
}

const WEBP: &str = "image/webp";
const KTX2: &str = "image/ktx2";
const AVIF: &str = "image/avif";

/// Of images for environment maps.
const RADIANCE: &str = "image/vnd.radiance";

/// The image types of glTF and of the supported extensions.
const IMAGE_TYPES: [&str; 5] = ["image/png", "image/jpeg", WEBP, KTX2, AVIF];

/// Returns `true` if an image is written as a Radiance file.
fn is_radiance(data: &ImageData) -> bool {
    match data {
        ImageData::Encoded { mime, bytes } => sniff_mime_type(bytes).unwrap_or(mime) == RADIANCE,
        data => matches!(data, ImageData::RgbF32 { .. }),
    }
}

/// Returns the extension that a texture needs for this image, if any.
fn texture_extension(data: &ImageData) -> Option<&'static str> {
    let mime = match data {
        ImageData::Encoded { mime, bytes } => sniff_mime_type(bytes).unwrap_or(mime),
        ImageData::External { uri } => {
            let ends = |end: &str| {
                let start = uri.len().checked_sub(end.len()).and_then(|start| uri.get(start..));
                start.is_some_and(|start| start.eq_ignore_ascii_case(end))
            };
            if ends(".webp") {
                WEBP
            } else if ends(".ktx2") {
                KTX2
            } else if ends(".avif") {
                AVIF
            } else {
                ""
            }
        }
        // Written as PNG.
        _ => return None,
    };
    match mime {
        WEBP => Some("EXT_texture_webp"),
        KTX2 => Some("KHR_texture_basisu"),
        AVIF => Some("EXT_texture_avif"),
        _ => None,
    }
}

#[cfg(feature = "images")]
fn to_radiance(image: &Image) -> Result<Vec<u8>, Error> {
    crate::image_codec::to_radiance(image).map_err(|reason| unwritable(image, &reason))
}

#[cfg(not(feature = "images"))]
fn to_radiance(image: &Image) -> Result<Vec<u8>, Error> {
    let reason = "floating-point pixels are written as Radiance, which needs the feature `images`";
    Err(unwritable(image, reason))
}

#[cfg(feature = "images")]
fn to_png(image: &Image) -> Result<Vec<u8>, Error> {
    crate::image_codec::to_png(image).map_err(|reason| unwritable(image, &reason))
}

#[cfg(not(feature = "images"))]
fn to_png(image: &Image) -> Result<Vec<u8>, Error> {
    Err(unwritable(image, "pixels are written as PNG, which needs the feature `images`"))
}

fn unwritable(image: &Image, reason: &str) -> Error {
    let message = match &image.name {
        Some(name) => format!("image {name:?}: {reason}"),
        None => format!("an image: {reason}"),
    };
    Error::new(ErrorKind::Unwritable, &Pointer::ROOT, message)
}

#[cfg(test)]
mod tests {
    use pleach::Assets;

    use super::*;
    use crate::json::ParseLimits;

    const FILE: &str = r#"{"asset":{"version":"2.0"},"images":[{"uri":"a.png"}],
        "samplers":[{},{"wrapS":33071,"magFilter":9999}],
        "textures":[{},{"source":0,"sampler":1,"name":"x"},{"source":0}]}"#;

    fn written(output: &OutputDocument<'_>) -> [Option<String>; 3] {
        [&output.textures, &output.samplers, &output.images].map(|array| array.write(None))
    }

    #[test]
    fn entries_of_the_file_are_reused() {
        let (root, assets) = (Root::parse(FILE, ParseLimits::NONE).unwrap(), Assets::untracked());
        let mut image = assets.add(Image::from_uri("a.png"));
        let mut output = OutputDocument::new(&root, 0, 0);
        let mut textures = Textures::new(&root, std::slice::from_ref(&image));
        let clamped = Sampler { wrap_u: Wrap::ClampToEdge, ..Sampler::default() };
        let plain = TextureRef::new(image.clone()).with_uv_set(7);
        let other = plain.clone().with_sampler(clamped);
        assert_eq!(textures.index(&plain, &mut output).unwrap(), 2);
        assert_eq!(textures.index(&other, &mut output).unwrap(), 1);
        assert_eq!(written(&output), [None, None, None]);

        // An edited image is another image.
        image.make_unique().edit(|it| it.name = Some("b".into()));
        let changed = TextureRef::new(image).with_sampler(clamped);
        assert_eq!(textures.index(&changed, &mut output).unwrap(), 3);
        assert_eq!(
            written(&output),
            [
                Some(r#"[{"sampler":1,"source":1}]"#.into()),
                None,
                Some(r#"[{"name":"b","uri":"a.png"}]"#.into())
            ]
        );
    }

    #[test]
    fn nothing_is_added_twice() {
        let (root, assets) = (Root::default(), Assets::untracked());
        let mut output = OutputDocument::new(&root, 0, 0);
        let mut textures = Textures::new(&root, &[]);
        let bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        let plain = TextureRef::new(assets.add(Image::from_encoded("", bytes).named("wood")));
        let near = plain.clone().with_sampler(Sampler {
            mag_filter: Some(MagFilter::Nearest),
            min_filter: Some(MinFilter::LinearMipmapNearest),
            wrap_u: Wrap::Repeat,
            wrap_v: Wrap::MirroredRepeat,
        });
        for _ in 0..2 {
            assert_eq!(textures.index(&near, &mut output).unwrap(), 0);
            assert_eq!(textures.index(&plain, &mut output).unwrap(), 1);
        }
        assert_eq!(
            written(&output).map(Option::unwrap),
            [
                r#"[{"sampler":0,"source":0},{"source":0}]"#,
                r#"[{"magFilter":9728,"minFilter":9985,"wrapT":33648}]"#,
                r#"[{"name":"wood","mimeType":"image/png","bufferView":0}]"#,
            ]
        );
        assert_eq!(output.added, b"\x89PNG\r\n\x1a\n");
        assert!(output.used.is_empty() && output.report.is_empty());
    }

    #[test]
    fn webp_and_ktx2_use_extensions() {
        let (root, assets) = (Root::default(), Assets::untracked());
        let mut output = OutputDocument::new(&root, 0, 0);
        let mut textures = Textures::new(&root, &[]);
        let images = [
            Image::from_encoded("image/png", b"RIFF\0\0\0\0WEBP".to_vec()),
            Image::from_encoded("image/ktx2", vec![1]),
            Image::from_uri("Sky.WEBP"),
            Image::from_uri("é.p"),
        ];
        for image in images {
            textures.index(&TextureRef::new(assets.add(image)), &mut output).unwrap();
        }
        let [made, _, images] = written(&output);
        assert_eq!(
            made.unwrap(),
            concat!(
                r#"[{"extensions":{"EXT_texture_webp":{"source":0}}},"#,
                r#"{"extensions":{"KHR_texture_basisu":{"source":1}}},"#,
                r#"{"extensions":{"EXT_texture_webp":{"source":2}}},{"source":3}]"#
            )
        );
        assert!(images.unwrap().starts_with(r#"[{"mimeType":"image/webp","bufferView":0},"#));
        let names: Vec<_> = output.used.iter().copied().collect();
        assert_eq!(names, ["EXT_texture_webp", "KHR_texture_basisu"]);
        assert_eq!(output.used, output.required);
    }

    #[test]
    fn an_unsupported_image_type_is_reported() {
        let (root, assets) = (Root::default(), Assets::untracked());
        let mut output = OutputDocument::new(&root, 0, 0);
        let mut textures = Textures::new(&root, &[]);
        let mut add = |image| textures.index(&TextureRef::new(assets.add(image)), &mut output);
        let unknown = add(Image::from_encoded("", vec![1]).named("noise")).unwrap_err();
        assert_eq!(unknown.kind(), ErrorKind::Unwritable);
        assert_eq!(
            unknown.to_string(),
            "image \"noise\": the image type is unknown; set it in `mime`"
        );
        assert!(add(Image::from_encoded("image/png", vec![])).is_err());
        add(Image::from_encoded("image/gif", vec![1])).unwrap();
        assert_eq!(
            output.report.to_string(),
            "/images/0: an image has the type \"image/gif\", which glTF does not support\n"
        );
    }

    #[cfg(feature = "images")]
    #[test]
    fn pixels_are_written_as_png() {
        let (root, assets) = (Root::default(), Assets::untracked());
        let mut output = OutputDocument::new(&root, 0, 0);
        let mut textures = Textures::new(&root, &[]);
        let pixels = Image::from_rgba8(2, 1, vec![1, 2, 3, 4, 5, 6, 7, 8]).unwrap().named("two");
        let texture = TextureRef::new(assets.add(pixels.clone()));
        textures.index(&texture, &mut output).unwrap();
        let png = Image::from_encoded("image_codec/png", output.added.clone()).named("two");
        assert_eq!(crate::image_codec::decode(&png).unwrap(), pixels);

        let broken = ImageData::Rgba8 { width: 9, height: 9, pixels: vec![] };
        for data in [broken, ImageData::Rgba8 { width: 0, height: 0, pixels: vec![] }] {
            let broken = TextureRef::new(assets.add(Image { name: None, data }));
            let error = textures.index(&broken, &mut output).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unwritable, "{error}");
        }
    }

    #[cfg(not(feature = "images"))]
    #[test]
    fn pixels_need_a_feature() {
        let (root, assets) = (Root::default(), Assets::untracked());
        let mut output = OutputDocument::new(&root, 0, 0);
        let pixels = assets.add(Image::from_rgba8(1, 1, vec![0; 4]).unwrap());
        let error = Textures::new(&root, &[]).index(&TextureRef::new(pixels), &mut output);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Unwritable);
    }
}
