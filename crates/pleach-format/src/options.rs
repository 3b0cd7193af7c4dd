//! `Options`: the kinds of components and the limits, and the calls that write and read with them.

use std::sync::Arc;

use pleach::animation::Clip;
use pleach::component::Component;
use pleach::graph::Patch;
use pleach::undo::ScenePatch;
use pleach::{Graph, Scene};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::user_kinds::{UserKind, UserKinds};
use crate::{AssetMap, Error, Limits, binary, json, patch, scene_patch};

/// Options for writing and reading scenes.
///
/// ```
/// use pleach::{Component, Node, Scene};
/// use pleach_format::Options;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct Health(u32);
///
/// impl Component for Health {
///     const NAME: &'static str = "health";
/// }
///
/// let mut scene = Scene::new();
/// let player = scene.spawn(Node::group().with(Health(3)))?;
///
/// let options = Options::new().component::<Health>();
/// let bytes = options.to_bytes(&scene, &[])?;
/// let loaded = options.from_bytes(&bytes)?.scene;
/// assert_eq!(loaded.get::<Health>(player), Some(&Health(3)));
///
/// // A kind that is not registered is an error, not lost.
/// assert!(pleach_format::to_bytes(&scene).is_err() && pleach_format::from_bytes(&bytes).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    kinds: UserKinds,
    limits: Limits,
    without_checksums: bool,
}

/// A scene that was read, and the clips that were written with it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Snapshot {
    /// The scene. Call [`Scene::update`] before you read what is derived.
    pub scene: Scene,
    /// The animation clips, in the order in which they were written.
    pub clips: Vec<Arc<Clip>>,
}

impl Options {
    /// Creates options without kinds of components, with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers one of your own kinds of components, which is written and read with serde. The kind is
    /// found by [`Component::NAME`].
    ///
    /// The rows are restored with the same values, if what `Serialize` writes is all of them: handles
    /// of nodes may be fields (feature `serde` of `pleach`); handles of assets cannot. A change of the type's serde form makes older
    /// files unreadable: version it as you would in a file of your own.
    #[must_use]
    pub fn component<T: Component + Serialize + DeserializeOwned>(mut self) -> Self {
        self.kinds.register(UserKind::of::<T>());
        self
    }

