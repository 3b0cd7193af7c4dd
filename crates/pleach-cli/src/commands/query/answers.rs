//! The answers about a model as JSON. The names and order of fields are stable for scripts;
//! docs/program.md describes them.
//!
//! Invariant: every number is finite, so that none becomes `null`.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeTuple, Serializer};

/// A column-major matrix.
pub(crate) type Matrix = [f32; 16];
/// The minimum and the maximum corner of a box.
pub(crate) type Box6 = [f32; 6];

#[derive(Debug, Serialize)]
pub(crate) struct Answers {
    pub(crate) nodes: Vec<Node>,
    pub(crate) mesh_nodes: Vec<MeshNode>,
    pub(crate) scenes: Vec<Scene>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) animations: Vec<Animation>,
    pub(crate) cameras: Vec<Camera>,
    pub(crate) lights: Vec<Light>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) culls: Vec<Culled>,
    pub(crate) rays: Vec<Hits>,
}

/// A node; its local transform is `t`, `r`, `s` or `m`.
#[derive(Debug, Serialize)]
pub(crate) struct Node {
    pub(crate) name: Option<String>,
    pub(crate) parent: i64,
    pub(crate) children: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) t: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) r: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) s: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) m: Option<Matrix>,
    pub(crate) world: Matrix,
    pub(crate) visible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skin: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) camera: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) light: Option<usize>,
}

/// A node with a mesh; the boxes are `None` if it has no vertices.
#[derive(Debug, Serialize)]
pub(crate) struct MeshNode {
    pub(crate) node: usize,
    pub(crate) loose: Option<Box6>,
    pub(crate) posed: Option<Box6>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Scene {
    pub(crate) name: Option<String>,
    pub(crate) roots: Vec<usize>,
    pub(crate) nodes: Vec<usize>,
    pub(crate) aabb: Option<Bounds>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Bounds {
    pub(crate) loose: Box6,
    pub(crate) posed: Box6,
}

#[derive(Debug, Serialize)]
pub(crate) struct Skin {
    pub(crate) joints: Vec<usize>,
    pub(crate) joint_matrices: Vec<Matrix>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Animation {
    pub(crate) name: Option<String>,
    pub(crate) duration: f32,
}

/// A camera; `projection` is `None` if it is unusable.
#[derive(Debug, Serialize)]
pub(crate) struct Camera {
    pub(crate) projection: Option<Matrix>,
    pub(crate) nodes: Vec<usize>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Light {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) color: [f32; 3],
    pub(crate) intensity: f32,
    pub(crate) range: Option<f32>,
    /// The inner cone angle of a spot light.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inner: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outer: Option<f32>,
    pub(crate) at: Vec<LightAt>,
}

#[derive(Debug, Serialize)]
pub(crate) struct LightAt {
    pub(crate) node: usize,
    pub(crate) position: [f32; 3],
    /// `None` if the world matrix is singular.
    pub(crate) direction: Option<[f32; 3]>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Pose {
    /// World matrices by node.
    pub(crate) world: Vec<Matrix>,
    /// Weights of the nodes with a weights channel, sorted by node.
    #[serde(serialize_with = "as_map")]
    pub(crate) weights: Vec<(usize, Vec<f32>)>,
    /// Joint matrices by skin.
    pub(crate) joint_matrices: Vec<Vec<Matrix>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Culled {
    pub(crate) inside: Vec<usize>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Hits {
    pub(crate) hits: Vec<Hit>,
}

/// A hit, serialised as an array of seven numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) k: u32,
    pub(crate) distance: f32,
    pub(crate) node: u32,
    pub(crate) primitive: u32,
    pub(crate) face: u32,
    pub(crate) instance: Option<u32>,
    pub(crate) front: bool,
}

impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_tuple(7)?;
        list.serialize_element(&self.k)?;
        list.serialize_element(&self.distance)?;
        list.serialize_element(&self.node)?;
        list.serialize_element(&self.primitive)?;
        list.serialize_element(&self.face)?;
        list.serialize_element(&self.instance.map_or(-1, i64::from))?;
        list.serialize_element(&u8::from(self.front))?;
        list.end()
    }
}

/// Serialises pairs as an object.
fn as_map<S: Serializer>(pairs: &[(usize, Vec<f32>)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (key, value) in pairs {
        map.serialize_entry(key, value)?;
    }
    map.end()
}
