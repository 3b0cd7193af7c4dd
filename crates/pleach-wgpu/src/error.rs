//! `Error` and `Warning`: what could not be drawn, and what is drawn with less than was asked for.

use std::fmt;

use pleach::AssetId;
use pleach_shading::environment::EnvironmentError;

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
    /// The target is larger than the textures of the device may be.
    TargetTooLarge {
        /// The width and height of the target, in pixels.
        size: [u32; 2],
        /// The largest width and height.
        max: u32,
    },
    /// There is no adapter, or it has no device that the renderer can use.
    NoDevice(String),
    /// The device has no memory left.
    OutOfMemory,
    /// The device was lost, or refused a resource.
    Device(String),
    /// Results could not be read back.
    Readback(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { what, bytes, max } => write!(
                f,
                "{what} need {bytes} bytes, but the device allows {max}; request a device with higher \
                 limits, or draw less",
            ),
            Self::TargetTooLarge { size: [width, height], max } => write!(
                f,
                "the target has {width} × {height} pixels, but the device allows {max} × {max}; draw \
                 a smaller picture, or parts of it",
            ),
            Self::NoDevice(cause) => write!(
                f,
                "no usable GPU was found: {cause}; install a driver (a software one is enough), or render on the CPU",
            ),
            Self::OutOfMemory => {
                write!(f, "the GPU has no memory left; draw a smaller picture or fewer textures")
            }
            Self::Device(cause) => write!(
                f,
                "the GPU refused a command: {cause}; if the device was lost, create another device and renderer",
            ),
            Self::Readback(cause) => write!(f, "a picture could not be read from the GPU: {cause}"),
        }
    }
}

impl std::error::Error for Error {}

/// A reduction: something is drawn with less than was asked for. Each is reported once.
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
    /// A material has more textures than a shader may read. Those of extensions are ignored, the last
    /// ones first.
    TexturesIgnored {
        /// The material.
        material: AssetId,
        /// The number of textures that are ignored.
        ignored: usize,
    },
    /// The environment map cannot be used. The scene is lit without it.
    EnvironmentIgnored(EnvironmentError),
    /// The shadow maps do not fit into the largest texture. They have fewer texels.
    ShadowMapsReduced {
        /// The factor by which width and height are smaller.
        factor: u32,
    },
    /// There are more shadow maps than a picture can have. Some lights cast no shadows.
    ShadowsIgnored {
        /// The number of lights without shadows.
        lights: usize,
    },
    /// There are more lights than a shader can read. The first ones are used.
    LightsIgnored {
        /// The number of lights.
        lights: usize,
        /// The number that is used.
        drawn: usize,
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
            Self::TexturesIgnored { material, ignored } => write!(
                f,
                "material {material} has more textures than the device allows; {ignored} of them are ignored",
            ),
            Self::EnvironmentIgnored(cause) => write!(f, "the environment is ignored: {cause}"),
            Self::ShadowMapsReduced { factor } => write!(
                f,
                "the shadow maps do not fit into the largest texture; they are drawn {factor} times smaller",
            ),
            Self::ShadowsIgnored { lights } => {
                write!(f, "there are too many shadow maps; {lights} lights cast no shadows")
            }
            Self::LightsIgnored { lights, drawn } => {
                write!(f, "there are {lights} lights; only the first {drawn} shine")
            }
        }
    }
}
