//! The crowd: a thousand people of one kind, each with a skeleton of 64 bones and a mixer that
//! plays the same clip from a moment of its own, so that every bone turns in every frame.
//!
//! The three outfits have the same nodes, moves and mixers; they differ in what the bodies are.

use std::sync::Arc;
use std::time::Instant;

use glam::{Mat4, Quat, Vec3};
use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mixer};
use pleach::shapes::Cuboid;
use pleach::{
    Camera, Geometry, Handle, Material, Node, NodeId, Scene, SceneUpdateStats, Skin, Transform,
};

use crate::rng::Rng;
use crate::scene::{self, Case, Order, Shape};

pub const CHARACTERS: usize = 1000;
pub const JOINTS: usize = 64;
/// Between two frames.
pub const FRAME_SECONDS: f32 = 1.0 / 60.0;
/// Keys to a second, which is how long the clip is.
const KEYS_PER_SECOND: usize = 30;
/// Half the length of the cube that each bone wears.
const JOINT_CUBE_HALF: f32 = 0.1;

/// What the bodies are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrowdKind {
    /// Nodes like others: a frame updates the graph and no more.
    NoSkins,
    /// Skins, without a mesh to pose: palettes are computed, bounds are not.
    Skins,
    /// Skinned meshes: palettes, and bounds that follow the pose.
    SkinnedMeshes,
}

pub struct Character {
    pub joints: Vec<NodeId>,
    /// Who has the skin and the mesh.
    pub mesh_node: NodeId,
}

pub struct Crowd {
    pub scene: Scene,
    pub characters: Vec<Character>,
    pub mixers: Vec<Mixer>,
    /// From the body's space at rest to each bone's.
    pub inverse_bind_matrices: Arc<[Mat4]>,
    /// What the bodies wear.
    pub geometry: Handle<Geometry>,
}

/// One of the kind: where each bone hangs and how, and the rest pose.
struct Skeleton {
    /// The parent of each bone, but for the first.
    parents: Vec<Option<usize>>,
    locals: Vec<Transform>,
    /// In the space of the body.
    rest_pose: Vec<Mat4>,
}

impl Crowd {
    /// Updated once, so that everything that is made once is there.
    pub fn new(kind: CrowdKind, seed: u64) -> Self {
        let skeleton = Skeleton::new(seed);
        let inverse_bind_matrices: Arc<[Mat4]> =
            skeleton.rest_pose.iter().map(Mat4::inverse).collect();
        let mut scene = Scene::new();
        let geometry = scene.assets.add(body_geometry(&skeleton));
        let material = scene.assets.add(Material::default());
        let clip = Arc::new(clip(&skeleton, seed));
        let mut rng = Rng::new(seed ^ 0x700);
        let (mut characters, mut mixers) = (Vec::new(), Vec::new());
        for index in 0..CHARACTERS {
            let position = Vec3::new((index % 32) as f32, (index / 32) as f32, 0.0) * 4.0;
            let root = spawn(&mut scene, Node::group().at(position));
            let joints = skeleton.joints(&mut scene, root);
            let binding = Binding::new(Arc::clone(&clip), joints.iter().copied());
            let layer = BlendLayer::new(binding.expect("a node for each bone"));
            let layer = layer.starting_at(rng.between(0.0, 1.0));
            let mut mixer = Mixer::new();
            mixer.add(layer, &scene.graph, &scene.weights);
            mixers.push(mixer);

            let skin = Skin::new(joints.clone(), Arc::clone(&inverse_bind_matrices));
            let skin = skin.expect("a matrix for each bone");
            let mesh_node = match kind {
                CrowdKind::NoSkins => Node::group(),
                CrowdKind::Skins => Node::group().skinned(skin),
                CrowdKind::SkinnedMeshes => Node::mesh(&geometry, &material).skinned(skin),
            };
            let mesh_node = spawn(&mut scene, mesh_node.under(root));
            characters.push(Character { joints, mesh_node });
        }
        let mut crowd = Self { scene, characters, mixers, inverse_bind_matrices, geometry };
        crowd.update();
        crowd
    }

    /// A camera that has about half of them in view.
    pub fn add_camera(&mut self) -> NodeId {
        let camera = Camera { aspect: None, ..Camera::perspective(1.0, 1.0) };
        let camera = spawn(&mut self.scene, Node::camera(camera).at(Vec3::new(64.0, 40.0, 20.0)));
        let mut camera_node = self.scene.graph.node_mut(camera).expect("it was just spawned");
        camera_node.look_at(Vec3::new(64.0, 80.0, 0.0), Vec3::Z).expect("ahead is not up");
        camera
    }

    /// Where everyone's bones begin in the graph's columns: they lie there one after the other.
    pub fn joint_slots(&self) -> impl Iterator<Item = usize> {
        self.characters.iter().map(|character| {
            let first_slot = character.joints[0].index();
            let contiguous = character
                .joints
                .iter()
                .zip(first_slot..)
                .all(|(joint, slot)| joint.index() == slot);
            assert!(contiguous, "bones were made one after the other");
            first_slot
        })
    }

    /// Turns every bone; how many that were.
    pub fn animate(&mut self) -> usize {
        let Self { scene, mixers, .. } = self;
        mixers.iter_mut().map(|mixer| scene.animate(mixer, FRAME_SECONDS).transformed).sum()
    }

