//! What can be wrong with curves, clips and bindings, and how it is said.

use std::fmt;

use pleach_graph::{NodeId, NodeLabel};

use super::clip::Property;
use super::curve::Interpolation;

/// Why keys make no curve.
///
/// ```
/// use pleach::animation::{Curve, Interpolation};
/// use pleach::glam::Vec3;
///
/// let refused = Curve::new(Interpolation::Linear, [0.0, 1.0, 0.5], [Vec3::ZERO; 3]).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "times[2] is 0.5, before times[1], which is 1; sort the keys by time",
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CurveError {
    /// There is no key.
    NoKeys,
    /// A time is infinite or not a number.
    TimeNotFinite {
        /// Which.
        key: usize,
        /// The time.
        time: f32,
    },
    /// A key is earlier than the one before it.
    TimeDecreases {
        /// Which.
        key: usize,
        /// Its time.
        time: f32,
        /// The time of the one before it.
        before: f32,
    },
    /// There are not as many values as the keys need.
    ValueCount {
        /// How the curve was to be read.
        interpolation: Interpolation,
        /// How many keys there are.
        keys: usize,
        /// How many values there are.
        values: usize,
    },
    /// There are not as many morph weights for each key.
    WeightCount {
        /// How the curve was to be read.
        interpolation: Interpolation,
        /// How many keys there are.
        keys: usize,
        /// How many numbers there are.
        values: usize,
    },
    /// A number is infinite or not a number.
    ValueNotFinite {
        /// Which value.
        index: usize,
        /// Which number of it: 0 for `x`; `None` if it is only one.
        component: Option<usize>,
        /// The number.
        value: f32,
    },
    /// A quaternion of length zero is no rotation.
    ZeroRotation {
        /// Which value.
        index: usize,
    },
}

impl fmt::Display for CurveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKeys => write!(f, "there are no keys; give it at least one, or leave it out"),
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
                write!(f, "and {values} is no multiple of that; give every key as many weights")
            }
            Self::ValueNotFinite { index, component, value } => {
                let axis = component.map_or("", |axis| [".x", ".y", ".z", ".w"][axis % 4]);
                write!(f, "values[{index}]{axis} is {value}; values must be finite")
            }
            Self::ZeroRotation { index } => write!(
                f,
                "values[{index}] is the quaternion 0 0 0 0, which is no rotation; \
                 0 0 0 1 is none at all",
            ),
        }
    }
}

impl std::error::Error for CurveError {}

/// So many keys need.
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

/// Why channels make no clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClipError {
    /// The keys of a channel make no curve.
    Channel {
        /// What the channel moves.
        property: Property,
        /// Of which target.
        target: u32,
        /// What is wrong with its keys.
        error: CurveError,
    },
    /// A channel is for a target that the clip does not list.
    UnknownTarget {
        /// The clip's name.
        clip: Box<str>,
        /// Which channel.
        channel: usize,
        /// The target it is for.
        target: u32,
        /// How many targets the clip lists.
        targets: usize,
    },
    /// Two channels move the same property of the same target.
    DuplicateChannel {
        /// The clip's name.
        clip: Box<str>,
        /// The two channels.
        channels: [usize; 2],
        /// What they move.
        property: Property,
        /// Of which target.
        target: u32,
        /// The target's label.
        label: Box<str>,
    },
    /// A duration is negative, infinite or not a number.
    Duration {
        /// The clip's name.
        clip: Box<str>,
        /// The duration that was given.
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
                "clip {clip:?}: channels[{channel}] is for target {target}, \
                 but the clip lists {targets}; list it",
            ),
            Self::DuplicateChannel { clip, channels: [first, second], property, target, label } => {
                write!(
                    f,
                    "clip {clip:?}: channels[{first}] and channels[{second}] both move the {property} \
                 of target {target} {label:?}; keep one of them",
                )
            }
            Self::Duration { clip, seconds } => write!(
                f,
                "clip {clip:?}: a duration of {seconds} s; it must be finite and not negative",
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

/// Why a clip could not be bound to nodes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BindError {
    /// There are not as many nodes as the clip has targets.
    Count {
        /// The clip's name.
        clip: Box<str>,
        /// How many targets it has.
        targets: usize,
        /// How many nodes were given.
        nodes: usize,
    },
    /// Two targets would be the same node.
    DuplicateNode {
        /// The clip's name.
        clip: Box<str>,
        /// The two targets.
        targets: [usize; 2],
        /// The node that both were given.
        node: NodeId,
    },
    /// Some labels name no node, or several.
    Labels {
        /// The clip's name.
        clip: Box<str>,
        /// Where the nodes were looked for.
        root: NodeLabel,
        /// How the labels were read.
        kind: LabelKind,
        /// Those that name no node.
        missing: Vec<Box<str>>,
        /// Those that name several nodes, and how many.
        ambiguous: Vec<(Box<str>, usize)>,
    },
    /// The graph refused the node to look below.
    Graph(pleach_graph::Error),
}

/// How the labels of a clip's targets are read when it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// As names of nodes.
    Names,
    /// As paths of names, like `"hips/spine/head"`.
    Paths,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { clip, targets, nodes } => write!(
                f,
                "clip {clip:?} has {targets} targets, but {nodes} nodes were given; \
                 give one for each, or None for those to leave alone",
            ),
            Self::DuplicateNode { clip, targets: [first, second], node } => write!(
                f,
                "clip {clip:?}: targets {first} and {second} were both given node {node}; \
                 give each a node of its own, or None",
            ),
            Self::Labels { clip, root, kind, missing, ambiguous } => {
                write!(f, "clip {clip:?} does not fit the tree of {root}: ")?;
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
                write!(f, "; name the nodes yourself with Binding::new")
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

/// A list of which only the beginning is told if it is long.
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
