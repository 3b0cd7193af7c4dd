//! Animation: curves, clips and bindings, players, and mixers of blend layers.

mod allocations;
mod binding;
mod curves;
mod determinism;
mod errors;
mod in_scene;
mod mixer;
mod player;
mod random_layers;
mod sampling;
