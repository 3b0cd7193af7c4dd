//! `Pose`: where the layers of a mixer have its nodes, a row for each node.
//!
//! Which row a channel writes is settled when its layer is added; a frame only
//! indexes. A row has three parts (translation, rotation, scale), and a layer
//! touches those that it has channels for.
//!
//! Layers of one priority are averaged in `average`, one after the other, each by
//! its share of the weight so far; `fold` then puts the average above what lower
//! priorities made of the part, or above the rest pose.
//!
//! Invariant: between two folds all `shares` are zero. `now` tells the parts that
//! have a value in this frame, `written` those that were written to the graph last;
//! what is written but has no value any more gets its rest value back, once.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use pleach_graph::{CloneMap, Graph, NodeId, Transform};

use crate::animation::clip::Property;
use crate::animation::interpolate::{self, lerp3};
use crate::animation::rotation;

/// Less than this counts as nothing, and that much short of 1 as 1: what fades and
/// products of weights lose by rounding.
pub(super) const EPSILON: f32 = 1e-6;

/// A set of parts of a transform.
pub(super) type Bits = u8;

#[inline]
const fn bit(property: Property) -> Bits {
    1 << property as u8
}

pub(super) const TRANSLATION: Bits = bit(Property::Translation);
pub(super) const ROTATION: Bits = bit(Property::Rotation);
const SCALE: Bits = bit(Property::Scale);

/// One of the two parts that are vectors.
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
    /// The weight that is in `average`, by part.
    sums: Vec<[f32; 3]>,
    row_of: HashMap<NodeId, u32>,
}

impl Pose {
    /// The row of a node; a new one takes the node's transform as its rest pose.
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

    /// The rest pose of a row.
    pub(super) fn rest(&self, row: u32) -> &Transform {
        &self.rest[row as usize]
    }

    /// The rest pose of a node that has one.
    pub(super) fn rest_pose_of(&self, node: NodeId) -> Option<&Transform> {
        self.row_of.get(&node).map(|&row| self.rest(row))
    }

    /// Takes where the nodes are now as their rest pose.
    pub(super) fn capture_rest_pose(&mut self, graph: &Graph) {
        for (rest, &node) in self.rest.iter_mut().zip(&self.nodes) {
            if let Some(node) = graph.get(node) {
                *rest = node.transform();
            }
        }
    }

    /// Gives every row to the copy of its node; for a mixer that is a copy itself.
    pub(super) fn remap(&mut self, clones: &CloneMap) {
        self.row_of.clear();
        for (row, node) in self.nodes.iter_mut().enumerate() {
            *node = clones.get(*node).unwrap_or(*node);
            self.row_of.insert(*node, row as u32);
        }
    }

    /// Begins a frame: no part has a value.
    pub(super) fn begin_frame(&mut self) {
        self.animated.fill(0);
    }

    /// Ends a frame: parts that were written last time and have no value now go back
    /// to rest.
    pub(super) fn restore_rest_pose(&mut self) {
        for row in 0..self.nodes.len() {
            let released = self.written[row] & !self.animated[row];
            if released != 0 {
                let (value, rest) = (&mut self.values[row], &self.rest[row]);
                copy_properties(value, rest, released);
            }
        }
    }

    // ---- one layer alone ----

    #[inline]
    pub(super) fn set_vector(&mut self, row: u32, property: Vector, value: Vec3) {
        *property.get_mut(&mut self.values[row as usize]) = value;
        self.animated[row as usize] |= property.bit();
    }

    #[inline]
    pub(super) fn set_rotation(&mut self, row: u32, value: Quat) {
        self.values[row as usize].rotation = value;
        self.animated[row as usize] |= ROTATION;
    }

    // ---- layers of one priority ----

    /// How far the average is to go towards a value of this weight.
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

    /// Puts the averages above what there is.
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

    /// Parts that get their first value in this frame start from rest.
    fn start_from_rest_pose(&mut self, row: usize, properties: Bits) {
        let first = properties & !self.animated[row];
        copy_properties(&mut self.values[row], &self.rest[row], first);
        self.animated[row] |= properties;
    }

    // ---- layers on top ----

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
        // No difference leaves every bit.
        if difference != Quat::IDENTITY {
            *value = rotation::mul(*value, difference);
        }
    }
}

fn weighted_properties(sums: [f32; 3]) -> Bits {
    let bit_if = |it: Property| if sums[it as usize] > 0.0 { bit(it) } else { 0 };
    bit_if(Property::Translation) | bit_if(Property::Rotation) | bit_if(Property::Scale)
}

/// Copies some parts of a transform.
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
