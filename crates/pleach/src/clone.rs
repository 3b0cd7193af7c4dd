//! Cloning a subtree with all its components, within a scene or from another one.
//!
//! References of components to nodes (joints, targets, levels of detail) are remapped to the
//! clones by `Component::map_nodes`. A reference to a node outside of the subtree is kept within one
//! scene; from another scene it is an error, since that node does not exist here.
//!
//! Geometry and materials are shared by their handles, and included in the registry of the scene
//! (`Component::include_assets`).

use std::any::Any;

use pleach_graph::{CloneMap, NodeId, Transform};

use crate::{Error, ExternalReferenceError, Scene, UnmappedNode};

impl Scene {
    /// Clones a node with its descendants and their components below `parent` (the scene's root if
    /// `None`). The clones are animated and posed independently of the originals.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in the graph, or the graph is full.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Light, Node, Scene};
    /// # let mut scene = Scene::new();
    /// let lamp = Node::light(Light::point(Vec3::ONE, 60.0)).named("lamp");
    /// let post = scene.spawn(Node::group().child(lamp))?;
    /// let clones = scene.clone_subtree(post, None)?;
    /// let lamp = scene.graph.find("lamp").unwrap();
    /// assert_eq!(scene.light(clones.get(lamp).unwrap()), scene.light(lamp));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("instantiate", "duplicate", "copy"))]
    pub fn clone_subtree(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let parent = parent.unwrap_or(self.root());
        let clones = self.graph.clone_subtree(root, Some(parent))?;
        let map = |node: NodeId| Ok(clones.get(node).unwrap_or(node));
        let (graph, tables) = self.graph_and_tables_mut();
        for table in tables {
            table.clone_rows(graph, clones.pairs(), &map);
        }
        Ok(clones)
    }

    /// Clones a node of another scene with its descendants and their components below `parent` (the
    /// scene's root if `None`): a prefab. [`CloneMap::get`] maps a node of the other scene to its
    /// clone.
    ///
    /// The clones share geometries, materials and images with the originals; these become known to
    /// [`assets`](Self::assets) of this scene, whose readers report their edits, too
    /// ([`Assets::include`](crate::Assets::include)).
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in its graph, or the graph is full;
    /// [`Error::ExternalReference`] if a component references a node outside of the subtree.
    /// Nothing is cloned then.
    ///
    /// ```
    /// # use pleach::{Camera, Node, Scene};
    /// let mut prefabs = Scene::new();
    /// let rig = prefabs.spawn(Node::camera(Camera::default()).named("rig"))?;
    /// let mut level = Scene::new();
    /// let clones = level.clone_subtree_from(&prefabs, rig, None)?;
    /// assert!(level.camera(clones.root()).is_some());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "PackedScene")]
    #[doc(alias("instantiate", "prefab"))]
    pub fn clone_subtree_from(
        &mut self,
        other: &Self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let parent = parent.unwrap_or(self.root());
        let clones = self.graph.clone_subtree_from(&other.graph, root, Some(parent))?;
        // References to removed nodes must stay references to a removed node.
        let removed = self.graph.add_root(Transform::IDENTITY)?;
        self.graph.remove(removed)?;
        let map = |node| match clones.get(node) {
            Some(clone) => Ok(clone),
            None if other.graph.contains(node) => Err(UnmappedNode(node)),
            None => Ok(removed),
        };
        for theirs in other.tables() {
            let kind = (theirs as &dyn Any).type_id();
            if !self.tables().any(|table| (table as &dyn Any).type_id() == kind) {
                let mut table = theirs.new_empty();
                self.recorder.begin_table(&mut *table);
                self.user_tables.push(table);
            }
            let assets = self.assets.clone();
            let (graph, mut tables) = self.graph_and_tables_mut();
            let ours = tables.find(|table| (*table as &dyn Any).type_id() == kind);
            let cloned = ours.map_or(Ok(()), |ours| {
                ours.clone_rows_from(graph, (theirs, &other.graph), clones.pairs(), &map, &assets)
            });
            if let Err((node, UnmappedNode(referenced))) = cloned {
                drop(tables);
                for table in self.graph_and_tables_mut().1 {
                    clones.pairs().iter().for_each(|&(_, clone)| table.remove_row(clone));
                }
                self.graph.remove(clones.root())?;
                let error = ExternalReferenceError { node, referenced };
                return Err(Error::ExternalReference(error));
            }
        }
        Ok(clones)
    }
}
