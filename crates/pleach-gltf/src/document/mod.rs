//! `Document`: a glTF file as scenes and animations, with the source file that they were loaded
//! from.
//!
//! Written by `load/`, read and edited by the user, read by `save/`, which compares the scenes with
//! the source text. Guarantees that the file's indices of nodes, geometries and materials stay
//! known for as long as the document lives.

mod animation;
pub(crate) mod loaded;
mod node_indices;
pub(crate) mod node_text;
mod property_track;
pub(crate) mod rest_pose;
pub(crate) mod variants;

pub use animation::Animation;
pub(crate) use animation::{LoadedAnimation, Targets, VisibilityTrack};
pub(crate) use node_indices::NodeIndices;
use property_track::PropertyRestValues;
pub(crate) use property_track::{PropertyTarget, PropertyTrack};

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Mat4;
use pleach::animation::Binding;
use pleach::{Camera, Handle, Image, Light, Material, NodeId, Part, Scene};

use self::loaded::LoadedVersions;
use self::rest_pose::RestPose;
use self::variants::Variants;
use crate::json;
use crate::load::{Buffer, ComponentReader, skin};
use crate::{Bytes, Error, ErrorKind, Report, diagnostics::Pointer, load};

/// A glTF file: its scenes, animations and source text.
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
/// // Its scenes are ordinary scenes.
/// let scene = &mut document.scenes_mut()[0];
/// let door = scene.graph.find("door").unwrap();
/// scene.graph.node_mut(door)?.set_name("gate");
///
/// // Everything else is written unchanged.
/// let saved = document.save_bytes(pleach_gltf::Format::Gltf)?;
/// assert_eq!(std::str::from_utf8(&saved.bytes)?, file.replace("door", "gate"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Indices are those of the file: `document.node(0, 14)` is node 14 of the file.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The file's scenes, and one more for nodes that no scene lists.
    pub(crate) trees: Vec<Scene>,
    pub(crate) node_indices: Vec<NodeIndices>,
    /// The number of `trees` that are scenes of the file.
    pub(crate) listed: usize,
    pub(crate) default_scene: Option<usize>,
    pub(crate) animations: Vec<Animation>,
    pub(crate) images: Vec<Handle<Image>>,
    pub(crate) materials: Vec<Handle<Material>>,
    /// The material of primitives without one.
    pub(crate) default_material: Option<Handle<Material>>,
    pub(crate) meshes: Vec<Vec<Part>>,
    /// The images, materials and geometries as they were loaded.
    pub(crate) loaded: LoadedVersions,
    pub(crate) variants: Variants,
    pub(crate) skins: Vec<skin::Skin>,
    pub(crate) cameras: Vec<Camera>,
    pub(crate) lights: Vec<Light>,
    /// The kinds of users' own components that were read.
    pub(crate) components: Vec<ComponentReader>,
    /// The components that were read: the file's node and the name of the kind.
    pub(crate) components_read: BTreeSet<(usize, &'static str)>,
    /// The values of animated properties before [`apply_pointers`](Self::apply_pointers).
    pub(crate) property_rest_values: PropertyRestValues,
    pub(crate) report: Report,
    /// `true` if the scenes are Y-up, like files.
    pub(crate) y_up: bool,
    /// The source file; `None` for a document that was built in code.
    pub(crate) source: Option<SourceFile>,
}

/// A file as it was loaded.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    pub(crate) format: Format,
    pub(crate) json: Bytes,
    pub(crate) buffers: Vec<Buffer>,
    /// The binary chunk of a `.glb`, including bytes after the buffer's end.
    pub(crate) bin_chunk: Option<Bytes>,
    /// External files by name, with their whole content.
    pub(crate) files: Vec<(String, Bytes)>,
    /// Chunks of a `.glb` other than JSON and binary.
    pub(crate) unknown_chunks: Vec<(u32, Bytes)>,
}

