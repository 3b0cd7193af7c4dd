//! `ActiveLayer`: a blend layer in a mixer, with all lookups of a frame precomputed.
//!
//! A bound channel stores the pose row that a channel writes and the mask weight of its
//! node; channels without a node, or with a mask weight of zero, are left out. Linear tracks
//! are sampled in the order of the clip's `SamplingPlan` instead, which needs row and weight
//! by target; characters that play the same clip share the plan, so a frame reads little
//! that belongs to a single one.
//!
//! Invariant: bound channels refer to channels of the layer's own clip and to existing
//! rows; an additive layer has one base value per bound channel. If `is_planned`, a bound
//! channel is in the plan or in `unplanned`; otherwise all are in `unplanned`.

use glam::{Quat, Vec3};
use pleach_graph::Graph;

use super::BlendLayerId;
use super::blend_layer::{Blend, BlendLayer, Reference};
use super::fade::Fade;
use super::morph_pose::MorphPose;
use super::pose::{Bits, EPSILON, Pose, Vector, bit};
use crate::animation::clip::Track;
use crate::animation::curve::{self, Cursor, KeyPosition};
use crate::animation::sampling::SamplingPlan;
use crate::{MorphWeights, Table};

/// A channel of the clip, bound to a row of the pose.
#[derive(Clone, Copy, Debug)]
struct BoundChannel {
    channel: u32,
    row: u32,
    /// The mask weight of the node.
    weight: f32,
}

/// The row of a target in the pose.
#[derive(Clone, Copy, Debug)]
struct BoundTarget {
    /// `UNBOUND` if the target has no node, or a mask weight of zero.
    row: u32,
    /// The mask weight of the node.
    weight: f32,
    /// The properties with channels.
    bits: Bits,
}

const UNBOUND: BoundTarget = BoundTarget { row: u32::MAX, weight: 0.0, bits: 0 };

/// The reference value of a bound channel, which an additive layer subtracts.
#[derive(Clone, Debug)]
enum Base {
    Vector(Vec3),
    Rotation(Quat),
    Weights(Box<[f32]>),
}

#[derive(Clone, Debug)]
pub(super) struct ActiveLayer {
    pub(super) id: BlendLayerId,
    pub(super) layer: BlendLayer,
    pub(super) fade: Fade,
    channels: Vec<BoundChannel>,
    /// One per target of the clip.
    targets: Vec<BoundTarget>,
    /// The row of the first target, if the others follow it: nearly always.
    first_row: Option<u32>,
    /// The properties with channels, if all targets have the same and their rows follow each other.
    /// A frame then does not read `targets`.
    shared_bits: Option<Bits>,
    /// Linear tracks are sampled as planned by the clip.
    is_planned: bool,
    /// The bound channels that are sampled one by one.
    unplanned: Vec<BoundChannel>,
    /// All mask weights are 1.
    is_unmasked: bool,
    bases: Vec<Base>,
    /// One per timeline of the clip: the current time.
    keys: Vec<KeyPosition>,
}

impl ActiveLayer {
    pub(super) fn new(id: BlendLayerId, layer: BlendLayer, fade: Fade) -> Self {
        let timelines = layer.binding.clip().timelines().len();
        Self {
            id,
            layer,
            fade,
            channels: Vec::new(),
            targets: Vec::new(),
            first_row: None,
            shared_bits: None,
            is_planned: false,
            unplanned: Vec::new(),
            is_unmasked: true,
            bases: Vec::new(),
            keys: vec![KeyPosition::default(); timelines],
        }
    }

