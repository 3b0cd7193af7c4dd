//! The field of the game frame: areas of 100 nodes around a camera, as plain data that each
//! contender builds from.
//!
//! An area has nine objects with ten meshes each: 1 + 9 + 90 nodes. Areas are far apart and placed
//! so that the visible ones are known: in each pose of the camera an area is entirely inside the
//! frustum or entirely outside one of its planes, wherever its nodes move within [`AREA_RADIUS`].
//! Tests of boxes, of oriented boxes and of spheres therefore give the same result.

use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

use glam::camera::rh::proj::directx::perspective;
use glam::{DVec3, Mat4, Quat, Vec3};

use crate::rng::Rng;
use crate::scene::Local;

/// The number of nodes of an area: the area, its objects, their meshes.
pub const AREA_NODES: u32 = 1 + OBJECTS * OBJECT_NODES;
const OBJECTS: u32 = 9;
const OBJECT_NODES: u32 = 1 + MESHES;
const MESHES: u32 = 10;

pub const MATERIALS: u32 = 64;
pub const GEOMETRIES: u32 = 16;

/// The number of frames after which the edits and the camera repeat.
pub const PERIOD: u32 = 16;
/// The camera turns back and forth through these poses.
const POSES: u32 = PERIOD / 2 + 1;
/// The turn of the camera per frame: 2°.
const TURN: f64 = TAU / 180.0;
/// The movement of the camera per frame.
const STRIDE: f64 = 0.5;

/// The maximum distance of any part of a mesh from the home position of its area.
pub const AREA_RADIUS: f64 = 5.0;
/// The distance between neighbouring areas.
const AREA_SPACING: f64 = 100.0;
/// The horizontal field of view: a tenth of the circle, so that a tenth of the areas is in view.
const FOV_X: f64 = TAU / 10.0;
pub const VIEWPORT: (u32, u32) = (1920, 1080);
pub const NEAR: f32 = 0.1;

/// The level of a node in the hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    Area,
    Object,
    Mesh,
}

/// Returns the level of a node, which never changes.
pub fn level(node: u32) -> Level {
    match node % AREA_NODES {
        0 => Level::Area,
        offset if (offset - 1).is_multiple_of(OBJECT_NODES) => Level::Object,
        _ => Level::Mesh,
    }
}

pub fn material(mesh: u32) -> u32 {
    scrambled(mesh) % MATERIALS
}

pub fn geometry(mesh: u32) -> u32 {
    scrambled(mesh) / MATERIALS % GEOMETRIES
}

fn scrambled(number: u32) -> u32 {
    number.wrapping_mul(0x9e37_79b9) >> 12
}

/// Returns half the size of a geometry: a box around the origin.
pub fn half_extents(geometry: u32) -> [f32; 3] {
    let part = |bits: u32| 0.1 + 0.025 * (bits % 4) as f32;
    [part(geometry), part(geometry / 2), part(geometry / 4)]
}

/// The field: positions of areas, and the camera's poses.
pub struct Field {
    /// The home positions of the areas.
    pub positions: Vec<[f32; 3]>,
    /// A bit per pose in which the area is in view.
    visible_poses: Vec<u16>,
    pub far: f32,
}

impl Field {
    /// Creates a field of about `nodes` nodes.
    pub fn new(nodes: usize, seed: u64) -> Self {
        let areas = (nodes / AREA_NODES as usize).max(1);
        let mut rng = Rng::new(seed ^ 0x6a3e);
        let poses: Vec<_> = (0..POSES).map(Pose::new).collect();
        // A sunflower spiral: evenly dense, at any radius and in any direction.
        let golden_angle = PI * (3.0 - 5_f64.sqrt());
        let radius = |area: f64| AREA_SPACING * ((area + 1.0) / PI).sqrt();
        let (mut positions, mut visible_poses) = (Vec::new(), Vec::new());
        for area in 0..areas {
            let mut angle = area as f64 * golden_angle;
            loop {
                let position = radius(area as f64) * DVec3::new(angle.cos(), angle.sin(), 0.0);
                if let Some(visible) = visible_poses_at(position, &poses) {
                    positions.push(position.as_vec3().to_array());
                    visible_poses.push(visible);
                    break;
                }
                // On the edge of a view: try a position nearby.
                angle += f64::from(rng.between(-0.05, 0.05));
            }
        }
        Self { positions, visible_poses, far: 4.0 * radius(areas as f64) as f32 }
    }

