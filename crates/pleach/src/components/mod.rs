//! Components: what the caller attaches to nodes, in one table per component type.
//!
//! A node is a mesh, a camera or a light because it has a row in that table; it may have
//! several. Components are plain data, written by the caller between updates; `frame/` reads
//! them and derives everything else.
//!
//! Guarantees: a table records which rows may have changed since the last update, and rows
//! of removed nodes are dropped by the next one.

mod camera;
mod constraint;
mod constraint_order;
mod environment;
mod error;
mod light;
mod lod;
mod mesh;
mod node;
mod node_kind;
mod skin;
mod table;

pub use camera::Camera;
pub use constraint::{Constraint, Constraints};
pub use environment::{Ambient, Background, Environment, Fog};
pub use error::{ConstraintError, SkinError};
pub use light::{Light, LightKind};
pub use lod::{Level, Lod};
pub use mesh::{Mesh, Part};
pub use node::Node;
pub use node_kind::NodeKind;
pub use skin::{BindMode, Skin};
pub use table::Table;
