//! Animation clips.

use pleach::animation::{Interpolation, Property};
use serde::{Deserialize, Serialize};

use super::mirror;
use super::numbers::F32;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClipRecord {
    pub(crate) name: String,
    pub(crate) targets: Vec<String>,
    pub(crate) duration: F32,
    pub(crate) channels: Vec<ChannelRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChannelRecord {
    pub(crate) target: u32,
    pub(crate) property: PropertyRecord,
    pub(crate) interpolation: InterpolationRecord,
    /// f32. Channels with the same column share its memory.
    pub(crate) times: u32,
    /// f32 × 3 for translations and scales, f32 × 4 for rotations, f32 for weights.
    pub(crate) values: u32,
}

mirror! { PropertyRecord = Property { Translation, Rotation, Scale, Weights, } }
mirror! { InterpolationRecord = Interpolation { Step, Linear, CubicSpline, } }
