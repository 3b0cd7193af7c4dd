//! The main safety net: random edits of a graph with an index and a naive index, followed by all
//! queries on both, and on a newly created index as well.

use crate::common::RandomShapes;
use crate::common::naive_index::NaiveIndex;
use crate::common::queries::{Queries, compare_cull_reasons};
use pleach_graph::{Graph, NodeId, NodeMut, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullMethod, Error, Filter, Frustum, SpatialIndex, Visible};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use testkit::{Rng, sized};

/// The approximate distance of objects from the origin.
const EXTENT: f32 = 20.0;

/// A node, as a number that is taken modulo the number of nodes.
type NodeIndex = usize;

/// The seed of the random values of an edit, such as a transform or a box.
type Seed = u64;

#[derive(Clone, Debug)]
enum Edit {
    AddRoot(Seed),
    AddChild(NodeIndex, Seed),
    /// Adds a node and sets its bounds at once.
    AddWithBounds(NodeIndex, Seed),
    /// Adds this many nodes along a line, each with a sync: the worst case for a tree.
    AddAlongLine(usize, Seed),
    SetBounds(NodeIndex, Seed),
    SetWorldBounds(NodeIndex, Seed),
    SetNoBounds(NodeIndex),
    RemoveFromGraph(NodeIndex),
    RemoveFromIndex(NodeIndex),
    Drift(NodeIndex, Seed),
    Jump(NodeIndex, Seed),
    Rotate(NodeIndex, Seed),
    Scale(NodeIndex, Seed),
    /// A matrix with shear, possibly mirrored.
    Shear(NodeIndex, Seed),
    Attach(NodeIndex, NodeIndex),
    AttachInPlace(NodeIndex, NodeIndex),
    Detach(NodeIndex),
    Show(NodeIndex, bool),
    Layers(NodeIndex, u32),
    Culled(NodeIndex, bool),
    SetAttached(NodeIndex, bool),
    /// Detaches or attaches every node whose number is not a multiple of this.
    SetManyAttached(usize, bool),
    /// Moves every node whose number is not a multiple of this.
    MoveMany(usize, Seed),
    /// Removes one in this many roots, with their descendants.
    RemoveMany(usize),
    /// Queries subtree bounds, so that the index keeps them up to date from then on.
    QuerySubtree(NodeIndex),
    Rebuild,
    Update,
    /// Without an update: the graph may have pending changes.
    SyncOnly,
    /// Update, sync, and all queries.
    Frame,
}

impl Edit {
    fn random(random: &mut Rng) -> Self {
        let [a, b] = [(); 2].map(|()| random.below(10_000));
        let seed = random.next_u64() >> 40;
        match random.below(100) {
            0..=3 => Self::AddRoot(seed),
            4..=9 => Self::AddChild(a, seed),
            10..=20 => Self::AddWithBounds(a, seed),
            21 => Self::AddAlongLine(10 + random.below(30), seed),
            22..=29 => Self::SetBounds(a, seed),
            30 => Self::SetWorldBounds(a, seed),
            31 => Self::SetNoBounds(a),
            32..=35 => Self::RemoveFromGraph(a),
            36..=38 => Self::RemoveFromIndex(a),
            39..=49 => Self::Drift(a, seed),
            50..=55 => Self::Jump(a, seed),
            56..=57 => Self::Rotate(a, seed),
            58..=59 => Self::Scale(a, seed),
            60..=62 => Self::Shear(a, seed),
            63..=68 => Self::Attach(a, b),
            69..=70 => Self::AttachInPlace(a, b),
            71..=72 => Self::Detach(a),
            73..=77 => Self::Show(a, random.one_in(2)),
            78..=79 => Self::Layers(a, random.pick(&[0, 1, 2, 4, 9, u32::MAX])),
            80 if random.one_in(8) => Self::SetManyAttached(2 + random.below(4), random.one_in(2)),
            80..=81 => Self::SetAttached(a, random.one_in(2)),
            82 => Self::Culled(a, random.one_in(2)),
            83 => Self::MoveMany(2 + random.below(3), seed),
            84 if random.one_in(3) => Self::RemoveMany(2 + random.below(3)),
            85..=87 => Self::QuerySubtree(a),
            88 => Self::Rebuild,
            89..=91 => Self::Update,
            92..=94 => Self::SyncOnly,
            _ => Self::Frame,
        }
    }
}

