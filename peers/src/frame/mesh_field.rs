//! A field of meshes before a camera, laid out so that it is known which are in view: their
//! middles are inside of the frustum, and all of the others are outside of one of its planes,
//! wherever they wander.
//!
//! What is in view is drawn first and does not depend on how many others there are, so that a
//! large scene and a small one with the same numbers in view show the very same picture.

use std::collections::HashSet;
use std::time::Instant;

use glam::{Vec3, Vec4};
use pleach::shapes::{Cone, Cuboid, Cylinder, Sphere};
use pleach::{
    AlphaMode, Camera, Geometry, Handle, Material, Node, NodeId, RenderList, Scene,
    SceneUpdateStats, Visible,
};

use crate::rng::Rng;

/// How many there are, of which how many are in view, and how many move in every frame.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub meshes: usize,
    pub visible: usize,
    pub moved: usize,
}

/// A part of the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// All of it.
    Frame,
    /// World transforms, bounds and the index.
    Update,
    /// The view, and what is in it.
    Cull,
    /// The render list.
    List,
}

/// Meshes to a unit of space: as dense as the boxes of the space benchmark.
const DENSITY: f32 = 1.0 / 80.0;
/// From top to bottom.
const WIDE: f32 = std::f32::consts::FRAC_PI_3;
const SIZE: (u32, u32) = (1920, 1080);
const NEAR: f32 = 0.1;
/// How far a mesh reaches from its middle, at most.
const RADIUS: f32 = 0.9;
/// How far it wanders from its home, along each axis.
const DRIFT: f32 = 0.5;
const MATERIALS: usize = 16;
/// One material in so many is transparent.
const GLASS: usize = 8;

pub struct Meshes {
    pub scene: Scene,
    camera: NodeId,
    /// Those that move, with their homes.
    movers: Vec<(NodeId, Vec3)>,
    pub visible: Visible,
    pub list: RenderList,
    /// The nodes that are in view.
    pub planned: HashSet<NodeId>,
    /// How many of them are transparent.
    pub glass: usize,
    step: u32,
}

struct Spot {
    at: Vec3,
    geometry: usize,
    material: usize,
    in_view: bool,
}

impl Meshes {
    /// After its first frame.
    pub fn new(plan: Plan, seed: u64) -> Self {
        let sight = Sight::new(plan.visible);
        let mut rng = Rng::new(seed ^ 0x800);
        let mut spots = sight.spots(plan, &mut rng);
        rng.shuffle(&mut spots);

        let mut scene = Scene::new();
        let camera = Camera { aspect: None, ..Camera::perspective(WIDE, 1.0) };
        let camera = scene.spawn(Node::camera(camera.with_depth_range(NEAR, sight.far)));
        let camera = camera.expect("a camera fits into a new scene");
        let mut eye = scene.graph.node_mut(camera).expect("it was just spawned");
        eye.look_at(Vec3::Y, Vec3::Z).expect("ahead is not up");
        let (geometries, materials) = (geometries(&scene), materials(&scene));
        let nodes = spots.iter().map(|spot| {
            let mesh = Node::mesh(&geometries[spot.geometry], &materials[spot.material]);
            scene.spawn(mesh.at(spot.at)).expect("the places are finite")
        });
        let nodes: Vec<_> = nodes.collect();

        let in_view = || spots.iter().zip(&nodes).filter(|(spot, _)| spot.in_view);
        let planned = in_view().map(|(_, &node)| node).collect();
        let glass = in_view().filter(|(spot, _)| is_glass(spot.material)).count();
        let mut movers: Vec<_> = nodes.into_iter().zip(spots.iter().map(|spot| spot.at)).collect();
        rng.shuffle(&mut movers);
        movers.truncate(plan.moved);
        let (visible, list) = (Visible::new(), RenderList::new());
        let mut meshes = Self { scene, camera, movers, visible, list, planned, glass, step: 0 };
        meshes.time(Part::Frame);
        meshes
    }

