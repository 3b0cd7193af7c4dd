//! Decodes PNG, JPEG, WebP, KTX2 and Radiance images to pixels, and encodes pixels as PNG or Radiance.
//!
//! Files are untrusted: the format is detected by the first bytes, the size is checked
//! before memory is allocated, and a panic of a decoder becomes an error.
//!
//! As glTF requires, stored colours are used unchanged: gamma, colour profiles and EXIF orientation
//! are ignored.

use std::fmt::Display;
use std::io::Cursor;

use image::codecs::hdr::HdrEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, ImageError, ImageFormat, ImageReader, Limits, Rgb};
use pleach::{Handle, Image, ImageData};

use crate::diagnostics::Pointer;
use crate::load::check_available;
use crate::{Error, ErrorKind};

/// The maximum width and height in pixels.
const MAX_DIMENSION: u32 = 16_384;

/// The maximum memory for decoding one image, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The memory for decoding one pixel, in bytes: the planes of a decoder, its output, and RGBA; for
/// Radiance the output twice.
const PIXEL_BYTES: usize = 24;

/// Decodes a PNG, JPEG, WebP or (feature `ktx2`) KTX2 image to [`Rgba8`](ImageData::Rgba8), and a Radiance
/// image (`.hdr`) to [`RgbF32`](ImageData::RgbF32). An image of pixels is returned unchanged.
///
/// 16 bits are reduced to 8, grey is expanded to RGB, and missing alpha becomes 255.
///
/// ```
/// use pleach::Image;
///
/// let png = [
///     137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0,
///     0, 0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 104, 0, 0, 0, 130, 0,
///     129, 119, 205, 114, 182, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
/// ];
/// let grey = pleach_gltf::decode(&Image::from_encoded("image/png", png.to_vec()))?;
/// assert_eq!(grey, Image::from_rgba8(1, 1, vec![128, 128, 128, 255]).unwrap());
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
///
/// # Errors
///
/// - [`ErrorKind::Data`] if the image has another format or is invalid.
/// - [`ErrorKind::Limit`] if it is wider or higher than 16384 pixels, or decoding would
///   take more than 1 GiB.
/// - [`ErrorKind::OutOfMemory`] if the memory for its pixels is not available.
/// - [`ErrorKind::Uri`] if it is an external file that was not loaded.
pub fn decode(image: &Image) -> Result<Image, Error> {
    let decode_error = |kind, reason: &dyn Display| {
        let prefix = match &image.name {
            Some(name) => format!("image {name:?}: "),
            None => "an image: ".into(),
        };
        Error::new(kind, &Pointer::ROOT, reason.to_string()).with_prefix(&prefix)
    };
    let (mime, bytes) = match &image.data {
        ImageData::Encoded { mime, bytes } => (mime, bytes),
        ImageData::Rgba8 { .. } | ImageData::RgbF32 { .. } => {
            image
                .check()
                .map_err(|error| decode_error(ErrorKind::Data, &error).caused_by(error))?;
            return Ok(image.clone());
        }
        ImageData::External { uri } => {
            let uri = crate::files::uri::shortened(uri);
            let reason = format!("{uri} was not loaded; load the model with its images");
            return Err(decode_error(ErrorKind::Uri, &reason));
        }
        _ => return Err(decode_error(ErrorKind::Data, &"this kind of data is not supported")),
    };
    let size = image_size(bytes).filter(|&(width, height)| width.max(height) <= MAX_DIMENSION);
    if let Some((width, height)) = size {
        let pixels = width as usize * height as usize;
        if let Err(error) = check_available(pixels, PIXEL_BYTES, String::new) {
            return Err(decode_error(ErrorKind::OutOfMemory, &error.message()));
        }
    }
    #[cfg(feature = "ktx2")]
    if bytes.starts_with(crate::ktx2::IDENTIFIER) {
        let decoded = std::panic::catch_unwind(|| crate::ktx2::decode(bytes, MAX_DIMENSION));
        let panicked = (ErrorKind::Data, "the decoder panicked: the image is invalid".into());
        let data = decoded.unwrap_or(Err(panicked));
        let data = data.map_err(|(kind, reason)| decode_error(kind, &reason))?;
        return Ok(Image { name: image.name.clone(), data });
    }
    let format =
        image_format(mime, bytes).map_err(|reason| decode_error(ErrorKind::Data, &reason))?;
    match std::panic::catch_unwind(|| decode_pixels(format, bytes)) {
        Ok(Ok(data)) => Ok(Image { name: image.name.clone(), data }),
        Ok(Err(error @ ImageError::Limits(_))) => {
            let limit = format!("{MAX_DIMENSION} x {MAX_DIMENSION} pixels or {MAX_BYTES} bytes");
            let reason = format!("{error}; no more than {limit} are decoded");
            Err(decode_error(ErrorKind::Limit, &reason).caused_by(error))
        }
        Ok(Err(error)) => Err(decode_error(ErrorKind::Data, &error).caused_by(error)),
        Err(_) => Err(decode_error(ErrorKind::Data, &"the decoder panicked: the image is invalid")),
    }
}