/// A graph, its index, and a naive index for comparison.
struct Scene {
    graph: Graph,
    index: SpatialIndex,
    naive: NaiveIndex,
    /// The nodes in the graph.
    nodes: Vec<NodeId>,
    /// The maximum number of nodes.
    limit: usize,
    /// For the queries.
    random: Rng,
    frames: usize,
}

impl Scene {
    fn new(seed: u64, limit: usize) -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        let naive = NaiveIndex::default();
        let (nodes, random) = (Vec::new(), Rng::new(seed));
        Self { graph, index, naive, nodes, limit, random, frames: 0 }
    }

    fn node(&self, pick: NodeIndex) -> Option<NodeId> {
        (!self.nodes.is_empty()).then(|| self.nodes[pick % self.nodes.len()])
    }

    fn add(&mut self, parent: Option<NodeId>, transform: Transform) -> Option<NodeId> {
        if self.nodes.len() >= self.limit {
            return None;
        }
        let node = match parent {
            Some(parent) => self.graph.add_child(parent, transform).unwrap(),
            None => self.graph.add_root(transform).unwrap(),
        };
        self.nodes.push(node);
        Some(node)
    }

    fn set_bounds(&mut self, node: NodeId, local: Aabb) {
        self.index.set_bounds(&self.graph, node, local).unwrap();
        self.naive.set_bounds(node, local);
    }

    /// Adds a root with a box of a typical size.
    fn add_typical(&mut self, random: &mut Rng) {
        if let Some(node) = self.add(None, random.transform(EXTENT)) {
            self.set_bounds(node, random.typical_box());
        }
    }

    fn remove(&mut self, node: NodeId) {
        self.graph.remove(node).unwrap();
        self.nodes.retain(|&node| self.graph.contains(node));
    }

    /// Limits the depth, so that scales do not overflow.
    fn is_shallow(&self, parent: NodeId) -> bool {
        self.graph.node(parent).unwrap().depth() < 12
    }

    fn apply(&mut self, edit: &Edit) {
        match *edit {
            Edit::AddRoot(seed) => _ = self.add(None, Rng::new(seed).transform(EXTENT)),
            Edit::AddChild(pick, seed) => {
                let parent = self.node(pick).filter(|&parent| self.is_shallow(parent));
                self.add(parent, Rng::new(seed).transform(3.0));
            }
            Edit::AddWithBounds(pick, seed) => {
                let mut random = Rng::new(seed);
                let parent = self.node(pick).filter(|&it| pick % 3 == 0 && self.is_shallow(it));
                if let Some(node) = self.add(parent, random.transform(EXTENT)) {
                    self.set_bounds(node, random.aabb());
                }
            }
            Edit::AddAlongLine(count, seed) => {
                let mut random = Rng::new(seed);
                let (from, step, local) =
                    (random.vec3(EXTENT), random.vec3(0.5), random.typical_box());
                for number in 0..count {
                    let at = from + step * number as f32;
                    if let Some(node) = self.add(None, Transform::from_translation(at)) {
                        self.set_bounds(node, local);
                    }
                    self.graph.update();
                    self.naive.sync_with(&self.graph, &mut self.index);
                }
            }
            Edit::MoveMany(every, seed) => {
                let by = Rng::new(seed).vec3(2.0);
                for number in (0..self.nodes.len()).filter(|number| number % every != 0) {
                    self.shift(self.nodes[number], by);
                }
            }
            Edit::SetManyAttached(every, attached) => {
                for number in (0..self.nodes.len()).filter(|number| number % every != 0) {
                    self.apply_to(self.nodes[number], &Edit::SetAttached(0, attached));
                }
            }
            Edit::RemoveMany(every) => {
                let roots: Vec<NodeId> = self.graph.roots().collect();
                for &root in roots.iter().skip(1).step_by(every) {
                    self.remove(root);
                }
            }
            Edit::Rebuild => self.index.rebuild(),
            Edit::Update => _ = self.graph.update(),
            Edit::SyncOnly => _ = self.naive.sync_with(&self.graph, &mut self.index),
            Edit::Frame => self.frame(),
            Edit::SetBounds(pick, _)
            | Edit::SetWorldBounds(pick, _)
            | Edit::SetNoBounds(pick)
            | Edit::RemoveFromGraph(pick)
            | Edit::RemoveFromIndex(pick)
            | Edit::Drift(pick, _)
            | Edit::Jump(pick, _)
            | Edit::Rotate(pick, _)
            | Edit::Scale(pick, _)
            | Edit::Shear(pick, _)
            | Edit::Attach(pick, _)
            | Edit::AttachInPlace(pick, _)
            | Edit::Detach(pick)
            | Edit::Show(pick, _)
            | Edit::Layers(pick, _)
            | Edit::Culled(pick, _)
            | Edit::SetAttached(pick, _)
            | Edit::QuerySubtree(pick) => {
                if let Some(node) = self.node(pick) {
                    self.apply_to(node, edit);
                }
            }
        }
    }

    fn apply_to(&mut self, node: NodeId, edit: &Edit) {
        match *edit {
            Edit::SetBounds(_, seed) => self.set_bounds(node, Rng::new(seed).aabb()),
            Edit::SetWorldBounds(_, seed) => {
                let world = Rng::new(seed).aabb();
                self.index.set_world_bounds(&self.graph, node, world).unwrap();
                self.naive.set_world_bounds(node, world);
            }
            Edit::SetNoBounds(_) => self.set_bounds(node, Aabb::EMPTY),
            Edit::RemoveFromGraph(_) => self.remove(node),
            Edit::RemoveFromIndex(_) => {
                assert_eq!(self.index.remove(node), self.naive.remove(node));
            }
            Edit::Drift(_, seed) => self.shift(node, Rng::new(seed).vec3(0.3)),
            Edit::Jump(_, seed) => {
                _ = self.edit(node).set_transform(Rng::new(seed).transform(EXTENT)).unwrap();
            }
            Edit::Rotate(_, seed) => {
                _ = self.edit(node).set_rotation(Rng::new(seed).rotation()).unwrap();
            }
            Edit::Scale(_, seed) => {
                _ = self.edit(node).set_scale(Rng::new(seed).scale()).unwrap();
            }
            Edit::Shear(_, seed) => {
                _ = self.edit(node).set_local_matrix(Rng::new(seed).invertible(EXTENT)).unwrap();
            }
            Edit::Attach(_, to) | Edit::AttachInPlace(_, to) => {
                let parent = self.nodes[to % self.nodes.len()];
                if self.is_shallow(parent) && self.has_few_descendants(node) {
                    // An error if the parent is a descendant of the node.
                    match edit {
                        Edit::Attach(..) => _ = self.graph.attach(node, parent),
                        _ => _ = self.graph.attach_in_place(node, parent),
                    }
                }
            }
            Edit::Detach(_) => self.graph.detach(node).unwrap(),
            Edit::Show(_, visible) => _ = self.edit(node).set_visible(visible),
            Edit::Layers(_, layers) => {
                let set = self.index.set_layers(node, layers);
                self.assert_has_bounds(node, set);
                self.naive.set_layers(node, layers);
            }
            Edit::Culled(_, culled) => {
                let set = self.index.set_frustum_culled(node, culled);
                self.assert_has_bounds(node, set);
                self.naive.set_frustum_culled(node, culled);
            }
            Edit::SetAttached(_, attached) => {
                let set = self.index.set_attached(node, attached);
                self.assert_has_bounds(node, set);
                self.naive.set_attached(node, attached);
                let has_bounds = self.naive.get(node).is_some();
                assert_eq!(self.index.is_attached(node), attached && has_bounds);
            }
            Edit::QuerySubtree(_) => _ = self.index.subtree_bounds(&self.graph, node),
            _ => unreachable!("{edit:?} does not refer to a single node"),
        }
    }

    fn edit(&mut self, node: NodeId) -> NodeMut<'_> {
        self.graph.node_mut(node).unwrap()
    }

    /// Limits the size of subtrees, so that depths stay bounded.
    fn has_few_descendants(&self, node: NodeId) -> bool {
        self.graph.node(node).unwrap().descendants().count() < 10
    }

    fn assert_has_bounds(&self, node: NodeId, set: Result<(), Error>) {
        let expected = self.naive.get(node).map(|_| ()).ok_or(Error::NoBounds(node));
        assert_eq!(set, expected);
    }

    fn shift(&mut self, node: NodeId, by: Vec3) {
        let mut node = self.edit(node);
        let mut at = node.as_node_ref().translation() + by;
        if at.abs().max_element() > 3.0 * EXTENT {
            at = by;
        }
        node.set_translation(at).unwrap();
    }

    /// Update, sync, and all queries.
    fn frame(&mut self) {
        // Always up to date: the sync must give the same bounds.
        let computed: Vec<(NodeId, Option<Aabb>)> = self
            .nodes
            .iter()
            .map(|&node| (node, self.index.compute_world_bounds(&self.graph, node)))
            .collect();
        if self.random.one_in(3) {
            self.compare_queries();
        }
        self.graph.update();
        self.naive.sync_with(&self.graph, &mut self.index);
        for (node, computed) in computed {
            assert_eq!(self.index.world_bounds(node), computed, "{node}");
            assert_eq!(self.index.compute_world_bounds(&self.graph, node), computed, "{node}");
        }
        self.compare_queries();
        self.compare_subtree_bounds();
        self.frames += 1;
        if self.frames.is_multiple_of(3) {
            self.compare_with_new_index();
        }
        // Nothing changed since, so nothing is computed.
        assert_eq!(self.index.sync(&self.graph).unwrap().computed, 0);
    }

    fn compare_queries(&mut self) {
        let count = if self.nodes.len() > 300 { 4 } else { 6 };
        let queries = Queries::random(&mut self.random, count, EXTENT, &self.naive);
        queries.compare(&mut self.index, &self.naive);
        for view in &queries.views[..2] {
            compare_cull_reasons(&self.graph, &self.index, &self.naive, *view);
        }
    }

    /// Only a few nodes, so that others are queried after several changes only.
    fn compare_subtree_bounds(&mut self) {
        for _ in 0..8.min(self.nodes.len()) {
            let node = self.random.pick(&self.nodes);
            let expected = self.naive.subtree_bounds(&self.graph, node);
            let subtree = self.index.subtree_bounds(&self.graph, node);
            assert_eq!(subtree, Some(expected), "subtree of {node}");
        }
    }

    /// Compares with another index of the same graph, filled in another order.
    fn compare_with_new_index(&mut self) {
        let mut other = SpatialIndex::new(&mut self.graph);
        let mut rows: Vec<_> = self.naive.rows.values().cloned().collect();
        self.random.shuffle(&mut rows);
        for row in &rows {
            match row.world_space {
                true => other.set_world_bounds(&self.graph, row.node, row.local).unwrap(),
                false => other.set_bounds(&self.graph, row.node, row.local).unwrap(),
            }
            other.set_layers(row.node, row.layers).unwrap();
            other.set_frustum_culled(row.node, row.culled).unwrap();
            other.set_attached(row.node, row.attached).unwrap();
        }
        other.sync(&self.graph).unwrap();
        let queries = Queries::random(&mut self.random, 4, EXTENT, &self.naive);
        queries.compare(&mut other, &self.naive);
        assert_eq!(queries.run(&other), queries.run(&self.index));
        for &node in self.nodes.iter().step_by(7) {
            let [first, second] =
                [&mut self.index, &mut other].map(|it| it.subtree_bounds(&self.graph, node));
            assert_eq!(first, second, "subtree of {node}");
        }
    }
}

