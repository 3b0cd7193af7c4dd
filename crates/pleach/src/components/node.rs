//! `Node`: the description of a node to spawn.

use glam::{Quat, Vec3};
use pleach_graph::{NodeId, Transform};

use super::Components;
use crate::{Camera, Component, Geometry, Handle, Light, Material, Mesh, Skin};

/// A builder for a node with its components and children, for
/// [`Scene::spawn`](crate::Scene::spawn).
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Node, Scene};
///
/// let mut scene = Scene::new();
/// let yard = scene.spawn(Node::group().named("yard").at(Vec3::new(0.0, 5.0, 0.0)))?;
/// let shed = scene.spawn(Node::group().named("shed").under(yard).at(Vec3::X))?;
/// assert_eq!(scene.graph.node(shed)?.parent(), Some(yard));
/// # Ok::<(), pleach::Error>(())
/// ```
#[doc(alias("Object3D", "Node3D", "GameObject"))]
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub(crate) name: Option<String>,
    pub(crate) parent: Option<NodeId>,
    pub(crate) transform: Transform,
    pub(crate) hidden: bool,
    /// In a box: a builder that passes them along would copy them with every call.
    pub(crate) components: Option<Box<Components>>,
    pub(crate) children: Vec<Node>,
}

impl Node {
    /// Creates a node without components, to group others.
    #[must_use]
    pub fn group() -> Self {
        Self::default()
    }

    /// Creates a node with a mesh of one geometry and one material.
    #[must_use]
    pub fn mesh(geometry: &Handle<Geometry>, material: &Handle<Material>) -> Self {
        Self::group().with_mesh(Mesh::new(geometry.clone(), material.clone()))
    }

    /// Creates a node with a camera, which looks along the node's −Z.
    #[must_use]
    pub fn camera(camera: Camera) -> Self {
        Self::group().with(camera)
    }

    /// Creates a node with a light; its direction, if it has one, is the node's −Z.
    #[must_use]
    pub fn light(light: Light) -> Self {
        Self::group().with(light)
    }

    /// Sets the name. Names need not be unique.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Sets the parent; the default is the [root](crate::Scene::root) of the scene. An error for
    /// children and with [`Scene::spawn_all`](crate::Scene::spawn_all), which have one already.
    #[must_use]
    pub fn under(self, parent: NodeId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// Sets the translation in the space of the parent.
    #[must_use]
    pub fn at(mut self, translation: Vec3) -> Self {
        self.transform.translation = translation;
        self
    }

    /// Sets the rotation relative to the parent.
    #[must_use]
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.transform.rotation = rotation;
        self
    }

    /// Sets the scale relative to the parent.
    #[must_use]
    pub fn scaled(mut self, scale: Vec3) -> Self {
        self.transform.scale = scale;
        self
    }

    /// Sets the transform relative to the parent: translation, rotation and scale.
    #[must_use]
    pub fn with_transform(self, transform: Transform) -> Self {
        Self { transform, ..self }
    }

    /// Hides the node and its descendants.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// Adds a component of any kind, built in or your own; it replaces one of the same kind.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Component, Constraint, MorphWeights, Node, Scene};
    ///
    /// #[derive(Clone)]
    /// struct Health(u32);
    ///
    /// impl Component for Health {
    ///     const NAME: &'static str = "health";
    /// }
    ///
    /// let mut scene = Scene::new();
    /// let player = scene.spawn(Node::group().with(Health(3)).with(MorphWeights(vec![0.5])))?;
    /// let look = Constraint::LookAt { target: player, up: Vec3::Z };
    /// let eye = scene.spawn(Node::group().at(Vec3::X).with(look))?;
    /// assert_eq!(scene.get::<Health>(player).unwrap().0, 3);
    /// assert!(scene.constraints.get(&scene.graph, eye).is_some());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn with(mut self, component: impl Component) -> Self {
        self.components.get_or_insert_default().set(component);
        self
    }

    /// Sets the mesh.
    #[must_use]
    pub fn with_mesh(self, mesh: Mesh) -> Self {
        self.with(mesh)
    }

    /// Sets the skin that poses the mesh.
    #[must_use]
    pub fn skinned(self, skin: Skin) -> Self {
        self.with(skin)
    }

    /// Adds a child, which is spawned with the node. [`Scene::spawn_tree`](crate::Scene::spawn_tree)
    /// returns the children too.
    ///
    /// A child with a parent of its own ([`under`](Self::under)) is an error when it is spawned.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// let tank = Node::group().named("tank").child(Node::group().named("turret"));
    /// let [tank, turret] = scene.spawn_tree(tank)?[..] else { unreachable!() };
    /// assert_eq!(scene.node(turret)?.parent(), Some(tank));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn child(mut self, child: Node) -> Self {
        self.children.push(child);
        self
    }
}
