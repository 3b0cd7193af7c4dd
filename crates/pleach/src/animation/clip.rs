//! `Clip`: the curves of one animation, for targets that are not yet nodes.
//!
//! A clip is independent of any graph: its channels refer to targets by index, and a
//! `Binding` maps targets to nodes. One clip animates any number of characters.
//!
//! Channels with equal key times share one *timeline*, which is searched once per
//! frame for all of them: the joints of a skeleton nearly always share one.
//!
//! Invariant: every channel's target is listed, no two channels animate the same
//! property of the same target, and `timelines[channel.timeline]` holds its curve's times.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use glam::{Quat, Vec3};

use super::curve::{Curve, Interpolation, WeightCurve};
use super::error::{ClipError, CurveError};
use super::sampling::{LazyPlan, SamplingPlan};

/// A property that a channel animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// The local translation.
    Translation,
    /// The local rotation.
    Rotation,
    /// The local scale.
    Scale,
    /// The morph weights.
    Weights,
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        })
    }
}

/// A curve, and the property it animates.
#[derive(Clone, Debug, PartialEq)]
pub enum Track {
    /// Local translations.
    Translation(Curve<Vec3>),
    /// Local rotations.
    Rotation(Curve<Quat>),
    /// Local scales.
    Scale(Curve<Vec3>),
    /// Morph weights.
    Weights(WeightCurve),
}

impl Track {
    /// Returns the animated property.
    #[must_use]
    pub fn property(&self) -> Property {
        match self {
            Self::Translation(_) => Property::Translation,
            Self::Rotation(_) => Property::Rotation,
            Self::Scale(_) => Property::Scale,
            Self::Weights(_) => Property::Weights,
        }
    }

    /// Returns the times of the keys, in seconds.
    #[must_use]
    pub fn times(&self) -> &Arc<[f32]> {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => curve.times(),
            Self::Rotation(curve) => curve.times(),
            Self::Weights(curve) => curve.times(),
        }
    }

    fn set_times(&mut self, times: &Arc<[f32]>) {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => curve.set_times(times),
            Self::Rotation(curve) => curve.set_times(times),
            Self::Weights(curve) => curve.set_times(times),
        }
    }
}

/// One property of one target, over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    target: u32,
    /// The index of the timeline in the clip; set by `Clip::new`.
    timeline: u32,
    track: Track,
}

impl Channel {
    /// Creates a channel from an existing track.
    #[must_use]
    pub fn new(target: u32, track: Track) -> Self {
        Self { target, timeline: 0, track }
    }

    /// Creates a channel that translates a target: a time and a translation per key (see [`Curve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`] if the keys do not form a curve.
    pub fn translation(
        target: u32,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<Vec3>>,
    ) -> Result<Self, ClipError> {
        let curve = Curve::new(interpolation, times, values);
        Self::from_curve(target, Property::Translation, curve.map(Track::Translation))
    }

    /// Creates a channel that rotates a target: a time and a rotation per key (see [`Curve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`] if the keys do not form a curve.
    ///
    /// ```
    /// use pleach::animation::{Channel, Interpolation};
    /// use pleach::glam::Quat;
    ///
    /// let result = Channel::rotation(7, Interpolation::CubicSpline, [0.0], [Quat::IDENTITY]);
    /// assert_eq!(
    ///     result.unwrap_err().to_string(),
    ///     "rotation of target 7: 1 cubic spline key needs 3 values \
    ///      (in-tangent, value and out-tangent for each), not 1",
    /// );
    /// ```
    pub fn rotation(
        target: u32,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<Quat>>,
    ) -> Result<Self, ClipError> {
        let curve = Curve::new(interpolation, times, values);
        Self::from_curve(target, Property::Rotation, curve.map(Track::Rotation))
    }

    /// Creates a channel that scales a target: a time and a scale per key (see [`Curve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`] if the keys do not form a curve.
    pub fn scale(
        target: u32,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<Vec3>>,
    ) -> Result<Self, ClipError> {
        let curve = Curve::new(interpolation, times, values);
        Self::from_curve(target, Property::Scale, curve.map(Track::Scale))
    }

    /// Creates a channel of morph weights: a time and several weights per key (see
    /// [`WeightCurve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`] if the keys do not form a curve.
    pub fn weights(
        target: u32,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<f32>>,
    ) -> Result<Self, ClipError> {
        let curve = WeightCurve::new(interpolation, times, values);
        Self::from_curve(target, Property::Weights, curve.map(Track::Weights))
    }

    fn from_curve(
        target: u32,
        property: Property,
        track: Result<Track, CurveError>,
    ) -> Result<Self, ClipError> {
        let track = track.map_err(|error| ClipError::Channel { property, target, error })?;
        Ok(Self::new(target, track))
    }

    /// Returns the index of the target in the clip.
    #[must_use]
    pub fn target(&self) -> u32 {
        self.target
    }

