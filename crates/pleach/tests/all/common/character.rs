//! Characters: a hierarchy of joints, and random triangles skinned to them.

use pleach::glam::{Mat4, Vec3};
use pleach::{Geometry, Mesh, MorphTarget, Node, NodeId, Part, Scene, Skin, Transform};
use testkit::Rng;

use super::material;

/// Options of a random character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CharacterOptions {
    pub(crate) joints: usize,
    pub(crate) triangles: usize,
    pub(crate) parts: usize,
    /// The number of sets of four joints per vertex.
    pub(crate) influence_sets: usize,
    pub(crate) targets: usize,
    /// Weights do not sum to one, or all are zero.
    pub(crate) unnormalized_weights: bool,
    pub(crate) bind_matrix: bool,
}

impl Default for CharacterOptions {
    fn default() -> Self {
        Self {
            joints: 12,
            triangles: 20,
            parts: 1,
            influence_sets: 1,
            targets: 0,
            unnormalized_weights: false,
            bind_matrix: false,
        }
    }
}

/// A skinned node and its joints.
#[derive(Clone, Debug)]
pub(crate) struct Character {
    /// The parent of the mesh and of the joints.
    pub(crate) root: NodeId,
    pub(crate) node: NodeId,
    pub(crate) joints: Vec<NodeId>,
    pub(crate) targets: usize,
}

impl Character {
    /// Spawns a character below the scene root, bound in a random pose.
    pub(crate) fn spawn(scene: &mut Scene, random: &mut Rng, options: CharacterOptions) -> Self {
        let root = scene.spawn(Node::group()).unwrap();
        let mut joints: Vec<NodeId> = Vec::new();
        for _ in 0..options.joints {
            let parent = if joints.is_empty() { root } else { random.pick(&joints) };
            let joint = Node::group().under(parent).with_transform(Transform {
                translation: random.vec3(1.0),
                rotation: random.rotation(),
                scale: Vec3::ONE,
            });
            joints.push(scene.spawn(joint).unwrap());
        }
        let material = material(&scene.assets);
        let parts = (0..options.parts).map(|_| {
            let geometry = geometry(random, options);
            Part { geometry: scene.assets.add(geometry), material: material.clone() }
        });
        let mesh = Mesh::from_parts(parts.collect());
        let mut skin = Skin::from_current_pose(&scene.graph, joints.clone()).unwrap();
        if options.bind_matrix {
            skin.bind_matrix = random.invertible(1.0);
        }
        // The transform of a skinned node has no effect.
        let node = Node::group().under(root).with_mesh(mesh).skinned(skin).at(random.vec3(50.0));
        let node = scene.spawn(node).unwrap();
        if options.targets > 0 {
            scene.set_weights(node, vec![0.0; options.targets]).unwrap();
        }
        Self { root, node, joints, targets: options.targets }
    }

    /// Sets random transforms of some joints, and random morph weights.
    pub(crate) fn pose(&self, scene: &mut Scene, random: &mut Rng) {
        for &joint in &self.joints {
            if random.one_in(3) {
                continue;
            }
            let scale = match random.below(30) {
                0 => Vec3::new(1.0, 0.0, 1.0),
                1..=10 => random.scale(),
                _ => Vec3::ONE,
            };
            let pose =
                Transform { translation: random.vec3(1.5), rotation: random.rotation(), scale };
            scene.graph.node_mut(joint).unwrap().set_transform(pose).unwrap();
        }
        if self.targets > 0 && !random.one_in(4) {
            let weights = (0..self.targets).map(|_| random.between(-1.0, 2.0)).collect();
            scene.set_weights(self.node, weights).unwrap();
        }
    }
}

