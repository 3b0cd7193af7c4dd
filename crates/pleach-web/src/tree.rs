//! The hierarchy: creation, attachment, removal, names and children.

use glam::{Quat, Vec3};
use pleach_graph::{LocalKind, NodeId, Transform};
use pleach_spatial::Aabb;
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::{number, status};
use crate::node::with;
use crate::node_number::{from_parts, to_number};
use crate::numbers;
use crate::worlds::{edit, read};

pub(crate) fn live(slot: u32, generation: u32) -> Result<NodeId, Fault> {
    from_parts(slot, generation).ok_or_else(|| Fault::dead(None))
}

/// Returns the root.
#[wasm_bindgen]
pub fn root(world: u32) -> f64 {
    number(read(world, |world| Ok(to_number(world.root()))))
}

/// Adds a node with the local transform of the first 10 numbers below a parent.
#[wasm_bindgen]
pub fn add(world: u32, parent_slot: u32, parent_generation: u32) -> f64 {
    let transform = Transform {
        translation: Vec3::from_array(numbers::take(0)),
        rotation: Quat::from_array(numbers::take(3)),
        scale: Vec3::from_array(numbers::take(7)),
    };
    number(edit(world, |world| {
        let parent = live(parent_slot, parent_generation)?;
        Ok(to_number(world.graph_mut().add_child(parent, transform)?))
    }))
}

/// Removes a node with everything below it.
#[wasm_bindgen]
pub fn remove(world: u32, slot: u32, generation: u32) -> u32 {
    status(edit(world, |world| world.remove(live(slot, generation)?).map(drop)))
}

/// Attaches a node as the last child, or at a position.
#[wasm_bindgen]
pub fn attach(
    world: u32,
    slot: u32,
    generation: u32,
    parent_slot: u32,
    parent_generation: u32,
    position: i32,
) -> u32 {
    status(edit(world, |world| {
        let (node, parent) = (live(slot, generation)?, live(parent_slot, parent_generation)?);
        match usize::try_from(position) {
            Ok(position) => world.attach_at(node, parent, position),
            Err(_) => world.attach(node, parent),
        }
    }))
}

/// Attaches a node so that it stays in its place. Returns 1 if only a matrix can keep it there, else 0.
#[wasm_bindgen]
pub fn attach_in_place(
    world: u32,
    slot: u32,
    generation: u32,
    parent_slot: u32,
    parent_generation: u32,
) -> f64 {
    number(edit(world, |world| {
        let (node, parent) = (live(slot, generation)?, live(parent_slot, parent_generation)?);
        let kind = world.attach_in_place(node, parent)?;
        Ok(if kind == LocalKind::Matrix { 1.0 } else { 0.0 })
    }))
}

/// Detaches a node: it lives on, but is in no result.
#[wasm_bindgen]
pub fn detach(world: u32, slot: u32, generation: u32, in_place: bool) -> u32 {
    status(edit(world, |world| world.detach(live(slot, generation)?, in_place)))
}

/// Returns the parent, or 0.
#[wasm_bindgen]
pub fn parent(world: u32, slot: u32, generation: u32) -> f64 {
    number(with(world, slot, generation, |node| node.parent().map_or(0.0, to_number)))
}

/// Returns the children in order.
#[wasm_bindgen]
pub fn children(world: u32, slot: u32, generation: u32) -> Result<Vec<f64>, JsValue> {
    Ok(with(world, slot, generation, |node| node.children().map(to_number).collect())?)
}

/// Returns the nodes without a parent, except for the root.
#[wasm_bindgen]
pub fn detached(world: u32) -> Result<Vec<f64>, JsValue> {
    Ok(read(world, |world| {
        let root = world.root();
        Ok(world.graph().roots().filter(|&node| node != root).map(to_number).collect())
    })?)
}

/// Returns the name, or an empty string.
#[wasm_bindgen]
pub fn name(world: u32, slot: u32, generation: u32) -> Result<String, JsValue> {
    Ok(with(world, slot, generation, |node| node.name().unwrap_or_default().to_owned())?)
}

/// Sets the name; an empty one removes it.
#[wasm_bindgen]
pub fn set_name(world: u32, slot: u32, generation: u32, name: &str) -> u32 {
    crate::node::with_mut(world, slot, generation, |node| {
        if name.is_empty() {
            node.clear_name();
        } else {
            node.set_name(name);
        }
        Ok(())
    })
}

