//! `Document`: a file as scenes, and what it takes to write it back.
//!
//! Beside its scenes a document keeps the file's text and bytes, and which node, geometry and
//! material came from where. Saving compares the two (`save/`).

mod animation;
mod node_indices;

pub use animation::Animation;
pub(crate) use animation::{LoadedAnimation, Targets, VisibilityTrack};
pub(crate) use node_indices::NodeIndices;

use std::sync::Arc;

use glam::Mat4;
use pleach::animation::Binding;
use pleach::{Camera, Handle, Image, Light, Material, NodeId, Part, Scene};

use crate::json;
use crate::load::{Buffer, skin};
use crate::{Bytes, Error, ErrorKind, Report, diagnostics::Pointer, load};

/// A glTF file: its scenes, animations and all else.
///
/// ```
/// let file = r#"{
///     "asset": {"version": "2.0"},
///     "scenes": [{"name": "yard", "nodes": [0]}],
///     "nodes": [{"name": "shed", "children": [1], "extras": {"price": 12.50}},
///               {"name": "door", "translation": [1, 0, 0]}]
/// }"#;
/// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
///
/// // Its scenes are scenes as any.
/// let scene = &mut document.scenes_mut()[0];
/// let door = scene.graph.find("door").unwrap();
/// scene.graph.node_mut(door)?.set_name("gate");
///
/// // What was not touched is written as it was.
/// let saved = document.save_bytes(pleach_gltf::Format::Gltf)?;
/// assert_eq!(std::str::from_utf8(&saved.bytes)?, file.replace("door", "gate"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Indices in here are the file's own: `document.node(0, 14)` is what the file calls node 14.
#[derive(Debug, Default)]
pub struct Document {
    /// The file's scenes, and one more for what no scene lists.
    pub(crate) trees: Vec<Scene>,
    pub(crate) node_indices: Vec<NodeIndices>,
    /// How many of the trees are the file's scenes.
    pub(crate) listed: usize,
    pub(crate) default_scene: Option<usize>,
    pub(crate) animations: Vec<Animation>,
    pub(crate) images: Vec<Handle<Image>>,
    pub(crate) materials: Vec<Handle<Material>>,
    /// Of primitives that name none.
    pub(crate) default_material: Option<Handle<Material>>,
    pub(crate) meshes: Vec<Vec<Part>>,
    pub(crate) skins: Vec<skin::Skin>,
    pub(crate) cameras: Vec<Camera>,
    pub(crate) lights: Vec<Light>,
    pub(crate) report: Report,
    /// Is +Y up in the scenes, as in files?
    pub(crate) y_up: bool,
    /// The file; none for what was built in code.
    pub(crate) source: Option<SourceFile>,
}

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) format: Format,
    pub(crate) json: Bytes,
    pub(crate) buffers: Vec<Buffer>,
    /// The bytes of a `.glb`, with what is after the buffer's end.
    pub(crate) bin_chunk: Option<Bytes>,
    /// Files beside the model, whole, by name.
    pub(crate) files: Vec<(String, Bytes)>,
    /// Chunks of a `.glb` that are not known.
    pub(crate) unknown_chunks: Vec<(u32, Bytes)>,
}

/// The two forms of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON, with the bytes in files beside it: `.gltf`.
    Gltf,
    /// All in one: `.glb`.
    Glb,
}

impl Document {
    /// A document of scenes that were built in code, or come from elsewhere. They are Z-up,
    /// as scenes are. The first is the one to show.
    #[must_use]
    pub fn from_scenes(scenes: impl IntoIterator<Item = Scene>) -> Self {
        let trees: Vec<Scene> = scenes.into_iter().collect();
        let node_indices = trees.iter().map(|_| NodeIndices::default()).collect();
        let default_scene = (!trees.is_empty()).then_some(0);
        Self { listed: trees.len(), trees, node_indices, default_scene, ..Self::default() }
    }

    /// Its scenes, in the file's order.
    #[must_use]
    pub fn scenes(&self) -> &[Scene] {
        &self.trees[..self.listed]
    }

