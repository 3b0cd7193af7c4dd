//! The models that are modified, and helpers to generate others.

use glam::Mat4;
use serde_json::{Value, json};
use testkit::Effort;

use crate::common::accessors::{Builder, data_uri};
use crate::common::container::glb;

impl Builder {
    /// Adds floats with an explicit `byteOffset`, which can be modified.
    fn numbers(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let accessor = self.floats(kind, numbers);
        self.accessors[accessor]["byteOffset"] = json!(0);
        accessor
    }

    fn integers(
        &mut self,
        code: u32,
        kind: &str,
        count: usize,
        bytes: &[u8],
        extra: Value,
    ) -> usize {
        let accessor = self.packed(code, kind, count, bytes);
        for (key, value) in extra.as_object().into_iter().flatten() {
            self.accessors[accessor][key] = value.clone();
        }
        accessor
    }

    /// Adds a compressed view of `count` elements of `stride` bytes.
    fn meshopt(&mut self, mode: &str, count: usize, stride: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        let packed = self.views[view].take();
        self.views[view] = json!({
            "buffer": 1, "byteOffset": 0, "byteLength": count * stride,
            "extensions": {"EXT_meshopt_compression": {
                "buffer": 0, "byteOffset": packed["byteOffset"], "byteLength": packed["byteLength"],
                "byteStride": stride, "count": count, "mode": mode, "filter": "NONE"
            }}
        });
        view
    }
}

/// A file as JSON and binary data.
pub(crate) struct Model {
    pub(crate) json: Value,
    pub(crate) bin: Vec<u8>,
    pub(crate) floats: Vec<usize>,
}

impl Model {
    pub(crate) fn glb(&self) -> Vec<u8> {
        glb(self.json.to_string().as_bytes(), &self.bin)
    }

    /// Returns the JSON with the buffer in a data URI.
    pub(crate) fn gltf(&self) -> Value {
        let mut json = self.json.clone();
        json["buffers"][0]["uri"] = Value::from(data_uri("application/octet-stream", &self.bin));
        json
    }
}

/// Returns a single triangle.
pub(crate) fn small() -> Model {
    let mut it = Builder::default();
    let positions = it.numbers("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let indices = it.integers(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0], json!({}));
    let json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "t\u{e9}"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]}],
        "accessors": it.accessors, "bufferViews": it.views,
        "buffers": [{"byteLength": it.bin.len()}]
    });
    Model { json, bin: it.bin, floats: it.float_offsets }
}

