//! What the stories share: a seeded source of randomness (`random`), the index as
//! anybody would write it without a tree (`model`), questions to ask both
//! (`questions`), closed surfaces (`meshes`) and what rays do with triangles (`plain_ray`).

#![allow(dead_code, unused_imports, reason = "each test file uses its part of it")]

pub(crate) mod meshes;
pub(crate) mod model;
pub(crate) mod plain_ray;
pub(crate) mod questions;
pub(crate) mod random;

pub(crate) use random::{Random, sized};
