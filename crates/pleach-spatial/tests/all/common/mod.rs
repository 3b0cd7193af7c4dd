//! Shared by the tests: random values (`random_shapes`), an index without a tree for comparison
//! (`naive_index`), queries to run on both (`queries`), closed surfaces (`meshes`) and another
//! method of ray-triangle intersection (`plain_ray`, also used by the tests of `pleach`).

pub(crate) mod meshes;
pub(crate) mod naive_index;
pub(crate) mod plain_ray;
pub(crate) mod queries;
pub(crate) mod random_shapes;

pub(crate) use random_shapes::RandomShapes;
