//! Skinned and morphed characters, bound in their current pose: joint matrices and posed bounds.

use glam::Vec3;
use pleach::{Filter, Geometry, Material, MorphTarget, Node, NodeId, Ray, Scene, Skin, Transform};
use testkit::Rng;

use crate::Kernels;
use crate::digest::Digest;

const JOINTS: usize = 6;
const TARGETS: usize = 2;

/// A skinned node and its joints.
#[derive(Debug)]
pub(crate) struct Character {
    pub(crate) root: NodeId,
    pub(crate) node: NodeId,
    pub(crate) joints: Vec<NodeId>,
}

pub(crate) fn record(seed: u64, kernels: Kernels) -> u64 {
    let mut random = Rng::new(seed);
    let mut scene = Scene::new();
    kernels.set_scene(&mut scene);
    let mut digest = Digest::new();
    let characters = [(); 3].map(|()| Character::spawn(&mut scene, &mut random));
    for _ in 0..6 {
        for character in &characters {
            character.pose(&mut scene, &mut random);
        }
        kernels.update_scene(&mut scene);
        for character in &characters {
            let skin = scene.skin(character.node).unwrap();
            skin.inverse_bind_matrices.iter().for_each(|matrix| digest.matrix(matrix));
            digest.aabb(scene.spatial.world_bounds(character.node));
        }
        scene.joint_matrices().matrices().iter().for_each(|matrix| digest.matrix(matrix));
        for (node, range) in scene.joint_matrices().changed() {
            digest.node(node);
            digest.number(range.start);
        }
        for _ in 0..10 {
            let ray = Ray::between(random.vec3(8.0), random.vec3(2.0)).unwrap();
            digest.hit(scene.pick(&ray, &Filter::default()).as_ref());
        }
    }
    digest.finish()
}

impl Character {
    /// Spawns a character below the scene root, bound in a random pose.
    pub(crate) fn spawn(scene: &mut Scene, random: &mut Rng) -> Self {
        let root = scene.spawn(Node::group()).unwrap();
        let mut joints: Vec<NodeId> = Vec::new();
        for _ in 0..JOINTS {
            let parent = if joints.is_empty() { root } else { random.pick(&joints) };
            let joint = Node::group().under(parent).with_transform(pose(random, Vec3::ONE));
            joints.push(scene.spawn(joint).unwrap());
        }
        let geometry = scene.assets.add(geometry(random));
        let material = scene.assets.add(Material::default());
        let skin = Skin::from_current_pose(&scene.graph, joints.clone()).unwrap();
        let node = Node::mesh(&geometry, &material).under(root).skinned(skin);
        let node = scene.spawn(node).unwrap();
        scene.set_weights(node, vec![0.0; TARGETS]).unwrap();
        Self { root, node, joints }
    }

    /// Sets random transforms of some joints, and random morph weights.
    pub(crate) fn pose(&self, scene: &mut Scene, random: &mut Rng) {
        for &joint in &self.joints {
            if random.one_in(3) {
                continue;
            }
            let scale = if random.one_in(3) { random.scale() } else { Vec3::ONE };
            let pose = pose(random, scale);
            scene.graph.node_mut(joint).unwrap().set_transform(pose).unwrap();
        }
        let weights = (0..TARGETS).map(|_| random.between(-1.0, 2.0)).collect();
        scene.set_weights(self.node, weights).unwrap();
    }
}

fn pose(random: &mut Rng, scale: Vec3) -> Transform {
    Transform { translation: random.vec3(1.5), rotation: random.rotation(), scale }
}

/// Returns random triangles with random influences.
fn geometry(random: &mut Rng) -> Geometry {
    const VERTICES: usize = 24;
    let positions = (0..VERTICES).map(|_| random.vec3(1.5)).collect();
    let joints = (0..VERTICES).map(|_| [(); 4].map(|()| random.below(JOINTS) as u16)).collect();
    let weights = (0..VERTICES).map(|_| {
        let weights = [(); 4].map(|()| random.between(0.0, 1.0));
        let sum: f32 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    });
    let mut geometry =
        Geometry::from_positions(positions).with_influences(joints, weights.collect());
    for _ in 0..TARGETS {
        let offsets: Vec<Vec3> = (0..VERTICES).map(|_| random.vec3(0.6)).collect();
        geometry = geometry.with_morph_target(MorphTarget::from_positions(offsets));
    }
    geometry
}
