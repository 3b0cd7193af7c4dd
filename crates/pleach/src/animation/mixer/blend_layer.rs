//! `BlendLayer`: the description of a clip for a mixer to play.

use pleach_graph::CloneMap;

use super::mask::Mask;
use crate::animation::binding::Binding;
use crate::animation::player::{Player, Repeat};

/// The blend mode of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Blend {
    /// Contributes to the weighted average of its priority.
    #[default]
    Replace,
    /// Adds the difference from a reference pose to the result of the other layers:
    /// breathing, leaning, recoil.
    Add(Reference),
}

/// The reference pose of an additive layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Reference {
    /// The first key of each channel.
    #[default]
    FirstKey,
    /// The clip's pose at a time in seconds.
    At(f32),
    /// The rest pose of the nodes.
    RestPose,
}

/// A clip to play in a [`Mixer`](super::Mixer): its nodes, playback settings and blending.
///
/// ```
/// use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mask, Repeat};
/// use pleach::glam::Vec3;
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let chest = graph.add_root(Transform::IDENTITY)?;
/// let breath = Channel::scale(0, Interpolation::Linear, [0.0, 2.0], [Vec3::ONE, Vec3::splat(1.1)])?;
/// let breath = Clip::new("breath", ["chest"], [breath])?;
///
/// let layer = BlendLayer::new(Binding::new(breath, [chest])?)
///     .with_repeat(Repeat::PingPong)
///     .with_speed(0.5)
///     .with_mask(Mask::subtree(&graph, chest)?)
///     .additive();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BlendLayer {
    pub(super) binding: Binding,
    pub(super) player: Player,
    pub(super) mask: Mask,
    pub(super) blend: Blend,
    pub(super) priority: i32,
}

impl From<Binding> for BlendLayer {
    fn from(binding: Binding) -> Self {
        Self::new(binding)
    }
}

impl BlendLayer {
    /// Creates a layer that plays a clip in a loop on all of its nodes, with speed and
    /// weight 1 and priority 0.
    #[must_use]
    pub fn new(binding: Binding) -> Self {
        let player = Player::new(binding.clip());
        Self { binding, player, mask: Mask::all(), blend: Blend::Replace, priority: 0 }
    }

    /// Sets the repetition.
    #[must_use]
    pub fn with_repeat(mut self, repeat: Repeat) -> Self {
        self.player.set_repeat(repeat);
        self.player.play();
        self
    }

    /// Sets the speed; negative is backwards. A clip that plays backwards a finite number
    /// of times starts at its end.
    #[must_use]
    pub fn with_speed(mut self, speed: f32) -> Self {
        self.player.set_speed(speed);
        self.player.play();
        self
    }

    /// Sets the start time in seconds (see [`Player::seek`]).
    #[must_use]
    pub fn starting_at(mut self, seconds: f32) -> Self {
        self.player.seek(seconds);
        self
    }

    /// Sets the weight, 0 to 1.
    #[must_use]
    pub fn with_weight(mut self, weight: f32) -> Self {
        self.player.set_weight(weight);
        self
    }

    /// Restricts the layer to the nodes of a mask.
    #[must_use]
    pub fn with_mask(mut self, mask: Mask) -> Self {
        self.mask = mask;
        self
    }

    /// Sets the priority: higher priorities are blended over lower ones.
    #[must_use]
    pub fn with_priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the blend mode.
    #[must_use]
    pub fn with_blend(mut self, blend: Blend) -> Self {
        self.blend = blend;
        self
    }

    /// Makes the layer additive, relative to its first keys.
    #[must_use]
    pub fn additive(self) -> Self {
        self.with_blend(Blend::Add(Reference::FirstKey))
    }

    /// Returns the same layer for cloned nodes (see [`Binding::remapped`]).
    #[must_use]
    pub fn remapped(&self, clones: &CloneMap) -> Self {
        let (binding, mask) = (self.binding.remapped(clones), self.mask.remapped(clones));
        Self { binding, mask, ..self.clone() }
    }

    /// Returns the clip and the nodes it animates.
    #[must_use]
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Returns the player.
    #[must_use]
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Returns the mask.
    #[must_use]
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Returns the blend mode.
    #[must_use]
    pub fn blend(&self) -> Blend {
        self.blend
    }

    /// Returns the priority.
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.priority
    }
}
