//! What people do with an index, and what went wrong elsewhere: one story each.

#[path = "../common/mod.rs"]
mod common;
mod filters;
mod listed;
mod scene;
mod syncs;
mod why;
