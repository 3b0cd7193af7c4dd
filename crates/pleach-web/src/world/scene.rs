//! `World` of the complete module: a scene.

use pleach::{NodeId, Scene};
use pleach_graph::{ChangeReader, CloneMap, Graph, LocalKind};
use pleach_spatial::{Aabb, Filter, Ray, SpatialIndex, Visible};

use crate::fault::Fault;
use crate::node_number::MAX_GENERATION;
use crate::queries::RayHit;

pub(crate) struct World {
    pub(crate) scene: Scene,
    pub(crate) output: crate::bulk::Output,
    pub(crate) readers: Vec<Option<ChangeReader>>,
    pub(crate) visible: Visible,
    pub(crate) extra: crate::scene::Extra,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::from_scene(Scene::new())
    }

    pub(crate) fn from_scene(mut scene: Scene) -> Self {
        scene.graph.set_max_generation(MAX_GENERATION);
        Self {
            scene,
            output: Default::default(),
            readers: Vec::new(),
            visible: Visible::new(),
            extra: Default::default(),
        }
    }

    pub(crate) fn root(&self) -> NodeId {
        self.scene.root()
    }

    #[inline]
    pub(crate) fn graph(&self) -> &Graph {
        &self.scene.graph
    }

    #[inline]
    pub(crate) fn graph_mut(&mut self) -> &mut Graph {
        &mut self.scene.graph
    }

    pub(crate) fn index(&self) -> &SpatialIndex {
        &self.scene.spatial
    }

    /// Brings everything that is derived up to date; returns the number of recomputed nodes.
    pub(crate) fn update(&mut self) -> Result<usize, Fault> {
        Ok(self.scene.update()?.changed)
    }

    pub(crate) fn clear_changes(&mut self) {
        self.scene.clear_changes();
    }

    pub(crate) fn set_bounds(&mut self, node: NodeId, bounds: Option<Aabb>) -> Result<(), Fault> {
        Ok(self.scene.set_bounds(node, bounds)?)
    }

    pub(crate) fn bounds(&self, node: NodeId) -> Option<Aabb> {
        self.scene.user_bounds(node).or_else(|| self.scene.spatial.local_bounds(node))
    }

    pub(crate) fn remove(&mut self, node: NodeId) -> Result<usize, Fault> {
        Ok(self.scene.remove(node)?)
    }

    pub(crate) fn attach(&mut self, node: NodeId, parent: NodeId) -> Result<(), Fault> {
        Ok(self.scene.attach(node, parent)?)
    }

    pub(crate) fn attach_in_place(
        &mut self,
        node: NodeId,
        parent: NodeId,
    ) -> Result<LocalKind, Fault> {
        Ok(self.scene.attach_in_place(node, parent)?)
    }

    pub(crate) fn attach_at(
        &mut self,
        node: NodeId,
        parent: NodeId,
        at: usize,
    ) -> Result<(), Fault> {
        self.check_not_root(node)?;
        Ok(self.scene.graph.attach_at(node, parent, at)?)
    }

    pub(crate) fn attach_all(&mut self, nodes: &[NodeId], parent: NodeId) -> Result<(), Fault> {
        Ok(self.scene.attach_all(nodes, parent)?)
    }

    pub(crate) fn detach(&mut self, node: NodeId, in_place: bool) -> Result<(), Fault> {
        self.check_not_root(node)?;
        if in_place {
            self.scene.graph.detach_in_place(node)?;
        } else {
            self.scene.detach(node)?;
        }
        Ok(())
    }

    pub(crate) fn clone_subtree(
        &mut self,
        node: NodeId,
        parent: NodeId,
    ) -> Result<CloneMap, Fault> {
        Ok(self.scene.clone_subtree(node, Some(parent))?)
    }

    pub(crate) fn raycast(&self, ray: &Ray, filter: &Filter<'_>) -> Option<RayHit> {
        let hit = self.scene.pick(ray, filter)?;
        Some(RayHit {
            node: hit.node,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            triangle: Some(hit.triangle),
            instance: hit.instance,
        })
    }

    fn check_not_root(&self, node: NodeId) -> Result<(), Fault> {
        if node == self.root() { Err(pleach::Error::RootAttached.into()) } else { Ok(()) }
    }
}
