//! JSON of animations.

use serde::Deserialize;

use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Animation<'a> {
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(borrow)]
    pub channels: Vec<AnimationChannel<'a>>,
    #[serde(borrow)]
    pub samplers: Vec<AnimationSampler<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct AnimationChannel<'a> {
    pub sampler: UInt,
    #[serde(borrow)]
    pub target: AnimationTarget<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct AnimationTarget<'a> {
    pub node: Option<UInt>,
    #[serde(borrow)]
    pub path: Text<'a>,
    #[serde(borrow, default)]
    pub extensions: Option<TargetExtensions<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct TargetExtensions<'a> {
    #[serde(rename = "KHR_animation_pointer", borrow, default)]
    pub pointer: Option<AnimationPointer<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct AnimationPointer<'a> {
    #[serde(borrow)]
    pub pointer: Text<'a>,
}

impl AnimationTarget<'_> {
    /// Returns the pointer of KHR_animation_pointer.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        Some(&self.extensions.as_ref()?.pointer.as_ref()?.pointer)
    }
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct AnimationSampler<'a> {
    pub input: UInt,
    pub output: UInt,
    #[serde(borrow, default)]
    pub interpolation: Option<Text<'a>>,
}
