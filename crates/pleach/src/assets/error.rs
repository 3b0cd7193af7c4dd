//! Errors of geometry and images. Imports nothing of the crate: `crate::Error` imports this.

use std::fmt;

/// An inconsistency of a [`Geometry`](crate::Geometry).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GeometryError {
    /// An attribute does not have as many entries as there are positions.
    Count {
        /// The attribute.
        attribute: Attribute,
        /// The number of its entries.
        entries: usize,
        /// The number of positions.
        positions: usize,
    },
    /// The number of face materials is not the number of triangles.
    FaceCount {
        /// The number of face materials.
        entries: usize,
        /// The number of triangles.
        triangles: usize,
    },
    /// An index is out of range.
    Index {
        /// The position in the list of indices.
        at: usize,
        /// The index.
        index: u32,
        /// The number of positions.
        positions: usize,
    },
    /// A number is infinite or NaN.
    NotFinite {
        /// The attribute.
        attribute: Attribute,
        /// The vertex.
        at: usize,
        /// The component: 0 for `x`.
        component: usize,
        /// The number.
        value: f32,
    },
    /// A joint weight is negative.
    Negative {
        /// The attribute.
        attribute: Attribute,
        /// The vertex.
        at: usize,
        /// The component: 0 to 3.
        component: usize,
        /// The weight.
        value: f32,
    },
}

/// A vertex attribute of a [`Geometry`](crate::Geometry). Displayed as the
/// path of the field, such as `uvs[0]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attribute {
    /// `positions`
    Positions,
    /// `normals`
    Normals,
    /// `tangents`
    Tangents,
    /// `uvs[0]`
    Uvs(usize),
    /// `colors[0]`
    Colors(usize),
    /// `influences[0].joints`
    Joints(usize),
    /// `influences[0].weights`
    Weights(usize),
    /// `morph_targets[0].positions`
    MorphPositions(usize),
    /// `morph_targets[0].normals`
    MorphNormals(usize),
    /// `morph_targets[0].tangents`
    MorphTangents(usize),
    /// `vertex_materials`
    Materials,
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count { attribute, entries, positions } => write!(
                f,
                "{attribute} has {entries} entries, but there are {positions} positions; \
                 each vertex needs one",
            ),
            Self::FaceCount { entries, triangles } => write!(
                f,
                "face_materials has {entries} entries, but there are {triangles} triangles; \
                 each needs one, or none has one",
            ),
            Self::Index { at, index, positions } => {
                write!(f, "indices[{at}] is {index}, but there are {positions} positions")
            }
            Self::NotFinite { attribute, at, component, value } => {
                let component = attribute.component(component);
                write!(f, "{attribute}[{at}]{component} is {value}; it must be finite")
            }
            Self::Negative { attribute, at, component, value } => {
                let component = attribute.component(component);
                write!(f, "{attribute}[{at}]{component} is {value}; a weight must not be negative")
            }
        }
    }
}

impl std::error::Error for GeometryError {}

impl Attribute {
    /// Returns the suffix that selects a component of an entry.
    fn component(self, component: usize) -> &'static str {
        match self {
            Self::Joints(_) | Self::Weights(_) => ["[0]", "[1]", "[2]", "[3]"][component % 4],
            _ => [".x", ".y", ".z", ".w"][component % 4],
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positions => write!(f, "positions"),
            Self::Normals => write!(f, "normals"),
            Self::Tangents => write!(f, "tangents"),
            Self::Materials => write!(f, "vertex_materials"),
            Self::Uvs(set) => write!(f, "uvs[{set}]"),
            Self::Colors(set) => write!(f, "colors[{set}]"),
            Self::Joints(set) => write!(f, "influences[{set}].joints"),
            Self::Weights(set) => write!(f, "influences[{set}].weights"),
            Self::MorphPositions(target) => write!(f, "morph_targets[{target}].positions"),
            Self::MorphNormals(target) => write!(f, "morph_targets[{target}].normals"),
            Self::MorphTangents(target) => write!(f, "morph_targets[{target}].tangents"),
        }
    }
}

/// An inconsistency of an [`Image`](crate::Image).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageError {
    /// The number of bytes does not match the width and height.
    Size {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
        /// The number of bytes.
        bytes: usize,
    },
    /// The number of pixels does not match the width and height.
    Pixels {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
        /// The number of pixels.
        pixels: usize,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Size { width, height, bytes } => {
                let needed = 4 * u128::from(width) * u128::from(height);
                write!(
                    f,
                    "{bytes} bytes are given, but {width} x {height} pixels of four bytes are {needed}"
                )
            }
            Self::Pixels { width, height, pixels } => {
                let needed = u128::from(width) * u128::from(height);
                write!(f, "{pixels} pixels are given, but {width} x {height} are {needed}")
            }
        }
    }
}

impl std::error::Error for ImageError {}

/// An edit of an asset does not fit: the asset was edited since, outside of the transactions of the
/// scene. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AssetEditError {
    /// The kind and the id of the asset: `material a3`.
    pub asset: String,
    /// The number of the version that the edit begins with.
    pub expected: u64,
    /// The number of the current version.
    pub current: u64,
}

impl fmt::Display for AssetEditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asset, expected, current } = self;
        write!(
            f,
            "the patch does not fit: {asset} has version {current}, but the patch expects the value of \
             version {expected}; it was edited outside of the transactions of this scene",
        )
    }
}

impl std::error::Error for AssetEditError {}
