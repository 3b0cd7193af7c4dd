//! `Pose`: the blended local transforms of a mixer's nodes, one row per node.
//!
//! The row of a channel is looked up when its layer is added; a frame only
//! indexes. A row has three properties (translation, rotation, scale), and a layer
//! writes those that it has channels for.
//!
//! Layers of one priority are accumulated in `average`, each by its fraction of the
//! sum of weights so far; `apply_averages` then blends the average over the result of lower
//! priorities, or over the rest pose.
//!
//! Invariant: after `apply_averages` all `sums` are zero. `animated` holds the properties
//! with a value in this frame, `written` those that were written to the graph last;
//! a property that was written but has no value any more returns to its rest value, once.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use pleach_graph::{CloneMap, Graph, NodeId, Transform};

use crate::animation::clip::Property;
use crate::animation::interpolate::{self, lerp3};
use crate::animation::rotation;

/// Weights below this are treated as 0, and weights within this of 1 as 1, to absorb the
/// rounding errors of fades and products of weights.
pub(super) const EPSILON: f32 = 1e-6;

/// A set of properties of a transform, one bit each.
pub(super) type Bits = u8;

#[inline]
pub(super) const fn bit(property: Property) -> Bits {
    1 << property as u8
}

pub(super) const TRANSLATION: Bits = bit(Property::Translation);
pub(super) const ROTATION: Bits = bit(Property::Rotation);
const SCALE: Bits = bit(Property::Scale);
pub(super) const ALL: Bits = TRANSLATION | ROTATION | SCALE;

/// A property that is a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Vector {
    Translation,
    Scale,
}

impl Vector {
    #[inline]
    fn get(self, transform: &Transform) -> Vec3 {
        match self {
            Self::Translation => transform.translation,
            Self::Scale => transform.scale,
        }
    }

    #[inline]
    fn get_mut(self, transform: &mut Transform) -> &mut Vec3 {
        match self {
            Self::Translation => &mut transform.translation,
            Self::Scale => &mut transform.scale,
        }
    }

    #[inline]
    const fn as_property(self) -> Property {
        match self {
            Self::Translation => Property::Translation,
            Self::Scale => Property::Scale,
        }
    }

