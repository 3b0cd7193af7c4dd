//! What people do with an index, and what went wrong elsewhere: one story each.

mod common;

use std::sync::Mutex;

use common::questions::assert_whole;
use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::camera::rh::proj::directx;
use pleach_spatial::glam::camera::rh::view::look_to_mat4;
use pleach_spatial::glam::{Mat4, Quat, Vec3};
use pleach_spatial::{
    Aabb, ClipSpace, CullBy, DEFAULT_LAYERS, Error, Filter, Frustum, Kernel, Ray, Side,
    SpatialIndex, Synced, View, Visible, Why,
};

const UNIT: Aabb = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);

/// 90° wide and high, from a tenth of a metre to 100 metres.
fn camera(eye: Vec3, ahead: Vec3) -> Frustum {
    let up = if ahead.z.abs() > 0.9 { Vec3::X } else { Vec3::Z };
    let projection = directx::perspective(std::f32::consts::FRAC_PI_2, 1.0, 0.1, 100.0);
    let view = look_to_mat4(eye, ahead, up);
    Frustum::from_view_projection(&(projection * view), ClipSpace::ZeroToOne).unwrap()
}

/// From the origin along +Y, where the nodes of these stories are.
fn ahead() -> Frustum {
    camera(Vec3::ZERO, Vec3::Y)
}

struct Scene {
    graph: Graph,
    index: SpatialIndex,
}

impl Scene {
    fn new() -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        Self { graph, index }
    }

    fn add(&mut self, parent: impl Into<Option<NodeId>>, x: f32, y: f32, z: f32) -> NodeId {
        let transform = Transform::from_xyz(x, y, z);
        match parent.into() {
            Some(parent) => self.graph.add_child(parent, transform).unwrap(),
            None => self.graph.add_root(transform).unwrap(),
        }
    }

    /// A node with the unit box.
    fn mesh(&mut self, parent: impl Into<Option<NodeId>>, x: f32, y: f32, z: f32) -> NodeId {
        let node = self.add(parent, x, y, z);
        self.bound(node, UNIT);
        node
    }

    fn bound(&mut self, node: NodeId, own: Aabb) {
        self.index.set_bounds(&self.graph, node, own).unwrap();
    }

    fn shift(&mut self, node: NodeId, x: f32, y: f32, z: f32) {
        self.graph.node_mut(node).unwrap().set_translation(Vec3::new(x, y, z)).unwrap();
    }

    fn show(&mut self, node: NodeId, visible: bool) {
        self.graph.node_mut(node).unwrap().set_visible(visible);
    }

    fn frame(&mut self) -> Synced {
        self.graph.update();
        self.index.sync(&self.graph).unwrap()
    }

    /// By scan and by tree, which agree.
    #[track_caller]
    fn seen_by(&mut self, frustum: &Frustum, filter: &Filter<'_>) -> Vec<NodeId> {
        let [scan, tree] = [CullBy::Scan, CullBy::Tree].map(|by| {
            self.index.set_cull_by(by);
            let mut visible = Visible::new();
            self.index.cull(frustum, filter, &mut visible);
            assert_whole(&visible);
            visible.nodes().to_vec()
        });
        assert_eq!(scan, tree);
        scan
    }

    #[track_caller]
    fn seen(&mut self) -> Vec<NodeId> {
        self.seen_by(&ahead(), &Filter::default())
    }

    fn why(&self, node: NodeId, filter: &Filter<'_>) -> Why {
        self.index.why_culled(&self.graph, node, &ahead(), filter).unwrap()
    }
}

// ---- what is listed ---------------------------------------------------------

