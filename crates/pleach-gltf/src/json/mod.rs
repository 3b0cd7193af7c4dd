//! The JSON of a glTF file, as far as it is understood here.
//!
//! These types only look: what they do not name (extras, unknown extensions, members of
//! later versions) is skipped, not lost, as the text itself is kept (`document.rs`) and
//! written back (`save/`). Names and URIs are borrowed from the text.

mod animation;
mod buffer;
mod locate;
mod material;
mod mesh;
mod node;
mod scan;
mod value;

pub(crate) use animation::{Animation, AnimationChannel, AnimationSampler, AnimationTarget};
pub(crate) use buffer::{Accessor, Buffer, BufferView, Compressed, Sparse};
pub(crate) use locate::pointer_at;
pub(crate) use material::{
    Image, KhrAnisotropy, KhrClearcoat, KhrIridescence, KhrSheen, KhrSpecular, KhrTransmission,
    KhrVolume, Material, MaterialExtensions, Sampler, Texture, TextureInfo,
};
pub(crate) use mesh::{Attributes, Draco, Mesh, Primitive};
pub(crate) use node::{Camera, Light, Node, Scene, Skin};
pub(crate) use scan::{Members, deepest, value_at};
pub(crate) use value::{Text, Whole};

use serde::Deserialize;

use crate::place::At;
use crate::{Error, ErrorKind};

/// A whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Root<'a> {
    #[serde(borrow)]
    pub(crate) asset: Asset<'a>,
    pub(crate) scene: Option<Whole>,
    #[serde(borrow, default)]
    pub(crate) scenes: Vec<Scene<'a>>,
    #[serde(borrow, default)]
    pub(crate) nodes: Vec<Node<'a>>,
    #[serde(borrow, default)]
    pub(crate) meshes: Vec<Mesh<'a>>,
    #[serde(default)]
    pub(crate) skins: Vec<Skin>,
    #[serde(borrow, default)]
    pub(crate) cameras: Vec<Camera<'a>>,
    #[serde(borrow, default)]
    pub(crate) animations: Vec<Animation<'a>>,
    #[serde(borrow, default)]
    pub(crate) materials: Vec<Material<'a>>,
    #[serde(default)]
    pub(crate) textures: Vec<Texture>,
    #[serde(borrow, default)]
    pub(crate) images: Vec<Image<'a>>,
    #[serde(default)]
    pub(crate) samplers: Vec<Sampler>,
    #[serde(borrow, default)]
    pub(crate) accessors: Vec<Accessor<'a>>,
    #[serde(borrow, default)]
    pub(crate) buffer_views: Vec<BufferView<'a>>,
    #[serde(borrow, default)]
    pub(crate) buffers: Vec<Buffer<'a>>,
    #[serde(borrow, default)]
    pub(crate) extensions_used: Vec<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) extensions_required: Vec<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) extensions: Option<RootExtensions<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asset<'a> {
    #[serde(borrow)]
    pub(crate) version: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) min_version: Option<Text<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct RootExtensions<'a> {
    #[serde(rename = "KHR_lights_punctual", borrow, default)]
    pub(crate) lights: Option<Lights<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Lights<'a> {
    #[serde(borrow, default)]
    pub(crate) lights: Vec<Light<'a>>,
}

impl<'a> Root<'a> {
    /// Reads the text of a file.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| fault(text, &error))
    }

    /// The lights of KHR_lights_punctual.
    pub(crate) fn lights(&self) -> &[Light<'a>] {
        let lights = self.extensions.as_ref().and_then(|it| it.lights.as_ref());
        lights.map_or(&[], |it| &it.lights)
    }
}

/// What serde says of a text, at its place.
fn fault(text: &str, error: &serde_json::Error) -> Error {
    let pointer = pointer_at(text, error.line(), error.column());
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = said.strip_suffix(&place).unwrap_or(&said);
    let message = format!("{said} (line {}, column {})", error.line(), error.column());
    Error::at_pointer(ErrorKind::Json, pointer, message)
}

/// An index that must be less than `have`.
pub(crate) fn checked(index: Whole, have: usize, what: &str, at: &At<'_>) -> Result<usize, Error> {
    let index = index.index();
    if index < have { Ok(index) } else { Err(Error::missing(at, what, index, have)) }
}
