//! `pleach`: the `SpatialIndex` of `pleach-spatial` over a graph with a root per box, and its
//! `TriangleTree`, used through their public functions with the default filter.
//!
//! Boxes move by their nodes' translations. The graph's own update belongs to the transform
//! benchmark and is not timed here; `sync` is.

use std::time::Instant;

use glam::Vec3;
use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::{ClipSpace, CullMethod, Filter, Frustum, SpatialIndex, TriangleTree, Visible};

use super::{Cull, Trace};
use crate::space::boxes::Aabb;
use crate::space::motion::Move;
use crate::space::rays::Ray;
use crate::space::view::View;

pub struct Pleach {
    graph: Graph,
    /// In the order of the boxes, which is also the order of slots in a new graph.
    nodes: Vec<NodeId>,
    index: SpatialIndex,
    visible: Visible,
}

impl Pleach {
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut pleach = Self::unsynced(boxes);
        pleach.sync();
        pleach
    }

    /// Creates an index with all bounds set, but not yet synchronised.
    pub fn unsynced(boxes: &[Aabb]) -> Self {
        let mut graph = Graph::new();
        let mut index = SpatialIndex::new(&mut graph);
        let nodes = boxes.iter().map(|one| {
            let node =
                graph.add_root(at(one)).expect("the number of boxes is below the limit of a graph");
            let half = Vec3::from(one.half());
            let local_bounds = pleach_spatial::Aabb::new(-half, half);
            index.set_bounds(&graph, node, local_bounds).expect("the bounds are finite");
            node
        });
        let nodes = nodes.collect();
        graph.update();
        Self { graph, nodes, index, visible: Visible::new() }
    }

    /// Sets the cull method.
    pub fn with_cull_method(mut self, method: CullMethod) -> Self {
        self.index.set_cull_method(method);
        self
    }

    /// Synchronises the index, brings its tree up to date and returns the nanoseconds.
    pub fn sync(&mut self) -> f64 {
        let start = Instant::now();
        self.index.sync(&self.graph).expect("the index belongs to this graph");
        self.index.update_tree();
        let time = start.elapsed().as_nanos() as f64;
        self.graph.clear_changes();
        time
    }

    /// Rebuilds the tree and returns the nanoseconds.
    pub fn rebuild(&mut self) -> f64 {
        let start = Instant::now();
        self.index.rebuild();
        start.elapsed().as_nanos() as f64
    }

    pub fn refit(&mut self, boxes: &[Aabb]) -> f64 {
        for (one, &node) in boxes.iter().zip(&self.nodes) {
            set_center(&mut self.graph, node, one);
        }
        self.graph.update();
        self.sync()
    }

    pub fn apply(&mut self, moves: &[Move]) -> f64 {
        for (index, to) in moves {
            set_center(&mut self.graph, self.nodes[*index as usize], to);
        }
        self.graph.update();
        self.sync()
    }
}

fn at(one: &Aabb) -> Transform {
    let [x, y, z] = one.center();
    Transform::from_xyz(x, y, z)
}

fn set_center(graph: &mut Graph, node: NodeId, to: &Aabb) {
    let mut node = graph.node_mut(node).expect("every box's node is in the graph");
    node.set_translation(Vec3::from(to.center())).expect("the translation is finite");
}

impl Cull for Pleach {
    fn cull(&mut self, view: &View) {
        let frustum = Frustum::from_view_projection(&view.clip_from_world, ClipSpace::ZeroToOne);
        let frustum = frustum.expect("the view has a volume");
        self.index.cull(&frustum, &Filter::default(), &mut self.visible);
    }

    fn found(&self) -> Vec<u32> {
        let first = self.nodes.first().map_or(0, |node| node.index());
        self.visible.nodes().iter().map(|node| (node.index() - first) as u32).collect()
    }
}

fn ray(ray: &Ray) -> pleach_spatial::Ray {
    pleach_spatial::Ray::new(ray.origin, ray.direction).expect("the direction is not zero")
}

impl Trace for Pleach {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        for (one, distance) in rays.iter().zip(distances) {
            let hit = self.index.raycast_aabb(&ray(one), &Filter::default());
            *distance = hit.map_or(f32::INFINITY, |hit| hit.distance);
        }
    }
}

/// Rays against the triangles of a mesh.
pub struct Triangles(TriangleTree);

impl Triangles {
    pub fn new(mesh: &[[Vec3; 3]]) -> Self {
        let tree = TriangleTree::build_unindexed(mesh.as_flattened());
        Self(tree.expect("the number of triangles is below the limit of a tree"))
    }
}

impl Trace for Triangles {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        for (one, distance) in rays.iter().zip(distances) {
            let hit = self.0.raycast(&ray(one));
            *distance = hit.map_or(f32::INFINITY, |(_, hit)| hit.distance);
        }
    }
}
