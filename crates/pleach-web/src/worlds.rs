//! The worlds that JavaScript holds, by number.
//!
//! Invariant: a number is reused only after `world_free`; the JavaScript object of a freed world is disposed
//! and passes its number no more.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::status;
pub(crate) use crate::world::World;

thread_local! {
    static WORLDS: RefCell<Vec<Option<World>>> = const { RefCell::new(Vec::new()) };
}

/// Creates an empty world with a root, and returns its number.
#[wasm_bindgen]
pub fn world_new(capacity: u32) -> Result<u32, JsValue> {
    let mut world = World::new();
    world.graph_mut().reserve(capacity as usize).map_err(Fault::from)?;
    Ok(insert(world))
}

/// Frees a world.
#[wasm_bindgen]
pub fn world_free(world: u32) {
    WORLDS.with_borrow_mut(|worlds| {
        if let Some(slot) = worlds.get_mut(world as usize) {
            *slot = None;
        }
    });
}

/// Reserves memory for more nodes.
#[wasm_bindgen]
pub fn world_reserve(world: u32, additional: u32) -> u32 {
    status(edit(world, |world| Ok(world.graph_mut().reserve(additional as usize)?)))
}

pub(crate) fn insert(world: World) -> u32 {
    WORLDS.with_borrow_mut(|worlds| {
        let free = worlds.iter().position(Option::is_none).unwrap_or_else(|| {
            worlds.push(None);
            worlds.len() - 1
        });
        worlds[free] = Some(world);
        free as u32
    })
}

/// Calls `f` with the world.
#[inline]
pub(crate) fn read<R>(world: u32, f: impl FnOnce(&World) -> Result<R, Fault>) -> Result<R, Fault> {
    WORLDS.with_borrow(|worlds| match worlds.get(world as usize) {
        Some(Some(it)) => f(it).map_err(|fault| fault.in_world(world)),
        _ => Err(disposed()),
    })
}

/// Calls `f` with the world, to change it.
#[inline]
pub(crate) fn edit<R>(
    world: u32,
    f: impl FnOnce(&mut World) -> Result<R, Fault>,
) -> Result<R, Fault> {
    WORLDS.with_borrow_mut(|worlds| match worlds.get_mut(world as usize) {
        Some(Some(it)) => f(it).map_err(|fault| fault.in_world(world)),
        _ => Err(disposed()),
    })
}

/// Calls `f` with two different worlds: one to change, one to read.
#[cfg(feature = "scene")]
pub(crate) fn edit_with<R>(
    target: u32,
    source: u32,
    f: impl FnOnce(&mut World, &World) -> Result<R, Fault>,
) -> Result<R, Fault> {
    WORLDS.with_borrow_mut(|worlds| {
        match worlds.get_disjoint_mut([target as usize, source as usize]) {
            Ok([Some(it), Some(source)]) => f(it, source).map_err(|fault| fault.in_world(target)),
            _ => Err(disposed()),
        }
    })
}

#[cold]
fn disposed() -> Fault {
    Fault::new("disposed", "this scene was disposed; create another")
}
