//! `Mixer`: layers of clips, and what they make of a set of nodes together.
//!
//! A frame has three steps, which `update` takes one after the other: `advance` (the
//! clocks), `sample` (clips → pose, reads no graph, so that many mixers can be
//! sampled at once), `write` (pose → graph).
//!
//! Invariant: `layers` are sorted by priority, and by age within one.

mod active_layer;
mod blend_layer;
mod fade;
mod mask;
mod morph_pose;
mod pose;
mod write_pose;

use pleach_graph::{CloneMap, Graph, NodeId, NodeMap, Transform};

use crate::animation::player::{Player, clamp_weight};
use active_layer::ActiveLayer;
pub use blend_layer::{Blend, BlendLayer, Reference};
use fade::Fade;
pub use mask::Mask;
use morph_pose::MorphPose;
use pose::Pose;
pub use write_pose::PoseStats;

/// The handle of a layer in a [`Mixer`]; never used again for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlendLayerId(u64);

/// Plays clips on nodes: one, or several mixed.
///
/// ```
/// use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
/// use pleach::glam::Vec3;
/// use pleach_graph::{Graph, NodeMap, Transform};
///
/// let mut graph = Graph::new();
/// let lift = graph.add_root(Transform::IDENTITY)?;
/// let mut weights = NodeMap::new();                    // morph weights, of which there are none
///
/// let line = |name, to| {
///     let rise = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], [Vec3::ZERO, to])?;
///     Clip::new(name, ["lift"], [rise])
/// };
/// let (up, aside) = (line("up", Vec3::Z)?, line("aside", Vec3::X)?);
///
/// let mut mixer = Mixer::new();
/// mixer.add(Binding::new(up, [lift])?, &graph, &weights);
/// mixer.update(0.5, &mut graph, &mut weights);         // once a frame, before graph.update()
/// assert_eq!(graph.node(lift)?.translation(), Vec3::new(0.0, 0.0, 0.5));
///
/// // From one to the other in 0.2 seconds. Half way both count the same.
/// mixer.fade_to(Binding::new(aside, [lift])?, 0.2, &graph, &weights);
/// mixer.update(0.1, &mut graph, &mut weights);
/// let (up, aside) = (0.6, 0.1);                        // the places of the two clips
/// let half_way = Vec3::new(aside / 2.0, 0.0, up / 2.0);
/// assert!(graph.node(lift)?.translation().abs_diff_eq(half_way, 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # How layers make a pose
///
/// For each node and each of its properties (translation, rotation, scale, morph
/// weights), on its own:
///
/// 1. It starts **at rest**: where the node was when the mixer first got a layer for
///    it. So a layer that fades out gives the node back to where it was.
/// 2. **Priorities**, the lowest first. The layers of one priority are averaged by
///    weight. If their weights make 1 or more, the average is what counts; if less,
///    what is below shows through by what is missing.
/// 3. **Additive layers** come on top, by priority, each by its weight: translations,
///    scales and morph weights plus the difference, rotations turned by it (about the
///    node's own axes).
///
/// A layer's weight is the product of its player's, its fade's and its mask's for the
/// node; less than a millionth is nothing. Properties that no layer has a channel for
/// are never written: they are yours. Those that have one are, in every frame, while
/// a layer counts for them; after that they are brought to rest, once.
///
/// Rotations are averaged along the chord (normalised lerp), each the shortest way
/// from the average so far, in the order of the layers. All of it gives the same bits
/// on every machine.
///
/// # Nodes
///
/// Nodes that have died are skipped, and [counted](Written::dead). Only nodes whose
/// transform really differs are edited, so [`Graph::changed`] lists what moves. A node
/// with a local matrix is edited as the graph's setters do: an animated translation
/// keeps the matrix, an animated rotation or scale turns it into the nearest
/// transform for good.
///
/// # What it costs
///
/// One layer of full weight: about 20 ns for each rotation, sampled and written (50 ns
/// with cubic splines); each further layer as much again. Adding a layer looks all its nodes up and
/// allocates; frames allocate nothing. A mixer remembers a node for as long as it
/// lives, so have one for each character.
#[derive(Clone, Debug, Default)]
pub struct Mixer {
    pose: Pose,
    morph_pose: MorphPose,
    layers: Vec<ActiveLayer>,
    next_layer_id: u64,
    /// Is the pose out of date?
    is_stale: bool,
}

impl Mixer {
    /// A mixer without layers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // ---- layers ----

