//! `Mixer`: blends layers of clips into one pose.
//!
//! A frame has three steps, which `update` runs in order: `advance` (players and fades),
//! `sample` (clips → pose; reads no graph, so that many mixers can be sampled in
//! parallel), `write` (pose → graph).
//!
//! Invariant: `layers` are sorted by priority, and by age within a priority.

mod active_layer;
mod blend_layer;
mod fade;
mod mask;
mod morph_pose;
mod pose;
mod write_pose;

use pleach_graph::{CloneMap, Graph, NodeId, Transform};

use crate::animation::player::{Player, clamp_weight};
use crate::{MorphWeights, Table};
use active_layer::ActiveLayer;
pub use blend_layer::{Blend, BlendLayer, Reference};
use fade::Fade;
pub use mask::Mask;
use morph_pose::MorphPose;
use pose::Pose;
pub use write_pose::PoseStats;

/// The handle of a layer in a [`Mixer`]; never reused for another layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlendLayerId(u64);

/// Plays clips on nodes and blends them.
///
/// ```
/// use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
/// use pleach::glam::Vec3;
/// use pleach::{Graph, Table, Transform};
///
/// let mut graph = Graph::new();
/// let lift = graph.add_root(Transform::IDENTITY)?;
/// let mut weights = Table::new();                      // morph weights; none here
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
/// // Cross-fade in 0.2 seconds. Halfway, both have the same weight.
/// mixer.fade_to(Binding::new(aside, [lift])?, 0.2, &graph, &weights);
/// mixer.update(0.1, &mut graph, &mut weights);
/// let (up, aside) = (0.6, 0.1);                        // where the two clips are
/// let halfway = Vec3::new(aside / 2.0, 0.0, up / 2.0);
/// assert!(graph.node(lift)?.translation().abs_diff_eq(halfway, 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # How layers are blended
///
/// Separately for each node and each of its properties (translation, rotation, scale,
/// morph weights):
///
/// 1. The **rest pose**: the value that the node had when a layer with this node was first
///    added. A layer that fades out therefore returns the node to its rest pose.
/// 2. **Priorities**, the lowest first. The layers of one priority are averaged by
///    weight. If the weights sum to 1 or more, the average replaces the result of lower
///    priorities; otherwise it is interpolated with it by the sum of the weights.
/// 3. **Additive layers** are applied last, by priority, scaled by weight: the difference
///    is added to translations, scales and morph weights; rotations are multiplied by it
///    (about the node's own axes).
///
/// A layer's weight is the product of the weights of its player, its fade and its mask for
/// the node; less than 1e-6 is treated as 0. Properties without a channel in any layer
/// are never written. Properties with a channel are written in every frame while a layer
/// has a weight for them; after that they return to the rest pose, once.
///
/// Rotations are averaged by normalized linear interpolation along the shortest path from
/// the average so far, in the order of the layers. Results are bit-for-bit the same on
/// every machine.
///
/// # Nodes
///
/// Dead nodes are skipped and [counted](PoseStats::dead). Only nodes whose
/// transform differs are edited, so [`Graph::changed`] lists exactly the nodes that move. A
/// node with a local matrix is edited as by the graph's setters: an animated translation
/// keeps the matrix, an animated rotation or scale replaces it permanently by the nearest
/// transform.
///
/// # Cost
///
/// One layer of full weight: about 20 ns per node with linear channels, sampled and written
/// (50 ns per rotation with cubic splines). Linear channels with the same times are the
/// fastest: their keys are found once, and four rotations are computed at once. The first
/// layer of a clip copies its linear keys in the order in which frames read them. Adding a
/// layer looks up all its nodes and allocates; frames do not allocate. A mixer keeps data for
/// every node it has animated, so use one mixer per character.
#[doc(alias("AnimationMixer", "AnimationPlayer", "AnimationTree", "Animator"))]
#[derive(Clone, Debug, Default)]
pub struct Mixer {
    pose: Pose,
    morph_pose: MorphPose,
    layers: Vec<ActiveLayer>,
    next_layer_id: u64,
    /// The pose is out of date.
    is_stale: bool,
}

impl Mixer {
    /// Creates a mixer without layers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // ---- layers ----

    /// Adds a layer in addition to the existing ones. Takes a [`BlendLayer`], or a
    /// [`Binding`](crate::animation::Binding) to play in a loop with full weight.
    ///
    /// The current transforms and morph weights of nodes that are new to the mixer become
    /// their rest pose.
    pub fn add(
        &mut self,
        layer: impl Into<BlendLayer>,
        graph: &Graph,
        weights: &Table<MorphWeights>,
    ) -> BlendLayerId {
        self.insert(layer.into(), Fade::IN, graph, weights)
    }

