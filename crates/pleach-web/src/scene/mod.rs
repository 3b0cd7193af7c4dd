//! Scenes: what a `Scene` of JavaScript has in addition to a graph and its spatial index.
//!
//! Things that outlive a call are numbers: assets are ids that [`assets`] keeps alive; clips, mixers,
//! histories, render lists and documents are positions in a [`slab`].

pub mod animation;
pub mod assets;
pub mod camera;
pub mod clips;
pub mod constraint;
pub mod documents;
pub mod environment;
mod errors;
pub mod geometries;
pub mod history;
pub mod images;
pub mod instantiate;
pub mod light;
pub mod materials;
pub mod mesh;
pub mod nodes;
pub mod patches;
pub mod picking;
pub mod render_list;
pub mod shapes;
pub mod skin;
pub mod slab;
pub mod textures;
pub mod view;

use pleach_format::AssetMap;

/// Fields of a world of the complete module in addition to its scene.
#[derive(Debug, Default)]
pub(crate) struct Extra {
    pub(crate) lists: slab::Slab<render_list::List>,
    /// The numbers of assets in patches; `None` before the first snapshot or patch.
    pub(crate) asset_map: Option<AssetMap>,
}
