//! A transform hierarchy for engines: handles, a tree, local → world transforms,
//! and change tracking.
//!
//! ```
//! use pleach_graph::glam::Vec3;
//! use pleach_graph::{Graph, NodeMap, Transform, rotation};
//!
//! // Build and move.
//! let mut graph = Graph::new();
//! let tank = graph.add_root(Transform::from_xyz(10.0, 20.0, 0.0))?;
//! let turret = graph.add_child(tank, Transform::from_xyz(0.0, 0.0, 1.5))?;
//! graph.node_mut(turret)?.set_name("turret").set_rotation(rotation::from_rotation_z(0.5))?;
//!
//! // Your own data by node.
//! let mut health = NodeMap::new();
//! health.insert(&graph, tank, 100)?;
//!
//! // Once per frame: compute what is out of date, then update your own systems.
//! graph.update();
//! for node in graph.changed() {
//!     let world = graph.node(node)?.world();
//!     println!("{node} is at {}", world.transform_point3(Vec3::ZERO));
//! }
//! graph.clear_changes();
//! # Ok::<(), pleach_graph::Error>(())
//! ```
//!
//! # Design
//!
//! - **Handles, not references.** A [`NodeId`] is 8 bytes and is never reused;
//!   every call rejects a dead one with an error or `None`.
//! - **Setting a transform is O(1), however large the subtree.** It marks one node dirty.
//!   [`Graph::update`] finds the descendants level by level, and computes each node
//!   once, however often it or its ancestors were edited.
//! - **Staleness shows in the name.** [`NodeRef::world`] returns the stored value;
//!   [`NodeRef::compute_world`] is up to date at any time. Getters never write.
//! - **Bit-for-bit reproducible.** No fused multiply-add, no platform trigonometry,
//!   a fixed order of operations: every [`TransformKernel`], every number of
//!   threads, and a full or incremental update give the same matrices, and so does
//!   every machine. The promise ends at rotations made by glam: see [`rotation`].
//! - **Any affine transform.** Translation, rotation and scale for nearly all
//!   nodes; an exact matrix where there is shear. Finite input never yields a NaN,
//!   and non-finite input is rejected with an error that names the property.
//! - **Several readers.** The owner has [`Graph::changed`], [`Graph::added`] and the
//!   lists next to them; every other system takes a [`ChangeReader`] and reads at its
//!   own pace. The example `mirror` shows the contract of such a system.
//! - **Edits during a walk.** A [`Walk`] borrows nothing between its steps, so nodes can
//!   be added, moved and removed while it runs; the iterators ([`Graph::depth_first`],
//!   [`NodeRef::descendants`], …) need no memory.
//!
//! # Costs
//!
//! About 170 bytes per node, in a few arrays (one per property, indexed by node) that
//! grow by doubling. Costs in time are listed at [`Graph`]; measurements against other
//! implementations are in the repository's `docs/benchmarks`.
//!
//! # Conventions
//!
//! Right-handed, Z up, metres, radians; matrices are column-major and multiply
//! column vectors, so `a * b` applies `b` first. Of this crate only [`axes`] depends on
//! which axis is up. Rotations from angles come from the module [`rotation`], with the
//! same bits on every machine, or from glam, whose last bits depend on the platform:
//!
//! ```
//! use pleach_graph::glam::{EulerRot, Quat, Vec3};
//! use pleach_graph::rotation;
//!
//! let eighth = core::f32::consts::FRAC_PI_4;
//! let diagonal = Vec3::new(0.5f32.sqrt(), 0.5f32.sqrt(), 0.0);
//! for rotation in [
//!     rotation::from_euler(EulerRot::XYZ, 0.0, 0.0, eighth),
//!     rotation::from_axis_angle(Vec3::Z, eighth),
//!     Quat::from_rotation_z(eighth),
//! ] {
//!     assert!((rotation * Vec3::X).abs_diff_eq(diagonal, 1e-6));
//! }
//! ```
//!
//! # Out of scope
//!
//! No node types, meshes, cameras or files; no culling; no entity-component system.
//! Positions are `f32`. A handle does not identify its graph: keep handles together
//! with the graph that created them.
//!
//! # Features
//!
//! - `std` (default): the [SIMD kernel](TransformKernel) is chosen at run time, and
//!   [`Graph::find`] is a hash lookup, whose index is built by the first search. Without
//!   it the crate is `no_std` and needs only `alloc`.
//! - `parallel`: `Graph::update_parallel`, on rayon.
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
mod patch;
mod read;
#[cfg(feature = "serde")]
mod serde;
mod snapshot;
mod store;
mod update;

pub use changes::{
    added::AddedNodes, changed_nodes::ChangedNodes, reader::ChangeReader, reader::Changes,
};
pub use edit::{attach::LocalKind, clone_subtree::CloneMap, node_mut::NodeMut};
pub use error::{Error, NodeDescription, NodeLabel, Property};
pub use graph::Graph;
pub use math::{rotation, transform::Transform, unit::unit};
pub use patch::edit::{Edit, Local, Name, NodeRecord, Nodes, Place};
pub use patch::edits::PatchEdits;
pub use patch::fit::{Misfit, PatchError};
pub use patch::patch::Patch;
pub use read::check::{GraphProblem, GraphProblemKind};
pub use read::walk::{Ancestors, Children, Descendants, Visit, Walk};
pub use read::{node_map::NodeMap, node_ref::NodeRef};
pub use snapshot::{GraphSnapshot, SnapshotError};
pub use store::{flags::NodeFlags, node_id::NodeId};
pub use update::kernel::{TransformKernel, world_products::mat4_product};
pub use update::propagate::UpdateStats;
#[cfg(feature = "parallel")]
pub use update::threads::thread_count;

/// The README, included so that its example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
