//! Skins: joint matrices, bounds of the posed mesh, and picking. Expected results are computed by
//! naive skinning in f64 (`common/skinning.rs`).

mod bounds;
mod joint_matrices;
mod rays;
mod rays_random;
mod reference;
mod shared_skeleton;
mod skins;
