//! The files that are loaded: generated from a seed, so that every run uses the same.
//!
//! All are `.glb`: one JSON chunk without white space and one binary chunk, whose four buffer views
//! contain the positions, normals, texture coordinates and indices of all meshes, contiguously.
//! Every mesh is a grid with four accessors of its own. The nodes form a tree with one root and
//! eight children per node, in level order, as exporters write them.

use std::f32::consts::TAU;
use std::fmt::Write;

use glam::{Quat, Vec3};

use crate::number_format::{figure, size};
use crate::rng::Rng;

/// The contents of a file.
#[derive(Clone, Copy)]
pub struct Plan {
    pub nodes: usize,
    /// `true` for names, rotations and scales, `false` for translations only.
    pub is_full: bool,
    /// Every n-th node has a mesh; 0 for none.
    pub mesh_each: usize,
    pub meshes: usize,
    /// The number of vertices along a side of a mesh.
    pub side: usize,
}

/// Constants mixed into the seed, so that nodes and meshes are independent.
const NODES: u64 = 0x6e6f_6465;
const MESHES: u64 = 0x6d65_7368;

/// The number of children per node.
const CHILDREN: usize = 8;

/// Returns the bytes of a file.
pub fn glb(plan: Plan, seed: u64) -> Vec<u8> {
    let bytes = VertexBuffers::new(plan, seed);
    let json = json(plan, &bytes, seed);
    let [json_len, bin_len] = [json.len(), bytes.len()].map(|len| len.next_multiple_of(4));
    let total = 12 + 8 + json_len + 8 + bin_len;
    let mut file = Vec::with_capacity(total);
    let write_u32 = |file: &mut Vec<u8>, value: usize| {
        let value = u32::try_from(value).expect("the file is smaller than 4 GiB");
        file.extend_from_slice(&value.to_le_bytes());
    };
    file.extend_from_slice(b"glTF");
    write_u32(&mut file, 2);
    write_u32(&mut file, total);
    write_u32(&mut file, json_len);
    file.extend_from_slice(b"JSON");
    file.extend_from_slice(json.as_bytes());
    file.resize(12 + 8 + json_len, b' ');
    write_u32(&mut file, bin_len);
    file.extend_from_slice(b"BIN\0");
    for buffer in [&bytes.positions, &bytes.normals, &bytes.uvs, &bytes.indices] {
        file.extend_from_slice(buffer);
    }
    file.resize(total, 0);
    file
}

