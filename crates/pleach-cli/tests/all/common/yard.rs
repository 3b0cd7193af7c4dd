//! A small test scene with every kind of object.
//!
//! In the file's axes (+Y up): a shed of 2 × 2 × 2 m next to the origin, three instanced fence
//! posts, a lamp with a mesh and a light, a skinned flag on a pole of two joints, a camera 10 m in
//! front, a sun, and in a hidden attic a box with a morph target. A second scene has a crate; one
//! node is not in any scene.

use pleach_gltf::Format;
use serde_json::{Value, json};

use super::Directory;
use super::gltf_builder::GltfBuilder;

/// An image of 4 × 2 pixels.
pub(crate) const PNG: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 4, 0, 0, 0, 2, 8, 2, 0,
    0, 0, 240, 202, 234, 52, 0, 0, 0, 35, 73, 68, 65, 84, 120, 218, 99, 152, 22, 165, 177, 42, 74,
    99, 95, 148, 198, 165, 40, 13, 134, 105, 21, 26, 171, 42, 52, 246, 85, 104, 92, 170, 208, 0, 0,
    131, 30, 10, 41, 33, 196, 131, 104, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

/// The JSON, and the bytes of `yard.bin`.
pub(crate) fn yard() -> (Value, Vec<u8>) {
    let mut builder = GltfBuilder::default();
    let meshes = meshes(&mut builder);
    let image = builder.view(PNG);
    let translations = builder.vectors(&[[-2.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [-4.0, 0.0, 0.0f32]]);
    let translation_y = |down: f32| {
        let mut matrix = [0.0; 16];
        [matrix[0], matrix[5], matrix[10], matrix[15]] = [1.0; 4];
        matrix[13] = -down;
        matrix
    };
    let binds = builder.vectors(&[translation_y(0.0), translation_y(1.0)]);
    let (seconds, turns) = (
        builder.vectors(&[[0.0], [1.0], [2.0f32]]),
        builder.vectors(&[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.6, 0.8], [0.0, 0.0, 0.0, 1.0f32]]),
    );
    let (moments, swelling) =
        (builder.vectors(&[[0.0], [0.5f32]]), builder.vectors(&[[0.0], [1.0f32]]));

    let json = json!({
        "asset": {"version": "2.0", "generator": "pleach tests", "copyright": "pleach"},
        "extensionsUsed":
            ["KHR_lights_punctual", "EXT_mesh_gpu_instancing", "KHR_node_visibility"],
        "extensionsRequired": ["EXT_mesh_gpu_instancing"],
        "scene": 0,
        "scenes": [{"name": "yard", "nodes": [0]}, {"name": "store", "nodes": [12]}],
        "nodes": [
            {"name": "yard", "children": [1, 2, 3, 5, 6, 8, 10, 11]},
            {"name": "shed", "mesh": 0, "translation": [2, 1, 0]},
            {"name": "fence", "mesh": 1, "extensions":
                {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": translations}}}},
            {"name": "attic", "children": [4], "translation": [2, 3, 0],
                "extensions": {"KHR_node_visibility": {"visible": false}}},
            {"name": "box", "mesh": 2, "weights": [0]},
            {"name": "sun", "rotation": [-0.6, 0, 0, 0.8],
                "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "eye", "camera": 0, "translation": [0, 1, 10]},
            {"name": "flag", "mesh": 3, "skin": 0},
            {"name": "pole", "translation": [0, 1, 2], "children": [9]},
            {"name": "tip", "translation": [0, 1, 0]},
            {"name": "lamp", "mesh": 2, "translation": [-1, 2, 0], "scale": [1, 1, 1],
                "extensions": {"KHR_lights_punctual": {"light": 1}}},
            {"name": "socket"},
            {"mesh": 2, "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 0, 0, 1]},
            {"name": "lost"},
        ],
        "meshes": meshes,
        "skins": [{"name": "cloth", "joints": [8, 9], "inverseBindMatrices": binds}],
        "materials": [
            {"name": "wood", "pbrMetallicRoughness":
                {"baseColorTexture": {"index": 0}, "metallicFactor": 0}},
            {"name": "tile", "doubleSided": true, "pbrMetallicRoughness":
                {"baseColorFactor": [0.7, 0.2, 0.1, 1], "metallicFactor": 0}},
        ],
        "textures": [{"source": 0}],
        "images": [{"name": "planks", "bufferView": image, "mimeType": "image/png"}],
        "animations": [
            {"name": "wave",
                "samplers": [{"input": seconds, "output": turns}],
                "channels": [{"sampler": 0, "target": {"node": 9, "path": "rotation"}}]},
            {"name": "swell",
                "samplers": [{"input": moments, "output": swelling}],
                "channels": [{"sampler": 0, "target": {"node": 4, "path": "weights"}}]},
        ],
        "cameras": [{"name": "front", "type": "perspective",
            "perspective": {"yfov": 0.8, "aspectRatio": 1.5, "znear": 0.1, "zfar": 100}}],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"name": "sun", "type": "directional", "intensity": 3},
            {"name": "bulb", "type": "point", "intensity": 40, "range": 8, "color": [1, 0.8, 0.6]},
        ]}},
        "accessors": builder.accessors,
        "bufferViews": builder.views,
        "buffers": [{"uri": "yard.bin", "byteLength": builder.bytes.len()}],
    });
    // The flag is a root next to the yard: its joints determine its position.
    let mut json = json;
    json["scenes"][0]["nodes"] = json!([0, 7]);
    (json, builder.bytes)
}

