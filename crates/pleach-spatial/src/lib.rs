//! Bounds, frustum culling, picking and proximity queries for the nodes of a
//! [`pleach_graph::Graph`].
//!
//! ```
//! use pleach_graph::{Graph, Transform};
//! use pleach_spatial::glam::Vec3;
//! use pleach_spatial::{Filter, Ray, Shape, SpatialIndex, TriangleMesh};
//!
//! let mut graph = Graph::new();
//! let mut index = SpatialIndex::new(&mut graph);
//!
//! // Bounds are in the node's local space.
//! let positions = vec![Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::Y];
//! let quad = TriangleMesh::new(positions, vec![0, 1, 2, 0, 2, 3])?;
//! let node = graph.add_root(Transform::from_xyz(2.0, 0.0, 0.0))?;
//! index.set_bounds(&graph, node, quad.bounds())?;
//!
//! // Once per frame: update the graph, then the index.
//! graph.update();
//! index.sync(&graph)?;
//!
//! // Raycast against bounds:
//! let down = Ray::new(Vec3::new(2.5, 0.2, 9.0), Vec3::NEG_Z)?;
//! assert_eq!(index.raycast_aabb(&down, &Filter::default()).unwrap().node, node);
//! // Raycast against triangles:
//! let hit = index.pick(&graph, &down, &Filter::default(), |_| Some(Shape::new(quad.tree())));
//! assert_eq!(hit.unwrap().triangle, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! - **One index.** [`SpatialIndex`] reads the graph's changes through its own change reader and
//!   answers queries by frustum, ray, sphere, box and distance, all from the same boxes. Unchanged
//!   nodes are not visited. A bounding volume hierarchy is maintained where queries pay for it;
//!   otherwise they scan all boxes.
//! - **Conservative culling.** A box with a point in view is never culled, not even because of
//!   rounding: boxes are enlarged and planes are moved outwards by more than the rounding error.
//!   A scan and the tree, with or without SIMD, give the same nodes in the same order.
//! - **Exact picking.** Ray-triangle intersection is in f64 and watertight; boxes are tested
//!   conservatively. The result is the same as if every triangle of every node were tested.
//! - **Results go into the caller's buffers**, whose previous contents are replaced, in a
//!   documented order. Queries allocate nothing in the steady state.
//! - **No argument causes a panic.** Numbers that are not finite cause an error that names them,
//!   or have a documented result.
//!
//! # Costs
//!
//! See [`SpatialIndex`] for time and memory; measurements against other libraries are in the
//! repository's `docs/benchmarks/space.md`.
//!
//! # Overview
//!
//! - Geometric values: [`Aabb`], [`Plane`], [`Frustum`], [`Ray`], [`Sphere`], [`Triangle`].
//! - By node: [`SpatialIndex`], queried with a [`Filter`], with results as [`Visible`],
//!   [`AabbHit`], [`NearestHit`], [`Hit`] and [`CullReason`].
//! - By geometry: [`TriangleTree`], built on first use by a [`TriangleMesh`] that nodes share, and
//!   [`Instances`] of a geometry.
//!
//! # Limitations
//!
//! No occlusion culling, no collision response, no meshes or cameras (see the crate `pleach`).
//! Boxes are axis-aligned in world space; the box of a long thin node at an angle is loose.
//!
//! # Features
//!
//! - `parallel`: `SpatialIndex::sync_parallel`, `SpatialIndex::rebuild_parallel` and
//!   `TriangleMesh::build_trees_parallel`, on rayon's thread pool. All other calls use the calling
//!   thread only.

#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use glam;

mod bvh;
mod error;
mod index;
mod kernel;
mod query;
mod shapes;

pub use bvh::check::TreeProblem;
pub use bvh::triangle_mesh::TriangleMesh;
pub use bvh::triangle_tree::TriangleTree;
pub use error::{Argument, Error};
pub use index::check::{IndexProblem, IndexProblemKind};
pub use index::instances::Instances;
pub use index::lazy_tree::TreeStats;
#[doc(hidden)]
pub use index::policy::TreeUse;
pub use index::spatial_index::SpatialIndex;
pub use index::sync::SyncStats;
pub use index::version::IndexVersion;
pub use kernel::QueryKernel;
pub use query::cull::{CullMethod, CullView};
pub use query::cull_reason::CullReason;
pub use query::filter::{DEFAULT_LAYERS, Filter};
pub use query::in_view::InView;
pub use query::pick::{Hit, Shape};
pub use query::proximity::NearestHit;
pub use query::raycast_aabb::AabbHit;
pub use query::tree_boxes::{TreeBox, TreeBoxes};
pub use query::visible::Visible;
pub use shapes::aabb::Aabb;
pub use shapes::clip_space::ClipSpace;
pub use shapes::frustum::{Containment, Frustum, Side};
pub use shapes::plane::Plane;
pub use shapes::ray::Ray;
pub use shapes::ray_triangle::TriangleHit;
pub use shapes::sphere::Sphere;
pub use shapes::triangle::Triangle;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