/// Returns the width and height in pixels of an encoded image, from its header: PNG, JPEG, WebP or
/// KTX2.
///
/// ```
/// assert_eq!(pleach_gltf::image_size(b"not an image"), None);
/// ```
#[must_use]
pub fn image_size(bytes: &[u8]) -> Option<(u32, u32)> {
    if crate::files::sniff_mime_type(bytes) == Some("image/ktx2") {
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        return Some((number(20)?, number(24)?));
    }
    let read = || {
        let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
        reader.into_dimensions().ok()
    };
    std::panic::catch_unwind(read).ok().flatten()
}

/// [Decodes](decode) images, on the calling thread unless [asked](crate::with_threads) for more. The
/// results are in the order of the images.
///
/// ```
/// use pleach::{Assets, Image, ImageData};
///
/// let assets = Assets::new();
/// let red = assets.add(Image::from_rgba8(1, 1, vec![255, 0, 0, 255]).unwrap());
/// let noise = assets.add(Image::from_encoded("image/png", vec![1, 2, 3]).named("noise"));
///
/// let decoded = pleach_gltf::decode_all(&[red, noise]);
/// assert!(matches!(&decoded[0], Ok(image) if matches!(image.data, ImageData::Rgba8 { .. })));
/// assert!(decoded[1].as_ref().unwrap_err().to_string().starts_with("image \"noise\": "));
/// ```
#[must_use]
pub fn decode_all(images: &[Handle<Image>]) -> Vec<Result<Image, Error>> {
    crate::threads::map(images.iter().collect(), |image| decode(&image.get()))
}

/// Detects the format of a file by its first bytes, or else by its MIME type.
fn image_format(mime: &str, bytes: &[u8]) -> Result<ImageFormat, String> {
    let decoded = "only PNG, JPEG, WebP and Radiance are decoded";
    let sniffed = image::guess_format(bytes).ok();
    match sniffed.or_else(|| ImageFormat::from_mime_type(mime)) {
        Some(
            format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP | ImageFormat::Hdr),
        ) => Ok(format),
        Some(other) => Err(format!("it is {}; {decoded}", other.to_mime_type())),
        None if bytes.starts_with(b"\xabKTX 20\xbb") || mime == "image/ktx2" => {
            Err("it is KTX2, which is decoded with the feature `ktx2` only".into())
        }
        None if bytes.is_empty() => Err("it has no bytes".into()),
        None => Err(format!("the format {mime:?} is not supported; {decoded}")),
    }
}

fn decode_pixels(format: ImageFormat, bytes: &[u8]) -> Result<ImageData, ImageError> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_DIMENSION);
    limits.max_image_height = Some(MAX_DIMENSION);
    limits.max_alloc = Some(MAX_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let image = reader.decode()?;
    let (width, height) = (image.width(), image.height());
    if format == ImageFormat::Hdr {
        let numbers = image.into_rgb32f().into_raw();
        let pixels = numbers.as_chunks::<3>().0.to_vec();
        return Ok(ImageData::RgbF32 { width, height, pixels });
    }
    let image = image.into_rgba8();
    Ok(ImageData::Rgba8 { width, height, pixels: image.into_raw() })
}

