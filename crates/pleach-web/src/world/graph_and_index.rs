//! `World` of the small module: a graph with a root, and a spatial index.

use glam::Vec3;
use pleach_graph::{ChangeReader, CloneMap, Graph, LocalKind, NodeId, Transform};
use pleach_spatial::{Aabb, Filter, Ray, SpatialIndex, Visible};

use crate::fault::Fault;
use crate::node_number::MAX_GENERATION;
use crate::queries::RayHit;

pub(crate) struct World {
    graph: Graph,
    index: SpatialIndex,
    root: NodeId,
    pub(crate) output: crate::bulk::Output,
    pub(crate) readers: Vec<Option<ChangeReader>>,
    pub(crate) visible: Visible,
}

impl World {
    pub(crate) fn new() -> Self {
        let mut graph = Graph::new();
        graph.set_max_generation(MAX_GENERATION);
        let root = graph.add_root(Transform::IDENTITY).expect("the graph is empty");
        let index = SpatialIndex::new(&mut graph);
        Self {
            graph,
            index,
            root,
            output: Default::default(),
            readers: Vec::new(),
            visible: Visible::new(),
        }
    }

    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    pub(crate) fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }

    pub(crate) fn index(&self) -> &SpatialIndex {
        &self.index
    }

    /// Brings world matrices and bounds up to date; returns the number of recomputed nodes.
    pub(crate) fn update(&mut self) -> Result<usize, Fault> {
        let stats = self.graph.update();
        self.index.sync(&self.graph)?;
        Ok(stats.changed)
    }

    pub(crate) fn clear_changes(&mut self) {
        self.graph.clear_changes();
    }

    pub(crate) fn set_bounds(&mut self, node: NodeId, bounds: Option<Aabb>) -> Result<(), Fault> {
        self.graph.node(node)?;
        match bounds {
            Some(bounds) => {
                self.index.set_bounds(&self.graph, node, bounds)?;
                self.refresh_attached(node)?;
            }
            None => _ = self.index.remove(node),
        }
        Ok(())
    }

    pub(crate) fn bounds(&self, node: NodeId) -> Option<Aabb> {
        self.index.local_bounds(node)
    }

    pub(crate) fn remove(&mut self, node: NodeId) -> Result<usize, Fault> {
        if node == self.root {
            return Err(Fault::new("root", "the root cannot be removed; remove its children"));
        }
        Ok(self.graph.remove(node)?)
    }

    pub(crate) fn attach(&mut self, node: NodeId, parent: NodeId) -> Result<(), Fault> {
        self.check_not_root(node)?;
        self.graph.attach(node, parent)?;
        self.refresh_attached(node)
    }

    pub(crate) fn attach_in_place(
        &mut self,
        node: NodeId,
        parent: NodeId,
    ) -> Result<LocalKind, Fault> {
        self.check_not_root(node)?;
        let kind = self.graph.attach_in_place(node, parent)?;
        self.refresh_attached(node)?;
        Ok(kind)
    }

    pub(crate) fn attach_at(
        &mut self,
        node: NodeId,
        parent: NodeId,
        at: usize,
    ) -> Result<(), Fault> {
        self.check_not_root(node)?;
        self.graph.attach_at(node, parent, at)?;
        self.refresh_attached(node)
    }

    pub(crate) fn attach_all(&mut self, nodes: &[NodeId], parent: NodeId) -> Result<(), Fault> {
        nodes.iter().try_for_each(|&node| self.check_not_root(node))?;
        self.graph.attach_all(nodes, parent)?;
        nodes.iter().try_for_each(|&node| self.refresh_attached(node))
    }

    pub(crate) fn detach(&mut self, node: NodeId, in_place: bool) -> Result<(), Fault> {
        self.check_not_root(node)?;
        if in_place {
            self.graph.detach_in_place(node)?;
        } else {
            self.graph.detach(node)?;
        }
        self.refresh_attached(node)
    }

    pub(crate) fn clone_subtree(
        &mut self,
        node: NodeId,
        parent: NodeId,
    ) -> Result<CloneMap, Fault> {
        self.check_not_root(node)?;
        let copies = self.graph.clone_subtree(node, Some(parent))?;
        for &(original, copy) in copies.pairs() {
            if let Some(bounds) = self.index.local_bounds(original) {
                self.index.set_bounds(&self.graph, copy, bounds)?;
            }
        }
        self.refresh_attached(copies.root())?;
        Ok(copies)
    }

    pub(crate) fn raycast(&self, ray: &Ray, filter: &Filter<'_>) -> Option<RayHit> {
        let hit = self.index.raycast_aabb(ray, filter)?;
        let point = ray.at(hit.distance);
        Some(RayHit {
            node: hit.node,
            distance: hit.distance,
            point,
            normal: Vec3::ZERO,
            triangle: None,
            instance: None,
        })
    }

    fn check_not_root(&self, node: NodeId) -> Result<(), Fault> {
        if node == self.root {
            return Err(Fault::new(
                "root",
                "the root cannot be attached or detached; move its children",
            ));
        }
        Ok(())
    }

    /// Nodes that are not below the root are in no result.
    fn refresh_attached(&mut self, node: NodeId) -> Result<(), Fault> {
        let top = self.graph.node(node)?.ancestors().last().unwrap_or(node);
        let attached = top == self.root;
        for below in self.graph.node(node)?.descendants() {
            if self.index.contains(below) {
                self.index.set_attached(below, attached)?;
            }
        }
        Ok(())
    }
}
