//! A naive index for comparison: a row for each node, and every query tests all of them.

use std::collections::BTreeMap;

use pleach_graph::{Graph, NodeId};
use pleach_spatial::glam::{DVec3, Vec3};
use pleach_spatial::{
    Aabb, CullReason, DEFAULT_LAYERS, Filter, Frustum, Ray, SpatialIndex, Sphere, SyncStats,
};

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) node: NodeId,
    pub(crate) local: Aabb,
    /// `true` if the bounds are in world space.
    pub(crate) world_space: bool,
    /// The world bounds of the last sync; `None` before the first.
    pub(crate) world: Option<Aabb>,
    pub(crate) shown: bool,
    pub(crate) layers: u32,
    pub(crate) culled: bool,
    pub(crate) attached: bool,
    /// `true` if it was attached at the last sync, and has not been detached since.
    in_queries: bool,
}

/// The parameters of a filter; `excluded_multiples` excludes nodes whose slots are multiples of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterSpec {
    pub(crate) layers: Option<u32>,
    pub(crate) hidden: bool,
    pub(crate) excluded_multiples: Option<usize>,
}

impl FilterSpec {
    pub(crate) fn predicate(self) -> impl Fn(NodeId) -> bool + Sync {
        move |node| self.excluded_multiples.is_none_or(|multiple| node.index() % multiple != 0)
    }

    pub(crate) fn filter(self, predicate: &(dyn Fn(NodeId) -> bool + Sync)) -> Filter<'_> {
        let filter = self.layers.map_or(Filter::default(), |it| Filter::default().with_layers(it));
        let filter = if self.hidden { filter.with_hidden() } else { filter };
        if self.excluded_multiples.is_some() { filter.with_predicate(predicate) } else { filter }
    }

    fn layer_mask(self) -> u32 {
        self.layers.unwrap_or(u32::MAX)
    }

    fn passes(self, row: &Row) -> bool {
        row.in_queries
            && (row.shown || self.hidden)
            && row.layers & self.layer_mask() != 0
            && self.predicate()(row.node)
    }
}

/// Rows by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct NaiveIndex {
    pub(crate) rows: BTreeMap<usize, Row>,
}

impl NaiveIndex {
    pub(crate) fn get(&self, node: NodeId) -> Option<&Row> {
        self.rows.get(&node.index()).filter(|row| row.node == node)
    }

    fn get_mut(&mut self, node: NodeId) -> Option<&mut Row> {
        self.rows.get_mut(&node.index()).filter(|row| row.node == node)
    }

    /// Sets bounds that the index accepts, or removes them for the empty box.
    pub(crate) fn set_bounds(&mut self, node: NodeId, local: Aabb) {
        self.set(node, local, false);
    }

    pub(crate) fn set_world_bounds(&mut self, node: NodeId, world: Aabb) {
        self.set(node, world, true);
    }

    fn set(&mut self, node: NodeId, local: Aabb, world_space: bool) {
        if local.is_empty() {
            self.remove(node);
        } else if let Some(row) = self.get_mut(node) {
            (row.local, row.world_space) = (local, world_space);
        } else {
            // Replaces the row of a removed node in the same slot.
            let row = Row {
                node,
                local,
                world_space,
                world: None,
                shown: true,
                layers: DEFAULT_LAYERS,
                culled: true,
                attached: true,
                in_queries: false,
            };
            self.rows.insert(node.index(), row);
        }
    }

    pub(crate) fn remove(&mut self, node: NodeId) -> bool {
        self.get(node).is_some() && self.rows.remove(&node.index()).is_some()
    }

    pub(crate) fn set_layers(&mut self, node: NodeId, layers: u32) -> bool {
        self.get_mut(node).map(|row| row.layers = layers).is_some()
    }

    pub(crate) fn set_frustum_culled(&mut self, node: NodeId, culled: bool) -> bool {
        self.get_mut(node).map(|row| row.culled = culled).is_some()
    }

    pub(crate) fn set_attached(&mut self, node: NodeId, attached: bool) -> bool {
        let set = |row: &mut Row| {
            (row.attached, row.in_queries) = (attached, attached && row.in_queries);
        };
        self.get_mut(node).map(set).is_some()
    }

    /// Recomputes all rows from the graph's stored matrices. Returns the numbers of changed and
    /// removed rows.
    pub(crate) fn sync(&mut self, graph: &Graph) -> (usize, usize) {
        let before = self.rows.len();
        self.rows.retain(|_, row| graph.contains(row.node));
        let mut moved = 0;
        for row in self.rows.values_mut() {
            let node = graph.node(row.node).unwrap();
            let local = row.local;
            let world =
                Some(if row.world_space { local } else { local.transformed(&node.world()) });
            moved += usize::from(world != row.world);
            (row.world, row.shown) = (world, node.is_shown());
            row.in_queries = row.attached;
        }
        (moved, before - self.rows.len())
    }

    /// Syncs both, and compares the statistics.
    #[track_caller]
    pub(crate) fn sync_with(&mut self, graph: &Graph, index: &mut SpatialIndex) -> SyncStats {
        let stats = index.sync(graph).unwrap();
        let (moved, removed) = self.sync(graph);
        assert_eq!(stats.removed, removed, "nodes that left");
        assert!((moved..=index.len()).contains(&stats.computed), "{stats:?}, {moved} moved");
        stats
    }

