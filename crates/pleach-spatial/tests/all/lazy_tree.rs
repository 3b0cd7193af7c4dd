//! The tree is brought up to date where queries pay for it, and by the first of them.
//!
//! Counts updates instead of measuring time. That results do not depend on any of this is tested by
//! `index_random.rs`, whose queries run with and without the tree.

use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{
    Aabb, AabbHit, CullMethod, Filter, Frustum, Ray, SpatialIndex, TreeUse, Visible,
};
use testkit::Rng;

use crate::common::random_shapes::planes_of;

const COUNT: usize = 5_000;
const EXTENT: f32 = 100.0;

struct Field {
    graph: Graph,
    index: SpatialIndex,
    nodes: Vec<NodeId>,
    random: Rng,
}

impl Field {
    fn new(count: usize) -> Self {
        let mut random = Rng::new(0x1a2);
        let mut graph = Graph::new();
        let mut index = SpatialIndex::new(&mut graph);
        let nodes = (0..count).map(|_| {
            let at = Transform::from_translation(random.vec3(EXTENT));
            let node = graph.add_root(at).unwrap();
            index.set_bounds(&graph, node, Aabb::new(Vec3::NEG_ONE, Vec3::ONE)).unwrap();
            node
        });
        let nodes = nodes.collect();
        let mut field = Self { graph, index, nodes, random };
        field.sync();
        field
    }

    fn sync(&mut self) {
        self.graph.update();
        self.index.sync(&self.graph).unwrap();
    }

    /// Moves this many nodes, and syncs.
    fn move_some(&mut self, count: usize) {
        for _ in 0..count {
            let node = self.random.pick(&self.nodes);
            let to = self.random.vec3(EXTENT);
            self.graph.node_mut(node).unwrap().set_translation(to).unwrap();
        }
        self.sync();
    }

    /// Culls for a view that contains about one in `share` nodes.
    fn cull(&self, share: f32) -> Visible {
        let half = Vec3::splat(EXTENT / share.cbrt());
        let view = planes_of(&Aabb::from_center_half(Vec3::ZERO, half));
        let mut visible = Visible::new();
        self.index.cull(&Frustum::from_planes(view).unwrap(), &Filter::default(), &mut visible);
        visible
    }

    fn rays(&mut self, count: usize) -> Vec<Ray> {
        let mut point = || self.random.vec3(EXTENT);
        (0..count).map(|_| Ray::between(point(), point()).unwrap()).collect()
    }

    fn cast(&self, rays: &[Ray]) -> Vec<Option<AabbHit>> {
        rays.iter().map(|ray| self.index.raycast_aabb(ray, &Filter::default())).collect()
    }

    fn updates(&self) -> usize {
        self.index.tree_stats().updates
    }
}

#[test]
#[cfg_attr(miri, ignore = "thousands of boxes")]
fn frames_with_motion_and_a_cull_do_not_touch_the_tree() {
    for (moved, share) in [(COUNT / 10, 10.0), (COUNT / 100, 10.0), (COUNT, 3.0), (50, 5.0)] {
        let mut field = Field::new(COUNT);
        for _ in 0..30 {
            field.move_some(moved);
            assert!(!field.cull(share).used_tree());
        }
        assert_eq!(field.updates(), 0, "{moved} moved, one in {share} in view");
        assert_eq!(field.index.check(), []);
    }
}

#[test]
#[cfg_attr(miri, ignore = "thousands of boxes")]
fn frames_with_many_rays_update_the_tree_once() {
    let mut field = Field::new(COUNT);
    let rays = field.rays(2000);
    field.cast(&rays);
    assert_eq!(field.updates(), 1, "the rays of the first frame pay for the tree");
    for (frame, moved) in [COUNT / 10, COUNT, 10, COUNT / 2, COUNT / 10].into_iter().enumerate() {
        field.move_some(moved);
        assert!(!field.index.tree_stats().up_to_date);
        field.cast(&rays);
        assert_eq!(field.updates(), frame + 2, "{moved} moved");
        assert_eq!(field.index.check(), []);
    }
    field.sync();
    field.cast(&rays);
    assert_eq!(field.updates(), 6, "nothing moved");
}

