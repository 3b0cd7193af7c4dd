//! A field of meshes in front of a camera, placed so that the visible ones are known: their centres
//! are inside the frustum, and all others are outside of one of its planes, wherever they move.
//!
//! The visible meshes are generated first and do not depend on the number of others, so that a
//! large and a small scene with the same number in view show the same picture.

use std::collections::HashSet;
use std::time::Instant;

use glam::{Vec3, Vec4};
use pleach::shapes::{Cone, Cuboid, Cylinder, Sphere};
use pleach::{
    AlphaMode, Camera, Geometry, Handle, Material, Node, NodeId, RenderList, Scene,
    SceneUpdateStats, Visible,
};

use crate::rng::Rng;

/// The numbers of all meshes, of visible ones, and of those that move in every frame.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub meshes: usize,
    pub visible: usize,
    pub moved: usize,
}

/// A stage of the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameStage {
    /// The whole frame.
    Frame,
    /// World transforms, bounds and the spatial index.
    Update,
    /// The view and culling.
    Cull,
    /// The render list.
    List,
}

/// Meshes per unit of volume: as dense as the boxes of the space benchmark.
const MESHES_PER_VOLUME: f32 = 1.0 / 80.0;
/// The vertical field of view.
const FOV_Y: f32 = std::f32::consts::FRAC_PI_3;
const SIZE: (u32, u32) = (1920, 1080);
const NEAR: f32 = 0.1;
/// The maximum radius of a mesh.
const MAX_RADIUS: f32 = 0.9;
/// The maximum distance from its home position, along each axis.
const DRIFT: f32 = 0.5;
const MATERIALS: usize = 16;
/// Every n-th material is transparent.
const TRANSPARENT_EVERY: usize = 8;

pub struct MeshField {
    pub scene: Scene,
    camera: NodeId,
    /// The moving nodes and their home positions.
    movers: Vec<(NodeId, Vec3)>,
    pub visible: Visible,
    pub list: RenderList,
    /// The nodes in view.
    pub expected_visible: HashSet<NodeId>,
    /// The number of transparent ones among them.
    pub transparent: usize,
    step: u32,
}

struct Placement {
    at: Vec3,
    geometry: usize,
    material: usize,
    in_view: bool,
}

impl MeshField {
    /// Creates the field and runs its first frame.
    pub fn new(plan: Plan, seed: u64) -> Self {
        let view_volume = ViewVolume::new(plan.visible);
        let mut rng = Rng::new(seed ^ 0x800);
        let mut placements = view_volume.placements(plan, &mut rng);
        rng.shuffle(&mut placements);

        let mut scene = Scene::new();
        let camera = Camera::perspective(FOV_Y);
        let camera = scene.spawn(Node::camera(camera.with_near(NEAR).with_far(view_volume.far)));
        let camera = camera.expect("the camera is valid");
        let mut camera_node = scene.graph.node_mut(camera).expect("the camera was just spawned");
        camera_node.look_at(Vec3::Y, Vec3::Z).expect("the view direction is not vertical");
        let (geometries, materials) = (geometries(&scene), materials(&scene));
        let nodes = placements.iter().map(|placement| {
            let mesh = Node::mesh(&geometries[placement.geometry], &materials[placement.material]);
            scene.spawn(mesh.at(placement.at)).expect("the positions are finite")
        });
        let nodes: Vec<_> = nodes.collect();

        let in_view = || placements.iter().zip(&nodes).filter(|(placement, _)| placement.in_view);
        let expected_visible = in_view().map(|(_, &node)| node).collect();
        let transparent =
            in_view().filter(|(placement, _)| is_transparent(placement.material)).count();
        let mut movers: Vec<_> =
            nodes.into_iter().zip(placements.iter().map(|placement| placement.at)).collect();
        rng.shuffle(&mut movers);
        movers.truncate(plan.moved);
        let (visible, list) = (Visible::new(), RenderList::new());
        let mut meshes =
            Self { scene, camera, movers, visible, list, expected_visible, transparent, step: 0 };
        meshes.time(FrameStage::Frame);
        meshes
    }

