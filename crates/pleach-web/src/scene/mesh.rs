//! Meshes: geometry and materials, flags, morph weights and instances.

use glam::Mat4;
use pleach::component::{MorphWeights, Part};
use pleach::geometry::Instances;
use pleach::{Aabb, Geometry, Material, Mesh};
use wasm_bindgen::prelude::*;

use super::assets::{find, keep};
use super::nodes::wrong_kind;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::tree::live;
use crate::worlds::{World, edit, read};

fn with<R>(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(&World, &Mesh) -> Result<R, Fault>,
) -> Result<R, Fault> {
    read(world, |world| {
        let node = live(slot, generation)?;
        let mesh = world.scene.mesh(node).ok_or_else(|| wrong_kind(world, node, "mesh"))?;
        f(world, mesh)
    })
}

fn change(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(&mut Mesh) -> Result<(), Fault>,
) -> Result<(), Fault> {
    edit(world, |world| {
        let node = live(slot, generation)?;
        let mesh = world.scene.mesh(node).ok_or_else(|| wrong_kind(world, node, "mesh"))?;
        let mut mesh = mesh.clone();
        f(&mut mesh)?;
        world.scene.insert(node, mesh)?;
        Ok(())
    })
}

/// Returns a number of a mesh: 0 casts shadows, 1 receives shadows, 2 is static, 3 is culled by frusta, 4 is transparent
/// (2: as its materials are), 5 layers, 6 number of parts, 7 number of materials for faces, 8 number of instances (−1: not
/// instanced).
#[wasm_bindgen]
pub fn mesh_number(world: u32, slot: u32, generation: u32, which: u32) -> f64 {
    number(with(world, slot, generation, |_, mesh| {
        let flag = |flag| f64::from(u32::from(flag));
        Ok(match which {
            0 => flag(mesh.cast_shadow),
            1 => flag(mesh.receive_shadow),
            2 => flag(mesh.is_static),
            3 => flag(mesh.frustum_culled),
            4 => mesh.transparent.map_or(2.0, flag),
            5 => f64::from(mesh.layers),
            6 => mesh.parts.len() as f64,
            7 => mesh.materials.len() as f64,
            _ => mesh.instances.as_ref().map_or(-1.0, |instances| instances.len() as f64),
        })
    }))
}

/// Sets one of the numbers 0 to 5 of a mesh.
#[wasm_bindgen]
pub fn set_mesh_number(world: u32, slot: u32, generation: u32, which: u32, value: f64) -> u32 {
    status(edit(world, |world| {
        let node = live(slot, generation)?;
        if world.scene.mesh(node).is_none() {
            return Err(wrong_kind(world, node, "mesh"));
        }
        let Some(mesh) = world.scene.mesh_mut(node) else { return Ok(()) };
        let flag = value != 0.0;
        match which {
            0 => mesh.cast_shadow = flag,
            1 => mesh.receive_shadow = flag,
            2 => mesh.is_static = flag,
            3 => mesh.frustum_culled = flag,
            4 => mesh.transparent = (value != 2.0).then_some(flag),
            _ => mesh.layers = value as u32,
        }
        Ok(())
    }))
}

fn no_part(part: u32, parts: usize) -> Fault {
    Fault::new("out-of-range", format!("the mesh has {parts} parts; part {part} does not exist"))
}

/// Returns the geometry (0) or material (1) of a part.
#[wasm_bindgen]
pub fn mesh_part(world: u32, slot: u32, generation: u32, part: u32, which: u32) -> f64 {
    number(with(world, slot, generation, |_, mesh| {
        let found = mesh.parts.get(part as usize);
        let found = found.ok_or_else(|| no_part(part, mesh.parts.len()))?;
        Ok(if which == 0 { keep(&found.geometry) } else { keep(&found.material) })
    }))
}

/// Sets the geometry (0) or material (1) of a part.
#[wasm_bindgen]
pub fn set_mesh_part(
    world: u32,
    slot: u32,
    generation: u32,
    part: u32,
    which: u32,
    asset: f64,
) -> u32 {
    status(change(world, slot, generation, |mesh| {
        let parts = mesh.parts.len();
        let found = mesh.parts.get_mut(part as usize).ok_or_else(|| no_part(part, parts))?;
        if which == 0 {
            found.geometry = find::<Geometry>(asset)?;
        } else {
            found.material = find::<Material>(asset)?;
        }
        Ok(())
    }))
}

