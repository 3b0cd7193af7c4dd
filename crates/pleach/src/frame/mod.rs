//! The frame: what is derived from the graph and the tables, and the queries that use it.
//!
//! `update` reads the graph's changes and the changed rows and writes joint matrices, bounds
//! and the spatial index; culling, picking and the render list then read these and write the
//! caller's buffers, through shared references. Picking also caches the posed triangles of the meshes
//! near the ray. `Scene::frame` runs everything in order.
//!
//! Guarantees: an update costs what changed, a query what it finds; no stage allocates in
//! the steady state; `update_parallel` produces the same bits as `update`.

mod attachment;
mod batch_ranks;
mod collect_draws;
mod cull;
mod draw_order;
mod draw_records;
mod joint_matrices;
mod list_inputs;
mod lod_selection;
mod mesh_bounds;
mod node_lists;
#[cfg(feature = "parallel")]
mod parallel;
mod pick;
mod play;
mod posed_triangles;
mod render_list;
mod static_draws;
mod update;
mod whole_frame;

pub use joint_matrices::JointMatrices;
pub use node_lists::NodeLists;
pub use render_list::{Draw, RenderList};
pub(crate) use update::Derived;
pub use update::SceneUpdateStats;
pub use whole_frame::{Frame, FrameStage};
