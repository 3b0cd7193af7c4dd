//! Skins: joints, bind matrices, and the joint matrices that an update computes.

use glam::Mat4;
use pleach::component::Skin;
use wasm_bindgen::prelude::*;

use super::nodes::{matrix, nodes, wrong_kind};
use crate::fault::Fault;
use crate::host::{number, status};
use crate::node_number::to_number;
use crate::tree::live;
use crate::worlds::{World, edit, read};

pub(crate) fn skin(
    world: &World,
    joints: &[f64],
    inverse_binds: &[f32],
    bind_matrix: &[f32],
) -> Result<Skin, Fault> {
    let joints = nodes(world, joints)?;
    let mut skin = if inverse_binds.is_empty() {
        Skin::from_current_pose(world.graph(), joints)?
    } else {
        let (matrices, rest) = inverse_binds.as_chunks::<16>();
        if !rest.is_empty() {
            let what = "the array of inverse bind matrices, 16 floats for each joint,";
            return Err(Fault::length(what, inverse_binds.len(), joints.len() * 16));
        }
        let matrices: Vec<Mat4> = matrices.iter().map(Mat4::from_cols_array).collect();
        Skin::new(joints, matrices)?
    };
    skin.bind_matrix = matrix("the bind matrix", bind_matrix)?;
    Ok(skin)
}

/// Gives a mesh a skin, or another one.
#[wasm_bindgen]
pub fn set_skin(
    world: u32,
    slot: u32,
    generation: u32,
    joints: &[f64],
    inverse_binds: &[f32],
    bind_matrix: &[f32],
) -> u32 {
    status(edit(world, |world| {
        let node = live(slot, generation)?;
        if world.scene.mesh(node).is_none() {
            return Err(wrong_kind(world, node, "mesh"));
        }
        let skin = skin(world, joints, inverse_binds, bind_matrix)?;
        world.scene.insert(node, skin)?;
        Ok(())
    }))
}

/// Returns the inverse bind matrices of joints in their current pose.
#[wasm_bindgen]
pub fn inverse_binds_of_pose(world: u32, joints: &[f64]) -> Result<Vec<f32>, JsValue> {
    Ok(read(world, |world| {
        let skin = skin(world, joints, &[], &[])?;
        Ok(skin.inverse_bind_matrices.iter().flat_map(Mat4::to_cols_array).collect::<Vec<f32>>())
    })?)
}

fn with<R>(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(&World, &Skin) -> Result<R, Fault>,
) -> Result<R, Fault> {
    read(world, |world| {
        let node = live(slot, generation)?;
        let skin = world.scene.skin(node).ok_or_else(|| wrong_kind(world, node, "skin"))?;
        f(world, skin)
    })
}

/// Returns the joints of a skinned mesh.
#[wasm_bindgen]
pub fn skin_joints(world: u32, slot: u32, generation: u32) -> Result<Vec<f64>, JsValue> {
    Ok(with(world, slot, generation, |_, skin| {
        Ok(skin.joints.iter().copied().map(to_number).collect::<Vec<f64>>())
    })?)
}

/// Returns the inverse bind matrices of a skinned mesh.
#[wasm_bindgen]
pub fn skin_inverse_binds(world: u32, slot: u32, generation: u32) -> Result<Vec<f32>, JsValue> {
    Ok(with(world, slot, generation, |_, skin| {
        Ok(skin.inverse_bind_matrices.iter().flat_map(Mat4::to_cols_array).collect::<Vec<f32>>())
    })?)
}

/// Returns the bind matrix of a skinned mesh.
#[wasm_bindgen]
pub fn skin_bind_matrix(world: u32, slot: u32, generation: u32) -> Result<Vec<f32>, JsValue> {
    Ok(with(world, slot, generation, |_, skin| Ok(skin.bind_matrix.to_cols_array().to_vec()))?)
}

/// Returns the joint with a name, or 0.
#[wasm_bindgen]
pub fn skin_joint(world: u32, slot: u32, generation: u32, name: &str) -> f64 {
    number(with(world, slot, generation, |world, skin| {
        Ok(skin.joint_by_name(world.graph(), name).map_or(0.0, to_number))
    }))
}

/// Updates the world, and returns the position of the node's first matrix in the joint matrices; −1 if it has none.
#[wasm_bindgen]
pub fn skin_offset(world: u32, slot: u32, generation: u32) -> f64 {
    number(edit(world, |world| {
        let node = live(slot, generation)?;
        world.update()?;
        if world.scene.skin(node).is_none() {
            return Err(wrong_kind(world, node, "skin"));
        }
        let range = world.scene.joint_matrices().range(node);
        Ok(range.map_or(-1.0, |range| range.start as f64))
    }))
}

/// Returns the address of the joint matrices of all skins, as of the last update.
#[wasm_bindgen]
pub fn joint_matrices(world: u32) -> u32 {
    let address = |world: &World| world.scene.joint_matrices().matrices().as_ptr() as usize as u32;
    read(world, |world| Ok(address(world))).unwrap_or(0)
}

/// Returns the number of joint matrices.
#[wasm_bindgen]
pub fn joint_matrix_count(world: u32) -> u32 {
    read(world, |world| Ok(world.scene.joint_matrices().matrices().len() as u32)).unwrap_or(0)
}
