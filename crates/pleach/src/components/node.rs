//! `Node`: a description of what to spawn.

use glam::{Quat, Vec3};
use pleach_graph::{NodeId, Transform};

use crate::{Camera, Geometry, Handle, Light, Material, Mesh, Skin};

/// What to spawn, and where: made up step by step, then given to
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
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub(crate) name: Option<String>,
    pub(crate) parent: Option<NodeId>,
    pub(crate) transform: Transform,
    pub(crate) hidden: bool,
    pub(crate) mesh: Option<Mesh>,
    pub(crate) skin: Option<Skin>,
    pub(crate) camera: Option<Camera>,
    pub(crate) light: Option<Light>,
    pub(crate) children: Vec<Node>,
}

impl Node {
    /// A node that only holds others together.
    #[must_use]
    pub fn group() -> Self {
        Self::default()
    }

    /// A node that shows a geometry in a material.
    #[must_use]
    pub fn mesh(geometry: &Handle<Geometry>, material: &Handle<Material>) -> Self {
        Self::group().with_mesh(Mesh::new(geometry.clone(), material.clone()))
    }

    /// A node that looks along its own −Z.
    #[must_use]
    pub fn camera(camera: Camera) -> Self {
        Self { camera: Some(camera), ..Self::default() }
    }

    /// A node that shines, along its own −Z if in a direction.
    #[must_use]
    pub fn light(light: Light) -> Self {
        Self { light: Some(light), ..Self::default() }
    }

    /// Named. Names need not be unique.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Below this node; below the scene's root otherwise.
    #[must_use]
    pub fn under(self, parent: NodeId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// At this place of its parent's space.
    #[must_use]
    pub fn at(mut self, translation: Vec3) -> Self {
        self.transform.translation = translation;
        self
    }

    /// Turned.
    #[must_use]
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.transform.rotation = rotation;
        self
    }

    /// Scaled.
    #[must_use]
    pub fn scaled(mut self, scale: Vec3) -> Self {
        self.transform.scale = scale;
        self
    }

    /// With this transform.
    #[must_use]
    pub fn with_transform(self, transform: Transform) -> Self {
        Self { transform, ..self }
    }

    /// Not visible at first, nor anything below.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// With a mesh.
    #[must_use]
    pub fn with_mesh(self, mesh: Mesh) -> Self {
        Self { mesh: Some(mesh), ..self }
    }

    /// With its mesh posed by a skin.
    #[must_use]
    pub fn skinned(self, skin: Skin) -> Self {
        Self { skin: Some(skin), ..self }
    }

    /// With a child, which is spawned along with it.
    #[must_use]
    pub fn child(mut self, child: Node) -> Self {
        self.children.push(child);
        self
    }
}
