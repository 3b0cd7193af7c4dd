//! What people do with an index, and what went wrong elsewhere: one story each.

mod filters;
mod listed;
mod scene;
mod syncs;
mod why;
