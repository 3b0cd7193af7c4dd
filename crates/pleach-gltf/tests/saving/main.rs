//! Saving what was loaded: nothing changes but what was edited, and that in its place.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common_save/mod.rs"]
mod common_save;

mod animations;
mod any_edits;
mod bits;
mod bytes;
mod checked;
mod meshes;
mod nodes;
mod scenes;
mod shared;
mod skins;
mod strange;
mod unedited;
mod unsayable;
mod weights;
