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
pub use mesh::{
    Attributes, Draco, Mesh, MeshExtras, Primitive, PrimitiveExtensions, VariantMapping,
    VariantMappings,
};
pub use node::{
    Camera, Hoverability, Instancing, Light, Node, NodeExtensions, NodeLight, Orthographic,
    Perspective, PleachAmbient, PleachBackground, PleachBounds, PleachEnvironment,
    PleachEnvironmentMap, PleachFog, PleachMapBackground, Scene, SceneExtensions, Selectability,
    Skin, Spot, Visibility,
};
pub(crate) use parse::{ParseLimits, json_error};
pub(crate) use pointer::pointer_to;
pub(crate) use scan::{Member, Members, value_at};
pub use tolerant::Tolerant;
pub(crate) use value::CONTROL_CHARACTER;
pub use value::{Text, UInt};

use std::ops::Range;

use serde::Deserialize;

use self::tolerant::lenient;
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
    pub skins: Vec<Skin<'a>>,
    pub cameras: Vec<Camera<'a>>,
    pub animations: Vec<Animation<'a>>,
    pub materials: Vec<Material<'a>>,
    pub textures: Vec<Texture<'a>>,
    pub images: Vec<Image<'a>>,
    pub samplers: Vec<Sampler<'a>>,
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
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub generator: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub copyright: Option<Text<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct RootExtensions<'a> {
    #[serde(rename = "KHR_lights_punctual", borrow, default)]
    pub lights: Option<Lights<'a>>,
    #[serde(rename = "KHR_materials_variants", borrow, default)]
    pub variants: Option<Tolerant<Variants<'a>>>,
}

/// The material variants of a file (KHR_materials_variants).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Variants<'a> {
    #[serde(borrow, default)]
    pub variants: Vec<Variant<'a>>,
}

/// A material variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Variant<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_generator_copyright_and_variants_are_read() {
        let text = r#"{"asset": {"version": "2.0", "generator": "tool", "copyright": "someone"},
            "skins": [{"name": "arm", "joints": [0]}],
            "cameras": [{"name": "eye", "type": "perspective"}],
            "meshes": [{"name": "box", "primitives": [{"attributes": {}, "extensions":
                {"KHR_materials_variants": {"mappings": [{"material": 7, "variants": [1]}]}}}]}],
            "textures": [{"name": "wood"}], "samplers": [{"name": "tiled"}],
            "accessors": [{"name": "corners", "componentType": 5126, "count": 8, "type": "VEC3"}],
            "bufferViews": [{"name": "part", "buffer": 0, "byteLength": 1, "target": 34962}],
            "buffers": [{"name": "all", "byteLength": 1}],
            "extensions": {"KHR_lights_punctual": {"lights": [{"name": "sun", "type": "point"}]},
                "KHR_materials_variants": {"variants": [{"name": "new"}, {"name": "old"}]}}}"#;
        let root = Root::from_json(text).unwrap();
        let asset = &root.asset;
        let names = [
            (&asset.generator, "tool"),
            (&asset.copyright, "someone"),
            (&root.skins[0].name, "arm"),
            (&root.cameras[0].name, "eye"),
            (&root.meshes[0].name, "box"),
            (&root.textures[0].name, "wood"),
            (&root.samplers[0].name, "tiled"),
            (&root.accessors[0].name, "corners"),
            (&root.buffer_views[0].name, "part"),
            (&root.buffers[0].name, "all"),
            (&root.lights()[0].name, "sun"),
        ];
        for (name, expected) in names {
            assert_eq!(name.as_deref(), Some(expected));
        }
        assert_eq!(root.buffer_views[0].target, Some(UInt::new(34962)));
        let variants = root.extensions.as_ref().unwrap().variants.as_ref().unwrap();
        let variants = &variants.as_result().unwrap().variants;
        assert!(variants.iter().map(|it| &*it.name).eq(["new", "old"]));
        let extensions = root.meshes[0].primitives[0].extensions.as_ref().unwrap();
        let mappings = extensions.variants.as_ref().unwrap().as_result().unwrap();
        assert_eq!(mappings.mappings[0].material, UInt::new(7));
        assert_eq!(mappings.mappings[0].variants, [UInt::new(1)]);
    }

    #[test]
    fn what_loading_does_not_need_may_have_any_type() {
        let text = r#"{"asset": {"version": "2.0", "generator": 7, "copyright": null},
            "skins": [{"name": [], "joints": [0]}], "textures": [{"name": {}}],
            "bufferViews": [{"buffer": 0, "byteLength": 1, "target": "vertices"}],
            "extensions": {"KHR_materials_variants": {"variants": "none"}}}"#;
        let root = Root::from_json(text).unwrap();
        assert_eq!((&root.asset.generator, &root.asset.copyright), (&None, &None));
        assert_eq!((&root.skins[0].name, &root.textures[0].name), (&None, &None));
        assert_eq!(root.buffer_views[0].target, None);
        let variants = root.extensions.as_ref().unwrap().variants.as_ref().unwrap();
        assert!(variants.as_result().is_err());
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn entries_that_files_have_by_the_million_are_small() {
        assert_eq!(size_of::<Node<'_>>(), 152);
        assert!(size_of::<Scene<'_>>() <= 56);
    }
}
