//! Arrays: one call for many nodes, all or none. Nodes are ids; or slots, and no ids.

use glam::{Mat4, Quat, Vec3};
use pleach_graph::{NodeId, Transform};
use pleach_spatial::Aabb;
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::{number, status};
use crate::node_number::{from_number, to_number};
use crate::tree::live;
use crate::worlds::{World, edit, read};

/// Floats of a transform in JavaScript's arrays: translation, rotation, scale.
const TRS: usize = 10;

/// Lists that calls return by address and length, and the scratch that JavaScript fills for the next call.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) slots: Vec<u32>,
    pub(crate) ids: Vec<f64>,
    pub(crate) floats: Vec<f32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) scratch: Vec<f32>,
    nodes: Vec<NodeId>,
    transforms: Vec<Transform>,
}

/// Returns the address of the list of slots that the last call wrote.
#[wasm_bindgen]
pub fn slots_address(world: u32) -> u32 {
    read(world, |world| Ok(world.output.slots.as_ptr() as usize as u32)).unwrap_or(0)
}

/// Returns the address of the list of ids that the last call wrote.
#[wasm_bindgen]
pub fn ids_address(world: u32) -> u32 {
    read(world, |world| Ok(world.output.ids.as_ptr() as usize as u32)).unwrap_or(0)
}

/// Returns the address of the list of floats that the last call wrote.
#[wasm_bindgen]
pub fn floats_address(world: u32) -> u32 {
    read(world, |world| Ok(world.output.floats.as_ptr() as usize as u32)).unwrap_or(0)
}

/// Makes room for floats that JavaScript fills, and returns their address.
#[wasm_bindgen]
pub fn scratch(world: u32, floats: u32) -> f64 {
    number(edit(world, |world| {
        let (floats, scratch) = (floats as usize, &mut world.output.scratch);
        if scratch.len() < floats {
            let additional = floats - scratch.len();
            scratch.try_reserve(additional).map_err(|_| {
                Fault::new("out-of-memory", format!("there is no memory for {floats} floats"))
            })?;
            scratch.resize(floats, 0.0);
        }
        Ok(f64::from(scratch.as_ptr() as usize as u32))
    }))
}

/// Returns `true` if this number of bytes can be allocated. JavaScript asks before it copies large arrays and strings in: a
/// copy without memory is a trap.
#[wasm_bindgen]
pub fn has_memory(bytes: f64) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes as usize).is_ok()
}

/// Adds nodes: `parents` are positions in this list, or −1 for the node given. Returns their ids.
#[wasm_bindgen]
pub fn add_all(
    world: u32,
    parents: &[i32],
    trs: &[f32],
    under_slot: u32,
    under_generation: u32,
) -> Result<Vec<f64>, JsValue> {
    Ok(edit(world, |world| {
        check_length("the array of transforms", trs.len(), parents.len(), TRS)?;
        let under = live(under_slot, under_generation)?;
        let mut nodes = Vec::new();
        reserve(&mut nodes, parents.len(), "the nodes")?;
        let mut ids = Vec::new();
        reserve(&mut ids, parents.len(), "the ids of the nodes")?;
        let rows = parents.iter().zip(trs.as_chunks::<TRS>().0).enumerate();
        for (index, (&parent, trs)) in rows {
            let parent = match parent {
                -1 => None,
                0.. => Some(parent as u32),
                _ => {
                    let message = format!(
                        "parent {parent} of node {index} is negative; pass −1 for no parent in this list",
                    );
                    return Err(Fault::new("parent-order", message).at(index));
                }
            };
            nodes.push((parent, to_transform(trs)));
        }
        let added = world.graph_mut().add_all(Some(under), &nodes)?;
        ids.extend(added.into_iter().map(to_number));
        Ok(ids)
    })?)
}

/// Reserves capacity for `count` elements of an empty list.
fn reserve<T>(list: &mut Vec<T>, count: usize, what: &str) -> Result<(), Fault> {
    list.try_reserve_exact(count).map_err(|_| Fault::memory(&format!("{what}: {count}")))
}

fn to_transform(trs: &[f32; TRS]) -> Transform {
    Transform {
        translation: Vec3::new(trs[0], trs[1], trs[2]),
        rotation: Quat::from_xyzw(trs[3], trs[4], trs[5], trs[6]),
        scale: Vec3::new(trs[7], trs[8], trs[9]),
    }
}

fn check_length(what: &str, given: usize, nodes: usize, stride: usize) -> Result<(), Fault> {
    if given == nodes * stride {
        Ok(())
    } else {
        Err(Fault::length(
            &format!("{what}, {stride} floats for each of {nodes} nodes,"),
            given,
            nodes * stride,
        ))
    }
}

