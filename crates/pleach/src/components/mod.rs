//! Components: what the caller attaches to nodes, in one table per component type.
//!
//! A node is a mesh, a camera or a light because it has a row in that table; it may have
//! several. Components are plain data, written by the caller between updates; `frame/` reads
//! them and derives everything else. Users' own kinds are treated like the built-in ones
//! (`built_in.rs`), through one trait (`component.rs`).
//!
//! Guarantees: a table records which rows may have changed since the last update, since the owner of
//! the scene last cleared the changes, and since each of its readers last read; rows of removed nodes
//! are dropped by `Scene::remove`, or else by the next update.

mod any_table;
mod bounds;
mod built_in;
mod camera;
mod component;
mod constraint;
mod constraint_order;
mod environment;
mod environment_map;
mod error;
mod light;
mod lod;
mod mesh;
mod morph_weights;
mod node;
mod node_kind;
mod row_changes;
mod row_edits;
mod row_log;
mod skin;
mod table;

pub(crate) use any_table::AnyTable;
pub use bounds::Bounds;
pub(crate) use built_in::{Components, UserTables, built_in_tables};
pub use camera::Camera;
pub use component::{Component, MapNode, UnmappedNode};
pub use constraint::Constraint;
pub(crate) use constraint::ConstraintSolver;
pub use environment::{Ambient, Background, Environment, Fog};
pub use environment_map::{EnvironmentMap, EnvironmentSource};
pub use error::{ConstraintError, EnvironmentError, LightError, RowError, RowMisfit, SkinError};
pub use light::{Light, LightKind};
pub use lod::{Level, Lod};
pub use mesh::{Mesh, Part};
pub use morph_weights::MorphWeights;
pub use node::Node;
pub use node_kind::NodeKind;
pub use row_changes::{RowChangeReader, RowChanges};
pub use row_edits::RowEdit;
pub(crate) use row_edits::{AnyRowEdits, Expected, RowEdits};
pub use skin::{BindMode, Skin};
pub use table::Table;
