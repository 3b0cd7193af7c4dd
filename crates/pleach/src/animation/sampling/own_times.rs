//! Tracks whose times few others have: the keys of one track after those of the other.
//!
//! Invariant: the keys of a track begin at its `start`, one per time of its timeline.

use glam::{Quat, Vec3, Vec4};

use super::rotations::{LANES, RotationLanes};
use crate::animation::curve::{Curve, KeyPosition};
use crate::animation::interpolate::lerp3;
use crate::animation::rotation;

#[derive(Clone, Copy, Debug)]
struct OwnTrack {
    start: usize,
    timeline: u32,
    target: u32,
}

impl OwnTrack {
    /// Returns the index of the key before the current time, and the fraction of the way to the next.
    #[inline]
    fn position(&self, keys: &[KeyPosition]) -> (usize, f32) {
        let KeyPosition { key, t } = keys[self.timeline as usize];
        (self.start + key, t)
    }
}

#[derive(Clone, Debug, Default)]
pub(in crate::animation) struct OwnVectors {
    tracks: Vec<OwnTrack>,
    values: Vec<Vec3>,
}

impl OwnVectors {
    pub(super) fn push(&mut self, timeline: u32, target: u32, curve: &Curve<Vec3>) {
        self.tracks.push(OwnTrack { start: self.values.len(), timeline, target });
        self.values.extend_from_slice(curve.values());
    }

    #[inline]
    pub(super) fn sample(&self, keys: &[KeyPosition], mut f: impl FnMut(u32, Vec3)) {
        for track in &self.tracks {
            let (key, t) = track.position(keys);
            let value = match self.values[key..] {
                [from, to, ..] if t > 0.0 => lerp3(from, to, t),
                [value, ..] => value,
                [] => unreachable!("there is a value for each time"),
            };
            f(track.target, value);
        }
    }
}

/// A rotation, and the angle to the next key of its track; 0 if there is none.
#[derive(Clone, Copy, Debug)]
struct RotationKey {
    rotation: Quat,
    angle: f32,
}

/// A position between two keys; exactly `from` if the angle is 0.
#[derive(Clone, Copy)]
struct Segment {
    from: Quat,
    to: Quat,
    angle: f32,
    t: f32,
}

#[derive(Clone, Debug, Default)]
pub(in crate::animation) struct OwnRotations {
    tracks: Vec<OwnTrack>,
    keys: Vec<RotationKey>,
}

impl OwnRotations {
    pub(super) fn push(&mut self, timeline: u32, target: u32, curve: &Curve<Quat>) {
        self.tracks.push(OwnTrack { start: self.keys.len(), timeline, target });
        let key = |(key, &rotation)| RotationKey { rotation, angle: curve.angle(key) };
        self.keys.extend(curve.values().iter().enumerate().map(key));
    }

    #[inline]
    fn segment(&self, track: &OwnTrack, keys: &[KeyPosition]) -> Segment {
        let (key, t) = track.position(keys);
        match self.keys[key..] {
            [RotationKey { rotation: from, angle }, RotationKey { rotation: to, .. }, ..] => {
                Segment { from, to, angle: if t > 0.0 { angle } else { 0.0 }, t }
            }
            [RotationKey { rotation: from, .. }] => Segment { from, to: from, angle: 0.0, t },
            [] => unreachable!("there is a rotation for each time"),
        }
    }

    #[inline]
    pub(super) fn sample(&self, keys: &[KeyPosition], mut f: impl FnMut(u32, Quat)) {
        let (blocks, rest) = self.tracks.as_chunks::<LANES>();
        for block in blocks {
            let [a, b, c, d] = block.each_ref().map(|track| self.segment(track, keys));
            let angles = Vec4::new(a.angle, b.angle, c.angle, d.angle);
            let from = RotationLanes::new([a.from, b.from, c.from, d.from], angles);
            let to = RotationLanes::new([a.to, b.to, c.to, d.to], angles).components;
            let rotations = from.slerp(&to, Vec4::new(a.t, b.t, c.t, d.t));
            for (track, rotation) in block.iter().zip(rotations) {
                f(track.target, rotation);
            }
        }
        for track in rest {
            let Segment { from, to, angle, t } = self.segment(track, keys);
            f(track.target, rotation::slerp(from, to, angle, t));
        }
    }
}
