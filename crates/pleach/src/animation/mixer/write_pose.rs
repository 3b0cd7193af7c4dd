//! The last step of an animated frame: pose → graph.
//!
//! A node is edited only if a part that layers have a value for differs from what it
//! has; its other parts are read from it and stay.

use pleach_graph::{Graph, NodeId, NodeMap, NodeMut, Transform};

use super::Mixer;
use super::pose::{Bits, ROTATION, TRANSLATION, copy_properties};

/// What [`Mixer::update`] wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoseStats {
    /// How many nodes got another transform.
    pub transformed: usize,
    /// How many nodes got other morph weights: [`Mixer::weights_changed`].
    pub morphed: usize,
    /// How many nodes should have got one, but are dead. They cost next to nothing;
    /// bind the clip anew to be rid of them.
    pub dead: usize,
}

impl Mixer {
    /// Step 3 of [`update`](Self::update): writes the pose to the nodes, and morph
    /// weights to `weights`.
    pub fn write(&mut self, graph: &mut Graph, weights: &mut NodeMap<Vec<f32>>) -> PoseStats {
        let mut stats = PoseStats::default();
        let pose = &mut self.pose;
        for (row, &node) in pose.nodes.iter().enumerate() {
            let bits = pose.animated[row] | pose.written[row];
            pose.written[row] = pose.animated[row];
            if bits == 0 {
                continue;
            }
            match write_properties(graph, node, &pose.values[row], bits) {
                Some(changed) => stats.transformed += usize::from(changed),
                None => stats.dead += 1,
            }
        }
        stats.dead += self.morph_pose.write(graph, weights);
        stats.morphed = self.weights_changed().len();
        stats
    }
}

/// Gives a node some parts of a transform; says whether that changed it, and `None`
/// if it is dead.
#[inline]
fn write_properties(
    graph: &mut Graph,
    node: NodeId,
    value: &Transform,
    bits: Bits,
) -> Option<bool> {
    let mut node = graph.get_mut(node)?;
    if node.as_node_ref().has_local_matrix() {
        return write_over_matrix(&mut node, value, bits);
    }
    // The bones of most clips turn and do no more. A transform put together from
    // parts would lie in memory, and make the store below wait for it.
    if bits == ROTATION {
        let changed = node.as_node_ref().rotation() != value.rotation;
        return (!changed || node.set_rotation(value.rotation).is_ok()).then_some(changed);
    }
    let before = node.as_node_ref().transform();
    let mut after = *value;
    copy_properties(&mut after, &before, !bits);
    let changed = after != before;
    // What a pose holds is finite, and its rotations are units.
    (!changed || node.set_transform(after).is_ok()).then_some(changed)
}

/// An animated translation keeps the matrix, as `set_translation` does; anything
/// else ends it.
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