    pub fn areas(&self) -> u32 {
        self.positions.len() as u32
    }

    pub fn len(&self) -> usize {
        self.positions.len() * AREA_NODES as usize
    }

    /// Returns the local transform of a node after an edit: cheap to compute, different at each
    /// step. It depends on the node alone, not on its parent.
    #[inline]
    pub fn local(&self, node: u32, step: u32) -> Local {
        let tables = &*TABLES;
        let offset = node % AREA_NODES;
        let [mut x, mut y, z] = tables.homes[offset as usize];
        if offset == 0 {
            let [u, v, _] = self.positions[(node / AREA_NODES) as usize];
            (x, y) = (x + u, y + v);
        }
        let phase = node.wrapping_add(step.wrapping_mul(5)) & 63;
        let drift = phase as f32 * (1.0 / 256.0);
        Local {
            translation: [x + drift, y, z - drift],
            rotation: tables.rotations[phase as usize],
            scale: [1.0 + 0.25 * drift; 3],
        }
    }

    /// Returns `true` if the meshes of an area are in view.
    pub fn is_visible(&self, area: u32, step: u32) -> bool {
        self.visible_poses[area as usize] >> pose_at(step) & 1 == 1
    }

    pub fn camera(&self, step: u32) -> CameraPose {
        CameraPose::new(Pose::new(pose_at(step)), self.far)
    }
}

/// Returns the initial parent of a node, or `None` for an area.
pub fn initial_parent(node: u32) -> Option<u32> {
    let offset = node % AREA_NODES;
    match level(node) {
        Level::Area => None,
        Level::Object => Some(node - offset),
        Level::Mesh => Some(node - (offset - 1) % OBJECT_NODES),
    }
}

/// Returns the n-th object of an area.
pub fn object(area: u32, n: u32) -> u32 {
    area * AREA_NODES + 1 + n % OBJECTS * OBJECT_NODES
}

/// Returns the n-th mesh of an area.
pub fn mesh(area: u32, n: u32) -> u32 {
    let n = n % (OBJECTS * MESHES);
    object(area, n / MESHES) + 1 + n % MESHES
}

/// The vertical field of view.
pub fn fov_y() -> f32 {
    (2.0 * slopes()[1].atan()) as f32
}

/// Returns half the width and the height of the view per unit of distance.
fn slopes() -> [f64; 2] {
    let slope = (FOV_X / 2.0).tan();
    [slope, slope * f64::from(VIEWPORT.1) / f64::from(VIEWPORT.0)]
}

fn pose_at(step: u32) -> u32 {
    let turn = PERIOD / 2;
    turn - turn.abs_diff(step % PERIOD)
}

/// A camera at a position, turned around the vertical axis.
#[derive(Clone, Copy)]
struct Pose {
    position: DVec3,
    yaw: f64,
}

impl Pose {
    fn new(number: u32) -> Self {
        let number = f64::from(number);
        Self { position: DVec3::new(STRIDE, -STRIDE / 2.0, 0.0) * number, yaw: TURN * number }
    }

    fn direction(&self) -> DVec3 {
        DVec3::new(self.yaw.cos(), self.yaw.sin(), 0.0)
    }

    /// Returns the distance to the nearest side of the frustum; negative outside. The far plane is
    /// behind all areas.
    fn depth(&self, point: DVec3) -> f64 {
        let offset = point - self.position;
        let forward = offset.dot(self.direction());
        let across = offset.dot(self.direction().cross(DVec3::Z));
        let sides = [across, offset.z].into_iter().zip(slopes());
        let sides =
            sides.map(|(across, slope)| (forward * slope - across.abs()) / slope.hypot(1.0));
        sides.fold(forward - f64::from(NEAR), f64::min)
    }
}