fn any_edit() -> impl Strategy<Value = Edit> {
    any::<u64>().prop_map(|seed| Edit::random(&mut Rng::new(seed)))
}

fn cases(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: if cfg!(miri) { 2 } else { cases },
        failure_persistence: if cfg!(miri) { None } else { Some(Box::new(persistence)) },
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// Short lists, which proptest shrinks to the few edits that matter.
    #[test]
    fn results_match_the_naive_index_after_any_edits(edits in vec(any_edit(), 1..sized(100, 30))) {
        let mut scene = Scene::new(1, 40);
        for edit in &edits {
            scene.apply(edit);
        }
        scene.apply(&Edit::Frame);
    }
}

/// Applies a long list of edits to a scene of `initial_nodes` nodes.
fn run(seed: u64, initial_nodes: usize, limit: usize, edits: usize) {
    let mut random = Rng::new(seed);
    let mut scene = Scene::new(seed, limit);
    for _ in 0..initial_nodes {
        scene.add_typical(&mut random);
    }
    for _ in 0..edits {
        scene.apply(&Edit::random(&mut random));
    }
    scene.apply(&Edit::Frame);
}

#[test]
fn results_match_the_naive_index_after_thousands_of_edits() {
    for seed in 0..sized(6, 1) as u64 {
        run(seed, sized(200, 10), 400, sized(1200, 20));
    }
}

