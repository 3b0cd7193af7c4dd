pub(crate) mod octahedron;
pub(crate) mod parallelogram;
pub(crate) mod tex_coords;
