//! Edits as data: recording them, and applying, inverting and dropping what was recorded.
//!
//! `transact` records what a closure does to a graph (`recorder.rs`, `finish.rs`) and returns it as a `Patch`
//! (`patch.rs`), a list (`edits.rs`) of `Edit`s (`edit.rs`). A patch is applied as a whole or not at all:
//! `fit.rs` decides without changing anything, `perform.rs` then cannot fail. Nodes that a
//! recorded edit removes are *parked* (`parked.rs`), so that undoing it brings back the same handles.
//!
//! Edits that are made while nothing is recorded cost nothing more: the setters of local transforms
//! test for the flag `WATCHED` together with one that they test anyway.

pub(crate) mod edit;
pub(crate) mod edits;
mod finish;
pub(crate) mod fit;
pub(crate) mod parked;
#[expect(clippy::module_inception, reason = "the file of `Patch`")]
pub(crate) mod patch;
pub(crate) mod perform;
pub(crate) mod recorder;
pub(crate) mod revision;
