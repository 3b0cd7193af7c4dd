//! `Active`: a layer in a mixer, with everything looked up that a frame needs.
//!
//! A link says for a channel which row it writes and how much its node counts;
//! channels without a node, or whose node counts nothing, have no link.
//!
//! Invariant: links name channels of the layer's own clip and rows that exist; for
//! an additive layer there is a reference for each link.

use pleach_graph::{Graph, NodeMap};

use super::BlendLayerId;
use super::blend_layer::{Blend, BlendLayer, Reference};
use super::fade::Fade;
use super::morph_pose::Morphs;
use super::pose::{Pose, TRACE, Vector};
use crate::animation::clip::Track;
use crate::animation::curve::{self as times, Cursor, Place};

#[derive(Clone, Copy, Debug)]
struct Link {
    channel: u32,
    row: u32,
    /// What the mask says of the node.
    weight: f32,
}

/// The value that is no difference at all, for one link.
#[derive(Clone, Debug)]
enum Zero {
    Vector(glam::Vec3),
    Rotation(glam::Quat),
    Weights(Box<[f32]>),
}

#[derive(Clone, Debug)]
pub(super) struct Active {
    pub(super) id: BlendLayerId,
    pub(super) layer: BlendLayer,
    pub(super) fade: Fade,
    links: Vec<Link>,
    /// Do all linked nodes count fully?
    is_unmasked: bool,
    zeros: Vec<Zero>,
    /// By time line of the clip.
    cursors: Vec<Cursor>,
    places: Vec<Place>,
}

impl Active {
    pub(super) fn new(id: BlendLayerId, layer: BlendLayer, fade: Fade) -> Self {
        let lines = layer.binding.clip().lines().len();
        Self {
            id,
            layer,
            fade,
            links: Vec::new(),
            is_unmasked: true,
            zeros: Vec::new(),
            cursors: vec![Cursor::default(); lines],
            places: vec![Place::default(); lines],
        }
    }

    /// Looks up the rows of all channels.
    pub(super) fn link(
        &mut self,
        graph: &Graph,
        weights: &NodeMap<Vec<f32>>,
        pose: &mut Pose,
        morphs: &mut Morphs,
    ) {
        let BlendLayer { binding, mask, .. } = &self.layer;
        self.links.clear();
        for (channel, index) in binding.clip().channels().iter().zip(0..) {
            let Some(node) = binding.node(channel.target()) else { continue };
            let weight = mask.weight(node);
            if weight < TRACE {
                continue;
            }
            let row = match channel.track() {
                Track::Weights(curve) => morphs.row(graph, weights, node, curve.width()),
                _ => pose.row(graph, node),
            };
            self.links.push(Link { channel: index, row, weight });
        }
        self.is_unmasked = self.links.iter().all(|link| link.weight >= 1.0);
        self.find_zeros(pose, morphs);
    }

    /// Works out the reference of an additive layer.
    pub(super) fn find_zeros(&mut self, pose: &Pose, morphs: &Morphs) {
        self.zeros.clear();
        let Blend::Add(reference) = self.layer.blend else { return };
        let clip = self.layer.binding.clip();
        for link in &self.links {
            let track = clip.channels()[link.channel as usize].track();
            let moment = match reference {
                Reference::FirstKey | Reference::Rest => Place::default(),
                Reference::At(at) => times::find(track.times(), at, &mut Cursor::default()),
            };
            let is_rest = reference == Reference::Rest;
            self.zeros.push(match track {
                Track::Translation(_) if is_rest => Zero::Vector(pose.rest(link.row).translation),
                Track::Rotation(_) if is_rest => Zero::Rotation(pose.rest(link.row).rotation),
                Track::Scale(_) if is_rest => Zero::Vector(pose.rest(link.row).scale),
                Track::Translation(curve) | Track::Scale(curve) => Zero::Vector(curve.at(moment)),
                Track::Rotation(curve) => Zero::Rotation(curve.at(moment)),
                Track::Weights(curve) => {
                    let mut zero = vec![0.0; curve.width()];
                    if is_rest {
                        zero.copy_from_slice(&morphs.rest(link.row)[..curve.width()]);
                    } else {
                        curve.write(moment, &mut zero);
                    }
                    Zero::Weights(zero.into_boxed_slice())
                }
            });
        }
    }

