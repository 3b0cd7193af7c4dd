//! The members of the objects of glTF 2.0 and of the known extensions, from their JSON schemas.
//!
//! `extras` and `extensions`, which every object may have, are not listed. The values of enumerated
//! strings are not listed either: other values are allowed, for extensions.

use Shape::{
    Above, Array, Attributes, Bool, Choice, Index, Indices, Names, Number, Numbers, Object, Text,
    UInt, Unchecked,
};

/// A kind of object and its members.
#[derive(Debug)]
pub(super) struct ObjectKind {
    /// The name with its article.
    pub(super) name: &'static str,
    pub(super) members: &'static [Member],
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

/// The allowed values of a member. Ranges include both ends, except for `Above`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Any value: checked elsewhere.
    Unchecked,
    Bool,
    Text,
    /// An index of an entry.
    Index,
    /// A list of distinct indices, with at least one.
    Indices,
    /// An object with at least one index.
    Attributes,
    /// A list of distinct strings, with at least one.
    Names,
    /// An integer.
    UInt(u64, u64),
    /// One of several integers.
    Choice(&'static [u64]),
    Number(f64, f64),
    /// A number greater than another.
    Above(f64),
    /// A list with this number of numbers, in a range; at least one if the number is 0.
    Numbers(usize, f64, f64),
    Object(&'static ObjectKind),
    /// A list of objects, with at least one.
    Array(&'static ObjectKind),
}

const MIN: f64 = f64::NEG_INFINITY;
const MAX: f64 = f64::INFINITY;
const ANY: Shape = Number(MIN, MAX);
const POSITIVE: Shape = Number(0.0, MAX);
const UNIT: Shape = Number(0.0, 1.0);
const COLOR: Shape = Numbers(3, 0.0, 1.0);
const OFFSET: Shape = UInt(0, u64::MAX);
const LENGTH: Shape = UInt(1, u64::MAX);

macro_rules! kinds {
    ($($kind:ident = $name:literal {$($key:literal $($required:ident)?: $shape:expr),* $(,)?})*) => {
        $(pub(super) static $kind: ObjectKind = ObjectKind {
            name: $name,
            members: &[$(Member { key: $key, shape: $shape, is_required: kinds!(@ $($required)?) }),*],
        };)*
    };
    (@) => { false };
    (@ required) => { true };
}

kinds! {
    ROOT = "the file" {
        "asset" required: Object(&ASSET), "scene": Index, "scenes": Array(&SCENE),
        "nodes": Array(&NODE), "meshes": Array(&MESH), "skins": Array(&SKIN),
        "cameras": Array(&CAMERA), "animations": Array(&ANIMATION),
        "materials": Array(&MATERIAL), "textures": Array(&TEXTURE), "images": Array(&IMAGE),
        "samplers": Array(&SAMPLER), "accessors": Array(&ACCESSOR),
        "bufferViews": Array(&BUFFER_VIEW), "buffers": Array(&BUFFER),
        "extensionsUsed": Names, "extensionsRequired": Names,
    }
    ASSET = "the asset" {
        "copyright": Text, "generator": Text, "version" required: Text, "minVersion": Text,
    }
    SCENE = "a scene" { "name": Text, "nodes": Indices }
    NODE = "a node" {
        "name": Text, "children": Indices, "translation": Numbers(3, MIN, MAX),
        "rotation": Numbers(4, -1.0, 1.0), "scale": Numbers(3, MIN, MAX),
        "matrix": Numbers(16, MIN, MAX), "mesh": Index, "skin": Index, "camera": Index,
        "weights": Numbers(0, MIN, MAX),
    }
    MESH = "a mesh" {
        "name": Text, "primitives" required: Array(&PRIMITIVE), "weights": Numbers(0, MIN, MAX),
    }
    PRIMITIVE = "a primitive" {
        "attributes" required: Attributes, "indices": Index, "material": Index,
        "mode": UInt(0, 6), "targets": Unchecked,
    }
    SKIN = "a skin" {
        "name": Text, "inverseBindMatrices": Index, "joints" required: Indices, "skeleton": Index,
    }
    CAMERA = "a camera" {
        "name": Text, "type" required: Text, "perspective": Object(&PERSPECTIVE),
        "orthographic": Object(&ORTHOGRAPHIC),
    }
    PERSPECTIVE = "a perspective" {
        "aspectRatio": Above(0.0), "yfov" required: Above(0.0), "zfar": Above(0.0),
        "znear" required: Above(0.0),
    }
    ORTHOGRAPHIC = "an orthographic camera" {
        "xmag" required: ANY, "ymag" required: ANY, "zfar" required: Above(0.0),
        "znear" required: POSITIVE,
    }
    ANIMATION = "an animation" {
        "name": Text, "channels" required: Array(&CHANNEL),
        "samplers" required: Array(&ANIMATION_SAMPLER),
    }
    CHANNEL = "a channel" { "sampler" required: Index, "target" required: Object(&TARGET) }
    TARGET = "a channel's target" { "node": Index, "path" required: Text }
    ANIMATION_SAMPLER = "an animation's sampler" {
        "input" required: Index, "interpolation": Text, "output" required: Index,
    }
    MATERIAL = "a material" {
        "name": Text, "pbrMetallicRoughness": Object(&PBR),
        "normalTexture": Object(&NORMAL_TEXTURE), "occlusionTexture": Object(&OCCLUSION_TEXTURE),
        "emissiveTexture": Object(&TEXTURE_INFO), "emissiveFactor": COLOR, "alphaMode": Text,
        "alphaCutoff": POSITIVE, "doubleSided": Bool,
    }
    PBR = "pbrMetallicRoughness" {
        "baseColorFactor": Numbers(4, 0.0, 1.0), "baseColorTexture": Object(&TEXTURE_INFO),
        "metallicFactor": UNIT, "roughnessFactor": UNIT,
        "metallicRoughnessTexture": Object(&TEXTURE_INFO),
    }
    TEXTURE_INFO = "a material's texture" { "index" required: Index, "texCoord": OFFSET }
    NORMAL_TEXTURE = "a normal texture" {
        "index" required: Index, "texCoord": OFFSET, "scale": ANY,
    }
    OCCLUSION_TEXTURE = "an occlusion texture" {
        "index" required: Index, "texCoord": OFFSET, "strength": UNIT,
    }
    TEXTURE = "a texture" { "name": Text, "sampler": Index, "source": Index }
    IMAGE = "an image" { "name": Text, "uri": Text, "mimeType": Text, "bufferView": Index }
    SAMPLER = "a sampler" {
        "name": Text, "magFilter": Choice(&[9728, 9729]),
        "minFilter": Choice(&[9728, 9729, 9984, 9985, 9986, 9987]),
        "wrapS": Choice(&[33071, 33648, 10497]), "wrapT": Choice(&[33071, 33648, 10497]),
    }
    ACCESSOR = "an accessor" {
        "name": Text, "bufferView": Index, "byteOffset": OFFSET,
        "componentType" required: Choice(&[5120, 5121, 5122, 5123, 5125, 5126]),
        "normalized": Bool, "count" required: LENGTH, "type" required: Text,
        "max": Numbers(0, MIN, MAX), "min": Numbers(0, MIN, MAX), "sparse": Object(&SPARSE),
    }
    SPARSE = "sparse" {
        "count" required: LENGTH, "indices" required: Object(&SPARSE_INDICES),
        "values" required: Object(&SPARSE_VALUES),
    }
    SPARSE_INDICES = "sparse indices" {
        "bufferView" required: Index, "byteOffset": OFFSET,
        "componentType" required: Choice(&[5121, 5123, 5125]),
    }
    SPARSE_VALUES = "sparse values" { "bufferView" required: Index, "byteOffset": OFFSET }
    BUFFER_VIEW = "a buffer view" {
        "name": Text, "buffer" required: Index, "byteOffset": OFFSET, "byteLength" required: LENGTH,
        "byteStride": UInt(4, 252), "target": Choice(&[34962, 34963]),
    }
    BUFFER = "a buffer" { "name": Text, "uri": Text, "byteLength" required: LENGTH }

    LIGHTS = "KHR_lights_punctual" { "lights" required: Array(&LIGHT) }
    LIGHT = "a light" {
        "name": Text, "color": COLOR, "intensity": POSITIVE, "spot": Object(&SPOT),
        "type" required: Text, "range": Above(0.0),
    }
    SPOT = "a spot light" {
        "innerConeAngle": Number(0.0, std::f64::consts::FRAC_PI_2),
        "outerConeAngle": Number(0.0, std::f64::consts::FRAC_PI_2),
    }
    IMAGE_BASED_LIGHTS = "EXT_lights_image_based" { "lights" required: Array(&IMAGE_BASED_LIGHT) }
    IMAGE_BASED_LIGHT = "an image-based light" {
        "name": Text, "rotation": Numbers(4, -1.0, 1.0), "intensity": ANY,
        "irradianceCoefficients" required: Unchecked, "specularImages" required: Unchecked,
        "specularImageSize" required: LENGTH,
    }
    SCENE_LIGHT = "the image-based light of a scene" { "light" required: Index }
    NODE_LIGHT = "the light of a node" { "light" required: Index }
    INSTANCING = "EXT_mesh_gpu_instancing" { "attributes" required: Attributes }
    HOVERABILITY = "KHR_node_hoverability" { "hoverable": Bool }
    SELECTABILITY = "KHR_node_selectability" { "selectable": Bool }
    VISIBILITY = "KHR_node_visibility" { "visible": Bool }
    BOUNDS = "PLEACH_bounds" { "min": Numbers(3, MIN, MAX), "max": Numbers(3, MIN, MAX) }
    ENVIRONMENT = "PLEACH_environment" {
        "ambient": Object(&AMBIENT), "map": Object(&ENVIRONMENT_MAP),
        "background": Object(&BACKGROUND), "fog": Object(&FOG),
    }
    AMBIENT = "the ambient light of a scene" { "color": Numbers(3, MIN, MAX), "intensity": ANY }
    ENVIRONMENT_MAP = "the environment map of a scene" {
        "image": Index, "intensity": POSITIVE, "rotation": ANY,
    }
    BACKGROUND = "the background of a scene" {
        "color": Numbers(3, MIN, MAX), "map": Object(&MAP_BACKGROUND),
    }
    MAP_BACKGROUND = "the environment map as background" { "blur": UNIT }
    FOG = "the fog of a scene" {
        "color": Numbers(3, MIN, MAX), "near" required: ANY, "far" required: ANY,
    }
    VARIANTS = "KHR_materials_variants" { "variants" required: Array(&VARIANT) }
    VARIANT = "a variant" { "name" required: Text }
    MAPPINGS = "KHR_materials_variants" { "mappings" required: Array(&MAPPING) }
    MAPPING = "a mapping of variants" {
        "variants" required: Indices, "material" required: Index, "name": Text,
    }
    DRACO = "KHR_draco_mesh_compression" {
        "bufferView" required: Index, "attributes" required: Attributes,
    }
    ANIMATION_POINTER = "KHR_animation_pointer" { "pointer" required: Text }
    TEXTURE_SOURCE = "the image of a texture" { "source": Index }
    MESHOPT = "meshopt compression" {
        "buffer" required: Index, "byteOffset": OFFSET, "byteLength" required: LENGTH,
        "byteStride" required: UInt(1, 256), "count" required: LENGTH, "mode" required: Text,
        "filter": Text,
    }
    MESHOPT_BUFFER = "the fallback of a buffer" { "fallback": Bool }
    TRANSFORM = "KHR_texture_transform" {
        "offset": Numbers(2, MIN, MAX), "rotation": ANY, "scale": Numbers(2, MIN, MAX),
        "texCoord": OFFSET,
    }
    ANISOTROPY = "KHR_materials_anisotropy" {
        "anisotropyStrength": UNIT, "anisotropyRotation": ANY,
        "anisotropyTexture": Object(&TEXTURE_INFO),
    }
    CLEARCOAT = "KHR_materials_clearcoat" {
        "clearcoatFactor": UNIT, "clearcoatTexture": Object(&TEXTURE_INFO),
        "clearcoatRoughnessFactor": UNIT, "clearcoatRoughnessTexture": Object(&TEXTURE_INFO),
        "clearcoatNormalTexture": Object(&NORMAL_TEXTURE),
    }
    DIFFUSE_TRANSMISSION = "KHR_materials_diffuse_transmission" {
        "diffuseTransmissionFactor": UNIT, "diffuseTransmissionTexture": Object(&TEXTURE_INFO),
        "diffuseTransmissionColorFactor": Numbers(3, 0.0, MAX),
        "diffuseTransmissionColorTexture": Object(&TEXTURE_INFO),
    }
    DISPERSION = "KHR_materials_dispersion" { "dispersion": POSITIVE }
    EMISSIVE_STRENGTH = "KHR_materials_emissive_strength" { "emissiveStrength": POSITIVE }
    // An index of refraction of 0 is allowed, those between 0 and 1 are not.
    IOR = "KHR_materials_ior" { "ior": POSITIVE }
    IRIDESCENCE = "KHR_materials_iridescence" {
        "iridescenceFactor": UNIT, "iridescenceTexture": Object(&TEXTURE_INFO),
        "iridescenceIor": Number(1.0, MAX), "iridescenceThicknessMinimum": POSITIVE,
        "iridescenceThicknessMaximum": POSITIVE,
        "iridescenceThicknessTexture": Object(&TEXTURE_INFO),
    }
    SPECULAR_GLOSSINESS = "KHR_materials_pbrSpecularGlossiness" {
        "diffuseFactor": Numbers(4, 0.0, 1.0), "diffuseTexture": Object(&TEXTURE_INFO),
        "specularFactor": COLOR, "glossinessFactor": UNIT,
        "specularGlossinessTexture": Object(&TEXTURE_INFO),
    }
    SHEEN = "KHR_materials_sheen" {
        "sheenColorFactor": COLOR, "sheenColorTexture": Object(&TEXTURE_INFO),
        "sheenRoughnessFactor": UNIT, "sheenRoughnessTexture": Object(&TEXTURE_INFO),
    }
    SPECULAR = "KHR_materials_specular" {
        "specularFactor": UNIT, "specularTexture": Object(&TEXTURE_INFO),
        "specularColorFactor": Numbers(3, 0.0, MAX), "specularColorTexture": Object(&TEXTURE_INFO),
    }
    TRANSMISSION = "KHR_materials_transmission" {
        "transmissionFactor": UNIT, "transmissionTexture": Object(&TEXTURE_INFO),
    }
    UNLIT = "KHR_materials_unlit" {}
    VOLUME = "KHR_materials_volume" {
        "thicknessFactor": POSITIVE, "thicknessTexture": Object(&TEXTURE_INFO),
        "attenuationDistance": Above(0.0), "attenuationColor": COLOR,
    }
}

type Kind = &'static ObjectKind;

const INFOS: [Kind; 3] = [&TEXTURE_INFO, &NORMAL_TEXTURE, &OCCLUSION_TEXTURE];

/// The objects of extensions: name, objects that have it, own kind.
static EXTENSIONS: &[(&str, &[Kind], Kind)] = &[
    ("EXT_lights_image_based", &[&ROOT], &IMAGE_BASED_LIGHTS),
    ("EXT_lights_image_based", &[&SCENE], &SCENE_LIGHT),
    ("EXT_mesh_gpu_instancing", &[&NODE], &INSTANCING),
    ("EXT_meshopt_compression", &[&BUFFER_VIEW], &MESHOPT),
    ("EXT_meshopt_compression", &[&BUFFER], &MESHOPT_BUFFER),
    ("EXT_texture_avif", &[&TEXTURE], &TEXTURE_SOURCE),
    ("EXT_texture_webp", &[&TEXTURE], &TEXTURE_SOURCE),
    ("KHR_animation_pointer", &[&TARGET], &ANIMATION_POINTER),
    ("KHR_draco_mesh_compression", &[&PRIMITIVE], &DRACO),
    ("KHR_lights_punctual", &[&ROOT], &LIGHTS),
    ("KHR_lights_punctual", &[&NODE], &NODE_LIGHT),
    ("KHR_materials_anisotropy", &[&MATERIAL], &ANISOTROPY),
    ("KHR_materials_clearcoat", &[&MATERIAL], &CLEARCOAT),
    ("KHR_materials_diffuse_transmission", &[&MATERIAL], &DIFFUSE_TRANSMISSION),
    ("KHR_materials_dispersion", &[&MATERIAL], &DISPERSION),
    ("KHR_materials_emissive_strength", &[&MATERIAL], &EMISSIVE_STRENGTH),
    ("KHR_materials_ior", &[&MATERIAL], &IOR),
    ("KHR_materials_iridescence", &[&MATERIAL], &IRIDESCENCE),
    ("KHR_materials_pbrSpecularGlossiness", &[&MATERIAL], &SPECULAR_GLOSSINESS),
    ("KHR_materials_sheen", &[&MATERIAL], &SHEEN),
    ("KHR_materials_specular", &[&MATERIAL], &SPECULAR),
    ("KHR_materials_transmission", &[&MATERIAL], &TRANSMISSION),
    ("KHR_materials_unlit", &[&MATERIAL], &UNLIT),
    ("KHR_materials_variants", &[&ROOT], &VARIANTS),
    ("KHR_materials_variants", &[&PRIMITIVE], &MAPPINGS),
    ("KHR_materials_volume", &[&MATERIAL], &VOLUME),
    ("KHR_meshopt_compression", &[&BUFFER_VIEW], &MESHOPT),
    ("KHR_meshopt_compression", &[&BUFFER], &MESHOPT_BUFFER),
    ("KHR_node_hoverability", &[&NODE], &HOVERABILITY),
    ("KHR_node_selectability", &[&NODE], &SELECTABILITY),
    ("KHR_node_visibility", &[&NODE], &VISIBILITY),
    ("KHR_texture_basisu", &[&TEXTURE], &TEXTURE_SOURCE),
    ("KHR_texture_transform", &INFOS, &TRANSFORM),
    ("PLEACH_bounds", &[&NODE], &BOUNDS),
    ("PLEACH_environment", &[&SCENE], &ENVIRONMENT),
];

/// The object of an extension.
pub(super) enum ExtensionObject {
    /// Not described here.
    Unknown,
    /// The extension is known, but not for this object.
    Misplaced,
    Known(Kind),
}

/// Returns the kind of the object of an extension in an object of the kind `parent`.
pub(super) fn extension(name: &str, parent: &ObjectKind) -> ExtensionObject {
    let mut result = ExtensionObject::Unknown;
    for (_, parents, kind) in EXTENSIONS.iter().filter(|it| it.0 == name) {
        if parents.iter().any(|it| std::ptr::eq(*it, parent)) {
            return ExtensionObject::Known(kind);
        }
        result = ExtensionObject::Misplaced;
    }
    result
}
