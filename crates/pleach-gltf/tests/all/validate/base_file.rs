//! A valid file with an object of every kind, to be broken in one place at a time.

use serde_json::{Value, json};

use crate::common::accessors::{Builder, bytes_of, data_uri, width};

/// A PNG of one grey pixel.
pub(super) const PNG: [u8; 67] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0,
    0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 104, 0, 0, 0, 130, 0, 129,
    119, 205, 114, 182, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

/// Indices of the accessors of [`base`].
pub(super) const POSITIONS: usize = 0;
pub(super) const NORMALS: usize = 1;
pub(super) const TANGENTS: usize = 2;
pub(super) const COLORS: usize = 4;
pub(super) const INDICES: usize = 5;
pub(super) const WEIGHTS: usize = 7;
pub(super) const BINDS: usize = 8;
pub(super) const TIMES: usize = 9;
pub(super) const ROTATIONS: usize = 11;
pub(super) const UNUSED: usize = 13;

fn floats(builder: &mut Builder, kind: &str, numbers: &[f32], has_range: bool) -> usize {
    let index = builder.floats(kind, numbers);
    if has_range {
        let width = width(kind);
        let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let of = |at: usize| numbers.iter().skip(at).step_by(width).copied().reduce(pick);
            (0..width).filter_map(of).collect()
        };
        builder.accessors[index]["min"] = json!(fold(f32::min));
        builder.accessors[index]["max"] = json!(fold(f32::max));
    }
    index
}