/// S6.
#[test]
fn hiding_a_grandparent_hides_the_mesh() {
    let mut scene = Scene::new();
    let grandparent = scene.add(None, 0.0, 0.0, 0.0);
    let parent = scene.add(grandparent, 0.0, 0.0, 0.0);
    let mesh = scene.mesh(parent, 0.0, 10.0, 0.0);
    scene.frame();
    assert_eq!(scene.seen(), [mesh]);
    scene.show(grandparent, false);
    scene.frame();
    assert_eq!(scene.seen(), []);
    assert_eq!(scene.index.nearest_box(&forward(), &Filter::default()), None);
    assert_eq!(scene.seen_by(&ahead(), &Filter::default().with_hidden()), [mesh]);
    scene.show(grandparent, true);
    scene.frame();
    assert_eq!(scene.seen(), [mesh]);
    // Under a hidden node from the first.
    scene.show(parent, false);
    let born_hidden = scene.mesh(parent, 3.0, 10.0, 0.0);
    scene.frame();
    assert_eq!(scene.seen(), []);
    scene.show(parent, true);
    scene.frame();
    assert_eq!(scene.seen(), [mesh, born_hidden]);
}

fn forward() -> Ray {
    Ray::new(Vec3::ZERO, Vec3::Y).unwrap()
}

/// S8.
#[test]
fn bounds_read_after_a_move_are_those_of_the_new_place() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 0.0, 0.0);
    let mesh = scene.mesh(parent, 0.0, 10.0, 0.0);
    scene.frame();
    scene.shift(parent, 100.0, 0.0, 0.0);
    let moved = Aabb::from_center_half(Vec3::new(100.0, 10.0, 0.0), Vec3::ONE);
    // Without an update, on the next line.
    assert_eq!(scene.index.compute_bounds(&scene.graph, mesh), Some(moved));
    scene.frame();
    assert_eq!(scene.index.world_bounds(mesh), Some(moved));
    assert_eq!(scene.seen(), []);
}

/// S25, C20: a node's own box never decides for its children.
#[test]
fn a_child_in_view_is_listed_though_its_small_parent_is_outside() {
    let mut scene = Scene::new();
    let parent = scene.mesh(None, 0.0, -10.0, 0.0);
    let child = scene.mesh(parent, 0.0, 30.0, 0.0);
    scene.frame();
    assert_eq!(scene.seen(), [child]);
    assert_eq!(scene.why(parent, &Filter::default()), Why::Outside(Side::Left));
    let both = scene.index.subtree_bounds(&scene.graph, parent).unwrap();
    assert!(ahead().intersects(&both), "the box of both is in view");
}

/// S26: bounds of the pose, set each frame.
#[test]
fn a_limb_that_is_animated_into_view_is_listed() {
    let mut scene = Scene::new();
    let skin = scene.add(None, 60.0, 10.0, 0.0);
    scene.bound(skin, Aabb::from_center_half(Vec3::ZERO, Vec3::ONE));
    scene.frame();
    assert_eq!(scene.seen(), []);
    let pose = [Vec3::ZERO, Vec3::new(-55.0, 0.0, 0.0)];
    scene.bound(skin, Aabb::of_points(pose));
    assert_eq!(scene.frame().computed, 1);
    assert_eq!(scene.seen(), [skin]);
}

/// S32.
#[test]
fn geometry_without_vertices_has_no_box_and_no_row() {
    let mut scene = Scene::new();
    let empty = scene.add(None, 0.0, 10.0, 0.0);
    assert_eq!(Aabb::of_xyz(&[]), None);
    scene.bound(empty, Aabb::of_points([]));
    scene.frame();
    assert!(!scene.index.contains(empty) && scene.index.is_empty());
    assert_eq!(scene.seen(), []);
    assert_eq!(scene.index.world_bounds(empty), None);
    assert_eq!(scene.index.compute_bounds(&scene.graph, empty), None);
    assert_eq!(scene.index.bounds(), Aabb::EMPTY);
    // What had vertices and lost them leaves, with its layers.
    scene.bound(empty, UNIT);
    scene.index.set_layers(empty, 6).unwrap();
    scene.frame();
    scene.bound(empty, Aabb::EMPTY);
    assert!(!scene.index.contains(empty));
    scene.bound(empty, UNIT);
    assert_eq!(scene.index.layers(empty), Some(DEFAULT_LAYERS));
}

/// M99.
#[test]
fn groups_are_never_listed() {
    let mut scene = Scene::new();
    let group = scene.add(None, 0.0, 10.0, 0.0);
    let mesh = scene.mesh(group, 0.0, 0.0, 0.0);
    scene.frame();
    assert_eq!(scene.seen(), [mesh]);
    assert_eq!(scene.why(group, &Filter::default()), Why::NoBounds);
}

