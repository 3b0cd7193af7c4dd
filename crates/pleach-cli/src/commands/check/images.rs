//! Images: are they what they say, can they be decoded, how large are they?

use pleach::{Image, ImageData};
use pleach_gltf::Warning;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::context::Survey;
use super::finding::{Findings, Rule, Severity::*};
use crate::input::image_header;
use crate::input::raw_json::list;
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
    message: "an image is of another kind than the file says",
    advice: "Correct its mimeType: stricter readers believe it.",
};
const FOR_GPUS: Rule = Rule {
    severity: Hint,
    code: "gpu-image",
    message: "an image is for GPUs, and is not decoded here",
    advice: "It is kept as it is; pictures drawn here show the material without it.",
};
const LARGE: Rule = Rule {
    severity: Hint,
    code: "large-image",
    message: "an image is larger than 4096 pixels",
    advice: "Older GPUs do not take it, and it takes much memory; make it smaller.",
};
const HUGE: Rule = Rule {
    severity: Warning,
    code: "huge-image",
    message: "an image is larger than 8192 pixels",
    advice: "Many GPUs do not take it; make it smaller.",
};
const ODD_SIZE: Rule = Rule {
    severity: Hint,
    code: "image-size",
    message: "width or height of an image is not a power of two",
    advice: "Some engines resize such textures when they load them.",
};
const TWICE: Rule = Rule {
    severity: Warning,
    code: "image-source",
    message: "an image has both a uri and a bufferView: each program takes the one it likes",
    advice: "Take one of them out; here the uri is taken.",
};
const NOT_TRIED: Rule = Rule {
    severity: Hint,
    code: "image-not-decoded",
    message: "there are so many large images that this one was not decoded",
    advice: "Make images smaller, or fewer.",
};

/// So many pixels are decoded in all: 128 images of 4096 × 4096.
const MOST_PIXELS: u64 = 1 << 31;

/// Where an image is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Places {
    uri: Option<IgnoredAny>,
    buffer_view: Option<IgnoredAny>,
}

impl Places {
    fn is_twice(&self) -> bool {
        self.uri.is_some() && self.buffer_view.is_some()
    }
}

pub(super) fn look(survey: &Survey<'_>, findings: &mut Findings) {
    let images = survey.document.images();
    let bar = Progress::new("decoding images", images.len() as u64);
    let mut left = MOST_PIXELS;
    let places: Vec<Places> = list(survey.document, "/images");
    for (index, _) in places.iter().enumerate().filter(|(_, it)| it.is_twice()) {
        findings.add(&TWICE, format!("/images/{index}"));
    }
    let warnings = survey.document.report().warnings();
    for (index, image) in images.iter().enumerate() {
        let pointer = format!("/images/{index}");
        let is_told = |warning: &Warning| {
            warning
                .pointer
                .strip_prefix(&*pointer)
                .is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        // The loader has told why there is nothing to look at.
        if !warnings.iter().any(is_told) {
            look_at(image, &pointer, &mut left, findings);
        }
        bar.set(index as u64 + 1);
    }
}

/// Looks at an image, and decodes it if so many pixels are left for it.
fn look_at(image: &Image, pointer: &str, left: &mut u64, findings: &mut Findings) {
    let ImageData::Encoded { mime, bytes } = &image.data else {
        // A file that is not there.
        return;
    };
    if bytes.is_empty() {
        findings.add_note(&BROKEN, pointer, "it has no bytes");
        return;
    }
    let header = image_header::header(bytes);
    if let Some(header) = header.filter(|header| header.mime != mime) {
        let note = format!("{}, not {mime}", header.mime);
        findings.add_note(&MIME, format!("{pointer}/mimeType"), note);
    }
    let size = header.and_then(|header| header.size);
    let pixels = size.map_or(0, |(width, height)| u64::from(width) * u64::from(height));
    if header.is_some_and(|header| header.mime == "image/ktx2") {
        findings.add(&FOR_GPUS, pointer);
    } else if pixels > *left {
        findings.add(&NOT_TRIED, pointer);
    } else {
        *left -= pixels;
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
        findings.add_note(&ODD_SIZE, pointer, note);
    }
}

fn decode(image: &Image, pointer: &str, findings: &mut Findings) {
    let Err(error) = pleach_gltf::decode(image) else { return };
    // Without which image it is: the pointer tells.
    findings.add_note(&BROKEN, pointer, error.reason());
}