    fn matching(&self, spec: FilterSpec) -> impl Iterator<Item = (NodeId, Aabb)> + '_ {
        let rows = self.rows.values().filter(move |row| spec.passes(row));
        rows.map(|row| (row.node, row.world.unwrap()))
    }

    pub(crate) fn cull(&self, frustum: &Frustum, spec: FilterSpec) -> Vec<NodeId> {
        let in_view = |(node, world): &(NodeId, Aabb)| {
            !self.get(*node).unwrap().culled || frustum.intersects(world)
        };
        self.matching(spec).filter(in_view).map(|(node, _)| node).collect()
    }

    /// Returns the first reason, in the documented order.
    pub(crate) fn cull_reason(
        &self,
        graph: &Graph,
        node: NodeId,
        frustum: &Frustum,
        spec: FilterSpec,
    ) -> CullReason {
        let Some(row) = self.get(node) else { return CullReason::NoBounds };
        if !row.in_queries {
            let is_new = row.world.is_none() && row.attached;
            return if is_new { CullReason::NoBounds } else { CullReason::Detached };
        }
        if !row.shown && !spec.hidden {
            let mut by = node;
            for ancestor in graph.node(node).unwrap().ancestors() {
                if !graph.node(ancestor).unwrap().is_visible() {
                    by = ancestor;
                }
            }
            return CullReason::Hidden { by };
        }
        if row.layers & spec.layer_mask() == 0 {
            return CullReason::Layers { node: row.layers, filter: spec.layer_mask() };
        }
        if !spec.predicate()(node) {
            return CullReason::Predicate;
        }
        if !row.culled {
            return CullReason::NeverCulled;
        }
        frustum.first_outside(&row.world.unwrap()).map_or(CullReason::InView, CullReason::Outside)
    }

    /// Nearest first, then by slot.
    pub(crate) fn raycast_aabb_all(&self, ray: &Ray, spec: FilterSpec) -> Vec<(NodeId, f32)> {
        let hit = |(node, world): (NodeId, Aabb)| Some((node, ray.hit_aabb(&world)?));
        sorted(self.matching(spec).filter_map(hit).collect())
    }

    pub(crate) fn query_sphere(&self, sphere: &Sphere, spec: FilterSpec) -> Vec<NodeId> {
        let rows = self.matching(spec).filter(|(_, world)| world.intersects_sphere(sphere));
        rows.map(|(node, _)| node).collect()
    }

    pub(crate) fn query_aabb(&self, aabb: &Aabb, spec: FilterSpec) -> Vec<NodeId> {
        let rows = self.matching(spec).filter(|(_, world)| world.intersects(aabb));
        rows.map(|(node, _)| node).collect()
    }

    /// Asserts that these are the nearest nodes: nearest first, and of several at the same
    /// distance those with the smallest slots. Distances that differ by less than a millionth may
    /// be in any order, as they are f32, and so may those whose squares overflow or underflow.
    #[track_caller]
    pub(crate) fn assert_nearest(
        &self,
        point: Vec3,
        count: usize,
        spec: FilterSpec,
        nearest: &[NodeId],
    ) {
        let rank = |node: NodeId| {
            let world = self.get(node).unwrap().world.unwrap();
            (distance(&world, point), node.index())
        };
        let in_order = |a: NodeId, b: NodeId| {
            let ((near, slot), (far, other)) = (rank(a), rank(b));
            near < far
                || (near == far && slot < other)
                || (near != far && near <= far * 1.000_001)
                || (near > 1e18 && far > 1e18)
                || (near < 1e-18 && far < 1e-18)
        };
        let all: Vec<NodeId> = self.matching(spec).map(|(node, _)| node).collect();
        assert_eq!(nearest.len(), count.min(all.len()), "{point} {count} {spec:?}");
        for pair in nearest.windows(2) {
            assert!(in_order(pair[0], pair[1]), "{pair:?} near {point}, {count} {spec:?}");
        }
        let Some(&last) = nearest.last() else { return };
        for &node in all.iter().filter(|node| !nearest.contains(node)) {
            assert!(in_order(last, node), "{node} is missing near {point}, {count} {spec:?}");
        }
        assert!(nearest.iter().all(|node| all.contains(node)));
    }

    /// Returns the box of all attached rows.
    pub(crate) fn bounds(&self) -> Aabb {
        let worlds = self.rows.values().filter(|row| row.in_queries).filter_map(|row| row.world);
        worlds.fold(Aabb::EMPTY, |all, world| all.union(&world))
    }

    /// By the current hierarchy of the graph: call it after a sync.
    pub(crate) fn subtree_bounds(&self, graph: &Graph, root: NodeId) -> Aabb {
        let subtree = graph.node(root).unwrap().descendants();
        let worlds = subtree.filter_map(|node| self.get(node)?.world);
        worlds.fold(Aabb::EMPTY, |all, world| all.union(&world))
    }
}

/// Returns the distance from a point to a box, in f64.
pub(crate) fn distance(aabb: &Aabb, point: Vec3) -> f64 {
    let [min, max, point] = [aabb.min, aabb.max, point].map(|it| it.as_dvec3());
    (min - point).max(point - max).max(DVec3::ZERO).length()
}

/// Sorts by distance, then by slot. (The input is sorted by slot.)
fn sorted(mut list: Vec<(NodeId, f32)>) -> Vec<(NodeId, f32)> {
    list.sort_by(|a, b| a.1.partial_cmp(&b.1).expect("no NaN"));
    list
}