/// Returns the JSON, with the buffer in a data URI, and the bytes of the buffer.
pub(super) fn base() -> (Value, Vec<u8>) {
    let mut builder = Builder::default();
    let b = &mut builder;
    let identity = [1.0, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    floats(b, "VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], true);
    floats(b, "VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0], false);
    floats(b, "VEC4", &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -1.0], false);
    floats(b, "VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], false);
    floats(b, "VEC3", &[0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 0.0, 0.5, 1.0], false);
    b.packed(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0]);
    b.packed(5121, "VEC4", 3, &[0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    floats(b, "VEC4", &[0.5, 0.5, 0., 0., 1.0, 0., 0., 0., 1.0, 0., 0., 0.], false);
    floats(b, "MAT4", &[identity, identity].concat(), false);
    floats(b, "SCALAR", &[0.0, 1.0], true);
    floats(b, "VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0], false);
    floats(b, "VEC4", &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], false);
    floats(b, "SCALAR", &[0.0, 1.0], false);
    floats(b, "VEC3", &[1.0, 2.0, 3.0], false);
    let image = b.view(&PNG);
    let buffer = data_uri("application/octet-stream", &builder.bin);
    let attributes = json!({"POSITION": 0, "NORMAL": 1, "TANGENT": 2, "TEXCOORD_0": 3,
        "COLOR_0": 4});
    let mut skinned = attributes.clone();
    skinned["JOINTS_0"] = json!(6);
    skinned["WEIGHTS_0"] = json!(7);
    let info = json!({"index": 0});
    let sampler = |output: usize| json!({"input": 9, "output": output});
    let channel = |sampler: usize, path: &str, node: usize| json!({"sampler": sampler, "target": {"node": node, "path": path}});
    let json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_lights_punctual", "KHR_materials_variants",
            "KHR_materials_clearcoat", "KHR_materials_ior", "KHR_texture_transform",
            "KHR_materials_volume", "KHR_materials_transmission", "KHR_materials_sheen",
            "KHR_materials_specular", "KHR_materials_iridescence", "KHR_materials_anisotropy",
            "KHR_materials_emissive_strength"],
        "scene": 0,
        "scenes": [{"nodes": [0, 1, 2]}],
        "nodes": [
            {"name": "body", "mesh": 0, "skin": 0},
            {"name": "hip", "children": [3]},
            {"name": "flag", "mesh": 1, "weights": [0.5], "translation": [0, 0, 1],
                "children": [4, 5]},
            {"name": "knee", "translation": [0, 1, 0]},
            {"name": "eye", "camera": 0, "matrix": identity},
            {"name": "lamp", "camera": 1, "rotation": [0, 0, 0, 1], "scale": [1, 1, 1],
                "extensions": {"KHR_lights_punctual": {"light": 0}}},
        ],
        "meshes": [
            {"primitives": [{"attributes": skinned, "indices": 5, "material": 0}]},
            {"weights": [0.0], "primitives": [{"attributes": attributes, "material": 0, "mode": 4,
                "targets": [{"POSITION": 0}],
                "extensions": {"KHR_materials_variants": {"mappings":
                    [{"material": 1, "variants": [0]}, {"material": 0, "variants": [1]}]}}}]},
        ],
        "skins": [{"joints": [1, 3], "skeleton": 1, "inverseBindMatrices": 8}],
        "cameras": [
            {"type": "perspective", "perspective":
                {"yfov": 1.0, "znear": 0.1, "zfar": 100.0, "aspectRatio": 1.5}},
            {"type": "orthographic", "orthographic":
                {"xmag": 1.0, "ymag": 1.0, "znear": 0.1, "zfar": 10.0}},
        ],
        "animations": [{"samplers": [sampler(10), sampler(11), sampler(12)],
            "channels": [channel(0, "translation", 3), channel(1, "rotation", 3),
                channel(2, "weights", 2)]}],
        "materials": [
            {"pbrMetallicRoughness": {"baseColorTexture": info, "baseColorFactor": [1, 1, 1, 1],
                "metallicFactor": 0.5, "roughnessFactor": 0.5, "metallicRoughnessTexture": info},
             "normalTexture": {"index": 0, "scale": 1.0, "extensions":
                {"KHR_texture_transform": {"offset": [0, 0], "rotation": 0.5, "scale": [1, 1]}}},
             "occlusionTexture": {"index": 0, "strength": 1.0}, "emissiveTexture": info,
             "emissiveFactor": [1, 1, 1], "alphaMode": "MASK", "alphaCutoff": 0.5,
             "extensions": {
                "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatTexture": info},
                "KHR_materials_ior": {"ior": 1.5},
                "KHR_materials_volume": {"thicknessFactor": 1, "attenuationDistance": 1,
                    "attenuationColor": [1, 1, 1]},
                "KHR_materials_transmission": {"transmissionFactor": 1},
                "KHR_materials_sheen": {"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 1},
                "KHR_materials_specular": {"specularFactor": 1, "specularColorFactor": [1, 1, 1]},
                "KHR_materials_iridescence": {"iridescenceFactor": 1, "iridescenceIor": 1.3,
                    "iridescenceThicknessMinimum": 100, "iridescenceThicknessMaximum": 400},
                "KHR_materials_anisotropy": {"anisotropyStrength": 1, "anisotropyRotation": 0},
                "KHR_materials_emissive_strength": {"emissiveStrength": 2},
             }},
            {"name": "red"},
        ],
        "textures": [{"sampler": 0, "source": 0}],
        "samplers": [{"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 33071}],
        "images": [{"bufferView": image, "mimeType": "image/png"}],
        "accessors": builder.accessors,
        "bufferViews": builder.views,
        "buffers": [{"uri": buffer, "byteLength": builder.bin.len()}],
        "extensions": {
            "KHR_lights_punctual": {"lights": [{"type": "spot", "color": [1, 1, 1],
                "intensity": 1, "range": 10, "spot": {"innerConeAngle": 0.1,
                "outerConeAngle": 0.5}}]},
            "KHR_materials_variants": {"variants": [{"name": "plain"}, {"name": "red"}]},
        },
    });
    (json, builder.bin)
}

/// Writes floats into an accessor's data.
pub(super) fn set_floats(json: &mut Value, accessor: usize, at: usize, numbers: &[f32]) {
    let (_, mut bin) = base();
    let view = json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let start = json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize + 4 * at;
    bin[start..start + 4 * numbers.len()].copy_from_slice(&bytes_of(numbers));
    json["buffers"][0]["uri"] = json!(data_uri("application/octet-stream", &bin));
}