/// C12.
#[test]
fn several_cameras_see_their_own_parts_of_one_scene_at_once() {
    let mut scene = Scene::new();
    let north = scene.mesh(None, 0.0, 10.0, 0.0);
    let south = scene.mesh(None, 0.0, -10.0, 0.0);
    let ghost = scene.mesh(None, 3.0, 10.0, 0.0);
    scene.index.set_layers(ghost, 0b10).unwrap();
    scene.frame();
    let back = camera(Vec3::ZERO, Vec3::NEG_Y);
    let above = camera(Vec3::new(0.0, 0.0, 50.0), Vec3::NEG_Z);
    let not_north = |node: NodeId| node != north;
    let views = [
        View { frustum: ahead(), filter: Filter::default() },
        View { frustum: back, filter: Filter::default() },
        View { frustum: ahead(), filter: Filter::default().layers(0b10) },
        View { frustum: above, filter: Filter::default().layers(0b01).only(&not_north) },
    ];
    let expected: [&[NodeId]; 4] = [&[north, ghost], &[south], &[ghost], &[south]];
    for by in [CullBy::Scan, CullBy::Tree] {
        scene.index.set_cull_by(by);
        let mut visible = Vec::new();
        for _ in 0..2 {
            scene.index.cull_each(&views, &mut visible);
            assert!(visible.iter().map(Visible::nodes).eq(expected));
        }
        // An answer belongs to its caller: asking again changes no other.
        let kept = visible[0].clone();
        scene.index.cull(&back, &Filter::default(), &mut visible[1]);
        assert_eq!(kept.nodes(), visible[0].nodes());
        scene.index.cull_each(&views[..1], &mut visible);
        assert_eq!(visible.len(), 1);
    }
    // From several threads, too.
    std::thread::scope(|threads| {
        for (view, expected) in views.iter().zip(expected) {
            let index = &scene.index;
            threads.spawn(move || {
                let mut visible = Visible::new();
                index.cull(&view.frustum, &view.filter, &mut visible);
                assert_eq!(visible.nodes(), expected);
            });
        }
    });
}

#[test]
fn one_visible_serves_scenes_of_any_size_one_after_the_other() {
    let mut visible = Visible::new();
    for count in [300, 3, 0, 100] {
        let mut scene = Scene::new();
        let meshes: Vec<NodeId> = (0..count).map(|_| scene.mesh(None, 0.0, 10.0, 0.0)).collect();
        scene.frame();
        scene.index.cull(&ahead(), &Filter::default(), &mut visible);
        assert_eq!(visible.nodes(), meshes);
        assert_whole(&visible);
    }
}

// ---- what is computed -------------------------------------------------------

/// M89.
#[test]
fn a_node_moved_a_hundred_times_between_syncs_is_computed_once() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 0.0, 0.0);
    let mesh = scene.mesh(parent, 0.0, 10.0, 0.0);
    let other = scene.mesh(None, 0.0, 10.0, 5.0);
    assert_eq!(scene.frame(), Synced { computed: 2, removed: 0, rebuilt: true });
    for step in 0..100 {
        scene.shift(parent, step as f32, 0.0, 0.0);
        scene.shift(mesh, 0.0, step as f32, 0.0);
        if step % 3 == 0 {
            scene.graph.update();
        }
    }
    assert_eq!(scene.frame().computed, 1);
    let center = scene.index.world_bounds(mesh).unwrap().center();
    assert_eq!(center, Vec3::new(99.0, 99.0, 0.0));
    // Moved, and given other bounds, several times.
    for step in 1..10 {
        scene.bound(mesh, Aabb::from_center_half(Vec3::ZERO, Vec3::splat(step as f32)));
        scene.shift(mesh, 0.0, 0.0, step as f32);
    }
    assert_eq!(scene.frame().computed, 1);
    let bounds = Aabb::from_center_half(Vec3::new(99.0, 0.0, 9.0), Vec3::splat(9.0));
    assert_eq!(scene.index.world_bounds(mesh), Some(bounds));
    assert!(scene.index.contains(other));
}