#[test]
#[cfg_attr(miri, ignore = "thousands of boxes")]
fn a_still_scene_gets_its_tree() {
    let mut field = Field::new(COUNT);
    let rays = field.rays(1);
    let frames = (0..3000).take_while(|_| {
        field.sync();
        field.cast(&rays);
        field.updates() == 0
    });
    let frames = frames.count();
    assert!((10..2500).contains(&frames), "{frames} rays");
    // One node moves, and one ray per frame: the ray pays for that.
    for _ in 0..3 {
        field.move_some(1);
        field.cast(&rays);
        assert!(field.index.tree_stats().up_to_date);
    }
    // So do culls for small views, but not those for large ones.
    for (share, pays) in [(1000.0, true), (3.0, false)] {
        let field = Field::new(COUNT);
        let used = (0..1000).any(|_| field.cull(share).used_tree());
        assert_eq!(used, pays, "one in {share} in view");
    }
}

#[test]
#[cfg_attr(miri, ignore = "thousands of boxes")]
fn a_few_rays_per_frame_do_not_pay_for_a_tree_in_motion() {
    let mut field = Field::new(COUNT);
    let rays = field.rays(3);
    for _ in 0..50 {
        field.move_some(COUNT);
        field.cast(&rays);
    }
    assert_eq!(field.updates(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "thousands of boxes")]
fn few_updates_are_wasted_when_queries_cease() {
    let mut field = Field::new(COUNT);
    let rays = field.rays(3000);
    for _ in 0..5 {
        field.move_some(COUNT);
        field.cast(&rays);
    }
    let before = field.updates();
    for _ in 0..30 {
        field.move_some(COUNT);
        field.cull(1000.0);
        field.cast(&rays[..1]);
    }
    assert!(field.updates() - before <= 3, "{} updates", field.updates() - before);
}

#[test]
fn small_indices_are_scanned() {
    let mut field = Field::new(100);
    let rays = field.rays(500);
    field.cast(&rays);
    assert_eq!(field.updates(), 0);
    field.index.set_cull_method(CullMethod::Tree);
    assert!(field.cull(10.0).used_tree());
    assert_eq!(field.updates(), 1);
}

/// All threads ask first; one of them updates the tree.
#[test]
fn first_queries_from_several_threads_update_the_tree_once() {
    let mut field = Field::new(if cfg!(miri) { 20 } else { 3000 });
    let rays = field.rays(if cfg!(miri) { 2 } else { 40 });
    for round in 0..4 {
        let moved = field.nodes.len() >> round;
        field.move_some(moved);
        field.index.set_tree_use(TreeUse::Never);
        let expected = field.cast(&rays);
        field.index.set_tree_use(TreeUse::Always);
        let before = field.updates();
        let shared = &field;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(shared.cast(&rays), expected));
            }
        });
        assert_eq!(field.updates(), before + 1);
        assert_eq!(field.index.check(), []);
    }
}

/// Many nodes come and go between two uses of the tree; rows are reused and sorted meanwhile.
#[test]
fn a_tree_that_was_not_used_for_long_catches_up() {
    let mut field = Field::new(if cfg!(miri) { 30 } else { 600 });
    let rays = field.rays(20);
    for round in 0..12 {
        for step in 0..10 {
            for _ in 0..field.nodes.len() / [50, 5, 2][round % 3] + 1 {
                let node = field.nodes.swap_remove(field.random.below(field.nodes.len()));
                match field.random.below(4) {
                    0 => _ = field.index.remove(node),
                    1 => _ = field.index.set_attached(node, step % 2 == 0),
                    _ => _ = field.graph.remove(node).unwrap(),
                }
                let at = Transform::from_translation(field.random.vec3(EXTENT));
                let new = field.graph.add_root(at).unwrap();
                if !field.random.one_in(4) {
                    let aabb = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);
                    field.index.set_bounds(&field.graph, new, aabb).unwrap();
                }
                field.nodes.push(new);
            }
            field.move_some(5);
            assert_eq!(field.index.check(), [], "round {round}, step {step}");
        }
        field.index.set_tree_use(TreeUse::Never);
        let expected = field.cast(&rays);
        let bounds = field.index.bounds();
        assert_eq!(field.index.nodes().count(), field.index.len());
        field.index.set_tree_use(TreeUse::Always);
        assert_eq!(field.cast(&rays), expected, "round {round}");
        assert_eq!(field.index.bounds(), bounds, "round {round}");
        assert_eq!(field.index.check(), [], "round {round}");
    }
}
