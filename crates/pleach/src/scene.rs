//! `Scene`: a graph with a root, tables of components, and the data derived from both.
//!
//! The caller edits the graph and the tables; `update` brings the derived data (`frame/update.rs`)
//! up to date. Getters never write derived data.
//!
//! The fields of the built-in tables are declared in `components/built_in.rs`, with the generic
//! access to components of any kind.

use pleach_graph::{ChangeReader, Graph, LocalKind, NodeId, NodeMut, NodeRef, Transform};
use pleach_spatial::{Aabb, SpatialIndex};

use crate::animation::{Mixer, PoseStats};
use crate::components::{UserTables, built_in_tables};
use crate::frame::Derived;
use crate::history::SceneRecorder;
use crate::{
    Assets, Camera, Environment, Error, JointMatrices, Light, Mesh, MorphWeights, Node, NodeKind,
    Skin, Table,
};

macro_rules! declare_scene {
    ($($(#[$doc:meta])* $table:ident: $kind:ident,)*) => {
        /// A tree of nodes with their components, and the environment they are in.
        ///
        /// ```
        /// use pleach::glam::Vec3;
        /// use pleach::{Material, Node, Scene, shapes};
        ///
        /// let mut scene = Scene::new();
        /// let cube = scene.assets.add(shapes::Cuboid::new(Vec3::ONE).build()?);
        /// let wood = scene.assets.add(Material::default());
        /// let stack = scene.spawn(Node::group().named("crates"))?;
        /// for i in 0..3 {
        ///     scene.spawn(Node::mesh(&cube, &wood).under(stack).at(Vec3::Z * i as f32))?;
        /// }
        /// scene.update()?;
        /// assert_eq!(scene.subtree_bounds(stack).unwrap().max.z, 2.5);
        /// # Ok::<(), pleach::Error>(())
        /// ```
        #[derive(Debug)]
        pub struct Scene {
            /// The name.
            pub name: String,
            /// The tree of nodes. Edit it freely.
            pub graph: Graph,
            $(
                $(#[$doc])*
                pub $table: Table<crate::$kind>,
            )*
            /// Ambient light, environment map, background and fog.
            pub environment: Environment,
            /// The registry of geometries, materials and images. Scenes have one each, unless they
            /// are given the same; assets of other registries become known to this one with the
            /// meshes that use them ([`Assets::include`]).
            pub assets: Assets,
            /// The spatial index for culling, picking and search, as of the last
            /// [`update`](Self::update).
            pub spatial: SpatialIndex,
            pub(crate) user_tables: UserTables,
            pub(crate) root: NodeId,
            pub(crate) change_reader: ChangeReader,
            pub(crate) derived: Derived,
            pub(crate) recorder: SceneRecorder,
        }

        impl Clone for Scene {
            /// Copies the scene: nodes with the same handles, components, environment and everything
            /// that is derived from them. Assets are shared with the original. Readers of changes and
            /// a transaction that runs stay with the original.
            fn clone(&self) -> Self {
                let mut graph = self.graph.clone();
                let clone = Self {
                    name: self.name.clone(),
                    change_reader: self.change_reader.clone_for(&mut graph),
                    spatial: self.spatial.clone_for(&mut graph),
                    graph,
                    $($table: self.$table.clone(),)*
                    environment: self.environment.clone(),
                    assets: Assets::new(),
                    user_tables: self.user_tables.iter().map(|table| table.clone_table()).collect(),
                    root: self.root,
                    derived: self.derived.clone(),
                    recorder: SceneRecorder::default(),
                };
                clone.tables().for_each(|table| table.include_assets(&clone.assets));
                clone.include_environment();
                clone
            }
        }

        impl Scene {
            pub(crate) fn with_root(mut graph: Graph, root: NodeId) -> Self {
                Self {
                    name: String::new(),
                    change_reader: graph.change_reader(),
                    spatial: SpatialIndex::new(&mut graph),
                    graph,
                    $($table: Table::new(),)*
                    environment: Environment::default(),
                    assets: Assets::new(),
                    user_tables: UserTables::new(),
                    root,
                    derived: Derived::default(),
                    recorder: SceneRecorder::default(),
                }
            }
        }
    };
}

built_in_tables!(declare_scene);

impl Scene {
    /// Creates a scene with a root and no other nodes.
    ///
    /// # Panics
    ///
    /// If memory for a single node cannot be allocated.
    ///
    /// ```
    /// let scene = pleach::Scene::new();
    /// assert!(scene.walk().eq([scene.root()]));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let mut graph = Graph::new();
        let root = graph
            .add_root(Transform::IDENTITY)
            .expect("an empty graph has a free slot, and the identity is finite");
        Self::with_root(graph, root)
    }

    /// Creates an empty scene with a name.
    ///
    /// ```
    /// assert_eq!(pleach::Scene::named("level").name, "level");
    /// ```
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::new() }
    }

    /// Returns the root: the ancestor of every spawned node. A node that is detached in the graph,
    /// and so not below the root, is neither drawn nor picked until it is attached again.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Spawns a node with its children and components, below its parent or, by default, the root.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the parent is not in the graph, or a transform is not finite;
    /// [`Error::RootRemoved`] if the root was removed from the graph;
    /// [`Error::ChildWithParent`] if a child has a parent of its own; what
    /// [`Component::validate`](crate::Component::validate) returns. Nothing is spawned then.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// let mut scene = Scene::new();
    /// let yard = scene.spawn(Node::group().named("yard"))?;
    /// let shed = scene.spawn(Node::group().named("shed").under(yard))?;
    /// assert_eq!(scene.node(shed)?.parent(), Some(yard));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("add", "create", "instantiate"))]
    pub fn spawn(&mut self, node: Node) -> Result<NodeId, Error> {
        if !node.children.is_empty() {
            return Ok(self.spawn_tree(node)?[0]);
        }
        let parent = node.parent.unwrap_or(self.root);
        let id = self.add_node(&node, parent)?;
        match node.components.map_or(Ok(()), |it| it.insert_into(self, id)) {
            Ok(()) => Ok(id),
            Err(error) => self.discard(&[id], error),
        }
    }

    /// Spawns a node like [`spawn`](Self::spawn), and returns it with all its descendants in the
    /// order of their description: each node, then its first child with its descendants, and so on.
    ///
    /// # Errors
    ///
    /// Those of [`spawn`](Self::spawn).
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// let mut scene = Scene::new();
    /// let gun = Node::group().named("gun");
    /// let turret = Node::group().named("turret").child(gun);
    /// let tank = Node::group().named("tank").child(turret).child(Node::group().named("hatch"));
    /// let [tank, turret, gun, hatch] = scene.spawn_tree(tank)?[..] else { unreachable!() };
    /// assert_eq!(scene.node(gun)?.parent(), Some(turret));
    /// assert_eq!(scene.node(hatch)?.parent(), Some(tank));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn spawn_tree(&mut self, node: Node) -> Result<Vec<NodeId>, Error> {
        let parent = node.parent.unwrap_or(self.root);
        let mut spawned = Vec::new();
        let mut pending = vec![(node, parent)];
        while let Some((mut node, parent)) = pending.pop() {
            let children = core::mem::take(&mut node.children);
            let added = match node.parent.filter(|_| !spawned.is_empty()) {
                Some(parent) => Err(Error::ChildWithParent(parent)),
                None => self.add_node(&node, parent),
            };
            let inserted = added.and_then(|id| {
                spawned.push(id);
                node.components.map_or(Ok(()), |it| it.insert_into(self, id))?;
                Ok(id)
            });
            match inserted {
                Ok(id) => pending.extend(children.into_iter().rev().map(|child| (child, id))),
                Err(error) => return self.discard(&spawned, error),
            }
        }
        Ok(spawned)
    }

    /// Spawns several nodes below `parent`, in order. [`spawn_many`](Self::spawn_many) is faster for
    /// nodes of the same description.
    ///
    /// # Errors
    ///
    /// Those of [`spawn`](Self::spawn); [`Error::ChildWithParent`] if a node has a parent of its own
    /// ([`Node::under`]). The nodes before the one that failed remain.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Node, Scene};
    /// let mut scene = Scene::new();
    /// let posts = (0..5).map(|i| Node::group().at(Vec3::X * i as f32));
    /// let fence = scene.spawn_all(scene.root(), posts)?;
    /// assert_eq!(fence.len(), 5);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn spawn_all(
        &mut self,
        parent: NodeId,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Vec<NodeId>, Error> {
        let spawn = |node: Node| match node.parent {
            Some(own) => Err(Error::ChildWithParent(own)),
            None => self.spawn(node.under(parent)),
        };
        nodes.into_iter().map(spawn).collect()
    }

    /// Adds a node to the graph, without its children and components.
    fn add_node(&mut self, node: &Node, parent: NodeId) -> Result<NodeId, Error> {
        if parent == self.root {
            self.check_root()?;
        }
        let id = self.graph.add_child(parent, node.transform)?;
        if node.name.is_some() || node.hidden {
            self.set_description(id, node)?;
        }
        Ok(id)
    }

    /// Sets the name and the visibility of a node as described.
    pub(crate) fn set_description(&mut self, id: NodeId, node: &Node) -> Result<(), Error> {
        let mut added = self.graph.node_mut(id)?;
        if let Some(name) = &node.name {
            added.set_name(name);
        }
        if node.hidden {
            added.set_visible(false);
        }
        Ok(())
    }

    /// Removes nodes that could not be spawned completely; the first is the ancestor of the others.
    fn discard<T>(&mut self, spawned: &[NodeId], error: Error) -> Result<T, Error> {
        self.drop_rows(spawned);
        if let Some(&first) = spawned.first() {
            self.graph.remove(first)?;
        }
        Err(error)
    }

    /// Removes the rows of nodes from all tables.
    pub(crate) fn drop_rows(&mut self, nodes: &[NodeId]) {
        for table in self.graph_and_tables_mut().1 {
            nodes.iter().for_each(|&node| table.remove_row(node));
        }
    }

    /// Fails if the root was removed from the graph.
    pub(crate) fn check_root(&self) -> Result<(), Error> {
        if self.graph.contains(self.root) { Ok(()) } else { Err(Error::RootRemoved) }
    }

    /// Removes a node and its descendants with their components, and returns the number of removed
    /// nodes. After [`Graph::remove`] the next update drops their components.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph; [`Error::Root`] for the root.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let cart = scene.spawn(Node::group().child(Node::group()).child(Node::group()))?;
    /// assert_eq!(scene.remove(cart)?, 3);
    /// assert!(scene.node(cart).is_err());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("despawn", "destroy", "queue_free", "delete"))]
    pub fn remove(&mut self, node: NodeId) -> Result<usize, Error> {
        if node == self.root {
            return Err(Error::Root);
        }
        self.graph.node(node)?;
        self.drop_rows_below(node);
        Ok(self.graph.remove(node)?)
    }

    /// Attaches a node to another parent, as its last child, together with its descendants. It keeps
    /// its local transform.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if either node is not in the graph, or `parent` is below `child`;
    /// [`Error::RootAttached`] for the root.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let [hand, sword] = ["hand", "sword"].map(|name| scene.spawn(Node::group().named(name)));
    /// let (hand, sword) = (hand?, sword?);
    /// scene.attach(sword, hand)?;
    /// assert_eq!(scene.node(sword)?.parent(), Some(hand));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("set_parent", "reparent", "add_child"))]
    pub fn attach(&mut self, child: NodeId, parent: NodeId) -> Result<(), Error> {
        self.check_not_root(child)?;
        Ok(self.graph.attach(child, parent)?)
    }

    /// Attaches each of `children` to the parent at the same index, as its last child, or none of
    /// them. See [`Graph::attach_each`].
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in the graph, the result would have a cycle, or the slices
    /// differ in length; [`Error::RootAttached`] if `children` contains the root.
    ///
    /// ```
    /// # use pleach::{Node, Scene, Transform};
    /// # let mut scene = Scene::new();
    /// let cars = scene.spawn_many(&Node::group(), &[Transform::IDENTITY; 3])?;
    /// scene.attach_each(&cars[1..], &cars[..2])?;
    /// assert_eq!(scene.parent(cars[2]), Some(cars[1]));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("set_parents", "reparent_all"))]
    pub fn attach_each(&mut self, children: &[NodeId], parents: &[NodeId]) -> Result<(), Error> {
        children.iter().try_for_each(|&child| self.check_not_root(child))?;
        Ok(self.graph.attach_each(children, parents)?)
    }

    /// Attaches each of `children` to `parent`, in this order, or none of them; otherwise like
    /// [`attach`](Self::attach).
    ///
    /// # Errors
    ///
    /// Those of [`attach`](Self::attach), for any of them.
    ///
    /// ```
    /// # use pleach::{Node, Scene, Transform};
    /// # let mut scene = Scene::new();
    /// let hand = scene.spawn(Node::group())?;
    /// let fingers = scene.spawn_many(&Node::group(), &[Transform::IDENTITY; 5])?;
    /// scene.attach_all(&fingers, hand)?;
    /// assert!(scene.children(hand).eq(fingers));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn attach_all(&mut self, children: &[NodeId], parent: NodeId) -> Result<(), Error> {
        children.iter().try_for_each(|&child| self.check_not_root(child))?;
        Ok(self.graph.attach_all(children, parent)?)
    }

    /// Sets the local transforms of many nodes, or of none of them: `nodes[i]` gets `transforms[i]`.
    /// Faster than [`node_mut`](Self::node_mut) for each. See [`Graph::set_transforms`].
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in the graph, a transform is invalid, or the slices differ
    /// in length.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Node, Scene, Transform};
    /// # let mut scene = Scene::new();
    /// let boids = scene.spawn_many(&Node::group(), &[Transform::IDENTITY; 3])?;
    /// let places = [1.0, 2.0, 3.0].map(|x| Transform::from_xyz(x, 0.0, 0.0));
    /// scene.set_transforms(&boids, &places)?;
    /// assert_eq!(scene.node(boids[2])?.translation(), Vec3::X * 3.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn set_transforms(
        &mut self,
        nodes: &[NodeId],
        transforms: &[Transform],
    ) -> Result<(), Error> {
        Ok(self.graph.set_transforms(nodes, transforms)?)
    }

    /// Attaches a node to another parent like [`attach`](Self::attach), but keeps its world
    /// transform. Returns whether a local translation, rotation and scale can express it, or a local
    /// matrix was necessary.
    ///
    /// # Errors
    ///
    /// Those of [`attach`](Self::attach); [`Error::Graph`] if the parent has a scale of zero.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let cart = scene.spawn(Node::group().at(Vec3::X))?;
    /// let barrel = scene.spawn(Node::group().at(Vec3::X * 3.0))?;
    /// scene.attach_in_place(barrel, cart)?;
    /// assert_eq!(scene.node(barrel)?.translation(), Vec3::X * 2.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("reparent_in_place", "attach_keep_world"))]
    pub fn attach_in_place(&mut self, child: NodeId, parent: NodeId) -> Result<LocalKind, Error> {
        self.check_not_root(child)?;
        Ok(self.graph.attach_in_place(child, parent)?)
    }

    /// Detaches a node from its parent, together with its descendants: until it is attached again it
    /// is not part of the scene, and neither drawn nor picked. glTF files contain it as a node that no
    /// scene lists.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph. Detaching the root changes nothing.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let sword = scene.spawn(Node::group())?;
    /// scene.detach(sword)?;
    /// assert!(!scene.is_attached(sword));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn detach(&mut self, node: NodeId) -> Result<(), Error> {
        Ok(self.graph.detach(node)?)
    }

    fn check_not_root(&self, node: NodeId) -> Result<(), Error> {
        if node == self.root { Err(Error::RootAttached) } else { Ok(()) }
    }

    /// Returns a node of this name below the root (of several one that [`Graph::find_all`] lists
    /// first).
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let door = scene.spawn(Node::group().named("door"))?;
    /// assert_eq!(scene.find("door"), Some(door));
    /// scene.detach(door)?;
    /// assert_eq!(scene.find("door"), None);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "getObjectByName")]
    #[doc(alias("get_object_by_name", "get_node", "find_child"))]
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.graph.find_all(name).find(|&node| self.is_attached(node))
    }

    /// Returns the parent of a node, or `None` for the root, a detached or a removed node.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group())?;
    /// assert_eq!(scene.parent(node), Some(scene.root()));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.graph.get(node)?.parent()
    }

    /// Iterates over the children of a node, in order; over nothing if it was removed.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let a = scene.spawn(Node::group())?;
    /// let b = scene.spawn(Node::group())?;
    /// assert!(scene.children(scene.root()).eq([a, b]));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("get_child", "get_children"))]
    pub fn children(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + Clone + '_ {
        self.graph.get(node).into_iter().flat_map(NodeRef::children)
    }

    /// Returns the bounds of a node's own mesh in the world, as of the last
    /// [`update`](Self::update); `None` if it has none.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Material, Node, Scene, shapes};
    /// # let mut scene = Scene::new();
    /// let cube = scene.assets.add(shapes::Cuboid::new(Vec3::ONE).build()?);
    /// let gray = scene.assets.add(Material::default());
    /// let node = scene.spawn(Node::mesh(&cube, &gray).at(Vec3::X))?;
    /// scene.update()?;
    /// assert_eq!(scene.world_bounds(node).unwrap().max.x, 1.5);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("aabb", "bounding_box"))]
    #[must_use]
    pub fn world_bounds(&self, node: NodeId) -> Option<Aabb> {
        self.spatial.world_bounds(node)
    }

    /// Iterates over the nodes of the scene, depth first: the root, then its descendants, parents
    /// before children and siblings in order. Detached nodes are not visited; for these, and to skip
    /// subtrees, use [`Graph::depth_first`] and [`NodeRef::descendants`].
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// let mut scene = Scene::new();
    /// let kept = scene.spawn(Node::group())?;
    /// let stored = scene.spawn(Node::group())?;
    /// scene.detach(stored)?;
    /// assert!(scene.walk().eq([scene.root(), kept]));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// The iterator borrows the scene. To edit the scene during a walk, use
    /// [`Walk`](crate::Walk), which borrows it for each step only:
    ///
    /// ```
    /// # use pleach::{Node, Scene, Walk};
    /// # let mut scene = Scene::new();
    /// let barrel = Node::group().named("barrel").child(Node::group().named("lid"));
    /// scene.spawn_all(scene.root(), [barrel.clone(), barrel, Node::group().named("cart")])?;
    /// let mut walk = Walk::depth_first(scene.root());
    /// while let Some(node) = walk.next(&scene.graph) {
    ///     if scene.node(node)?.name() == Some("barrel") {
    ///         scene.remove(node)?;                        // its lid is not visited
    ///     }
    /// }
    /// assert_eq!(scene.walk().count(), 2);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("traverse", "descendants"))]
    pub fn walk(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        self.graph.get(self.root).into_iter().flat_map(NodeRef::descendants)
    }

    /// Returns a node for reading: its name, parent and transforms.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let door = scene.spawn(Node::group().named("door").hidden())?;
    /// let node = scene.node(door)?;
    /// assert_eq!((node.name(), node.is_shown()), (Some("door"), false));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("getObjectById", "global_transform"))]
    #[doc(alias("get_node"))]
    pub fn node(&self, node: NodeId) -> Result<NodeRef<'_>, Error> {
        Ok(self.graph.node(node)?)
    }

    /// Returns a node for editing.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let cart = scene.spawn(Node::group())?;
    /// scene.node_mut(cart)?.set_translation(Vec3::X)?.set_scale(Vec3::splat(2.0))?;
    /// scene.node_mut(cart)?.set_name("cart");
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("set_position", "transform", "position"))]
    pub fn node_mut(&mut self, node: NodeId) -> Result<NodeMut<'_>, Error> {
        Ok(self.graph.node_mut(node)?)
    }

    /// Returns the mesh of a node.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::shapes::Cuboid;
    /// use pleach::{Material, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let crate_ = scene.spawn(Node::mesh(&cube, &wood))?;
    /// assert_eq!(scene.mesh(crate_).unwrap().parts.len(), 1);
    /// assert!(scene.mesh(scene.root()).is_none());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn mesh(&self, node: NodeId) -> Option<&Mesh> {
        self.meshes.get(&self.graph, node)
    }

    /// Returns the mesh of a node for editing. It counts as changed.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Material, Node, Scene, shapes};
    /// # let mut scene = Scene::new();
    /// let cube = scene.assets.add(shapes::Cuboid::new(Vec3::ONE).build()?);
    /// let gray = scene.assets.add(Material::default());
    /// let node = scene.spawn(Node::mesh(&cube, &gray))?;
    /// scene.mesh_mut(node).unwrap().cast_shadow = false;
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn mesh_mut(&mut self, node: NodeId) -> Option<&mut Mesh> {
        self.meshes.get_mut(&self.graph, node)
    }

    /// Returns the camera of a node.
    ///
    /// ```
    /// use pleach::{Camera, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let camera = scene.spawn(Node::camera(Camera::orthographic(10.0)))?;
    /// assert_eq!(scene.camera(camera), Some(&Camera::orthographic(10.0)));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn camera(&self, node: NodeId) -> Option<&Camera> {
        self.cameras.get(&self.graph, node)
    }

    /// Returns the camera of a node for editing. It counts as changed.
    ///
    /// ```
    /// # use pleach::{Camera, Node, Scene};
    /// # let mut scene = Scene::new();
    /// let eye = scene.spawn(Node::camera(Camera::default()))?;
    /// scene.camera_mut(eye).unwrap().layers = 1;
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn camera_mut(&mut self, node: NodeId) -> Option<&mut Camera> {
        self.cameras.get_mut(&self.graph, node)
    }

    /// Returns the light of a node.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Light, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 40.0)))?;
    /// assert_eq!(scene.light(lamp).unwrap().intensity, 40.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn light(&self, node: NodeId) -> Option<&Light> {
        self.lights.get(&self.graph, node)
    }

    /// Returns the light of a node for editing. It counts as changed.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Light, Node, Scene};
    /// # let mut scene = Scene::new();
    /// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 60.0)))?;
    /// scene.light_mut(lamp).unwrap().range = Some(4.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn light_mut(&mut self, node: NodeId) -> Option<&mut Light> {
        self.lights.get_mut(&self.graph, node)
    }

    /// Returns the skin of a node.
    ///
    /// ```
    /// use pleach::{Node, Scene, component::Skin};
    ///
    /// let mut scene = Scene::new();
    /// let joint = scene.spawn(Node::group())?;
    /// let skin = Skin::from_current_pose(&scene.graph, vec![joint])?;
    /// let body = scene.spawn(Node::group().skinned(skin))?;
    /// assert_eq!(scene.skin(body).unwrap().joints, [joint]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn skin(&self, node: NodeId) -> Option<&Skin> {
        self.skins.get(&self.graph, node)
    }

    /// Sets the morph target weights of a node.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let face = scene.spawn(Node::group())?;
    /// scene.set_weights(face, vec![0.0, 0.5])?;
    /// assert_eq!(scene.weights.get(&scene.graph, face).unwrap()[1], 0.5);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("morphTargetInfluences", "blend shapes"))]
    pub fn set_weights(&mut self, node: NodeId, weights: Vec<f32>) -> Result<(), Error> {
        self.insert(node, MorphWeights(weights))?;
        Ok(())
    }

    /// Advances a mixer by `seconds` and writes its pose to the graph and the morph target weights:
    /// the first stage of a frame. Call it for one mixer after the other.
    ///
    /// ```
    /// # use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let lift = scene.spawn(Node::group())?;
    /// let rise = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], [Vec3::ZERO, Vec3::Z])?;
    /// let clip = Clip::new("rise", ["lift"], [rise])?;
    /// let mut mixer = Mixer::new();
    /// mixer.add(Binding::new(clip, [lift])?, &scene.graph, &scene.weights);
    /// scene.animate(&mut mixer, 0.5);
    /// scene.update()?;
    /// assert_eq!(scene.node(lift)?.world_translation(), Vec3::Z * 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn animate(&mut self, mixer: &mut Mixer, seconds: f32) -> PoseStats {
        mixer.advance(seconds);
        mixer.sample();
        self.write_pose(mixer)
    }

    /// Writes the pose of a mixer that was advanced and sampled elsewhere, for example on another
    /// thread: the last step of [`animate`](Self::animate).
    ///
    /// ```
    /// # use pleach::Scene;
    /// # use pleach::animation::Mixer;
    /// # let (mut scene, mut mixer) = (Scene::new(), Mixer::new());
    /// mixer.advance(0.1);
    /// mixer.sample();                          // up to here on any thread
    /// scene.write_pose(&mut mixer);
    /// ```
    pub fn write_pose(&mut self, mixer: &mut Mixer) -> PoseStats {
        let Self { graph, weights, .. } = self;
        weights.pause_recording(true);
        let stats = graph.unrecorded(|graph| mixer.write(graph, weights));
        weights.pause_recording(false);
        stats
    }

    /// Returns the number of constraints that the last [`update`](Self::update) skipped, because
    /// edits made them part of a cycle, or because there was no direction to rotate to.
    #[must_use]
    pub fn skipped_constraints(&self) -> usize {
        self.derived.constraints.skipped_count()
    }

    /// Returns the kind of a node, or `None` if it was removed. O(1), but O(skins) for joints.
    ///
    /// ```
    /// # use pleach::{Camera, Node, NodeKind, Scene};
    /// # let mut scene = Scene::new();
    /// let eye = scene.spawn(Node::camera(Camera::default()))?;
    /// assert_eq!(scene.kind(eye), Some(NodeKind::Camera));
    /// assert_eq!(scene.kind(scene.root()), Some(NodeKind::Root));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn kind(&self, node: NodeId) -> Option<NodeKind> {
        if !self.graph.contains(node) {
            return None;
        }
        let is_joint = || self.skins.iter(&self.graph).any(|(_, skin)| skin.joints.contains(&node));
        Some(match () {
            () if node == self.root => NodeKind::Root,
            () if self.mesh(node).is_some() && self.skin(node).is_some() => NodeKind::SkinnedMesh,
            () if self.mesh(node).is_some() => NodeKind::Mesh,
            () if self.camera(node).is_some() => NodeKind::Camera,
            () if self.light(node).is_some() => NodeKind::Light,
            () if is_joint() => NodeKind::Joint,
            () => NodeKind::Group,
        })
    }

    /// Returns the joint matrices of all skins, as of the last [`update`](Self::update).
    #[must_use]
    pub fn joint_matrices(&self) -> &JointMatrices {
        &self.derived.joint_matrices
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}