#[test]
fn a_sync_of_an_unchanged_graph_computes_nothing() {
    let mut scene = Scene::new();
    for step in 0..100 {
        scene.mesh(None, step as f32, 10.0, 0.0);
    }
    assert_eq!(scene.frame().computed, 100);
    for _ in 0..3 {
        assert_eq!(scene.frame(), Synced::default());
        assert_eq!(scene.index.sync(&scene.graph), Ok(Synced::default()));
    }
    // Nodes without bounds move, meshes are hidden: no box is computed for that.
    let group = scene.add(None, 0.0, 0.0, 0.0);
    assert_eq!(scene.frame(), Synced::default());
    scene.shift(group, 1.0, 0.0, 0.0);
    let first = scene.graph.roots().next().unwrap();
    scene.show(first, false);
    assert_eq!(scene.frame(), Synced::default());
    assert_eq!(scene.seen_by(&ahead(), &Filter::default()).first().unwrap().index(), 1);
}

#[test]
fn the_index_is_one_reader_of_several() {
    let mut scene = Scene::new();
    let mut feed = scene.graph.subscribe();
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    let mut second = SpatialIndex::new(&mut scene.graph);
    scene.graph.update();
    scene.graph.clear_changes();
    assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 1);
    assert!(feed.read(&scene.graph).unwrap().moved().eq([mesh]));
    second.set_bounds(&scene.graph, mesh, UNIT).unwrap();
    assert_eq!(second.sync(&scene.graph).unwrap().computed, 1);
    assert_eq!(second.world_bounds(mesh), scene.index.world_bounds(mesh));
}

#[test]
fn an_index_made_late_knows_what_came_before() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 10.0, 0.0);
    let mesh = scene.add(parent, 0.0, 0.0, 0.0);
    scene.show(parent, false);
    scene.graph.update();
    scene.graph.clear_changes();
    scene.index = SpatialIndex::new(&mut scene.graph);
    scene.bound(mesh, UNIT);
    // No update: there is nothing to update.
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.seen_by(&ahead(), &Filter::default().with_hidden()), [mesh]);
    assert_eq!(scene.seen(), []);
    scene.show(parent, true);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.seen(), [mesh]);
}

// ---- filters ----------------------------------------------------------------

#[test]
fn layers_decide_who_is_listed_and_met() {
    let mut scene = Scene::new();
    let usual = scene.mesh(None, 0.0, 10.0, 0.0);
    let tool = scene.mesh(None, 0.0, 5.0, 0.0);
    let both = scene.mesh(None, 0.0, 20.0, 0.0);
    let none = scene.mesh(None, 0.0, 2.0, 0.0);
    scene.index.set_layers(tool, 1 << 31).unwrap();
    scene.index.set_layers(both, 1 << 31 | 1).unwrap();
    scene.index.set_layers(none, 0).unwrap();
    scene.frame();
    assert_eq!(scene.index.layers(usual), Some(DEFAULT_LAYERS));
    assert_eq!(scene.index.layers(both), Some(1 << 31 | 1));
    let cases: [(u32, &[NodeId]); 5] = [
        (u32::MAX, &[usual, tool, both]),
        (1, &[usual, both]),
        (1 << 31, &[tool, both]),
        (1 << 7, &[]),
        (0, &[]),
    ];
    for (layers, expected) in cases {
        let filter = Filter::default().layers(layers);
        assert_eq!(filter.asked_layers(), layers);
        assert_eq!(scene.seen_by(&ahead(), &filter), expected, "{layers:#x}");
        let mut hits = Vec::new();
        scene.index.all_boxes(&forward(), &filter, &mut hits);
        let mut met: Vec<NodeId> = hits.iter().map(|hit| hit.node).collect();
        met.sort_by_key(|node| node.index());
        assert_eq!(met, expected, "{layers:#x}");
        let mut nodes = Vec::new();
        scene.index.in_box(
            &Aabb::from_center_half(Vec3::ZERO, Vec3::splat(99.0)),
            &filter,
            &mut nodes,
        );
        assert_eq!(nodes, expected, "{layers:#x}");
    }
    // At once, without a sync.
    scene.index.set_layers(usual, 2).unwrap();
    assert_eq!(scene.seen_by(&ahead(), &Filter::default().layers(1)), [both]);
}

