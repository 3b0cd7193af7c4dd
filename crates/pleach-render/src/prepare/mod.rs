//! Stage 1: a scene, made ready for rays.
//!
//! Reads the scene and the view; writes a [`PreparedScene`](prepared_scene::PreparedScene): one draw
//! item for each mesh that is shown at its level of detail, with posed vertices, triangle trees,
//! generated tangents, shading materials and decoded textures.
//!
//! Guarantees: numbers that are not finite are replaced, every material index is valid, and nothing
//! is modified after preparation, so all threads share it without locks.

pub(crate) mod material_extensions;
pub(crate) mod posed_vertices;
pub(crate) mod prepared_scene;
pub(crate) mod shading_material;
pub(crate) mod tangent_cache;
pub(crate) mod texture;
pub(crate) mod texture_cache;
