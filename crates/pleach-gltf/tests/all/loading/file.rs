//! A small file with one of everything, and helpers to edit and load it.

use pleach_gltf::{Document, Error, ErrorKind, Options};
use serde_json::{Value, json};

use crate::common::accessors::{bytes_of, data_uri, width};
use crate::common::container::{glb, padded};
use crate::common::pointer::take;

/// A file under construction: its JSON and the bytes of its only buffer.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) json: Value,
    pub(crate) bin: Vec<u8>,
}

pub(crate) const POSITIONS: usize = 0;
pub(crate) const INDICES: usize = 1;
pub(crate) const JOINTS: usize = 2;
pub(crate) const WEIGHTS: usize = 3;
pub(crate) const INVERSE_BINDS: usize = 4;
pub(crate) const TIMES: usize = 5;
pub(crate) const TRANSLATIONS: usize = 6;
pub(crate) const ROTATIONS: usize = 7;
pub(crate) const MORPH_POSITIONS: usize = 8;
pub(crate) const VISIBILITIES: usize = 9;
pub(crate) const INSTANCES: usize = 10;
pub(crate) const MORPH_WEIGHTS: usize = 11;
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Returns a valid file with one of everything.
pub(crate) fn full_file() -> File {
    let identity: Vec<f32> = (0..32).map(|i| if i % 16 % 5 == 0 { 1.0 } else { 0.0 }).collect();
    let mut file = File { json: json!({"asset": {"version": "2.0"}}), bin: Vec::new() };
    for array in ["accessors", "bufferViews"] {
        file = file.set(&format!("/{array}"), json!([]));
    }
    file.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    file.add_accessor(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0]);
    file.add_accessor(5121, "VEC4", 3, &[0, 1, 0, 0].repeat(3));
    file.floats("VEC4", &[0.5, 0.5, 0., 0.].repeat(3));
    file.floats("MAT4", &identity);
    file.floats("SCALAR", &[0., 1.]);
    file.floats("VEC3", &[0., 0., 0., 0., 4., 0.]);
    file.floats("VEC4", &[0., 0., 0., 1., 0., 1., 0., 0.]);
    file.floats("VEC3", &[0., 0., 1.].repeat(3));
    file.add_accessor(5121, "SCALAR", 2, &[1, 0]);
    file.floats("VEC3", &[0., 0., 0., 5., 0., 0.]);
    file.floats("SCALAR", &[0., 1.]);
    let image = file.view(PNG);
    let primitive = json!({
        "attributes": {"POSITION": POSITIONS, "JOINTS_0": JOINTS, "WEIGHTS_0": WEIGHTS},
        "indices": INDICES, "material": 0, "targets": [{"POSITION": MORPH_POSITIONS}],
    });
    let instances = json!({"attributes": {"TRANSLATION": INSTANCES}});
    let pointer = json!({"pointer": "/nodes/5/extensions/KHR_node_visibility/visible"});
    let members = json!({
        "extensionsUsed": [
            "EXT_mesh_gpu_instancing", "KHR_animation_pointer", "KHR_lights_punctual",
            "KHR_node_visibility",
        ],
        "scene": 0,
        "scenes": [{"name": "yard", "nodes": [0, 1]}],
        "nodes": [
            {"name": "body", "mesh": 0, "skin": 0, "children": [3, 4, 5]},
            {"name": "hip", "children": [2]},
            {"name": "knee", "translation": [0, 1, 0]},
            {"name": "eye", "camera": 0},
            {"name": "lamp", "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "leaves", "mesh": 1, "extensions": {"EXT_mesh_gpu_instancing": instances}},
        ],
        "meshes": [
            {"primitives": [primitive], "weights": [0.5]},
            {"primitives": [{"attributes": {"POSITION": POSITIONS}}]},
        ],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": INVERSE_BINDS, "skeleton": 1}],
        "animations": [{
            "name": "wave",
            "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                {"sampler": 1, "target": {"node": 2, "path": "rotation"}},
                {"sampler": 2, "target": {"node": 0, "path": "weights"}},
                {"sampler": 3, "target": {
                    "path": "pointer", "extensions": {"KHR_animation_pointer": pointer},
                }},
            ],
            "samplers": [
                {"input": TIMES, "output": TRANSLATIONS},
                {"input": TIMES, "output": ROTATIONS},
                {"input": TIMES, "output": MORPH_WEIGHTS},
                {"input": TIMES, "output": VISIBILITIES, "interpolation": "STEP"},
            ],
        }],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "spot", "range": 4, "spot": {}}]}},
        "images": [{"bufferView": image, "mimeType": "image/png"}],
        "samplers": [{"wrapS": 33071}],
        "textures": [{"source": 0, "sampler": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    });
    for (key, value) in members.as_object().unwrap() {
        file = file.set(&format!("/{key}"), value.clone());
    }
    file
}

