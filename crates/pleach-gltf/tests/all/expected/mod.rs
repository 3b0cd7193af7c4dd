//! Every sample model gives the answers of two other implementations: `expected.json`, beside
//! each model, says what. See `case` for how they are compared.
//!
//! Each is loaded twice: turned so that Z is up, and as it is in the file.

mod animations;
mod asked;
mod case;
mod lenses;
mod places;
mod questions;
mod structure;
mod values;
