//! One binary for all tests.

mod adapter;
mod device_loss;
mod freed_memory;
mod golden;
mod kept_pictures;
mod limits;
mod material_textures;
mod overlays;
mod pictures;
mod read_back;
mod scene_features;
mod shader_variants;
mod shading;
mod shadows;
mod steady_state;
mod texture_coordinates;
mod upload_assets;
mod upload_matrices;
mod upload_models;

#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
