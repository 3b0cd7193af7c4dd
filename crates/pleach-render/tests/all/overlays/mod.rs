//! Overlays: lines and labels at pixels that are known independently.

mod each_overlay;
mod fixture;
mod grid_and_outline;
mod label_text;
mod line_pixels;
mod robustness;
