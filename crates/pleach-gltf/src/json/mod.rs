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
mod tolerant;
mod value;

pub use animation::{
    Animation, AnimationChannel, AnimationPointer, AnimationSampler, AnimationTarget,
    TargetExtensions,
};
pub use buffer::{
    Accessor, Buffer, BufferExtensions, BufferView, BufferViewExtensions, Compressed, Fallback,
    Sparse, SparseIndices, SparseValues,
};
pub(crate) use lone_surrogates::LoneSurrogates;
pub use material::{
    Image, KhrAnisotropy, KhrClearcoat, KhrDiffuseTransmission, KhrDispersion, KhrEmissiveStrength,
    KhrIor, KhrIridescence, KhrSheen, KhrSpecular, KhrSpecularGlossiness, KhrTransmission,
    KhrUnlit, KhrVolume, Material, MaterialExtensions, NormalTexture, OcclusionTexture,
    PbrMetallicRoughness, Sampler, Texture, TextureExtensions, TextureInfo, TextureInfoExtensions,
    TextureSource, TextureTransform,
};
pub use mesh::{Attributes, Draco, Mesh, MeshExtras, Primitive, PrimitiveExtensions};
pub use node::{
    Camera, Hoverability, Instancing, Light, Node, NodeExtensions, NodeLight, Orthographic,
    Perspective, PleachAmbient, PleachBackground, PleachBounds, PleachEnvironment, PleachFog,
    Scene, SceneExtensions, Selectability, Skin, Spot, Visibility,
};
pub(crate) use parse::{ParseLimits, json_error};
pub(crate) use pointer::pointer_to;
pub(crate) use scan::{Member, Members, value_at};
pub use tolerant::Tolerant;
pub(crate) use value::CONTROL_CHARACTER;
pub use value::{Text, UInt};

use std::ops::Range;

use serde::Deserialize;

use crate::Error;
use crate::diagnostics::{Pointer, Result};

/// The root object of a file.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Root<'a> {
    pub asset: Asset<'a>,
    pub scene: Option<UInt>,
    pub scenes: Vec<Scene<'a>>,
    pub nodes: Vec<Node<'a>>,
    pub meshes: Vec<Mesh<'a>>,
    pub skins: Vec<Skin>,
    pub cameras: Vec<Camera<'a>>,
    pub animations: Vec<Animation<'a>>,
    pub materials: Vec<Material<'a>>,
    pub textures: Vec<Texture>,
    pub images: Vec<Image<'a>>,
    pub samplers: Vec<Sampler>,
    pub accessors: Vec<Accessor<'a>>,
    pub buffer_views: Vec<BufferView<'a>>,
    pub buffers: Vec<Buffer<'a>>,
    pub extensions_used: Vec<Text<'a>>,
    pub extensions_required: Vec<Text<'a>>,
    pub extensions: Option<RootExtensions<'a>>,
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
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Asset<'a> {
    #[serde(borrow)]
    pub version: Text<'a>,
    #[serde(borrow, default)]
    pub min_version: Option<Text<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct RootExtensions<'a> {
    #[serde(rename = "KHR_lights_punctual", borrow, default)]
    pub lights: Option<Lights<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Lights<'a> {
    #[serde(borrow, default)]
    pub lights: Vec<Light<'a>>,
}

impl<'a> Root<'a> {
    /// Parses the text of a file, such as [`Document::json`](crate::Document::json).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Json`](crate::ErrorKind::Json) if the text is not valid JSON, or a member has the
    /// wrong type.
    pub fn from_json(json: &'a str) -> Result<Self> {
        let limits = crate::Limits::default();
        let max_depth = limits.max_json_depth;
        Self::parse(json, ParseLimits { max_depth, max_array_bytes: limits.max_file_bytes })
    }

    /// Returns the lights of KHR_lights_punctual.
    #[must_use]
    pub fn lights(&self) -> &[Light<'a>] {
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
