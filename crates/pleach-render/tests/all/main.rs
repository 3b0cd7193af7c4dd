//! The tests of pleach-render, as one program.

mod alpha;
mod brute_force;
mod common;
mod edges;
mod environment;
mod framing;
mod hostile;
mod light;
mod meshes;
mod overlays;
mod poses;
mod same_bits;
mod shadow;
mod strokes;
mod texture;