fn json(plan: Plan, bytes: &VertexBuffers, seed: u64) -> String {
    let mut text = String::from(
        r#"{"asset":{"version":"2.0","generator":"pleach peers"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":["#,
    );
    let rng = &mut Rng::new(seed ^ NODES);
    for index in 0..plan.nodes {
        node(&mut text, plan, index, rng);
    }
    text += r#"],"materials":[{"pbrMetallicRoughness":{"metallicFactor":0.25}}],"meshes":["#;
    for mesh in 0..plan.meshes {
        let first = mesh * 4;
        write(
            &mut text,
            format_args!(
                r#"{}{{"primitives":[{{"attributes":{{"POSITION":{},"NORMAL":{},"TEXCOORD_0":{}}},"indices":{},"material":0}}]}}"#,
                comma(mesh),
                first,
                first + 1,
                first + 2,
                first + 3,
            ),
        );
    }
    text += r#"],"accessors":["#;
    for (mesh, height) in bytes.heights.iter().enumerate() {
        accessors(&mut text, plan, mesh, *height);
    }
    text += r#"],"bufferViews":["#;
    let mut start = 0;
    let buffers =
        [(&bytes.positions, 12), (&bytes.normals, 12), (&bytes.uvs, 8), (&bytes.indices, 0)];
    for (index, (buffer, stride)) in buffers.into_iter().enumerate() {
        write(
            &mut text,
            format_args!(
                r#"{}{{"buffer":0,"byteOffset":{start},"byteLength":{}"#,
                comma(index),
                buffer.len(),
            ),
        );
        match stride {
            0 => text += r#","target":34963}"#,
            _ => write(&mut text, format_args!(r#","byteStride":{stride},"target":34962}}"#)),
        }
        start += buffer.len();
    }
    write(&mut text, format_args!(r#"],"buffers":[{{"byteLength":{start}}}]}}"#));
    text
}

/// Writes a node: translations and scales with three decimals, as a person or a tidy exporter
/// writes them; rotations with all digits of an `f32`.
fn node(text: &mut String, plan: Plan, index: usize, rng: &mut Rng) {
    text.push_str(comma(index));
    text.push('{');
    if plan.is_full {
        write(text, format_args!(r#""name":"node {index}","#));
    }
    let children = index * CHILDREN + 1..((index + 1) * CHILDREN + 1).min(plan.nodes);
    if !children.is_empty() {
        text.push_str(r#""children":["#);
        for (index, child) in children.enumerate() {
            write(text, format_args!("{}{child}", comma(index)));
        }
        text.push_str("],");
    }
    let [x, y, z] = std::array::from_fn(|_| thousandths(rng, -100.0, 100.0));
    write(text, format_args!(r#""translation":[{x},{y},{z}]"#));
    if plan.is_full {
        let axis = Vec3::from_array(std::array::from_fn(|_| rng.between(-1.0, 1.0)));
        let axis = axis.try_normalize().unwrap_or(Vec3::Z);
        let rotation = Quat::from_axis_angle(axis, rng.between(0.0, TAU));
        let [x, y, z, w] = rotation.to_array();
        write(text, format_args!(r#","rotation":[{x},{y},{z},{w}]"#));
        let [x, y, z] = std::array::from_fn(|_| thousandths(rng, 0.5, 2.0));
        write(text, format_args!(r#","scale":[{x},{y},{z}]"#));
    }
    if plan.mesh_each > 0 && index.is_multiple_of(plan.mesh_each) {
        write(text, format_args!(r#","mesh":{}"#, index / plan.mesh_each % plan.meshes));
    }
    text.push('}');
}

fn thousandths(rng: &mut Rng, low: f32, high: f32) -> f32 {
    (rng.between(low, high) * 1000.0).round() / 1000.0
}

fn accessors(text: &mut String, plan: Plan, mesh: usize, height: f32) {
    let vertices = plan.vertices();
    let indices = plan.indices();
    let (component, size) = plan.index_type();
    write(
        text,
        format_args!(
            concat!(
                r#"{}{{"bufferView":0,"byteOffset":{},"componentType":5126,"count":{},"type":"VEC3","#,
                r#""min":[0,0,0],"max":[1,1,{}]}},"#,
                r#"{{"bufferView":1,"byteOffset":{},"componentType":5126,"count":{},"type":"VEC3"}},"#,
                r#"{{"bufferView":2,"byteOffset":{},"componentType":5126,"count":{},"type":"VEC2"}},"#,
                r#"{{"bufferView":3,"byteOffset":{},"componentType":{},"count":{},"type":"SCALAR"}}"#,
            ),
            comma(mesh),
            mesh * vertices * 12,
            vertices,
            height,
            mesh * vertices * 12,
            vertices,
            mesh * vertices * 8,
            vertices,
            mesh * indices * size,
            component,
            indices,
        ),
    );
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

fn write(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("writing to a string cannot fail");
}

/// Returns the length of the JSON chunk of a file.
pub fn json_len(file: &[u8]) -> usize {
    let length = file[12..].first_chunk().expect("the file is a .glb");
    u32::from_le_bytes(*length) as usize
}

impl Plan {
    /// Returns a tenth of the size, for a quick run.
    pub fn scaled(self, quick: bool) -> Self {
        if !quick {
            return self;
        }
        let tenth = |number: usize, min: usize| (number / 10).max(min.min(number));
        Self {
            nodes: tenth(self.nodes, 100),
            meshes: tenth(self.meshes, 100),
            // At least this many, so that indices do not have 16 bits, which would be widened.
            side: tenth(self.side, 260),
            ..self
        }
    }

    /// Returns a name that describes its contents.
    pub fn name(self) -> String {
        let nodes = size(self.nodes);
        match self.mesh_each {
            0 => format!("{nodes} bare nodes"),
            1 if self.nodes < 100 => {
                let vertices = figure(self.vertices() as f64);
                format!("{} meshes of {vertices} vertices", self.meshes)
            }
            _ => format!("{nodes} nodes, {} meshes", size(self.meshes)),
        }
    }

    pub fn file_name(self) -> String {
        format!("{}.glb", self.name().replace([' ', ','], "-"))
    }

    fn vertices(self) -> usize {
        self.side * self.side
    }

    fn indices(self) -> usize {
        (self.side - 1) * (self.side - 1) * 6
    }

    /// Returns the glTF component type of the indices, and their size in bytes.
    fn index_type(self) -> (usize, usize) {
        if self.vertices() <= 0xffff { (5123, 2) } else { (5125, 4) }
    }
}

/// The vertices and indices of all meshes.
struct VertexBuffers {
    positions: Vec<u8>,
    normals: Vec<u8>,
    uvs: Vec<u8>,
    indices: Vec<u8>,
    /// The maximum height of each mesh.
    heights: Vec<f32>,
}

impl VertexBuffers {
    fn new(plan: Plan, seed: u64) -> Self {
        let vertices = plan.meshes * plan.vertices();
        let (_, size) = plan.index_type();
        let mut buffers = Self {
            positions: Vec::with_capacity(vertices * 12),
            normals: Vec::with_capacity(vertices * 12),
            uvs: Vec::with_capacity(vertices * 8),
            indices: Vec::with_capacity(plan.meshes * plan.indices() * size),
            heights: Vec::with_capacity(plan.meshes),
        };
        let rng = &mut Rng::new(seed ^ MESHES);
        for _ in 0..plan.meshes {
            buffers.grid(plan, rng);
        }
        buffers
    }

    /// Adds a square with random heights.
    fn grid(&mut self, plan: Plan, rng: &mut Rng) {
        let mut max_height = 0.0_f32;
        let step = 1.0 / (plan.side - 1) as f32;
        for row in 0..plan.side {
            for column in 0..plan.side {
                let [u, v] = [column, row].map(|index| index as f32 * step);
                // One vertex has height 0, so that the bounds match the accessor.
                let height = if row + column == 0 { 0.0 } else { rng.between(0.0, 0.1) };
                max_height = max_height.max(height);
                let normal = Vec3::new(height, -height, 1.0).normalize();
                floats(&mut self.positions, &[u, v, height]);
                floats(&mut self.normals, &normal.to_array());
                floats(&mut self.uvs, &[u, v]);
            }
        }
        self.heights.push(max_height);
        let (_, size) = plan.index_type();
        for row in 0..plan.side - 1 {
            for column in 0..plan.side - 1 {
                let corner = row * plan.side + column;
                let (right, above) = (corner + 1, corner + plan.side);
                for index in [corner, right, above, above, right, above + 1] {
                    self.indices.extend_from_slice(&(index as u32).to_le_bytes()[..size]);
                }
            }
        }
    }

    fn len(&self) -> usize {
        [&self.positions, &self.normals, &self.uvs, &self.indices].map(Vec::len).iter().sum()
    }
}

fn floats(bytes: &mut Vec<u8>, numbers: &[f32]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
