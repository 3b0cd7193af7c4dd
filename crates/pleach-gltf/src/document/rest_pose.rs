//! The rest pose: the transforms and weights that animated nodes were loaded with, or had when their
//! animation was added.

use std::collections::{BTreeMap, BTreeSet};

use pleach::{NodeId, Scene};

use crate::diagnostics::Pointer;
use crate::document::Targets;
use crate::json::{ParseLimits, Root};
use crate::load::node::{Local, local, weights};
use crate::save::lenient;
use crate::{Document, Error, ErrorKind};

/// The transform and weights of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RestPose {
    local: Local,
    weights: Option<Vec<f32>>,
}

impl RestPose {
    /// Returns the current pose of a node.
    pub(crate) fn of(scene: &Scene, node: NodeId) -> Option<Self> {
        let view = scene.graph.get(node)?;
        let local = match view.has_local_matrix() {
            true => Local::Matrix(view.local_matrix()),
            false => Local::Trs(view.transform()),
        };
        let weights = scene.weights.get(&scene.graph, node).map(|it| it.0.clone());
        Some(Self { local, weights })
    }
}

impl Document {
    /// Sets the animated nodes of `scene` to their rest pose, for example before saving a document
    /// while an animation plays: the transforms and morph weights of the loaded file or, for other
    /// animations, those at the time of [`add_animation`](Self::add_animation). Other nodes are not
    /// changed. Parses the text of the file again.
    ///
    /// ```
    /// # let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
    /// #     "nodes": [{"name": "door"}],
    /// #     "buffers": [{"byteLength": 20, "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAA="}],
    /// #     "bufferViews": [{"buffer": 0, "byteLength": 20}],
    /// #     "accessors": [{"bufferView": 0, "componentType": 5126, "count": 1, "type": "SCALAR"},
    /// #         {"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 1, "type": "VEC3"}],
    /// #     "animations": [{"samplers": [{"input": 0, "output": 1}],
    /// #         "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}] }"#;
    /// use pleach::animation::Mixer;
    /// use pleach_gltf::Format;
    ///
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let binding = document.bind(0, 0)?;
    /// let scene = &mut document.scenes_mut()[0];
    /// let mut mixer = Mixer::new();
    /// mixer.add(binding, &scene.graph, &scene.weights);
    /// scene.animate(&mut mixer, 0.5);
    /// // The door is open now, and would be saved open.
    /// assert!(!document.save_bytes(Format::Gltf)?.report.is_empty());
    ///
    /// document.restore_rest_pose(0)?;
    /// assert_eq!(document.save_bytes(Format::Gltf)?.bytes, file.as_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Reference`] if there is no such scene.
    #[doc(alias = "rest pose")]
    #[doc(alias = "bind pose")]
    pub fn restore_rest_pose(&mut self, scene: usize) -> Result<(), Error> {
        if scene >= self.trees.len() {
            return Err(Error::missing(&Pointer::root("scenes"), "scene", scene, self.trees.len()));
        }
        let mut poses: BTreeMap<NodeId, RestPose> = BTreeMap::new();
        for animation in &self.animations {
            let Targets::Scene(of, nodes) = &animation.targets else { continue };
            for (node, pose) in nodes.iter().zip(&animation.rest_poses) {
                if let (Some(node), Some(pose)) = (node, pose)
                    && *of == scene
                {
                    poses.entry(*node).or_insert_with(|| pose.clone());
                }
            }
        }
        if self.source.is_some() {
            self.file_poses(scene, &mut poses)?;
        }
        let tree = &mut self.trees[scene];
        for (id, RestPose { local, weights }) in poses {
            let to_error =
                |error: String| Error::new(ErrorKind::Value, &Pointer::root("nodes"), error);
            if let Some(mut node) = tree.graph.get_mut(id) {
                match local {
                    Local::Trs(transform) => node.set_transform(transform).map(drop),
                    Local::Matrix(matrix) => node.set_local_matrix(matrix).map(drop),
                }
                .map_err(|error| to_error(error.to_string()))?;
            }
            if let Some(weights) = weights.filter(|_| tree.mesh(id).is_some()) {
                tree.set_weights(id, weights).map_err(|error| to_error(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// Adds the poses of the file for the nodes that its animations target.
    fn file_poses(
        &self,
        scene: usize,
        poses: &mut BTreeMap<NodeId, RestPose>,
    ) -> Result<(), Error> {
        let animated: BTreeSet<u32> = self
            .animations
            .iter()
            .filter_map(|animation| match &animation.targets {
                Targets::File(nodes) => Some(nodes),
                Targets::Scene(..) => None,
            })
            .flatten()
            .copied()
            .collect();
        let root = Root::parse(self.json(), ParseLimits::NONE)?;
        for index in animated {
            let Some(id) = self.node(scene, index as usize) else { continue };
            let node = &root.nodes[index as usize];
            let at = Pointer::entry("nodes", index as usize);
            let mesh = node.mesh.map(|mesh| mesh.index());
            let weights =
                mesh.and_then(|mesh| weights(node, &root.meshes[mesh], &self.meshes[mesh]));
            let local = local(node, &at, &mut lenient())?;
            poses.insert(id, RestPose { local, weights });
        }
        Ok(())
    }
}
