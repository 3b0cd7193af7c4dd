//! `MorphPose`: the morph weights of a mixer's nodes, a row of numbers per node.
//!
//! Like `pose.rs`, with one number per morph target. If a clip has fewer weights than its
//! node's row, the others keep their rest values.

use std::collections::HashMap;
use std::ops::Range;

use pleach_graph::{CloneMap, Graph, NodeId};

use super::pose::EPSILON;
use crate::animation::curve::{KeyPosition, WeightCurve};
use crate::animation::interpolate::{self, lerp};
use crate::{MorphWeights, Table};

/// The range of a node in the arrays of a `MorphPose`.
#[derive(Clone, Debug)]
struct MorphRow {
    node: NodeId,
    start: usize,
    len: usize,
    /// The sum of the weights in `average`.
    sum: f32,
    /// The row has a value in this frame.
    animated: bool,
    /// The row was written in the last frame.
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
    // The numbers of all rows, concatenated.
    values: Vec<f32>,
    rest: Vec<f32>,
    average: Vec<f32>,
    /// The sampled values of the curve that is being blended.
    sampled: Vec<f32>,
    /// The nodes whose weights the last write changed.
    changed: Vec<NodeId>,
}

impl MorphPose {
    /// Returns the row of a node, extended to at least `width` weights; the node's current
    /// weights become the rest values of new entries (0 where it has none).
    pub(super) fn row(
        &mut self,
        graph: &Graph,
        weights: &Table<MorphWeights>,
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
        // A wider row is appended; the space of the narrow one is not reused.
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

    /// Returns the rest weights of a row.
    pub(super) fn rest(&self, row: u32) -> &[f32] {
        &self.rest[self.rows[row as usize].range()]
    }

    /// Makes the current weights of the nodes their rest pose.
    pub(super) fn capture_rest_pose(&mut self, graph: &Graph, weights: &Table<MorphWeights>) {
        for row in &self.rows {
            let current = weights.get(graph, row.node).map_or(&[][..], |weights| &weights[..]);
            for (rest, &weight) in self.rest[row.range()].iter_mut().zip(current) {
                *rest = weight;
            }
        }
    }

    /// Replaces the node of every row by its clone.
    pub(super) fn remap(&mut self, clones: &CloneMap) {
        self.by_node.clear();
        for (index, row) in self.rows.iter_mut().enumerate() {
            row.node = clones.get(row.node).unwrap_or(row.node);
            self.by_node.insert(row.node, index as u32);
        }
        self.changed.clear();
    }

    /// Begins a frame: no row has a value.
    pub(super) fn begin_frame(&mut self) {
        for row in &mut self.rows {
            row.animated = false;
        }
    }

    /// Resets rows that were written last time and have no value now to the rest pose.
    pub(super) fn restore_rest_pose(&mut self) {
        for row in self.rows.iter().filter(|row| row.written && !row.animated) {
            self.values[row.range()].copy_from_slice(&self.rest[row.range()]);
        }
    }

    /// Samples a curve into `sampled`, for all weights of a row.
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

    /// Adds the weighted difference between a curve and a reference.
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
        // The reference has as many numbers as the curve; the others are not animated.
        let differences = reference.iter().zip(&self.sampled);
        for (value, (&from, &to)) in self.values[range].iter_mut().zip(differences) {
            *value = interpolate::add_scaled_difference(*value, from, to, weight);
        }
    }

    /// Writes the rows that have a value, and returns the number of dead nodes.
    pub(super) fn write(&mut self, graph: &Graph, weights: &mut Table<MorphWeights>) -> usize {
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
            let current = weights.get(graph, row.node);
            if current.is_some_and(|current| current.starts_with(values)) {
                continue;
            }
            if let Some(MorphWeights(current)) = weights.get_mut(graph, row.node) {
                current.resize(current.len().max(values.len()), 0.0);
                current[..values.len()].copy_from_slice(values);
            } else {
                // Cannot fail: the node is alive.
                _ = weights.insert(graph, row.node, values.to_vec().into());
            }
            self.changed.push(row.node);
        }
        dead
    }

    /// Returns the nodes whose weights the last write changed.
    pub(super) fn changed(&self) -> &[NodeId] {
        &self.changed
    }
}
