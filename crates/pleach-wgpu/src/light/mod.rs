//! Light: what surfaces are lit by.
//!
//! Reads the lights and the environment of a scene through `pleach-shading`; writes the bind group of the
//! frame: the camera, the punctual lights, the environment's textures, and the shadow maps.
//!
//! Guarantees: what did not change is not uploaded again; what exceeds a limit is reduced, with a
//! [`Warning`](crate::Warning).

pub(crate) mod environment;
pub(crate) mod frame;
pub(crate) mod frame_group;
pub(crate) mod lights;
pub(crate) mod shadow_maps;
pub(crate) mod shadow_plan;