    /// Cross-fades to a layer from the others of its priority: in `seconds` it is faded in
    /// and they are faded out, then removed. Additive layers are kept, and an additive layer
    /// only fades in.
    pub fn fade_to(
        &mut self,
        layer: impl Into<BlendLayer>,
        seconds: f32,
        graph: &Graph,
        weights: &Table<MorphWeights>,
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
        weights: &Table<MorphWeights>,
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

    /// Fades a layer from its current level to `level`, 0 to 1, in `seconds`; the level
    /// multiplies its player's weight. A layer that was fading out is kept. Returns `true`
    /// if the layer exists.
    pub fn fade(&mut self, layer: BlendLayerId, level: f32, seconds: f32) -> bool {
        self.is_stale = true;
        let found =
            self.find_mut(layer).map(|layer| layer.fade.start(clamp_weight(level), seconds, false));
        found.is_some()
    }

    /// Fades a layer out in `seconds`, then removes it. Returns `true` if the layer exists.
    pub fn fade_out(&mut self, layer: BlendLayerId, seconds: f32) -> bool {
        self.is_stale = true;
        let found = self.find_mut(layer).map(|layer| layer.fade.start(0.0, seconds, true));
        self.layers.retain(|layer| !layer.fade.is_finished());
        found.is_some()
    }

    /// Removes a layer immediately. Returns `true` if the layer existed.
    pub fn remove(&mut self, layer: BlendLayerId) -> bool {
        self.is_stale = true;
        let before = self.layers.len();
        self.layers.retain(|other| other.id != layer);
        self.layers.len() < before
    }

    /// Removes all layers and all node data; the nodes keep their current transforms.
    pub fn clear(&mut self) {
        *self = Self { next_layer_id: self.next_layer_id, ..Self::default() };
    }

    /// Returns the layers by increasing priority, and by age within a priority.
    #[must_use]
    pub fn layers(&self) -> impl ExactSizeIterator<Item = (BlendLayerId, &BlendLayer)> {
        self.layers.iter().map(|active| (active.id, &active.layer))
    }

    /// Returns a layer, or `None` if it was removed.
    #[must_use]
    pub fn layer(&self, layer: BlendLayerId) -> Option<&BlendLayer> {
        self.find(layer).map(|active| &active.layer)
    }

    /// Returns the player of a layer, to play, pause, seek or weight it.
    #[must_use]
    pub fn player_mut(&mut self, layer: BlendLayerId) -> Option<&mut Player> {
        self.is_stale = true;
        self.find_mut(layer).map(|active| &mut active.layer.player)
    }

    /// Returns the fade level of a layer, 0 to 1.
    #[must_use]
    pub fn fade_level(&self, layer: BlendLayerId) -> Option<f32> {
        self.find(layer).map(|active| active.fade.level())
    }

    /// Returns `true` if a layer is being faded out to be removed.
    #[must_use]
    pub fn is_fading_out(&self, layer: BlendLayerId) -> bool {
        self.find(layer).is_some_and(|active| active.fade.is_fading_out())
    }

    /// Replaces the mask of a layer. Returns `true` if the layer exists.
    pub fn set_mask(
        &mut self,
        layer: BlendLayerId,
        mask: Mask,
        graph: &Graph,
        weights: &Table<MorphWeights>,
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

    // ---- rest pose ----

    /// Returns the rest pose of an animated node.
    #[must_use]
    pub fn rest_pose(&self, node: NodeId) -> Option<Transform> {
        self.pose.rest_pose_of(node).copied()
    }

    /// Makes the current transforms and morph weights of all animated nodes their rest pose.
    pub fn capture_rest_pose(&mut self, graph: &Graph, weights: &Table<MorphWeights>) {
        self.is_stale = true;
        self.pose.capture_rest_pose(graph);
        self.morph_pose.capture_rest_pose(graph, weights);
        for layer in &mut self.layers {
            layer.compute_bases(&self.pose, &self.morph_pose);
        }
    }

    /// Returns the same mixer for cloned nodes: it continues from the same time,
    /// independently. Nodes that were not cloned are animated by both.
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

    /// Advances by `seconds` and writes the pose to the nodes. Call it once per frame, before
    /// [`Graph::update`], which then computes the world transforms of this frame.
    ///
    /// Morph weights are written to `weights`; nodes without a row get one.
    pub fn update(
        &mut self,
        seconds: f32,
        graph: &mut Graph,
        weights: &mut Table<MorphWeights>,
    ) -> PoseStats {
        self.advance(seconds);
        self.sample();
        self.write(graph, weights)
    }

    /// Step 1 of [`update`](Self::update): advances players and fades by `seconds`.
    pub fn advance(&mut self, seconds: f32) {
        for active in &mut self.layers {
            self.is_stale |= active.layer.player.advance(seconds);
            self.is_stale |= active.fade.advance(seconds);
        }
        self.layers.retain(|active| !active.fade.is_finished());
    }

    /// Step 2 of [`update`](Self::update): computes the pose. Needs no graph, so several
    /// mixers can be sampled in parallel; does nothing if nothing has changed.
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

    /// Replaces the pose by the rest pose, for the properties written last, as if no layer had a
    /// weight; the next [`sample`](Self::sample) computes the pose of the layers again.
    pub(crate) fn return_to_rest_pose(&mut self) {
        let Self { pose, morph_pose, .. } = self;
        pose.begin_frame();
        morph_pose.begin_frame();
        pose.restore_rest_pose();
        morph_pose.restore_rest_pose();
        self.is_stale = true;
    }

    /// Returns the nodes whose morph weights the last [`write`](Self::write) changed.
    #[must_use]
    pub fn weights_changed(&self) -> &[NodeId] {
        self.morph_pose.changed()
    }
}

/// Blends the replacing layers of one priority into the pose.
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