#[test]
fn what_frusta_may_not_cull_is_listed_wherever_it_is() {
    let mut scene = Scene::new();
    let sky = scene.mesh(None, 0.0, -500.0, 0.0);
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    scene.index.set_frustum_culled(sky, false).unwrap();
    // Not before it has a place.
    assert_eq!(scene.seen(), []);
    scene.frame();
    assert_eq!(scene.seen(), [sky, mesh]);
    // But hidden, on other layers or refused it is not.
    assert_eq!(scene.seen_by(&ahead(), &Filter::default().layers(2)), []);
    assert_eq!(scene.seen_by(&ahead(), &Filter::default().only(&|node| node != sky)), [mesh]);
    scene.show(sky, false);
    scene.frame();
    assert_eq!(scene.seen(), [mesh]);
    scene.show(sky, true);
    scene.frame();
    // Rays and searches go by its bounds.
    let mut hits = Vec::new();
    scene.index.all_boxes(&forward(), &Filter::default(), &mut hits);
    assert!(hits.iter().map(|hit| hit.node).eq([mesh]));
    scene.index.set_frustum_culled(sky, true).unwrap();
    assert_eq!(scene.seen(), [mesh]);
    // The mark goes with the node, also when rows change places.
    scene.index.set_frustum_culled(mesh, false).unwrap();
    scene.index.remove(sky);
    assert_eq!(scene.seen_by(&camera(Vec3::ZERO, Vec3::NEG_Y), &Filter::default()), [mesh]);
    scene.index.remove(mesh);
    assert_eq!(scene.seen(), []);
}

#[test]
fn the_predicate_is_asked_last_and_once_for_each_node() {
    let mut scene = Scene::new();
    let [hidden, other_layer, far] =
        [1.0, 2.0, -60.0].map(|y| scene.mesh(None, 0.0, 10.0 * y, 0.0));
    let passing: Vec<NodeId> = (0..20).map(|_| scene.mesh(None, 0.0, 30.0, 0.0)).collect();
    scene.show(hidden, false);
    scene.index.set_layers(other_layer, 8).unwrap();
    scene.frame();
    let asked = Mutex::new(Vec::new());
    let predicate = |node: NodeId| {
        asked.lock().unwrap().push(node);
        node.index().is_multiple_of(2)
    };
    let filter = Filter::default().layers(1).only(&predicate);
    let even: Vec<NodeId> =
        passing.iter().copied().filter(|node| node.index().is_multiple_of(2)).collect();
    for by in [CullBy::Scan, CullBy::Tree] {
        scene.index.set_cull_by(by);
        let mut visible = Visible::new();
        scene.index.cull(&ahead(), &filter, &mut visible);
        assert_eq!(visible.nodes(), even);
        let mut asked = std::mem::take(&mut *asked.lock().unwrap());
        asked.sort_by_key(|node| node.index());
        assert_eq!(asked, passing, "by {by:?}");
    }
    let mut hits = Vec::new();
    scene.index.all_boxes(&forward(), &filter, &mut hits);
    assert!(hits.iter().map(|hit| hit.node).eq(even));
    assert!(!asked.lock().unwrap().contains(&far));
}

// ---- handles ----------------------------------------------------------------

