//! What the tests share: random values (`random`), the index as anybody would write it
//! without a tree (`model`), questions to ask both (`questions`), closed surfaces (`meshes`)
//! and what rays do with triangles (`plain_ray`).

pub(crate) mod meshes;
pub(crate) mod model;
pub(crate) mod plain_ray;
pub(crate) mod questions;
pub(crate) mod random;

pub(crate) use random::RandomShapes;
