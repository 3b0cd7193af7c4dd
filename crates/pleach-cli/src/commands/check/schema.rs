//! The members that objects of glTF 2.0 have, as its schemas list them.
//!
//! `extras` and `extensions` may be in each, and are not listed.

/// A kind of object.
#[derive(Debug)]
pub(super) struct Kind {
    /// What one is called.
    pub(super) name: &'static str,
    pub(super) members: &'static [(&'static str, Shape)],
}

/// What a member holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Nothing whose members are looked at.
    Plain,
    One(&'static Kind),
    List(&'static Kind),
}

use Shape::{List, One, Plain};

macro_rules! kind {
    ($kind:ident, $name:literal, $($member:literal $(: $shape:expr)?),+) => {
        static $kind: Kind = Kind { name: $name, members: &[$(($member, kind!(@ $($shape)?))),+] };
    };
    (@) => { Plain };
    (@ $shape:expr) => { $shape };
}

pub(super) static ROOT: Kind = Kind {
    name: "the file",
    members: &[
        ("asset", One(&ASSET)),
        ("scene", Plain),
        ("scenes", List(&SCENE)),
        ("nodes", List(&NODE)),
        ("meshes", List(&MESH)),
        ("skins", List(&SKIN)),
        ("cameras", List(&CAMERA)),
        ("animations", List(&ANIMATION)),
        ("materials", List(&MATERIAL)),
        ("textures", List(&TEXTURE)),
        ("images", List(&IMAGE)),
        ("samplers", List(&SAMPLER)),
        ("accessors", List(&ACCESSOR)),
        ("bufferViews", List(&BUFFER_VIEW)),
        ("buffers", List(&BUFFER)),
        ("extensionsUsed", Plain),
        ("extensionsRequired", Plain),
    ],
};

kind!(ASSET, "the asset", "copyright", "generator", "version", "minVersion");
kind!(SCENE, "a scene", "name", "nodes");
kind!(
    NODE,
    "a node",
    "name",
    "children",
    "translation",
    "rotation",
    "scale",
    "matrix",
    "mesh",
    "skin",
    "camera",
    "weights"
);
kind!(MESH, "a mesh", "name", "primitives": List(&PRIMITIVE), "weights");
kind!(PRIMITIVE, "a primitive", "attributes", "indices", "material", "mode", "targets");
kind!(SKIN, "a skin", "name", "inverseBindMatrices", "joints", "skeleton");

kind!(
    CAMERA, "a camera", "name", "type",
    "perspective": One(&PERSPECTIVE), "orthographic": One(&ORTHOGRAPHIC)
);
kind!(PERSPECTIVE, "a perspective", "aspectRatio", "yfov", "zfar", "znear");
kind!(ORTHOGRAPHIC, "an orthographic camera", "xmag", "ymag", "zfar", "znear");

kind!(
    ANIMATION, "an animation", "name",
    "channels": List(&CHANNEL), "samplers": List(&ANIMATION_SAMPLER)
);
kind!(CHANNEL, "a channel", "sampler", "target": One(&TARGET));
kind!(TARGET, "a channel's target", "node", "path");
kind!(ANIMATION_SAMPLER, "an animation's sampler", "input", "interpolation", "output");

kind!(
    MATERIAL, "a material", "name", "pbrMetallicRoughness": One(&PBR),
    "normalTexture": One(&NORMAL_TEXTURE), "occlusionTexture": One(&OCCLUSION_TEXTURE),
    "emissiveTexture": One(&TEXTURE_INFO), "emissiveFactor", "alphaMode", "alphaCutoff",
    "doubleSided"
);
kind!(
    PBR, "pbrMetallicRoughness", "baseColorFactor", "baseColorTexture": One(&TEXTURE_INFO),
    "metallicFactor", "roughnessFactor", "metallicRoughnessTexture": One(&TEXTURE_INFO)
);
kind!(TEXTURE_INFO, "a material's texture", "index", "texCoord");
kind!(NORMAL_TEXTURE, "a normal texture", "index", "texCoord", "scale");
kind!(OCCLUSION_TEXTURE, "an occlusion texture", "index", "texCoord", "strength");
kind!(TEXTURE, "a texture", "name", "sampler", "source");
kind!(IMAGE, "an image", "name", "uri", "mimeType", "bufferView");
kind!(SAMPLER, "a sampler", "name", "magFilter", "minFilter", "wrapS", "wrapT");

kind!(
    ACCESSOR, "an accessor", "name", "bufferView", "byteOffset", "componentType", "normalized",
    "count", "type", "max", "min", "sparse": One(&SPARSE)
);
kind!(SPARSE, "sparse", "count", "indices": One(&SPARSE_INDICES), "values": One(&SPARSE_VALUES));
kind!(SPARSE_INDICES, "sparse indices", "bufferView", "byteOffset", "componentType");
kind!(SPARSE_VALUES, "sparse values", "bufferView", "byteOffset");
kind!(
    BUFFER_VIEW,
    "a buffer view",
    "name",
    "buffer",
    "byteOffset",
    "byteLength",
    "byteStride",
    "target"
);
kind!(BUFFER, "a buffer", "name", "uri", "byteLength");
