//! Checks the type, content and size of images.

use pleach::{Image, ImageData};

use super::context::Context;
use super::finding::Findings;
use super::rule::Rule;
use crate::load::report_progress;
use crate::{Options, Stage, Warning};

/// The maximum number of pixels to decode: 128 images of 4096 × 4096.
#[cfg(feature = "images")]
const MAX_DECODED_PIXELS: u64 = 1 << 31;

pub(super) fn check(context: &Context<'_>, options: &Options, findings: &mut Findings) {
    let images = context.document.images();
    for (index, image) in context.root.images.iter().enumerate() {
        if image.uri.is_some() && image.buffer_view.is_some() {
            findings.add(Rule::ImageSource, format!("/images/{index}"));
        }
        if image.buffer_view.is_some() && image.mime_type.is_none() {
            let note = "an image in a buffer view needs \"mimeType\"";
            findings.add_note(Rule::MissingMember, format!("/images/{index}"), note);
        }
    }
    #[cfg(feature = "images")]
    let mut budget = MAX_DECODED_PIXELS;
    let warnings = context.document.report().warnings();
    for (index, image) in images.iter().enumerate() {
        let pointer = format!("/images/{index}");
        let is_reported = |warning: &Warning| {
            warning
                .pointer
                .strip_prefix(&*pointer)
                .is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        if report_progress(options, Stage::Images, index, images.len()).is_err() {
            return;
        }
        // The loader has already reported why there is no image.
        if warnings.iter().any(is_reported) {
            continue;
        }
        check_type(&image.get(), &pointer, findings);
        #[cfg(feature = "images")]
        check_content(&image.get(), &pointer, &mut budget, findings);
    }
}

fn check_type(image: &Image, pointer: &str, findings: &mut Findings) {
    let ImageData::Encoded { mime, bytes } = &image.data else { return };
    if bytes.is_empty() {
        findings.add_note(Rule::BrokenImage, pointer, "it is empty");
        return;
    }
    let found = crate::files::sniff_mime_type(bytes);
    if let Some(found) = found.filter(|found| found != mime) {
        let note = format!("{found}, not {mime}");
        findings.add_note(Rule::ImageMimeType, format!("{pointer}/mimeType"), note);
    }
}

/// Checks the size of an image, and decodes it if it fits into the pixel budget. Valid formats that
/// are not decoded are not examined.
#[cfg(feature = "images")]
fn check_content(image: &Image, pointer: &str, budget: &mut u64, findings: &mut Findings) {
    // Otherwise the file is missing.
    let ImageData::Encoded { bytes, .. } = &image.data else { return };
    let size = crate::image_size(bytes);
    let pixels = size.map_or(0, |(width, height)| u64::from(width) * u64::from(height));
    let mime_type = crate::files::sniff_mime_type(bytes);
    let is_undecoded = mime_type == Some("image/avif")
        || cfg!(not(feature = "ktx2")) && mime_type == Some("image/ktx2");
    if pixels > *budget {
        findings.add(Rule::ImageNotDecoded, pointer);
    } else if !bytes.is_empty() && !is_undecoded {
        *budget -= pixels;
        if let Err(error) = crate::decode(image) {
            // The pointer identifies the image, so only the reason is added.
            findings.add_note(Rule::BrokenImage, pointer, error.reason());
        }
    }
    let Some((width, height)) = size else { return };
    let note = format!("{width} × {height} pixels");
    match width.max(height) {
        8193.. => findings.add_note(Rule::HugeImage, pointer, note.clone()),
        4097.. => findings.add_note(Rule::LargeImage, pointer, note.clone()),
        _ => {}
    }
    if !width.is_power_of_two() || !height.is_power_of_two() {
        findings.add_note(Rule::ImageSize, pointer, note);
    }
}
