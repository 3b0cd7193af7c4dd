//! Compares every sample model with the results of two other implementations, which are in the
//! `expected.json` of each model. See `case` for the comparison.
//!
//! Each model is loaded twice: Z-up, and Y-up as in the file.

mod animations;
mod cameras_and_lights;
mod case;
mod culling_and_picking;
mod document_queries;
mod structure;
mod values;
mod worlds_and_bounds;
