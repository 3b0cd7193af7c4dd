//! Undo and redo of a scene: transactions, their patches, and a history of them.
//!
//! A transaction of a scene records the graph, every table, the assets, the environment and the
//! name at once (`transaction.rs`); its `ScenePatch` holds the edits of each (`scene_patch.rs`), and
//! leads from one revision to another (`revisions.rs`).
//! `History` keeps patches for undo and redo within a limit (`steps.rs`).

mod revisions;
mod scene_patch;
mod steps;
mod transaction;

pub use scene_patch::ScenePatch;
pub use steps::{History, Mark};
pub(crate) use transaction::SceneRecorder;
