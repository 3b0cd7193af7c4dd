//! Drawing: from a render list to commands.
//!
//! Reads the render list, what `upload/` put on the GPU, the lights and the pipelines; writes commands
//! to the caller's encoder. In this order: shadow maps, opaque and masked surfaces, the picture that
//! transmissive surfaces show, transmissive and transparent surfaces, tone mapping; and, on demand, the
//! id pass.
//!
//! Guarantees: nothing is submitted and nothing blocks; whatever a draw cannot show is reported as a
//! [`Warning`](crate::Warning); a list that did not change is not recorded again, and a picture in which nothing
//! changed is not drawn again.

pub(crate) mod background;
pub(crate) mod canvas;
pub(crate) mod data_group;
pub(crate) mod ids;
pub(crate) mod list_recorder;
pub(crate) mod material_groups;
pub(crate) mod picture_stamp;
pub(crate) mod record;
pub(crate) mod resources;
pub(crate) mod run;
pub(crate) mod screen;
pub(crate) mod staged_buffer;
pub(crate) mod targets;
pub(crate) mod tone_map;
pub(crate) mod view_state;
