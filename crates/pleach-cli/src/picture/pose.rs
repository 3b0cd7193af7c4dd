//! Poses scenes with an animation at a given time and restores the rest pose.
//!
//! Times are clamped to the duration of the clip, as with `Repeat::Once`.

use anyhow::Result;
use glam::Mat4;
use pleach::animation::{BlendLayer, BlendLayerId, Mixer, Repeat};
use pleach::{NodeId, Scene, Transform};
use pleach_gltf::Document;

use crate::input::resolve;

/// Poses a scene with an animation at `time`, if given, and updates it.
///
/// The scene stays posed; use [`PosePlayer`] for several poses or to restore the rest pose.
pub(crate) fn apply_pose(
    document: &mut Document,
    scene: usize,
    time: Option<(usize, f32)>,
) -> Result<()> {
    if let Some((animation, t)) = time {
        return PosePlayer::new(document, scene, animation)?.seek(document, t);
    }
    resolve::scene_mut(document, scene)?.update()?;
    Ok(())
}

/// An animation bound to a scene, and the state of the scene before it was posed.
pub(crate) struct PosePlayer {
    scene: usize,
    animation: usize,
    mixer: Mixer,
    layer: BlendLayerId,
    saved: Vec<SavedNode>,
}

/// The properties of a node that an animation may change.
struct SavedNode {
    node: NodeId,
    local: SavedLocal,
    weights: Option<pleach::MorphWeights>,
}

enum SavedLocal {
    Transform(Transform),
    /// Kept as a matrix, as the mixer could only restore the nearest transform.
    Matrix(Mat4),
}

impl PosePlayer {
    /// Saves the current state of the scene. `scene` is an index as `SceneArgs::resolve` returns
    /// it.
    pub(crate) fn new(document: &Document, scene: usize, animation: usize) -> Result<Self> {
        let target = resolve::scene(document, scene)?;
        let binding = document.bind(animation, scene)?;
        let saved = binding.nodes().iter().flatten();
        let saved = saved.filter_map(|&node| SavedNode::new(target, node)).collect();
        let mut mixer = Mixer::new();
        let layer = BlendLayer::new(binding).with_repeat(Repeat::Once);
        let layer = mixer.add(layer, &target.graph, &target.weights);
        Ok(Self { scene, animation, mixer, layer, saved })
    }

    /// Poses the scene at time `t` in seconds and updates it.
    pub(crate) fn seek(&mut self, document: &mut Document, t: f32) -> Result<()> {
        document.apply_pointers(self.animation, self.scene, t);
        if let Some(player) = self.mixer.player_mut(self.layer) {
            player.seek(t);
        }
        self.mixer.sample();
        let target = resolve::scene_mut(document, self.scene)?;
        target.write_pose(&mut self.mixer);
        target.update()?;
        Ok(())
    }

    /// Restores the saved state bit for bit and updates the scene.
    pub(crate) fn restore(self, document: &mut Document) -> Result<()> {
        document.restore_pointers();
        let target = resolve::scene_mut(document, self.scene)?;
        for SavedNode { node, local, weights } in self.saved {
            let Some(mut view) = target.graph.get_mut(node) else { continue };
            match local {
                SavedLocal::Transform(transform) => view.set_transform_if_changed(transform)?,
                SavedLocal::Matrix(matrix) => view.set_local_matrix(matrix)?,
            };
            match weights {
                Some(weights) => target.set_weights(node, weights.0)?,
                None => drop(target.weights.remove(node)),
            }
        }
        target.update()?;
        Ok(())
    }
}

