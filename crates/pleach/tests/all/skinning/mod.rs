//! Skins: palettes, bounds that follow the pose, and rays that meet it. What is right is told
//! by skinning in f64, vertex by vertex (`common/skinning.rs`).

mod bounds;
mod joint_matrices;
mod rays;
mod rays_random;
mod reference;
mod skins;
