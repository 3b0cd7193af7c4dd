//! Saving what was loaded: nothing changes but what was edited, and that in its place.

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