    /// How much the layer counts, before the mask; nothing if it is only a trace.
    pub(super) fn weight(&self) -> f32 {
        let weight = self.layer.player.weight() * self.fade.level();
        if weight < TRACE { 0.0 } else { weight }
    }

    /// Does it leave nothing of what is below?
    pub(super) fn is_whole(&self) -> bool {
        self.is_unmasked && self.weight() >= 1.0 - TRACE
    }

    /// Finds where the player's time is, once for each time line.
    pub(super) fn find_places(&mut self) {
        let seconds = self.layer.player.time();
        let lines = self.layer.binding.clip().lines();
        for ((place, cursor), line) in self.places.iter_mut().zip(&mut self.cursors).zip(lines) {
            *place = times::find(line, seconds, cursor);
        }
    }

    /// The tracks that count, each with its link and its place in time.
    #[inline]
    fn tracks(&self) -> impl Iterator<Item = (&Track, Link, Place)> {
        let channels = self.layer.binding.clip().channels();
        self.links.iter().map(|&link| {
            let channel = &channels[link.channel as usize];
            (channel.track(), link, self.places[channel.line()])
        })
    }

    /// Writes what it says over what there is.
    pub(super) fn set(&self, pose: &mut Pose, morphs: &mut Morphs) {
        for (track, Link { row, .. }, place) in self.tracks() {
            match track {
                Track::Rotation(curve) => pose.set_rotation(row, curve.at(place)),
                Track::Translation(curve) => {
                    pose.set_vector(row, Vector::Translation, curve.at(place));
                }
                Track::Scale(curve) => pose.set_vector(row, Vector::Scale, curve.at(place)),
                Track::Weights(curve) => morphs.set(row, curve, place),
            }
        }
    }

    /// Mixes what it says into the averages of its priority.
    pub(super) fn mix(&self, pose: &mut Pose, morphs: &mut Morphs) {
        let whole = self.weight();
        for (track, Link { row, weight, .. }, place) in self.tracks() {
            let weight = weight * whole;
            if weight < TRACE {
                continue;
            }
            match track {
                Track::Rotation(curve) => pose.mix_rotation(row, curve.at(place), weight),
                Track::Translation(curve) => {
                    pose.mix_vector(row, Vector::Translation, curve.at(place), weight);
                }
                Track::Scale(curve) => pose.mix_vector(row, Vector::Scale, curve.at(place), weight),
                Track::Weights(curve) => morphs.mix(row, curve, place, weight),
            }
        }
    }

    /// Adds how it differs from its reference.
    pub(super) fn add(&self, pose: &mut Pose, morphs: &mut Morphs) {
        let whole = self.weight();
        for ((track, Link { row, weight, .. }, place), zero) in self.tracks().zip(&self.zeros) {
            let weight = weight * whole;
            if weight < TRACE {
                continue;
            }
            match (track, zero) {
                (Track::Rotation(curve), Zero::Rotation(zero)) => {
                    pose.add_rotation(row, [*zero, curve.at(place)], weight);
                }
                (Track::Translation(curve), Zero::Vector(zero)) => {
                    pose.add_vector(row, Vector::Translation, [*zero, curve.at(place)], weight);
                }
                (Track::Scale(curve), Zero::Vector(zero)) => {
                    pose.add_vector(row, Vector::Scale, [*zero, curve.at(place)], weight);
                }
                (Track::Weights(curve), Zero::Weights(zero)) => {
                    morphs.add(row, curve, place, zero, weight);
                }
                _ => unreachable!("a reference is of the kind of its track"),
            }
        }
    }
}
