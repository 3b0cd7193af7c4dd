//! `Error` and `Warning`: what could not be drawn, and what is drawn with less than was asked for.

use std::fmt;

use pleach::AssetId;

/// The cause of a failed call. Nothing was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Data exceeds a limit of the device.
    TooLarge {
        /// The data, such as `world matrices`.
        what: &'static str,
        /// The size that is needed, in bytes.
        bytes: u64,
        /// The maximum of the device, in bytes.
        max: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { what, bytes, max } => write!(
                f,
                "{what} need {bytes} bytes, but the device allows {max}; request a device with higher \
                 limits, or draw less",
            ),
        }
    }
}

impl std::error::Error for Error {}

/// A reduction of the picture, and its cause. Each is reported once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// An image is larger than the device allows, and was halved until it fits.
    ImageReduced {
        /// The image.
        image: AssetId,
        /// The name of the image.
        name: Option<String>,
        /// The width and height of the image in pixels.
        size: [u32; 2],
        /// The width and height that are used.
        reduced: [u32; 2],
    },
    /// An image cannot be used. Materials are drawn as if they did not have the texture.
    ImageIgnored {
        /// The image.
        image: AssetId,
        /// The name of the image.
        name: Option<String>,
        /// The cause.
        cause: String,
    },
    /// A geometry has more than eight joint influences per vertex. The eight largest are used, and
    /// scaled to sum to one.
    InfluencesReduced {
        /// The geometry.
        geometry: AssetId,
        /// The number of influences per vertex.
        influences: usize,
    },
    /// A geometry cannot be used and is not drawn.
    GeometryIgnored {
        /// The geometry.
        geometry: AssetId,
        /// The cause.
        cause: String,
    },
    /// The morph targets of a geometry do not fit. It is drawn without them.
    MorphTargetsIgnored {
        /// The geometry.
        geometry: AssetId,
        /// The cause.
        cause: Error,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let describe = |name: &Option<String>, id: &AssetId| match name {
            Some(name) => format!("image {name:?}"),
            None => format!("image {id}"),
        };
        match self {
            Self::ImageReduced { image, name, size: [w, h], reduced: [rw, rh] } => write!(
                f,
                "{} has {w} × {h} pixels, which exceeds the limit of the device; it is drawn with {rw} × {rh}",
                describe(name, image),
            ),
            Self::ImageIgnored { image, name, cause } => {
                write!(f, "{} is ignored: {cause}", describe(name, image))
            }
            Self::InfluencesReduced { geometry, influences } => write!(
                f,
                "geometry {geometry} has {influences} joint influences per vertex; the eight largest are used",
            ),
            Self::GeometryIgnored { geometry, cause } => {
                write!(f, "geometry {geometry} is not drawn: {cause}")
            }
            Self::MorphTargetsIgnored { geometry, cause } => {
                write!(f, "geometry {geometry} is drawn without its morph targets: {cause}")
            }
        }
    }
}
