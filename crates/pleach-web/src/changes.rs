//! Changes: the owner's lists, and readers with positions of their own.

use pleach_graph::Changes;
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::{number, status};
use crate::node_number::to_number;
use crate::worlds::{World, edit};

/// Brings world matrices, bounds and everything derived up to date. Returns how many nodes were recomputed.
#[wasm_bindgen]
pub fn update(world: u32) -> f64 {
    number(edit(world, |world| Ok(world.update()? as f64)))
}

/// Forgets the changes that the owner's lists contain.
#[wasm_bindgen]
pub fn clear_changes(world: u32) -> u32 {
    status(edit(world, |world| {
        world.clear_changes();
        Ok(())
    }))
}

/// Writes a list of the owner's changes to the slots: 0 world matrices, parents first, 1 `shown`, 2 reparented,
/// 3 renamed, 4 added. Returns its length.
#[wasm_bindgen]
pub fn changed(world: u32, which: u32) -> f64 {
    number(edit(world, |world| {
        let mut slots = std::mem::take(&mut world.output.slots);
        slots.clear();
        let graph = world.graph();
        match which {
            0 => slots.extend(graph.changed().map(|node| node.index() as u32)),
            1 => slots.extend(graph.shown_changed().map(|node| node.index() as u32)),
            2 => slots.extend(graph.reparented().map(|node| node.index() as u32)),
            3 => slots.extend(graph.renamed().map(|node| node.index() as u32)),
            _ => slots.extend(graph.added().map(|node| node.index() as u32)),
        }
        world.output.slots = slots;
        Ok(world.output.slots.len() as f64)
    }))
}

/// Writes the ids of removed nodes to the ids. Returns how many there are.
#[wasm_bindgen]
pub fn removed(world: u32) -> f64 {
    number(edit(world, |world| {
        let mut ids = std::mem::take(&mut world.output.ids);
        ids.clear();
        ids.extend(world.graph().removed().iter().copied().map(to_number));
        world.output.ids = ids;
        Ok(world.output.ids.len() as f64)
    }))
}

/// Writes the changed rows of world matrices as pairs of first row and end to the slots: rows less than `max_gap` apart are
/// merged. Returns the number of elements.
#[wasm_bindgen]
pub fn ranges(world: u32, max_gap: u32) -> f64 {
    number(edit(world, |world| {
        let mut rows = Vec::new();
        world.graph().changed().ranges(max_gap as usize, &mut rows);
        world.output.slots.clear();
        world
            .output
            .slots
            .extend(rows.into_iter().flat_map(|row| [row.start as u32, row.end as u32]));
        Ok(world.output.slots.len() as f64)
    }))
}

/// Creates a reader of changes, and returns its number.
#[wasm_bindgen]
pub fn reader_new(world: u32) -> f64 {
    number(edit(world, |world| {
        let reader = world.graph_mut().change_reader();
        let free = world.readers.iter().position(Option::is_none).unwrap_or_else(|| {
            world.readers.push(None);
            world.readers.len() - 1
        });
        world.readers[free] = Some(reader);
        Ok(free as f64)
    }))
}

/// Frees a reader.
#[wasm_bindgen]
pub fn reader_free(world: u32, reader: u32) {
    // A world that was freed has no readers.
    let _ = edit(world, |world| {
        if let Some(slot) = world.readers.get_mut(reader as usize) {
            *slot = None;
        }
        Ok(())
    });
}

/// Reads the changes since the reader's last call into the slots: 6 lengths, and the lists changed, shown, reparented, renamed and
/// added, one after the other. The ids are those of removed nodes; their number is the sixth length.
#[wasm_bindgen]
pub fn reader_read(world: u32, reader: u32) -> u32 {
    status(edit(world, |world| {
        let taken = world.readers.get_mut(reader as usize).and_then(Option::take);
        let Some(mut reading) = taken else {
            return Err(Fault::new("disposed", "this change reader was disposed; create another"));
        };
        let mut output = std::mem::take(&mut world.output);
        let result = reading.read(world.graph()).map(|changes| {
            let Changes { .. } = changes;
            output.slots.clear();
            output.ids.clear();
            output.slots.resize(6, 0);
            let mut push = |list: usize, nodes: &mut dyn Iterator<Item = pleach_graph::NodeId>| {
                let before = output.slots.len();
                output.slots.extend(nodes.map(|node| node.index() as u32));
                output.slots[list] = (output.slots.len() - before) as u32;
            };
            push(0, &mut changes.changed());
            push(1, &mut changes.shown_changed());
            push(2, &mut changes.reparented());
            push(3, &mut changes.renamed());
            push(4, &mut changes.added());
            output.ids.extend(changes.removed().iter().copied().map(to_number));
            output.slots[5] = output.ids.len() as u32;
        });
        let World { output: place, readers, .. } = world;
        *place = output;
        readers[reader as usize] = Some(reading);
        Ok(result?)
    }))
}
