//! The view of a camera; culling: the meshes in a view, the shadow casters of a light; and the
//! ambient light.
//!
//! Reads the spatial index and the tables as of the last update; writes the caller's buffers.

use pleach_graph::{NodeId, NodeLabel};
use pleach_spatial::{Filter, Visible};

use crate::{Ambient, Error, Scene, ShadowView, View, Viewport};

impl Scene {
    /// Computes the view of a camera as of the last [`update`](Self::update), for a viewport given
    /// as width and height in pixels or as aspect ratio.
    ///
    /// ```
    /// use pleach::{Camera, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let node = Node::camera(Camera::perspective(0.8)).with_transform(Camera::default_transform());
    /// let camera = scene.spawn(node)?;
    /// scene.update()?;
    /// let view = scene.view(camera, (1280, 720))?;
    /// assert_eq!((view.camera, view.near), (Some(camera), 0.1));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoCamera`] if the node has no camera; those of [`View::new`].
    pub fn view(&self, camera: NodeId, viewport: impl Into<Viewport>) -> Result<View, Error> {
        let component = self.camera(camera).ok_or(Error::NoCamera(camera))?;
        let node = self.graph.node(camera)?;
        let view = View::build(component, &node.world(), viewport.into());
        let label = || NodeLabel { node: camera, name: node.name().map(Into::into) };
        let view = view.map_err(|error| Error::View { camera: Some(label()), error })?;
        Ok(View { camera: Some(camera), ..view })
    }

    /// Finds the nodes with bounds in a view's frustum that are visible and on a layer of its
    /// camera, in slot order: meshes, and other nodes that [were given
    /// bounds](Self::set_bounds). As of the last [`update`](Self::update).
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Camera, Material, Node, Scene, View, Visible, shapes::Cuboid};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let seen = scene.spawn(Node::mesh(&cube, &wood))?;
    /// let behind = scene.spawn(Node::mesh(&cube, &wood).at(Vec3::Y * 50.0))?;
    /// scene.update()?;
    ///
    /// let view = View::new(&Camera::default(), Camera::default_transform(), 1.5)?;
    /// let mut visible = Visible::new();
    /// scene.cull(&view, &mut visible);
    /// assert_eq!(visible.nodes(), [seen]);
    /// assert!(!visible.contains(behind));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "frustum culling")]
    pub fn cull(&self, view: &View, visible: &mut Visible) {
        let filter = Filter::default().with_layers(view.layers);
        self.spatial.cull(&view.frustum, &filter, visible);
    }

    /// Updates the scene, computes the view of `camera`, and culls: finds the nodes with meshes,
    /// skinned or not, that the camera sees, in slot order.
    /// [`depth_first`](Self::depth_first) lists them in the order of the tree.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Aabb, Camera, Material, Node, Scene, Visible, shapes::Cuboid};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let area = scene.spawn(Node::group())?;
    /// scene.set_bounds(area, Some(Aabb::new(Vec3::ZERO, Vec3::ONE)))?;
    /// let cube = scene.spawn(Node::mesh(&cube, &wood).under(area))?;
    /// let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    /// let camera = scene.spawn(camera)?;
    ///
    /// let mut visible = Visible::new();
    /// scene.visible_meshes(camera, (1280, 720), &mut visible)?;
    /// assert_eq!(visible.nodes(), [cube]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update) and [`view`](Self::view).
    #[doc(alias = "getVisibleMeshes")]
    #[doc(alias = "get_visible_meshes")]
    pub fn visible_meshes(
        &mut self,
        camera: NodeId,
        viewport: impl Into<Viewport>,
        visible: &mut Visible,
    ) -> Result<View, Error> {
        self.update()?;
        let view = self.view(camera, viewport)?;
        let has_mesh = |node| self.mesh(node).is_some();
        let filter = Filter::default().with_layers(view.layers).with_predicate(&has_mesh);
        self.spatial.cull(&view.frustum, &filter, visible);
        Ok(view)
    }

    /// Iterates over visible nodes in depth-first order: parents before their children, siblings in
    /// their order. O(nodes below the root); the slot order of [`Visible::nodes`] costs nothing.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Camera, Material, Node, Scene, Visible, shapes::Cuboid};
    /// # let mut scene = Scene::new();
    /// # let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// # let wood = scene.assets.add(Material::default());
    /// # let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    /// # let camera = scene.spawn(camera)?;
    /// let a = scene.spawn(Node::mesh(&cube, &wood))?;
    /// let b = scene.spawn(Node::mesh(&cube, &wood))?;
    /// let below_a = scene.spawn(Node::mesh(&cube, &wood).under(a))?;
    /// let mut visible = Visible::new();
    /// scene.visible_meshes(camera, (1280, 720), &mut visible)?;
    /// assert_eq!(visible.nodes(), [a, b, below_a]);
    /// assert_eq!(scene.depth_first(&visible).collect::<Vec<_>>(), [a, below_a, b]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn depth_first<'a>(&'a self, visible: &'a Visible) -> impl Iterator<Item = NodeId> + 'a {
        self.walk().filter(|&node| visible.contains(node))
    }

    /// Finds the meshes that cast shadows into a light's shadow map, in slot order; of levels of
    /// detail the finest. As of the last [`update`](Self::update).
    ///
    /// ```
    /// use pleach::glam::{Mat4, Vec3};
    /// use pleach::{ClipSpace, Material, Node, Scene, Shadow, Visible, shapes::Cuboid};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let cube = scene.spawn(Node::mesh(&cube, &wood))?;
    /// scene.update()?;
    /// let sun = Shadow::default().directional(&Mat4::IDENTITY, ClipSpace::ZeroToOne)?;
    /// let mut casters = Visible::new();
    /// scene.shadow_casters(&sun, &mut casters);
    /// assert_eq!(casters.nodes(), [cube]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn shadow_casters(&self, light: &ShadowView, visible: &mut Visible) {
        let members = &self.derived.lod_members;
        let casts = |node| {
            self.mesh(node).is_some_and(|mesh| mesh.cast_shadow)
                && members.is_finest(&self.graph, &self.lods, node)
        };
        self.spatial.cull(&light.frustum, &Filter::default().with_predicate(&casts), visible);
    }

    /// Returns the sum of the environment's ambient light and all ambient lights that are shown
    /// and, as of the last [`update`](Self::update), below the root.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Light, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let before = scene.ambient();
    /// scene.spawn(Node::light(Light::ambient(Vec3::ONE, 0.5)))?;
    /// scene.update()?;
    /// assert_ne!(scene.ambient(), before);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn ambient(&self) -> Ambient {
        let shown = |node: NodeId| {
            self.derived.attachment.is_attached(node)
                && self.graph.get(node).is_some_and(|node| node.is_shown())
        };
        // In slot order, so that the sum has the same bits whatever the table's order; there are
        // few of them.
        let lights = || {
            let shown = self.lights.iter(&self.graph).filter(|&(node, _)| shown(node));
            shown.filter_map(|(node, light)| Some((node.index(), light.as_ambient()?)))
        };
        let (mut sum, mut from) = (self.environment.ambient, 0);
        while let Some((slot, light)) =
            lights().filter(|&(slot, _)| slot >= from).min_by_key(|&(slot, _)| slot)
        {
            (sum, from) = (sum.plus(light), slot + 1);
        }
        sum
    }
}
