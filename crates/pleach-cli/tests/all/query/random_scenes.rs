//! Random scenes with all ways to place a mesh, as a file and as world-space triangles in f64.

use std::path::PathBuf;

use glam::{DMat4, DQuat, DVec3};
use serde_json::json;
use testkit::Rng;

use super::file_builder::File;

/// Some scales mirror, some are zero.
fn random_scale(rng: &mut Rng) -> [f32; 3] {
    let some = [1.0, 1.5, 0.5, -1.0, -2.0, 1.0, 0.75, 0.0];
    [rng.pick(&some), rng.pick(&some[..7]), rng.pick(&some[..7])]
}

fn random_vector(rng: &mut Rng, extent: f32) -> [f32; 3] {
    rng.vec3(extent).to_array()
}

fn random_rotation(rng: &mut Rng) -> [f32; 4] {
    rng.rotation().to_array()
}

/// A node and its mesh.
pub(crate) struct Node {
    parent: Option<usize>,
    t: [f32; 3],
    r: [f32; 4],
    s: [f32; 3],
    pub(crate) mesh: Option<usize>,
    weight: Option<f32>,
    instances: Vec<([f32; 3], [f32; 3])>,
    /// The two joints and their bind translations.
    skin: Option<[usize; 2]>,
    hidden: bool,
}

/// Two primitives; triangles do not share vertices, and have offsets for a morph target.
struct Mesh {
    primitives: [Vec<[f32; 3]>; 2],
    shift: Option<[f32; 3]>,
}

pub(crate) struct Scene {
    pub(crate) nodes: Vec<Node>,
    meshes: Vec<Mesh>,
    inverse_binds: [[f32; 16]; 2],
}

