//! Culling: the meshes in a view, the shadow casters of a light; and the ambient light.
//!
//! Reads the spatial index and the tables as of the last update; writes the caller's buffers.

use pleach_graph::NodeId;
use pleach_spatial::{Filter, Visible};

use crate::{Ambient, Error, Scene, ShadowView, View, Viewport};

impl Scene {
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
