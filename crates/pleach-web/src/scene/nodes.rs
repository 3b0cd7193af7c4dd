//! Nodes with components: creation, kinds and lists.

use glam::Mat4;
use pleach::component::{NodeKind, Skin};
use pleach::light::LightKind;
use pleach::{Camera, Geometry, Light, Material, Mesh, Node, NodeId};
use pleach_graph::Transform;
use wasm_bindgen::prelude::*;

use super::assets::find;
use super::skin::skin;
use crate::fault::Fault;
use crate::host::number;
use crate::node_number::to_number;
use crate::numbers;
use crate::tree::live;
use crate::worlds::{World, edit, read};

fn transform() -> Transform {
    Transform {
        translation: numbers::take_vec3(0),
        rotation: numbers::take_quat(3),
        scale: numbers::take_vec3(7),
    }
}

fn spawn(world: &mut World, node: Node, parent: NodeId) -> Result<f64, Fault> {
    Ok(to_number(world.scene.spawn(node.with_transform(transform()).under(parent))?))
}

/// Adds a mesh below a parent, with the local transform of the first 10 numbers.
#[wasm_bindgen]
pub fn spawn_mesh(
    world: u32,
    parent_slot: u32,
    parent_generation: u32,
    geometry: f64,
    material: f64,
) -> f64 {
    number(edit(world, |world| {
        let parent = live(parent_slot, parent_generation)?;
        let mesh = Mesh::new(find::<Geometry>(geometry)?, find::<Material>(material)?);
        spawn(world, Node::group().with_mesh(mesh), parent)
    }))
}

/// Adds a skinned mesh; without inverse bind matrices, the joints are bound in their current pose.
#[wasm_bindgen]
pub fn spawn_skinned_mesh(
    world: u32,
    parent_slot: u32,
    parent_generation: u32,
    geometry: f64,
    material: f64,
    joints: &[f64],
    inverse_binds: &[f32],
    bind_matrix: &[f32],
) -> f64 {
    number(edit(world, |world| {
        let parent = live(parent_slot, parent_generation)?;
        let mesh = Mesh::new(find::<Geometry>(geometry)?, find::<Material>(material)?);
        let skin: Skin = skin(world, joints, inverse_binds, bind_matrix)?;
        spawn(world, Node::group().with_mesh(mesh).skinned(skin), parent)
    }))
}

/// Adds a camera with default values.
#[wasm_bindgen]
pub fn spawn_camera(world: u32, parent_slot: u32, parent_generation: u32) -> f64 {
    number(edit(world, |world| {
        spawn(world, Node::camera(Camera::default()), live(parent_slot, parent_generation)?)
    }))
}

/// Writes the transform of a camera without one to the first 10 numbers.
#[wasm_bindgen]
pub fn default_camera_transform(y_up: bool) {
    let up = if y_up { pleach::camera::UpAxis::Y } else { pleach::camera::UpAxis::Z };
    let Transform { translation: t, rotation: r, scale: s } = Camera::default_transform_for(up);
    numbers::put(&[t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z]);
}

/// Adds a light: 0 directional, 1 point, 2 spot, 3 ambient. It is white.
#[wasm_bindgen]
pub fn spawn_light(
    world: u32,
    parent_slot: u32,
    parent_generation: u32,
    kind: u32,
    intensity: f32,
) -> f64 {
    use std::f32::consts::FRAC_PI_4;
    number(edit(world, |world| {
        let parent = live(parent_slot, parent_generation)?;
        let white = glam::Vec3::ONE;
        let light = match kind {
            0 => Light::directional(white, intensity),
            1 => Light::point(white, intensity),
            2 => Light::spot(white, intensity, 0.0, FRAC_PI_4),
            _ => Light::ambient(white, intensity),
        };
        super::light::check(&light)?;
        spawn(world, Node::light(light), parent)
    }))
}

