//! Copies of nodes of other worlds.

use wasm_bindgen::prelude::*;

use super::clips;
use crate::fault::Fault;
use crate::node_number::to_number;
use crate::tree::live;
use crate::worlds::{edit, edit_with};

/// Copies a node of another world (or of this one) with everything below it. Returns pairs of originals and copies, the
/// copied root first, followed by the numbers of the clips, which are bound to the copies.
#[wasm_bindgen]
pub fn instantiate(
    world: u32,
    parent_slot: u32,
    parent_generation: u32,
    source_number: u32,
    slot: u32,
    generation: u32,
    clip_numbers: &[u32],
) -> Result<Vec<f64>, JsValue> {
    let copies = if world == source_number {
        edit(world, |world| {
            let (parent, node) = (live(parent_slot, parent_generation)?, live(slot, generation)?);
            world.clone_subtree(node, parent)
        })?
    } else {
        edit_with(world, source_number, |world, source| {
            let (parent, node) = (live(parent_slot, parent_generation)?, live(slot, generation)?);
            world.graph().node(parent)?;
            // What is not copied because of a node is a node of the source.
            let copies =
                source.graph().node(node).map_err(pleach::Error::from).and_then(|_| {
                    world.scene.clone_subtree_from(&source.scene, node, Some(parent))
                });
            copies.map_err(|error| Fault::from(error).in_world(source_number))
        })?
    };
    let root = copies.root();
    let (first, rest): (Vec<_>, Vec<_>) = copies.pairs().iter().partition(|pair| pair.1 == root);
    let pairs = first.into_iter().chain(rest);
    let mut numbers: Vec<f64> =
        pairs.flat_map(|&(original, copy)| [to_number(original), to_number(copy)]).collect();
    for &clip in clip_numbers {
        let binding = clips::remapped(clip, |node| copies.get(node))?;
        numbers.push(f64::from(clips::insert(binding)));
    }
    Ok(numbers)
}
