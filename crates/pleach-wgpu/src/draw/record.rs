//! `DrawRecord`: what the vertex shader knows of a draw, or of one instance of it.
//!
//! Records are a vertex buffer that advances once per instance, so they work without storage buffers,
//! and a batch is one call. A record holds indices, not matrices: moving a node does not change it.

use bytemuck::{Pod, Zeroable};
use pleach::Draw;

/// The indices of one instance: locations 0 and 1 of every vertex shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct DrawRecord {
    /// The slot of the node: the index of its world matrix.
    world: u32,
    /// The index of the first joint matrix, or [`NONE`].
    joints: u32,
    /// The index of the morph record, or [`NONE`].
    morph: u32,
    /// The index of the instance matrix, or [`NONE`].
    instance_matrix: u32,
    generation: u32,
    /// The part; the highest bit is set if it receives shadows.
    part: u32,
    /// The index of the instance in its mesh.
    instance: u32,
    /// The layers of the mesh.
    layers: u32,
}

/// The index of what a draw does not have.
pub(crate) const NONE: u32 = u32::MAX;

/// The bit of [`DrawRecord::part`] for draws that receive shadows.
const RECEIVES_SHADOW: u32 = 1 << 31;

impl DrawRecord {
    /// Returns the record of a draw without instances.
    pub(crate) fn new(draw: &Draw, morph: u32, layers: u32) -> Self {
        let receives_shadow = if draw.receive_shadow { RECEIVES_SHADOW } else { 0 };
        Self {
            world: draw.world,
            joints: draw.joint_matrices.unwrap_or(NONE),
            morph,
            instance_matrix: NONE,
            generation: draw.node.generation(),
            part: draw.part | receives_shadow,
            instance: 0,
            layers,
        }
    }

    /// Returns the record of an instance, whose matrix has the index `matrix`.
    pub(crate) fn with_instance(self, instance: u32, matrix: u32) -> Self {
        Self { instance, instance_matrix: matrix, ..self }
    }
}
