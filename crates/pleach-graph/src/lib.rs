//! A transform hierarchy for people with an engine of their own: handles, a tree,
//! local → world, and what changed.
//!
//! ```
//! use pleach_graph::glam::{Quat, Vec3};
//! use pleach_graph::{Graph, NodeMap, Transform};
//!
//! // Build and move.
//! let mut graph = Graph::new();
//! let tank = graph.add_root(Transform::from_xyz(10.0, 20.0, 0.0))?;
//! let turret = graph.add_child(tank, Transform::from_xyz(0.0, 0.0, 1.5))?;
//! graph.node_mut(turret)?.set_name("turret").set_rotation(Quat::from_rotation_z(0.5))?;
//!
//! // Your own data beside the tree.
//! let mut health = NodeMap::new();
//! health.insert(&graph, tank, 100)?;
//!
//! // Once a frame: compute what is out of date, then tell your own systems.
//! graph.update();
//! for node in graph.changed() {
//!     let world = graph.node(node)?.world();
//!     println!("{node} is at {}", world.transform_point3(Vec3::ZERO));
//! }
//! graph.clear_changes();
//! # Ok::<(), pleach_graph::Error>(())
//! ```
//!
//! # Why it is this way
//!
//! - **Handles, not references.** A [`NodeId`] is 8 bytes and never comes back to
//!   life; every call refuses a dead one with an error or `None`.
//! - **Edits cost nothing below them.** An edit marks one node. What hangs below
//!   is found by [`Graph::update`], level by level, and each node is computed
//!   once, however often it or its ancestors were edited.
//! - **Reads say how fresh they are.** [`NodeRef::world`] is the stored value;
//!   [`NodeRef::compute_world`] is right on any line of code. Getters never write.
//! - **The same bits everywhere.** No fused multiply-add, no platform
//!   trigonometry, one order of operations: every [`Kernel`], every number of
//!   threads, an update from scratch or in steps give the same matrices.
//! - **Any affine transform.** Translation, rotation and scale for nearly all
//!   nodes; an exact matrix where there is shear. Finite input never yields a
//!   NaN, and what is not finite is refused by name.
//! - **Several readers.** The owner has [`Graph::changed`]; each other system
//!   takes a [`ChangeReader`] and reads at its own pace.
//!
//! # What it costs
//!
//! About 170 bytes a node, in a handful of columns that grow by doubling. Costs
//! in time stand at [`Graph`]; figures against other implementations in the
//! repository's `docs/benchmarks`.
//!
//! # Conventions
//!
//! Right-handed, Z up, metres, radians; matrices are column-major and multiply
//! column vectors, so `a * b` applies `b` first. [`axes`] is the only module that
//! knows which way is up. Rotations from angles come from glam:
//!
//! ```
//! use pleach_graph::glam::{EulerRot, Quat, Vec3};
//! let eighth = core::f32::consts::FRAC_PI_4;
//! let diagonal = Vec3::new(0.5f32.sqrt(), 0.5f32.sqrt(), 0.0);
//! for turn in [
//!     Quat::from_euler(EulerRot::XYZ, 0.0, 0.0, eighth),
//!     Quat::from_axis_angle(Vec3::Z, eighth),
//! ] {
//!     assert!((turn * Vec3::X).abs_diff_eq(diagonal, 1e-6));
//! }
//! ```
//!
//! # What it does not do
//!
//! No node types, meshes, cameras or files; no culling; no entity-component
//! system. Positions are `f32`. Handles of different graphs cannot be told apart
//! in general: keep them beside the graph that made them.
//!
//! # Features
//!
//! - `std` (default): the kernel is chosen at run time, and [`Graph::find`] is a
//!   hash lookup, for which names are gathered at the first search. Without it the crate is `no_std` and needs `alloc` only.
//! - `parallel`: [`Graph::update_parallel`], on rayon.
//! - `serde`: `Serialize` and `Deserialize` for [`NodeId`] and [`Transform`].
//! - `bytemuck`: `bytemuck::Pod` for the matrices of [`Graph::world_matrices`].

#![no_std]
#![deny(unsafe_code)]
#![warn(clippy::alloc_instead_of_core, clippy::std_instead_of_core)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub use glam;

pub mod axes;

mod changes;
mod edit;
mod error;
mod graph;
mod math;
mod read;
#[cfg(feature = "serde")]
mod serde;
mod store;
mod update;

pub use changes::{changed_nodes::ChangedNodes, reader::ChangeReader, reader::Changes};
pub use edit::{attach::LocalKind, clone_subtree::CloneMap, node_mut::NodeMut};
pub use error::{Error, NodeDescription, NodeLabel, Property};
pub use graph::Graph;
pub use math::{rotation::slerp, transform::Transform};
pub use read::walk::{Ancestors, Children, Descendants, Visit, Walk};
pub use read::{node_map::NodeMap, node_ref::NodeRef};
pub use store::{flags::NodeFlags, node_id::NodeId};
pub use update::{kernel::TransformKernel, propagate::UpdateStats};

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
