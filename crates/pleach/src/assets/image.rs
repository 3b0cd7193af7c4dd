//! `Image` and `Sampler`: what textures are made of, as data.
//!
//! Nothing is decoded or read from disk here: an image is what a file brought, and whoever
//! draws it decodes it. Whether it is sRGB is told by its use, see `Material`.

use std::fmt;

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
/// let refused = Image::from_rgba8(2, 2, vec![0; 12]).unwrap_err();
/// assert_eq!(refused.to_string(), "image: 12 bytes are given, but 2 x 2 pixels of four bytes are 16");
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What it is called.
    pub name: Option<String>,
    /// What it shows.
    pub data: ImageData,
}

/// What an [`Image`] shows.
#[derive(Clone, PartialEq, Eq)]
pub enum ImageData {
    /// The bytes of an image file.
    Encoded {
        /// What kind of file: `image/png`.
        mime: String,
        /// The file.
        bytes: Vec<u8>,
    },
    /// Pixels, row by row from the upper left.
    Rgba8 {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Red, green, blue and alpha of each; alpha is not multiplied in.
        pixels: Vec<u8>,
    },
    /// A file elsewhere, which no one has read.
    External {
        /// Where, as the scene's file has it.
        uri: String,
    },
}

impl Image {
    /// Pixels of red, green, blue and alpha, row by row from the upper left.
    ///
    /// # Errors
    ///
    /// [`Error::Image`] if the number of bytes is not `4 * width * height`.
    pub fn from_rgba8(width: u32, height: u32, pixels: Vec<u8>) -> Result<Self, Error> {
        let image = Self { name: None, data: ImageData::Rgba8 { width, height, pixels } };
        image.check()?;
        Ok(image)
    }

    /// An image file of this kind (`image/png`), not decoded.
    #[must_use]
    pub fn from_encoded(mime: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: None, data: ImageData::Encoded { mime: mime.into(), bytes } }
    }

    /// A file elsewhere.
    #[must_use]
    pub fn from_uri(uri: impl Into<String>) -> Self {
        Self { name: None, data: ImageData::External { uri: uri.into() } }
    }

    /// With this name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Are there as many bytes as the size says?
    ///
    /// # Errors
    ///
    /// [`Error::Image`] if not.
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
            ImageData::Encoded { .. } | ImageData::External { .. } => Ok(()),
        }
    }

    /// The bytes its data occupy.
    #[must_use]
    pub fn memory(&self) -> usize {
        match &self.data {
            ImageData::Encoded { mime, bytes } => mime.len() + bytes.len(),
            ImageData::Rgba8 { pixels, .. } => pixels.len(),
            ImageData::External { uri } => uri.len(),
        }
    }
}

impl Asset for Image {
    const KIND: AssetKind = AssetKind::Image;
    type Derived = ();
}

/// Without the bytes: there may be millions.
impl fmt::Debug for ImageData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encoded { mime, bytes } => write!(f, "Encoded({mime}, {} bytes)", bytes.len()),
            Self::Rgba8 { width, height, .. } => write!(f, "Rgba8({width} x {height})"),
            Self::External { uri } => write!(f, "External({uri})"),
        }
    }
}

/// How an image is read between and beyond its pixels. The default is glTF's: filters of the
/// renderer's choice, repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Where a pixel covers more than one of the screen's; `None` leaves it to the renderer.
    pub mag_filter: Option<MagFilter>,
    /// Where it covers less; `None` leaves it to the renderer.
    pub min_filter: Option<MinFilter>,
    /// Beyond 0..1 in u.
    pub wrap_u: Wrap,
    /// Beyond 0..1 in v.
    pub wrap_v: Wrap,
}

/// How an image is enlarged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MagFilter {
    /// The nearest pixel.
    Nearest,
    /// A mixture of the four around.
    Linear,
}

/// How an image is made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinFilter {
    /// The nearest pixel.
    Nearest,
    /// A mixture of the four around.
    Linear,
    /// The nearest pixel of the nearest mip level.
    NearestMipmapNearest,
    /// A mixture of four, of the nearest mip level.
    LinearMipmapNearest,
    /// The nearest pixels of two mip levels, mixed.
    NearestMipmapLinear,
    /// Mixtures of four of two mip levels, mixed.
    LinearMipmapLinear,
}

/// What an image shows beyond its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Itself again.
    #[default]
    Repeat,
    /// Itself again, every other time mirrored.
    MirroredRepeat,
    /// The pixels at the edge.
    ClampToEdge,
}
