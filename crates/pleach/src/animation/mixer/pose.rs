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
use crate::animation::interpolate as value;
use crate::animation::rotation;

/// Less than this counts as nothing, and that much short of 1 as 1: what fades and
/// products of weights lose by rounding.
pub(super) const TRACE: f32 = 1e-6;

/// A set of parts of a transform.
pub(super) type Parts = u8;

#[inline]
const fn part(property: Property) -> Parts {
    1 << property as u8
}

pub(super) const TRANSLATION: Parts = part(Property::Translation);
pub(super) const ROTATION: Parts = part(Property::Rotation);
const SCALE: Parts = part(Property::Scale);

/// One of the two parts that are vectors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Vector {
    Translation,
    Scale,
}

impl Vector {
    #[inline]
    fn of(self, transform: &Transform) -> Vec3 {
        match self {
            Self::Translation => transform.translation,
            Self::Scale => transform.scale,
        }
    }

    #[inline]
    fn of_mut(self, transform: &mut Transform) -> &mut Vec3 {
        match self {
            Self::Translation => &mut transform.translation,
            Self::Scale => &mut transform.scale,
        }
    }

    #[inline]
    const fn property(self) -> Property {
        match self {
            Self::Translation => Property::Translation,
            Self::Scale => Property::Scale,
        }
    }

