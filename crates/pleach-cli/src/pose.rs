//! Scenes in the pose that an animation has at some time, and back at rest.
//!
//! Times before the beginning and past the end are held there, as a player does that plays once.

use anyhow::Result;
use glam::Mat4;
use pleach::animation::{Layer, LayerId, Mixer, Repeat};
use pleach::{NodeId, Scene, Transform};
use pleach_gltf::Document;

use crate::choose;

/// Puts a scene into an animation's pose at a time, and brings it up to date.
///
/// For good: to try one pose after the other, or to come back, there is [`Posing`].
pub(crate) fn pose(document: &mut Document, scene: usize, animation: usize, t: f32) -> Result<()> {
    Posing::new(document, scene, animation)?.seek(document, t)
}

/// An animation of a scene, at whatever time is asked for, and what it found there.
pub(crate) struct Posing {
    scene: usize,
    animation: usize,
    mixer: Mixer,
    layer: LayerId,
    rest: Vec<Rest>,
    /// The flags of all nodes, if the animation shows and hides some.
    visible: Vec<(NodeId, bool)>,
}

/// What an animation may change of a node, as it was.
struct Rest {
    node: NodeId,
    local: Local,
    weights: Option<Vec<f32>>,
}

enum Local {
    Parts(Transform),
    /// The mixer would bring back the nearest transform only.
    Matrix(Mat4),
}

impl Posing {
    /// Notes how the scene is now; moves nothing yet. Its number is as `SceneChoice` gives it.
    pub(crate) fn new(document: &Document, scene: usize, animation: usize) -> Result<Self> {
        let tree = choose::scene(document, scene)?;
        let binding = document.bind(animation, scene)?;
        let rest = binding.nodes().iter().flatten();
        let rest = rest.filter_map(|&node| Rest::of(tree, node)).collect();
        let mut mixer = Mixer::new();
        let layer = Layer::new(binding).with_repeat(Repeat::Once);
        let layer = mixer.add(layer, &tree.graph, &tree.weights);
        let hides = document.animations().get(animation).is_some_and(|it| it.shown_count() > 0);
        let top = tree.graph.get(tree.root()).filter(|_| hides);
        let visible = top.into_iter().flat_map(|top| top.descendants());
        let visible = visible.filter_map(|node| Some((node, tree.graph.get(node)?.is_visible())));
        let visible = visible.collect();
        Ok(Self { scene, animation, mixer, layer, rest, visible })
    }

    /// Puts the scene into the pose of a time, and brings it up to date.
    pub(crate) fn seek(&mut self, document: &mut Document, t: f32) -> Result<()> {
        document.show_at(self.animation, self.scene, t);
        if let Some(player) = self.mixer.player_mut(self.layer) {
            player.seek(t);
        }
        self.mixer.sample();
        let tree = choose::scene_mut(document, self.scene)?;
        tree.write_pose(&mut self.mixer);
        tree.update()?;
        Ok(())
    }

    /// Puts everything back as it was, bit for bit, and brings the scene up to date.
    pub(crate) fn stop(self, document: &mut Document) -> Result<()> {
        let tree = choose::scene_mut(document, self.scene)?;
        for Rest { node, local, weights } in self.rest {
            let Some(mut view) = tree.graph.get_mut(node) else { continue };
            match local {
                Local::Parts(transform) => view.set_transform_if_changed(transform)?,
                Local::Matrix(matrix) => view.set_local_matrix(matrix)?,
            };
            match weights {
                Some(weights) => tree.set_weights(node, weights)?,
                None => drop(tree.weights.remove(node)),
            }
        }
        for (node, visible) in self.visible {
            if let Some(mut view) = tree.graph.get_mut(node) {
                view.set_visible(visible);
            }
        }
        tree.update()?;
        Ok(())
    }
}

impl Rest {
    fn of(scene: &Scene, node: NodeId) -> Option<Self> {
        let view = scene.graph.get(node)?;
        let local = match view.has_local_matrix() {
            true => Local::Matrix(view.local_matrix()),
            false => Local::Parts(view.transform()),
        };
        let weights = scene.weights.get(&scene.graph, node).cloned();
        Some(Self { node, local, weights })
    }
}
