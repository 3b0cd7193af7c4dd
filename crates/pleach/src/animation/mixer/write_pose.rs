//! The last step of an animated frame: pose → graph.
//!
//! A node is edited only if one of its animated properties differs from the current
//! value; its other properties are kept. Consecutive rows that differ are written together,
//! by the graph's bulk setter.

use std::ops::Range;

use pleach_graph::{Graph, NodeId, NodeMut, Transform};

use super::Mixer;
use super::pose::{ALL, Bits, Pose, TRANSLATION, copy_properties};
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
        let mut first = 0;
        // In most frames all rows differ, or none.
        while first < pose.nodes.len() {
            let (changed, difference) = pose.compare(first, graph);
            pose.write_rows(graph, first..first + changed, &mut stats);
            let row = first + changed;
            match difference {
                Difference::None => {}
                Difference::Dead => stats.dead += 1,
                Difference::Each => pose.write_row(graph, row, &mut stats),
            }
            first = row + 1;
        }
        pose.written.copy_from_slice(&pose.animated);
        stats.dead += self.morph_pose.write(graph, weights);
        stats.morphed = self.weights_changed().len();
        stats
    }
}

/// The difference between a row of the pose and its node, if that is not a transform to be written.
enum Difference {
    /// The transforms are equal, or the row is not written.
    None,
    /// The row is written by itself: the node has a local matrix or several rows.
    Each,
    Dead,
}

impl Pose {
    /// Counts the rows from `first` on that differ from their nodes, and returns the difference of
    /// the row after them. Properties of these rows that are not written become those of the node.
    #[inline]
    fn compare(&mut self, first: usize, graph: &Graph) -> (usize, Difference) {
        let bits = self.animated[first..].iter().zip(&self.written[first..]);
        let rows = self.nodes[first..].iter().zip(&mut self.values[first..]).zip(bits);
        for (count, ((&node, value), (animated, written))) in rows.enumerate() {
            let bits = animated | written;
            if bits == 0 {
                return (count, Difference::None);
            }
            let Some(node) = graph.get(node) else { return (count, Difference::Dead) };
            if node.has_local_matrix() || self.shares_nodes {
                return (count, Difference::Each);
            }
            let before = node.transform();
            if bits != ALL {
                copy_properties(value, &before, !bits);
            }
            if *value == before {
                return (count, Difference::None);
            }
        }
        (self.nodes.len() - first, Difference::None)
    }

    /// Writes rows that differ from their nodes, which have no matrices.
    #[inline]
    fn write_rows(&self, graph: &mut Graph, rows: Range<usize>, stats: &mut PoseStats) {
        if rows.is_empty() {
            return;
        }
        let (nodes, values) = (&self.nodes[rows.clone()], &self.values[rows.clone()]);
        // Values of a pose are finite, and its rotations have unit length.
        if graph.set_transforms(nodes, values).is_ok() {
            stats.transformed += rows.len();
        } else {
            rows.for_each(|row| self.write_row(graph, row, stats));
        }
    }

    #[cold]
    fn write_row(&self, graph: &mut Graph, row: usize, stats: &mut PoseStats) {
        let bits = self.animated[row] | self.written[row];
        match write_node(graph, self.nodes[row], &self.values[row], bits) {
            Some(changed) => stats.transformed += usize::from(changed),
            None => stats.dead += 1,
        }
    }
}

/// Writes some properties of a node's transform. Returns whether the node changed, or
/// `None` if it is dead.
fn write_node(graph: &mut Graph, node: NodeId, value: &Transform, bits: Bits) -> Option<bool> {
    let mut node = graph.get_mut(node)?;
    if node.as_node_ref().has_local_matrix() {
        return write_over_matrix(&mut node, value, bits);
    }
    let before = node.as_node_ref().transform();
    let mut after = *value;
    copy_properties(&mut after, &before, !bits);
    let changed = after != before;
    // Values of a pose are finite, and its rotations have unit length.
    (!changed || node.set_transform(after).is_ok()).then_some(changed)
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
