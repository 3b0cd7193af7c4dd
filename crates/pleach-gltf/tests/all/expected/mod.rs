//! Every sample model gives the answers of two other implementations: `expected.json`, beside
//! each model, says what. See `case` for how they are compared.
//!
//! Each is loaded twice: turned so that Z is up, and as it is in the file.

mod animations;
mod cameras_and_lights;
mod case;
mod culling_and_picking;
mod document_queries;
mod structure;
mod values;
mod worlds_and_bounds;
