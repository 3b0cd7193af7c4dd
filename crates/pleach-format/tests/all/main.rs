//! Tests of snapshots: everything is restored, files are stable, and hostile bytes are errors.

mod common;
mod files;
mod hostile;
mod json;
mod patches;
mod round_trip;
mod scene_patches;
mod user_kinds;

use testkit::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
