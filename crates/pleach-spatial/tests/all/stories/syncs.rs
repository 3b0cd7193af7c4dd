//! What a sync computes and whom it lets go; until then answers are as of the last one.

use pleach_graph::Graph;
use pleach_spatial::glam::{Mat4, Vec3};
use pleach_spatial::{Aabb, CullReason, DEFAULT_LAYERS, Error, Filter, SpatialIndex, SyncStats};

use super::scene::{Scene, UNIT, ahead, forward};

/// M89.
#[test]
fn a_node_moved_a_hundred_times_between_syncs_is_computed_once() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 0.0, 0.0);
    let mesh = scene.mesh(parent, 0.0, 10.0, 0.0);
    let other = scene.mesh(None, 0.0, 10.0, 5.0);
    assert_eq!(scene.frame(), SyncStats { computed: 2, removed: 0, rebuilt: true });
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
        assert_eq!(scene.frame(), SyncStats::default());
        assert_eq!(scene.index.sync(&scene.graph), Ok(SyncStats::default()));
    }
    // Nodes without bounds move, meshes are hidden: no box is computed for that.
    let group = scene.add(None, 0.0, 0.0, 0.0);
    assert_eq!(scene.frame(), SyncStats::default());
    scene.shift(group, 1.0, 0.0, 0.0);
    let first = scene.graph.roots().next().unwrap();
    scene.show(first, false);
    assert_eq!(scene.frame(), SyncStats::default());
    assert_eq!(scene.seen_by(&ahead(), &Filter::default()).first().unwrap().index(), 1);
}

#[test]
fn the_index_is_one_reader_of_several() {
    let mut scene = Scene::new();
    let mut feed = scene.graph.change_reader();
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    let mut second = SpatialIndex::new(&mut scene.graph);
    scene.graph.update();
    scene.graph.clear_changes();
    assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 1);
    assert!(feed.read(&scene.graph).unwrap().changed().eq([mesh]));
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

// ---- handles ----

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
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, dead), None);
    assert_eq!(
        scene.index.sync(&scene.graph),
        Ok(SyncStats { removed: 1, ..SyncStats::default() })
    );
    assert_eq!(scene.seen(), [kept]);
    assert!(!scene.index.contains(dead) && !scene.index.remove(dead));
    assert_eq!(scene.index.world_bounds(dead), None);
    assert_eq!(scene.index.local_bounds(dead), None);
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
    assert_eq!(scene.frame(), SyncStats { computed: 1, removed: 0, rebuilt: true });
    assert_eq!(scene.seen(), [new]);
    assert_eq!(scene.index.world_bounds(new).unwrap().center().y, 20.0);
    assert_eq!(scene.why(new, &Filter::default()), CullReason::InView);
    // And without new bounds: nothing is left of the old ones.
    scene.graph.remove(new).unwrap();
    let bare = scene.add(None, 0.0, 10.0, 0.0);
    assert_eq!(scene.index.world_bounds(bare), None);
    assert_eq!(scene.why(bare, &Filter::default()), CullReason::NoBounds);
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
        assert_eq!(refused, Error::Graph(pleach_graph::Error::ForeignChangeReader));
        assert_eq!(
            refused.to_string(),
            "the change reader belongs to another graph; create one with `Graph::change_reader`",
        );
    }
    assert_eq!(scene.seen(), [mesh]);
    assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 1);
    assert_eq!(scene.seen(), []);
}

// ---- staleness ----

#[test]
fn answers_are_as_of_the_last_sync() {
    let mut scene = Scene::new();
    let mesh = scene.mesh(None, 0.0, 10.0, 0.0);
    // Bounds were set, but nobody synced.
    assert_eq!((scene.index.len(), scene.seen()), (1, vec![]));
    assert_eq!(scene.index.local_bounds(mesh), Some(UNIT));
    assert_eq!(scene.index.world_bounds(mesh), None);
    assert_eq!(scene.index.raycast_aabb(&forward(), &Filter::default()), None);
    assert!(scene.index.compute_world_bounds(&scene.graph, mesh).is_some());
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
    assert_eq!(scene.index.sync(&scene.graph).unwrap(), SyncStats::default());
    assert_eq!(scene.seen(), []);
    scene.frame();
    // Other bounds count from the next sync on.
    scene.bound(mesh, Aabb::from_center_half(Vec3::new(0.0, -99.0, 0.0), Vec3::ONE));
    assert_eq!(scene.index.world_bounds(mesh), before);
    assert_eq!(scene.seen(), [mesh]);
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, mesh).unwrap().center().y, -89.0);
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