#[test]
fn results_match_the_naive_index_with_thousands_of_nodes() {
    for seed in 100..100 + sized(2, 1) as u64 {
        run(seed, sized(2500, 10), 3000, sized(250, 20));
    }
}

#[test]
fn results_match_the_naive_index_while_nodes_are_added() {
    for seed in 200..200 + sized(4, 1) as u64 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new(seed, 1000);
        for step in 0..sized(300, 10) {
            scene.apply(&Edit::AddWithBounds(random.below(10_000), random.next_u64()));
            if step % 25 == 0 {
                scene.apply(&Edit::Frame);
            }
            scene.graph.update();
            scene.naive.sync_with(&scene.graph, &mut scene.index);
        }
        scene.apply(&Edit::Frame);
    }
}

/// More than a quarter at once, which refits all boxes; then so far that the tree is rebuilt.
#[test]
fn results_match_the_naive_index_after_mass_moves() {
    let mut scene = Scene::new(7, 2000);
    let mut random = Rng::new(7);
    for _ in 0..sized(600, 20) {
        scene.add_typical(&mut random);
    }
    scene.apply(&Edit::Frame);
    for every in [2, 3, 4, 9] {
        scene.apply(&Edit::MoveMany(every, random.next_u64()));
        scene.apply(&Edit::Frame);
    }
    let rebuilds = scene.index.tree_stats().rebuilds;
    for _ in 0..sized(6, 2) {
        for node in scene.nodes.clone() {
            let to = random.transform(EXTENT);
            scene.graph.node_mut(node).unwrap().set_transform(to).unwrap();
        }
        scene.graph.update();
        scene.naive.sync_with(&scene.graph, &mut scene.index);
        scene.apply(&Edit::Frame);
    }
    let rebuilt = scene.index.tree_stats().rebuilds > rebuilds;
    assert!(rebuilt || cfg!(miri), "everything jumped, and the tree was never rebuilt");
}

