//! `Morphs`: the morph weights of a mixer's nodes, a row of numbers for each node.
//!
//! As `pose.rs`, for as many numbers as a mesh has morph targets. A clip with fewer
//! weights than its node's row says nothing of the others: they count as at rest.

use std::collections::HashMap;
use std::ops::Range;

use pleach_graph::{CloneMap, Graph, NodeId, NodeMap};

use super::pose::TRACE;
use crate::animation::curve::Place;
use crate::animation::curve::WeightCurve;
use crate::animation::interpolate as value;

#[derive(Clone, Debug)]
struct Row {
    node: NodeId,
    start: usize,
    len: usize,
    /// The weight that is in `average`.
    share: f32,
    /// Has it a value in this frame? Was one written last?
    now: bool,
    written: bool,
}

impl Row {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Morphs {
    rows: Vec<Row>,
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

impl Morphs {
    /// The row of a node, with at least so many weights; what it had at first is its
    /// rest pose (0 where it had none).
    pub(super) fn row(
        &mut self,
        graph: &Graph,
        weights: &NodeMap<Vec<f32>>,
        node: NodeId,
        width: usize,
    ) -> u32 {
        let known = self.by_node.get(&node).copied();
        let len = known.map_or(0, |row| self.rows[row as usize].len);
        if let Some(row) = known
            && len >= width
        {
            return row;
        }
        // A wider row goes to the end; the room of the narrow one is left.
        let row = known.unwrap_or(self.rows.len() as u32);
        let before = known.map_or(0..0, |row| self.rows[row as usize].range());
        let start = self.rest.len();
        let given = weights.get(graph, node).map_or(&[][..], |weights| &weights[..]);
        self.rest.extend_from_within(before);
        self.rest.extend((len..width).map(|index| given.get(index).copied().unwrap_or(0.0)));
        self.values.extend_from_slice(&self.rest[start..]);
        self.average.extend_from_slice(&self.rest[start..]);
        self.sampled.resize(self.sampled.len().max(width), 0.0);
        if known.is_none() {
            self.by_node.insert(node, row);
            self.rows.push(Row { node, start, len: width, share: 0.0, now: false, written: false });
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
    pub(super) fn take_rest(&mut self, graph: &Graph, weights: &NodeMap<Vec<f32>>) {
        for row in &self.rows {
            let given = weights.get(graph, row.node).map_or(&[][..], |weights| &weights[..]);
            for (rest, &weight) in self.rest[row.range()].iter_mut().zip(given) {
                *rest = weight;
            }
        }
    }

    /// Gives every row to the copy of its node; for a mixer that is a copy itself.
    pub(super) fn remap(&mut self, copies: &CloneMap) {
        self.by_node.clear();
        for (index, row) in self.rows.iter_mut().enumerate() {
            row.node = copies.get(row.node).unwrap_or(row.node);
            self.by_node.insert(row.node, index as u32);
        }
        self.changed.clear();
    }

    pub(super) fn begin(&mut self) {
        for row in &mut self.rows {
            row.now = false;
        }
    }

    /// Rows that were written last time and have no value now go back to rest.
    pub(super) fn end(&mut self) {
        for row in self.rows.iter().filter(|row| row.written && !row.now) {
            self.values[row.range()].copy_from_slice(&self.rest[row.range()]);
        }
    }

    /// What a curve says, for all numbers of a row.
    fn sample(&mut self, row: u32, curve: &WeightCurve, place: Place) -> Range<usize> {
        let range = self.rows[row as usize].range();
        self.sampled[..range.len()].copy_from_slice(&self.rest[range.clone()]);
        curve.write(place, &mut self.sampled[..range.len()]);
        range
    }

    pub(super) fn set(&mut self, row: u32, curve: &WeightCurve, place: Place) {
        let range = self.sample(row, curve, place);
        let len = range.len();
        self.values[range].copy_from_slice(&self.sampled[..len]);
        self.rows[row as usize].now = true;
    }

    pub(super) fn mix(&mut self, row: u32, curve: &WeightCurve, place: Place, weight: f32) {
        let range = self.sample(row, curve, place);
        let row = &mut self.rows[row as usize];
        row.share += weight;
        let step = weight / row.share;
        for (average, &weight) in self.average[range].iter_mut().zip(&self.sampled) {
            *average = if step < 1.0 { value::lerp(*average, weight, step) } else { weight };
        }
    }

    pub(super) fn fold(&mut self) {
        for row in &mut self.rows {
            let share = std::mem::take(&mut row.share);
            if share <= 0.0 {
                continue;
            }
            let range = row.range();
            if !row.now {
                self.values[range.clone()].copy_from_slice(&self.rest[range.clone()]);
            }
            row.now = true;
            for (value, &average) in self.values[range.clone()].iter_mut().zip(&self.average[range])
            {
                let is_whole = share >= 1.0 - TRACE;
                *value = if is_whole { average } else { value::lerp(*value, average, share) };
            }
        }
    }

    /// Adds the difference between what a curve says and a reference.
    pub(super) fn add(
        &mut self,
        row: u32,
        curve: &WeightCurve,
        place: Place,
        reference: &[f32],
        weight: f32,
    ) {
        let range = self.sample(row, curve, place);
        let row = &mut self.rows[row as usize];
        if !row.now {
            self.values[range.clone()].copy_from_slice(&self.rest[range.clone()]);
            row.now = true;
        }
        // The reference has as many numbers as the curve; past them nothing is said.
        let by = reference.iter().zip(&self.sampled);
        for (value, (&from, &to)) in self.values[range].iter_mut().zip(by) {
            *value = value::plus_difference(*value, from, to, weight);
        }
    }

    /// Writes the rows that have a value; says how many nodes are dead.
    pub(super) fn write(&mut self, graph: &Graph, weights: &mut NodeMap<Vec<f32>>) -> usize {
        let mut dead = 0;
        self.changed.clear();
        for row in &mut self.rows {
            let is_due = row.now || row.written;
            row.written = row.now;
            if !is_due {
                continue;
            }
            if !graph.contains(row.node) {
                dead += 1;
                continue;
            }
            let values = &self.values[row.range()];
            if let Some(given) = weights.get_mut(graph, row.node) {
                let same = given.len() >= values.len() && given[..values.len()] == *values;
                if same {
                    continue;
                }
                given.resize(given.len().max(values.len()), 0.0);
                given[..values.len()].copy_from_slice(values);
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
