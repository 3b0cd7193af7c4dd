//! Saving a loaded file: only what was edited changes, in place.

mod animations;
mod asset_edits;
mod bits;
mod bounds;
mod buffers;
mod clones;
mod environment;
mod inexpressible;
mod invalid_scenes;
mod meshes;
mod nodes;
mod own_components;
mod poses;
mod random_edits;
mod save_and_check;
mod scenes;
mod shared_assets;
mod skins;
mod unedited;
mod unrepresentable;
mod unusual_files;
mod weights_and_instances;