/// Fills `world.output.nodes` from ids, or from slots if there are any.
fn take_nodes(world: &mut World, ids: &[f64], slots: &[u32]) -> Result<(), Fault> {
    let mut nodes = std::mem::take(&mut world.output.nodes);
    nodes.clear();
    reserve(&mut nodes, ids.len().max(slots.len()), "the nodes")?;
    for (index, &slot) in slots.iter().enumerate() {
        nodes.push(node_in_slot(world, index, slot)?);
    }
    let ids = if slots.is_empty() { ids } else { &[] };
    for (index, &id) in ids.iter().enumerate() {
        match from_number(id) {
            Some(node) => nodes.push(node),
            None => {
                let message = format!("{id} is not a node: pass ids that this scene returned");
                return Err(Fault::new("dead-node", message).at(index));
            }
        }
    }
    world.output.nodes = nodes;
    Ok(())
}

fn node_in_slot(world: &World, index: usize, slot: u32) -> Result<NodeId, Fault> {
    world.graph().node_at(slot as usize).ok_or_else(|| {
        let message = format!("there is no node in slot {slot}; it was removed");
        Fault::new("dead-node", message).at(index)
    })
}

/// Returns the ids of live slots.
#[wasm_bindgen]
pub fn ids_of_slots(world: u32, slots: &[u32]) -> Result<Vec<f64>, JsValue> {
    Ok(read(world, |world| {
        let id = |(index, &slot)| Ok(to_number(node_in_slot(world, index, slot)?));
        slots.iter().enumerate().map(id).collect::<Result<Vec<f64>, Fault>>()
    })?)
}

/// Names the position of a dead node in the list.
fn locate(world: &World, fault: Fault) -> Fault {
    let index =
        fault.node.and_then(|node| world.output.nodes.iter().position(|&each| each == node));
    match index {
        Some(index) => fault.at(index),
        None => fault,
    }
}

/// Sets the local transforms of nodes. `trs` may be empty: the scratch is read then.
#[wasm_bindgen]
pub fn set_locals(world: u32, ids: &[f64], slots: &[u32], trs: &[f32]) -> u32 {
    status(edit(world, |world| {
        take_nodes(world, ids, slots)?;
        let count = world.output.nodes.len();
        let mut transforms = std::mem::take(&mut world.output.transforms);
        transforms.clear();
        {
            let trs = if trs.is_empty() { scratch_of(world, count * TRS)? } else { trs };
            check_length("the array of transforms", trs.len(), count, TRS)?;
            reserve(&mut transforms, count, "the transforms")?;
            transforms.extend(trs.as_chunks::<TRS>().0.iter().map(to_transform));
        }
        let nodes = std::mem::take(&mut world.output.nodes);
        let result = world.graph_mut().set_transforms(&nodes, &transforms);
        world.output.nodes = nodes;
        world.output.transforms = transforms;
        result.map_err(|error| locate(world, error.into()))
    }))
}

fn scratch_of(world: &World, floats: usize) -> Result<&[f32], Fault> {
    world
        .output
        .scratch
        .get(..floats)
        .ok_or_else(|| Fault::length("the scratch", world.output.scratch.len(), floats))
}

/// Sets the translations of nodes. `xyz` may be empty: the scratch is read then.
#[wasm_bindgen]
pub fn set_positions(world: u32, ids: &[f64], slots: &[u32], xyz: &[f32]) -> u32 {
    status(edit(world, |world| {
        take_nodes(world, ids, slots)?;
        let count = world.output.nodes.len();
        let xyz = if xyz.is_empty() { scratch_of(world, count * 3)? } else { xyz };
        check_length("the array of positions", xyz.len(), count, 3)?;
        let positions: Vec<Vec3> = xyz.as_chunks::<3>().0.iter().copied().map(Vec3::from).collect();
        let nodes = std::mem::take(&mut world.output.nodes);
        let result = world.graph_mut().set_translations(&nodes, &positions);
        world.output.nodes = nodes;
        result.map_err(|error| locate(world, error.into()))
    }))
}

/// Sets the rotations of nodes. `xyzw` may be empty: the scratch is read then.
#[wasm_bindgen]
pub fn set_rotations(world: u32, ids: &[f64], slots: &[u32], xyzw: &[f32]) -> u32 {
    status(edit(world, |world| {
        take_nodes(world, ids, slots)?;
        let count = world.output.nodes.len();
        let nodes = std::mem::take(&mut world.output.nodes);
        let mut transforms = std::mem::take(&mut world.output.transforms);
        transforms.clear();
        {
            let xyzw = if xyzw.is_empty() { scratch_of(world, count * 4)? } else { xyzw };
            check_length("the array of rotations", xyzw.len(), count, 4)?;
            reserve(&mut transforms, count, "the rotations")?;
            for (index, (&node, xyzw)) in nodes.iter().zip(xyzw.as_chunks::<4>().0).enumerate() {
                let node =
                    world.graph().node(node).map_err(|error| Fault::from(error).at(index))?;
                transforms.push(Transform {
                    translation: node.translation(),
                    rotation: Quat::from_array(*xyzw),
                    scale: node.scale(),
                });
            }
        }
        let result = world.graph_mut().set_transforms(&nodes, &transforms);
        world.output.nodes = nodes;
        world.output.transforms = transforms;
        result.map_err(|error| locate(world, error.into()))
    }))
}

