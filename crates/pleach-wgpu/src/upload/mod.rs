//! Uploads: what a renderer needs on the GPU, and only what changed since the last time.
//!
//! Reads a scene after its [update](pleach::Scene::update), and the render lists to be drawn; writes
//! buffers and textures by commands in the caller's encoder.
//!
//! Guarantees: after [`Uploads::sync`], and once the commands are submitted, everything that the lists
//! need is on the GPU with the bits that it has in the scene. Nothing is uploaded twice: if nothing
//! changed, no bytes are.

mod asset_changes;
mod changed_matrices;
mod data_store;
mod generated_tangents;
mod geometry;
mod id_map;
mod influences;
mod instances;
mod joints;
mod material_block;
mod materials;
mod matrix_rows;
mod mipmaps;
mod morphs;
mod prepare_geometry;
mod row_set;
mod scatter;
mod slab;
pub(crate) mod staging;
mod stats;
mod suballocator;
mod textures;
mod uploads;
mod worlds;

pub use data_store::{DataStore, LINE, MAX_TEXELS};
pub use geometry::{GpuGeometry, VertexStream};
pub use influences::INFLUENCE_SET;
pub use material_block::{MaterialBlock, TextureSlot};
pub use materials::{GpuMaterial, MaterialFeatures, MaterialTexture};
pub use matrix_rows::{MatrixRows, matrix_rows};
pub use morphs::{MORPH_NORMALS, MORPH_POSITIONS, MORPH_TANGENTS};
pub use prepare_geometry::Primitives;
pub use stats::{UploadStats, UploadedAssets};
pub use textures::Decoder;
pub use uploads::Uploads;