    pub fn update(&mut self) -> SceneUpdateStats {
        self.scene.update().expect("the scene has its own graph")
    }

    /// Nanoseconds to animate everyone; then an update.
    pub fn time_to_animate(&mut self) -> f64 {
        let start = Instant::now();
        self.animate();
        let time = start.elapsed().as_nanos() as f64;
        self.update();
        time
    }

    /// Nanoseconds of an update after every bone moved.
    pub fn time_to_update(&mut self) -> f64 {
        self.animate();
        let start = Instant::now();
        self.update();
        start.elapsed().as_nanos() as f64
    }

    /// Nanoseconds of both.
    pub fn time_of_frame(&mut self) -> f64 {
        let start = Instant::now();
        self.animate();
        self.update();
        start.elapsed().as_nanos() as f64
    }

    /// Nanoseconds of an update after the last bone of everyone moved, which has none below.
    pub fn time_after_one_joint(&mut self, step: u32) -> f64 {
        self.rotate_last_joints(step);
        let start = Instant::now();
        self.update();
        start.elapsed().as_nanos() as f64
    }

    /// Turns the last bone of everyone, otherwise at each step.
    pub fn rotate_last_joints(&mut self, step: u32) {
        let rotation = Quat::from_rotation_x((step % 64) as f32 * 0.01);
        for character in &self.characters {
            let joint = character.joints[JOINTS - 1];
            let mut joint = self.scene.graph.node_mut(joint).expect("nobody loses a bone");
            joint.set_rotation(rotation).expect("it is a rotation");
        }
    }
}

impl Skeleton {
    /// A skeleton of the transform benchmark's crowd.
    fn new(seed: u64) -> Self {
        let case = Case { shape: Shape::Crowd, n: 1 + JOINTS, order: Order::Natural, seed };
        let scene = scene::Scene::new(&case);
        let parents = scene.children().map(|(_, parent)| (parent as usize).checked_sub(1));
        let parents: Vec<_> = parents.collect();
        let locals = scene.locals[1..].iter().map(|local| Transform {
            translation: local.translation.into(),
            rotation: Quat::from_array(local.rotation),
            scale: local.scale.into(),
        });
        let locals: Vec<_> = locals.collect();
        let mut rest_pose: Vec<Mat4> = Vec::with_capacity(JOINTS);
        for (parent, local) in parents.iter().zip(&locals) {
            let Transform { translation, rotation, scale } = *local;
            let local = Mat4::from_scale_rotation_translation(scale, rotation, translation);
            rest_pose.push(parent.map_or(local, |parent| rest_pose[parent] * local));
        }
        Self { parents, locals, rest_pose }
    }

    /// Makes the bones of one person, one after the other.
    fn joints(&self, scene: &mut Scene, root: NodeId) -> Vec<NodeId> {
        let mut joints: Vec<NodeId> = Vec::with_capacity(JOINTS);
        for (parent, &local) in self.parents.iter().zip(&self.locals) {
            let parent = parent.map_or(root, |parent| joints[parent]);
            joints.push(spawn(scene, Node::group().with_transform(local).under(parent)));
        }
        joints
    }
}

fn spawn(scene: &mut Scene, node: Node) -> NodeId {
    scene.spawn(node).expect("the parent is there and the transform finite")
}

/// A cube at each bone, of which its parent moves a quarter.
fn body_geometry(skeleton: &Skeleton) -> Geometry {
    let cube = Cuboid::new(Vec3::splat(2.0 * JOINT_CUBE_HALF)).build().expect("a cube has a size");
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for (joint, rest_pose) in skeleton.rest_pose.iter().enumerate() {
        let first = positions.len() as u32;
        indices.extend(cube.triangles().flatten().map(|index| first + index));
        positions.extend(cube.positions.iter().map(|&corner| rest_pose.transform_point3(corner)));
        let parent = skeleton.parents[joint].unwrap_or(joint);
        joints.resize(positions.len(), [joint as u16, parent as u16, 0, 0]);
        weights.resize(positions.len(), [0.75, 0.25, 0.0, 0.0]);
    }
    Geometry::from_triangles(positions, indices).with_influences(joints, weights)
}

/// Turns every bone about an axis of its own, by another angle at each key. Ends as it begins.
fn clip(skeleton: &Skeleton, seed: u64) -> Clip {
    let mut rng = Rng::new(seed ^ 0x600);
    let times: Arc<[f32]> =
        (0..=KEYS_PER_SECOND).map(|key| key as f32 / KEYS_PER_SECOND as f32).collect();
    let channels = skeleton.locals.iter().enumerate().map(|(joint, local)| {
        let axis = Vec3::from([(); 3].map(|()| rng.between(-1.0, 1.0))).normalize_or(Vec3::X);
        let rotations =
            (0..KEYS_PER_SECOND).map(|_| Quat::from_axis_angle(axis, rng.between(-0.4, 0.4)));
        let mut keys: Vec<_> =
            rotations.map(|rotation| (local.rotation * rotation).normalize()).collect();
        keys.push(keys[0]);
        let interpolation = Interpolation::Linear;
        Channel::rotation(joint as u32, interpolation, Arc::clone(&times), keys)
            .expect("keys for all times")
    });
    let channels: Vec<_> = channels.collect();
    let labels = (0..JOINTS).map(|joint| joint.to_string());
    Clip::new("wriggle", labels, channels).expect("a label for each bone")
}
