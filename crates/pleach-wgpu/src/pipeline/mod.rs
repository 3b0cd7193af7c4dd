//! Pipelines: which shader and fixed-function state draws a part.
//!
//! Reads the attributes of a geometry, the features of a material and the pass; writes shader modules,
//! layouts and pipelines, each created once and kept.
//!
//! Guarantees: equal keys give the same pipeline; a key contains nothing that its pass does not use, so
//! that draws that differ only in what is not used share a pipeline.

pub(crate) mod cache;
pub(crate) mod key;
pub(crate) mod layouts;
pub(crate) mod vertex;
