//! One binary for all tests.

mod adapter;
mod pictures;
mod read_back;
mod shader_variants;
mod shading;
mod upload_assets;
mod upload_matrices;
mod upload_models;

#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
