//! Constraints and levels of detail: rows that refer to other nodes.

use glam::Vec3;
use pleach::component::{Constraint, Level, Lod};
use pleach_graph::axes::LocalAxes;
use wasm_bindgen::prelude::*;

use super::nodes::nodes;
use crate::fault::Fault;
use crate::host::status;
use crate::node_number::to_number;
use crate::numbers;
use crate::tree::live;
use crate::worlds::{edit, read};

/// Sets the constraint of a node: 0 look at, 1 face, 2 aim, 3 billboard, 4 upright. The numbers are up or axis, front and
/// top of the node's own axes.
#[wasm_bindgen]
pub fn set_constraint(
    world: u32,
    slot: u32,
    generation: u32,
    kind: u32,
    target_slot: u32,
    target_generation: u32,
) -> u32 {
    let (up, front, top) = (numbers::take_vec3(0), numbers::take_vec3(3), numbers::take_vec3(6));
    status(edit(world, |world| {
        let (node, target) = (live(slot, generation)?, live(target_slot, target_generation)?);
        world.graph().node(target)?;
        if !up.is_finite() {
            return Err(Fault::new("not-finite", "the up vector of a constraint must be finite"));
        }
        let constraint = match kind {
            0 => Constraint::LookAt { target, up },
            1 => Constraint::Face { target, up },
            2 => {
                let axes = LocalAxes::new(front, top).ok_or_else(|| {
                    Fault::new("out-of-range", "front and top of a constraint must be two axes")
                })?;
                Constraint::Aim { target, axes, up }
            }
            3 => Constraint::Billboard { camera: target },
            _ => Constraint::Upright { camera: target, axis: up },
        };
        world.scene.insert(node, constraint)?;
        Ok(())
    }))
}

/// Removes the constraint of a node.
#[wasm_bindgen]
pub fn clear_constraint(world: u32, slot: u32, generation: u32) -> u32 {
    status(edit(world, |world| {
        let node = live(slot, generation)?;
        world.graph().node(node)?;
        world.scene.remove_component::<Constraint>(node);
        Ok(())
    }))
}

/// Returns kind, target, up or axis (3), front (3) and top (3) of the constraint of a node; nothing without one.
#[wasm_bindgen]
pub fn constraint(world: u32, slot: u32, generation: u32) -> Result<Vec<f64>, JsValue> {
    Ok(read(world, |world| {
        let node = live(slot, generation)?;
        world.graph().node(node)?;
        let Some(&constraint) = world.scene.constraints.get(world.graph(), node) else {
            return Ok(Vec::new());
        };
        let camera = LocalAxes::CAMERA;
        let (kind, up, axes) = match constraint {
            Constraint::LookAt { up, .. } => (0.0, up, camera),
            Constraint::Face { up, .. } => (1.0, up, LocalAxes::MODEL),
            Constraint::Aim { up, axes, .. } => (2.0, up, axes),
            Constraint::Upright { axis, .. } => (4.0, axis, camera),
            _ => (3.0, Vec3::ZERO, camera),
        };
        let vectors = [up, axes.front(), axes.up()];
        let vectors = vectors.into_iter().flat_map(|v| v.to_array().map(f64::from));
        Ok([kind, to_number(constraint.target())].into_iter().chain(vectors).collect())
    })?)
}

/// Sets the levels of detail of a node, the finest first: nodes, and the least size on screen at which each is drawn.
/// Without nodes, the levels are removed.
#[wasm_bindgen]
pub fn set_lod(world: u32, slot: u32, generation: u32, level_nodes: &[f64], sizes: &[f32]) -> u32 {
    status(edit(world, |world| {
        let node = live(slot, generation)?;
        world.graph().node(node)?;
        if level_nodes.len() != sizes.len() {
            return Err(Fault::length("the array of sizes", sizes.len(), level_nodes.len()));
        }
        if let Some(index) = sizes.iter().position(|size| size.is_nan()) {
            return Err(Fault::new("not-finite", format!("size {index} is NaN")).at(index));
        }
        let levels = nodes(world, level_nodes)?.into_iter().zip(sizes);
        let levels = levels.map(|(node, &min_screen_size)| Level { node, min_screen_size });
        let lod = Lod { levels: levels.collect() };
        if lod.levels.is_empty() {
            world.scene.remove_component::<Lod>(node);
        } else {
            world.scene.insert(node, lod)?;
        }
        Ok(())
    }))
}

/// Returns pairs of node and size of the levels of detail of a node; nothing without any.
#[wasm_bindgen]
pub fn lod(world: u32, slot: u32, generation: u32) -> Result<Vec<f64>, JsValue> {
    Ok(read(world, |world| {
        let node = live(slot, generation)?;
        world.graph().node(node)?;
        let levels = world.scene.lods.get(world.graph(), node).map_or(&[][..], |lod| &lod.levels);
        let pair = |level: &Level| [to_number(level.node), f64::from(level.min_screen_size)];
        Ok(levels.iter().flat_map(pair).collect::<Vec<f64>>())
    })?)
}
