//! Random steps on a [`Scene`](pleach::Scene) and on a naive model, compared.
//!
//! [`Step`](step::Step) is an edit or a query as data; [`Pair`](pair::Pair) applies it to a scene and
//! to a [`Model`](model::Model), which answers every query from its definition, and compares the
//! results. World matrices and components are compared bit for bit; culls and picks within the
//! rounding errors of `f32`, since the model computes in `f64`.
//!
//! [`UndoRun`](undo_run::UndoRun) edits a scene in every way, undoes, redoes, merges and forgets, writes
//! snapshots and loads them, and compares the scene with copies of its whole state, bit for bit. A copy
//! [follows](follower::Follower) by patches that are written and read.
//!
//! ```
//! use soak_scene::pair::Pair;
//! use soak_scene::step::Step;
//! use testkit::Rng;
//!
//! let mut rng = Rng::new(1);
//! let mut pair = Pair::new(40, true);
//! for _ in 0..200 {
//!     pair.apply(&Step::random(&mut rng))?;
//! }
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod follower;
pub mod model;
pub mod pair;
pub mod random_edit;
pub mod state;
pub mod step;
pub mod undo_run;
