//! `BlendLayer`: what to tell a mixer about a clip it is to play.

use pleach_graph::CloneMap;

use super::mask::Mask;
use crate::animation::binding::Binding;
use crate::animation::player::{Player, Repeat};

/// How a layer joins the others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Blend {
    /// It says where the nodes are: a part of the average of its priority.
    #[default]
    Replace,
    /// It says how the nodes differ from a reference, which is added to where the
    /// other layers have them: breathing, leaning, recoil.
    Add(Reference),
}

/// The pose that is no difference at all, to an additive layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Reference {
    /// The first key of each channel.
    #[default]
    FirstKey,
    /// The clip's own pose at a moment, in seconds.
    At(f32),
    /// The rest pose of the nodes.
    RestPose,
}

/// A clip to play: which nodes it moves, how it plays, and how it joins the others.
///
/// ```
/// use pleach::animation::{Binding, Channel, Clip, Interpolation, Layer, Mask, Repeat};
/// use pleach::glam::Vec3;
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let chest = graph.add_root(Transform::IDENTITY)?;
/// let breath = Channel::scale(0, Interpolation::Linear, [0.0, 2.0], [Vec3::ONE, Vec3::splat(1.1)])?;
/// let breath = Clip::new("breath", ["chest"], [breath])?;
///
/// let layer = Layer::new(Binding::new(breath, [chest])?)
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
    /// A layer that plays a clip in a loop and moves all of its nodes, with speed and
    /// weight 1 and priority 0.
    #[must_use]
    pub fn new(binding: Binding) -> Self {
        let player = Player::new(binding.clip());
        Self { binding, player, mask: Mask::all(), blend: Blend::Replace, priority: 0 }
    }

    /// The same layer, played so often.
    #[must_use]
    pub fn with_repeat(mut self, repeat: Repeat) -> Self {
        self.player.set_repeat(repeat);
        self.player.play();
        self
    }

    /// The same layer, played so fast; backwards if negative. A clip that plays
    /// backwards, and not for ever, starts at its end.
    #[must_use]
    pub fn with_speed(mut self, speed: f32) -> Self {
        self.player.set_speed(speed);
        self.player.play();
        self
    }

    /// The same layer, starting at a place (see [`Player::seek`]).
    #[must_use]
    pub fn starting_at(mut self, seconds: f32) -> Self {
        self.player.seek(seconds);
        self
    }

    /// The same layer with another weight, 0 to 1.
    #[must_use]
    pub fn with_weight(mut self, weight: f32) -> Self {
        self.player.set_weight(weight);
        self
    }

    /// The same layer for some nodes only.
    #[must_use]
    pub fn with_mask(mut self, mask: Mask) -> Self {
        self.mask = mask;
        self
    }

    /// The same layer above those with a lower priority, and below those with a
    /// higher one.
    #[must_use]
    pub fn with_priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// The same layer, joining the others otherwise.
    #[must_use]
    pub fn with_blend(mut self, blend: Blend) -> Self {
        self.blend = blend;
        self
    }

    /// The same layer, added to the others as the difference to its first keys.
    #[must_use]
    pub fn additive(self) -> Self {
        self.with_blend(Blend::Add(Reference::FirstKey))
    }

    /// The same layer for a copy of its nodes (see [`Binding::remapped`]).
    #[must_use]
    pub fn remapped(&self, clones: &CloneMap) -> Self {
        let (binding, mask) = (self.binding.remapped(clones), self.mask.remapped(clones));
        Self { binding, mask, ..self.clone() }
    }

    /// Which nodes it moves, by which clip.
    #[must_use]
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Its clock.
    #[must_use]
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Its mask.
    #[must_use]
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// How it joins the others.
    #[must_use]
    pub fn blend(&self) -> Blend {
        self.blend
    }

    /// Its priority.
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.priority
    }
}
