//! All tests of pleach, in one binary.

mod animation;
mod asset_edits;
mod assets;
mod assets_memory;
mod cameras;
mod changes;
mod check;
mod clone_subtree;
mod common;
mod constraints;
mod determinism;
mod environment;
mod errors;
mod features;
mod frame;
mod frame_allocations;
mod geometry;
mod geometry_random;
mod history;
mod lights;
mod own_components;
mod reexports;
mod render_list;
mod row_change_readers;
mod scene;
mod scenes;
mod shapes;
mod skinning;
mod systems;
mod vertex_data;
mod views;
mod views_random;

/// Counts allocations per thread, so that tests that count can run in parallel.
#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