    /// Looks up the pose rows and mask weights of all channels.
    pub(super) fn bind(
        &mut self,
        graph: &Graph,
        weights: &Table<MorphWeights>,
        pose: &mut Pose,
        morphs: &mut MorphPose,
    ) {
        let BlendLayer { binding, mask, .. } = &self.layer;
        let clip = binding.clip();
        self.channels.clear();
        self.targets.clear();
        self.targets.resize(clip.targets().len(), UNBOUND);
        for (channel, index) in clip.channels().iter().zip(0..) {
            let Some(node) = binding.node(channel.target()) else { continue };
            let weight = mask.weight(node);
            if weight < EPSILON {
                continue;
            }
            let row = match channel.track() {
                Track::Weights(curve) => morphs.row(graph, weights, node, curve.width()),
                track => {
                    let row = pose.row(graph, node);
                    let target = &mut self.targets[channel.target() as usize];
                    let bits = target.bits | bit(track.property());
                    *target = BoundTarget { row, weight, bits };
                    row
                }
            };
            self.channels.push(BoundChannel { channel: index, row, weight });
        }
        self.is_unmasked = self.channels.iter().all(|bound| bound.weight >= 1.0);
        let follows = |pair: &[BoundTarget]| pair[0].row.checked_add(1) == Some(pair[1].row);
        let is_run = self.targets.windows(2).all(follows);
        self.first_row = self.targets.first().map(|target| target.row).filter(|_| is_run);
        let is_uniform = self.targets.windows(2).all(|pair| pair[0].bits == pair[1].bits);
        let bits = self.targets.first().map(|target| target.bits);
        self.shared_bits = bits.filter(|_| is_uniform && self.first_row.is_some());
        // The plan samples every track, bound or not.
        self.is_planned = 2 * self.channels.len() > clip.channels().len();
        let is_unplanned = |bound: &&BoundChannel| {
            !self.is_planned
                || !SamplingPlan::lists(clip.channels()[bound.channel as usize].track())
        };
        self.unplanned.clear();
        self.unplanned.extend(self.channels.iter().filter(is_unplanned));
        self.compute_bases(pose, morphs);
    }

    /// Computes the reference values of an additive layer.
    pub(super) fn compute_bases(&mut self, pose: &Pose, morphs: &MorphPose) {
        self.bases.clear();
        let Blend::Add(reference) = self.layer.blend else { return };
        let clip = self.layer.binding.clip();
        for bound in &self.channels {
            let track = clip.channels()[bound.channel as usize].track();
            let key = match reference {
                Reference::FirstKey | Reference::RestPose => KeyPosition::default(),
                Reference::At(at) => curve::find(track.times(), at, &mut Cursor::default()),
            };
            let is_rest = reference == Reference::RestPose;
            self.bases.push(match track {
                Track::Translation(_) if is_rest => Base::Vector(pose.rest(bound.row).translation),
                Track::Rotation(_) if is_rest => Base::Rotation(pose.rest(bound.row).rotation),
                Track::Scale(_) if is_rest => Base::Vector(pose.rest(bound.row).scale),
                Track::Translation(curve) | Track::Scale(curve) => Base::Vector(curve.at(key)),
                Track::Rotation(curve) => Base::Rotation(curve.at(key)),
                Track::Weights(curve) => {
                    let mut base = vec![0.0; curve.width()];
                    if is_rest {
                        base.copy_from_slice(&morphs.rest(bound.row)[..curve.width()]);
                    } else {
                        curve.write(key, &mut base);
                    }
                    Base::Weights(base.into_boxed_slice())
                }
            });
        }
    }

    /// Returns the weight of the layer before the mask; 0 if it is below the epsilon.
    pub(super) fn weight(&self) -> f32 {
        let weight = self.layer.player.weight() * self.fade.level();
        if weight < EPSILON { 0.0 } else { weight }
    }

    /// Returns `true` if the layer replaces lower layers completely.
    pub(super) fn is_full(&self) -> bool {
        self.is_unmasked && self.weight() >= 1.0 - EPSILON
    }

    /// Finds the keys around the player's time, once per timeline.
    pub(super) fn find_key_positions(&mut self) {
        let seconds = self.layer.player.time();
        let timelines = self.layer.binding.clip().timelines();
        for (key, times) in self.keys.iter_mut().zip(timelines) {
            *key = curve::find_from(times, seconds, key.key);
        }
    }

    /// Iterates over the tracks of bound channels, each with its bound channel and key position.
    #[inline]
    fn tracks(
        &self,
        bound: &[BoundChannel],
    ) -> impl Iterator<Item = (&Track, BoundChannel, KeyPosition)> {
        let channels = self.layer.binding.clip().channels();
        bound.iter().map(|&bound| {
            let channel = &channels[bound.channel as usize];
            (channel.track(), bound, self.keys[channel.timeline()])
        })
    }

    /// Returns the clip's plan, if the layer samples by it.
    fn plan(&self) -> Option<&SamplingPlan> {
        self.is_planned.then(|| self.layer.binding.clip().plan())
    }

