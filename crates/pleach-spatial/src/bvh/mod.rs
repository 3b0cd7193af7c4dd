//! The tree of boxes: eight to a node, so that one SIMD operation tests them all.
//!
//! `node.rs` has the node and the arena that nodes live in, `build.rs` makes a tree
//! of many boxes at once (`divide.rs` finds where to cut, `parallel.rs` lets threads do
//! it), `dynamic.rs` keeps one of boxes that come, move and go, `choose.rs` tells where
//! new ones go, `split.rs` keeps it shallow, `traverse.rs` walks. What leaves stand for (rows
//! of an index, packs of triangles, instances) is for their users to know.

pub(crate) mod build;
pub(crate) mod check;
mod choose;
mod divide;
pub(crate) mod dynamic;
pub(crate) mod node;
mod parallel;
mod split;
pub(crate) mod stack;
pub(crate) mod traverse;

pub(crate) use dynamic::Dynamic;