/// Returns a file with these members and no binary data.
pub(crate) fn file(members: Value) -> File {
    let mut json = members;
    json["asset"] = json!({"version": "2.0"});
    File { json, bin: Vec::new() }
}

impl File {
    /// Adds a buffer view of `bytes` and returns its index.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()});
        self.bin.extend_from_slice(bytes);
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(view);
        views.len() - 1
    }

    /// Adds an accessor with its own buffer view, which has the same index.
    pub(crate) fn add_accessor(&mut self, component: u32, kind: &str, count: usize, bytes: &[u8]) {
        let view = self.view(bytes);
        let accessor = json!({
            "bufferView": view, "componentType": component, "type": kind, "count": count,
        });
        self.json["accessors"].as_array_mut().unwrap().push(accessor);
    }

    pub(crate) fn floats(&mut self, kind: &str, numbers: &[f32]) {
        self.add_accessor(5126, kind, numbers.len() / width(kind), &bytes_of(numbers));
    }

    /// Sets the value at a JSON pointer; `-` appends to an array.
    pub(crate) fn set(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match self.json.pointer_mut(parent) {
            Some(Value::Array(list)) if key == "-" => list.push(value.into()),
            Some(Value::Array(list)) => list[key.parse::<usize>().unwrap()] = value.into(),
            Some(Value::Object(members)) => {
                members.insert(key.into(), value.into());
            }
            other => panic!("{pointer}: {other:?}"),
        }
        self
    }

    /// Removes the value at a JSON pointer.
    pub(crate) fn without(mut self, pointer: &str) -> Self {
        take(&mut self.json, pointer).unwrap();
        self
    }

    /// Overwrites bytes of an accessor.
    pub(crate) fn put(mut self, accessor: usize, at: usize, bytes: &[u8]) -> Self {
        let offset = self.json["bufferViews"][accessor]["byteOffset"].as_u64().unwrap();
        let start = offset as usize + at;
        self.bin[start..start + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Overwrites one `f32` of an accessor.
    pub(crate) fn put_float(self, accessor: usize, location: usize, number: f32) -> Self {
        self.put(accessor, location * 4, &number.to_le_bytes())
    }

    /// Replaces the buffer view of an accessor by one of `bytes` zeros.
    pub(crate) fn with_longer_view(mut self, accessor: usize, bytes: usize) -> Self {
        let view = self.view(&vec![0; bytes]);
        self.set(&format!("/accessors/{accessor}/bufferView"), view)
    }

    /// Returns the file as `.gltf`, with its buffer in a data URI.
    pub(crate) fn text(&self) -> String {
        let mut json = self.json.clone();
        if !self.bin.is_empty() && json.get("buffers").is_none() {
            let uri = data_uri("", &self.bin);
            json["buffers"] = json!([{"uri": uri, "byteLength": self.bin.len()}]);
        }
        json.to_string()
    }

    /// Returns the file as `.glb`.
    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        glb(json.to_string().as_bytes(), &self.bin)
    }

    pub(crate) fn padded_bin(&self) -> Vec<u8> {
        padded(self.bin.clone(), 0)
    }

    pub(crate) fn load(&self) -> Result<Document, Error> {
        self.load_as(&Options::new())
    }

    pub(crate) fn load_as(&self, options: &Options) -> Result<Document, Error> {
        options.load_bytes(self.text().as_bytes())
    }
}

/// Panics with all failures, if there are any.
pub(crate) fn panic_if_any(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n  {}", failures.len(), failures.join("\n  "));
}

/// Describes the result of a load.
pub(crate) fn outcome(result: &Result<Document, Error>) -> String {
    result.as_ref().map_or_else(|error| format!("{error:?}"), |_| "loads".into())
}

/// Returns `full_file` with two sparse positions.
pub(crate) fn sparse(elements: &[u8; 2]) -> File {
    let mut file = full_file();
    let [indices, values] = [file.view(elements), file.view(&[0; 24])];
    file.set(
        "/accessors/0/sparse",
        json!({
            "count": 2,
            "indices": {"bufferView": indices, "componentType": 5121},
            "values": {"bufferView": values},
        }),
    )
}

/// An invalid file: its description, the file, the location of its error, and the kind of the
/// error.
pub(crate) type InvalidFile = (&'static str, File, &'static str, ErrorKind);