    #[inline]
    const fn part(self) -> Parts {
        part(self.property())
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Pose {
    pub(super) nodes: Vec<NodeId>,
    pub(super) values: Vec<Transform>,
    pub(super) now: Vec<Parts>,
    pub(super) written: Vec<Parts>,
    rest: Vec<Transform>,
    average: Vec<Transform>,
    /// The weight that is in `average`, by part.
    shares: Vec<[f32; 3]>,
    rows: HashMap<NodeId, u32>,
}

impl Pose {
    /// The row of a node; a new one takes the node's transform as its rest pose.
    pub(super) fn row(&mut self, graph: &Graph, node: NodeId) -> u32 {
        if let Some(&row) = self.rows.get(&node) {
            return row;
        }
        let row = self.nodes.len() as u32;
        let rest = graph.get(node).map_or(Transform::IDENTITY, |node| node.transform());
        self.rows.insert(node, row);
        self.nodes.push(node);
        self.values.push(rest);
        self.rest.push(rest);
        self.average.push(rest);
        self.shares.push([0.0; 3]);
        self.now.push(0);
        self.written.push(0);
        row
    }

    /// The rest pose of a row.
    pub(super) fn rest(&self, row: u32) -> &Transform {
        &self.rest[row as usize]
    }

    /// The rest pose of a node that has one.
    pub(super) fn rest_of(&self, node: NodeId) -> Option<&Transform> {
        self.rows.get(&node).map(|&row| self.rest(row))
    }

    /// Takes where the nodes are now as their rest pose.
    pub(super) fn take_rest(&mut self, graph: &Graph) {
        for (rest, &node) in self.rest.iter_mut().zip(&self.nodes) {
            if let Some(node) = graph.get(node) {
                *rest = node.transform();
            }
        }
    }

    /// Gives every row to the copy of its node; for a mixer that is a copy itself.
    pub(super) fn remap(&mut self, copies: &CloneMap) {
        self.rows.clear();
        for (row, node) in self.nodes.iter_mut().enumerate() {
            *node = copies.get(*node).unwrap_or(*node);
            self.rows.insert(*node, row as u32);
        }
    }

    /// Begins a frame: no part has a value.
    pub(super) fn begin(&mut self) {
        self.now.fill(0);
    }

    /// Ends a frame: parts that were written last time and have no value now go back
    /// to rest.
    pub(super) fn end(&mut self) {
        for row in 0..self.nodes.len() {
            let left = self.written[row] & !self.now[row];
            if left != 0 {
                let (value, rest) = (&mut self.values[row], &self.rest[row]);
                copy_parts(value, rest, left);
            }
        }
    }

    // ---- one layer alone ----

    #[inline]
    pub(super) fn set_vector(&mut self, row: u32, which: Vector, value: Vec3) {
        *which.of_mut(&mut self.values[row as usize]) = value;
        self.now[row as usize] |= which.part();
    }

    #[inline]
    pub(super) fn set_rotation(&mut self, row: u32, value: Quat) {
        self.values[row as usize].rotation = value;
        self.now[row as usize] |= ROTATION;
    }

    // ---- layers of one priority ----

    /// How far the average is to go towards a value of this weight.
    #[inline]
    fn step(&mut self, row: u32, property: Property, weight: f32) -> f32 {
        let share = &mut self.shares[row as usize][property as usize];
        *share += weight;
        weight / *share
    }

    pub(super) fn mix_vector(&mut self, row: u32, which: Vector, value: Vec3, weight: f32) {
        let step = self.step(row, which.property(), weight);
        let average = which.of_mut(&mut self.average[row as usize]);
        *average = if step < 1.0 { value::lerp3(*average, value, step) } else { value };
    }

    pub(super) fn mix_rotation(&mut self, row: u32, value: Quat, weight: f32) {
        let step = self.step(row, Property::Rotation, weight);
        let average = &mut self.average[row as usize].rotation;
        *average = if step < 1.0 { rotation::mixed(*average, value, step) } else { value };
    }

    /// Puts the averages above what there is.
    pub(super) fn fold(&mut self) {
        for row in 0..self.nodes.len() {
            let shares = std::mem::take(&mut self.shares[row]);
            if shares == [0.0; 3] {
                continue;
            }
            self.rest_if_new(row, touched(shares));
            let (value, average) = (&mut self.values[row], &self.average[row]);
            for which in [Vector::Translation, Vector::Scale] {
                let share = shares[which.property() as usize];
                if share > 0.0 {
                    let (value, average) = (which.of_mut(value), which.of(average));
                    let is_whole = share >= 1.0 - TRACE;
                    *value = if is_whole { average } else { value::lerp3(*value, average, share) };
                }
            }
            let share = shares[Property::Rotation as usize];
            if share > 0.0 {
                let average = rotation::settled(average.rotation);
                let is_whole = share >= 1.0 - TRACE;
                value.rotation = if is_whole {
                    average
                } else {
                    rotation::nlerp(value.rotation, average, share)
                };
            }
        }
    }

    /// Parts that get their first value in this frame start from rest.
    fn rest_if_new(&mut self, row: usize, parts: Parts) {
        let new = parts & !self.now[row];
        copy_parts(&mut self.values[row], &self.rest[row], new);
        self.now[row] |= parts;
    }

    // ---- layers on top ----

    pub(super) fn add_vector(&mut self, row: u32, which: Vector, by: [Vec3; 2], weight: f32) {
        self.rest_if_new(row as usize, which.part());
        let value = which.of_mut(&mut self.values[row as usize]);
        let [from, to] = by;
        *value = Vec3::from_array(std::array::from_fn(|axis| {
            value::plus_difference(value[axis], from[axis], to[axis], weight)
        }));
    }

    pub(super) fn add_rotation(&mut self, row: u32, by: [Quat; 2], weight: f32) {
        self.rest_if_new(row as usize, ROTATION);
        let value = &mut self.values[row as usize].rotation;
        let difference =
            rotation::nlerp(Quat::IDENTITY, rotation::difference(by[0], by[1]), weight);
        // No difference leaves every bit.
        if difference != Quat::IDENTITY {
            *value = rotation::turned(*value, difference);
        }
    }
}

fn touched(shares: [f32; 3]) -> Parts {
    let bit = |property: Property| if shares[property as usize] > 0.0 { part(property) } else { 0 };
    bit(Property::Translation) | bit(Property::Rotation) | bit(Property::Scale)
}

/// Copies some parts of a transform.
#[inline]
pub(super) fn copy_parts(to: &mut Transform, from: &Transform, parts: Parts) {
    if parts & TRANSLATION != 0 {
        to.translation = from.translation;
    }
    if parts & ROTATION != 0 {
        to.rotation = from.rotation;
    }
    if parts & SCALE != 0 {
        to.scale = from.scale;
    }
}
