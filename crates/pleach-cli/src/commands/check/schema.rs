//! The members of the objects of glTF 2.0, from its JSON schemas.
//!
//! `extras` and `extensions`, which every object may have, are not listed.

/// A kind of object and its members.
#[derive(Debug)]
pub(super) struct ObjectKind {
    /// The name with its article.
    pub(super) name: &'static str,
    pub(super) members: &'static [(&'static str, MemberShape)],
}

/// The value of a member.
#[derive(Clone, Copy, Debug)]
pub(super) enum MemberShape {
    /// A value without members to check.
    Scalar,
    Object(&'static ObjectKind),
    Array(&'static ObjectKind),
}

use MemberShape::{Array, Object, Scalar};

macro_rules! kind {
    ($kind:ident, $name:literal, $($member:literal $(: $shape:expr)?),+) => {
        static $kind: ObjectKind = ObjectKind { name: $name, members: &[$(($member, kind!(@ $($shape)?))),+] };
    };
    (@) => { Scalar };
    (@ $shape:expr) => { $shape };
}

pub(super) static ROOT: ObjectKind = ObjectKind {
    name: "the file",
    members: &[
        ("asset", Object(&ASSET)),
        ("scene", Scalar),
        ("scenes", Array(&SCENE)),
        ("nodes", Array(&NODE)),
        ("meshes", Array(&MESH)),
        ("skins", Array(&SKIN)),
        ("cameras", Array(&CAMERA)),
        ("animations", Array(&ANIMATION)),
        ("materials", Array(&MATERIAL)),
        ("textures", Array(&TEXTURE)),
        ("images", Array(&IMAGE)),
        ("samplers", Array(&SAMPLER)),
        ("accessors", Array(&ACCESSOR)),
        ("bufferViews", Array(&BUFFER_VIEW)),
        ("buffers", Array(&BUFFER)),
        ("extensionsUsed", Scalar),
        ("extensionsRequired", Scalar),
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
kind!(MESH, "a mesh", "name", "primitives": Array(&PRIMITIVE), "weights");
kind!(PRIMITIVE, "a primitive", "attributes", "indices", "material", "mode", "targets");
kind!(SKIN, "a skin", "name", "inverseBindMatrices", "joints", "skeleton");

kind!(
    CAMERA, "a camera", "name", "type",
    "perspective": Object(&PERSPECTIVE), "orthographic": Object(&ORTHOGRAPHIC)
);
kind!(PERSPECTIVE, "a perspective", "aspectRatio", "yfov", "zfar", "znear");
kind!(ORTHOGRAPHIC, "an orthographic camera", "xmag", "ymag", "zfar", "znear");

kind!(
    ANIMATION, "an animation", "name",
    "channels": Array(&CHANNEL), "samplers": Array(&ANIMATION_SAMPLER)
);
kind!(CHANNEL, "a channel", "sampler", "target": Object(&TARGET));
kind!(TARGET, "a channel's target", "node", "path");
kind!(ANIMATION_SAMPLER, "an animation's sampler", "input", "interpolation", "output");

kind!(
    MATERIAL, "a material", "name", "pbrMetallicRoughness": Object(&PBR),
    "normalTexture": Object(&NORMAL_TEXTURE), "occlusionTexture": Object(&OCCLUSION_TEXTURE),
    "emissiveTexture": Object(&TEXTURE_INFO), "emissiveFactor", "alphaMode", "alphaCutoff",
    "doubleSided"
);
kind!(
    PBR, "pbrMetallicRoughness", "baseColorFactor", "baseColorTexture": Object(&TEXTURE_INFO),
    "metallicFactor", "roughnessFactor", "metallicRoughnessTexture": Object(&TEXTURE_INFO)
);
kind!(TEXTURE_INFO, "a material's texture", "index", "texCoord");
kind!(NORMAL_TEXTURE, "a normal texture", "index", "texCoord", "scale");
kind!(OCCLUSION_TEXTURE, "an occlusion texture", "index", "texCoord", "strength");
kind!(TEXTURE, "a texture", "name", "sampler", "source");
kind!(IMAGE, "an image", "name", "uri", "mimeType", "bufferView");
kind!(SAMPLER, "a sampler", "name", "magFilter", "minFilter", "wrapS", "wrapT");

kind!(
    ACCESSOR, "an accessor", "name", "bufferView", "byteOffset", "componentType", "normalized",
    "count", "type", "max", "min", "sparse": Object(&SPARSE)
);
kind!(SPARSE, "sparse", "count", "indices": Object(&SPARSE_INDICES), "values": Object(&SPARSE_VALUES));
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