#[test]
fn the_dead_leave_with_the_next_sync_and_their_slots_start_anew() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 0.0, 0.0);
    let dead = scene.mesh(parent, 0.0, 10.0, 0.0);
    let kept = scene.mesh(None, 3.0, 10.0, 0.0);
    scene.index.set_layers(dead, 4).unwrap();
    scene.index.set_frustum_culled(dead, false).unwrap();
    scene.frame();
    scene.graph.remove(parent).unwrap();
    // As of the last sync.
    assert_eq!(scene.seen(), [dead, kept]);
    assert_eq!(scene.index.compute_bounds(&scene.graph, dead), None);
    assert_eq!(scene.index.sync(&scene.graph), Ok(Synced { removed: 1, ..Synced::default() }));
    assert_eq!(scene.seen(), [kept]);
    assert!(!scene.index.contains(dead) && !scene.index.remove(dead));
    assert_eq!(scene.index.world_bounds(dead), None);
    assert_eq!(scene.index.own_bounds(dead), None);
    assert_eq!(scene.index.layers(dead), None);
    assert_eq!(scene.index.set_layers(dead, 1), Err(Error::NoBounds(dead)));
    assert_eq!(scene.index.set_frustum_culled(dead, true), Err(Error::NoBounds(dead)));
    // The next tenants of both slots know nothing of it.
    let [first, second] = [(); 2].map(|()| scene.mesh(None, 0.0, -10.0, 0.0));
    assert!([first, second].iter().any(|node| node.index() == dead.index()));
    scene.frame();
    assert_eq!(scene.seen(), [kept]);
    for node in [first, second] {
        assert_eq!(scene.index.layers(node), Some(DEFAULT_LAYERS));
    }
    assert_eq!(scene.index.check(), Vec::<String>::new());
}

#[test]
fn a_slot_that_changed_hands_without_a_sync_belongs_to_the_new_node() {
    let mut scene = Scene::new();
    let dead = scene.mesh(None, 0.0, 10.0, 0.0);
    scene.index.set_frustum_culled(dead, false).unwrap();
    scene.frame();
    scene.graph.remove(dead).unwrap();
    let new = scene.mesh(None, 0.0, 20.0, 0.0);
    assert_eq!(new.index(), dead.index());
    assert!(!scene.index.contains(dead) && scene.index.contains(new));
    assert_eq!(scene.seen(), []);
    assert_eq!(scene.frame(), Synced { computed: 1, removed: 0, rebuilt: true });
    assert_eq!(scene.seen(), [new]);
    assert_eq!(scene.index.world_bounds(new).unwrap().center().y, 20.0);
    assert_eq!(scene.why(new, &Filter::default()), Why::InView);
    // And without new bounds: nothing is left of the old ones.
    scene.graph.remove(new).unwrap();
    let bare = scene.add(None, 0.0, 10.0, 0.0);
    assert_eq!(scene.index.world_bounds(bare), None);
    assert_eq!(scene.why(bare, &Filter::default()), Why::NoBounds);
    scene.frame();
    assert!(scene.index.is_empty());
}

#[test]
fn another_graph_is_refused_and_the_index_stays_as_it_was() {
    let mut scene = Scene::new();
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    scene.frame();
    scene.shift(mesh, 0.0, -10.0, 0.0);
    scene.graph.update();
    for other in [Graph::new(), scene.graph.clone()] {
        let refused = scene.index.sync(&other).unwrap_err();
        assert_eq!(refused, Error::Graph(pleach_graph::Error::ForeignFeed));
        assert_eq!(
            refused.to_string(),
            "the feed was subscribed to another graph; subscribe to this one with \
             `Graph::subscribe`",
        );
    }
    assert_eq!(scene.seen(), [mesh]);
    assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 1);
    assert_eq!(scene.seen(), []);
}

// ---- staleness --------------------------------------------------------------

#[test]
fn answers_are_as_of_the_last_sync() {
    let mut scene = Scene::new();
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    // Bounds were set, but nobody synced.
    assert_eq!((scene.index.len(), scene.seen()), (1, vec![]));
    assert_eq!(scene.index.own_bounds(mesh), Some(UNIT));
    assert_eq!(scene.index.world_bounds(mesh), None);
    assert_eq!(scene.index.nearest_box(&forward(), &Filter::default()), None);
    assert!(scene.index.compute_bounds(&scene.graph, mesh).is_some());
    scene.frame();
    let before = scene.index.world_bounds(mesh);
    // Moved and updated, but not synced.
    scene.shift(mesh, 0.0, -10.0, 0.0);
    scene.graph.update();
    assert_eq!(scene.index.world_bounds(mesh), before);
    assert_eq!(scene.seen(), [mesh]);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.seen(), []);
    // Moved, but not updated: a sync reads what the last update wrote.
    scene.shift(mesh, 0.0, 10.0, 0.0);
    assert_eq!(scene.index.sync(&scene.graph).unwrap(), Synced::default());
    assert_eq!(scene.seen(), []);
    scene.frame();
    // Other bounds count from the next sync on.
    scene.bound(mesh, Aabb::from_center_half(Vec3::new(0.0, -99.0, 0.0), Vec3::ONE));
    assert_eq!(scene.index.world_bounds(mesh), before);
    assert_eq!(scene.seen(), [mesh]);
    assert_eq!(scene.index.compute_bounds(&scene.graph, mesh).unwrap().center().y, -89.0);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.seen(), []);
    // Hiding counts from the next sync on, with or without an update.
    scene.bound(mesh, UNIT);
    scene.frame();
    scene.show(mesh, false);
    assert_eq!(scene.seen(), [mesh]);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.seen(), []);
}

