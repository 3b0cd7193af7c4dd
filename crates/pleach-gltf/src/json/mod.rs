//! The JSON of a glTF file: typed views of the supported members, and spans of the text.
//!
//! Reads the text; writes nothing. Members without a field here (extras, unknown extensions,
//! members of later versions) are skipped but not lost, because the text itself is kept
//! (`document/`) and written back (`save/`). Names and URIs are borrowed from the text. Guarantees
//! that accepted text is valid JSON within the nesting limit.

mod animation;
mod buffer;
mod lone_surrogates;
mod material;
mod mesh;
mod node;
mod parse;
mod plain_node;
mod pointer;
mod scan;
mod value;

pub(crate) use animation::{Animation, AnimationChannel, AnimationSampler, AnimationTarget};
pub(crate) use buffer::{Accessor, Buffer, BufferView, Compressed, Sparse};
pub(crate) use lone_surrogates::LoneSurrogates;
pub(crate) use material::{
    Image, KhrAnisotropy, KhrClearcoat, KhrDiffuseTransmission, KhrIridescence, KhrSheen,
    KhrSpecular, KhrSpecularGlossiness, KhrTransmission, KhrVolume, Material, MaterialExtensions,
    PbrMetallicRoughness, Sampler, Texture, TextureExtensions, TextureInfo,
};
pub(crate) use mesh::{Attributes, Mesh, Primitive};
pub(crate) use node::{Camera, Light, Node, Scene, Skin};
pub(crate) use parse::{ParseLimits, json_error};
pub(crate) use pointer::pointer_to;
pub(crate) use scan::{Member, Members, value_at};
pub(crate) use value::{CONTROL_CHARACTER, Text, UInt};

use std::ops::Range;

use serde::Deserialize;

use crate::Error;
use crate::diagnostics::{Pointer, Result};

/// The root object of a file.
#[derive(Debug, Default)]
pub(crate) struct Root<'a> {
    pub(crate) asset: Asset<'a>,
    pub(crate) scene: Option<UInt>,
    pub(crate) scenes: Vec<Scene<'a>>,
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) meshes: Vec<Mesh<'a>>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) cameras: Vec<Camera<'a>>,
    pub(crate) animations: Vec<Animation<'a>>,
    pub(crate) materials: Vec<Material<'a>>,
    pub(crate) textures: Vec<Texture>,
    pub(crate) images: Vec<Image<'a>>,
    pub(crate) samplers: Vec<Sampler>,
    pub(crate) accessors: Vec<Accessor<'a>>,
    pub(crate) buffer_views: Vec<BufferView<'a>>,
    pub(crate) buffers: Vec<Buffer<'a>>,
    pub(crate) extensions_used: Vec<Text<'a>>,
    pub(crate) extensions_required: Vec<Text<'a>>,
    pub(crate) extensions: Option<RootExtensions<'a>>,
    pub(crate) outline: Outline<'a>,
}

/// Spans of values in the text, so that saving need not scan for them again.
#[derive(Debug, Default)]
pub(crate) struct Outline<'a> {
    /// The members of the root.
    pub(crate) members: Vec<Member<'a>>,
    /// The spans of the nodes.
    pub(crate) nodes: Vec<Range<usize>>,
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
    /// Returns the lights of KHR_lights_punctual.
    pub(crate) fn lights(&self) -> &[Light<'a>] {
        let lights = self.extensions.as_ref().and_then(|it| it.lights.as_ref());
        lights.map_or(&[], |it| &it.lights)
    }
}

/// Returns `index` as `usize`, or an error if it is not less than `count`.
pub(crate) fn check_index(
    index: UInt,
    count: usize,
    what: &str,
    at: &Pointer<'_>,
) -> Result<usize> {
    let index = index.index();
    if index < count { Ok(index) } else { Err(Error::missing(at, what, index, count)) }
}
