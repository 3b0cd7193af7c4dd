//! All tests of pleach, in one binary.

mod animation;
mod assets;
mod assets_memory;
mod cameras;
mod check;
mod clone_subtree;
mod common;
mod constraints;
mod determinism;
mod environment;
mod frame_allocations;
mod geometry;
mod geometry_random;
mod lights;
mod render_list;
mod scene;
mod scenes;
mod shapes;
mod skinning;
mod vertex_data;
mod views;
mod views_random;

/// Counts for each thread separately, so that tests which count can run at the same time.
#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