/// As the graph itself says of a node before its first update: it is at the origin.
#[test]
fn a_new_node_synced_without_an_update_is_not_where_the_last_tenant_of_its_slot_was() {
    let mut scene = Scene::new();
    let old = scene.mesh(None, 0.0, 30.0, 0.0);
    scene.frame();
    scene.graph.remove(old).unwrap();
    let new = scene.mesh(None, 0.0, 10.0, 0.0);
    assert_eq!(new.index(), old.index());
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.graph.node(new).unwrap().world(), Mat4::IDENTITY);
    assert_eq!(scene.index.world_bounds(new), Some(UNIT));
    scene.frame();
    assert_eq!(scene.index.world_bounds(new).unwrap().center().y, 10.0);
}

// ---- why --------------------------------------------------------------------

#[test]
fn why_culled_names_each_reason_in_words() {
    let mut scene = Scene::new();
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    let sky = scene.mesh(None, 0.0, -10.0, 0.0);
    scene.index.set_frustum_culled(sky, false).unwrap();
    let group = scene.add(None, 0.0, 10.0, 0.0);
    let outer = scene.add(None, 0.0, 0.0, 0.0);
    let inner = scene.add(outer, 0.0, 0.0, 0.0);
    let hidden = scene.mesh(inner, 0.0, 10.0, 0.0);
    scene.show(outer, false);
    scene.show(inner, false);
    let alone = scene.mesh(None, 0.0, 10.0, 0.0);
    scene.show(alone, false);
    let tool = scene.mesh(None, 0.0, 10.0, 0.0);
    scene.index.set_layers(tool, 0x30).unwrap();
    scene.frame();
    let late = scene.mesh(None, 0.0, 10.0, 0.0);
    let usual = Filter::default();
    let refuse = |_: NodeId| false;
    let expected = [
        (mesh, usual, Why::InView, "it is in view".into()),
        (sky, usual, Why::NeverCulled, "it is always in view: frusta may not cull it".into()),
        (
            group,
            usual,
            Why::NoBounds,
            "it has no bounds; set some, then sync (or sync since they were set)".into(),
        ),
        (
            late,
            usual,
            Why::NoBounds,
            "it has no bounds; set some, then sync (or sync since they were set)".into(),
        ),
        (
            hidden,
            usual,
            Why::Hidden { by: outer },
            format!("it is hidden: node {outer} is not visible"),
        ),
        (
            alone,
            usual,
            Why::Hidden { by: alone },
            format!("it is hidden: node {alone} is not visible"),
        ),
        (hidden, usual.with_hidden(), Why::InView, "it is in view".into()),
        (
            tool,
            usual.layers(0x101),
            Why::Layers { node: 0x30, asked: 0x101 },
            "it is on layers 0x30, and the view asks for 0x101".into(),
        ),
        (mesh, usual.only(&refuse), Why::Predicate, "the filter's predicate refuses it".into()),
        // The first reason counts.
        (
            hidden,
            usual.layers(2),
            Why::Hidden { by: outer },
            format!("it is hidden: node {outer} is not visible"),
        ),
        (
            sky,
            usual.layers(2).only(&refuse),
            Why::Layers { node: 1, asked: 2 },
            "it is on layers 0x1, and the view asks for 0x2".into(),
        ),
        (sky, usual.only(&refuse), Why::Predicate, "the filter's predicate refuses it".into()),
    ];
    for (node, filter, why, text) in expected {
        assert_eq!(scene.why(node, &filter), why);
        assert_eq!(why.to_string(), text);
        let listed = scene.seen_by(&ahead(), &filter).contains(&node);
        assert_eq!(why.is_in_view(), listed, "{text}");
    }
}

