//! What is in view and what is under the cursor: bounds, frustum culling, one tree of
//! boxes and picking, for the nodes of a [`pleach_graph::Graph`].
//!
//! ```
//! use pleach_graph::{Graph, Transform};
//! use pleach_spatial::glam::Vec3;
//! use pleach_spatial::{Aabb, Filter, Geometry, Ray, Shape, SpatialIndex};
//!
//! let mut graph = Graph::new();
//! let mut index = SpatialIndex::new(&mut graph);
//!
//! // Nodes get bounds in their own space.
//! let quad = Geometry::new(vec![Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::Y], vec![0, 1, 2, 0, 2, 3])?;
//! let node = graph.add_root(Transform::from_xyz(2.0, 0.0, 0.0))?;
//! index.set_bounds(&graph, node, quad.bounds())?;
//!
//! // Once a frame: the graph computes what moved, the index follows.
//! graph.update();
//! index.sync(&graph)?;
//!
//! // Then ask. By boxes:
//! let down = Ray::new(Vec3::new(2.5, 0.2, 9.0), Vec3::NEG_Z)?;
//! assert_eq!(index.raycast_aabb(&down, &Filter::default()).unwrap().node, node);
//! // By triangles:
//! let hit = index.pick(&graph, &down, &Filter::default(), |_| Some(Shape::new(quad.tree())));
//! assert_eq!(hit.unwrap().triangle, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Why it is this way
//!
//! - **One index.** [`SpatialIndex`] follows the graph through a feed of its own and
//!   answers frusta, rays, spheres, boxes and nearest nodes, all from the same tree.
//!   What did not move is not looked at.
//! - **Never wrongly culled.** A box with a point in view is never culled, not by a
//!   rounding error either: boxes are grown and planes pushed out by more than the
//!   arithmetic can be off. Scan or tree, SIMD or not: the same nodes, the same order.
//! - **Picking is exact.** Triangles are met in f64 and without leaks along edges;
//!   boxes on the way are tested conservatively. The answer is that of testing every
//!   triangle of every node.
//! - **Answers go into your buffers**, in a documented order, and allocate nothing in
//!   the steady state.
//! - **Nothing a caller passes panics.** What is not finite is refused by name, or has
//!   a documented answer.
//!
//! # What it costs
//!
//! Costs in time stand at [`SpatialIndex`]; figures against other libraries in the
//! repository's `docs/benchmarks/space.md`.
//!
//! # The parts
//!
//! - Plain geometry, no nodes: [`Aabb`], [`Plane`], [`Frustum`], [`Ray`], [`Sphere`].
//! - By node: [`SpatialIndex`], asked with a [`Filter`], answering into [`Visible`],
//!   [`AabbHit`], [`NearestHit`], [`Hit`] and, if asked, [`CullReason`].
//! - By geometry: [`TriangleTree`], built lazily by a [`Geometry`] that nodes share, and
//!   [`Instances`] of it.
//!
//! # What it does not do
//!
//! No occlusion, no collision response, no meshes or cameras: those come with `pleach`.
//! Boxes are axis-aligned in the world; a long thin node at an angle has a loose one.
//!
//! # Features
//!
//! - `parallel`: `Geometry::build_trees_parallel`, on rayon.

#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use glam;

mod bvh;
mod error;
mod index;
mod kernel;
mod query;
mod shapes;

pub use bvh::triangle_mesh::TriangleMesh;
pub use bvh::triangle_tree::TriangleTree;
pub use error::{Argument, Error};
pub use index::instances::Instances;
pub use index::spatial_index::SpatialIndex;
pub use index::sync::SyncStats;
pub use kernel::QueryKernel;
pub use query::cull::{CullMethod, CullView};
pub use query::cull_reason::CullReason;
pub use query::filter::{DEFAULT_LAYERS, Filter};
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
pub use shapes::sphere::Sphere;
pub use shapes::triangle::TriangleHit;

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
