//! A graph with its index, viewed from the origin along +Y.

use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::glam::camera::rh::proj::directx;
use pleach_spatial::glam::camera::rh::view::look_to_mat4;
use pleach_spatial::{
    Aabb, ClipSpace, CullMethod, CullReason, Filter, Frustum, Ray, SpatialIndex, SyncStats, Visible,
};

use crate::common::queries::assert_consistent;

pub(crate) const UNIT: Aabb = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);

/// Returns a frustum of 90° in width and height, from a tenth of a metre to 100 metres.
pub(crate) fn camera(eye: Vec3, forward: Vec3) -> Frustum {
    let up = if forward.z.abs() > 0.9 { Vec3::X } else { Vec3::Z };
    let projection = directx::perspective(std::f32::consts::FRAC_PI_2, 1.0, 0.1, 100.0);
    let view = look_to_mat4(eye, forward, up);
    Frustum::from_view_projection(&(projection * view), ClipSpace::ZeroToOne).unwrap()
}

/// Returns the frustum from the origin along +Y, where the nodes of these tests are.
pub(crate) fn forward_frustum() -> Frustum {
    camera(Vec3::ZERO, Vec3::Y)
}

pub(crate) fn forward_ray() -> Ray {
    Ray::new(Vec3::ZERO, Vec3::Y).unwrap()
}

pub(crate) struct Scene {
    pub(crate) graph: Graph,
    pub(crate) index: SpatialIndex,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        Self { graph, index }
    }

    pub(crate) fn add(
        &mut self,
        parent: impl Into<Option<NodeId>>,
        x: f32,
        y: f32,
        z: f32,
    ) -> NodeId {
        let transform = Transform::from_xyz(x, y, z);
        match parent.into() {
            Some(parent) => self.graph.add_child(parent, transform).unwrap(),
            None => self.graph.add_root(transform).unwrap(),
        }
    }

    /// Adds a node with the unit box.
    pub(crate) fn add_mesh(
        &mut self,
        parent: impl Into<Option<NodeId>>,
        x: f32,
        y: f32,
        z: f32,
    ) -> NodeId {
        let node = self.add(parent, x, y, z);
        self.set_bounds(node, UNIT);
        node
    }

    pub(crate) fn set_bounds(&mut self, node: NodeId, local: Aabb) {
        self.index.set_bounds(&self.graph, node, local).unwrap();
    }

    pub(crate) fn set_translation(&mut self, node: NodeId, x: f32, y: f32, z: f32) {
        self.graph.node_mut(node).unwrap().set_translation(Vec3::new(x, y, z)).unwrap();
    }

    pub(crate) fn set_visible(&mut self, node: NodeId, visible: bool) {
        self.graph.node_mut(node).unwrap().set_visible(visible);
    }

    pub(crate) fn frame(&mut self) -> SyncStats {
        self.graph.update();
        self.index.sync(&self.graph).unwrap()
    }

    /// Culls by scan and by tree, and asserts that they agree.
    #[track_caller]
    pub(crate) fn cull_with(&mut self, frustum: &Frustum, filter: &Filter<'_>) -> Vec<NodeId> {
        let [scan, tree] = [CullMethod::Scan, CullMethod::Tree].map(|method| {
            self.index.set_cull_method(method);
            let mut visible = Visible::new();
            self.index.cull(frustum, filter, &mut visible);
            assert_consistent(&visible);
            visible.nodes().to_vec()
        });
        assert_eq!(scan, tree);
        scan
    }

    #[track_caller]
    pub(crate) fn cull(&mut self) -> Vec<NodeId> {
        self.cull_with(&forward_frustum(), &Filter::default())
    }

    pub(crate) fn cull_reason(&self, node: NodeId, filter: &Filter<'_>) -> CullReason {
        self.index.cull_reason(&self.graph, node, &forward_frustum(), filter).unwrap()
    }
}
