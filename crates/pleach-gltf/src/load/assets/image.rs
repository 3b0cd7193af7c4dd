//! Images: reads image files without decoding them.

use pleach::{Handle, Image, ImageData};

use crate::diagnostics::{Pointer, Result};
use crate::files::OutsideDirectory;
use crate::files::sniff_mime_type;
use crate::files::uri::Uri;
use crate::json::check_index;
use crate::load::data::buffers;
use crate::load::{Data, Load};
use crate::{Error, ErrorKind, Stage, WarningCode};

/// Loads all images.
pub(crate) fn images(load: &mut Load<'_>, data: &Data<'_>) -> Result<Vec<Handle<Image>>> {
    let root = load.root;
    let mut images = Vec::with_capacity(root.images.len());
    for (index, image) in root.images.iter().enumerate() {
        load.progress(Stage::Images, index, root.images.len())?;
        let at = Pointer::entry("images", index);
        let mime = image.mime_type.as_deref();
        let content = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => read_image(load, uri, mime, &at.key("uri"))?,
            (None, Some(view)) => {
                let at = at.key("bufferView");
                let view = check_index(view, data.views.len(), "buffer view", &at)?;
                let bytes = data.views[view].bytes.as_deref().unwrap_or_default();
                load.budget.take(&at, bytes.len(), 1)?;
                encoded(mime, bytes)
            }
            (None, None) => {
                let message = "the image has neither `uri` nor `bufferView`; it is empty";
                load.tolerate(&at, WarningCode::ImageWithoutSource, message)?;
                encoded(mime, &[])
            }
        };
        let name = image.name.as_ref().map(|name| name.to_string());
        images.push(load.assets.add(Image { name, data: content }));
    }
    Ok(images)
}

/// Returns the warning code for an image that could not be read.
fn unreadable_code(error: &Error) -> WarningCode {
    let source = std::error::Error::source(error);
    let io = source.and_then(|it| it.downcast_ref::<std::io::Error>());
    match io {
        Some(io) if io.get_ref().is_some_and(|it| it.is::<OutsideDirectory>()) => {
            WarningCode::ImageOutsideDirectory
        }
        None if error.kind() == ErrorKind::Limit => WarningCode::ImageMemoryLimit,
        _ => WarningCode::ImageUnreadable,
    }
}

/// Reads the image file of a URI. An unreadable file is a warning, so that the rest can be shown.
fn read_image(
    load: &mut Load<'_>,
    uri: &str,
    mime: Option<&str>,
    at: &Pointer<'_>,
) -> Result<ImageData> {
    let data_mime = match Uri::parse(uri) {
        Ok(Uri::Data { mime, .. }) => Some(mime.to_string()),
        Ok(Uri::File(_)) if load.options.skip_images => {
            return Ok(ImageData::External { uri: uri.into() });
        }
        _ => None,
    };
    match buffers::read_uri(load, uri, at) {
        Ok((bytes, _)) => {
            load.budget.take(at, bytes.len(), 1)?;
            Ok(encoded(mime.or(data_mime.as_deref()), &bytes))
        }
        Err(error) => {
            let code = unreadable_code(&error);
            load.tolerate(at, code, error.message())?;
            Ok(ImageData::External { uri: uri.into() })
        }
    }
}

/// Creates an encoded image. Without a MIME type, detects the format by the first bytes.
fn encoded(mime: Option<&str>, bytes: &[u8]) -> ImageData {
    let sniffed = sniff_mime_type(bytes).unwrap_or("application/octet-stream");
    let mime = mime.filter(|mime| !mime.is_empty()).unwrap_or(sniffed);
    ImageData::Encoded { mime: mime.into(), bytes: bytes.to_vec() }
}
