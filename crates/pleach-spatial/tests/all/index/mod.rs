//! `SpatialIndex` in use: small scenes, one behaviour per test.

mod cull_reason;
mod culling;
mod filters;
mod sync;
mod test_scene;