    /// Its scenes, to change. To put another in the place of one there is
    /// [`replace_scene`](Self::replace_scene).
    pub fn scenes_mut(&mut self) -> &mut [Scene] {
        &mut self.trees[..self.listed]
    }

    /// Puts another scene in the place of one, which it gives back; `None` if there is no such
    /// scene. Nodes of the old one are not in the file any more, unless another scene has them.
    pub fn replace_scene(&mut self, index: usize, scene: Scene) -> Option<Scene> {
        let old = self.trees[..self.listed].get_mut(index)?;
        self.node_indices[index] = NodeIndices::default();
        Some(std::mem::replace(old, scene))
    }

    /// The scene to show: the file's choice, or its first; if it has none, what no scene
    /// lists; if there is nothing at all, `None`.
    #[must_use]
    pub fn scene(&self) -> Option<&Scene> {
        self.trees.get(self.default_scene.unwrap_or(0))
    }

    /// The scene to show, to change.
    pub fn scene_mut(&mut self) -> Option<&mut Scene> {
        self.trees.get_mut(self.default_scene.unwrap_or(0))
    }

    /// Which scene the file says to show first.
    #[must_use]
    pub fn default_scene(&self) -> Option<usize> {
        self.default_scene
    }

    /// The nodes that no scene lists, as a scene of their own. Its number, where one is asked
    /// for, is that after the last scene.
    #[must_use]
    pub fn unreferenced_nodes(&self) -> Option<&Scene> {
        self.trees.get(self.listed)
    }

    /// The nodes that no scene lists, to change.
    pub fn unreferenced_nodes_mut(&mut self) -> Option<&mut Scene> {
        self.trees.get_mut(self.listed)
    }

    /// The scene to show, without the rest; an empty one if there is none.
    #[must_use]
    pub fn into_scene(mut self) -> Scene {
        let chosen = self.default_scene.unwrap_or(0);
        if chosen < self.trees.len() { self.trees.swap_remove(chosen) } else { Scene::new() }
    }

    /// The scenes, without the rest.
    #[must_use]
    pub fn into_scenes(mut self) -> Vec<Scene> {
        self.trees.truncate(self.listed);
        self.trees
    }

    /// The node of a scene that the file calls `index`. A root that several scenes list is
    /// another node in each. `None` if it is not in the scene, or was removed.
    #[must_use]
    pub fn node(&self, scene: usize, index: usize) -> Option<NodeId> {
        let node = self.node_indices.get(scene)?.node(index)?;
        self.trees[scene].graph.contains(node).then_some(node)
    }

    /// What the file calls a node of a scene; `None` if it was added later.
    #[must_use]
    pub fn index_of(&self, scene: usize, node: NodeId) -> Option<usize> {
        let file = self
            .node_indices
            .get(scene)?
            .index_of(node)
            .filter(|_| self.trees[scene].graph.contains(node))?;
        Some(file as usize)
    }

    /// The node of a scene that turns the file's +Y up into +Z up, above the file's roots.
    #[must_use]
    pub fn up_axis_node(&self, scene: usize) -> Option<NodeId> {
        self.node_indices.get(scene)?.up_axis_node
    }

    /// Its animations; at first in the file's order.
    #[must_use]
    pub fn animations(&self) -> &[Animation] {
        &self.animations
    }

    /// Its animations, to change or take out. Those of the file keep their order when they are
    /// saved, whatever theirs is here.
    pub fn animations_mut(&mut self) -> &mut Vec<Animation> {
        &mut self.animations
    }

    /// Adds an animation of nodes of a scene, to be saved with it.
    pub fn add_animation(&mut self, scene: usize, binding: &Binding) {
        let clip = Arc::clone(binding.clip());
        self.animations.push(Animation::from_scene(scene, clip, binding.nodes().to_vec()));
    }

