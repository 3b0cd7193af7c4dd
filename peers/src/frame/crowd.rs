//! The crowd: a thousand characters, each with a skeleton of 64 joints and a mixer that plays the
//! same clip with its own time offset, so that every joint rotates in every frame.
//!
//! The three kinds have the same nodes, moves and mixers; they differ in skins and meshes. The clip
//! rotates the joints, or animates all their properties.

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
/// The time between two frames in seconds.
pub const FRAME_SECONDS: f32 = 1.0 / 60.0;
/// Keys per second; the clip is one second long.
const KEYS_PER_SECOND: usize = 30;
/// Half the edge length of the cube at each joint.
const JOINT_CUBE_HALF: f32 = 0.1;

/// The components of the characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrowdKind {
    /// Plain nodes: a frame only updates the graph.
    NoSkins,
    /// Skins without meshes: joint matrices are computed, bounds are not.
    Skins,
    /// Skinned meshes: joint matrices, and bounds that follow the pose.
    SkinnedMeshes,
}

/// The channels of the clip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClipKind {
    /// A rotation per joint.
    Rotations,
    /// Translation, rotation and scale of each joint, with keys at the same times.
    AllProperties,
    /// The same, but each channel has times of its own.
    OwnTimes,
}

pub struct Character {
    pub joints: Vec<NodeId>,
    /// The node with the skin and the mesh.
    pub mesh_node: NodeId,
}

pub struct Crowd {
    pub scene: Scene,
    pub characters: Vec<Character>,
    pub mixers: Vec<Mixer>,
    pub clip: Arc<Clip>,
    /// From the space of the mesh in the rest pose to the space of each joint.
    pub inverse_bind_matrices: Arc<[Mat4]>,
    /// The geometry of the skinned meshes.
    pub geometry: Handle<Geometry>,
}

/// The hierarchy and the rest pose of a skeleton.
struct Skeleton {
    /// The parent of each joint, `None` for the first.
    parents: Vec<Option<usize>>,
    locals: Vec<Transform>,
    /// World matrices relative to the mesh.
    rest_pose: Vec<Mat4>,
}

impl Crowd {
    /// Creates a crowd and updates it once, so that one-time work is done.
    pub fn new(kind: CrowdKind, seed: u64) -> Self {
        Self::with_clip(kind, ClipKind::Rotations, seed)
    }

    pub fn with_clip(kind: CrowdKind, clip_kind: ClipKind, seed: u64) -> Self {
        let skeleton = Skeleton::new(seed);
        let inverse_bind_matrices: Arc<[Mat4]> =
            skeleton.rest_pose.iter().map(Mat4::inverse).collect();
        let mut scene = Scene::new();
        let geometry = scene.assets.add(body_geometry(&skeleton));
        let material = scene.assets.add(Material::default());
        let clip = Arc::new(clip(&skeleton, clip_kind, seed));
        let mut rng = Rng::new(seed ^ 0x700);
        let (mut characters, mut mixers) = (Vec::new(), Vec::new());
        for index in 0..CHARACTERS {
            let position = Vec3::new((index % 32) as f32, (index / 32) as f32, 0.0) * 4.0;
            let root = spawn(&mut scene, Node::group().at(position));
            let joints = skeleton.joints(&mut scene, root);
            let binding = Binding::new(Arc::clone(&clip), joints.iter().copied());
            let layer = BlendLayer::new(binding.expect("the clip has a node for each joint"));
            let layer = layer.starting_at(rng.between(0.0, 1.0));
            let mut mixer = Mixer::new();
            scene.play(&mut mixer, layer);
            mixers.push(mixer);

            let skin = Skin::new(joints.clone(), Arc::clone(&inverse_bind_matrices));
            let skin = skin.expect("the skin has a matrix for each joint");
            let mesh_node = match kind {
                CrowdKind::NoSkins => Node::group(),
                CrowdKind::Skins => Node::group().skinned(skin),
                CrowdKind::SkinnedMeshes => Node::mesh(&geometry, &material).skinned(skin),
            };
            let mesh_node = spawn(&mut scene, mesh_node.under(root));
            characters.push(Character { joints, mesh_node });
        }
        let mut crowd = Self { scene, characters, mixers, clip, inverse_bind_matrices, geometry };
        crowd.update();
        crowd
    }

    /// Adds a camera that sees about half of the characters.
    pub fn add_camera(&mut self) -> NodeId {
        let camera = Camera::perspective(1.0);
        let camera = spawn(&mut self.scene, Node::camera(camera).at(Vec3::new(64.0, 40.0, 20.0)));
        let mut camera_node =
            self.scene.graph.node_mut(camera).expect("the camera was just spawned");
        camera_node
            .look_at(Vec3::new(64.0, 80.0, 0.0), Vec3::Z)
            .expect("the view direction is not vertical");
        camera
    }

    /// Returns the slot of the first joint of each character: its joints are contiguous in the
    /// graph.
    pub fn joint_slots(&self) -> impl Iterator<Item = usize> {
        self.characters.iter().map(|character| {
            let first_slot = character.joints[0].index();
            let contiguous = character
                .joints
                .iter()
                .zip(first_slot..)
                .all(|(joint, slot)| joint.index() == slot);
            assert!(contiguous, "joints are created one after the other");
            first_slot
        })
    }

