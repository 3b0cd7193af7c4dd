//! Random edits on a graph and on a naive model, compared.
//!
//! [`Model`](model::Model) recomputes everything from its definition;
//! [`Edit`](edit::Edit) is an edit as data; [`Pair`](pair::Pair) applies it to a
//! graph and to the model, and compares everything that can be read. The property
//! tests of pleach-graph shrink short lists of edits to the shortest that shows a
//! difference; the `soak` program runs long ones, [`Episode`](episode::Episode)
//! after episode.
//!
//! ```
//! use pleach_graph::{Transform, TransformKernel};
//! use soak::edit::{Edit, NodeChoice};
//! use soak::pair::Pair;
//!
//! let mut pair = Pair::new(TransformKernel::best(), 100);
//! pair.apply(&Edit::AddRoot(Transform::from_xyz(1.0, 0.0, 0.0)))?;
//! pair.apply(&Edit::AddChild(NodeChoice::Latest, Transform::IDENTITY))?;
//! pair.apply(&Edit::Update)?;
//! pair.compare()?;
//! # Ok::<(), soak::difference::Difference>(())
//! ```

#![forbid(unsafe_code)]

pub mod difference;
pub mod edit;
pub mod episode;
pub mod model;
pub mod pair;
pub mod shrink;
