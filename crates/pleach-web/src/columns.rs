//! Columns: addresses of one row per slot, for views without copies.
//!
//! A column moves when it grows: JavaScript compares address and length before each use.

use wasm_bindgen::prelude::*;

use crate::host::number;
use crate::worlds::{edit, read};

fn address<T>(world: u32, column: impl FnOnce(&crate::worlds::World) -> &[T]) -> u32 {
    read(world, |world| Ok(column(world).as_ptr() as usize as u32)).unwrap_or(0)
}

/// Returns the number of slots: the rows of each column.
#[wasm_bindgen]
pub fn slot_count(world: u32) -> u32 {
    read(world, |world| Ok(world.graph().parents().len() as u32)).unwrap_or(0)
}

/// Returns the address of the world matrices: 16 floats per slot, as of the last update.
#[wasm_bindgen]
pub fn world_matrices(world: u32) -> u32 {
    address(world, |world| world.graph().world_matrices())
}

/// Returns the address of the local transforms: `local_stride` floats per slot.
#[wasm_bindgen]
pub fn locals(world: u32) -> u32 {
    address(world, |world| world.graph().transforms())
}

/// Returns the number of floats of a local transform.
#[wasm_bindgen]
pub fn local_stride() -> u32 {
    (size_of::<pleach_graph::Transform>() / 4) as u32
}

/// Returns the offset, in floats, of translation (0), rotation (1) or scale (2) in a local transform.
#[wasm_bindgen]
pub fn local_offset(part: u32) -> u32 {
    use pleach_graph::Transform;
    let bytes = match part {
        0 => std::mem::offset_of!(Transform, translation),
        1 => std::mem::offset_of!(Transform, rotation),
        _ => std::mem::offset_of!(Transform, scale),
    };
    (bytes / 4) as u32
}

/// Returns the address of the parents' slots; 0xffffffff without a parent.
#[wasm_bindgen]
pub fn parents(world: u32) -> u32 {
    address(world, |world| world.graph().parents())
}

/// Writes the flags of each slot to the bytes: 1 alive, 2 visible, 4 shown, 8 edited since the last update. Returns their
/// address.
#[wasm_bindgen]
pub fn flag_column(world: u32) -> f64 {
    number(edit(world, |world| {
        let mut bytes = std::mem::take(&mut world.output.bytes);
        bytes.clear();
        bytes.extend(world.graph().flags().iter().map(|flags| {
            u8::from(flags.is_alive())
                | u8::from(flags.is_visible()) << 1
                | u8::from(flags.is_shown()) << 2
                | u8::from(flags.is_local_dirty()) << 3
        }));
        world.output.bytes = bytes;
        Ok(f64::from(world.output.bytes.as_ptr() as usize as u32))
    }))
}
