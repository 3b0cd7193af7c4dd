//! `Scene`: a graph with a root, tables of components, and the data derived from both.
//!
//! The caller edits the graph and the tables; `update` brings the derived data (`frame/update.rs`)
//! up to date. Getters never write derived data.

use pleach_graph::{ChangeReader, Graph, NodeId, NodeMut, NodeRef, Transform};
use pleach_spatial::SpatialIndex;

use crate::animation::{Mixer, PoseStats};
use crate::frame::Derived;
use crate::{
    Assets, Camera, Constraints, Environment, Error, JointMatrices, Light, Lod, Mesh, Node,
    NodeKind, Skin, Table,
};

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
/// assert_eq!(scene.spatial.subtree_bounds(&scene.graph, stack).unwrap().max.z, 2.5);
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Debug)]
pub struct Scene {
    /// The name.
    pub name: String,
    /// The tree of nodes. Edit it freely.
    pub graph: Graph,
    /// Meshes by node.
    pub meshes: Table<Mesh>,
    /// Skins by node.
    pub skins: Table<Skin>,
    /// Cameras by node.
    pub cameras: Table<Camera>,
    /// Lights by node.
    pub lights: Table<Light>,
    /// Morph target weights by node.
    pub weights: Table<Vec<f32>>,
    /// Levels of detail by node.
    pub lods: Table<Lod>,
    /// Constraints by node: rotations that follow other nodes.
    pub constraints: Constraints,
    /// Ambient light, background and fog.
    pub environment: Environment,
    /// The registry of geometries, materials and images.
    pub assets: Assets,
    /// The spatial index for culling, picking and search, as of the last [`update`](Self::update).
    pub spatial: SpatialIndex,
    pub(crate) root: NodeId,
    pub(crate) change_reader: ChangeReader,
    pub(crate) derived: Derived,
}

impl Scene {
    /// Creates a scene with a root and no other nodes.
    ///
    /// # Panics
    ///
    /// If memory for a single node cannot be allocated.
    #[must_use]
    pub fn new() -> Self {
        let mut graph = Graph::new();
        let root = graph
            .add_root(Transform::IDENTITY)
            .expect("an empty graph has a free slot, and the identity is finite");
        Self {
            name: String::new(),
            change_reader: graph.change_reader(),
            spatial: SpatialIndex::new(&mut graph),
            graph,
            meshes: Table::default(),
            skins: Table::default(),
            cameras: Table::default(),
            lights: Table::default(),
            weights: Table::default(),
            lods: Table::default(),
            constraints: Constraints::default(),
            environment: Environment::default(),
            assets: Assets::new(),
            root,
            derived: Derived::default(),
        }
    }

    /// Creates an empty scene with a name.
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
    /// [`Error::Graph`] if the parent is not in the graph, or a transform is not finite; nothing is
    /// spawned then.
    pub fn spawn(&mut self, node: Node) -> Result<NodeId, Error> {
        let parent = node.parent.unwrap_or(self.root);
        let subtree = self.spawn_one(&node, parent)?;
        let mut pending: Vec<(Node, NodeId)> = vec![(node, subtree)];
        while let Some((node, id)) = pending.pop() {
            for child in node.children {
                match self.spawn_one(&child, id) {
                    Ok(child_id) => pending.push((child, child_id)),
                    Err(error) => {
                        self.remove(subtree)?;
                        return Err(error);
                    }
                }
            }
            self.insert_components(id, node.mesh, node.skin, node.camera, node.light)?;
        }
        Ok(subtree)
    }

