//! `Morphs`: the morph weights of a mixer's nodes, a row of numbers for each node.
//!
//! As `pose.rs`, for as many numbers as a mesh has morph targets. A clip with fewer
//! weights than its node's row says nothing of the others: they count as at rest.

use std::collections::HashMap;
use std::ops::Range;

use pleach_graph::{CloneMap, Graph, NodeId, NodeMap};

use super::pose::EPSILON;
use crate::animation::curve::{KeyPosition, WeightCurve};
use crate::animation::interpolate::{self, lerp};

#[derive(Clone, Debug)]
struct MorphRow {
    node: NodeId,
    start: usize,
    len: usize,
    /// The weight that is in `average`.
    sum: f32,
    /// Has it a value in this frame? Was one written last?
    animated: bool,
    written: bool,
}

impl MorphRow {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct MorphPose {
    rows: Vec<MorphRow>,
    by_node: HashMap<NodeId, u32>,
    // The numbers of all rows, one after the other.
    values: Vec<f32>,
    rest: Vec<f32>,
    average: Vec<f32>,
    /// What a curve says, while it is being mixed.
    sampled: Vec<f32>,
    /// Whose weights the last write changed.
    changed: Vec<NodeId>,
}

impl MorphPose {
    /// The row of a node, with at least so many weights; what it had at first is its
    /// rest pose (0 where it had none).
    pub(super) fn row(
        &mut self,
        graph: &Graph,
        weights: &NodeMap<Vec<f32>>,
        node: NodeId,
        width: usize,
    ) -> u32 {
        let existing = self.by_node.get(&node).copied();
        let len = existing.map_or(0, |row| self.rows[row as usize].len);
        if let Some(row) = existing
            && len >= width
        {
            return row;
        }
        // A wider row goes to the end; the room of the narrow one is left.
        let row = existing.unwrap_or(self.rows.len() as u32);
        let before = existing.map_or(0..0, |row| self.rows[row as usize].range());
        let start = self.rest.len();
        let current = weights.get(graph, node).map_or(&[][..], |weights| &weights[..]);
        self.rest.extend_from_within(before);
        self.rest.extend((len..width).map(|index| current.get(index).copied().unwrap_or(0.0)));
        self.values.extend_from_slice(&self.rest[start..]);
        self.average.extend_from_slice(&self.rest[start..]);
        self.sampled.resize(self.sampled.len().max(width), 0.0);
        if existing.is_none() {
            self.by_node.insert(node, row);
            let (sum, animated, written) = (0.0, false, false);
            self.rows.push(MorphRow { node, start, len: width, sum, animated, written });
            self.changed.reserve(self.rows.len());
        } else {
            (self.rows[row as usize].start, self.rows[row as usize].len) = (start, width);
        }
        row
    }

    /// The rest weights of a row.
    pub(super) fn rest(&self, row: u32) -> &[f32] {
        &self.rest[self.rows[row as usize].range()]
    }

    /// Takes the weights that the nodes have now as their rest pose.
    pub(super) fn capture_rest_pose(&mut self, graph: &Graph, weights: &NodeMap<Vec<f32>>) {
        for row in &self.rows {
            let current = weights.get(graph, row.node).map_or(&[][..], |weights| &weights[..]);
            for (rest, &weight) in self.rest[row.range()].iter_mut().zip(current) {
                *rest = weight;
            }
        }
    }

    /// Gives every row to the copy of its node; for a mixer that is a copy itself.
    pub(super) fn remap(&mut self, clones: &CloneMap) {
        self.by_node.clear();
        for (index, row) in self.rows.iter_mut().enumerate() {
            row.node = clones.get(row.node).unwrap_or(row.node);
            self.by_node.insert(row.node, index as u32);
        }
        self.changed.clear();
    }

    pub(super) fn begin_frame(&mut self) {
        for row in &mut self.rows {
            row.animated = false;
        }
    }

    /// Rows that were written last time and have no value now go back to rest.
    pub(super) fn restore_rest_pose(&mut self) {
        for row in self.rows.iter().filter(|row| row.written && !row.animated) {
            self.values[row.range()].copy_from_slice(&self.rest[row.range()]);
        }
    }

    /// What a curve says, for all numbers of a row.
    fn sample(&mut self, row: u32, curve: &WeightCurve, key: KeyPosition) -> Range<usize> {
        let range = self.rows[row as usize].range();
        self.sampled[..range.len()].copy_from_slice(&self.rest[range.clone()]);
        curve.write(key, &mut self.sampled[..range.len()]);
        range
    }

    pub(super) fn set(&mut self, row: u32, curve: &WeightCurve, key: KeyPosition) {
        let range = self.sample(row, curve, key);
        let len = range.len();
        self.values[range].copy_from_slice(&self.sampled[..len]);
        self.rows[row as usize].animated = true;
    }

    pub(super) fn mix(&mut self, row: u32, curve: &WeightCurve, key: KeyPosition, weight: f32) {
        let range = self.sample(row, curve, key);
        let row = &mut self.rows[row as usize];
        row.sum += weight;
        let step = weight / row.sum;
        for (average, &weight) in self.average[range].iter_mut().zip(&self.sampled) {
            *average = if step < 1.0 { lerp(*average, weight, step) } else { weight };
        }
    }

    pub(super) fn apply_averages(&mut self) {
        for row in &mut self.rows {
            let sum = std::mem::take(&mut row.sum);
            if sum <= 0.0 {
                continue;
            }
            let range = row.range();
            if !row.animated {
                self.values[range.clone()].copy_from_slice(&self.rest[range.clone()]);
            }
            row.animated = true;
            for (value, &average) in self.values[range.clone()].iter_mut().zip(&self.average[range])
            {
                let is_full = sum >= 1.0 - EPSILON;
                *value = if is_full { average } else { lerp(*value, average, sum) };
            }
        }
    }

    /// Adds the difference between what a curve says and a reference.
    pub(super) fn add(
        &mut self,
        row: u32,
        curve: &WeightCurve,
        key: KeyPosition,
        reference: &[f32],
        weight: f32,
    ) {
        let range = self.sample(row, curve, key);
        let row = &mut self.rows[row as usize];
        if !row.animated {
            self.values[range.clone()].copy_from_slice(&self.rest[range.clone()]);
            row.animated = true;
        }
        // The reference has as many numbers as the curve; past them nothing is said.
        let differences = reference.iter().zip(&self.sampled);
        for (value, (&from, &to)) in self.values[range].iter_mut().zip(differences) {
            *value = interpolate::add_scaled_difference(*value, from, to, weight);
        }
    }

    /// Writes the rows that have a value; says how many nodes are dead.
    pub(super) fn write(&mut self, graph: &Graph, weights: &mut NodeMap<Vec<f32>>) -> usize {
        let mut dead = 0;
        self.changed.clear();
        for row in &mut self.rows {
            let needs_write = row.animated || row.written;
            row.written = row.animated;
            if !needs_write {
                continue;
            }
            if !graph.contains(row.node) {
                dead += 1;
                continue;
            }
            let values = &self.values[row.range()];
            if let Some(current) = weights.get_mut(graph, row.node) {
                if current.len() >= values.len() && current[..values.len()] == *values {
                    continue;
                }
                current.resize(current.len().max(values.len()), 0.0);
                current[..values.len()].copy_from_slice(values);
            } else {
                // Cannot be refused: the node is alive.
                _ = weights.insert(graph, row.node, values.to_vec());
            }
            self.changed.push(row.node);
        }
        dead
    }

    /// Whose weights the last write changed.
    pub(super) fn changed(&self) -> &[NodeId] {
        &self.changed
    }
}