impl Scene {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        let meshes = (0..3).map(|number| Mesh {
            primitives: [3, 2]
                .map(|count| (0..3 * count).map(|_| random_vector(rng, 1.5)).collect()),
            shift: (number == 1).then(|| random_vector(rng, 1.0)),
        });
        let meshes: Vec<Mesh> = meshes.collect();
        let mut nodes: Vec<Node> = Vec::new();
        for index in 0..12_usize {
            let parent = (index > 0 && rng.below(3) > 0).then(|| rng.below(index));
            let mesh = (rng.below(4) > 0).then(|| rng.below(3));
            let is_skinned = mesh == Some(2) && rng.below(2) == 0;
            let instances = if rng.below(4) == 0 && !is_skinned { rng.below(4) } else { 0 };
            nodes.push(Node {
                parent,
                t: random_vector(rng, 3.0),
                r: random_rotation(rng),
                s: random_scale(rng),
                mesh,
                weight: (mesh == Some(1)).then(|| rng.between(-1.0, 1.0)),
                instances: (0..instances)
                    .map(|_| (random_vector(rng, 2.0), random_scale(rng)))
                    .collect(),
                skin: is_skinned.then(|| [rng.below(12), rng.below(12)]),
                hidden: rng.below(5) == 0,
            });
        }
        let mut bind = || {
            let (t, r) = (random_vector(rng, 1.0), random_rotation(rng));
            matrix(t, quat(r), [1.0; 3]).as_mat4().to_cols_array()
        };
        Self { nodes, meshes, inverse_binds: [bind(), bind()] }
    }

    pub(crate) fn save(&self, name: &str) -> PathBuf {
        let mut file = File::new(&[], json!([]));
        file.json["scenes"] = json!([{"nodes": self.children(None)}]);
        let (mut skins, mut nodes) = (Vec::new(), Vec::new());
        let binds = file.floats(&self.inverse_binds);
        for mesh in &self.meshes {
            let primitives = mesh.primitives.each_ref().map(|corners| {
                let half = [0.5, 0.5, 0.0, 0.0];
                let position = file.floats(corners);
                let joints = file.joints(&vec![[0, 1, 0, 0]; corners.len()]);
                let weights = file.floats(&vec![half; corners.len()]);
                let mut primitive = json!({"attributes":
                    {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}});
                if let Some(shift) = mesh.shift {
                    let target = file.floats(&vec![shift; corners.len()]);
                    primitive["targets"] = json!([{"POSITION": target}]);
                }
                primitive
            });
            file.add("meshes", json!({"primitives": primitives}));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let mut json = json!({"translation": node.t, "rotation": node.r, "scale": node.s});
            let children = self.children(Some(index));
            if !children.is_empty() {
                json["children"] = json!(children);
            }
            if let Some(mesh) = node.mesh {
                json["mesh"] = json!(mesh);
            }
            if let Some(weight) = node.weight {
                json["weights"] = json!([weight]);
            }
            if let Some(joints) = node.skin {
                json["skin"] = json!(skins.len());
                skins.push(json!({"joints": joints, "inverseBindMatrices": binds}));
            }
            if !node.instances.is_empty() {
                let (t, s): (Vec<_>, Vec<_>) = node.instances.iter().copied().unzip();
                let attributes = json!({"TRANSLATION": file.floats(&t), "SCALE": file.floats(&s)});
                json["extensions"]["EXT_mesh_gpu_instancing"] = json!({"attributes": attributes});
            }
            if node.hidden {
                json["extensions"]["KHR_node_visibility"] = json!({"visible": false});
            }
            nodes.push(json);
        }
        file.json["nodes"] = json!(nodes);
        if !skins.is_empty() {
            file.json["skins"] = json!(skins);
        }
        file.save(name)
    }

    fn children(&self, of: Option<usize>) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&index| self.nodes[index].parent == of).collect()
    }

    fn world(&self, index: usize) -> DMat4 {
        let node = &self.nodes[index];
        let local = matrix(node.t, quat(node.r), node.s);
        node.parent.map_or(local, |parent| self.world(parent) * local)
    }

    /// Returns the matrices of a node's mesh: one per instance, or index −1 for the node itself.
    fn placements(&self, index: usize) -> Vec<(i64, DMat4)> {
        let world = self.world(index);
        let to_world = |&(t, s): &([f32; 3], [f32; 3])| world * matrix(t, DQuat::IDENTITY, s);
        let placements: Vec<(i64, DMat4)> =
            (0..).zip(self.nodes[index].instances.iter().map(to_world)).collect();
        if placements.is_empty() { vec![(-1, world)] } else { placements }
    }

    /// Returns the corners of the boxes of a node's primitives in world space.
    pub(crate) fn loose_corners(&self, index: usize) -> Vec<DVec3> {
        let mesh = &self.meshes[self.nodes[index].mesh.unwrap()];
        let mut corners = Vec::new();
        for positions in &mesh.primitives {
            let ends = bounds(positions.iter().map(|&it| vector(it)));
            let end = |corner: usize, axis: usize| ends[axis + 3 * (corner >> axis & 1)];
            let corner = |i| DVec3::new(end(i, 0), end(i, 1), end(i, 2));
            for (_, matrix) in self.placements(index) {
                corners.extend((0..8).map(|i| matrix.transform_point3(corner(i))));
            }
        }
        corners
    }

    /// Returns the triangles of all mesh nodes.
    pub(crate) fn triangles(&self) -> Vec<Triangle> {
        let with_mesh = (0..self.nodes.len()).filter(|&it| self.nodes[it].mesh.is_some());
        with_mesh.flat_map(|index| self.triangles_of(index)).collect()
    }

    /// Returns the triangles of a mesh node.
    pub(crate) fn triangles_of(&self, index: usize) -> Vec<Triangle> {
        let node = &self.nodes[index];
        let mesh = &self.meshes[node.mesh.unwrap()];
        let bind = |i: usize| DMat4::from_cols_array(&self.inverse_binds[i].map(f64::from));
        let joints = node.skin.map(|joints| [0, 1].map(|i| self.world(joints[i]) * bind(i)));
        let shift = mesh.shift.map_or(DVec3::ZERO, vector) * f64::from(node.weight.unwrap_or(0.0));
        let reversed = match joints {
            Some(_) => Some(false),
            None => is_mirrored(&self.world(index)),
        };
        let mut triangles = Vec::new();
        for (instance, matrix) in self.placements(index) {
            let pose = |corner: [f32; 3]| {
                let corner = vector(corner) + shift;
                match joints {
                    Some([a, b]) => (a.transform_point3(corner) + b.transform_point3(corner)) * 0.5,
                    None => matrix.transform_point3(corner),
                }
            };
            for (primitive, corners) in mesh.primitives.iter().enumerate() {
                for (face, corners) in corners.chunks(3).enumerate() {
                    let corners = [0, 1, 2].map(|i| pose(corners[i]));
                    let source = [index as i64, primitive as i64, face as i64, instance];
                    triangles.push(Triangle { source, corners, reversed });
                }
            }
        }
        triangles
    }
}

/// A triangle in world space.
pub(crate) struct Triangle {
    /// Node, primitive, face, instance.
    pub(crate) source: [i64; 4],
    pub(crate) corners: [DVec3; 3],
    /// `true` if its front is clockwise; `None` if rounding decides.
    pub(crate) reversed: Option<bool>,
}

/// Returns `true` if a matrix mirrors, or `None` if it is nearly singular, where rounding decides.
fn is_mirrored(matrix: &DMat4) -> Option<bool> {
    let columns = matrix.to_cols_array_2d().map(|column| DVec3::from_slice(&column).length());
    let determinant = matrix.determinant();
    let is_reliable = determinant.abs() > 1e-5 * columns[0] * columns[1] * columns[2];
    is_reliable.then_some(determinant < 0.0)
}

fn matrix(t: [f32; 3], r: DQuat, s: [f32; 3]) -> DMat4 {
    DMat4::from_scale_rotation_translation(vector(s), r, vector(t))
}

/// Returns the minimum and the maximum of points.
pub(crate) fn bounds(points: impl Iterator<Item = DVec3>) -> [f64; 6] {
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (min, max) = points.fold(empty, |all, point| (all.0.min(point), all.1.max(point)));
    [min.x, min.y, min.z, max.x, max.y, max.z]
}

fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

fn quat(q: [f32; 4]) -> DQuat {
    DQuat::from_array(q.map(f64::from)).normalize()
}
