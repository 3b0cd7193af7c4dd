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

pub const PEOPLE: usize = 1000;
pub const BONES: usize = 64;
/// Between two frames.
pub const SECONDS: f32 = 1.0 / 60.0;
/// Keys to a second, which is how long the clip is.
const KEYS: usize = 30;
/// Half the length of the cube that each bone wears.
const LIMB: f32 = 0.1;

/// What the bodies are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outfit {
    /// Nodes like others: a frame updates the graph and no more.
    Bare,
    /// Skins, without a mesh to pose: palettes are computed, bounds are not.
    Skinned,
    /// Skinned meshes: palettes, and bounds that follow the pose.
    Dressed,
}

pub struct Person {
    pub bones: Vec<NodeId>,
    /// Who has the skin and the mesh.
    pub body: NodeId,
}

pub struct Crowd {
    pub scene: Scene,
    pub people: Vec<Person>,
    pub mixers: Vec<Mixer>,
    /// From the body's space at rest to each bone's.
    pub inverse_bind_matrices: Arc<[Mat4]>,
    /// What the bodies wear.
    pub geometry: Handle<Geometry>,
}

/// One of the kind: where each bone hangs and how, and the rest pose.
struct Pattern {
    /// The parent of each bone, but for the first.
    parents: Vec<Option<usize>>,
    locals: Vec<Transform>,
    /// In the space of the body.
    rest: Vec<Mat4>,
}

impl Crowd {
    /// Updated once, so that everything that is made once is there.
    pub fn new(outfit: Outfit, seed: u64) -> Self {
        let pattern = Pattern::new(seed);
        let inverse_bind_matrices: Arc<[Mat4]> = pattern.rest.iter().map(Mat4::inverse).collect();
        let mut scene = Scene::new();
        let geometry = scene.assets.add(clothes(&pattern));
        let material = scene.assets.add(Material::default());
        let clip = Arc::new(clip(&pattern, seed));
        let mut rng = Rng::new(seed ^ 0x700);
        let (mut people, mut mixers) = (Vec::new(), Vec::new());
        for number in 0..PEOPLE {
            let place = Vec3::new((number % 32) as f32, (number / 32) as f32, 0.0) * 4.0;
            let stand = spawn(&mut scene, Node::group().at(place));
            let bones = pattern.bones(&mut scene, stand);
            let binding = Binding::new(Arc::clone(&clip), bones.iter().copied());
            let layer = BlendLayer::new(binding.expect("a node for each bone"));
            let layer = layer.starting_at(rng.between(0.0, 1.0));
            let mut mixer = Mixer::new();
            mixer.add(layer, &scene.graph, &scene.weights);
            mixers.push(mixer);

            let skin = Skin::new(bones.clone(), Arc::clone(&inverse_bind_matrices));
            let skin = skin.expect("a matrix for each bone");
            let body = match outfit {
                Outfit::Bare => Node::group(),
                Outfit::Skinned => Node::group().skinned(skin),
                Outfit::Dressed => Node::mesh(&geometry, &material).skinned(skin),
            };
            let body = spawn(&mut scene, body.under(stand));
            people.push(Person { bones, body });
        }
        let mut crowd = Self { scene, people, mixers, inverse_bind_matrices, geometry };
        crowd.update();
        crowd
    }

    /// A camera that has about half of them in view.
    pub fn add_camera(&mut self) -> NodeId {
        let lens = Camera { aspect: None, ..Camera::perspective(1.0, 1.0) };
        let camera = spawn(&mut self.scene, Node::camera(lens).at(Vec3::new(64.0, 40.0, 20.0)));
        let mut eye = self.scene.graph.node_mut(camera).expect("it was just spawned");
        eye.look_at(Vec3::new(64.0, 80.0, 0.0), Vec3::Z).expect("ahead is not up");
        camera
    }

    /// Where everyone's bones begin in the graph's columns: they lie there one after the other.
    pub fn starts(&self) -> impl Iterator<Item = usize> {
        self.people.iter().map(|person| {
            let start = person.bones[0].index();
            let in_order =
                person.bones.iter().zip(start..).all(|(bone, slot)| bone.index() == slot);
            assert!(in_order, "bones were made one after the other");
            start
        })
    }