    /// Animates all joints and returns their number.
    pub fn animate(&mut self) -> usize {
        let Self { scene, mixers, .. } = self;
        mixers.iter_mut().map(|mixer| scene.animate(mixer, FRAME_SECONDS).transformed).sum()
    }

    /// Updates the scene and clears its changes, as a program does once per frame.
    pub fn update(&mut self) -> SceneUpdateStats {
        let updated = self.scene.update().expect("the scene has its own graph");
        self.scene.clear_changes();
        updated
    }

    /// Returns the nanoseconds to animate all characters; then updates.
    pub fn time_to_animate(&mut self) -> f64 {
        let start = Instant::now();
        self.animate();
        let time = start.elapsed().as_nanos() as f64;
        self.update();
        time
    }

    /// Returns the nanoseconds to advance and sample all mixers.
    pub fn time_to_sample(&mut self) -> f64 {
        let start = Instant::now();
        for mixer in &mut self.mixers {
            mixer.advance(FRAME_SECONDS);
            mixer.sample();
        }
        start.elapsed().as_nanos() as f64
    }

    /// Returns the nanoseconds of an update after every joint moved.
    pub fn time_to_update(&mut self) -> f64 {
        self.animate();
        let start = Instant::now();
        self.update();
        start.elapsed().as_nanos() as f64
    }

    /// Returns the nanoseconds of animation and update.
    pub fn time_of_frame(&mut self) -> f64 {
        let start = Instant::now();
        self.animate();
        self.update();
        start.elapsed().as_nanos() as f64
    }

    /// Returns the nanoseconds of an update after the last joint of each character moved, which is
    /// a leaf.
    pub fn time_after_one_joint(&mut self, step: u32) -> f64 {
        self.rotate_last_joints(step);
        let start = Instant::now();
        self.update();
        start.elapsed().as_nanos() as f64
    }

    /// Rotates the last joint of each character, differently at each step.
    pub fn rotate_last_joints(&mut self, step: u32) {
        let rotation = Quat::from_rotation_x((step % 64) as f32 * 0.01);
        for character in &self.characters {
            let joint = character.joints[JOINTS - 1];
            let mut joint = self.scene.graph.node_mut(joint).expect("no joint is removed");
            joint.set_rotation(rotation).expect("the rotation is normalized");
        }
    }
}

impl Skeleton {
    /// Creates a skeleton as in the crowd of the transform benchmark.
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

    /// Adds the joints of one character, contiguously.
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
    scene.spawn(node).expect("the parent exists and the transform is finite")
}

/// A cube at each joint, which its parent influences by a quarter.
fn body_geometry(skeleton: &Skeleton) -> Geometry {
    let cube =
        Cuboid::new(Vec3::splat(2.0 * JOINT_CUBE_HALF)).build().expect("the size is positive");
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

/// Rotates every joint about an axis of its own, by a different angle at each key, and moves and
/// scales it a little if the kind requires it. Ends as it begins.
fn clip(skeleton: &Skeleton, kind: ClipKind, seed: u64) -> Clip {
    let mut rng = Rng::new(seed ^ 0x600);
    let mut times_rng = Rng::new(seed ^ 0x800);
    let shared: Arc<[f32]> =
        (0..=KEYS_PER_SECOND).map(|key| key as f32 / KEYS_PER_SECOND as f32).collect();
    let mut times = || match kind {
        ClipKind::OwnTimes => shifted(&shared, &mut times_rng),
        _ => Arc::clone(&shared),
    };
    const EXPECTATION: &str = "there is a key for each time";
    let linear = Interpolation::Linear;
    let mut channels = Vec::new();
    for (joint, local) in (0..).zip(&skeleton.locals) {
        let axis = Vec3::from([(); 3].map(|()| rng.between(-1.0, 1.0))).normalize_or(Vec3::X);
        let rotations = closed(|| Quat::from_axis_angle(axis, rng.between(-0.4, 0.4))).into_iter();
        let keys: Vec<_> =
            rotations.map(|rotation| (local.rotation * rotation).normalize()).collect();
        channels.push(Channel::rotation(joint, linear, times(), keys).expect(EXPECTATION));
        if kind == ClipKind::Rotations {
            continue;
        }
        let offsets = closed(|| Vec3::from([(); 3].map(|()| rng.between(-0.05, 0.05))));
        let keys: Vec<_> = offsets.iter().map(|&offset| local.translation + offset).collect();
        channels.push(Channel::translation(joint, linear, times(), keys).expect(EXPECTATION));
        let keys = closed(|| local.scale * rng.between(0.95, 1.05));
        channels.push(Channel::scale(joint, linear, times(), keys).expect(EXPECTATION));
    }
    let labels = (0..JOINTS).map(|joint| joint.to_string());
    Clip::new("wriggle", labels, channels).expect("there is a label for each joint")
}

/// Returns the values of all keys, of which the last is the first.
fn closed<T: Clone>(mut value: impl FnMut() -> T) -> Vec<T> {
    let mut values: Vec<T> = (0..KEYS_PER_SECOND).map(|_| value()).collect();
    values.push(values[0].clone());
    values
}

/// Moves all times but the first and the last by less than half their distance.
fn shifted(times: &[f32], rng: &mut Rng) -> Arc<[f32]> {
    let mut times = times.to_vec();
    let last = times.len() - 1;
    for time in &mut times[1..last] {
        *time += rng.between(-0.4, 0.4) / KEYS_PER_SECOND as f32;
    }
    times.into()
}