/// Returns a model that uses every feature, each as small as possible.
pub(crate) fn rich() -> Model {
    let mut it = Builder::default();
    let square = [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];
    let positions = it.numbers("VEC3", &square);
    let normals = it.numbers("VEC3", &[0., 0., 1.].repeat(4));
    let tangents = it.numbers("VEC4", &[1., 0., 0., 1.].repeat(4));
    let uvs = it.numbers("VEC2", &[0., 0., 1., 0., 1., 1., 0., 1.]);
    let colors = it.integers(5121, "VEC4", 4, &[200; 16], json!({"normalized": true}));
    let joints = it.integers(5121, "VEC4", 4, &[0, 1, 0, 0].repeat(4), json!({}));
    let weights = it.numbers("VEC4", &[0.5, 0.5, 0., 0.].repeat(4));
    let indices = it.integers(5123, "SCALAR", 6, &[0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0], json!({}));
    // Interleaved with a stride.
    let strided = it.view(&[0; 64]);
    it.views[strided]["byteStride"] = json!(16);
    let strided = it.accessor(json!({
        "bufferView": strided, "byteOffset": 4, "componentType": 5126, "count": 4, "type": "VEC3"
    }));
    // Compressed: an index sequence 0 1 2, and three equal vertices.
    let sequence = [0xd1, 0, 4, 4, 0, 0, 0, 0];
    let packed_indices = it.meshopt("INDICES", 3, 2, &sequence);
    let packed_indices = it.accessor(json!({
        "bufferView": packed_indices, "componentType": 5123, "count": 3, "type": "SCALAR"
    }));
    let mut vertices = vec![0xa0];
    vertices.resize(1 + 12 + 32, 0);
    let packed_vertices = it.meshopt("ATTRIBUTES", 4, 12, &vertices);
    let packed_vertices = it.accessor(json!({
        "bufferView": packed_vertices, "componentType": 5126, "count": 4, "type": "VEC3"
    }));
    // Sparse, with and without a buffer view.
    let replaced = it.view(&[1, 0, 3, 0]);
    let values: Vec<u8> = [1.0f32; 6].iter().flat_map(|it| it.to_le_bytes()).collect();
    let values = it.view(&values);
    let sparse = json!({
        "count": 2, "indices": {"bufferView": replaced, "byteOffset": 0, "componentType": 5123},
        "values": {"bufferView": values, "byteOffset": 0}
    });
    let sparse_zero = it.accessor(json!({
        "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse
    }));
    let base = it.accessors[positions]["bufferView"].clone();
    let sparse_over = it.accessor(json!({
        "bufferView": base, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse,
        "min": [0, 0, 0], "max": [1, 1, 1]
    }));
    let identity = Mat4::IDENTITY.to_cols_array();
    let binds = it.numbers("MAT4", &identity.repeat(2));
    let times = it.numbers("SCALAR", &[0., 1.]);
    let translations = it.numbers("VEC3", &[0., 0., 0., 1., 2., 3.]);
    let rotations = it.numbers("VEC4", &[0., 0., 0., 1.].repeat(6));
    let morph_weights = it.numbers("SCALAR", &[0., 1., 1., 0.]);
    let visibility = it.integers(5121, "SCALAR", 2, &[1, 0], json!({}));
    let instances = it.numbers("VEC3", &[0., 0., 0., 3., 0., 0.]);
    let instance_rotations = it.numbers("VEC4", &[0., 0., 0., 1., 0., 1., 0., 0.]);
    let png = it.view(b"\x89PNG\r\n\x1a\n\0\0\0\0");
    let json = json!({
        "asset": {"version": "2.0", "generator": "hostile", "copyright": "", "minVersion": "2.0"},
        "extensionsUsed": ["KHR_lights_punctual", "EXT_mesh_gpu_instancing", "KHR_node_visibility",
            "KHR_animation_pointer", "EXT_meshopt_compression", "KHR_texture_transform", "VENDOR_x"],
        "extensionsRequired": ["EXT_meshopt_compression"],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "directional", "name": "sun", "color": [1, 1, 0.5], "intensity": 3},
            {"type": "point", "range": 10},
            {"type": "spot", "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.5}}
        ]}, "VENDOR_x": {"list": [1, {"deep": [[]]}]}},
        "extras": {"a": [1, 2.50, "x"]},
        "scene": 1,
        "scenes": [
            {"name": "first", "nodes": [0, 4]}, {"name": "second", "nodes": [0, 5, 6]}, {"nodes": []}
        ],
        "nodes": [
            {"name": "root", "children": [1, 2, 3], "translation": [0, 1, 0], "rotation": [0, 0, 0, 1],
                "scale": [1, 2, 1], "extras": {"k": "v"}},
            {"name": "hip", "children": [7]},
            {"name": "skinned", "mesh": 0, "skin": 0, "weights": [0.25, 0.5]},
            {"name": "matrix", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1], "camera": 0},
            {"name": "sun", "extensions": {"KHR_lights_punctual": {"light": 0},
                "KHR_node_visibility": {"visible": false}}},
            {"name": "many", "mesh": 1, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {
                "TRANSLATION": instances, "ROTATION": instance_rotations, "SCALE": instances, "_ID": visibility}}}},
            {"name": "eye", "camera": 1, "children": [8], "extensions": {"KHR_lights_punctual": {"light": 2}}},
            {"name": "knee", "translation": [0, -1, 0]},
            {"name": "packed", "mesh": 2},
            {"name": "outside", "children": [10], "extensions": {"VENDOR_x": {"node": 3}}},
            {"name": "far", "mesh": 1, "skin": 1}
        ],
        "meshes": [
            {"name": "body", "weights": [0, 0.5], "extras": {"targetNames": ["smile", "frown"]},
                "primitives": [{"attributes": {"POSITION": positions, "NORMAL": normals,
                    "TANGENT": tangents, "TEXCOORD_0": uvs, "COLOR_0": colors, "JOINTS_0": joints,
                    "WEIGHTS_0": weights, "_OWN": visibility}, "indices": indices, "material": 0, "mode": 4,
                    "targets": [{"POSITION": sparse_zero, "NORMAL": normals},
                        {"POSITION": packed_vertices, "TANGENT": normals}]}]},
            {"primitives": [
                {"attributes": {"POSITION": sparse_over}, "mode": 0},
                {"attributes": {"POSITION": strided, "JOINTS_0": joints, "WEIGHTS_0": weights},
                    "material": 1, "mode": 5}]},
            {"primitives": [{"attributes": {"POSITION": positions}, "indices": packed_indices}]}
        ],
        "skins": [
            {"name": "legs", "joints": [1, 7], "inverseBindMatrices": binds, "skeleton": 1},
            {"joints": [7, 1]}
        ],
        "cameras": [
            {"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1, "zfar": 100, "aspectRatio": 1.5}},
            {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 1, "znear": 0, "zfar": 10}}
        ],
        "animations": [
            {"name": "walk", "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                {"sampler": 1, "target": {"node": 7, "path": "rotation"}},
                {"sampler": 2, "target": {"node": 2, "path": "weights"}},
                {"sampler": 0, "target": {"node": 7, "path": "scale"}}],
             "samplers": [
                {"input": times, "output": translations, "interpolation": "STEP"},
                {"input": times, "output": rotations, "interpolation": "CUBICSPLINE"},
                {"input": times, "output": morph_weights, "interpolation": "LINEAR"}]},
            {"channels": [
                {"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                    {"pointer": "/nodes/4/extensions/KHR_node_visibility/visible"}}}},
                {"sampler": 1, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                    {"pointer": "/nodes/9/translation"}}}},
                {"sampler": 1, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                    {"pointer": "/materials/0/emissiveFactor"}}}}],
             "samplers": [
                {"input": times, "output": visibility, "interpolation": "STEP"},
                {"input": times, "output": translations}]}
        ],
        "materials": [
            {"name": "skin", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.5,
                "emissiveFactor": [0, 0.5, 1], "emissiveTexture": {"index": 0},
                "normalTexture": {"index": 0, "scale": 0.5}, "occlusionTexture": {"index": 1, "strength": 0.5},
                "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.5], "metallicFactor": 0,
                    "roughnessFactor": 1, "metallicRoughnessTexture": {"index": 1},
                    "baseColorTexture": {"index": 0, "texCoord": 0, "extensions": {
                        "KHR_texture_transform": {"offset": [0, 1], "rotation": 1, "scale": [2, 2], "texCoord": 0}}}},
                "extensions": {"KHR_materials_ior": {"ior": 1.4}, "KHR_materials_emissive_strength":
                    {"emissiveStrength": 2}, "KHR_materials_clearcoat": {"clearcoatFactor": 1,
                    "clearcoatTexture": {"index": 0}}, "KHR_materials_sheen": {"sheenColorFactor": [1, 0, 0]},
                    "KHR_materials_transmission": {"transmissionFactor": 0.5},
                    "KHR_materials_volume": {"thicknessFactor": 1, "attenuationDistance": 2}}},
            {"extensions": {"KHR_materials_unlit": {}}}
        ],
        "textures": [{"source": 0, "sampler": 0}, {"source": 1, "name": "t"}],
        "samplers": [{"magFilter": 9728, "minFilter": 9987, "wrapS": 33071, "wrapT": 10497}],
        "images": [
            {"bufferView": png, "mimeType": "image/png", "name": "i"},
            {"uri": "data:image/jpeg;base64,/9j/AAAA"}
        ],
        "accessors": it.accessors, "bufferViews": it.views,
        "buffers": [
            {"byteLength": it.bin.len()},
            {"byteLength": 64, "extensions": {"EXT_meshopt_compression": {"fallback": true}}}
        ]
    });
    Model { json, bin: it.bin, floats: it.float_offsets }
}

/// Returns `count`, or a tenth of it unless `PLEACH_EFFORT` is full.
pub(crate) fn scaled(count: usize) -> usize {
    Effort::pick(count / 10, count)
}

/// Repeats a text, separated by commas.
pub(crate) fn list(times: usize, text: &str) -> String {
    let mut out = format!("{text},").repeat(times);
    out.pop();
    out
}

pub(crate) fn root(rest: &str) -> Vec<u8> {
    format!(r#"{{"asset":{{"version":"2.0"}}{}{rest}}}"#, if rest.is_empty() { "" } else { "," })
        .into_bytes()
}