/// Sets all parts of a mesh from pairs of geometry and material.
#[wasm_bindgen]
pub fn set_mesh_parts(world: u32, slot: u32, generation: u32, pairs: &[f64]) -> u32 {
    status(change(world, slot, generation, |mesh| {
        let part = |&[geometry, material]: &[f64; 2]| {
            let (geometry, material) = (find::<Geometry>(geometry)?, find::<Material>(material)?);
            Ok(Part { geometry, material })
        };
        mesh.parts = pairs.as_chunks::<2>().0.iter().map(part).collect::<Result<_, Fault>>()?;
        Ok(())
    }))
}

/// Returns the materials that the faces of the geometry refer to.
#[wasm_bindgen]
pub fn mesh_face_materials(world: u32, slot: u32, generation: u32) -> Result<Vec<f64>, JsValue> {
    Ok(with(world, slot, generation, |_, mesh| Ok(mesh.materials.iter().map(keep).collect()))?)
}

/// Sets the materials that the faces of the geometry refer to.
#[wasm_bindgen]
pub fn set_mesh_face_materials(world: u32, slot: u32, generation: u32, materials: &[f64]) -> u32 {
    status(change(world, slot, generation, |mesh| {
        let materials = materials.iter().map(|&id| find::<Material>(id));
        mesh.materials = materials.collect::<Result<_, Fault>>()?;
        Ok(())
    }))
}

/// Returns the weights of the morph targets; nothing without any.
#[wasm_bindgen]
pub fn mesh_weights(world: u32, slot: u32, generation: u32) -> Result<Option<Vec<f32>>, JsValue> {
    Ok(read(world, |world| {
        let node = live(slot, generation)?;
        world.graph().node(node)?;
        let weights = world.scene.weights.get(world.graph(), node);
        Ok(weights.map(|weights| weights.as_slice().to_vec()))
    })?)
}

/// Sets or removes the weights of the morph targets.
#[wasm_bindgen]
pub fn set_mesh_weights(world: u32, slot: u32, generation: u32, weights: Option<Vec<f32>>) -> u32 {
    status(edit(world, |world| {
        let node = live(slot, generation)?;
        world.graph().node(node)?;
        let Some(weights) = weights else {
            world.scene.remove_component::<MorphWeights>(node);
            return Ok(());
        };
        if let Some(index) = weights.iter().position(|weight| !weight.is_finite()) {
            let message = format!("weight {index} is {}; it must be finite", weights[index]);
            return Err(Fault::new("not-finite", message).at(index));
        }
        Ok(world.scene.set_weights(node, weights)?)
    }))
}

/// Returns the matrices of the instances, 16 floats each; nothing if the mesh is not instanced.
#[wasm_bindgen]
pub fn mesh_instances(world: u32, slot: u32, generation: u32) -> Result<Option<Vec<f32>>, JsValue> {
    Ok(with(world, slot, generation, |_, mesh| {
        let floats = |instances: &Instances| {
            instances.matrices().iter().flat_map(Mat4::to_cols_array).collect::<Vec<f32>>()
        };
        Ok(mesh.instances.as_deref().map(floats))
    })?)
}

/// Sets the matrices of the instances, or removes the instances.
#[wasm_bindgen]
pub fn set_mesh_instances(
    world: u32,
    slot: u32,
    generation: u32,
    matrices: Option<Vec<f32>>,
) -> u32 {
    status(change(world, slot, generation, |mesh| {
        let Some(matrices) = matrices else {
            mesh.instances = None;
            return Ok(());
        };
        let (rows, rest) = matrices.as_chunks::<16>();
        if !rest.is_empty() {
            let what = "the array of instances, 16 floats each,";
            return Err(Fault::length(what, matrices.len(), rows.len() * 16 + 16));
        }
        let is_finite = |row: &[f32; 16]| row.iter().all(|number| number.is_finite());
        if let Some(index) = rows.iter().position(|row| !is_finite(row)) {
            let message = format!("the matrix of instance {index} has a number that is not finite");
            return Err(Fault::new("not-finite", message).at(index));
        }
        let bounds = mesh.parts.iter().map(|part| part.geometry.get().bounds());
        let bounds = bounds.fold(Aabb::EMPTY, |all, bounds| all.union(&bounds));
        let rows = rows.iter().map(Mat4::from_cols_array).collect();
        mesh.instances = Some(Box::new(Instances::new(bounds, rows)?));
        Ok(())
    }))
}
