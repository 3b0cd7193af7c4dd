//! Transactions and histories: undo and redo.

use std::cell::RefCell;

use pleach::undo::{History, Mark, ScenePatch};
use wasm_bindgen::prelude::*;

use super::slab::Slab;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::worlds::{World, edit};

const WHAT: &str = "history";
/// The number of no history.
const NONE: u32 = u32::MAX;

/// A history with the marks that JavaScript holds.
#[derive(Debug)]
struct Steps {
    history: History,
    marks: Vec<Mark>,
}

thread_local! {
    static HISTORIES: RefCell<Slab<Steps>> = const { RefCell::new(Slab::new()) };
}

fn with<R>(history: u32, f: impl FnOnce(&mut Steps) -> Result<R, Fault>) -> Result<R, Fault> {
    HISTORIES.with_borrow_mut(|histories| f(histories.get_mut(history, WHAT)?))
}

/// Begins a transaction of a world.
#[wasm_bindgen]
pub fn transaction_begin(world: u32) -> u32 {
    status(edit(world, |world| {
        world.scene.begin_transaction();
        Ok(())
    }))
}

/// Ends a transaction. The outermost one becomes a step of a history, if that has a number other than 0xffffffff; steps
/// with the same key in a row are one. Returns how many transactions still run.
#[wasm_bindgen]
pub fn transaction_commit(world: u32, history: u32, label: &str, key: &str) -> u32 {
    status(edit(world, |world| {
        let patch = world.scene.commit(label)?;
        push(world, history, patch, key)
    }))
}

/// Adds a patch that the world has applied to a history.
pub(crate) fn push(
    world: &mut World,
    history: u32,
    patch: ScenePatch,
    key: &str,
) -> Result<(), Fault> {
    if history == NONE || world.scene.is_in_transaction() {
        return Ok(());
    }
    with(history, |steps| {
        if key.is_empty() {
            steps.history.push(&mut world.scene, patch);
        } else {
            steps.history.push_merged(&mut world.scene, patch, key);
        }
        Ok(())
    })
}

/// Undoes everything since the transaction began. Returns `false` if none runs.
#[wasm_bindgen]
pub fn transaction_roll_back(world: u32) -> bool {
    edit(world, |world| Ok(world.scene.roll_back())).unwrap_or(false)
}

/// Creates a history that keeps at most this number of bytes (0: a default), and returns its number.
#[wasm_bindgen]
pub fn history_new(bytes: f64) -> u32 {
    let history = if bytes > 0.0 { History::with_limit(bytes as usize) } else { History::new() };
    HISTORIES.with_borrow_mut(|histories| histories.insert(Steps { history, marks: Vec::new() }))
}

/// Frees a history of a world.
#[wasm_bindgen]
pub fn history_free(world: u32, history: u32) {
    let steps = HISTORIES.with_borrow_mut(|histories| histories.remove(history));
    if let Some(mut steps) = steps {
        // A world that was freed has nothing to forget.
        let _ = edit(world, |world| {
            steps.history.clear(&mut world.scene);
            Ok(())
        });
    }
}

/// Undoes the last step, and returns its label; `undefined` if there is none.
#[wasm_bindgen]
pub fn history_undo(world: u32, history: u32) -> Result<Option<String>, JsValue> {
    Ok(edit(world, |world| {
        with(history, |steps| Ok(steps.history.undo(&mut world.scene)?.map(str::to_owned)))
    })?)
}

/// Applies the step that was undone last, and returns its label; `undefined` if there is none.
#[wasm_bindgen]
pub fn history_redo(world: u32, history: u32) -> Result<Option<String>, JsValue> {
    Ok(edit(world, |world| {
        with(history, |steps| Ok(steps.history.redo(&mut world.scene)?.map(str::to_owned)))
    })?)
}

/// Returns the labels of the steps that can be undone (or redone), the next one first.
#[wasm_bindgen]
pub fn history_labels(history: u32, redo: bool) -> Result<Vec<String>, JsValue> {
    Ok(with(history, |steps| {
        Ok(if redo {
            steps.history.redo_labels().map(str::to_owned).collect()
        } else {
            steps.history.undo_labels().map(str::to_owned).collect::<Vec<String>>()
        })
    })?)
}

/// Returns a number of a history: 0 its size in bytes, 1 the limit, 2 whether the world differs from what was saved.
#[wasm_bindgen]
pub fn history_number(history: u32, which: u32) -> f64 {
    number(with(history, |steps| {
        Ok(match which {
            0 => steps.history.byte_size() as f64,
            1 => steps.history.limit() as f64,
            _ => f64::from(u32::from(steps.history.is_modified())),
        })
    }))
}

/// Remembers the current state, and returns the number of the mark.
#[wasm_bindgen]
pub fn history_mark(history: u32) -> f64 {
    number(with(history, |steps| {
        let mark = steps.history.mark();
        let known = steps.marks.iter().position(|&it| it == mark);
        let index = known.unwrap_or_else(|| {
            steps.marks.push(mark);
            steps.marks.len() - 1
        });
        Ok(index as f64)
    }))
}

/// Undoes or applies steps until the state of a mark. Returns 0 if that state cannot be reached any more.
#[wasm_bindgen]
pub fn history_return_to(world: u32, history: u32, mark: u32) -> f64 {
    number(edit(world, |world| {
        with(history, |steps| {
            let &mark = steps.marks.get(mark as usize).ok_or_else(|| {
                Fault::new("out-of-range", "the mark is not one of this history; call `mark()`")
            })?;
            let is_reached = steps.history.return_to(&mut world.scene, mark)?;
            Ok(f64::from(u32::from(is_reached)))
        })
    }))
}

/// Changes a history: 0 the current state is saved, 1 the next step is not merged with the last.
#[wasm_bindgen]
pub fn history_set(history: u32, which: u32) -> u32 {
    status(with(history, |steps| {
        if which == 0 {
            steps.history.set_saved();
        } else {
            steps.history.end_merging();
        }
        Ok(())
    }))
}

/// Forgets all steps.
#[wasm_bindgen]
pub fn history_clear(world: u32, history: u32) -> u32 {
    status(edit(world, |world| {
        with(history, |steps| {
            steps.history.clear(&mut world.scene);
            Ok(())
        })
    }))
}
