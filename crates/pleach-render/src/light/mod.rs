//! Lighting: light sources, the shading model, and the mapping from light to colour.
//!
//! Reads a surface point and the lights of the scene; returns linear light towards the camera, and
//! from that linear colours between 0 and 1.
//!
//! Guarantees: all results are finite and not negative. There is no 1/π between light and colour: a
//! white rough surface that faces a directional light of intensity 1 is white.

pub(crate) mod background;
pub(crate) mod environment;
pub(crate) mod punctual_light;
pub(crate) mod shading;
pub(crate) mod tone_mapping;
