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

    /// Finds the meshes in a view's frustum that are visible and on a layer of its camera, in slot
    /// order. As of the last [`update`](Self::update).
    pub fn cull(&self, view: &View, visible: &mut Visible) {
        let filter = Filter::default().with_layers(view.layers);
        self.spatial.cull(&view.frustum, &filter, visible);
    }

    /// Updates the scene, computes the view of `camera`, and culls: finds the meshes that the
    /// camera sees, skinned ones included.
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update) and [`view`](Self::view).
    pub fn visible_meshes(
        &mut self,
        camera: NodeId,
        viewport: impl Into<Viewport>,
        visible: &mut Visible,
    ) -> Result<View, Error> {
        self.update()?;
        let view = self.view(camera, viewport)?;
        self.cull(&view, visible);
        Ok(view)
    }

    /// Finds the meshes that cast shadows into a light's shadow map, in slot order; of levels of
    /// detail the finest.
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
