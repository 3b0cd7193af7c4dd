//! The main safety net: random edits on a graph, an index of it and a plain list of
//! rows, and then every question put to both, and to a fresh index as well.

use crate::common::RandomShapes;
use crate::common::naive_index::Model;
use crate::common::queries::{Questions, compare_reasons};
use pleach_graph::{Graph, NodeId, NodeMut, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullMethod, Error, Filter, Frustum, SpatialIndex, Visible};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use testkit::{Rng, sized};

/// How far from the origin things are, about.
const REACH: f32 = 20.0;

/// A node, by a number that is taken modulo how many there are.
type Pick = usize;

/// The seed of what the edit is made with: a transform, a box.
type Seed = u64;

#[derive(Clone, Debug)]
enum Edit {
    AddRoot(Seed),
    AddChild(Pick, Seed),
    /// Adds a node and gives it bounds at once.
    AddWithBounds(Pick, Seed),
    /// So many, one behind the other, each with a sync: the worst for a tree.
    AddInARow(usize, Seed),
    SetBounds(Pick, Seed),
    SetWorldBounds(Pick, Seed),
    SetNoBounds(Pick),
    RemoveFromGraph(Pick),
    RemoveFromIndex(Pick),
    Drift(Pick, Seed),
    Jump(Pick, Seed),
    Turn(Pick, Seed),
    Scale(Pick, Seed),
    /// A matrix with shear, perhaps mirrored.
    Shear(Pick, Seed),
    Attach(Pick, Pick),
    AttachInPlace(Pick, Pick),
    Detach(Pick),
    Show(Pick, bool),
    Layers(Pick, u32),
    Culled(Pick, bool),
    /// Moves every node whose number is no multiple of this.
    MoveMany(usize, Seed),
    /// Removes one in so many roots, with what is below.
    RemoveMany(usize),
    /// Asks for a subtree's box, so that the index follows subtrees from then on.
    AskSubtree(Pick),
    Rebuild,
    Update,
    /// Without an update: the graph may be ahead.
    SyncOnly,
    /// Update, sync, and every question.
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
            21 => Self::AddInARow(10 + random.below(30), seed),
            22..=29 => Self::SetBounds(a, seed),
            30 => Self::SetWorldBounds(a, seed),
            31 => Self::SetNoBounds(a),
            32..=35 => Self::RemoveFromGraph(a),
            36..=38 => Self::RemoveFromIndex(a),
            39..=49 => Self::Drift(a, seed),
            50..=55 => Self::Jump(a, seed),
            56..=57 => Self::Turn(a, seed),
            58..=59 => Self::Scale(a, seed),
            60..=62 => Self::Shear(a, seed),
            63..=68 => Self::Attach(a, b),
            69..=70 => Self::AttachInPlace(a, b),
            71..=72 => Self::Detach(a),
            73..=77 => Self::Show(a, random.one_in(2)),
            78..=80 => Self::Layers(a, random.pick(&[0, 1, 2, 4, 9, u32::MAX])),
            81..=82 => Self::Culled(a, random.one_in(2)),
            83 => Self::MoveMany(2 + random.below(3), seed),
            84 if random.one_in(3) => Self::RemoveMany(2 + random.below(3)),
            85..=87 => Self::AskSubtree(a),
            88 => Self::Rebuild,
            89..=91 => Self::Update,
            92..=94 => Self::SyncOnly,
            _ => Self::Frame,
        }
    }
}

/// A graph, an index of it, and what the index should tell.
struct Scene {
    graph: Graph,
    index: SpatialIndex,
    model: Model,
    /// Alive ones.
    nodes: Vec<NodeId>,
    /// More are not added.
    limit: usize,
    /// For the questions.
    random: Rng,
    frames: usize,
}

