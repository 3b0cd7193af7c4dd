//! JSON of animations.

use serde::Deserialize;

use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Animation<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) channels: Vec<AnimationChannel<'a>>,
    #[serde(borrow)]
    pub(crate) samplers: Vec<AnimationSampler<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct AnimationChannel<'a> {
    pub(crate) sampler: UInt,
    #[serde(borrow)]
    pub(crate) target: AnimationTarget<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct AnimationTarget<'a> {
    pub(crate) node: Option<UInt>,
    #[serde(borrow)]
    pub(crate) path: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) extensions: Option<TargetExtensions<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct TargetExtensions<'a> {
    #[serde(rename = "KHR_animation_pointer", borrow, default)]
    pub(crate) pointer: Option<AnimationPointer<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct AnimationPointer<'a> {
    #[serde(borrow)]
    pub(crate) pointer: Text<'a>,
}

impl AnimationTarget<'_> {
    /// Returns the pointer of KHR_animation_pointer.
    pub(crate) fn pointer(&self) -> Option<&str> {
        Some(&self.extensions.as_ref()?.pointer.as_ref()?.pointer)
    }
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct AnimationSampler<'a> {
    pub(crate) input: UInt,
    pub(crate) output: UInt,
    #[serde(borrow, default)]
    pub(crate) interpolation: Option<Text<'a>>,
}
