//! What the stories share: a seeded source of randomness (`random`), the index as
//! anybody would write it without a tree (`model`), questions to ask both
//! (`questions`), and closed surfaces (`meshes`).

#![allow(dead_code, unused_imports, reason = "each test file uses its part of it")]

pub(crate) mod meshes;
pub(crate) mod model;
pub(crate) mod questions;
pub(crate) mod random;

pub(crate) use random::{Random, sized};
