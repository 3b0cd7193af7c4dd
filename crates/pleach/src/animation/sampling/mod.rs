//! `SamplingPlan`: the linear tracks of a clip in the order in which a frame reads them.
//!
//! Most tracks of most clips are linear, and most of these have the times of others. Here their keys
//! are copied by property: side by side if they share a timeline (`shared_times.rs`), one track after
//! the other otherwise (`own_times.rs`). A loop over such keys has no branches that depend on the
//! track, follows no pointers, and computes four rotations at once. Characters that play the same
//! clip share its plan, which stays in the caches.
//!
//! Invariant: every linear translation, rotation and scale of the clip is in one group, once; other
//! channels are in none. A sample has the bits of `Curve::at`.

mod own_times;
mod rotations;
mod shared_times;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use glam::{Quat, Vec3};

use super::clip::{Channel, Property, Track};
use super::curve::{Curve, Interpolation, KeyPosition};
use own_times::{OwnRotations, OwnVectors};
use shared_times::{SharedRotations, SharedVectors};

/// The least number of tracks with the same times that are stored side by side.
const MIN_SHARED: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct SamplingPlan {
    pub(super) translations: Tracks<SharedVectors, OwnVectors>,
    pub(super) rotations: Tracks<SharedRotations, OwnRotations>,
    pub(super) scales: Tracks<SharedVectors, OwnVectors>,
}

/// The tracks of one property.
#[derive(Clone, Debug)]
pub(super) struct Tracks<S, O> {
    shared: Vec<S>,
    own: O,
}

impl SamplingPlan {
    fn new(channels: &[Channel]) -> Self {
        let [mut translations, mut rotations, mut scales] = [(); 3].map(|()| BTreeMap::new());
        for channel in channels.iter().filter(|it| Self::lists(it.track())) {
            let tracks = match channel.track().property() {
                Property::Translation => &mut translations,
                Property::Rotation => &mut rotations,
                Property::Scale => &mut scales,
                Property::Weights => unreachable!("the plan does not list morph weights"),
            };
            tracks.entry(channel.timeline() as u32).or_insert_with(Vec::new).push(channel);
        }
        Self {
            translations: vectors(&translations),
            rotations: self::rotations(&rotations),
            scales: vectors(&scales),
        }
    }

    /// Returns `true` if the plan of a clip with this track lists it.
    pub(super) fn lists(track: &Track) -> bool {
        let interpolation = match track {
            Track::Translation(curve) | Track::Scale(curve) => curve.interpolation(),
            Track::Rotation(curve) => curve.interpolation(),
            Track::Weights(_) => return false,
        };
        interpolation == Interpolation::Linear
    }
}

/// Channels of one property by timeline.
type ByTimeline<'a> = BTreeMap<u32, Vec<&'a Channel>>;

fn vectors(channels: &ByTimeline<'_>) -> Tracks<SharedVectors, OwnVectors> {
    let (mut shared, mut own) = (Vec::new(), OwnVectors::default());
    for (&timeline, channels) in channels {
        let curves: Vec<_> = channels.iter().map(|it| (it.target(), vector_curve(it))).collect();
        if curves.len() >= MIN_SHARED {
            shared.push(SharedVectors::new(timeline, &curves));
        } else {
            curves.iter().for_each(|&(target, curve)| own.push(timeline, target, curve));
        }
    }
    Tracks { shared, own }
}

fn rotations(channels: &ByTimeline<'_>) -> Tracks<SharedRotations, OwnRotations> {
    let (mut shared, mut own) = (Vec::new(), OwnRotations::default());
    for (&timeline, channels) in channels {
        let curves: Vec<_> = channels.iter().map(|it| (it.target(), rotation_curve(it))).collect();
        if curves.len() >= MIN_SHARED {
            shared.push(SharedRotations::new(timeline, &curves));
        } else {
            curves.iter().for_each(|&(target, curve)| own.push(timeline, target, curve));
        }
    }
    Tracks { shared, own }
}

fn vector_curve(channel: &Channel) -> &Curve<Vec3> {
    match channel.track() {
        Track::Translation(curve) | Track::Scale(curve) => curve,
        _ => unreachable!("the channels are translations or scales"),
    }
}

fn rotation_curve(channel: &Channel) -> &Curve<Quat> {
    match channel.track() {
        Track::Rotation(curve) => curve,
        _ => unreachable!("the channels are rotations"),
    }
}

impl Tracks<SharedVectors, OwnVectors> {
    /// Calls `f` with the target and the value of each track, at the current keys by timeline.
    #[inline]
    pub(super) fn sample(&self, keys: &[KeyPosition], mut f: impl FnMut(u32, Vec3)) {
        self.shared.iter().for_each(|tracks| tracks.sample(keys, &mut f));
        self.own.sample(keys, f);
    }
}

impl Tracks<SharedRotations, OwnRotations> {
    /// Calls `f` with the target and the value of each track, at the current keys by timeline.
    #[inline]
    pub(super) fn sample(&self, keys: &[KeyPosition], mut f: impl FnMut(u32, Quat)) {
        self.shared.iter().for_each(|tracks| tracks.sample(keys, &mut f));
        self.own.sample(keys, f);
    }
}

/// The plan of a clip, made when the clip is first played. Derived from the channels, so it does
/// not affect the equality of clips.
#[derive(Clone, Debug, Default)]
pub(super) struct LazyPlan(OnceLock<SamplingPlan>);

impl LazyPlan {
    pub(super) fn get(&self, channels: &[Channel]) -> &SamplingPlan {
        self.0.get_or_init(|| SamplingPlan::new(channels))
    }
}

impl PartialEq for LazyPlan {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
