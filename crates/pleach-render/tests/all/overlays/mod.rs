//! Overlays: lines and labels at pixels that are known otherwise.

mod any_picture;
mod kinds;
mod labels;
mod lines;
mod story;