    /// Plays a layer from now on, besides those there are. Takes a [`BlendLayer`], or a
    /// [`Binding`](crate::animation::Binding) to play in a loop with full weight.
    ///
    /// The nodes' transforms and morph weights are taken as their rest pose, if the
    /// mixer did not know them yet.
    pub fn add(
        &mut self,
        layer: impl Into<BlendLayer>,
        graph: &Graph,
        weights: &NodeMap<Vec<f32>>,
    ) -> BlendLayerId {
        self.insert(layer.into(), Fade::IN, graph, weights)
    }

    /// Plays a layer from now on, instead of those of its priority: in so many seconds
    /// it is faded in and they are faded out, and then removed. Additive layers stay,
    /// and an additive layer only fades in.
    pub fn fade_to(
        &mut self,
        layer: impl Into<BlendLayer>,
        seconds: f32,
        graph: &Graph,
        weights: &NodeMap<Vec<f32>>,
    ) -> BlendLayerId {
        let layer = layer.into();
        if layer.blend == Blend::Replace {
            let is_replaced = |other: &&mut ActiveLayer| {
                other.layer.priority == layer.priority && other.layer.blend == Blend::Replace
            };
            for other in self.layers.iter_mut().filter(is_replaced) {
                other.fade.start(0.0, seconds, true);
            }
            self.layers.retain(|layer| !layer.fade.is_finished());
        }
        let mut fade = Fade::OUT;
        fade.start(1.0, seconds, false);
        self.insert(layer, fade, graph, weights)
    }

    fn insert(
        &mut self,
        layer: BlendLayer,
        fade: Fade,
        graph: &Graph,
        weights: &NodeMap<Vec<f32>>,
    ) -> BlendLayerId {
        let id = BlendLayerId(self.next_layer_id);
        self.next_layer_id += 1;
        self.is_stale = true;
        let mut active = ActiveLayer::new(id, layer, fade);
        active.bind(graph, weights, &mut self.pose, &mut self.morph_pose);
        let priority = active.layer.priority;
        let index = self.layers.partition_point(|other| other.layer.priority <= priority);
        self.layers.insert(index, active);
        id
    }

    /// Fades a layer to another level, 0 to 1, in so many seconds, from where it is;
    /// the level is a factor to its player's weight. Says whether there is such a
    /// layer. One that was on its way out stays.
    pub fn fade(&mut self, layer: BlendLayerId, level: f32, seconds: f32) -> bool {
        self.is_stale = true;
        let found =
            self.find_mut(layer).map(|layer| layer.fade.start(clamp_weight(level), seconds, false));
        found.is_some()
    }

    /// Fades a layer out in so many seconds, and removes it then. Says whether there is
    /// such a layer.
    pub fn fade_out(&mut self, layer: BlendLayerId, seconds: f32) -> bool {
        self.is_stale = true;
        let found = self.find_mut(layer).map(|layer| layer.fade.start(0.0, seconds, true));
        self.layers.retain(|layer| !layer.fade.is_finished());
        found.is_some()
    }

    /// Removes a layer at once. Says whether there was such a layer.
    pub fn remove(&mut self, layer: BlendLayerId) -> bool {
        self.is_stale = true;
        let before = self.layers.len();
        self.layers.retain(|other| other.id != layer);
        self.layers.len() < before
    }

    /// Forgets all layers and all nodes, which stay where they are.
    pub fn clear(&mut self) {
        *self = Self { next_layer_id: self.next_layer_id, ..Self::default() };
    }

    /// Its layers, the lowest priority first, the oldest first within one.
    #[must_use]
    pub fn layers(&self) -> impl ExactSizeIterator<Item = (BlendLayerId, &BlendLayer)> {
        self.layers.iter().map(|active| (active.id, &active.layer))
    }

    /// A layer, unless it was removed.
    #[must_use]
    pub fn layer(&self, layer: BlendLayerId) -> Option<&BlendLayer> {
        self.find(layer).map(|active| &active.layer)
    }

    /// The clock of a layer, to play, pause, seek or weight it.
    #[must_use]
    pub fn player_mut(&mut self, layer: BlendLayerId) -> Option<&mut Player> {
        self.is_stale = true;
        self.find_mut(layer).map(|active| &mut active.layer.player)
    }

    /// How far a layer is faded in, 0 to 1.
    #[must_use]
    pub fn fade_level(&self, layer: BlendLayerId) -> Option<f32> {
        self.find(layer).map(|active| active.fade.level())
    }

    /// Is a layer being faded out, to be removed?
    #[must_use]
    pub fn is_fading_out(&self, layer: BlendLayerId) -> bool {
        self.find(layer).is_some_and(|active| active.fade.is_fading_out())
    }

