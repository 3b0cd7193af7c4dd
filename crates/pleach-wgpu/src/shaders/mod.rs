//! Shaders: plain WGSL files, and the one place that puts them together.
//!
//! Reads a [`ShaderKey`]; writes the text of a module: generated constants, vertex inputs and bindings,
//! then the files of the pass. A texture that a material does not have is a function that returns
//! white, so the files need no preprocessor: they branch on constants.
//!
//! Guarantees: equal keys give equal text, and every text is valid WGSL with the bindings of
//! `pipeline/layouts.rs`; `tests/all/shader_variants.rs` validates them without a GPU.

mod compose;
mod variants;

pub(crate) use compose::{
    background, downsample, overlay_layer, overlay_lines, overlay_outline, surface, tone_map_pass,
};
pub use variants::shader_variants;
