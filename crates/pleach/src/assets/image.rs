//! `Image` and `Sampler`: the data that textures are made of.
//!
//! Nothing is decoded or read from disk here: an image is what a file contained, and the renderer
//! decodes it. Whether it is sRGB depends on its use, see `Material`.

use std::fmt;
use std::hash::Hash;

use crate::content::Content;
use crate::{Asset, AssetKind, Error, ImageError};

/// An image, decoded or not.
///
/// ```
/// use pleach::{Image, ImageData};
///
/// let red = Image::from_rgba8(1, 1, vec![255, 0, 0, 255])?;
/// let wood = Image::from_uri("wood.png").named("wood");
/// assert!(matches!(red.data, ImageData::Rgba8 { width: 1, height: 1, .. }));
///
/// let error = Image::from_rgba8(2, 2, vec![0; 12]).unwrap_err();
/// assert_eq!(error.to_string(), "image: 12 bytes are given, but 2 x 2 pixels of four bytes are 16");
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The name.
    pub name: Option<String>,
    /// The contents.
    pub data: ImageData,
}

/// The contents of an [`Image`].
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ImageData {
    /// The bytes of an image file.
    Encoded {
        /// The media type, such as `image/png`.
        mime: String,
        /// The contents of the file.
        bytes: Vec<u8>,
    },
    /// Pixels, row by row from the upper left. Linear or sRGB: that depends on the
    /// [`Material`](crate::Material) field that refers to the image.
    Rgba8 {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
        /// Red, green, blue and alpha of each pixel, one byte each; alpha is not premultiplied.
        pixels: Vec<u8>,
    },
    /// Linear pixels of any brightness, row by row from the upper left: what a Radiance file contains.
    RgbF32 {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
        /// Red, green and blue of each pixel.
        pixels: Vec<[f32; 3]>,
    },
    /// An external file, which was not read.
    External {
        /// The URI, as written in the model file.
        uri: String,
    },
}

impl Image {
    /// Creates an image from pixels of red, green, blue and alpha, row by row from the upper left.
    ///
    /// # Errors
    ///
    /// [`Error::Image`] if the number of bytes is not `4 * width * height`.
    pub fn from_rgba8(width: u32, height: u32, pixels: Vec<u8>) -> Result<Self, Error> {
        let image = Self { name: None, data: ImageData::Rgba8 { width, height, pixels } };
        image.check()?;
        Ok(image)
    }

    /// Creates an image from linear pixels of red, green and blue of any brightness, row by row from the
    /// upper left, for an [environment map](crate::EnvironmentMap).
    ///
    /// # Errors
    ///
    /// [`Error::Image`] if the number of pixels is not `width * height`.
    ///
    /// ```
    /// use pleach::Image;
    ///
    /// let sky = Image::from_rgb_f32(1, 2, vec![[0.3, 0.5, 2.0], [0.1, 0.1, 0.1]])?;
    /// let error = Image::from_rgb_f32(2, 2, vec![[0.0; 3]]).unwrap_err();
    /// assert_eq!(error.to_string(), "image: 1 pixels are given, but 2 x 2 are 4");
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn from_rgb_f32(width: u32, height: u32, pixels: Vec<[f32; 3]>) -> Result<Self, Error> {
        let image = Self { name: None, data: ImageData::RgbF32 { width, height, pixels } };
        image.check()?;
        Ok(image)
    }