/// Returns random triangles with random influences.
fn geometry(random: &mut Rng, options: CharacterOptions) -> Geometry {
    let vertices = 3 * options.triangles;
    let mut positions = Vec::new();
    for _ in 0..options.triangles {
        let center = random.vec3(1.5);
        positions.extend([(); 3].map(|()| center + random.vec3(0.7)));
    }
    let mut geometry = Geometry::from_positions(positions);
    for _ in 0..options.influence_sets {
        let joints = (0..vertices).map(|_| [(); 4].map(|()| random.below(options.joints) as u16));
        let joints = joints.collect();
        let weights = (0..vertices).map(|_| weights(random, options)).collect();
        geometry = geometry.with_influences(joints, weights);
    }
    if !options.unnormalized_weights {
        normalize(&mut geometry);
    }
    for _ in 0..options.targets {
        let all: Vec<Vec3> = (0..vertices).map(|_| random.vec3(0.6)).collect();
        // Some targets have no offsets.
        let offsets = if random.one_in(6) { Vec::new() } else { all };
        geometry = geometry.with_morph_target(MorphTarget::from_positions(offsets));
    }
    geometry.check().expect("a valid geometry");
    geometry
}

fn weights(random: &mut Rng, options: CharacterOptions) -> [f32; 4] {
    let [a, b, c, d] = [(); 4].map(|()| random.between(0.0, 1.0));
    match random.below(8) {
        0 => [1.0, 0.0, 0.0, 0.0],
        1 => [a, b, 0.0, 0.0],
        2 if options.unnormalized_weights => [0.0; 4],
        3 if options.unnormalized_weights => [3.0 * a, b, c, 7.0 * d],
        4 if options.unnormalized_weights => [1e-30 * a, 1e-30 * b, 0.0, 0.0],
        5 if options.unnormalized_weights => [1e37 * a, 1e37 * b, 0.0, 3e37],
        6 if options.unnormalized_weights => [f32::from_bits(1), 0.0, f32::from_bits(2), 0.0],
        _ => [a, b, c, d],
    }
}

/// Normalizes the weights of each vertex over all sets.
fn normalize(geometry: &mut Geometry) {
    for vertex in 0..geometry.positions.len() {
        let sum: f32 = geometry.influences.iter().flat_map(|set| set.weights[vertex]).sum();
        for set in &mut geometry.influences {
            set.weights[vertex] = set.weights[vertex].map(|weight| weight / sum);
        }
    }
}

/// Spawns an arm: a strip of `length` quads along +Z, of height 1 each, skinned to a chain of
/// `length` joints. Its normal is +Y; `joints[i]` is at `(0, 0, i)`.
pub(crate) fn arm(scene: &mut Scene, length: usize) -> Character {
    let root = scene.spawn(Node::group()).unwrap();
    let mut joints: Vec<NodeId> = Vec::new();
    for number in 0..length {
        let (parent, at) = match joints.last() {
            Some(&last) => (last, Vec3::Z),
            None => (root, Vec3::ZERO),
        };
        let joint = Node::group().named(format!("joint {number}")).under(parent).at(at);
        joints.push(scene.spawn(joint).unwrap());
    }
    let (mut positions, mut indices, mut joint_sets) = (Vec::new(), Vec::new(), Vec::new());
    for quad in 0..length as u32 {
        let low = quad as f32;
        for (x, z) in [(-0.25, 0.0), (0.25, 0.0), (0.25, 1.0), (-0.25, 1.0)] {
            positions.push(Vec3::new(x, 0.0, low + z));
            joint_sets.push([quad as u16, 0, 0, 0]);
        }
        indices.extend([0, 1, 2, 0, 2, 3].map(|corner| 4 * quad + corner));
    }
    let weights = vec![[1.0, 0.0, 0.0, 0.0]; positions.len()];
    let geometry =
        Geometry::from_triangles(positions, indices).with_influences(joint_sets, weights);
    let geometry = scene.assets.add(geometry);
    let material = material(&scene.assets);
    let inverse_bind_matrices: Vec<Mat4> =
        (0..length).map(|number| Mat4::from_translation(Vec3::Z * -(number as f32))).collect();
    let skin = Skin::new(joints.clone(), inverse_bind_matrices).unwrap();
    let node = Node::mesh(&geometry, &material).under(root).skinned(skin).named("arm");
    let node = scene.spawn(node).unwrap();
    Character { root, node, joints, targets: 0 }
}