    /// Leaves out a kind of components by its name: it is neither written nor read.
    ///
    /// ```
    /// # use pleach::{Component, Node, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// # let mut scene = Scene::new();
    /// scene.spawn(Node::group().with(Health(3)))?;
    /// let options = pleach_format::Options::new().skip_component("health");
    /// assert!(options.to_bytes(&scene, &[]).is_ok());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn skip_component(mut self, name: impl Into<String>) -> Self {
        self.kinds.skip(name.into());
        self
    }

    /// Sets the memory that reading may take.
    ///
    /// ```
    /// use pleach_format::{ErrorKind, Limits, Options};
    ///
    /// let bytes = pleach_format::to_bytes(&pleach::Scene::new())?;
    /// let limits = Limits { max_decoded_bytes: 100, max_decoded_ratio: 0 };
    /// let error = Options::new().with_limits(limits).from_bytes(&bytes).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Limit);
    /// # Ok::<(), pleach_format::Error>(())
    /// ```
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Does not compare the checksums when reading: for files whose bytes are verified otherwise.
    /// Everything else is checked as always.
    #[must_use]
    pub fn without_checksums(self) -> Self {
        Self { without_checksums: true, ..self }
    }

    /// Writes a scene and clips to bytes.
    ///
    /// Equal scenes give equal bytes. The cost is about that of copying the data.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Component`](crate::ErrorKind::Component) if the scene has components of a kind that is not registered;
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for values that the format cannot
    /// express; [`ErrorKind::Value`](crate::ErrorKind::Value) for an image whose pixels do not match
    /// its size.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pleach::Scene;
    /// use pleach::animation::Clip;
    /// use pleach_format::Options;
    ///
    /// let clip = Arc::new(Clip::new("idle", ["root"], [])?);
    /// let bytes = Options::new().to_bytes(&Scene::named("level"), &[clip])?;
    /// let snapshot = Options::new().from_bytes(&bytes)?;
    /// assert_eq!((&*snapshot.scene.name, snapshot.clips[0].name()), ("level", "idle"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self, scene: &Scene, clips: &[Arc<Clip>]) -> Result<Vec<u8>, Error> {
        binary::write(scene, clips, &self.kinds)
    }

    /// Reads a scene and its clips from bytes, which may come from anywhere.
    ///
    /// # Errors
    ///
    /// [`Error`] with the offset of the byte or record that is not valid.
    pub fn from_bytes(&self, bytes: &[u8]) -> Result<Snapshot, Error> {
        binary::read(bytes, &self.kinds, &self.limits, !self.without_checksums)
    }

    /// Writes a scene and clips as JSON text, for people and other programs: the same content as
    /// [`to_bytes`](Self::to_bytes), bit for bit.
    ///
    /// # Errors
    ///
    /// Those of [`to_bytes`](Self::to_bytes).
    pub fn to_json(&self, scene: &Scene, clips: &[Arc<Clip>]) -> Result<String, Error> {
        json::write(scene, clips, &self.kinds)
    }

    /// Reads a patch from bytes, which may come from anywhere; otherwise like [`patch_from_bytes`].
    ///
    /// # Errors
    ///
    /// Those of [`patch_from_bytes`].
    pub fn patch_from_bytes(&self, bytes: &[u8], graph: &Graph) -> Result<Patch, Error> {
        patch::read(bytes, graph, &self.limits, !self.without_checksums)
    }

    /// Writes a patch of a scene to bytes: its edits of nodes, components, assets, environment and name,
    /// with the values before and after, the lineage and the revisions that they lead between.
    ///
    /// Nodes are written by their handles, which are the same in the scene of a snapshot. Assets are
    /// written by their numbers in `map`; those that are new to it are added, and written as they are
    /// now: write a patch before the scene is edited further. Components of nodes that were removed from
    /// the graph alone are not part of a snapshot: [update](Scene::update) a scene before the snapshot
    /// that its patches follow.
    ///
    /// # Errors
    ///
    /// Those of [`to_bytes`](Self::to_bytes), and
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for edits of your own kinds of
    /// assets. The map is unchanged then.
    pub fn scene_patch_to_bytes(
        &self,
        patch: &ScenePatch,
        map: &mut AssetMap,
    ) -> Result<Vec<u8>, Error> {
        scene_patch::write(patch, map, &self.kinds)
    }

    /// Reads a patch from bytes, which may come from anywhere, for a scene in the state that it begins
    /// with: then [`Scene::apply`] performs it, and [`Scene::revert`] undoes it. See [`AssetMap`] for
    /// an example.
    ///
    /// The assets that are new are added to the registry of the scene and to `map`. Otherwise nothing is
    /// changed.
    ///
    /// # Errors
    ///
    /// [`Error`] with the offset of the byte or edit that is not valid;
    /// [`ErrorKind::Patch`](crate::ErrorKind::Patch) if the patch belongs to another scene, begins with
    /// another revision (it was applied already, or one before it was not), or does not fit. The map is
    /// unchanged then.
    pub fn scene_patch_from_bytes(
        &self,
        bytes: &[u8],
        scene: &Scene,
        map: &mut AssetMap,
    ) -> Result<ScenePatch, Error> {
        let limits = (&self.limits, !self.without_checksums);
        scene_patch::read(bytes, scene, map, &self.kinds, limits)
    }

    /// Writes a patch of a scene as JSON text; otherwise like
    /// [`scene_patch_to_bytes`](Self::scene_patch_to_bytes).
    ///
    /// # Errors
    ///
    /// Those of [`scene_patch_to_bytes`](Self::scene_patch_to_bytes).
    ///
    /// ```
    /// use pleach::{Node, Scene};
    /// use pleach_format::{AssetMap, Options};
    ///
    /// let mut scene = Scene::new();
    /// let (_, patch) = scene.transact("Add lamp", |scene| scene.spawn(Node::group()))?;
    /// scene.revert(&patch)?;
    /// let text = Options::new().scene_patch_to_json(&patch, &mut AssetMap::default())?;
    /// let mut map = AssetMap::default();
    /// let read = Options::new().scene_patch_from_json(&text, &scene, &mut map)?;
    /// assert_eq!((read.label(), read.graph().len()), ("Add lamp", 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scene_patch_to_json(
        &self,
        patch: &ScenePatch,
        map: &mut AssetMap,
    ) -> Result<String, Error> {
        scene_patch::write_json(patch, map, &self.kinds)
    }

    /// Reads what [`scene_patch_to_json`](Self::scene_patch_to_json) wrote; otherwise like
    /// [`scene_patch_from_bytes`](Self::scene_patch_from_bytes).
    ///
    /// # Errors
    ///
    /// [`Error`] with the line, or the record that is not valid.
    pub fn scene_patch_from_json(
        &self,
        text: &str,
        scene: &Scene,
        map: &mut AssetMap,
    ) -> Result<ScenePatch, Error> {
        scene_patch::read_json(text, scene, map, &self.kinds, &self.limits)
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    ///
    /// [`Error`] with the line, or the record that is not valid.
    pub fn from_json(&self, text: &str) -> Result<Snapshot, Error> {
        json::read(text, &self.kinds, &self.limits)
    }
}

