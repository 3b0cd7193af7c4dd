//! Assets: data that many nodes share, held by reference-counted handles.
//!
//! Geometry, materials and images are plain data that know nothing of nodes or scenes. A
//! registry assigns ids and records which assets were edited or have lost their last handle, so
//! that a renderer can upload or free what it made of them.
//!
//! Guarantees: an id identifies one asset for the lifetime of the process. An edit is seen by all
//! users of an asset, and counts up its version; data derived from a version (bounds, a triangle
//! tree) is never used for another.

mod changes;
mod edits;
mod error;
mod geometry;
mod handle;
mod image;
mod material;
mod morph_target;
mod registry;
mod version;

pub use changes::{AssetChangeReader, AssetChanges, AssetEdit};
pub use edits::RecordedAsset;
pub(crate) use edits::{AnyAssetEdit, AssetEdits};
pub use error::{AssetEditError, Attribute, GeometryError, ImageError};
pub(crate) use geometry::JointBounds;
pub use geometry::{
    Geometry, GeometryDerived, Influences, MaterialGroup, MaterialGroups, Topology, TreeRef,
    Triangles, VertexData,
};
pub use handle::{AssetId, Handle};
pub(crate) use handle::{flag_edits, geometry_edits, other_edits};
pub use image::{Image, ImageData, MagFilter, MinFilter, Sampler, Wrap};
pub use material::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen, Specular,
    TextureRef, TextureTransform, Transmission, Volume,
};
pub use morph_target::MorphTarget;
pub use registry::{Asset, AssetKind, Assets, UnusedAsset};
pub use version::{AssetRef, AssetVersion};