/// A shed with a roof, a fence post, a box with a morph target, a flag.
fn meshes(builder: &mut GltfBuilder) -> Value {
    let (walls, wall_indices) = builder.cuboid([1.0; 3]);
    let roof = builder.vectors(&[[-1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.5, 0.0f32]]);
    let roof_normals = builder.vectors(&[[0.0, 0.8, 0.6f32]; 3]);
    let (post, post_indices) = builder.cuboid([0.1, 0.5, 0.1]);
    let (cube, cube_indices) = builder.cuboid([0.25; 3]);
    let swell = builder.vectors(&[[0.0, 0.5, 0.0f32]; 24]);
    let cloth =
        builder.vectors(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0f32]]);
    let cloth_normals = builder.vectors(&[[0.0, 0.0, 1.0f32]; 4]);
    let joints = builder.joints(&[[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]);
    let weights = builder.vectors(&[[1.0, 0.0, 0.0, 0.0f32]; 4]);
    let cloth_indices = builder.indices(&[0, 1, 2, 0, 2, 3]);
    json!([
        {"name": "shed", "primitives": [
            {"attributes": walls, "indices": wall_indices, "material": 0},
            {"attributes": {"POSITION": roof, "NORMAL": roof_normals}, "material": 1},
        ]},
        {"name": "post", "primitives":
            [{"attributes": post, "indices": post_indices, "material": 0}]},
        {"name": "box", "weights": [0], "extras": {"targetNames": ["swollen"]}, "primitives": [
            {"attributes": cube, "indices": cube_indices, "material": 0,
                "targets": [{"POSITION": swell}]},
        ]},
        {"name": "flag", "primitives": [
            {"attributes": {"POSITION": cloth, "NORMAL": cloth_normals, "JOINTS_0": joints,
                "WEIGHTS_0": weights}, "indices": cloth_indices, "material": 1},
        ]},
    ])
}

/// A directory with `yard.gltf`, `yard.bin` and `yard.glb`.
pub(crate) fn directory() -> Directory {
    let directory = Directory::new();
    let (json, bytes) = yard();
    directory.write("yard.gltf", serde_json::to_vec_pretty(&json).unwrap());
    directory.write("yard.bin", bytes);
    let document = pleach_gltf::load(directory.path().join("yard.gltf")).unwrap();
    assert!(document.report().is_empty(), "{}", document.report());
    directory.write("yard.glb", document.save_bytes(Format::Glb).unwrap().bytes);
    directory
}
