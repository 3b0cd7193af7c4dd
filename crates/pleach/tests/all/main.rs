//! All tests of pleach, in one binary.

mod animation_binding;
mod animation_curves;
mod animation_errors;
mod animation_mixing;
mod animation_players;
mod animation_random;
mod animation_same_bits;
mod animation_steady;
mod assets;
mod assets_memory;
mod cameras;
mod check;
mod columns;
mod common;
mod constraints;
mod copies;
mod determinism;
mod environment;
mod frame_steady;
mod geometry;
mod geometry_random;
mod lights;
mod render_list;
mod scene;
mod scenes;
mod shapes;
mod skinning;
mod views;
mod views_random;

/// Counts for each thread separately, so that tests which count can run at the same time.
#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
