//! Checks the types of the images that textures use, and those of data URIs.

use std::borrow::Cow;

use pleach::ImageData;

use super::context::Context;
use super::finding::Findings;
use super::rule::Rule;
use crate::files::sniff_mime_type;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let root = &context.root;
    for (index, texture) in root.textures.iter().enumerate() {
        let pointer = format!("/textures/{index}");
        let extensions = texture.extensions.as_ref();
        let webp = extensions.and_then(|it| it.webp.as_ref()?.source);
        let basisu = extensions.and_then(|it| it.basisu.as_ref()?.source);
        let avif = extensions.and_then(|it| it.avif.as_ref()?.source);
        let sources = [
            (texture.source, "/source", &["image/png", "image/jpeg"][..]),
            (webp, "/extensions/EXT_texture_webp/source", &["image/webp"]),
            (basisu, "/extensions/KHR_texture_basisu/source", &["image/ktx2"]),
            (avif, "/extensions/EXT_texture_avif/source", &["image/avif"]),
        ];
        for (source, end, allowed) in sources {
            let mime = source.and_then(|image| mime_type(context, image.index()));
            if let Some(mime) = mime.filter(|mime| !allowed.contains(&&**mime)) {
                findings.add_note(Rule::TextureImageType, format!("{pointer}{end}"), mime);
            }
        }
    }
    for (index, buffer) in root.buffers.iter().enumerate() {
        let media_type = buffer.uri.as_deref().and_then(|uri| {
            let (head, _) = uri.strip_prefix("data:")?.split_once(',')?;
            head.split(';').next()
        });
        let is_allowed =
            |it: &str| matches!(it, "application/octet-stream" | "application/gltf-buffer");
        if let Some(found) = media_type.filter(|it| !is_allowed(it)) {
            let found: String = found.chars().take(60).collect();
            findings.add_note(
                Rule::BufferType,
                format!("/buffers/{index}/uri"),
                format!("{found:?}"),
            );
        }
    }
}

/// Returns the stated type of an image, or else that of its content.
fn mime_type<'a>(context: &'a Context<'_>, image: usize) -> Option<Cow<'a, str>> {
    let stated = context.root.images.get(image)?.mime_type.as_deref();
    if let Some(stated) = stated {
        return Some(Cow::Borrowed(stated));
    }
    match &context.document.images.get(image)?.get().data {
        ImageData::Encoded { bytes, .. } => sniff_mime_type(bytes).map(Cow::Borrowed),
        _ => None,
    }
}