    /// Moves what moves, each along a line through its home, there and back in 64 frames.
    pub fn wander(&mut self) {
        self.step += 1;
        for (number, &(node, home)) in self.movers.iter().enumerate() {
            let phase = (self.step as usize + number) % 64;
            let along = phase.abs_diff(32) as f32 / 16.0 - 1.0;
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][number % 3];
            let mut node = self.scene.graph.node_mut(node).expect("no mesh is removed");
            node.set_translation(home + axis * (DRIFT * along)).expect("the places are finite");
        }
    }

    pub fn update(&mut self) -> SceneUpdateStats {
        self.scene.update().expect("the scene has its own graph")
    }

    /// A frame; nanoseconds that a part of it took. What moves things is in none of them.
    pub fn time(&mut self, part: Part) -> f64 {
        self.wander();
        let start = Instant::now();
        self.update();
        let updated = Instant::now();
        let view = self.scene.view(self.camera, SIZE).expect("the camera is well");
        self.scene.cull(&view, &mut self.visible);
        let culled = Instant::now();
        self.list.build(&self.scene, &self.visible, &view);
        let listed = Instant::now();
        let time = match part {
            Part::Frame => listed - start,
            Part::Update => updated - start,
            Part::Cull => culled - updated,
            Part::List => listed - culled,
        };
        time.as_nanos() as f64
    }
}

/// A camera at the origin that looks along +Y, with +Z up.
struct Sight {
    far: f32,
    /// By how much its picture widens, to each side and up and down, in a step ahead.
    slopes: [f32; 2],
}

impl Sight {
    /// As far as it takes to have so many meshes in view.
    fn new(visible: usize) -> Self {
        let slope = (WIDE / 2.0).tan();
        let slopes = [slope * SIZE.0 as f32 / SIZE.1 as f32, slope];
        let volume = visible as f32 / DENSITY;
        let far = (volume / (4.0 / 3.0 * slopes[0] * slopes[1])).cbrt();
        Self { far, slopes }
    }

    /// How far a point is inside of the plane it is least inside of; negative outside.
    fn depth(&self, point: Vec3) -> f32 {
        let ahead = (point.y - NEAR).min(self.far - point.y);
        let beside = [point.x, point.z].into_iter().zip(self.slopes);
        let beside =
            beside.map(|(across, slope)| (point.y * slope - across.abs()) / slope.hypot(1.0));
        beside.fold(ahead, f32::min)
    }

    /// What is in view, then what is not.
    fn spots(&self, plan: Plan, rng: &mut Rng) -> Vec<Spot> {
        let mut spots = Vec::with_capacity(plan.meshes);
        let [wide, high] = self.slopes.map(|slope| slope * self.far);
        while spots.len() < plan.visible {
            let x = rng.between(-wide, wide);
            let at = Vec3::new(x, rng.between(0.0, self.far), rng.between(-high, high));
            if self.depth(at) > DRIFT {
                spots.push(Spot::new(at, true, rng));
            }
        }
        // The cube that would hold them all, were there no frustum.
        let reach = (plan.meshes as f32 / DENSITY).cbrt() / 2.0;
        while spots.len() < plan.meshes {
            let at = Vec3::from([(); 3].map(|()| rng.between(-reach, reach)));
            if self.depth(at) < -(RADIUS + 2.0 * DRIFT) {
                spots.push(Spot::new(at, false, rng));
            }
        }
        spots
    }
}

impl Spot {
    fn new(at: Vec3, in_view: bool, rng: &mut Rng) -> Self {
        Self { at, geometry: rng.below(8), material: rng.below(MATERIALS), in_view }
    }
}

fn is_glass(material: usize) -> bool {
    material.is_multiple_of(GLASS)
}

/// Eight, none of which reaches beyond [`RADIUS`].
fn geometries(scene: &Scene) -> Vec<Handle<Geometry>> {
    let built = [0.5, 1.0].into_iter().flat_map(|size| {
        [
            Cuboid::new(Vec3::splat(size)).build(),
            Sphere::new(size / 2.0).build(),
            Cylinder::new(size / 2.0, size).build(),
            Cone::new(size / 2.0, size).build(),
        ]
    });
    let built = built.map(|geometry| geometry.expect("the sizes are positive"));
    built.map(|geometry| scene.assets.add(geometry)).collect()
}

fn materials(scene: &Scene) -> Vec<Handle<Material>> {
    let materials = (0..MATERIALS).map(|number| {
        let shade = number as f32 / MATERIALS as f32;
        let alpha_mode = if is_glass(number) { AlphaMode::Blend } else { AlphaMode::Opaque };
        Material { alpha_mode, ..Material::from_color(Vec4::new(shade, 0.5, 0.5, 0.5)) }
    });
    materials.map(|material| scene.assets.add(material)).collect()
}
