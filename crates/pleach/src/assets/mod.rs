//! Assets: data that many nodes share, held by reference-counted handles.
//!
//! Geometry, materials and images are plain data that know nothing of nodes or scenes. A
//! registry assigns ids and records which assets have lost their last handle, so that a
//! renderer can free what it made of them.
//!
//! Guarantees: an id identifies one value for the lifetime of the process, and data derived
//! from a value (bounds, a triangle tree) is dropped when the value changes.

mod error;
mod geometry;
mod handle;
mod image;
mod material;
mod morph_target;
mod registry;

pub use error::{Attribute, GeometryError, ImageError};
pub(crate) use geometry::JointBounds;
pub use geometry::{
    Geometry, GeometryDerived, Influences, MaterialGroup, MaterialGroups, Topology, Triangles,
    VertexData,
};
pub use handle::{AssetId, Handle};
pub use image::{Image, ImageData, MagFilter, MinFilter, Sampler, Wrap};
pub use material::{
    AlphaMode, Anisotropy, Clearcoat, Iridescence, Material, Sheen, Specular, TextureRef,
    TextureTransform, Transmission, Volume,
};
pub use morph_target::MorphTarget;
pub use registry::{Asset, AssetKind, Assets, UnusedAsset};