    /// Spawns several nodes below `parent`, in order.
    ///
    /// # Errors
    ///
    /// Those of [`spawn`](Self::spawn); the nodes before the one that failed remain.
    pub fn spawn_all(
        &mut self,
        parent: NodeId,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Vec<NodeId>, Error> {
        nodes.into_iter().map(|node| self.spawn(node.under(parent))).collect()
    }

    fn spawn_one(&mut self, node: &Node, parent: NodeId) -> Result<NodeId, Error> {
        let id = self.graph.add_child(parent, node.transform)?;
        let mut spawned = self.graph.node_mut(id)?;
        if let Some(name) = &node.name {
            spawned.set_name(name);
        }
        if node.hidden {
            spawned.set_visible(false);
        }
        Ok(id)
    }

    pub(crate) fn insert_components(
        &mut self,
        id: NodeId,
        mesh: Option<Mesh>,
        skin: Option<Skin>,
        camera: Option<Camera>,
        light: Option<Light>,
    ) -> Result<(), Error> {
        let graph = &self.graph;
        if let Some(mesh) = mesh {
            self.meshes.insert(graph, id, mesh)?;
        }
        if let Some(skin) = skin {
            self.skins.insert(graph, id, skin)?;
        }
        if let Some(camera) = camera {
            self.cameras.insert(graph, id, camera)?;
        }
        if let Some(light) = light {
            self.lights.insert(graph, id, light)?;
        }
        Ok(())
    }

    /// Removes a node and its descendants and returns the number of removed nodes. The next update
    /// drops their components.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph; [`Error::Root`] for the root.
    pub fn remove(&mut self, node: NodeId) -> Result<usize, Error> {
        if node == self.root {
            return Err(Error::Root);
        }
        Ok(self.graph.remove(node)?)
    }

    /// Returns a node for reading: its name, parent and transforms.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn node(&self, node: NodeId) -> Result<NodeRef<'_>, Error> {
        Ok(self.graph.node(node)?)
    }

    /// Returns a node for editing.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn node_mut(&mut self, node: NodeId) -> Result<NodeMut<'_>, Error> {
        Ok(self.graph.node_mut(node)?)
    }

    /// Returns the mesh of a node.
    #[must_use]
    pub fn mesh(&self, node: NodeId) -> Option<&Mesh> {
        self.meshes.get(&self.graph, node)
    }

    /// Returns the mesh of a node for editing.
    pub fn mesh_mut(&mut self, node: NodeId) -> Option<&mut Mesh> {
        self.meshes.get_mut(&self.graph, node)
    }

    /// Returns the camera of a node.
    #[must_use]
    pub fn camera(&self, node: NodeId) -> Option<&Camera> {
        self.cameras.get(&self.graph, node)
    }

    /// Returns the camera of a node for editing.
    pub fn camera_mut(&mut self, node: NodeId) -> Option<&mut Camera> {
        self.cameras.get_mut(&self.graph, node)
    }

    /// Returns the light of a node.
    #[must_use]
    pub fn light(&self, node: NodeId) -> Option<&Light> {
        self.lights.get(&self.graph, node)
    }

    /// Returns the light of a node for editing.
    pub fn light_mut(&mut self, node: NodeId) -> Option<&mut Light> {
        self.lights.get_mut(&self.graph, node)
    }

    /// Returns the skin of a node.
    #[must_use]
    pub fn skin(&self, node: NodeId) -> Option<&Skin> {
        self.skins.get(&self.graph, node)
    }

    /// Sets the morph target weights of a node.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn set_weights(&mut self, node: NodeId, weights: Vec<f32>) -> Result<(), Error> {
        self.weights.insert(&self.graph, node, weights)?;
        Ok(())
    }

    /// Advances a mixer by `seconds` and writes its pose to the graph and the morph target weights:
    /// the first stage of a frame. Call it for one mixer after the other.
    pub fn animate(&mut self, mixer: &mut Mixer, seconds: f32) -> PoseStats {
        mixer.advance(seconds);
        mixer.sample();
        self.write_pose(mixer)
    }

    /// Writes the pose of a mixer that was advanced and sampled elsewhere, for example on another
    /// thread: the last step of [`animate`](Self::animate).
    pub fn write_pose(&mut self, mixer: &mut Mixer) -> PoseStats {
        let (weights, changed) = self.weights.rows_and_changed();
        let stats = mixer.write(&mut self.graph, weights);
        changed.extend_from_slice(mixer.weights_changed());
        stats
    }

    /// Returns the kind of a node, or `None` if it was removed. O(1), but O(skins) for joints.
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