/// Returns the kind of a node: 0 root, 1 group, 2 mesh, 3 skinned mesh, 4 camera, 5 directional, 6 point, 7 spot, 8
/// ambient light, 9 joint.
#[wasm_bindgen]
pub fn kind(world: u32, slot: u32, generation: u32) -> f64 {
    number(read(world, |world| {
        let node = live(slot, generation)?;
        Ok(match world.scene.kind(node).ok_or_else(|| Fault::dead(Some(node)))? {
            NodeKind::Root => 0.0,
            NodeKind::Mesh => 2.0,
            NodeKind::SkinnedMesh => 3.0,
            NodeKind::Camera => 4.0,
            NodeKind::Light => match world.scene.light(node).map(|light| light.kind) {
                Some(LightKind::Point) => 6.0,
                Some(LightKind::Spot { .. }) => 7.0,
                Some(LightKind::Ambient) => 8.0,
                _ => 5.0,
            },
            NodeKind::Joint => 9.0,
            _ => 1.0,
        })
    }))
}

/// Returns what a node has: 1 mesh, 2 skin, 4 camera, 8 light, 16 weights, 32 constraint, 64 levels of detail.
#[wasm_bindgen]
pub fn components(world: u32, slot: u32, generation: u32) -> f64 {
    number(read(world, |world| {
        let (node, scene) = (live(slot, generation)?, &world.scene);
        scene.node(node)?;
        let graph = &scene.graph;
        let bits = u32::from(scene.mesh(node).is_some())
            | u32::from(scene.skin(node).is_some()) << 1
            | u32::from(scene.camera(node).is_some()) << 2
            | u32::from(scene.light(node).is_some()) << 3
            | u32::from(scene.weights.get(graph, node).is_some()) << 4
            | u32::from(scene.constraints.get(graph, node).is_some()) << 5
            | u32::from(scene.lods.get(graph, node).is_some()) << 6;
        Ok(f64::from(bits))
    }))
}

/// Returns the nodes with a component, by slot: 0 mesh, 1 skin, 2 camera, 3 light, 4 the joints of skins.
#[wasm_bindgen]
pub fn list(world: u32, which: u32) -> Result<Vec<f64>, JsValue> {
    Ok(read(world, |world| {
        let (scene, graph) = (&world.scene, &world.scene.graph);
        let mut nodes: Vec<NodeId> = match which {
            0 => scene.meshes.iter(graph).map(|row| row.0).collect(),
            1 => scene.skins.iter(graph).map(|row| row.0).collect(),
            2 => scene.cameras.iter(graph).map(|row| row.0).collect(),
            3 => scene.lights.iter(graph).map(|row| row.0).collect(),
            _ => scene.skins.iter(graph).flat_map(|row| row.1.joints.iter().copied()).collect(),
        };
        nodes.retain(|&node| scene.is_attached(node));
        nodes.sort_unstable_by_key(|node| node.index());
        nodes.dedup();
        Ok(nodes.into_iter().map(to_number).collect::<Vec<f64>>())
    })?)
}

/// The error for a node that has not what is asked for.
#[cold]
pub(crate) fn wrong_kind(world: &World, node: NodeId, needed: &str) -> Fault {
    match world.graph().node(node) {
        Err(error) => error.into(),
        Ok(found) => {
            let name = found.name().map(|name| format!(" {name:?}")).unwrap_or_default();
            let message = format!("node{name} has no {needed}; ask `node.has('{needed}')` first");
            Fault { node: Some(node), ..Fault::new("wrong-kind", message) }
        }
    }
}

/// Returns a matrix of 16 floats, or the identity for none.
pub(crate) fn matrix(what: &str, values: &[f32]) -> Result<Mat4, Fault> {
    if values.is_empty() {
        return Ok(Mat4::IDENTITY);
    }
    let array: &[f32; 16] = values.try_into().map_err(|_| Fault::length(what, values.len(), 16))?;
    let matrix = Mat4::from_cols_array(array);
    if !matrix.is_finite() {
        return Err(Fault::new("not-finite", format!("{what} must be finite")));
    }
    Ok(matrix)
}

/// Returns the nodes of an array of ids.
pub(crate) fn nodes(world: &World, ids: &[f64]) -> Result<Vec<NodeId>, Fault> {
    let node = |(index, &id): (usize, &f64)| {
        let node =
            crate::node_number::from_number(id).ok_or_else(|| Fault::dead(None).at(index))?;
        world.graph().node(node).map_err(|error| Fault::from(error).at(index))?;
        Ok(node)
    };
    ids.iter().enumerate().map(node).collect()
}