impl SavedNode {
    fn new(scene: &Scene, node: NodeId) -> Option<Self> {
        let view = scene.graph.get(node)?;
        let local = match view.has_local_matrix() {
            true => SavedLocal::Matrix(view.local_matrix()),
            false => SavedLocal::Transform(view.transform()),
        };
        let weights = scene.weights.get(&scene.graph, node).cloned();
        Some(Self { node, local, weights })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use glam::Vec3;
    use pleach_gltf::{Bytes, Options};

    use super::*;

    /// A matrix node that moves from 0 to 4 between seconds 1 and 3, and a morphed node whose
    /// weight goes from 0 to 1 and which is hidden at the end.
    fn document() -> Document {
        let json = r#"{
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}, {"nodes": [1]}],
            "nodes": [
                {"matrix": [1,0,0,0, 0.5,1,0,0, 0,0,1,0, 7,0,0,1]},
                {"mesh": 0, "weights": [0.25]}
            ],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 2}, "targets": [{"POSITION": 2}]}]}],
            "animations": [{
                "samplers": [
                    {"input": 0, "output": 1}, {"input": 0, "output": 3}, {"input": 0, "output": 4},
                    {"input": 0, "output": 5, "interpolation": "STEP"}
                ],
                "channels": [
                    {"sampler": 0, "target": {"node": 0, "path": "translation"}},
                    {"sampler": 1, "target": {"node": 0, "path": "scale"}},
                    {"sampler": 2, "target": {"node": 1, "path": "weights"}},
                    {"sampler": 3, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                        {"pointer": "/nodes/1/extensions/KHR_node_visibility/visible"}}}}
                ]
            }],
            "buffers": [{"uri": "data.bin", "byteLength": 104}],
            "bufferViews": [
                {"buffer": 0, "byteOffset": 0, "byteLength": 8},
                {"buffer": 0, "byteOffset": 8, "byteLength": 24},
                {"buffer": 0, "byteOffset": 32, "byteLength": 36},
                {"buffer": 0, "byteOffset": 68, "byteLength": 24},
                {"buffer": 0, "byteOffset": 92, "byteLength": 8},
                {"buffer": 0, "byteOffset": 100, "byteLength": 2}
            ],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [1], "max": [3]},
                {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
                {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0]},
                {"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3"},
                {"bufferView": 4, "componentType": 5126, "count": 2, "type": "SCALAR"},
                {"bufferView": 5, "componentType": 5121, "count": 2, "type": "SCALAR"}
            ]
        }"#;
        let numbers: [&[f32]; 5] = [
            &[1.0, 3.0],
            &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0],
            &[0.0, 1.0],
        ];
        let mut bytes: Vec<u8> = numbers.concat().iter().flat_map(|it| it.to_le_bytes()).collect();
        bytes.extend([1, 0, 0, 0]);
        let files = BTreeMap::from([("data.bin".to_string(), Bytes::from(bytes))]);
        Options::new().keep_y_up().load_with(json.as_bytes().to_vec(), &files).unwrap()
    }

    /// Returns the world matrix of the first node, and the weight and visibility of the second.
    fn state(document: &Document) -> (Mat4, f32, bool) {
        let [sliding, morphed] = [0, 1].map(|index| document.node(index, index).unwrap());
        let [first, second] = [0, 1].map(|scene| &document.scenes()[scene]);
        (
            first.node(sliding).unwrap().world(),
            second.weights.get(&second.graph, morphed).unwrap()[0],
            second.node(morphed).unwrap().is_visible(),
        )
    }

    #[test]
    fn times_are_clamped_to_the_clip() {
        for (t, x, weight, visible) in [
            (-5.0, 0.0, 0.0, true),
            (0.0, 0.0, 0.0, true),
            (2.0, 2.0, 0.5, true),
            (3.0, 4.0, 1.0, false),
            (99.0, 4.0, 1.0, false),
        ] {
            let mut document = document();
            apply_pose(&mut document, 0, Some((0, t))).unwrap();
            apply_pose(&mut document, 1, Some((0, t))).unwrap();
            let (world, got, shown) = state(&document);
            assert_eq!(world.w_axis.truncate(), Vec3::new(x, 0.0, 0.0), "at {t}");
            assert_eq!((got, shown), (weight, visible), "at {t}");
        }
    }

    #[test]
    fn restore_brings_back_the_rest_pose_bit_for_bit() {
        let mut document = document();
        let bounds = |document: &Document| {
            let node = document.node(1, 1).unwrap();
            document.scenes()[1].spatial.world_bounds(node).unwrap()
        };
        let before = (state(&document), bounds(&document));
        let mut posing = [0, 1].map(|scene| PosePlayer::new(&document, scene, 0).unwrap());
        for t in [3.0, 2.0] {
            posing.iter_mut().for_each(|it| it.seek(&mut document, t).unwrap());
            assert_ne!(state(&document), before.0);
            assert_ne!(bounds(&document), before.1);
        }
        posing.into_iter().for_each(|it| it.restore(&mut document).unwrap());
        assert_eq!((state(&document), bounds(&document)), before);
        let node = document.node(0, 0).unwrap();
        assert!(document.scenes()[0].node(node).unwrap().has_local_matrix());
    }

    #[test]
    fn missing_animations_and_scenes_are_errors() {
        let mut document = document();
        let error = apply_pose(&mut document, 0, Some((5, 0.0))).unwrap_err();
        assert!(error.to_string().contains("animation 5"), "{error}");
        assert!(apply_pose(&mut document, 9, Some((0, 0.0))).is_err());
    }
}