    #[inline]
    const fn bit(self) -> Bits {
        bit(self.as_property())
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Pose {
    pub(super) nodes: Vec<NodeId>,
    pub(super) values: Vec<Transform>,
    pub(super) animated: Vec<Bits>,
    pub(super) written: Vec<Bits>,
    rest: Vec<Transform>,
    average: Vec<Transform>,
    /// The sums of the weights in `average`, by property.
    sums: Vec<[f32; 3]>,
    row_of: HashMap<NodeId, u32>,
}

impl Pose {
    /// Returns the row of a node; the transform of a new node becomes its rest pose.
    pub(super) fn row(&mut self, graph: &Graph, node: NodeId) -> u32 {
        if let Some(&row) = self.row_of.get(&node) {
            return row;
        }
        let row = self.nodes.len() as u32;
        let rest = graph.get(node).map_or(Transform::IDENTITY, |node| node.transform());
        self.row_of.insert(node, row);
        self.nodes.push(node);
        self.values.push(rest);
        self.rest.push(rest);
        self.average.push(rest);
        self.sums.push([0.0; 3]);
        self.animated.push(0);
        self.written.push(0);
        row
    }

    /// Returns the rest pose of a row.
    pub(super) fn rest(&self, row: u32) -> &Transform {
        &self.rest[row as usize]
    }

    /// Returns the rest pose of a node, if it has a row.
    pub(super) fn rest_pose_of(&self, node: NodeId) -> Option<&Transform> {
        self.row_of.get(&node).map(|&row| self.rest(row))
    }

    /// Makes the current transforms of the nodes their rest pose.
    pub(super) fn capture_rest_pose(&mut self, graph: &Graph) {
        for (rest, &node) in self.rest.iter_mut().zip(&self.nodes) {
            if let Some(node) = graph.get(node) {
                *rest = node.transform();
            }
        }
    }

    /// Replaces the node of every row by its clone.
    pub(super) fn remap(&mut self, clones: &CloneMap) {
        self.row_of.clear();
        for (row, node) in self.nodes.iter_mut().enumerate() {
            *node = clones.get(*node).unwrap_or(*node);
            self.row_of.insert(*node, row as u32);
        }
    }

    /// Begins a frame: no property has a value.
    pub(super) fn begin_frame(&mut self) {
        self.animated.fill(0);
    }

    /// Ends a frame: resets properties that were written last time and have no value now to
    /// the rest pose.
    pub(super) fn restore_rest_pose(&mut self) {
        // In most frames the same properties are animated as before.
        if self.written == self.animated {
            return;
        }
        for row in 0..self.nodes.len() {
            let released = self.written[row] & !self.animated[row];
            if released != 0 {
                let (value, rest) = (&mut self.values[row], &self.rest[row]);
                copy_properties(value, rest, released);
            }
        }
    }

    // ---- a single layer; a row that does not exist is skipped ----

    /// Marks properties of `count` rows as animated, which the caller sets.
    #[inline]
    pub(super) fn set_animated(&mut self, row: u32, count: usize, properties: Bits) {
        let rows = self.animated.iter_mut().skip(row as usize).take(count);
        rows.for_each(|animated| *animated |= properties);
    }

    #[inline]
    pub(super) fn set_vector(&mut self, row: u32, property: Vector, value: Vec3) {
        if let Some(row) = self.values.get_mut(row as usize) {
            *property.get_mut(row) = value;
        }
    }

    #[inline]
    pub(super) fn set_rotation(&mut self, row: u32, value: Quat) {
        if let Some(row) = self.values.get_mut(row as usize) {
            row.rotation = value;
        }
    }

    // ---- layers of one priority ----

    /// Returns the fraction by which the average moves towards a value of this weight.
    #[inline]
    fn step(&mut self, row: u32, property: Property, weight: f32) -> f32 {
        let sum = &mut self.sums[row as usize][property as usize];
        *sum += weight;
        weight / *sum
    }

    pub(super) fn mix_vector(&mut self, row: u32, property: Vector, value: Vec3, weight: f32) {
        let step = self.step(row, property.as_property(), weight);
        let average = property.get_mut(&mut self.average[row as usize]);
        *average = if step < 1.0 { lerp3(*average, value, step) } else { value };
    }

    pub(super) fn mix_rotation(&mut self, row: u32, value: Quat, weight: f32) {
        let step = self.step(row, Property::Rotation, weight);
        let average = &mut self.average[row as usize].rotation;
        *average = if step < 1.0 { rotation::lerp_shortest(*average, value, step) } else { value };
    }

    /// Blends the averages over the current values.
    pub(super) fn apply_averages(&mut self) {
        for row in 0..self.nodes.len() {
            let sums = std::mem::take(&mut self.sums[row]);
            if sums == [0.0; 3] {
                continue;
            }
            self.start_from_rest_pose(row, weighted_properties(sums));
            let (value, average) = (&mut self.values[row], &self.average[row]);
            for property in [Vector::Translation, Vector::Scale] {
                let sum = sums[property.as_property() as usize];
                if sum > 0.0 {
                    let (value, average) = (property.get_mut(value), property.get(average));
                    let is_full = sum >= 1.0 - EPSILON;
                    *value = if is_full { average } else { lerp3(*value, average, sum) };
                }
            }
            let sum = sums[Property::Rotation as usize];
            if sum > 0.0 {
                let average = rotation::normalize_sum(average.rotation);
                let is_full = sum >= 1.0 - EPSILON;
                value.rotation =
                    if is_full { average } else { rotation::nlerp(value.rotation, average, sum) };
            }
        }
    }

    /// Starts properties that get their first value in this frame from the rest pose.
    fn start_from_rest_pose(&mut self, row: usize, properties: Bits) {
        let first = properties & !self.animated[row];
        copy_properties(&mut self.values[row], &self.rest[row], first);
        self.animated[row] |= properties;
    }

    // ---- additive layers ----

    pub(super) fn add_vector(&mut self, row: u32, property: Vector, by: [Vec3; 2], weight: f32) {
        self.start_from_rest_pose(row as usize, property.bit());
        let value = property.get_mut(&mut self.values[row as usize]);
        let [from, to] = by;
        *value = Vec3::from_array(std::array::from_fn(|axis| {
            interpolate::add_scaled_difference(value[axis], from[axis], to[axis], weight)
        }));
    }

    pub(super) fn add_rotation(&mut self, row: u32, by: [Quat; 2], weight: f32) {
        self.start_from_rest_pose(row as usize, ROTATION);
        let value = &mut self.values[row as usize].rotation;
        let difference =
            rotation::nlerp(Quat::IDENTITY, rotation::difference(by[0], by[1]), weight);
        // A zero difference keeps every bit.
        if difference != Quat::IDENTITY {
            *value = rotation::mul(*value, difference);
        }
    }
}

fn weighted_properties(sums: [f32; 3]) -> Bits {
    let bit_if = |it: Property| if sums[it as usize] > 0.0 { bit(it) } else { 0 };
    bit_if(Property::Translation) | bit_if(Property::Rotation) | bit_if(Property::Scale)
}

/// Copies a set of properties of a transform.
#[inline]
pub(super) fn copy_properties(to: &mut Transform, from: &Transform, properties: Bits) {
    if properties & TRANSLATION != 0 {
        to.translation = from.translation;
    }
    if properties & ROTATION != 0 {
        to.rotation = from.rotation;
    }
    if properties & SCALE != 0 {
        to.scale = from.scale;
    }
}