#[test]
fn results_match_the_naive_index_after_mass_removals() {
    let mut scene = Scene::new(8, 2000);
    let mut random = Rng::new(8);
    for round in 0..sized(4, 1) {
        for _ in 0..sized(700, 20) {
            scene.apply(&Edit::AddWithBounds(random.below(100), random.next_u64()));
        }
        scene.apply(&Edit::Frame);
        // From the graph, from the index, and from both.
        scene.apply(&Edit::RemoveMany(2));
        for number in 0..scene.nodes.len() / 3 {
            scene.apply(&Edit::RemoveFromIndex(3 * number + round));
        }
        scene.apply(&Edit::Frame);
    }
    for node in scene.nodes.clone() {
        scene.index.remove(node);
        scene.naive.remove(node);
    }
    scene.apply(&Edit::Frame);
    assert!(scene.index.is_empty());
    assert_eq!(scene.index.bounds(), Aabb::EMPTY);
    // The index can be filled again.
    scene.add_typical(&mut random);
    scene.apply(&Edit::Frame);
    assert_eq!(scene.index.len(), 1);
}

/// Returns the numbers of boxes tested by the tree and of nodes in view for a small frustum.
fn boxes_tested_at(index: &mut SpatialIndex, at: Vec3) -> (usize, usize) {
    let corner = Aabb::from_center_half(at, Vec3::splat(0.01));
    let frustum = Frustum::from_planes(crate::common::random_shapes::planes_of(&corner)).unwrap();
    let mut visible = Visible::new();
    index.set_cull_method(CullMethod::Tree);
    index.cull(&frustum, &Filter::default(), &mut visible);
    (visible.boxes_tested(), visible.len())
}

