//! Errors of curves, clips and bindings, and their messages.

use std::fmt;

use pleach_graph::{NodeId, NodeLabel};

use super::clip::Property;
use super::curve::Interpolation;

/// An error in the keys of a curve.
///
/// ```
/// use pleach::animation::{Curve, Interpolation};
/// use pleach::glam::Vec3;
///
/// let error = Curve::new(Interpolation::Linear, [0.0, 1.0, 0.5], [Vec3::ZERO; 3]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "times[2] is 0.5, before times[1], which is 1; sort the keys by time",
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CurveError {
    /// There are no keys.
    NoKeys,
    /// A time is infinite or NaN.
    TimeNotFinite {
        /// The index of the key.
        key: usize,
        /// The time.
        time: f32,
    },
    /// A key is earlier than the previous key.
    TimeDecreases {
        /// The index of the key.
        key: usize,
        /// The time of the key.
        time: f32,
        /// The time of the previous key.
        before: f32,
    },
    /// The number of values does not match the keys.
    ValueCount {
        /// The interpolation of the curve.
        interpolation: Interpolation,
        /// The number of keys.
        keys: usize,
        /// The number of values.
        values: usize,
    },
    /// The values do not divide into an equal number of morph weights per key.
    WeightCount {
        /// The interpolation of the curve.
        interpolation: Interpolation,
        /// The number of keys.
        keys: usize,
        /// The number of values.
        values: usize,
    },
    /// A number is infinite or NaN.
    ValueNotFinite {
        /// The index of the value.
        index: usize,
        /// The component, 0 for `x`; `None` for a scalar.
        component: Option<usize>,
        /// The number.
        value: f32,
    },
    /// A rotation is the zero quaternion.
    ZeroRotation {
        /// The index of the value.
        index: usize,
    },
}

impl fmt::Display for CurveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKeys => write!(f, "there are no keys; add at least one, or omit the curve"),
            Self::TimeNotFinite { key, time } => {
                write!(f, "times[{key}] is {time}; times must be finite")
            }
            Self::TimeDecreases { key, time, before } => write!(
                f,
                "times[{key}] is {time}, before times[{}], which is {before}; sort the keys by time",
                key - 1,
            ),
            Self::ValueCount { interpolation, keys, values } => {
                let needed = interpolation.values_per_key() * keys;
                write!(f, "{} {needed} values", KeysNeed(*interpolation, *keys))?;
                write!(f, "{}, not {values}", interpolation.layout())
            }
            Self::WeightCount { interpolation, keys, values } => {
                let needed = interpolation.values_per_key() * keys;
                write!(f, "{} {needed} numbers", KeysNeed(*interpolation, *keys))?;
                write!(f, "{} for each morph target, ", interpolation.layout())?;
                write!(
                    f,
                    "and {values} is not a multiple of that; give every key the same number of weights"
                )
            }
            Self::ValueNotFinite { index, component, value } => {
                let axis = component.map_or("", |axis| [".x", ".y", ".z", ".w"][axis % 4]);
                write!(f, "values[{index}]{axis} is {value}; values must be finite")
            }
            Self::ZeroRotation { index } => write!(
                f,
                "values[{index}] is the zero quaternion; use (0, 0, 0, 1) for the identity rotation",
            ),
        }
    }
}

impl std::error::Error for CurveError {}

/// Formats "2 linear keys need".
struct KeysNeed(Interpolation, usize);

impl fmt::Display for KeysNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(interpolation, keys) = self;
        let need = if *keys == 1 { "key needs" } else { "keys need" };
        let kind = match interpolation {
            Interpolation::Step => "step",
            Interpolation::Linear => "linear",
            Interpolation::CubicSpline => "cubic spline",
        };
        write!(f, "{keys} {kind} {need}")
    }
}

/// An error in the channels of a clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClipError {
    /// The keys of a channel do not form a curve.
    Channel {
        /// The property that the channel animates.
        property: Property,
        /// The index of the target.
        target: u32,
        /// The error in the keys.
        error: CurveError,
    },
    /// A channel refers to a target that the clip does not list.
    UnknownTarget {
        /// The clip's name.
        clip: Box<str>,
        /// The index of the channel.
        channel: usize,
        /// The index of the target.
        target: u32,
        /// The number of targets of the clip.
        targets: usize,
    },
    /// Two channels animate the same property of the same target.
    DuplicateChannel {
        /// The clip's name.
        clip: Box<str>,
        /// The indices of the two channels.
        channels: [usize; 2],
        /// The property that both animate.
        property: Property,
        /// The index of the target.
        target: u32,
        /// The target's label.
        label: Box<str>,
    },
    /// A duration is negative, infinite or NaN.
    Duration {
        /// The clip's name.
        clip: Box<str>,
        /// The duration in seconds.
        seconds: f32,
    },
}