/// Returns a bit for each pose in which an area is in view, or `None` if it intersects the edge of
/// a view.
fn visible_poses_at(position: DVec3, poses: &[Pose]) -> Option<u16> {
    let mut visible = 0;
    for (number, pose) in poses.iter().enumerate() {
        match pose.depth(position) {
            depth if depth > AREA_RADIUS => visible |= 1 << number,
            depth if depth < -AREA_RADIUS => {}
            _ => return None,
        }
    }
    Some(visible)
}

/// The camera of a frame.
#[derive(Clone, Copy)]
pub struct CameraPose {
    pub position: [f32; 3],
    /// The rotation of a camera that looks along its −Z, with +Y up.
    pub rotation: [f32; 4],
    /// Right-handed, depth from 0 to 1.
    pub clip_from_world: Mat4,
}

impl CameraPose {
    fn new(pose: Pose, far: f32) -> Self {
        let position = pose.position.as_vec3();
        // Looking along +X with +Z up, then turned.
        let level = Quat::from_xyzw(0.5, -0.5, -0.5, 0.5);
        let rotation = Quat::from_rotation_z(pose.yaw as f32) * level;
        let aspect = VIEWPORT.0 as f32 / VIEWPORT.1 as f32;
        let world_from_view = Mat4::from_rotation_translation(rotation, position);
        Self {
            position: position.to_array(),
            rotation: rotation.to_array(),
            clip_from_world: perspective(fov_y(), aspect, NEAR, far) * world_from_view.inverse(),
        }
    }
}

/// Data of [`Field::local`] that fits into the first-level cache.
pub struct Tables {
    /// The home position of each node of an area, relative to its parent.
    pub homes: [[f32; 3]; AREA_NODES as usize],
    pub rotations: [[f32; 4]; 64],
}

pub static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let grid = |number: u32, width: u32, spacing: f32| {
        let [x, y] = [number % width, number / width];
        [(x as f32 - 1.0) * spacing, (y as f32 - 1.0) * spacing, 0.0]
    };
    let homes = std::array::from_fn(|offset| {
        let offset = offset as u32;
        match level(offset) {
            Level::Area => [0.0; 3],
            Level::Object => grid(offset / OBJECT_NODES, 3, 1.0),
            Level::Mesh => grid((offset - 1) % OBJECT_NODES - 1, 4, 0.25),
        }
    });
    let rotations = std::array::from_fn(|phase| {
        let angle = phase as f32 / 64.0;
        Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle).to_array()
    });
    Tables { homes, rotations }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_a_tenth_of_the_areas_is_in_view_and_the_view_changes() {
        for nodes in [10_000, 100_000] {
            let field = Field::new(nodes, 1);
            let visible = |step| {
                let areas = (0..field.areas()).filter(|&area| field.is_visible(area, step));
                areas.collect::<Vec<_>>()
            };
            for step in 0..PERIOD {
                let tenths = visible(step).len() as f64 / f64::from(field.areas()) * 10.0;
                assert!((0.7..1.3).contains(&tenths), "{nodes}, step {step}: {tenths}");
            }
            assert_ne!(visible(0), visible(PERIOD / 2));
        }
    }

    #[test]
    fn every_node_but_the_areas_has_a_parent_of_the_level_above() {
        for node in 0..2 * AREA_NODES {
            let parent = initial_parent(node).map(level);
            let expected = match level(node) {
                Level::Area => None,
                Level::Object => Some(Level::Area),
                Level::Mesh => Some(Level::Object),
            };
            assert_eq!(parent, expected, "{node}");
        }
        let meshes = (0..AREA_NODES).filter(|&node| level(node) == Level::Mesh).count();
        assert_eq!(
            meshes,
            (0..90).map(|n| mesh(3, n)).collect::<std::collections::HashSet<_>>().len()
        );
    }
}
