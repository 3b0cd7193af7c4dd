//! The integration tests of pleach-render, as one binary.

mod alpha;
mod antialiasing;
mod asset_edits;
mod brute_force;
mod common;
mod environment;
mod framing;
mod invalid_input;
mod light;
mod material_textures;
mod meshes;
mod overlays;
mod points_and_lines;
mod poses;
mod same_bits;
mod shadow;
mod texture;
mod transmission;
