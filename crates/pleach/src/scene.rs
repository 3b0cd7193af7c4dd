//! `Scene`: a graph with a root, rows for what its nodes are, and what follows from them.
//!
//! The graph and the tables are the caller's to edit; `update` brings the derived parts
//! (`follow.rs`) up to date. Nothing derived is ever written by a getter.

use pleach_graph::{ChangeReader, Graph, NodeId, NodeMut, NodeRef, Transform};
use pleach_spatial::SpatialIndex;

use crate::animation::{Mixer, PoseStats};
use crate::frame::Derived;
use crate::{
    Assets, Camera, Constraints, Environment, Error, JointMatrices, Light, Lod, Mesh, Node,
    NodeKind, Skin, Table, View, Viewport,
};

/// A scene: a tree of nodes, what they are, and what surrounds them.
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
    /// Its name.
    pub name: String,
    /// The tree. Edit it freely.
    pub graph: Graph,
    /// What nodes show.
    pub meshes: Table<Mesh>,
    /// What poses meshes.
    pub skins: Table<Skin>,
    /// Who looks.
    pub cameras: Table<Camera>,
    /// What shines.
    pub lights: Table<Light>,
    /// The weights of meshes' morph targets.
    pub weights: Table<Vec<f32>>,
    /// Levels of detail.
    pub lods: Table<Lod>,
    /// Nodes that turn with others.
    pub constraints: Constraints,
    /// Ambient light, background, fog.
    pub environment: Environment,
    /// Where geometries, materials and images are registered.
    pub assets: Assets,
    /// Where nodes are: culling, picking and search. As of the last [`update`](Self::update).
    pub spatial: SpatialIndex,
    pub(crate) root: NodeId,
    pub(crate) change_reader: ChangeReader,
    pub(crate) derived: Derived,
}

impl Scene {
    /// An empty scene: a root, and nothing below.
    ///
    /// # Panics
    ///
    /// If there is no memory for a single node.
    #[must_use]
    pub fn new() -> Self {
        let mut graph = Graph::new();
        // A graph of no nodes has room for one, and an identity is always fit to be stored.
        let root = graph.add_root(Transform::IDENTITY).expect("a new graph has room for a root");
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

    /// An empty scene with a name.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::new() }
    }

    /// The node above everything that is spawned. What is detached in the graph, and so not
    /// below it any more, is neither drawn nor picked until it is attached again.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Makes a node as it is described, with its children, below the parent it names or the
    /// root.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the parent is not in the graph, or a transform is not finite;
    /// nothing is spawned then.
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

    /// Makes several nodes below one, in order.
    ///
    /// # Errors
    ///
    /// As [`spawn`](Self::spawn); those before the one that failed stay.
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

    /// Removes a node and everything below it; how many nodes that were. Their rows go with
    /// them, at the next update.
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

    /// A view of a node: its name, parent, transforms.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn node(&self, node: NodeId) -> Result<NodeRef<'_>, Error> {
        Ok(self.graph.node(node)?)
    }

    /// A view of a node, to change it.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn node_mut(&mut self, node: NodeId) -> Result<NodeMut<'_>, Error> {
        Ok(self.graph.node_mut(node)?)
    }

    /// A node's mesh.
    #[must_use]
    pub fn mesh(&self, node: NodeId) -> Option<&Mesh> {
        self.meshes.get(&self.graph, node)
    }

    /// A node's mesh, to change.
    pub fn mesh_mut(&mut self, node: NodeId) -> Option<&mut Mesh> {
        self.meshes.get_mut(&self.graph, node)
    }

    /// A node's camera.
    #[must_use]
    pub fn camera(&self, node: NodeId) -> Option<&Camera> {
        self.cameras.get(&self.graph, node)
    }

    /// A node's camera, to change.
    pub fn camera_mut(&mut self, node: NodeId) -> Option<&mut Camera> {
        self.cameras.get_mut(&self.graph, node)
    }

    /// A node's light.
    #[must_use]
    pub fn light(&self, node: NodeId) -> Option<&Light> {
        self.lights.get(&self.graph, node)
    }

    /// A node's light, to change.
    pub fn light_mut(&mut self, node: NodeId) -> Option<&mut Light> {
        self.lights.get_mut(&self.graph, node)
    }

    /// A node's skin.
    #[must_use]
    pub fn skin(&self, node: NodeId) -> Option<&Skin> {
        self.skins.get(&self.graph, node)
    }

    /// Sets the weights of a mesh's morph targets.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn set_weights(&mut self, node: NodeId, weights: Vec<f32>) -> Result<(), Error> {
        self.weights.insert(&self.graph, node, weights)?;
        Ok(())
    }

    /// Stage one of the frame: plays a mixer on, and writes the pose into the graph and the
    /// weights. Several mixers go one after the other.
    pub fn animate(&mut self, mixer: &mut Mixer, seconds: f32) -> PoseStats {
        mixer.advance(seconds);
        mixer.sample();
        self.write_pose(mixer)
    }

    /// The last step of [`animate`](Self::animate), for mixers that were advanced and sampled
    /// elsewhere, on other threads perhaps.
    pub fn write_pose(&mut self, mixer: &mut Mixer) -> PoseStats {
        let (weights, changed) = self.weights.rows_and_changed();
        let stats = mixer.write(&mut self.graph, weights);
        changed.extend_from_slice(mixer.weights_changed());
        stats
    }

    /// What a node is, or `None` if it is dead. O(1), but for bones O(skins).
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

    /// The joint matrices of all skins, as of the last [`update`](Self::update).
    #[must_use]
    pub fn joint_matrices(&self) -> &JointMatrices {
        &self.derived.joint_matrices
    }

    /// What a camera sees of the world, as of the last [`update`](Self::update), in a picture
    /// of this width and height in pixels, or of this aspect.
    ///
    /// # Errors
    ///
    /// [`Error::NoCamera`] if the node has no camera; those of [`View::new`].
    pub fn view(&self, camera: NodeId, viewport: impl Into<Viewport>) -> Result<View, Error> {
        let row = self.camera(camera).ok_or(Error::NoCamera(camera))?;
        View::new(&self.graph, camera, row, viewport)
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}
