//! `Clip`: curves that belong together, for targets that are not yet nodes.
//!
//! A clip knows no graph: its channels name targets by index, and a `Binding` says
//! which node each target is. One clip moves any number of characters.
//!
//! Channels with the same key times share one *time line*, which is searched once
//! a frame for all of them: the bones of a skeleton nearly always do.
//!
//! Invariant: every channel's target is listed, no two channels move the same
//! property of the same target, and `lines[channel.line]` are its curve's times.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use glam::{Quat, Vec3};

use super::curve::{Curve, Interpolation, WeightCurve};
use super::error::{ClipError, CurveError};

/// What a channel moves.
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

/// A curve, and which property it is for.
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
    /// What it moves.
    #[must_use]
    pub fn property(&self) -> Property {
        match self {
            Self::Translation(_) => Property::Translation,
            Self::Rotation(_) => Property::Rotation,
            Self::Scale(_) => Property::Scale,
            Self::Weights(_) => Property::Weights,
        }
    }

    /// The times of its keys, in seconds.
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
    /// Which of the clip's time lines; set by the clip.
    timeline: u32,
    track: Track,
}

impl Channel {
    /// A channel with a curve made before.
    #[must_use]
    pub fn new(target: u32, track: Track) -> Self {
        Self { target, timeline: 0, track }
    }

    /// Moves a target: a time and a place for each key (see [`Curve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`].
    pub fn translation(
        target: u32,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<Vec3>>,
    ) -> Result<Self, ClipError> {
        let curve = Curve::new(interpolation, times, values);
        Self::from_curve(target, Property::Translation, curve.map(Track::Translation))
    }

    /// Turns a target: a time and a rotation for each key (see [`Curve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`].
    ///
    /// ```
    /// use pleach::animation::{Channel, Interpolation};
    /// use pleach::glam::Quat;
    ///
    /// let refused = Channel::rotation(7, Interpolation::CubicSpline, [0.0], [Quat::IDENTITY]);
    /// assert_eq!(
    ///     refused.unwrap_err().to_string(),
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

    /// Scales a target: a time and a scale for each key (see [`Curve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`].
    pub fn scale(
        target: u32,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<Vec3>>,
    ) -> Result<Self, ClipError> {
        let curve = Curve::new(interpolation, times, values);
        Self::from_curve(target, Property::Scale, curve.map(Track::Scale))
    }

    /// Morphs a target: a time and some weights for each key (see
    /// [`WeightCurve::new`]).
    ///
    /// # Errors
    ///
    /// [`ClipError::Channel`].
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

    /// Which target of its clip it moves.
    #[must_use]
    pub fn target(&self) -> u32 {
        self.target
    }

    /// How it moves it.
    #[must_use]
    pub fn track(&self) -> &Track {
        &self.track
    }

    #[inline]
    pub(super) fn timeline(&self) -> usize {
        self.timeline as usize
    }
}

/// A named animation: what happens to some targets over time.
///
/// Targets are numbered, and have labels. Labels help to [bind](super::Binding) a
/// clip by names or paths, and to tell what is wrong; they may be empty, or the
/// same a hundred times, if the clip is bound to nodes.
///
/// A clip is never changed while it plays: wrap it in an [`Arc`] and share it.
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
    duration: f32,
}

impl Clip {
    /// A clip of these channels, with a label for each target. It begins at 0 s and
    /// lasts until its last key.
    ///
    /// # Errors
    ///
    /// [`ClipError::NoTarget`] if a channel is for a target without a label,
    /// [`ClipError::Twice`] if two channels move the same.
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
        Ok(Self { name: name.into(), targets, channels: channels.into(), timelines, duration })
    }

    /// The same clip with another duration: longer, to hold the last pose before it
    /// starts again, or shorter, to cut it off.
    ///
    /// # Errors
    ///
    /// [`ClipError::Duration`] if it is negative or not finite.
    pub fn with_duration(mut self, seconds: f32) -> Result<Self, ClipError> {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(ClipError::Duration { clip: self.name, seconds });
        }
        self.duration = seconds;
        Ok(self)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The labels of its targets.
    #[must_use]
    pub fn targets(&self) -> &[Box<str>] {
        &self.targets
    }

    /// Its channels, in the order they were given.
    #[must_use]
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// How long it is, in seconds.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.duration
    }

    pub(super) fn timelines(&self) -> &[Arc<[f32]>] {
        &self.timelines
    }
}

/// Lets channels with equal times share them, and gives all that differ.
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
