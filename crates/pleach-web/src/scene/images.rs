//! Images: bytes that the browser decodes, pixels, or a URI.

use pleach::material::{Image, ImageData};
use wasm_bindgen::prelude::*;

use super::assets::{create, find};
use crate::fault::Fault;

/// Creates an image from encoded bytes, and returns its id.
#[wasm_bindgen]
pub fn image_from_encoded(mime: &str, bytes: Vec<u8>) -> f64 {
    create(Image::from_encoded(mime, bytes))
}

/// Creates an image from pixels of 4 bytes, and returns its id.
#[wasm_bindgen]
pub fn image_from_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Result<f64, JsValue> {
    Ok(create(Image::from_rgba8(width, height, pixels).map_err(Fault::from)?))
}

/// Creates an image from a URI, and returns its id.
#[wasm_bindgen]
pub fn image_from_uri(uri: &str) -> f64 {
    create(Image::from_uri(uri))
}

/// Returns the MIME type of an image; an empty one for pixels and URIs.
#[wasm_bindgen]
pub fn image_mime(id: f64) -> Result<String, JsValue> {
    Ok(match &find::<Image>(id)?.get().data {
        ImageData::Encoded { mime, .. } => mime.clone(),
        _ => String::new(),
    })
}

/// Returns the URI of an image that was not loaded, or an empty string.
#[wasm_bindgen]
pub fn image_uri(id: f64) -> Result<String, JsValue> {
    Ok(match &find::<Image>(id)?.get().data {
        ImageData::External { uri } => uri.clone(),
        _ => String::new(),
    })
}

/// Returns the encoded bytes of an image, or its pixels.
#[wasm_bindgen]
pub fn image_bytes(id: f64) -> Result<Vec<u8>, JsValue> {
    Ok(match &find::<Image>(id)?.get().data {
        ImageData::Encoded { bytes, .. } => bytes.clone(),
        ImageData::Rgba8 { pixels, .. } => pixels.clone(),
        _ => Vec::new(),
    })
}

/// Returns width and height of an image of pixels; nothing for others.
#[wasm_bindgen]
pub fn image_size(id: f64) -> Result<Vec<u32>, JsValue> {
    Ok(match &find::<Image>(id)?.get().data {
        ImageData::Rgba8 { width, height, .. } | ImageData::RgbF32 { width, height, .. } => {
            vec![*width, *height]
        }
        _ => Vec::new(),
    })
}

/// Replaces the data of an image by encoded bytes.
#[wasm_bindgen]
pub fn image_set_encoded(id: f64, mime: &str, bytes: Vec<u8>) -> Result<(), JsValue> {
    let data = ImageData::Encoded { mime: mime.to_owned(), bytes };
    find::<Image>(id)?.edit(|image| image.data = data);
    Ok(())
}