/// Writes a scene to bytes, with default [`Options`].
///
/// # Errors
///
/// Those of [`Options::to_bytes`].
pub fn to_bytes(scene: &Scene) -> Result<Vec<u8>, Error> {
    Options::new().to_bytes(scene, &[])
}

/// Reads a scene from bytes, with default [`Options`].
///
/// # Errors
///
/// Those of [`Options::from_bytes`].
pub fn from_bytes(bytes: &[u8]) -> Result<Scene, Error> {
    Ok(Options::new().from_bytes(bytes)?.scene)
}

/// Writes a scene as JSON text, with default [`Options`].
///
/// # Errors
///
/// Those of [`Options::to_json`].
///
/// ```
/// let text = pleach_format::to_json(&pleach::Scene::named("level"))?;
/// assert!(text.contains(r#""name": "level""#));
/// assert_eq!(pleach_format::from_json(&text)?.name, "level");
/// # Ok::<(), pleach_format::Error>(())
/// ```
pub fn to_json(scene: &Scene) -> Result<String, Error> {
    Options::new().to_json(scene, &[])
}

/// Reads a scene from JSON text, with default [`Options`].
///
/// # Errors
///
/// Those of [`Options::from_json`].
pub fn from_json(text: &str) -> Result<Scene, Error> {
    Ok(Options::new().from_json(text)?.scene)
}

/// Writes a patch to bytes: the recorded edits of a graph, with the lineage and the revisions that they
/// lead between.
///
/// Of a transform only the properties that change are written: an edit of a translation among others takes
/// about 23 bytes.
///
/// # Errors
///
/// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for edits that the format cannot express.
///
/// ```
/// use pleach::{Graph, Transform, glam::Vec3};
///
/// let mut graph = Graph::new();
/// let lamp = graph.add_root(Transform::IDENTITY)?;
/// let mut copy = graph.clone();
/// let (_, patch) = graph.transact("Move lamp", |graph| {
///     graph.node_mut(lamp)?.set_translation(Vec3::X).map(drop)
/// })?;
///
/// let bytes = pleach_format::patch_to_bytes(&patch)?;
/// let patch = pleach_format::patch_from_bytes(&bytes, &copy)?;
/// copy.apply(&patch)?;
/// assert_eq!(copy.node(lamp)?.translation(), Vec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn patch_to_bytes(patch: &Patch) -> Result<Vec<u8>, Error> {
    patch::write(patch)
}

/// Reads a patch from bytes, for a graph in the state that the patch begins with. Properties of transforms
/// that the patch does not change are those of the graph. [`Graph::apply`] checks whether the patch fits.
///
/// # Errors
///
/// [`Error`] with the offset of the byte or edit that is not valid; also if the transform of a node changes that is not in the
/// graph.
pub fn patch_from_bytes(bytes: &[u8], graph: &Graph) -> Result<Patch, Error> {
    Options::new().patch_from_bytes(bytes, graph)
}

/// Writes a patch as JSON text, for people and other programs.
///
/// # Errors
///
/// Those of [`patch_to_bytes`].
pub fn patch_to_json(patch: &Patch) -> Result<String, Error> {
    patch::write_json(patch)
}

/// Reads what [`patch_to_json`] wrote; otherwise like [`patch_from_bytes`].
///
/// # Errors
///
/// [`Error`] with the line or the edit that is not valid.
pub fn patch_from_json(text: &str, graph: &Graph) -> Result<Patch, Error> {
    patch::read_json(text, graph, &Limits::default())
}