    /// Overwrites the pose with the values of the planned tracks, given the row of each target.
    #[inline]
    fn set_planned(&self, plan: &SamplingPlan, pose: &mut Pose, row: impl Fn(u32) -> u32) {
        plan.rotations.sample(&self.keys, |target, value| pose.set_rotation(row(target), value));
        plan.translations.sample(&self.keys, |target, value| {
            pose.set_vector(row(target), Vector::Translation, value);
        });
        plan.scales.sample(&self.keys, |target, value| {
            pose.set_vector(row(target), Vector::Scale, value);
        });
    }

    /// Overwrites the pose with the sampled values.
    pub(super) fn set(&self, pose: &mut Pose, morphs: &mut MorphPose) {
        if let (Some(first), Some(bits)) = (self.first_row, self.shared_bits) {
            pose.set_animated(first, self.targets.len(), bits);
        } else {
            self.targets.iter().for_each(|it| pose.set_animated(it.row, 1, it.bits));
        }
        match (self.plan(), self.first_row) {
            (Some(plan), Some(first)) => self.set_planned(plan, pose, |target| first + target),
            (Some(plan), None) => {
                self.set_planned(plan, pose, |target| self.targets[target as usize].row);
            }
            (None, _) => {}
        }
        for (track, BoundChannel { row, .. }, key) in self.tracks(&self.unplanned) {
            match track {
                Track::Rotation(curve) => pose.set_rotation(row, curve.at(key)),
                Track::Translation(curve) => {
                    pose.set_vector(row, Vector::Translation, curve.at(key));
                }
                Track::Scale(curve) => pose.set_vector(row, Vector::Scale, curve.at(key)),
                Track::Weights(curve) => morphs.set(row, curve, key),
            }
        }
    }

    /// Adds the sampled values to the weighted averages of the priority.
    pub(super) fn mix(&self, pose: &mut Pose, morphs: &mut MorphPose) {
        let layer_weight = self.weight();
        let weighted = |weight: f32| Some(weight * layer_weight).filter(|it| *it >= EPSILON);
        if let Some(plan) = self.plan() {
            let bound = |target: u32| {
                let target = self.targets[target as usize];
                Some((target.row, weighted(target.weight)?))
            };
            plan.rotations.sample(&self.keys, |target, value| {
                if let Some((row, weight)) = bound(target) {
                    pose.mix_rotation(row, value, weight);
                }
            });
            plan.translations.sample(&self.keys, |target, value| {
                if let Some((row, weight)) = bound(target) {
                    pose.mix_vector(row, Vector::Translation, value, weight);
                }
            });
            plan.scales.sample(&self.keys, |target, value| {
                if let Some((row, weight)) = bound(target) {
                    pose.mix_vector(row, Vector::Scale, value, weight);
                }
            });
        }
        for (track, BoundChannel { row, weight, .. }, key) in self.tracks(&self.unplanned) {
            let Some(weight) = weighted(weight) else { continue };
            match track {
                Track::Rotation(curve) => pose.mix_rotation(row, curve.at(key), weight),
                Track::Translation(curve) => {
                    pose.mix_vector(row, Vector::Translation, curve.at(key), weight);
                }
                Track::Scale(curve) => pose.mix_vector(row, Vector::Scale, curve.at(key), weight),
                Track::Weights(curve) => morphs.mix(row, curve, key, weight),
            }
        }
    }

    /// Adds the difference from the reference values.
    pub(super) fn add(&self, pose: &mut Pose, morphs: &mut MorphPose) {
        let layer_weight = self.weight();
        for ((track, bound, key), base) in self.tracks(&self.channels).zip(&self.bases) {
            let (row, weight) = (bound.row, bound.weight * layer_weight);
            if weight < EPSILON {
                continue;
            }
            match (track, base) {
                (Track::Rotation(curve), Base::Rotation(base)) => {
                    pose.add_rotation(row, [*base, curve.at(key)], weight);
                }
                (Track::Translation(curve), Base::Vector(base)) => {
                    pose.add_vector(row, Vector::Translation, [*base, curve.at(key)], weight);
                }
                (Track::Scale(curve), Base::Vector(base)) => {
                    pose.add_vector(row, Vector::Scale, [*base, curve.at(key)], weight);
                }
                (Track::Weights(curve), Base::Weights(base)) => {
                    morphs.add(row, curve, key, base, weight);
                }
                _ => unreachable!("a base value has the type of its track"),
            }
        }
    }
}