/// Encodes floating-point pixels as a Radiance file, or returns the reason for which that fails. They
/// are rounded to eight bits with a common exponent per pixel.
pub(crate) fn to_radiance(image: &Image) -> Result<Vec<u8>, String> {
    image.check().map_err(|error| error.to_string())?;
    let ImageData::RgbF32 { width, height, pixels } = &image.data else {
        return Err("it has no floating-point pixels to write".into());
    };
    if pixels.is_empty() {
        return Err("it has no pixels".into());
    }
    let mut bytes = Vec::new();
    let pixels: Vec<Rgb<f32>> = pixels.iter().copied().map(Rgb).collect();
    HdrEncoder::new(&mut bytes)
        .encode(&pixels, *width as usize, *height as usize)
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Encodes pixels as a PNG file, or returns the reason for which that fails.
pub(crate) fn to_png(image: &Image) -> Result<Vec<u8>, String> {
    image.check().map_err(|error| error.to_string())?;
    let ImageData::Rgba8 { width, height, pixels } = &image.data else {
        return Err("it has no pixels to write".into());
    };
    let mut bytes = Vec::new();
    PngEncoder::new(&mut bytes)
        .write_image(pixels, *width, *height, ExtendedColorType::Rgba8)
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, GenericImageView, ImageBuffer};
    use pleach::Assets;
    use testkit::Rng;

    use super::*;

    fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn decoded(mime: &str, bytes: &[u8]) -> Result<(u32, u32, Vec<u8>), Error> {
        let image = decode(&Image::from_encoded(mime, bytes.to_vec()).named("x"))?;
        assert_eq!(image.name.as_deref(), Some("x"));
        assert_eq!(image.check(), Ok(()));
        let ImageData::Rgba8 { width, height, pixels } = image.data else { panic!("{image:?}") };
        Ok((width, height, pixels))
    }

    /// 3 x 2 pixels.
    fn picture() -> DynamicImage {
        let pixels = (0..24).map(|at| at * 10).collect();
        DynamicImage::ImageRgba8(ImageBuffer::from_raw(3, 2, pixels).unwrap())
    }

    #[test]
    fn all_pixel_formats_become_rgba8() {
        let rgba = picture();
        let kinds = [
            DynamicImage::ImageLuma8(rgba.to_luma8()),
            DynamicImage::ImageLumaA8(rgba.to_luma_alpha8()),
            DynamicImage::ImageRgb8(rgba.to_rgb8()),
            rgba.clone(),
            DynamicImage::ImageLuma16(rgba.to_luma16()),
            DynamicImage::ImageLumaA16(rgba.to_luma_alpha16()),
            DynamicImage::ImageRgb16(rgba.to_rgb16()),
            DynamicImage::ImageRgba16(rgba.to_rgba16()),
        ];
        for kind in kinds {
            let (width, height, pixels) = decoded("", &encoded(&kind, ImageFormat::Png)).unwrap();
            assert_eq!((width, height), (3, 2));
            for (at, pixel) in pixels.chunks(4).enumerate() {
                let [red, green, blue, alpha] = rgba.get_pixel(at as u32 % 3, at as u32 / 3).0;
                let alpha = if kind.color().has_alpha() { alpha } else { 255 };
                if kind.color().has_color() {
                    assert_eq!(pixel, [red, green, blue, alpha], "{:?}", kind.color());
                } else {
                    let grey = rgba.to_luma8().get_pixel(at as u32 % 3, at as u32 / 3).0[0];
                    // 16-bit grey is rounded differently from 8-bit grey.
                    assert!(pixel[0].abs_diff(grey) <= 1, "{:?}", kind.color());
                    assert_eq!(pixel, [pixel[0], pixel[0], pixel[0], alpha]);
                }
            }
        }
    }

    #[test]
    fn first_bytes_take_precedence_over_the_mime_type() {
        let webp = encoded(&picture(), ImageFormat::WebP);
        let (width, height, pixels) = decoded("image/jpeg", &webp).unwrap();
        assert_eq!((width, height, pixels), (3, 2, picture().to_rgba8().into_raw()));
        let white = DynamicImage::ImageLuma8(ImageBuffer::from_pixel(5, 4, image::Luma([255])));
        let jpeg = encoded(&white, ImageFormat::Jpeg);
        assert_eq!(decoded("image/png", &jpeg).unwrap(), (5, 4, vec![255; 80]));
    }

    #[test]
    fn images_that_cannot_be_decoded_return_an_error_with_the_reason() {
        let gif = Image::from_encoded("image/png", b"GIF89a".to_vec());
        let cases = [
            (Image::from_uri("wood.png"), ErrorKind::Uri, "was not loaded"),
            (gif.named("a"), ErrorKind::Data, "image \"a\": it is image/gif; only PNG, JPEG"),
            (Image::from_encoded("image/ktx2", vec![0]), ErrorKind::Data, "KTX2"),
            (Image::from_encoded("image/avif", vec![0]), ErrorKind::Data, "it is image/avif"),
            (Image::from_encoded("", vec![]), ErrorKind::Data, "it has no bytes"),
            (Image::from_encoded("x", vec![1]), ErrorKind::Data, "\"x\" is not supported"),
            (Image::from_encoded("image/png", vec![1]), ErrorKind::Data, "an image: "),
        ];
        for (image, kind, part) in cases {
            let error = decode(&image).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
        let broken = ImageData::Rgba8 { width: 9, height: 9, pixels: vec![0; 4] };
        assert!(decode(&Image { name: None, data: broken }).is_err());
    }

    #[test]
    fn an_oversized_image_is_rejected_before_memory_is_allocated() {
        // The width and height of a PNG, with the checksum of their chunk.
        let mut png = encoded(&picture(), ImageFormat::Png);
        for (width, height) in [(MAX_DIMENSION + 1, 1), (1, MAX_DIMENSION + 1), (u32::MAX >> 1, 9)]
        {
            png[16..20].copy_from_slice(&width.to_be_bytes());
            png[20..24].copy_from_slice(&height.to_be_bytes());
            let sum = crc(&png[12..29]);
            png[29..33].copy_from_slice(&sum.to_be_bytes());
            let error = decoded("image/png", &png).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        }
    }

    /// Computes the checksum of a PNG chunk.
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |sum, &byte| {
            (0..8).fold(sum ^ u32::from(byte), |sum, _| {
                if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
            })
        })
    }

    #[test]
    fn corrupt_files_do_not_panic() {
        let mut rng = Rng::new(20_240_607);
        let mut random = |end: usize| rng.below(end);
        let rgb = DynamicImage::ImageRgb8(picture().to_rgb8());
        let files = [
            encoded(&picture(), ImageFormat::Png),
            encoded(&rgb, ImageFormat::Jpeg),
            encoded(&picture(), ImageFormat::WebP),
        ];
        for round in 0..3000 {
            let mut bytes = files[round % 3].clone();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            bytes.truncate(bytes.len() - random(3) * random(bytes.len()) / 4);
            let _ = decoded("image/png", &bytes);
        }
    }

    #[test]
    fn sizes_are_read_from_headers() {
        let white = DynamicImage::ImageLuma8(ImageBuffer::from_pixel(300, 7, image::Luma([255])));
        let rgba = DynamicImage::ImageRgba8(white.to_rgba8());
        let ktx2 = include_bytes!("../tests/ktx2/etc1s.ktx2").to_vec();
        let files = [
            (encoded(&white, ImageFormat::Png), (300, 7)),
            (encoded(&white, ImageFormat::Jpeg), (300, 7)),
            (encoded(&rgba, ImageFormat::WebP), (300, 7)),
            (ktx2, (12, 8)),
        ];
        for (bytes, size) in &files {
            assert_eq!(image_size(bytes), Some(*size));
            // The header is enough, and a truncated header is not a size.
            for end in 0..bytes.len() {
                let found = image_size(&bytes[..end]);
                assert!(found.is_none_or(|found| found == *size), "{found:?} of {end} bytes");
                assert!(end > 16 || found.is_none(), "{end} bytes");
            }
        }
        for bytes in [&b""[..], b"not an image", b"GIF89a\x02\0\x02\0\0\0\0"] {
            assert_eq!(image_size(bytes), None);
        }
    }

    #[test]
    fn images_are_decoded_in_order() {
        let assets = Assets::untracked();
        let images: Vec<_> = (0..50u8)
            .map(|shade| {
                let image = Image::from_rgba8(1, 1, vec![shade; 4]).unwrap();
                assets.add(Image::from_encoded("image/png", to_png(&image).unwrap()))
            })
            .chain([assets.add(Image::from_uri("none"))])
            .collect();
        let all = crate::with_threads(Some(3), || decode_all(&images));
        assert_eq!(all.len(), 51);
        for (image, decoded) in images.iter().zip(&all).take(50) {
            assert_eq!(*decoded.as_ref().unwrap(), decode(&image.get()).unwrap());
        }
        assert!(all[50].is_err() && decode_all(&[]).is_empty());
    }
}
