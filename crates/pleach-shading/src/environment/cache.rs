//! `EnvironmentCache`: the filtered map of a scene's environment, kept until its image changes.
//!
//! Filtering takes a fraction of a second: a renderer keeps one cache and asks it in each frame.

use std::fmt;
use std::sync::Arc;

use glam::Vec3;
use pleach::{AssetId, EnvironmentMap, Image, ImageData};

use crate::environment::{EquirectangularImage, PrefilteredEnvironment};

/// A function that decodes an image file into pixels.
pub type DecodeImage<'a> = &'a dyn Fn(&Image) -> Result<Image, String>;

/// The most recent environment map.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentCache {
    last: Option<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    id: AssetId,
    version: u64,
    result: Result<Arc<PrefilteredEnvironment>, EnvironmentError>,
}

impl EnvironmentCache {
    /// Returns the filtered map: the [studio](PrefilteredEnvironment::studio), or an image, which is
    /// filtered again only if it is another one or was edited.
    ///
    /// `decode` is called for images whose pixels are not in memory.
    ///
    /// # Errors
    ///
    /// [`EnvironmentError`] if the image cannot be decoded or has no pixels.
    ///
    /// ```
    /// use pleach::{Assets, EnvironmentMap, Image};
    /// use pleach_shading::EnvironmentCache;
    ///
    /// let assets = Assets::new();
    /// let sky = assets.add(Image::from_encoded("image/vnd.radiance", vec![]));
    /// let mut cache = EnvironmentCache::default();
    /// let error = cache.get(&EnvironmentMap::image(&sky), None).unwrap_err();
    /// assert!(error.to_string().starts_with("environment map: the image is not decoded"));
    /// ```
    pub fn get(
        &mut self,
        map: &EnvironmentMap,
        decode: Option<DecodeImage<'_>>,
    ) -> Result<Arc<PrefilteredEnvironment>, EnvironmentError> {
        let Some(handle) = map.as_image() else {
            return Ok(Arc::clone(PrefilteredEnvironment::studio()));
        };
        let (id, version) = (handle.id(), handle.version());
        match &self.last {
            Some(entry) if (entry.id, entry.version) == (id, version) => entry.result.clone(),
            _ => {
                let result = prefilter(&handle.get(), decode);
                self.last = Some(Entry { id, version, result: result.clone() });
                result
            }
        }
    }
}

fn prefilter(
    image: &Image,
    decode: Option<DecodeImage<'_>>,
) -> Result<Arc<PrefilteredEnvironment>, EnvironmentError> {
    let decoded;
    let image = match (&image.data, decode) {
        (ImageData::Rgba8 { .. } | ImageData::RgbF32 { .. }, _) => image,
        (_, None) => return Err(EnvironmentError::NotDecoded),
        (_, Some(decode)) => {
            decoded = decode(image).map_err(EnvironmentError::Decode)?;
            &decoded
        }
    };
    let pixels = pixels(image).ok_or(EnvironmentError::NotDecoded)?;
    Ok(Arc::new(PrefilteredEnvironment::from_image(&pixels)))
}

fn pixels(image: &Image) -> Option<EquirectangularImage> {
    match &image.data {
        ImageData::RgbF32 { width, height, pixels } => {
            let pixels = pixels.iter().copied().map(Vec3::from_array).collect();
            EquirectangularImage::new(*width as usize, *height as usize, pixels)
        }
        ImageData::Rgba8 { width, height, pixels } => {
            let linear = |byte: u8| srgb_to_linear(f32::from(byte) / 255.0);
            let color = |it: &[u8]| Vec3::new(linear(it[0]), linear(it[1]), linear(it[2]));
            let pixels = pixels.chunks_exact(4).map(color).collect();
            EquirectangularImage::new(*width as usize, *height as usize, pixels)
        }
        _ => None,
    }
}

fn srgb_to_linear(value: f32) -> f32 {
    if value <= 0.04045 {
        return value / 12.92;
    }
    libm::powf((value + 0.055) / 1.055, 2.4)
}

/// The reason why an environment map cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// The image has no pixels in memory, and there is no decoder for it.
    NotDecoded,
    /// The decoder reported an error.
    Decode(String),
}

impl fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDecoded => f.write_str(
                "environment map: the image is not decoded; provide its pixels, or a decoder",
            ),
            Self::Decode(reason) => {
                write!(f, "environment map: the image cannot be decoded: {reason}")
            }
        }
    }
}

impl std::error::Error for EnvironmentError {}