    /// Gives a layer another mask. Says whether there is such a layer.
    pub fn set_mask(
        &mut self,
        layer: BlendLayerId,
        mask: Mask,
        graph: &Graph,
        weights: &NodeMap<Vec<f32>>,
    ) -> bool {
        self.is_stale = true;
        let Some(active) = self.layers.iter_mut().find(|active| active.id == layer) else {
            return false;
        };
        active.layer.mask = mask;
        active.bind(graph, weights, &mut self.pose, &mut self.morph_pose);
        true
    }

    fn find(&self, layer: BlendLayerId) -> Option<&ActiveLayer> {
        self.layers.iter().find(|active| active.id == layer)
    }

    fn find_mut(&mut self, layer: BlendLayerId) -> Option<&mut ActiveLayer> {
        self.layers.iter_mut().find(|active| active.id == layer)
    }

    // ---- rest ----

    /// The rest pose of a node that a layer moves.
    #[must_use]
    pub fn rest_pose(&self, node: NodeId) -> Option<Transform> {
        self.pose.rest_pose_of(node).copied()
    }

    /// Takes where the nodes are now, with their morph weights, as their rest pose.
    pub fn capture_rest_pose(&mut self, graph: &Graph, weights: &NodeMap<Vec<f32>>) {
        self.is_stale = true;
        self.pose.capture_rest_pose(graph);
        self.morph_pose.capture_rest_pose(graph, weights);
        for layer in &mut self.layers {
            layer.compute_bases(&self.pose, &self.morph_pose);
        }
    }

    /// The same mixer for a copy of its nodes: it plays on from the same moment, and
    /// the two move apart. Nodes that were not copied are moved by both.
    #[must_use]
    pub fn remapped(&self, clones: &CloneMap) -> Self {
        let mut clone = self.clone();
        clone.is_stale = true;
        clone.pose.remap(clones);
        clone.morph_pose.remap(clones);
        for active in &mut clone.layers {
            active.layer = active.layer.remapped(clones);
        }
        clone
    }

    // ---- the frame ----

    /// Once a frame: lets seconds pass, and moves the nodes. Call it before
    /// [`Graph::update`], which then has the world transforms of this frame.
    ///
    /// Morph weights go to the rows of `weights`; nodes that get their first ones get
    /// a row.
    pub fn update(
        &mut self,
        seconds: f32,
        graph: &mut Graph,
        weights: &mut NodeMap<Vec<f32>>,
    ) -> PoseStats {
        self.advance(seconds);
        self.sample();
        self.write(graph, weights)
    }

    /// Step 1 of [`update`](Self::update): lets seconds pass for players and fades.
    pub fn advance(&mut self, seconds: f32) {
        for active in &mut self.layers {
            self.is_stale |= active.layer.player.advance(seconds);
            self.is_stale |= active.fade.advance(seconds);
        }
        self.layers.retain(|active| !active.fade.is_finished());
    }

    /// Step 2 of [`update`](Self::update): works out the pose. Needs no graph, so
    /// that several mixers can do it at once; does nothing if no time has passed.
    pub fn sample(&mut self) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let Self { pose, morph_pose, layers, .. } = self;
        pose.begin_frame();
        morph_pose.begin_frame();
        for active in layers.iter_mut().filter(|active| active.weight() > 0.0) {
            active.find_key_positions();
        }
        for priority in layers.chunk_by(|a, b| a.layer.priority == b.layer.priority) {
            sample_priority(priority, pose, morph_pose);
        }
        for active in layers.iter().filter(|active| active.layer.blend != Blend::Replace) {
            if active.weight() > 0.0 {
                active.add(pose, morph_pose);
            }
        }
        pose.restore_rest_pose();
        morph_pose.restore_rest_pose();
    }

    /// The nodes whose morph weights the last [`write`](Self::write) changed.
    #[must_use]
    pub fn weights_changed(&self) -> &[NodeId] {
        self.morph_pose.changed()
    }
}

fn sample_priority(layers: &[ActiveLayer], pose: &mut Pose, morph_pose: &mut MorphPose) {
    let contributes =
        |active: &&ActiveLayer| active.layer.blend == Blend::Replace && active.weight() > 0.0;
    let mut contributing = layers.iter().filter(contributes);
    let (Some(first), second) = (contributing.next(), contributing.next()) else { return };
    if second.is_none() && first.is_full() {
        first.set(pose, morph_pose);
        return;
    }
    for active in layers.iter().filter(contributes) {
        active.mix(pose, morph_pose);
    }
    pose.apply_averages();
    morph_pose.apply_averages();
}
