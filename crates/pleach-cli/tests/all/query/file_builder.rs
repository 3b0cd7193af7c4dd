//! A builder for small files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The JSON of a file and the bytes of its buffer.
pub(crate) struct File {
    pub(crate) json: Value,
    bytes: Vec<u8>,
}

impl File {
    /// Creates a file with these nodes, and scenes with these roots.
    pub(crate) fn new(scenes: &[&[usize]], nodes: Value) -> Self {
        let scenes: Vec<Value> = scenes.iter().map(|roots| json!({"nodes": roots})).collect();
        let mut json = json!({"asset": {"version": "2.0"}});
        for (key, list) in [("scenes", json!(scenes)), ("nodes", nodes)] {
            if list != json!([]) {
                json[key] = list;
            }
        }
        Self { json, bytes: Vec::new() }
    }

    /// Adds an entry to an array of the file and returns its index.
    pub(crate) fn add(&mut self, list: &str, entry: Value) -> usize {
        let list = &mut self.json[list];
        if list.is_null() {
            *list = json!([]);
        }
        let list = list.as_array_mut().unwrap();
        list.push(entry);
        list.len() - 1
    }

    fn accessor(&mut self, bytes: Vec<u8>, kind: &str, code: u32, count: usize) -> usize {
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        let view = self.add("bufferViews", view);
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let accessor =
            json!({"bufferView": view, "componentType": code, "type": kind, "count": count});
        self.add("accessors", accessor)
    }

    /// Adds an accessor of floats.
    pub(crate) fn floats<const N: usize>(&mut self, rows: &[[f32; N]]) -> usize {
        let kind = match N {
            1 => "SCALAR",
            3 => "VEC3",
            4 => "VEC4",
            16 => "MAT4",
            _ => panic!("no rows of {N}"),
        };
        let bytes = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let accessor = self.accessor(bytes, kind, 5126, rows.len());
        let ends = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..N).map(|i| rows.iter().map(|row| row[i]).reduce(pick).unwrap()).collect()
        };
        self.json["accessors"][accessor]["min"] = json!(ends(f32::min));
        self.json["accessors"][accessor]["max"] = json!(ends(f32::max));
        accessor
    }

    /// Adds an accessor of the joints of vertices.
    pub(crate) fn joints(&mut self, rows: &[[u8; 4]]) -> usize {
        self.accessor(rows.as_flattened().to_vec(), "VEC4", 5121, rows.len())
    }

    /// Adds a mesh of unindexed triangles.
    pub(crate) fn mesh(&mut self, corners: &[[f32; 3]]) -> usize {
        let position = self.floats(corners);
        self.add("meshes", json!({"primitives": [{"attributes": {"POSITION": position}}]}))
    }

    /// Adds an animation with one channel.
    pub(crate) fn animate<const N: usize>(
        &mut self,
        node: usize,
        path: &str,
        times: &[f32],
        values: &[[f32; N]],
    ) -> usize {
        let times: Vec<[f32; 1]> = times.iter().map(|&time| [time]).collect();
        let (input, output) = (self.floats(&times), self.floats(values));
        let animation = json!({
            "samplers": [{"input": input, "output": output}],
            "channels": [{"sampler": 0, "target": {"node": node, "path": path}}],
        });
        self.add("animations", animation)
    }

    /// Writes the file as a .glb to a directory of this test.
    pub(crate) fn save(mut self, name: &str) -> PathBuf {
        if !self.bytes.is_empty() {
            self.json["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        }
        let mut text = self.json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut chunks = chunk(b"JSON", &text);
        if !self.bytes.is_empty() {
            chunks.extend(chunk(b"BIN\0", &self.bytes));
        }
        let mut file = [b"glTF".to_vec(), 2_u32.to_le_bytes().to_vec()].concat();
        file.extend((12 + chunks.len() as u32).to_le_bytes());
        file.extend(chunks);
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("query");
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(format!("{name}.glb"));
        fs::write(&path, file).unwrap();
        path
    }
}

fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32).to_le_bytes()[..], kind, content].concat()
}

/// A triangle in the plane z = 0, counter-clockwise as seen from +Z.
pub(crate) const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
