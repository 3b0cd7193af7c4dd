//! Draws [`pleach`] scenes in real time with wgpu.

#![forbid(unsafe_code)]
