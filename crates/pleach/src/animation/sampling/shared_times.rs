//! Tracks with the same times: their keys are side by side, so that a frame reads two rows of them
//! from front to back.
//!
//! Invariant: row `key` begins at `key * targets.len()` (rotations: at `key * blocks`, with four
//! tracks in each block; lanes of the last block without a target repeat its last track).

use glam::{Quat, Vec3, Vec4};

use super::rotations::{LANES, RotationLanes};
use crate::animation::curve::{Curve, KeyPosition};
use crate::animation::interpolate::lerp3;

#[derive(Clone, Debug)]
pub(in crate::animation) struct SharedVectors {
    timeline: u32,
    targets: Vec<u32>,
    values: Vec<Vec3>,
}

impl SharedVectors {
    pub(super) fn new(timeline: u32, curves: &[(u32, &Curve<Vec3>)]) -> Self {
        let keys = curves.iter().map(|(_, curve)| curve.times().len()).min().unwrap_or(0);
        let row = |key: usize| curves.iter().map(move |(_, curve)| curve.values()[key]);
        let targets = curves.iter().map(|(target, _)| *target).collect();
        Self { timeline, targets, values: (0..keys).flat_map(row).collect() }
    }

    #[inline]
    pub(super) fn sample(&self, keys: &[KeyPosition], f: &mut impl FnMut(u32, Vec3)) {
        let KeyPosition { key, t } = keys[self.timeline as usize];
        let width = self.targets.len();
        let from = &self.values[key * width..][..width];
        if t <= 0.0 {
            self.targets.iter().zip(from).for_each(|(&target, &value)| f(target, value));
            return;
        }
        let to = &self.values[(key + 1) * width..][..width];
        for ((&target, &from), &to) in self.targets.iter().zip(from).zip(to) {
            f(target, lerp3(from, to, t));
        }
    }
}

#[derive(Clone, Debug)]
pub(in crate::animation) struct SharedRotations {
    timeline: u32,
    targets: Vec<u32>,
    keys: Vec<RotationLanes>,
}

impl SharedRotations {
    pub(super) fn new(timeline: u32, curves: &[(u32, &Curve<Quat>)]) -> Self {
        let keys = curves.iter().map(|(_, curve)| curve.times().len()).min().unwrap_or(0);
        let blocks = curves.len().div_ceil(LANES);
        let lanes = |block: usize| {
            let last = curves.len() - 1;
            [0, 1, 2, 3].map(|lane| curves[(block * LANES + lane).min(last)])
        };
        let targets = curves.iter().map(|(target, _)| *target).collect();
        let row = |key: usize| {
            (0..blocks).map(move |block| {
                let rotations = lanes(block).map(|(_, curve)| curve.values()[key]);
                let angles = lanes(block).map(|(_, curve)| curve.angle(key));
                RotationLanes::new(rotations, Vec4::from_array(angles))
            })
        };
        Self { timeline, targets, keys: (0..keys).flat_map(row).collect() }
    }

    #[inline]
    pub(super) fn sample(&self, keys: &[KeyPosition], f: &mut impl FnMut(u32, Quat)) {
        let KeyPosition { key, t } = keys[self.timeline as usize];
        let blocks = self.targets.len().div_ceil(LANES);
        let from = &self.keys[key * blocks..][..blocks];
        let (targets, last_targets) = self.targets.as_chunks::<LANES>();
        let mut write = |targets: &[u32], rotations: [Quat; LANES]| {
            for (&target, rotation) in targets.iter().zip(rotations) {
                f(target, rotation);
            }
        };
        if t <= 0.0 {
            let targets = self.targets.chunks(LANES);
            targets.zip(from).for_each(|(targets, from)| write(targets, from.rotations()));
            return;
        }
        let to = &self.keys[(key + 1) * blocks..][..blocks];
        let t = Vec4::splat(t);
        for ((targets, from), to) in targets.iter().zip(from).zip(to) {
            write(targets, from.slerp(&to.components, t));
        }
        if let ([_, ..], Some(from), Some(to)) = (last_targets, from.last(), to.last()) {
            write(last_targets, from.slerp(&to.components, t));
        }
    }
}
