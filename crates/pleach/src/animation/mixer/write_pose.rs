//! The last step of an animated frame: pose → graph.
//!
//! A node is edited only if one of its animated properties differs from the current
//! value; its other properties are kept.

use pleach_graph::{Graph, NodeId, NodeMut, Transform};

use super::Mixer;
use super::pose::{ALL, Bits, ROTATION, TRANSLATION, copy_properties};
use crate::{MorphWeights, Table};

/// The numbers of nodes that [`Mixer::update`] wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoseStats {
    /// The number of nodes whose transform changed.
    pub transformed: usize,
    /// The number of nodes whose morph weights changed, which [`Mixer::weights_changed`] lists.
    pub morphed: usize,
    /// The number of dead nodes that were skipped. Their cost is negligible; create a new
    /// binding to get rid of them.
    pub dead: usize,
}

impl Mixer {
    /// Step 3 of [`update`](Self::update): writes the pose to the nodes, and morph
    /// weights to `weights`.
    pub fn write(&mut self, graph: &mut Graph, weights: &mut Table<MorphWeights>) -> PoseStats {
        let mut stats = PoseStats::default();
        let pose = &mut self.pose;
        let bits = pose.animated.iter().zip(&mut pose.written);
        for ((&node, value), (&animated, written)) in pose.nodes.iter().zip(&pose.values).zip(bits)
        {
            let bits = animated | *written;
            *written = animated;
            if bits == 0 {
                continue;
            }
            match write_node(graph, node, value, bits) {
                Some(changed) => stats.transformed += usize::from(changed),
                None => stats.dead += 1,
            }
        }
        stats.dead += self.morph_pose.write(graph, weights);
        stats.morphed = self.weights_changed().len();
        stats
    }
}

/// Writes some properties of a node's transform. Returns whether the node changed, or
/// `None` if it is dead.
#[inline(always)]
fn write_node(graph: &mut Graph, node: NodeId, value: &Transform, bits: Bits) -> Option<bool> {
    let mut node = graph.get_mut(node)?;
    if node.as_node_ref().has_local_matrix() {
        return write_over_matrix(&mut node, value, bits);
    }
    // Most joints are only rotated, or have all properties. Assembling a transform from its
    // properties would go through memory and stall the store below.
    if bits == ALL {
        let is_equal = node.as_node_ref().transform() == *value;
        return if is_equal { Some(false) } else { is_changed(node.set_transform(*value)) };
    }
    if bits == ROTATION {
        let is_equal = node.as_node_ref().rotation() == value.rotation;
        return if is_equal { Some(false) } else { is_changed(node.set_rotation(value.rotation)) };
    }
    let before = node.as_node_ref().transform();
    let mut after = *value;
    copy_properties(&mut after, &before, !bits);
    if after == before { Some(false) } else { is_changed(node.set_transform(after)) }
}

/// Returns the result of an edit: values of a pose are finite, and its rotations have unit length.
#[inline(always)]
fn is_changed<T>(edited: Result<T, pleach_graph::Error>) -> Option<bool> {
    // By a match: `is_ok` would store the result, and call a function to drop it.
    match edited {
        Ok(_) => Some(true),
        Err(_) => None,
    }
}

/// Writes to a node with a local matrix: an animated translation keeps the matrix, as
/// `set_translation` does; other properties replace it.
#[cold]
fn write_over_matrix(node: &mut NodeMut<'_>, value: &Transform, bits: Bits) -> Option<bool> {
    if bits == TRANSLATION {
        let changed = node.as_node_ref().translation() != value.translation;
        return (!changed || node.set_translation(value.translation).is_ok()).then_some(changed);
    }
    let mut after = node.as_node_ref().transform();
    copy_properties(&mut after, value, bits);
    node.set_transform(after).is_ok().then_some(true)
}