    /// Returns the track.
    #[must_use]
    pub fn track(&self) -> &Track {
        &self.track
    }

    #[inline]
    pub(super) fn timeline(&self) -> usize {
        self.timeline as usize
    }
}

/// A named animation: channels that animate targets over time.
///
/// Targets are numbered and have labels. Labels are used to [bind](super::Binding) a
/// clip by names or paths, and in error messages; they may be empty or repeated if the
/// clip is bound to nodes directly.
///
/// A clip is immutable while it plays: wrap it in an [`Arc`] and share it.
///
/// ```
/// use pleach::animation::{Channel, Clip, Interpolation};
/// use pleach::glam::{Quat, Vec3};
///
/// let half_turn = Quat::from_rotation_z(std::f32::consts::PI);
/// let clip = Clip::new(
///     "open",
///     ["lid", "lock"],
///     [
///         Channel::rotation(0, Interpolation::Linear, [0.0, 1.5], [Quat::IDENTITY, half_turn])?,
///         Channel::translation(1, Interpolation::Step, [0.5], [Vec3::Z])?,
///     ],
/// )?;
/// assert_eq!((clip.name(), clip.duration()), ("open", 1.5));
/// # Ok::<(), pleach::animation::ClipError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    name: Box<str>,
    targets: Box<[Box<str>]>,
    channels: Box<[Channel]>,
    timelines: Vec<Arc<[f32]>>,
    plan: LazyPlan,
    duration: f32,
}

impl Clip {
    /// Creates a clip from `channels`, with a label for each target. It starts at 0 s and
    /// ends at its last key.
    ///
    /// # Errors
    ///
    /// [`ClipError::UnknownTarget`] if a channel refers to a target without a label;
    /// [`ClipError::DuplicateChannel`] if two channels animate the same property of a target.
    pub fn new<L: Into<Box<str>>>(
        name: &str,
        targets: impl IntoIterator<Item = L>,
        channels: impl Into<Vec<Channel>>,
    ) -> Result<Self, ClipError> {
        let targets: Box<[Box<str>]> = targets.into_iter().map(Into::into).collect();
        let mut channels = channels.into();
        let mut first_channels = HashMap::new();
        for (index, channel) in channels.iter().enumerate() {
            let (target, property) = (channel.target, channel.track.property());
            let clip = || Box::from(name);
            let Some(label) = targets.get(target as usize) else {
                let targets = targets.len();
                return Err(ClipError::UnknownTarget {
                    clip: clip(),
                    channel: index,
                    target,
                    targets,
                });
            };
            if let Some(first) = first_channels.insert((target, property), index) {
                let (channels, label) = ([first, index], label.clone());
                return Err(ClipError::DuplicateChannel {
                    clip: clip(),
                    channels,
                    property,
                    target,
                    label,
                });
            }
        }
        let timelines = share_timelines(&mut channels);
        let duration =
            timelines.iter().filter_map(|timeline| timeline.last().copied()).fold(0.0, f32::max);
        let (name, channels, plan) = (name.into(), channels.into(), LazyPlan::default());
        Ok(Self { name, targets, channels, timelines, plan, duration })
    }

    /// Returns the clip with another duration in seconds: longer, to hold the last pose
    /// before it repeats, or shorter, to cut it off.
    ///
    /// # Errors
    ///
    /// [`ClipError::Duration`] if `seconds` is negative or not finite.
    pub fn with_duration(mut self, seconds: f32) -> Result<Self, ClipError> {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(ClipError::Duration { clip: self.name, seconds });
        }
        self.duration = seconds;
        Ok(self)
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the labels of the targets.
    #[must_use]
    pub fn targets(&self) -> &[Box<str>] {
        &self.targets
    }

    /// Returns the channels, in the order passed to [`new`](Self::new).
    #[must_use]
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Returns the duration, in seconds.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.duration
    }

    /// Returns the sampling plan, which the first call makes.
    pub(super) fn plan(&self) -> &SamplingPlan {
        self.plan.get(&self.channels)
    }

    pub(super) fn timelines(&self) -> &[Arc<[f32]>] {
        &self.timelines
    }
}

/// Makes channels with equal times share them, and returns the distinct timelines.
fn share_timelines(channels: &mut [Channel]) -> Vec<Arc<[f32]>> {
    let mut timelines: Vec<Arc<[f32]>> = Vec::new();
    let mut by_bits: HashMap<Vec<u32>, u32> = HashMap::new();
    for channel in channels {
        let bits = channel.track.times().iter().map(|time| time.to_bits()).collect();
        let next = timelines.len() as u32;
        channel.timeline = *by_bits.entry(bits).or_insert(next);
        if channel.timeline == next {
            timelines.push(Arc::clone(channel.track.times()));
        }
        channel.track.set_times(&timelines[channel.timeline as usize]);
    }
    timelines
}