    /// Moves each moving mesh along a line through its home position, back and forth in 64 frames.
    pub fn move_meshes(&mut self) {
        self.step += 1;
        for (index, &(node, home)) in self.movers.iter().enumerate() {
            let phase = (self.step as usize + index) % 64;
            let offset = phase.abs_diff(32) as f32 / 16.0 - 1.0;
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][index % 3];
            let mut node = self.scene.graph.node_mut(node).expect("no mesh is removed");
            node.set_translation(home + axis * (DRIFT * offset)).expect("the positions are finite");
        }
    }

    /// Updates the scene and clears its changes, as a program does once per frame.
    pub fn update(&mut self) -> SceneUpdateStats {
        let updated = self.scene.update().expect("the scene has its own graph");
        self.scene.clear_changes();
        updated
    }

    /// Runs a frame and returns the nanoseconds of a stage. Moving the meshes is not timed.
    pub fn time(&mut self, stage: FrameStage) -> f64 {
        self.move_meshes();
        let start = Instant::now();
        self.update();
        let updated = Instant::now();
        let view = self.scene.view(self.camera, SIZE).expect("the camera is valid");
        self.scene.cull(&view, &mut self.visible);
        let culled = Instant::now();
        self.list.build(&self.scene, &self.visible, &view);
        let listed = Instant::now();
        let time = match stage {
            FrameStage::Frame => listed - start,
            FrameStage::Update => updated - start,
            FrameStage::Cull => culled - updated,
            FrameStage::List => listed - culled,
        };
        time.as_nanos() as f64
    }
}

/// The frustum of a camera at the origin that looks along +Y, with +Z up.
struct ViewVolume {
    far: f32,
    /// The half width and half height of the view per unit of distance.
    slopes: [f32; 2],
}

impl ViewVolume {
    /// Computes the far plane at which `visible` meshes are in view.
    fn new(visible: usize) -> Self {
        let slope = (FOV_Y / 2.0).tan();
        let slopes = [slope * SIZE.0 as f32 / SIZE.1 as f32, slope];
        let volume = visible as f32 / MESHES_PER_VOLUME;
        let far = (volume / (4.0 / 3.0 * slopes[0] * slopes[1])).cbrt();
        Self { far, slopes }
    }

    /// Returns the distance to the nearest frustum plane; negative outside.
    fn depth(&self, point: Vec3) -> f32 {
        let depth = (point.y - NEAR).min(self.far - point.y);
        let side_depths = [point.x, point.z].into_iter().zip(self.slopes);
        let side_depths =
            side_depths.map(|(across, slope)| (point.y * slope - across.abs()) / slope.hypot(1.0));
        side_depths.fold(depth, f32::min)
    }

    /// Generates the visible meshes, then the others.
    fn placements(&self, plan: Plan, rng: &mut Rng) -> Vec<Placement> {
        let mut placements = Vec::with_capacity(plan.meshes);
        let [wide, high] = self.slopes.map(|slope| slope * self.far);
        while placements.len() < plan.visible {
            let x = rng.between(-wide, wide);
            let at = Vec3::new(x, rng.between(0.0, self.far), rng.between(-high, high));
            if self.depth(at) > DRIFT {
                placements.push(Placement::new(at, true, rng));
            }
        }
        // The cube that would contain all meshes at this density.
        let half_extent = (plan.meshes as f32 / MESHES_PER_VOLUME).cbrt() / 2.0;
        while placements.len() < plan.meshes {
            let at = Vec3::from([(); 3].map(|()| rng.between(-half_extent, half_extent)));
            if self.depth(at) < -(MAX_RADIUS + 2.0 * DRIFT) {
                placements.push(Placement::new(at, false, rng));
            }
        }
        placements
    }
}

impl Placement {
    fn new(at: Vec3, in_view: bool, rng: &mut Rng) -> Self {
        Self { at, geometry: rng.below(8), material: rng.below(MATERIALS), in_view }
    }
}

fn is_transparent(material: usize) -> bool {
    material.is_multiple_of(TRANSPARENT_EVERY)
}

/// Creates eight geometries within [`MAX_RADIUS`].
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
    let materials = (0..MATERIALS).map(|index| {
        let shade = index as f32 / MATERIALS as f32;
        let alpha_mode = if is_transparent(index) { AlphaMode::Blend } else { AlphaMode::Opaque };
        Material { alpha_mode, ..Material::from_color(Vec4::new(shade, 0.5, 0.5, 0.5)) }
    });
    materials.map(|material| scene.assets.add(material)).collect()
}