/// The two formats of a glTF file: `.gltf` and `.glb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `.gltf`: JSON, with binary data in external files or data URIs.
    Gltf,
    /// `.glb`: JSON and binary data in one file.
    Glb,
}

impl Document {
    /// Creates a document from scenes that were built in code or loaded from another format. They
    /// are Z-up. The first becomes the default scene.
    ///
    /// ```
    /// use pleach::Scene;
    /// use pleach_gltf::Document;
    ///
    /// let document = Document::from_scenes([Scene::named("level"), Scene::named("menu")]);
    /// assert_eq!((document.scenes().len(), document.default_scene()), (2, Some(0)));
    /// ```
    #[must_use]
    pub fn from_scenes(scenes: impl IntoIterator<Item = Scene>) -> Self {
        let trees: Vec<Scene> = scenes.into_iter().collect();
        let node_indices = trees.iter().map(|_| NodeIndices::default()).collect();
        let default_scene = (!trees.is_empty()).then_some(0);
        Self { listed: trees.len(), trees, node_indices, default_scene, ..Self::default() }
    }

    /// Returns the scenes in the file's order.
    #[must_use]
    pub fn scenes(&self) -> &[Scene] {
        &self.trees[..self.listed]
    }

    /// Returns the scenes for editing. Use [`replace_scene`](Self::replace_scene) to replace one.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// use pleach::Node;
    ///
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// for scene in document.scenes_mut() {
    ///     scene.spawn(Node::group().named("door"))?;
    /// }
    /// assert!(document.scenes()[0].graph.find("door").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scenes_mut(&mut self) -> &mut [Scene] {
        &mut self.trees[..self.listed]
    }

    /// Replaces the scene at `index` and returns the old one, or `None` if there is no such
    /// scene. Nodes of the old scene are removed from the file unless another scene has them.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// use pleach::Scene;
    ///
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let old = document.replace_scene(0, Scene::named("empty")).unwrap();
    /// assert!(old.graph.find("house").is_some());
    /// assert_eq!(document.scenes()[0].name, "empty");
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    pub fn replace_scene(&mut self, index: usize, scene: Scene) -> Option<Scene> {
        let old = self.trees[..self.listed].get_mut(index)?;
        self.node_indices[index] = NodeIndices::default();
        Some(std::mem::replace(old, scene))
    }

    /// Returns the scene to show: the default scene, else the first, else the nodes that no scene
    /// lists; `None` if the file has neither scenes nor nodes.
    #[must_use]
    pub fn scene(&self) -> Option<&Scene> {
        self.trees.get(self.default_scene.unwrap_or(0))
    }

    /// Returns the scene to show, for editing.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let scene = document.scene_mut().unwrap();
    /// let house = scene.graph.find("house").unwrap();
    /// scene.remove(house)?;
    /// assert!(document.scene().unwrap().graph.find("house").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scene_mut(&mut self) -> Option<&mut Scene> {
        self.trees.get_mut(self.default_scene.unwrap_or(0))
    }

    /// Returns the index of the file's default scene.
    #[must_use]
    pub fn default_scene(&self) -> Option<usize> {
        self.default_scene
    }

    /// Returns the nodes that no scene lists, as an additional scene. Methods that take a scene
    /// index accept `scenes().len()` for it.
    #[must_use]
    pub fn unreferenced_nodes(&self) -> Option<&Scene> {
        self.trees.get(self.listed)
    }

    /// Returns the nodes that no scene lists, for editing.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{}], "nodes": [{"name": "spare"}] }"#;
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let spare = document.unreferenced_nodes_mut().unwrap();
    /// assert!(spare.graph.find("spare").is_some());
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    pub fn unreferenced_nodes_mut(&mut self) -> Option<&mut Scene> {
        self.trees.get_mut(self.listed)
    }

    /// Returns the [scene to show](Self::scene) and discards the rest; an empty scene if there is
    /// none.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let scene = pleach_gltf::load_bytes(file.as_bytes())?.into_scene();
    /// assert!(scene.graph.find("house").is_some());
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn into_scene(mut self) -> Scene {
        let chosen = self.default_scene.unwrap_or(0);
        if chosen < self.trees.len() { self.trees.swap_remove(chosen) } else { Scene::new() }
    }

    /// Returns the scenes and discards the rest.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let scenes = pleach_gltf::load_bytes(file.as_bytes())?.into_scenes();
    /// assert_eq!(scenes.len(), 1);
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn into_scenes(mut self) -> Vec<Scene> {
        self.trees.truncate(self.listed);
        self.trees
    }

    /// Returns the node of `scene` for the file's node `index`, or `None` if it is not in the scene
    /// or was removed. A root that several scenes list is a different node in each.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let house = document.node(0, 0).unwrap();                 // nodes[0] in scenes[0]
    /// assert_eq!(document.scenes()[0].graph.get(house).unwrap().name(), Some("house"));
    /// assert_eq!(document.node(0, 1), None);
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn node(&self, scene: usize, index: usize) -> Option<NodeId> {
        let node = self.node_indices.get(scene)?.node(index)?;
        self.trees[scene].graph.contains(node).then_some(node)
    }

    /// Returns the file's index of a node of `scene`, or `None` if the node was added after
    /// loading.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// use pleach::Node;
    ///
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let house = document.node(0, 0).unwrap();
    /// let added = document.scenes_mut()[0].spawn(Node::group())?;
    /// assert_eq!(document.index_of(0, house), Some(0));
    /// assert_eq!(document.index_of(0, added), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index_of(&self, scene: usize, node: NodeId) -> Option<usize> {
        let file = self
            .node_indices
            .get(scene)?
            .index_of(node)
            .filter(|_| self.trees[scene].graph.contains(node))?;
        Some(file as usize)
    }

    /// Returns the node above the file's roots that converts Y-up to Z-up in `scene`.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let house = document.node(0, 0).unwrap();
    /// let parent = document.scenes()[0].graph.get(house).unwrap().parent();
    /// assert_eq!(document.up_axis_node(0), parent);
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn up_axis_node(&self, scene: usize) -> Option<NodeId> {
        self.node_indices.get(scene)?.up_axis_node
    }

    /// Returns the animations, initially in the file's order.
    #[must_use]
    #[doc(alias("AnimationClip"))]
    pub fn animations(&self) -> &[Animation] {
        &self.animations
    }

    /// Returns the animations for editing or removal. Saving writes animations of the file in the
    /// file's order, regardless of their order here.
    ///
    /// ```
    /// use pleach::animation::{Binding, Channel, Clip, Interpolation};
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    /// use pleach_gltf::Document;
    ///
    /// let mut scene = Scene::new();
    /// let lift = scene.spawn(Node::group().named("lift"))?;
    /// let rise = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], [Vec3::ZERO, Vec3::Z])?;
    /// let rise = Binding::new(Clip::new("rise", ["lift"], [rise])?, [lift])?;
    /// let mut document = Document::from_scenes([scene]);
    /// document.add_animation(0, &rise);
    /// document.animations_mut().retain(|animation| animation.clip().name() != "rise");
    /// assert!(document.animations().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn animations_mut(&mut self) -> &mut Vec<Animation> {
        &mut self.animations
    }

    /// Adds an animation of nodes of `scene`, which is saved with the document. The current pose of
    /// the nodes is their rest pose (see [`restore_rest_pose`](Self::restore_rest_pose)).
    ///
    /// ```
    /// use pleach::animation::{Binding, Channel, Clip, Interpolation};
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    /// use pleach_gltf::Document;
    ///
    /// let mut scene = Scene::new();
    /// let lift = scene.spawn(Node::group().named("lift"))?;
    /// let rise = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], [Vec3::ZERO, Vec3::Z])?;
    /// let rise = Binding::new(Clip::new("rise", ["lift"], [rise])?, [lift])?;
    /// let mut document = Document::from_scenes([scene]);
    /// document.add_animation(0, &rise);
    /// assert_eq!(document.animations()[0].clip().name(), "rise");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_animation(&mut self, scene: usize, binding: &Binding) {
        let clip = Arc::clone(binding.clip());
        let nodes = binding.nodes().to_vec();
        let tree = self.trees.get(scene);
        let rest_pose = |node: &Option<NodeId>| RestPose::of(tree?, (*node)?);
        let rest_poses = nodes.iter().map(rest_pose).collect();
        self.animations.push(Animation::from_scene(scene, clip, nodes, rest_poses));
    }

    /// Binds an animation's clip to the nodes of `scene`, for a
    /// [`Mixer`](pleach::animation::Mixer). Targets that are not in this scene stay unbound.
    ///
    /// ```
    /// use pleach::animation::{Binding, Channel, Clip, Interpolation};
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    /// use pleach_gltf::Document;
    ///
    /// let mut scene = Scene::new();
    /// let lift = scene.spawn(Node::group().named("lift"))?;
    /// let rise = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], [Vec3::ZERO, Vec3::Z])?;
    /// let rise = Binding::new(Clip::new("rise", ["lift"], [rise])?, [lift])?;
    /// let mut document = Document::from_scenes([scene]);
    /// document.add_animation(0, &rise);
    /// let binding = document.bind(0, 0)?;
    /// assert_eq!(binding.node(0), Some(lift));
    /// assert!(document.bind(1, 0).is_err(), "there is one animation");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
            .map_err(|error| Error::new(ErrorKind::Value, &at, error.to_string()))
    }

    /// Writes what an animation animates besides transforms and morph weights (which are in its
    /// clip) to `scene`, at `seconds`: the visibility of nodes, and properties of materials, cameras
    /// and lights (KHR_animation_pointer). Materials are edited in place, for everything that uses
    /// them. Does nothing if the animation or scene does not exist.
    ///
    /// Saving writes the current values: call [`restore_pointers`](Self::restore_pointers) before,
    /// unless they are wanted in the file.
    ///
    /// ```
    /// let file = br#"{
    ///     "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_animation_pointer"],
    ///     "materials": [{"pbrMetallicRoughness": {"roughnessFactor": 0.25}}],
    ///     "animations": [{
    ///         "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": {
    ///             "KHR_animation_pointer": {"pointer": "/materials/0/pbrMetallicRoughness/roughnessFactor"}}}}],
    ///         "samplers": [{"input": 0, "output": 1}]}],
    ///     "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
    ///                   {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"}],
    ///     "bufferViews": [{"buffer": 0, "byteLength": 8}],
    ///     "buffers": [{"byteLength": 8, "uri": "data:application/octet-stream;base64,AAAAAAAAgD8="}],
    ///     "scenes": [{}]
    /// }"#;
    /// let mut document = pleach_gltf::load_bytes(file)?;
    /// let material = document.materials()[0].clone();
    ///
    /// document.apply_pointers(0, 0, 0.5);
    /// assert_eq!(material.get().roughness, 0.5);
    /// document.restore_pointers();
    /// assert_eq!(material.get().roughness, 0.25);
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    pub fn apply_pointers(&mut self, animation: usize, scene: usize, seconds: f32) {
        let (Some(animation), Some(node_indices), Some(tree)) = (
            self.animations.get(animation),
            self.node_indices.get(scene),
            self.trees.get_mut(scene),
        ) else {
            return;
        };
        let rest_values = &mut self.property_rest_values;
        for track in &animation.visibility_tracks {
            let Some(id) = node_indices.node(track.node as usize) else { continue };
            if let Some(mut node) = tree.graph.get_mut(id) {
                rest_values.record_visibility(scene, id, node.as_node_ref().is_visible());
                node.set_visible(track.is_visible_at(seconds));
            }
        }
        let tracks = &animation.property_tracks;
        let node = |index: u32| node_indices.node(index as usize);
        rest_values.apply(tracks, seconds, &self.materials, (scene, tree), node);
    }

    /// Restores the visibility and the properties of materials, cameras and lights that
    /// [`apply_pointers`](Self::apply_pointers) changed.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// document.apply_pointers(0, 0, 0.5);                    // nothing here: there is no animation
    /// document.restore_pointers();                          // before saving
    /// assert!(document.save_bytes(pleach_gltf::Format::Glb).is_ok());
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    pub fn restore_pointers(&mut self) {
        self.property_rest_values.restore(&self.materials, &mut self.trees);
    }

    /// Binds the first animation of a name to the nodes of `scene`, like [`bind`](Self::bind).
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{}],
    ///     "animations": [{"name": "walk", "samplers": [], "channels": []}] }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// assert_eq!(document.bind_named("walk", 0)?.clip().name(), "walk");
    ///
    /// let missing = document.bind_named("run", 0).unwrap_err();
    /// assert_eq!(missing.to_string(), "/animations: no animation is named \"run\"; there is \"walk\"");
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Reference`] if there is no such scene, or no animation of that name; the message
    /// lists the names.
    #[doc(alias = "find_animation")]
    pub fn bind_named(&self, animation: &str, scene: usize) -> Result<Binding, Error> {
        let named = self.animations.iter().position(|it| it.clip().name() == animation);
        let Some(index) = named else {
            let names: Vec<String> =
                self.animations.iter().map(|it| format!("{:?}", it.clip().name())).collect();
            let known = match &*names {
                [] => "there are none".into(),
                [name] => format!("there is {name}"),
                names => format!("there are {}", names.join(", ")),
            };
            let message = format!("no animation is named {animation:?}; {known}");
            return Err(Error::new(ErrorKind::Reference, &Pointer::root("animations"), message));
        };
        self.bind(index, scene)
    }

    /// Returns the parts of the file's meshes, by the file's index.
    #[must_use]
    pub fn meshes(&self) -> &[Vec<Part>] {
        &self.meshes
    }

    /// Returns the file's materials.
    #[must_use]
    pub fn materials(&self) -> &[Handle<Material>] {
        &self.materials
    }

    /// Returns the file's images, still encoded: see [`decode`](crate::decode).
    #[must_use]
    pub fn images(&self) -> &[Handle<Image>] {
        &self.images
    }

    /// Returns the file's skins, including unused ones: the file's indices of their joint nodes,
    /// and the inverse bind matrix of each joint.
    #[must_use]
    pub fn skins(&self) -> impl ExactSizeIterator<Item = (&[u32], &[Mat4])> {
        self.skins.iter().map(|skin| (&*skin.joints, &*skin.inverse_binds))
    }

    /// Returns the file's cameras.
    #[must_use]
    pub fn cameras(&self) -> &[Camera] {
        &self.cameras
    }

    /// Returns the file's lights.
    #[must_use]
    pub fn lights(&self) -> &[Light] {
        &self.lights
    }

    /// Returns the warnings of loading.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the file's JSON text as it was loaded; empty for a document that was built in code.
    #[must_use]
    pub fn json(&self) -> &str {
        // Loading checked that it is UTF-8.
        self.source
            .as_ref()
            .and_then(|source| load::json_text(&source.json).ok())
            .unwrap_or_default()
    }

    /// Returns the `name` of the object at a JSON pointer such as `/meshes/3`. Takes time
    /// proportional to the length of the JSON.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// assert_eq!(document.name("/nodes/0").as_deref(), Some("house"));
    /// assert_eq!(document.name("/nodes/1"), None);
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self, pointer: &str) -> Option<String> {
        serde_json::from_str(self.raw(&format!("{pointer}/name"))?).ok()
    }

    /// Returns the text of the value at a JSON pointer such as `/nodes/3/extras`, for
    /// extras and unknown extensions. Takes time proportional to the length of the JSON.
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