#[test]
fn why_culled_names_the_plane() {
    let mut scene = Scene::new();
    let mesh = scene.mesh(None, 0.0, 0.0, 0.0);
    for (place, side, text) in [
        (Vec3::new(-60.0, 10.0, 0.0), Side::Left, "its bounds are outside of the left plane"),
        (Vec3::new(60.0, 10.0, 0.0), Side::Right, "its bounds are outside of the right plane"),
        (Vec3::new(0.0, 10.0, -60.0), Side::Bottom, "its bounds are outside of the bottom plane"),
        (Vec3::new(0.0, 10.0, 60.0), Side::Top, "its bounds are outside of the top plane"),
        (Vec3::new(0.0, 120.0, 0.0), Side::Far, "its bounds are outside of the far plane"),
    ] {
        scene.graph.node_mut(mesh).unwrap().set_translation(place).unwrap();
        scene.frame();
        let why = scene.why(mesh, &Filter::default());
        assert_eq!((why, why.to_string().as_str()), (Why::Outside(side), text));
        assert_eq!(scene.seen(), []);
    }
    // Only the near plane: a small box between the eye and it.
    scene.bound(mesh, Aabb::new(Vec3::ZERO, Vec3::ZERO));
    scene.shift(mesh, 0.0, 0.05, 0.0);
    scene.frame();
    let why = scene.why(mesh, &Filter::default());
    assert_eq!(why.to_string(), "its bounds are outside of the near plane");
    assert_eq!(scene.seen(), []);
}

#[test]
fn why_culled_refuses_the_dead() {
    let mut scene = Scene::new();
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    scene.frame();
    scene.graph.remove(mesh).unwrap();
    let refused =
        scene.index.why_culled(&scene.graph, mesh, &ahead(), &Filter::default()).unwrap_err();
    assert_eq!(refused, Error::Graph(pleach_graph::Error::Dead(mesh)));
}

// ---- settings ---------------------------------------------------------------

#[test]
fn settings_are_what_was_set() {
    let mut scene = Scene::new();
    assert_eq!(scene.index.cull_by(), CullBy::default());
    for by in [CullBy::Scan, CullBy::Tree, CullBy::Size(7)] {
        scene.index.set_cull_by(by);
        assert_eq!(scene.index.cull_by(), by);
    }
    assert_eq!(scene.index.kernel(), Kernel::best());
    for kernel in Kernel::ALL {
        let before = scene.index.kernel();
        let now = scene.index.set_kernel(kernel);
        assert_eq!(now, if kernel.is_available() { kernel } else { before });
        assert_eq!(scene.index.kernel(), now);
    }
}

/// The order is by slot, however the tree came about.
#[test]
fn lists_are_in_the_order_of_slots_after_any_history() {
    let mut scene = Scene::new();
    let meshes: Vec<NodeId> = (0..200).map(|_| scene.mesh(None, 0.0, 10.0, 0.0)).collect();
    scene.frame();
    for &mesh in meshes.iter().step_by(3) {
        scene.index.remove(mesh);
    }
    for &mesh in meshes.iter().step_by(3).rev() {
        scene.bound(mesh, UNIT);
    }
    scene.graph.node_mut(meshes[5]).unwrap().set_rotation(Quat::from_rotation_z(1.0)).unwrap();
    scene.frame();
    assert_eq!(scene.seen(), meshes);
    let mut hits = Vec::new();
    scene.index.all_boxes(&forward(), &Filter::default(), &mut hits);
    // All are met, at one distance but the turned one.
    assert_eq!(hits[0].node, meshes[5]);
    assert!(hits[1..].is_sorted_by_key(|hit| hit.node.index()));
    assert_eq!(hits.len(), 200);
    let mut near = Vec::new();
    scene.index.nearest_to(Vec3::new(0.0, 10.0, 0.0), 3, &Filter::default(), &mut near);
    assert!(near.iter().map(|near| near.node).eq(meshes[..3].iter().copied()));
}
