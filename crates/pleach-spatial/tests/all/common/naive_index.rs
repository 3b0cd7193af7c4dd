//! The index as anybody would write it: a row for each node, and every question put
//! to all of them.

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
    /// Are these bounds in the world already?
    pub(crate) world_space: bool,
    /// As of the last sync; none before the first.
    pub(crate) world: Option<Aabb>,
    pub(crate) shown: bool,
    pub(crate) layers: u32,
    pub(crate) culled: bool,
}

/// A filter that can be kept: `only` nodes whose slots have another remainder.
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
        row.world.is_some()
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

    /// Bounds that the index takes, or the empty box.
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
            // A dead tenant of the slot leaves.
            let row = Row {
                node,
                local,
                world_space,
                world: None,
                shown: true,
                layers: DEFAULT_LAYERS,
                culled: true,
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

    /// All rows anew from the graph's stored matrices. How many moved, and how many
    /// left.
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
        }
        (moved, before - self.rows.len())
    }

    /// Syncs both, and compares what was done.
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

    /// The first reason, in the order that is documented.
    pub(crate) fn cull_reason(
        &self,
        graph: &Graph,
        node: NodeId,
        frustum: &Frustum,
        spec: FilterSpec,
    ) -> CullReason {
        let Some(row) = self.get(node).filter(|row| row.world.is_some()) else {
            return CullReason::NoBounds;
        };
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

    /// These are the nearest: nearest first, and of several at the very same distance
    /// the least slots. Distances that differ by less than a millionth may come in any
    /// order, as they are f32, and so may those whose squares overflow or vanish.
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

    /// The box of everything that was synced.
    pub(crate) fn bounds(&self) -> Aabb {
        let worlds = self.rows.values().filter_map(|row| row.world);
        worlds.fold(Aabb::EMPTY, |all, world| all.union(&world))
    }

    /// By the graph as it is now: ask after a sync.
    pub(crate) fn subtree_bounds(&self, graph: &Graph, root: NodeId) -> Aabb {
        let subtree = graph.node(root).unwrap().descendants();
        let worlds = subtree.filter_map(|node| self.get(node)?.world);
        worlds.fold(Aabb::EMPTY, |all, world| all.union(&world))
    }
}

/// From a point to a box, in f64.
pub(crate) fn distance(aabb: &Aabb, point: Vec3) -> f64 {
    let [min, max, point] = [aabb.min, aabb.max, point].map(|it| it.as_dvec3());
    (min - point).max(point - max).max(DVec3::ZERO).length()
}

/// Least number first, then the least slot. (They come in the order of slots.)
fn sorted(mut list: Vec<(NodeId, f32)>) -> Vec<(NodeId, f32)> {
    list.sort_by(|a, b| a.1.partial_cmp(&b.1).expect("no NaN"));
    list
}