impl Scene {
    fn new(seed: u64, limit: usize) -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        let model = Model::default();
        let (nodes, random) = (Vec::new(), Rng::new(seed));
        Self { graph, index, model, nodes, limit, random, frames: 0 }
    }

    fn node(&self, pick: Pick) -> Option<NodeId> {
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

    fn set_bounds(&mut self, node: NodeId, own: Aabb) {
        self.index.set_bounds(&self.graph, node, own).unwrap();
        self.model.set_bounds(node, own);
    }

    /// A root with a box of a usual size.
    fn add_usual(&mut self, random: &mut Rng) {
        if let Some(node) = self.add(None, random.transform(REACH)) {
            self.set_bounds(node, random.usual_box());
        }
    }

    fn remove(&mut self, node: NodeId) {
        self.graph.remove(node).unwrap();
        self.nodes.retain(|&node| self.graph.contains(node));
    }

    /// Depths are bounded so that scales do not overflow.
    fn is_shallow(&self, parent: NodeId) -> bool {
        self.graph.node(parent).unwrap().depth() < 12
    }

    fn apply(&mut self, edit: &Edit) {
        match *edit {
            Edit::AddRoot(seed) => _ = self.add(None, Rng::new(seed).transform(REACH)),
            Edit::AddChild(pick, seed) => {
                let parent = self.node(pick).filter(|&parent| self.is_shallow(parent));
                self.add(parent, Rng::new(seed).transform(3.0));
            }
            Edit::AddWithBounds(pick, seed) => {
                let mut random = Rng::new(seed);
                let parent = self.node(pick).filter(|&it| pick % 3 == 0 && self.is_shallow(it));
                if let Some(node) = self.add(parent, random.transform(REACH)) {
                    self.set_bounds(node, random.aabb());
                }
            }
            Edit::AddInARow(count, seed) => {
                let mut random = Rng::new(seed);
                let (from, step, own) = (random.vec3(REACH), random.vec3(0.5), random.usual_box());
                for number in 0..count {
                    let at = from + step * number as f32;
                    if let Some(node) = self.add(None, Transform::from_translation(at)) {
                        self.set_bounds(node, own);
                    }
                    self.graph.update();
                    self.model.sync_with(&self.graph, &mut self.index);
                }
            }
            Edit::MoveMany(every, seed) => {
                let by = Rng::new(seed).vec3(2.0);
                for number in (0..self.nodes.len()).filter(|number| number % every != 0) {
                    self.shift(self.nodes[number], by);
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
            Edit::SyncOnly => _ = self.model.sync_with(&self.graph, &mut self.index),
            Edit::Frame => self.frame(),
            Edit::SetBounds(pick, _)
            | Edit::SetWorldBounds(pick, _)
            | Edit::SetNoBounds(pick)
            | Edit::RemoveFromGraph(pick)
            | Edit::RemoveFromIndex(pick)
            | Edit::Drift(pick, _)
            | Edit::Jump(pick, _)
            | Edit::Turn(pick, _)
            | Edit::Scale(pick, _)
            | Edit::Shear(pick, _)
            | Edit::Attach(pick, _)
            | Edit::AttachInPlace(pick, _)
            | Edit::Detach(pick)
            | Edit::Show(pick, _)
            | Edit::Layers(pick, _)
            | Edit::Culled(pick, _)
            | Edit::AskSubtree(pick) => {
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
                self.model.set_world_bounds(node, world);
            }
            Edit::SetNoBounds(_) => self.set_bounds(node, Aabb::EMPTY),
            Edit::RemoveFromGraph(_) => self.remove(node),
            Edit::RemoveFromIndex(_) => {
                assert_eq!(self.index.remove(node), self.model.remove(node));
            }
            Edit::Drift(_, seed) => self.shift(node, Rng::new(seed).vec3(0.3)),
            Edit::Jump(_, seed) => {
                _ = self.edit(node).set_transform(Rng::new(seed).transform(REACH)).unwrap();
            }
            Edit::Turn(_, seed) => {
                _ = self.edit(node).set_rotation(Rng::new(seed).rotation()).unwrap();
            }
            Edit::Scale(_, seed) => {
                _ = self.edit(node).set_scale(Rng::new(seed).scale()).unwrap();
            }
            Edit::Shear(_, seed) => {
                _ = self.edit(node).set_local_matrix(Rng::new(seed).invertible(REACH)).unwrap();
            }
            Edit::Attach(_, to) | Edit::AttachInPlace(_, to) => {
                let parent = self.nodes[to % self.nodes.len()];
                if self.is_shallow(parent) && self.is_low(node) {
                    // Refused if the parent is below the node.
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
                self.model.set_layers(node, layers);
            }
            Edit::Culled(_, culled) => {
                let set = self.index.set_frustum_culled(node, culled);
                self.assert_has_bounds(node, set);
                self.model.set_frustum_culled(node, culled);
            }
            Edit::AskSubtree(_) => _ = self.index.subtree_bounds(&self.graph, node),
            _ => unreachable!("{edit:?} is of no single node"),
        }
    }

    fn edit(&mut self, node: NodeId) -> NodeMut<'_> {
        self.graph.node_mut(node).unwrap()
    }

    /// Nothing deep hangs below it, so that depths stay bounded.
    fn is_low(&self, node: NodeId) -> bool {
        self.graph.node(node).unwrap().descendants().count() < 10
    }

    fn assert_has_bounds(&self, node: NodeId, set: Result<(), Error>) {
        let expected = self.model.get(node).map(|_| ()).ok_or(Error::NoBounds(node));
        assert_eq!(set, expected);
    }

    fn shift(&mut self, node: NodeId, by: Vec3) {
        let mut node = self.edit(node);
        let mut at = node.as_node_ref().translation() + by;
        if at.abs().max_element() > 3.0 * REACH {
            at = by;
        }
        node.set_translation(at).unwrap();
    }

    /// Update, sync, and every question.
    fn frame(&mut self) {
        // Right on any line of code: what it says now, the sync will make true.
        let computed: Vec<(NodeId, Option<Aabb>)> = self
            .nodes
            .iter()
            .map(|&node| (node, self.index.compute_world_bounds(&self.graph, node)))
            .collect();
        if self.random.one_in(3) {
            self.ask();
        }
        self.graph.update();
        self.model.sync_with(&self.graph, &mut self.index);
        for (node, computed) in computed {
            assert_eq!(self.index.world_bounds(node), computed, "{node}");
            assert_eq!(self.index.compute_world_bounds(&self.graph, node), computed, "{node}");
        }
        self.ask();
        self.ask_about_subtrees();
        self.frames += 1;
        if self.frames.is_multiple_of(3) {
            self.ask_a_fresh_index();
        }
        // Nothing changed since, so nothing is computed.
        assert_eq!(self.index.sync(&self.graph).unwrap().computed, 0);
    }

    fn ask(&mut self) {
        let count = if self.nodes.len() > 300 { 4 } else { 6 };
        let questions = Questions::random(&mut self.random, count, REACH, &self.model);
        questions.compare(&mut self.index, &self.model);
        for view in &questions.views[..2] {
            compare_reasons(&self.graph, &self.index, &self.model, *view);
        }
    }

    /// Of a few nodes, so that others are asked for only after several changes.
    fn ask_about_subtrees(&mut self) {
        for _ in 0..8.min(self.nodes.len()) {
            let node = self.random.pick(&self.nodes);
            let expected = self.model.subtree_bounds(&self.graph, node);
            let subtree = self.index.subtree_bounds(&self.graph, node);
            assert_eq!(subtree, Some(expected), "subtree of {node}");
        }
    }

    /// Another index of the same graph, told everything in another order.
    fn ask_a_fresh_index(&mut self) {
        let mut fresh = SpatialIndex::new(&mut self.graph);
        let mut rows: Vec<_> = self.model.rows.values().cloned().collect();
        self.random.shuffle(&mut rows);
        for row in &rows {
            match row.in_world {
                true => fresh.set_world_bounds(&self.graph, row.node, row.own).unwrap(),
                false => fresh.set_bounds(&self.graph, row.node, row.own).unwrap(),
            }
            fresh.set_layers(row.node, row.layers).unwrap();
            fresh.set_frustum_culled(row.node, row.culled).unwrap();
        }
        fresh.sync(&self.graph).unwrap();
        let questions = Questions::random(&mut self.random, 4, REACH, &self.model);
        questions.compare(&mut fresh, &self.model);
        assert_eq!(questions.put_to(&fresh), questions.put_to(&self.index));
        for &node in self.nodes.iter().step_by(7) {
            let [old, new] =
                [&mut self.index, &mut fresh].map(|it| it.subtree_bounds(&self.graph, node));
            assert_eq!(old, new, "subtree of {node}");
        }
    }
}

fn any_edit() -> impl Strategy<Value = Edit> {
    any::<u64>().prop_map(|seed| Edit::random(&mut Rng::new(seed)))
}

fn cases(cases: u32) -> ProptestConfig {
    let kept = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: if cfg!(miri) { 2 } else { cases },
        failure_persistence: if cfg!(miri) { None } else { Some(Box::new(kept)) },
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// Short lists, which proptest shrinks to the few edits that make a difference.
    #[test]
    fn after_any_edits_every_answer_is_the_models(edits in vec(any_edit(), 1..sized(100, 30))) {
        let mut scene = Scene::new(1, 40);
        for edit in &edits {
            scene.apply(edit);
        }
        scene.apply(&Edit::Frame);
    }
}

/// Long lists of edits: `growth` is how many nodes there are at first.
fn run(seed: u64, growth: usize, limit: usize, edits: usize) {
    let mut random = Rng::new(seed);
    let mut scene = Scene::new(seed, limit);
    for _ in 0..growth {
        scene.add_usual(&mut random);
    }
    for _ in 0..edits {
        scene.apply(&Edit::random(&mut random));
    }
    scene.apply(&Edit::Frame);
}

#[test]
fn thousands_of_edits_on_hundreds_of_nodes_leave_every_answer_the_models() {
    for seed in 0..sized(6, 1) as u64 {
        run(seed, sized(200, 10), 400, sized(1200, 20));
    }
}

#[test]
fn edits_on_thousands_of_nodes_leave_every_answer_the_models() {
    for seed in 100..100 + sized(2, 1) as u64 {
        run(seed, sized(2500, 10), 3000, sized(250, 20));
    }
}

#[test]
fn a_slow_growth_from_nothing_leaves_every_answer_the_models() {
    for seed in 200..200 + sized(4, 1) as u64 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new(seed, 1000);
        for step in 0..sized(300, 10) {
            scene.apply(&Edit::AddWithBounds(random.below(10_000), random.next_u64()));
            if step % 25 == 0 {
                scene.apply(&Edit::Frame);
            }
            scene.graph.update();
            scene.model.sync_with(&scene.graph, &mut scene.index);
        }
        scene.apply(&Edit::Frame);
    }
}

/// More than a quarter at once, where all boxes are fitted in one go; then so far that
/// the tree wears out and is built anew.
#[test]
fn mass_moves_leave_every_answer_the_models() {
    let mut scene = Scene::new(7, 2000);
    let mut random = Rng::new(7);
    for _ in 0..sized(600, 20) {
        scene.add_usual(&mut random);
    }
    scene.apply(&Edit::Frame);
    for every in [2, 3, 4, 9] {
        scene.apply(&Edit::MoveMany(every, random.next_u64()));
        scene.apply(&Edit::Frame);
    }
    let mut rebuilt = false;
    for _ in 0..sized(6, 2) {
        for node in scene.nodes.clone() {
            let to = random.transform(REACH);
            scene.graph.node_mut(node).unwrap().set_transform(to).unwrap();
        }
        scene.graph.update();
        rebuilt |= scene.model.sync_with(&scene.graph, &mut scene.index).rebuilt;
        scene.apply(&Edit::Frame);
    }
    assert!(rebuilt || cfg!(miri), "everything jumped, and the tree was never built anew");
}

#[test]
fn mass_removals_leave_every_answer_the_models() {
    let mut scene = Scene::new(8, 2000);
    let mut random = Rng::new(8);
    for round in 0..sized(4, 1) {
        for _ in 0..sized(700, 20) {
            scene.apply(&Edit::AddWithBounds(random.below(100), random.next_u64()));
        }
        scene.apply(&Edit::Frame);
        // From the graph, from the index, and both.
        scene.apply(&Edit::RemoveMany(2));
        for number in 0..scene.nodes.len() / 3 {
            scene.apply(&Edit::RemoveFromIndex(3 * number + round));
        }
        scene.apply(&Edit::Frame);
    }
    for node in scene.nodes.clone() {
        scene.index.remove(node);
        scene.model.remove(node);
    }
    scene.apply(&Edit::Frame);
    assert!(scene.index.is_empty());
    assert_eq!(scene.index.bounds(), Aabb::EMPTY);
    // And it can be filled again.
    scene.add_usual(&mut random);
    scene.apply(&Edit::Frame);
    assert_eq!(scene.index.len(), 1);
}

/// How many boxes a small frustum at a place has tested by the tree, and how many it saw.
fn tested_at(index: &mut SpatialIndex, at: Vec3) -> (usize, usize) {
    let corner = Aabb::from_center_half(at, Vec3::splat(0.01));
    let frustum = Frustum::from_planes(crate::common::random_shapes::planes_of(&corner)).unwrap();
    let mut visible = Visible::new();
    index.set_cull_method(CullMethod::Tree);
    index.cull(&frustum, &Filter::default(), &mut visible);
    (visible.boxes_tested(), visible.len())
}

/// One node a frame: `place` says where the next one is.
fn grow_one_by_one(count: usize, own: Aabb, place: impl Fn(usize) -> Vec3) -> SpatialIndex {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let mut model = Model::default();
    for number in 0..count {
        let node = graph.add_root(Transform::from_translation(place(number))).unwrap();
        index.set_bounds(&graph, node, own).unwrap();
        model.set_bounds(node, own);
        graph.update();
        index.sync(&graph).unwrap();
    }
    model.sync(&graph);
    let mut random = Rng::new(count as u64);
    Questions::random(&mut random, 4, REACH, &model).compare(&mut index, &model);
    index
}

/// Looking for one of many tests about as many boxes as after a rebuild. A tree that is
/// a list has hundreds of times as many.
#[track_caller]
fn assert_shallow(index: &mut SpatialIndex, places: &[Vec3]) {
    let tested = |index: &mut SpatialIndex| -> usize {
        places.iter().map(|&at| tested_at(index, at).0).sum()
    };
    let grown = tested(index);
    index.rebuild();
    let built = tested(index);
    assert!(grown <= 8 * built, "{grown} boxes tested, and {built} after a rebuild");
}

#[track_caller]
fn assert_grows_shallow(own: Aabb, place: impl Fn(usize) -> Vec3) {
    let count = sized(2000, 30);
    let mut index = grow_one_by_one(count, own, &place);
    let places: Vec<Vec3> = (0..10).map(|part| place(part * (count - 1) / 9)).collect();
    assert_shallow(&mut index, &places);
}

#[test]
fn points_along_a_line_put_in_one_by_one_make_a_shallow_tree() {
    let point = Aabb::new(Vec3::ZERO, Vec3::ZERO);
    assert_grows_shallow(point, |number| Vec3::X * number as f32);
    assert_grows_shallow(point, |number| Vec3::NEG_Y * number as f32);
    assert_grows_shallow(point, |number| Vec3::X * (number * 7919 % 2003) as f32);
}

#[test]
fn cubes_along_a_line_put_in_one_by_one_make_a_shallow_tree() {
    let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    assert_grows_shallow(cube, |number| Vec3::X * number as f32);
    assert_grows_shallow(cube, |number| Vec3::NEG_ONE * number as f32);
}

#[test]
fn a_floor_of_tiles_put_in_row_by_row_makes_a_shallow_tree() {
    let tile = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0));
    let place = |number: usize| Vec3::new((number % 50) as f32, (number / 50) as f32, 0.0);
    assert_grows_shallow(tile, place);
}

/// Which is a list would show in the time of this test, too: it is quadratic then.
#[test]
fn identical_boxes_put_in_one_by_one_make_a_shallow_tree() {
    let count = sized(2000, 40);
    for own in [
        Aabb::new(Vec3::ZERO, Vec3::ZERO),
        Aabb::new(Vec3::NEG_ONE, Vec3::ONE),
        Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30)),
    ] {
        let mut index = grow_one_by_one(count, own, |_| Vec3::ZERO);
        assert_eq!(tested_at(&mut index, Vec3::ZERO).1, count);
        // Seen from where none is, the root's boxes are all that is looked at.
        let (tested, seen) = tested_at(&mut index, Vec3::splat(3e30));
        assert_eq!(seen, 0);
        assert!(tested <= 8, "{tested} boxes tested to find nothing");
        assert_shallow(&mut index, &[Vec3::ZERO]);
    }
}