/// Inserts one node per frame, at the positions that `position` returns.
fn insert_one_by_one(count: usize, local: Aabb, position: impl Fn(usize) -> Vec3) -> SpatialIndex {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let mut naive = NaiveIndex::default();
    for number in 0..count {
        let node = graph.add_root(Transform::from_translation(position(number))).unwrap();
        index.set_bounds(&graph, node, local).unwrap();
        naive.set_bounds(node, local);
        graph.update();
        index.sync(&graph).unwrap();
        index.update_tree();
    }
    naive.sync(&graph);
    let mut random = Rng::new(count as u64);
    Queries::random(&mut random, 4, EXTENT, &naive).compare(&mut index, &naive);
    index
}

/// Asserts that finding one of many boxes tests about as many boxes as after a rebuild. In a
/// degenerate tree it would test hundreds of times as many.
#[track_caller]
fn assert_depth_is_small(index: &mut SpatialIndex, positions: &[Vec3]) {
    let tested = |index: &mut SpatialIndex| -> usize {
        positions.iter().map(|&at| boxes_tested_at(index, at).0).sum()
    };
    let inserted = tested(index);
    index.rebuild();
    let built = tested(index);
    assert!(inserted <= 8 * built, "{inserted} boxes tested, and {built} after a rebuild");
}

#[track_caller]
fn assert_insertion_stays_shallow(local: Aabb, position: impl Fn(usize) -> Vec3) {
    let count = sized(2000, 30);
    let mut index = insert_one_by_one(count, local, &position);
    let positions: Vec<Vec3> = (0..10).map(|part| position(part * (count - 1) / 9)).collect();
    assert_depth_is_small(&mut index, &positions);
}

#[test]
fn inserting_points_along_a_line_keeps_the_tree_shallow() {
    let point = Aabb::new(Vec3::ZERO, Vec3::ZERO);
    assert_insertion_stays_shallow(point, |number| Vec3::X * number as f32);
    assert_insertion_stays_shallow(point, |number| Vec3::NEG_Y * number as f32);
    assert_insertion_stays_shallow(point, |number| Vec3::X * (number * 7919 % 2003) as f32);
}

#[test]
fn inserting_cubes_along_a_line_keeps_the_tree_shallow() {
    let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    assert_insertion_stays_shallow(cube, |number| Vec3::X * number as f32);
    assert_insertion_stays_shallow(cube, |number| Vec3::NEG_ONE * number as f32);
}

#[test]
fn inserting_tiles_row_by_row_keeps_the_tree_shallow() {
    let tile = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0));
    let position = |number: usize| Vec3::new((number % 50) as f32, (number / 50) as f32, 0.0);
    assert_insertion_stays_shallow(tile, position);
}

/// A degenerate tree would also make this test slow: insertion would be quadratic.
#[test]
fn inserting_identical_boxes_keeps_the_tree_shallow() {
    let count = sized(2000, 40);
    for local in [
        Aabb::new(Vec3::ZERO, Vec3::ZERO),
        Aabb::new(Vec3::NEG_ONE, Vec3::ONE),
        Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30)),
    ] {
        let mut index = insert_one_by_one(count, local, |_| Vec3::ZERO);
        assert_eq!(boxes_tested_at(&mut index, Vec3::ZERO).1, count);
        // For a frustum far from all boxes, only the root's boxes are tested.
        let (tested, in_view) = boxes_tested_at(&mut index, Vec3::splat(3e30));
        assert_eq!(in_view, 0);
        assert!(tested <= 8, "{tested} boxes tested to find nothing");
        assert_depth_is_small(&mut index, &[Vec3::ZERO]);
    }
}