/// Sets the local matrices of nodes. All are checked before one is written.
#[wasm_bindgen]
pub fn set_local_matrices(world: u32, ids: &[f64], slots: &[u32], matrices: &[f32]) -> u32 {
    status(edit(world, |world| {
        take_nodes(world, ids, slots)?;
        let count = world.output.nodes.len();
        let matrices = if matrices.is_empty() { scratch_of(world, count * 16)? } else { matrices };
        check_length("the array of matrices", matrices.len(), count, 16)?;
        let matrices: Vec<Mat4> =
            matrices.as_chunks::<16>().0.iter().map(Mat4::from_cols_array).collect();
        let nodes = world.output.nodes.clone();
        for (index, (&node, matrix)) in nodes.iter().zip(&matrices).enumerate() {
            world.graph().node(node).map_err(|error| Fault::from(error).at(index))?;
            let last_row = matrix.row(3);
            if !matrix.is_finite() {
                let message = format!("matrix {index} has a number that is not finite");
                return Err(Fault::new("not-finite", message).at(index));
            }
            if last_row != glam::Vec4::W {
                let message =
                    format!("matrix {index} is not affine: its last row is not 0, 0, 0, 1");
                return Err(Fault::new("not-affine", message).at(index));
            }
        }
        for (&node, &matrix) in nodes.iter().zip(&matrices) {
            world.graph_mut().node_mut(node)?.set_local_matrix(matrix)?;
        }
        Ok(())
    }))
}

/// Sets the local bounds of nodes, 6 floats each.
#[wasm_bindgen]
pub fn set_all_bounds(world: u32, ids: &[f64], slots: &[u32], min_max: &[f32]) -> u32 {
    status(edit(world, |world| {
        take_nodes(world, ids, slots)?;
        let count = world.output.nodes.len();
        check_length("the array of bounds", min_max.len(), count, 6)?;
        let boxes: Vec<Aabb> = min_max
            .as_chunks::<6>()
            .0
            .iter()
            .map(|b| Aabb { min: Vec3::new(b[0], b[1], b[2]), max: Vec3::new(b[3], b[4], b[5]) })
            .collect();
        let nodes = world.output.nodes.clone();
        for (index, (&node, bounds)) in nodes.iter().zip(&boxes).enumerate() {
            world.graph().node(node).map_err(|error| Fault::from(error).at(index))?;
            if !(bounds.min.is_finite()
                && bounds.max.is_finite()
                && bounds.min.cmple(bounds.max).all())
            {
                let message = format!(
                    "bounds {index} must be finite, and their minimum not greater than their maximum",
                );
                return Err(Fault::new("not-finite", message).at(index));
            }
        }
        nodes.iter().zip(boxes).try_for_each(|(&node, bounds)| world.set_bounds(node, Some(bounds)))
    }))
}

/// Removes nodes, each with everything below it. All must be alive; returns how many nodes were removed.
#[wasm_bindgen]
pub fn remove_all(world: u32, ids: &[f64], slots: &[u32]) -> f64 {
    number(edit(world, |world| {
        take_nodes(world, ids, slots)?;
        let nodes = world.output.nodes.clone();
        for (index, &node) in nodes.iter().enumerate() {
            world.graph().node(node).map_err(|error| Fault::from(error).at(index))?;
            if node == world.root() {
                return Err(
                    Fault::new("root", "the root cannot be removed; remove its children").at(index)
                );
            }
        }
        let mut removed = 0;
        for node in nodes {
            // Below a node that was removed before it in this list.
            if world.graph().contains(node) {
                removed += world.remove(node)?;
            }
        }
        Ok(removed as f64)
    }))
}

/// Attaches nodes to one parent, in order.
#[wasm_bindgen]
pub fn attach_all(
    world: u32,
    ids: &[f64],
    slots: &[u32],
    parent_slot: u32,
    parent_generation: u32,
) -> u32 {
    status(edit(world, |world| {
        take_nodes(world, ids, slots)?;
        let nodes = world.output.nodes.clone();
        world.attach_all(&nodes, live(parent_slot, parent_generation)?)
    }))
}
