//! Random edits on a graph and on a naive model, compared.
//!
//! [`Model`](model::Model) recomputes everything from its definition;
//! [`Edit`](edit::Edit) is what can be done, as data; [`Pair`](pair::Pair) does
//! it to a graph and to the model, and compares all that can be asked. The
//! property tests of pleach-graph shrink short lists of edits to the shortest
//! that shows a difference; the `soak` program runs long ones, episode after
//! [`Episode`](episode::Episode).
//!
//! ```
//! use pleach_graph::{Kernel, Transform};
//! use soak::edit::{Edit, Pick};
//! use soak::pair::Pair;
//!
//! let mut pair = Pair::new(Kernel::best(), 100);
//! pair.apply(&Edit::AddRoot(Transform::from_xyz(1.0, 0.0, 0.0)))?;
//! pair.apply(&Edit::AddChild(Pick::Latest, Transform::IDENTITY))?;
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