    /// Creates an image from the bytes of an image file of this media type (`image/png`), not
    /// decoded.
    #[must_use]
    pub fn from_encoded(mime: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: None, data: ImageData::Encoded { mime: mime.into(), bytes } }
    }

    /// Creates a reference to an external file.
    #[must_use]
    pub fn from_uri(uri: impl Into<String>) -> Self {
        Self { name: None, data: ImageData::External { uri: uri.into() } }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Checks that the number of pixels matches the width and height.
    ///
    /// # Errors
    ///
    /// [`Error::Image`] if it does not.
    pub fn check(&self) -> Result<(), Error> {
        match self.data {
            ImageData::Rgba8 { width, height, ref pixels } => {
                // In 128 bits the product does not overflow.
                let needed = 4 * u128::from(width) * u128::from(height);
                if pixels.len() as u128 != needed {
                    return Err(ImageError::Size { width, height, bytes: pixels.len() }.into());
                }
                Ok(())
            }
            ImageData::RgbF32 { width, height, ref pixels } => {
                if pixels.len() as u128 != u128::from(width) * u128::from(height) {
                    return Err(ImageError::Pixels { width, height, pixels: pixels.len() }.into());
                }
                Ok(())
            }
            ImageData::Encoded { .. } | ImageData::External { .. } => Ok(()),
        }
    }

    /// Returns the size of its data in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        match &self.data {
            ImageData::Encoded { mime, bytes } => mime.len() + bytes.len(),
            ImageData::Rgba8 { pixels, .. } => pixels.len(),
            ImageData::RgbF32 { pixels, .. } => size_of_val(&**pixels),
            ImageData::External { uri } => uri.len(),
        }
    }
}

impl Asset for Image {
    const KIND: AssetKind = AssetKind::Image;
    type Derived = ();

    fn byte_size(&self) -> usize {
        size_of::<Self>()
            + match &self.data {
                ImageData::Encoded { bytes, .. } => bytes.len(),
                ImageData::Rgba8 { pixels, .. } => pixels.len(),
                ImageData::RgbF32 { pixels, .. } => size_of_val(&**pixels),
                ImageData::External { uri } => uri.len(),
            }
    }

    fn write_content(&self, content: &mut Content) -> bool {
        let Self { name, data } = self;
        name.hash(content);
        match data {
            ImageData::Encoded { mime, bytes } => (0_u8, mime, bytes).hash(content),
            ImageData::Rgba8 { width, height, pixels } => {
                (1_u8, width, height, pixels).hash(content);
            }
            ImageData::RgbF32 { width, height, pixels } => {
                (2_u8, width, height).hash(content);
                content.write_numbers(pixels.as_flattened());
            }
            ImageData::External { uri } => (3_u8, uri).hash(content),
        }
        true
    }
}

/// Without the bytes: there may be millions.
impl fmt::Debug for ImageData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encoded { mime, bytes } => write!(f, "Encoded({mime}, {} bytes)", bytes.len()),
            Self::Rgba8 { width, height, .. } => write!(f, "Rgba8({width} x {height})"),
            Self::RgbF32 { width, height, .. } => write!(f, "RgbF32({width} x {height})"),
            Self::External { uri } => write!(f, "External({uri})"),
        }
    }
}

/// The filters and wrap modes of a texture. The default is that of glTF: filters chosen by the
/// renderer, repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// The filter where a texel covers more than a pixel; `None` leaves it to the renderer.
    pub mag_filter: Option<MagFilter>,
    /// The filter where a texel covers less than a pixel; `None` leaves it to the renderer.
    pub min_filter: Option<MinFilter>,
    /// The wrap mode outside of 0..1 in u.
    pub wrap_u: Wrap,
    /// The wrap mode outside of 0..1 in v.
    pub wrap_v: Wrap,
}

/// Magnification filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MagFilter {
    /// The nearest texel.
    Nearest,
    /// Linear interpolation of four texels.
    Linear,
}

/// Minification filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinFilter {
    /// The nearest texel.
    Nearest,
    /// Linear interpolation of four texels.
    Linear,
    /// The nearest texel of the nearest mip level.
    NearestMipmapNearest,
    /// Linear interpolation of four texels of the nearest mip level.
    LinearMipmapNearest,
    /// The nearest texels of two mip levels, interpolated.
    NearestMipmapLinear,
    /// Linear interpolation within and between two mip levels.
    LinearMipmapLinear,
}

/// Wrap modes: the meaning of texture coordinates outside of 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Repeats the texture.
    #[default]
    Repeat,
    /// Repeats the texture, every other time mirrored.
    MirroredRepeat,
    /// Repeats the texels at the edge.
    ClampToEdge,
}
