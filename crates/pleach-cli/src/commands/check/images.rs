//! Checks the type, content and size of images.

use pleach::{Image, ImageData};
use pleach_gltf::Warning;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::context::Context;
use super::finding::{Findings, Rule, Severity::*};
use crate::input::image_header;
use crate::input::raw_json::array;
use crate::report::progress::Progress;

const BROKEN: Rule = Rule {
    severity: Error,
    code: "broken-image",
    message: "an image cannot be decoded",
    advice: "Save it again as PNG or JPEG.",
};
const MIME: Rule = Rule {
    severity: Warning,
    code: "image-mime-type",
    message: "the mimeType of an image does not match its content",
    advice: "Correct its mimeType: stricter loaders rely on it.",
};
const LARGE: Rule = Rule {
    severity: Hint,
    code: "large-image",
    message: "an image is larger than 4096 pixels",
    advice: "Older GPUs do not support it and it uses much memory; reduce its size.",
};
const HUGE: Rule = Rule {
    severity: Warning,
    code: "huge-image",
    message: "an image is larger than 8192 pixels",
    advice: "Many GPUs do not support it; reduce its size.",
};
const NOT_POWER_OF_TWO: Rule = Rule {
    severity: Hint,
    code: "image-size",
    message: "the width or height of an image is not a power of two",
    advice: "Some engines resize such textures when they load them.",
};
const AMBIGUOUS_SOURCE: Rule = Rule {
    severity: Warning,
    code: "image-source",
    message: "an image has both a uri and a bufferView: programs differ in which they use",
    advice: "Remove one of them; pleach uses the uri.",
};
const NOT_DECODED: Rule = Rule {
    severity: Hint,
    code: "image-not-decoded",
    message: "an image was not decoded: the total size of the images exceeds the limit",
    advice: "Reduce the size or number of the images.",
};

/// The maximum number of pixels to decode: 128 images of 4096 × 4096.
const MAX_DECODED_PIXELS: u64 = 1 << 31;

/// The source of an image.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImageSource {
    uri: Option<IgnoredAny>,
    buffer_view: Option<IgnoredAny>,
}

impl ImageSource {
    fn is_ambiguous(&self) -> bool {
        self.uri.is_some() && self.buffer_view.is_some()
    }
}

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let images = context.document.images();
    let bar = Progress::new("decoding images", images.len() as u64);
    let mut budget = MAX_DECODED_PIXELS;
    let sources: Vec<ImageSource> = array(context.document, "/images");
    for (index, _) in sources.iter().enumerate().filter(|(_, it)| it.is_ambiguous()) {
        findings.add(&AMBIGUOUS_SOURCE, format!("/images/{index}"));
    }
    let warnings = context.document.report().warnings();
    for (index, image) in images.iter().enumerate() {
        let pointer = format!("/images/{index}");
        let is_reported = |warning: &Warning| {
            warning
                .pointer
                .strip_prefix(&*pointer)
                .is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        // The loader has already reported why there is no image.
        if !warnings.iter().any(is_reported) {
            check_image(image, &pointer, &mut budget, findings);
        }
        bar.set(index as u64 + 1);
    }
}

/// Checks an image and decodes it if it fits into the pixel budget.
fn check_image(image: &Image, pointer: &str, budget: &mut u64, findings: &mut Findings) {
    let ImageData::Encoded { mime, bytes } = &image.data else {
        // The file is missing.
        return;
    };
    if bytes.is_empty() {
        findings.add_note(&BROKEN, pointer, "it is empty");
        return;
    }
    let header = image_header::header(bytes);
    if let Some(header) = header.filter(|header| header.mime != mime) {
        let note = format!("{}, not {mime}", header.mime);
        findings.add_note(&MIME, format!("{pointer}/mimeType"), note);
    }
    let size = header.and_then(|header| header.size);
    let pixels = size.map_or(0, |(width, height)| u64::from(width) * u64::from(height));
    if pixels > *budget {
        findings.add(&NOT_DECODED, pointer);
    } else {
        *budget -= pixels;
        decode(image, pointer, findings);
    }
    let Some((width, height)) = size else { return };
    let note = format!("{width} × {height} pixels");
    match width.max(height) {
        8193.. => findings.add_note(&HUGE, pointer, note.clone()),
        4097.. => findings.add_note(&LARGE, pointer, note.clone()),
        _ => {}
    }
    if !width.is_power_of_two() || !height.is_power_of_two() {
        findings.add_note(&NOT_POWER_OF_TWO, pointer, note);
    }
}

fn decode(image: &Image, pointer: &str, findings: &mut Findings) {
    let Err(error) = pleach_gltf::decode(image) else { return };
    // The pointer identifies the image, so only the reason is added.
    findings.add_note(&BROKEN, pointer, error.reason());
}
