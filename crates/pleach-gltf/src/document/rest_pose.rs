//! The rest pose of the file: the transforms and weights that its animated nodes were loaded with.

use std::collections::BTreeSet;

use crate::diagnostics::Pointer;
use crate::document::Targets;
use crate::json::{ParseLimits, Root};
use crate::load::node::{Local, local, weights};
use crate::save::lenient;
use crate::{Document, Error, ErrorKind};

impl Document {
    /// Sets the animated nodes of `scene` to the transforms and morph weights of the loaded file, for
    /// example before saving a document while an animation plays. Other nodes are not changed, nor
    /// are nodes that were added later. Parses the text of the file again.
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
        if self.source.is_none() {
            return Ok(());
        }
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
        let mut poses = Vec::new();
        let root = Root::parse(self.json(), ParseLimits::NONE)?;
        for index in animated {
            let Some(id) = self.node(scene, index as usize) else { continue };
            let node = &root.nodes[index as usize];
            let at = Pointer::entry("nodes", index as usize);
            let mesh = node.mesh.map(|mesh| mesh.index());
            let weights =
                mesh.and_then(|mesh| weights(node, &root.meshes[mesh], &self.meshes[mesh]));
            poses.push((id, local(node, &at, &mut lenient())?, weights));
        }
        let tree = &mut self.trees[scene];
        for (id, local, weights) in poses {
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
}