impl fmt::Display for ClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel { property, target, error } => {
                write!(f, "{property} of target {target}: {error}")
            }
            Self::UnknownTarget { clip, channel, target, targets } => write!(
                f,
                "clip {clip:?}: channels[{channel}] refers to target {target}, \
                 but the clip lists only {targets} targets; add a label for it",
            ),
            Self::DuplicateChannel { clip, channels: [first, second], property, target, label } => {
                write!(
                    f,
                    "clip {clip:?}: channels[{first}] and channels[{second}] both animate the {property} \
                 of target {target} {label:?}; keep one of them",
                )
            }
            Self::Duration { clip, seconds } => write!(
                f,
                "clip {clip:?}: the duration is {seconds} s; it must be finite and not negative",
            ),
        }
    }
}

impl std::error::Error for ClipError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Channel { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// An error when binding a clip to nodes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BindError {
    /// The number of nodes differs from the number of targets.
    Count {
        /// The clip's name.
        clip: Box<str>,
        /// The number of targets of the clip.
        targets: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// Two targets are bound to the same node.
    DuplicateNode {
        /// The clip's name.
        clip: Box<str>,
        /// The indices of the two targets.
        targets: [usize; 2],
        /// The node.
        node: NodeId,
    },
    /// Some labels match no node, or several.
    Labels {
        /// The clip's name.
        clip: Box<str>,
        /// The root of the searched subtree.
        root: NodeLabel,
        /// The interpretation of the labels.
        kind: LabelKind,
        /// Labels that match no node.
        missing: Vec<Box<str>>,
        /// Labels that match several nodes, with the number of matches.
        ambiguous: Vec<(Box<str>, usize)>,
    },
    /// The root of the search is not a live node.
    Graph(pleach_graph::Error),
}

/// The interpretation of a clip's labels when it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// Labels are node names.
    Names,
    /// Labels are paths of names, like `"hips/spine/head"`.
    Paths,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { clip, targets, nodes } => write!(
                f,
                "clip {clip:?} has {targets} targets, but the number of nodes is {nodes}; \
                 pass one node per target, or None to skip a target",
            ),
            Self::DuplicateNode { clip, targets: [first, second], node } => write!(
                f,
                "clip {clip:?}: targets {first} and {second} are both bound to node {node}; \
                 bind each to a different node, or to None",
            ),
            Self::Labels { clip, root, kind, missing, ambiguous } => {
                write!(f, "clip {clip:?} does not match the subtree of {root}: ")?;
                let is = if *kind == LabelKind::Names { "named" } else { "at" };
                if !missing.is_empty() {
                    write!(f, "no node is {is} {}", Truncated(missing))?;
                }
                if !missing.is_empty() && !ambiguous.is_empty() {
                    write!(f, "; ")?;
                }
                if !ambiguous.is_empty() {
                    let labels: Vec<_> = ambiguous.iter().map(AmbiguousLabel).collect();
                    write!(f, "several nodes are {is} {}", Truncated(&labels))?;
                }
                write!(f, "; pass the nodes to Binding::new instead")
            }
            Self::Graph(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BindError {}

impl From<pleach_graph::Error> for BindError {
    fn from(error: pleach_graph::Error) -> Self {
        Self::Graph(error)
    }
}

struct AmbiguousLabel<'a>(&'a (Box<str>, usize));

impl fmt::Debug for AmbiguousLabel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (label, nodes) = self.0;
        write!(f, "{label:?} ({nodes})")
    }
}

/// Formats the first items of a list, and the number of the others.
struct Truncated<'a, T>(&'a [T]);

impl<T: fmt::Debug> fmt::Display for Truncated<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_ITEMS: usize = 6;
        for (index, item) in self.0.iter().take(MAX_ITEMS).enumerate() {
            write!(f, "{}{item:?}", if index == 0 { "" } else { ", " })?;
        }
        match self.0.len().saturating_sub(MAX_ITEMS) {
            0 => Ok(()),
            rest => write!(f, " and {rest} more"),
        }
    }
}
