//! Random scenes with everything in them, and the comparison of two scenes.

pub(crate) mod compare;
pub(crate) mod random_scene;