    /// Turns every bone; how many that were.
    pub fn animate(&mut self) -> usize {
        let Self { scene, mixers, .. } = self;
        mixers.iter_mut().map(|mixer| scene.animate(mixer, SECONDS).transformed).sum()
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
    pub fn time_after_one_bone(&mut self, step: u32) -> f64 {
        self.turn_last_bones(step);
        let start = Instant::now();
        self.update();
        start.elapsed().as_nanos() as f64
    }

    /// Turns the last bone of everyone, otherwise at each step.
    pub fn turn_last_bones(&mut self, step: u32) {
        let turn = Quat::from_rotation_x((step % 64) as f32 * 0.01);
        for person in &self.people {
            let bone = person.bones[BONES - 1];
            let mut bone = self.scene.graph.node_mut(bone).expect("nobody loses a bone");
            bone.set_rotation(turn).expect("it is a rotation");
        }
    }
}

impl Pattern {
    /// A skeleton of the transform benchmark's crowd.
    fn new(seed: u64) -> Self {
        let case = Case { shape: Shape::Crowd, n: 1 + BONES, order: Order::Natural, seed };
        let scene = scene::Scene::new(&case);
        let parents = scene.children().map(|(_, parent)| (parent as usize).checked_sub(1));
        let parents: Vec<_> = parents.collect();
        let locals = scene.locals[1..].iter().map(|local| Transform {
            translation: local.translation.into(),
            rotation: Quat::from_array(local.rotation),
            scale: local.scale.into(),
        });
        let locals: Vec<_> = locals.collect();
        let mut rest: Vec<Mat4> = Vec::with_capacity(BONES);
        for (parent, local) in parents.iter().zip(&locals) {
            let Transform { translation, rotation, scale } = *local;
            let local = Mat4::from_scale_rotation_translation(scale, rotation, translation);
            rest.push(parent.map_or(local, |parent| rest[parent] * local));
        }
        Self { parents, locals, rest }
    }

    /// Makes the bones of one person, one after the other.
    fn bones(&self, scene: &mut Scene, stand: NodeId) -> Vec<NodeId> {
        let mut bones: Vec<NodeId> = Vec::with_capacity(BONES);
        for (parent, &local) in self.parents.iter().zip(&self.locals) {
            let parent = parent.map_or(stand, |parent| bones[parent]);
            bones.push(spawn(scene, Node::group().with_transform(local).under(parent)));
        }
        bones
    }
}

fn spawn(scene: &mut Scene, node: Node) -> NodeId {
    scene.spawn(node).expect("the parent is there and the transform finite")
}

/// A cube at each bone, of which its parent moves a quarter.
fn clothes(pattern: &Pattern) -> Geometry {
    let cube = Cuboid::new(Vec3::splat(2.0 * LIMB)).build().expect("a cube has a size");
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for (bone, rest) in pattern.rest.iter().enumerate() {
        let first = positions.len() as u32;
        indices.extend(cube.triangles().flatten().map(|index| first + index));
        positions.extend(cube.positions.iter().map(|&corner| rest.transform_point3(corner)));
        let parent = pattern.parents[bone].unwrap_or(bone);
        joints.resize(positions.len(), [bone as u16, parent as u16, 0, 0]);
        weights.resize(positions.len(), [0.75, 0.25, 0.0, 0.0]);
    }
    Geometry::from_triangles(positions, indices).with_influences(joints, weights)
}

/// Turns every bone about an axis of its own, by another angle at each key. Ends as it begins.
fn clip(pattern: &Pattern, seed: u64) -> Clip {
    let mut rng = Rng::new(seed ^ 0x600);
    let times: Arc<[f32]> = (0..=KEYS).map(|key| key as f32 / KEYS as f32).collect();
    let channels = pattern.locals.iter().enumerate().map(|(bone, local)| {
        let axis = Vec3::from([(); 3].map(|()| rng.between(-1.0, 1.0))).normalize_or(Vec3::X);
        let turns = (0..KEYS).map(|_| Quat::from_axis_angle(axis, rng.between(-0.4, 0.4)));
        let mut keys: Vec<_> = turns.map(|turn| (local.rotation * turn).normalize()).collect();
        keys.push(keys[0]);
        let way = Interpolation::Linear;
        Channel::rotation(bone as u32, way, Arc::clone(&times), keys).expect("keys for all times")
    });
    let channels: Vec<_> = channels.collect();
    let labels = (0..BONES).map(|bone| bone.to_string());
    Clip::new("wriggle", labels, channels).expect("a label for each bone")
}