    /// An animation's clip with the nodes of a scene that it moves, ready for a
    /// [`Mixer`](pleach::animation::Mixer). Nodes that are not in this scene are left alone.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Reference`] if there is no such animation or scene.
    pub fn bind(&self, animation: usize, scene: usize) -> Result<Binding, Error> {
        let animations = Pointer::root("animations");
        let at = animations.index(animation);
        let (Some(chosen), Some(tree)) = (self.animations.get(animation), self.trees.get(scene))
        else {
            let (what, index, count) = match self.animations.get(animation) {
                None => ("animation", animation, self.animations.len()),
                Some(_) => ("scene", scene, self.trees.len()),
            };
            return Err(Error::missing(&at, what, index, count));
        };
        let is_alive = |node: &NodeId| tree.graph.contains(*node);
        let nodes: Vec<Option<NodeId>> = match &chosen.targets {
            Targets::File(nodes) => {
                nodes.iter().map(|&index| self.node(scene, index as usize)).collect()
            }
            Targets::Scene(of, nodes) if *of == scene => {
                nodes.iter().map(|node| node.filter(is_alive)).collect()
            }
            Targets::Scene(_, nodes) => vec![None; nodes.len()],
        };
        Binding::new(Arc::clone(chosen.clip()), nodes)
            .map_err(|fault| Error::new(ErrorKind::Value, &at, fault.to_string()))
    }

    /// Shows and hides nodes of a scene as an animation's KHR_animation_pointer channels for
    /// KHR_node_visibility say for this moment. All else that is animated is in its clip.
    pub fn apply_visibility(&mut self, animation: usize, scene: usize, seconds: f32) {
        let (Some(animation), Some(node_indices), Some(tree)) = (
            self.animations.get(animation),
            self.node_indices.get(scene),
            self.trees.get_mut(scene),
        ) else {
            return;
        };
        for track in &animation.visibility_tracks {
            let node = node_indices.node(track.node as usize);
            if let Some(mut node) = node.and_then(|node| tree.graph.get_mut(node)) {
                node.set_visible(track.is_visible_at(seconds));
            }
        }
    }

    /// The parts of the file's meshes, by the file's index.
    #[must_use]
    pub fn meshes(&self) -> &[Vec<Part>] {
        &self.meshes
    }

    /// The file's materials.
    #[must_use]
    pub fn materials(&self) -> &[Handle<Material>] {
        &self.materials
    }

    /// The file's images, not decoded: see [`decode`](crate::decode).
    #[must_use]
    pub fn images(&self) -> &[Handle<Image>] {
        &self.images
    }

    /// The file's skins, used or not: the nodes that are their joints, by the file's index, and the
    /// inverse bind matrix of each.
    #[must_use]
    pub fn skins(&self) -> impl ExactSizeIterator<Item = (&[u32], &[Mat4])> {
        self.skins.iter().map(|skin| (&*skin.joints, &*skin.inverse_binds))
    }

    /// The file's cameras.
    #[must_use]
    pub fn cameras(&self) -> &[Camera] {
        &self.cameras
    }

    /// The file's lights.
    #[must_use]
    pub fn lights(&self) -> &[Light] {
        &self.lights
    }

    /// What was odd about the file.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The file's JSON, as it was read; empty for a document that was built in code.
    #[must_use]
    pub fn json(&self) -> &str {
        // It was read as text.
        self.source
            .as_ref()
            .and_then(|source| load::json_text(&source.json).ok())
            .unwrap_or_default()
    }

    /// The name of anything in the file that has one, by a JSON pointer: `/meshes/3`.
    /// O(length of the file).
    #[must_use]
    pub fn name(&self, pointer: &str) -> Option<String> {
        serde_json::from_str(self.raw(&format!("{pointer}/name"))?).ok()
    }

    /// The text of a value in the file's JSON, by a JSON pointer: `/nodes/3/extras`. For
    /// extras and extensions that nothing here knows. O(length of the file).
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "nodes": [{"extras": {"price": 12.50}}] }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// assert_eq!(document.raw("/nodes/0/extras/price"), Some("12.50"));
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn raw(&self, pointer: &str) -> Option<&str> {
        let text = self.json();
        json::value_at(text, pointer).map(|span| &text[span])
    }
}
