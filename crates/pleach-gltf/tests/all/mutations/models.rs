//! The models that are changed: small sample models, and generated ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pleach_gltf::Bytes;
use serde_json::{Value, json};

use crate::common::accessors::{Builder, data_uri};
use crate::common::container::glb;
use crate::common::samples;

/// A model as JSON, binary chunk and external files.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) json: Value,
    /// The binary chunk of a `.glb`; `None` for a `.gltf`.
    pub(crate) bin: Option<Vec<u8>>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Model {
    /// Returns the model as a file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let json = self.json.to_string().into_bytes();
        match &self.bin {
            None => json,
            Some(bin) => glb(&json, bin),
        }
    }

    pub(crate) fn resolver(&self) -> BTreeMap<String, Bytes> {
        self.files.iter().map(|(name, bytes)| (name.clone(), Bytes::from(bytes.clone()))).collect()
    }

    /// Returns the binary chunk and all external files.
    pub(crate) fn buffers_mut(&mut self) -> Vec<&mut Vec<u8>> {
        self.bin.iter_mut().chain(self.files.values_mut()).collect()
    }
}

/// Reads a `.glb`, or a `.gltf` with its external files.
fn read(path: &Path) -> Option<Model> {
    let file = fs::read(path).ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    if file.starts_with(b"glTF") {
        let number = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
        let end = 20 + number(12)? as usize;
        let json = serde_json::from_slice(file.get(20..end)?).ok()?;
        let bin = file.get(end + 8..).map(<[u8]>::to_vec);
        return Some(Model { name, json, bin, files: BTreeMap::new() });
    }
    let json: Value = serde_json::from_slice(&file).ok()?;
    let mut files = BTreeMap::new();
    for list in ["buffers", "images"] {
        for uri in json[list].as_array().into_iter().flatten().filter_map(|it| it["uri"].as_str()) {
            if let Ok(bytes) = fs::read(path.parent()?.join(uri)) {
                files.insert(uri.to_string(), bytes);
            }
        }
    }
    Some(Model { name, json, bin: None, files })
}

/// Returns the sample models that are small enough to be loaded often, if they are on this machine.
pub(crate) fn sample_models() -> Vec<Model> {
    let size =
        |model: &Model| model.bytes().len() + model.files.values().map(Vec::len).sum::<usize>();
    samples::files()
        .iter()
        .filter_map(|path| read(path))
        .filter(|model| size(model) < 40_000)
        .collect()
}

/// Returns models that are generated.
pub(crate) fn generated_models() -> Vec<Model> {
    let mut it = Builder::default();
    let positions = it.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let normals = it.floats("VEC3", &[0., 0., 1.].repeat(3));
    let indices = it.packed(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0]);
    let joints = it.packed(5121, "VEC4", 3, &[0, 1, 0, 0].repeat(3));
    let weights = it.floats("VEC4", &[0.5, 0.5, 0., 0.].repeat(3));
    let binds = it.floats("MAT4", &glam::Mat4::IDENTITY.to_cols_array().repeat(2));
    let times = it.floats("SCALAR", &[0., 1.]);
    let translations = it.floats("VEC3", &[0., 0., 0., 1., 2., 3.]);
    let rotations = it.floats("VEC4", &[0., 0., 0., 1.].repeat(6));
    let morph_weights = it.floats("SCALAR", &[0., 1.]);
    let visibility = it.packed(5121, "SCALAR", 2, &[1, 0]);
    let json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "extras": {"x": [1, null]},
        "extensionsUsed": ["KHR_lights_punctual", "KHR_node_visibility", "EXT_mesh_gpu_instancing"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "name": "bulb"}, {"type": "spot"}]}},
        "scenes": [{"nodes": [0, 5]}, {"nodes": [0, 6], "name": "b"}],
        "nodes": [
            {"name": "root", "children": [1, 2, 3]},
            {"name": "hip", "children": [4], "translation": [0, 1, 0]},
            {"mesh": 0, "skin": 0, "weights": [0.5]},
            {"camera": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
            {"name": "knee", "rotation": [0, 0.6, 0, 0.8], "scale": [1, 2, 3]},
            {"mesh": 1, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": translations}}}},
            {"extensions": {"KHR_lights_punctual": {"light": 0}, "KHR_node_visibility": {"visible": false}}},
            {"name": "outside", "mesh": 1, "children": [8]},
            {"camera": 1, "extensions": {"KHR_lights_punctual": {"light": 1}}}
        ],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": positions, "NORMAL": normals, "JOINTS_0": joints,
                "WEIGHTS_0": weights}, "indices": indices, "material": 0, "targets": [{"POSITION": normals}]}],
                "weights": [0.25], "extras": {"targetNames": ["up"]}},
            {"primitives": [{"attributes": {"POSITION": positions}, "mode": 0}, {"attributes": {
                "POSITION": positions}, "indices": indices, "material": 1}]}
        ],
        "materials": [
            {"name": "m", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0.5}},
            {"alphaMode": "BLEND", "extensions": {"KHR_materials_ior": {"ior": 1.5}}}
        ],
        "textures": [{"source": 0, "sampler": 0}], "samplers": [{"wrapS": 33071}],
        "images": [{"uri": "data:image/png;base64,iVBORw=="}],
        "skins": [{"joints": [1, 4], "inverseBindMatrices": binds, "skeleton": 1}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}},
            {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 1, "znear": 0, "zfar": 9}}],
        "animations": [{"name": "walk", "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "translation"}},
            {"sampler": 1, "target": {"node": 4, "path": "rotation"}},
            {"sampler": 2, "target": {"node": 2, "path": "weights"}},
            {"sampler": 3, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {
                "pointer": "/nodes/6/extensions/KHR_node_visibility/visible"}}}}],
            "samplers": [{"input": times, "output": translations}, {"input": times, "output": rotations,
                "interpolation": "CUBICSPLINE"}, {"input": times, "output": morph_weights},
                {"input": times, "output": visibility, "interpolation": "STEP"}]}],
        "accessors": it.accessors, "bufferViews": it.views,
        "buffers": [{"byteLength": it.bin.len()}]
    });
    let chunk =
        Model { name: "all.glb".into(), json, bin: Some(it.bin.clone()), files: BTreeMap::new() };
    let mut file = chunk.clone();
    file.json["buffers"][0]["uri"] = "all%20of.bin".into();
    file.name = "all.gltf".into();
    file.files.insert("all of.bin".into(), it.bin.clone());
    file.bin = None;
    let mut data = file.clone();
    data.json["buffers"][0]["uri"] = data_uri("", &it.bin).into();
    data.name = "data.gltf".into();
    data.files.clear();
    vec![chunk, file, data]
}