/// Returns the first node with the name, or 0.
#[wasm_bindgen]
pub fn find(world: u32, name: &str) -> f64 {
    number(read(world, |world| Ok(world.graph().find(name).map_or(0.0, to_number))))
}

/// Returns the first node with the name at or below a node, or 0.
#[wasm_bindgen]
pub fn find_in(world: u32, slot: u32, generation: u32, name: &str) -> f64 {
    number(read(world, |world| {
        let found = world.graph().find_in(live(slot, generation)?, name)?;
        Ok(found.map_or(0.0, to_number))
    }))
}

/// Returns the node at a path of names below the root, separated by slashes, or 0.
#[wasm_bindgen]
pub fn find_path(world: u32, path: &str) -> f64 {
    number(read(world, |world| {
        let graph = world.graph();
        let mut node = world.root();
        for name in path.split('/') {
            let children = graph.node(node)?.children();
            let mut named = children
                .filter(|&child| graph.get(child).and_then(|child| child.name()) == Some(name));
            match named.next() {
                Some(child) => node = child,
                None => return Ok(0.0),
            }
        }
        Ok(to_number(node))
    }))
}

/// Returns the live node in a slot, or 0.
#[wasm_bindgen]
pub fn node_at(world: u32, slot: u32) -> f64 {
    number(read(world, |world| Ok(world.graph().node_at(slot as usize).map_or(0.0, to_number))))
}

/// Returns the number of nodes.
#[wasm_bindgen]
pub fn node_count(world: u32) -> f64 {
    number(read(world, |world| Ok(world.graph().len() as f64)))
}

/// Returns a number that changes when nodes are added, removed or attached.
#[wasm_bindgen]
pub fn structure_version(world: u32) -> f64 {
    number(read(world, |world| Ok(world.graph().structure_version() as f64)))
}

/// Copies a node with everything below it. Returns pairs of originals and copies; the copied root is first.
#[wasm_bindgen]
pub fn clone_subtree(
    world: u32,
    slot: u32,
    generation: u32,
    parent_slot: u32,
    parent_generation: u32,
) -> Result<Vec<f64>, JsValue> {
    Ok(edit(world, |world| {
        let (node, parent) = (live(slot, generation)?, live(parent_slot, parent_generation)?);
        let copies = world.clone_subtree(node, parent)?;
        let mut pairs: Vec<f64> = vec![to_number(node), to_number(copies.root())];
        pairs.extend(
            copies
                .pairs()
                .iter()
                .filter(|pair| pair.0 != node)
                .flat_map(|pair| [to_number(pair.0), to_number(pair.1)]),
        );
        Ok(pairs)
    })?)
}

/// Sets the bounds in the node's own space from the first 6 numbers (minimum, maximum).
#[wasm_bindgen]
pub fn set_bounds(world: u32, slot: u32, generation: u32) -> u32 {
    let bounds = Aabb { min: numbers::take_vec3(0), max: numbers::take_vec3(3) };
    status(edit(world, |world| world.set_bounds(live(slot, generation)?, Some(bounds))))
}

/// Removes bounds that were set.
#[wasm_bindgen]
pub fn clear_bounds(world: u32, slot: u32, generation: u32) -> u32 {
    status(edit(world, |world| world.set_bounds(live(slot, generation)?, None)))
}

/// Writes bounds (6 numbers) to the numbers: 0 local ones, 1 in world space, 2 of the subtree. Returns 1 if there are
/// some, 0 if there are none, NaN after an error.
#[wasm_bindgen]
pub fn bounds(world: u32, slot: u32, generation: u32, which: u32) -> f64 {
    number(edit(world, |world| {
        let node = live(slot, generation)?;
        world.graph().node(node)?;
        if which != 0 {
            world.update()?;
        }
        let bounds = match which {
            0 => world.bounds(node),
            1 => world.index().world_bounds(node),
            _ => world.index().subtree_bounds(world.graph(), node),
        };
        let Some(bounds) = bounds.filter(|bounds| bounds.min.cmple(bounds.max).all()) else {
            return Ok(0.0);
        };
        let (min, max) = (bounds.min, bounds.max);
        numbers::put(&[min.x, min.y, min.z, max.x, max.y, max.z]);
        Ok(1.0)
    }))
}
