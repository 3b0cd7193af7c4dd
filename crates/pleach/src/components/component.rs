//! `Component`: what a type needs to be kept in a `Table`, and its view without its type.
//!
//! Built-in kinds and users' own kinds implement the same trait, and nothing else treats them
//! differently: dropping rows of removed nodes, cloning, checking and change lists all go through
//! it.

use std::any::Any;
use std::fmt;

use pleach_graph::{Graph, NodeId, NodeMap};

use crate::content::Content;
use crate::{Assets, Error, Scene, SceneProblemKind};

/// Data that a scene keeps by node, in a [`Table`](crate::Table) per type.
///
/// Rows are dropped when their node is removed, cloned with subtrees, and listed by
/// [`Scene::changes`](crate::Scene::changes). Only the name is required:
///
/// ```
/// use pleach::{Component, MapNode, Node, NodeId, Scene, UnmappedNode};
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Health(u32);
///
/// impl Component for Health {
///     const NAME: &'static str = "health";
/// }
///
/// /// A component that refers to another node.
/// #[derive(Clone)]
/// struct Guards(NodeId);
///
/// impl Component for Guards {
///     const NAME: &'static str = "guards";
///
///     fn map_nodes(&mut self, map: &MapNode<'_>) -> Result<(), UnmappedNode> {
///         self.0 = map(self.0)?;
///         Ok(())
///     }
/// }
///
/// let mut scene = Scene::new();
/// let camp = scene.spawn(Node::group())?;
/// let chief = scene.spawn(Node::group().under(camp).with(Health(9)))?;
/// let guard = scene.spawn(Node::group().under(camp).with(Health(3)).with(Guards(chief)))?;
///
/// let clones = scene.clone_subtree(camp, None)?;
/// let (chief, guard) = (clones.get(chief).unwrap(), clones.get(guard).unwrap());
/// assert_eq!(scene.get::<Health>(guard), Some(&Health(3)));
/// assert_eq!(scene.get::<Guards>(guard).unwrap().0, chief, "the clone of the chief");
/// # Ok::<(), pleach::Error>(())
/// ```
#[doc(alias("userData", "MonoBehaviour"))]
pub trait Component: Clone + Send + Sync + 'static {
    /// The name of the kind, in messages and files. It should be unique in a program.
    const NAME: &'static str;

    /// Replaces every node that the component refers to by `map(node)?`, when it is cloned. The
    /// default is for components without such references.
    ///
    /// Cloning within a scene maps nodes outside of the subtree to themselves; cloning from another
    /// scene fails for these. A reference that is only a hint can be dropped instead:
    /// `self.hint = self.hint.and_then(|node| map(node).ok())`.
    ///
    /// # Errors
    ///
    /// That of `map`.
    fn map_nodes(&mut self, map: &MapNode<'_>) -> Result<(), UnmappedNode> {
        _ = map;
        Ok(())
    }

    /// [Includes](Assets::include) the assets that the component uses in the registry of a scene
    /// into which it is spawned, inserted by [`Scene::insert`](crate::Scene::insert) or cloned from
    /// another scene, so that this registry knows them. The default is for components without
    /// handles.
    fn include_assets(&self, assets: &Assets) {
        _ = assets;
    }

    /// Checks whether the component may be inserted for `node`, next to the rows that `table` has
    /// already. The default accepts everything.
    ///
    /// # Errors
    ///
    /// The error that inserting it or spawning a node with it returns, for example
    /// [`Error::Component`].
    fn validate(&self, graph: &Graph, node: NodeId, table: &NodeMap<Self>) -> Result<(), Error> {
        _ = (graph, node, table);
        Ok(())
    }

    /// Returns the component as JSON text, with which files are saved; `None` (the default) if it is
    /// not saved. `index_of` returns the index of a node in the file, for references.
    ///
    /// With serde it is `serde_json::to_string(self).ok()`. See `pleach_gltf::Options::component`.
    fn to_json(&self, index_of: &dyn Fn(NodeId) -> Option<usize>) -> Option<String> {
        _ = index_of;
        None
    }

    /// Returns the component of JSON text that [`to_json`](Self::to_json) wrote. `node_at` returns
    /// the node with an index in the file, for references.
    ///
    /// # Errors
    ///
    /// The reason why the text is not that of a component. The default rejects everything.
    fn from_json(json: &str, node_at: &dyn Fn(usize) -> Option<NodeId>) -> Result<Self, String> {
        _ = (json, node_at);
        Err(format!("{} does not implement `Component::from_json`", Self::NAME))
    }

    /// Writes everything that the component consists of, and returns `true`. The default returns
    /// `false`, without writing anything.
    ///
    /// With it, a transaction drops the changes of rows that are as before; revisions depend on the
    /// values, so that two copies of a scene reach the same one by the same edits; and the assets
    /// that only a [`History`](crate::History) keeps count towards its limit. Copies that follow by
    /// patches must then have the rows of this kind from the beginning.
    ///
    /// ```
    /// use std::hash::Hash;
    /// use pleach::component::{Component, Content};
    ///
    /// #[derive(Clone, Hash)]
    /// struct Health(u32);
    ///
    /// impl Component for Health {
    ///     const NAME: &'static str = "health";
    ///
    ///     fn write_content(&self, content: &mut Content) -> bool {
    ///         self.hash(content);
    ///         true
    ///     }
    /// }
    /// ```
    fn write_content(&self, content: &mut Content) -> bool {
        _ = content;
        false
    }

    /// Returns the memory that the component uses, in bytes, for the limit of a
    /// [`History`](crate::History). The default does not count what it refers to.
    fn byte_size(&self) -> usize {
        size_of::<Self>()
    }

    /// Reports what is inconsistent about the component of `node`, for
    /// [`Scene::check`](crate::Scene::check). The default reports nothing.
    fn check(&self, scene: &Scene, node: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        _ = (scene, node, report);
    }
}

/// Maps a node to its clone; see [`Component::map_nodes`].
pub type MapNode<'a> = dyn Fn(NodeId) -> Result<NodeId, UnmappedNode> + 'a;

/// A node that a component refers to, but that is not cloned with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnmappedNode(pub NodeId);

impl fmt::Display for UnmappedNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} is not cloned with the component that refers to it", self.0)
    }
}

impl std::error::Error for UnmappedNode {}

/// A component without its type, in the description of a node to spawn.
pub(crate) trait AnyComponent: Any + Send + Sync {
    fn name(&self) -> &'static str;

    fn clone_box(&self) -> Box<dyn AnyComponent>;

    fn insert_into(self: Box<Self>, scene: &mut Scene, node: NodeId) -> Result<(), Error>;

    fn insert_clones_into(&self, scene: &mut Scene, nodes: &[NodeId]) -> Result<(), Error>;
}

impl<T: Component> AnyComponent for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn clone_box(&self) -> Box<dyn AnyComponent> {
        Box::new(self.clone())
    }

    fn insert_into(self: Box<Self>, scene: &mut Scene, node: NodeId) -> Result<(), Error> {
        scene.insert(node, *self).map(drop)
    }

    fn insert_clones_into(&self, scene: &mut Scene, nodes: &[NodeId]) -> Result<(), Error> {
        let (graph, table) = scene.graph_and_table_mut();
        table.insert_clones(graph, nodes, self)
    }
}

impl Clone for Box<dyn AnyComponent> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

impl fmt::Debug for dyn AnyComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
