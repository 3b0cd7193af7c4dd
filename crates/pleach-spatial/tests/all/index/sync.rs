//! `sync`: the nodes that it computes and drops; until then results are as of the last sync.

use pleach_graph::Graph;
use pleach_spatial::glam::{Mat4, Vec3};
use pleach_spatial::{Aabb, CullReason, DEFAULT_LAYERS, Error, Filter, SpatialIndex, SyncStats};

use super::test_scene::{Scene, UNIT, forward_frustum, forward_ray};

/// Returns the numbers of computed and removed nodes.
fn numbers(stats: SyncStats) -> (usize, usize) {
    (stats.computed, stats.removed)
}

#[test]
fn a_node_moved_a_hundred_times_between_syncs_is_computed_once() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 0.0, 0.0);
    let mesh = scene.add_mesh(parent, 0.0, 10.0, 0.0);
    let other = scene.add_mesh(None, 0.0, 10.0, 5.0);
    assert_eq!(numbers(scene.frame()), (2, 0));
    for step in 0..100 {
        scene.set_translation(parent, step as f32, 0.0, 0.0);
        scene.set_translation(mesh, 0.0, step as f32, 0.0);
        if step % 3 == 0 {
            scene.graph.update();
        }
    }
    assert_eq!(scene.frame().computed, 1);
    let center = scene.index.world_bounds(mesh).unwrap().center();
    assert_eq!(center, Vec3::new(99.0, 99.0, 0.0));
    // Moved, and given other bounds, several times.
    for step in 1..10 {
        scene.set_bounds(mesh, Aabb::from_center_half(Vec3::ZERO, Vec3::splat(step as f32)));
        scene.set_translation(mesh, 0.0, 0.0, step as f32);
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
        scene.add_mesh(None, step as f32, 10.0, 0.0);
    }
    assert_eq!(scene.frame().computed, 100);
    for _ in 0..3 {
        assert_eq!(scene.frame(), SyncStats::default());
        assert_eq!(scene.index.sync(&scene.graph), Ok(SyncStats::default()));
    }
    // Nodes without bounds move, meshes are hidden: no box is computed for that.
    let group = scene.add(None, 0.0, 0.0, 0.0);
    assert_eq!(scene.frame(), SyncStats::default());
    scene.set_translation(group, 1.0, 0.0, 0.0);
    let first = scene.graph.roots().next().unwrap();
    scene.set_visible(first, false);
    assert_eq!(scene.frame(), SyncStats::default());
    assert_eq!(scene.cull_with(&forward_frustum(), &Filter::default()).first().unwrap().index(), 1);
}

#[test]
fn the_index_does_not_affect_other_change_readers() {
    let mut scene = Scene::new();
    let mut reader = scene.graph.change_reader();
    let mesh = scene.add_mesh(None, 0.0, 10.0, 0.0);
    let mut second = SpatialIndex::new(&mut scene.graph);
    scene.graph.update();
    scene.graph.clear_changes();
    assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 1);
    assert!(reader.read(&scene.graph).unwrap().changed().eq([mesh]));
    second.set_bounds(&scene.graph, mesh, UNIT).unwrap();
    assert_eq!(second.sync(&scene.graph).unwrap().computed, 1);
    assert_eq!(second.world_bounds(mesh), scene.index.world_bounds(mesh));
}

#[test]
fn an_index_created_late_sees_earlier_changes() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 10.0, 0.0);
    let mesh = scene.add(parent, 0.0, 0.0, 0.0);
    scene.set_visible(parent, false);
    scene.graph.update();
    scene.graph.clear_changes();
    scene.index = SpatialIndex::new(&mut scene.graph);
    scene.set_bounds(mesh, UNIT);
    // No update: nothing changed.
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.cull_with(&forward_frustum(), &Filter::default().with_hidden()), [mesh]);
    assert_eq!(scene.cull(), []);
    scene.set_visible(parent, true);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.cull(), [mesh]);
}

// ---- handles ----

#[test]
fn removed_nodes_are_dropped_by_the_next_sync_and_their_slots_are_reset() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 0.0, 0.0);
    let removed = scene.add_mesh(parent, 0.0, 10.0, 0.0);
    let kept = scene.add_mesh(None, 3.0, 10.0, 0.0);
    scene.index.set_layers(removed, 4).unwrap();
    scene.index.set_frustum_culled(removed, false).unwrap();
    scene.frame();
    scene.graph.remove(parent).unwrap();
    // As of the last sync.
    assert_eq!(scene.cull(), [removed, kept]);
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, removed), None);
    assert_eq!(numbers(scene.index.sync(&scene.graph).unwrap()), (0, 1));
    assert_eq!(scene.cull(), [kept]);
    assert!(!scene.index.contains(removed) && !scene.index.remove(removed));
    assert_eq!(scene.index.world_bounds(removed), None);
    assert_eq!(scene.index.local_bounds(removed), None);
    assert_eq!(scene.index.layers(removed), None);
    assert_eq!(scene.index.set_layers(removed, 1), Err(Error::NoBounds(removed)));
    assert_eq!(scene.index.set_frustum_culled(removed, true), Err(Error::NoBounds(removed)));
    // The next nodes in both slots have default settings.
    let [first, second] = [(); 2].map(|()| scene.add_mesh(None, 0.0, -10.0, 0.0));
    assert!([first, second].iter().any(|node| node.index() == removed.index()));
    scene.frame();
    assert_eq!(scene.cull(), [kept]);
    for node in [first, second] {
        assert_eq!(scene.index.layers(node), Some(DEFAULT_LAYERS));
    }
    assert_eq!(scene.index.check(), []);
}

#[test]
fn a_slot_reused_without_a_sync_belongs_to_the_new_node() {
    let mut scene = Scene::new();
    let removed = scene.add_mesh(None, 0.0, 10.0, 0.0);
    scene.index.set_frustum_culled(removed, false).unwrap();
    scene.frame();
    scene.graph.remove(removed).unwrap();
    let new = scene.add_mesh(None, 0.0, 20.0, 0.0);
    assert_eq!(new.index(), removed.index());
    assert!(!scene.index.contains(removed) && scene.index.contains(new));
    assert_eq!(scene.cull(), []);
    assert_eq!(numbers(scene.frame()), (1, 0));
    assert_eq!(scene.cull(), [new]);
    assert_eq!(scene.index.world_bounds(new).unwrap().center().y, 20.0);
    assert_eq!(scene.cull_reason(new, &Filter::default()), CullReason::InView);
    // Without new bounds nothing of the old ones remains.
    scene.graph.remove(new).unwrap();
    let without_bounds = scene.add(None, 0.0, 10.0, 0.0);
    assert_eq!(scene.index.world_bounds(without_bounds), None);
    assert_eq!(scene.cull_reason(without_bounds, &Filter::default()), CullReason::NoBounds);
    scene.frame();
    assert!(scene.index.is_empty());
}

#[test]
fn sync_with_another_graph_is_an_error_and_changes_nothing() {
    let mut scene = Scene::new();
    let mesh = scene.add_mesh(None, 0.0, 10.0, 0.0);
    scene.frame();
    scene.set_translation(mesh, 0.0, -10.0, 0.0);
    scene.graph.update();
    for other in [Graph::new(), scene.graph.clone()] {
        let error = scene.index.sync(&other).unwrap_err();
        assert_eq!(error, Error::Graph(pleach_graph::Error::ForeignChangeReader));
        assert_eq!(error.to_string(), pleach_graph::Error::ForeignChangeReader.to_string());
    }
    assert_eq!(scene.cull(), [mesh]);
    assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 1);
    assert_eq!(scene.cull(), []);
}

// ---- staleness ----

#[test]
fn results_are_as_of_the_last_sync() {
    let mut scene = Scene::new();
    let mesh = scene.add_mesh(None, 0.0, 10.0, 0.0);
    // Bounds were set, but not synced.
    assert_eq!((scene.index.len(), scene.cull()), (1, vec![]));
    assert_eq!(scene.index.local_bounds(mesh), Some(UNIT));
    assert_eq!(scene.index.world_bounds(mesh), None);
    assert_eq!(scene.index.raycast_aabb(&forward_ray(), &Filter::default()), None);
    assert!(scene.index.compute_world_bounds(&scene.graph, mesh).is_some());
    scene.frame();
    let before = scene.index.world_bounds(mesh);
    // Moved and updated, but not synced.
    scene.set_translation(mesh, 0.0, -10.0, 0.0);
    scene.graph.update();
    assert_eq!(scene.index.world_bounds(mesh), before);
    assert_eq!(scene.cull(), [mesh]);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.cull(), []);
    // Moved, but not updated: a sync reads the transforms of the last update.
    scene.set_translation(mesh, 0.0, 10.0, 0.0);
    assert_eq!(scene.index.sync(&scene.graph).unwrap(), SyncStats::default());
    assert_eq!(scene.cull(), []);
    scene.frame();
    // New bounds take effect with the next sync.
    scene.set_bounds(mesh, Aabb::from_center_half(Vec3::new(0.0, -99.0, 0.0), Vec3::ONE));
    assert_eq!(scene.index.world_bounds(mesh), before);
    assert_eq!(scene.cull(), [mesh]);
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, mesh).unwrap().center().y, -89.0);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.cull(), []);
    // Visibility takes effect with the next sync, with or without an update.
    scene.set_bounds(mesh, UNIT);
    scene.frame();
    scene.set_visible(mesh, false);
    assert_eq!(scene.cull(), [mesh]);
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.cull(), []);
}

/// A node is at the origin before its first update, as in the graph.
#[test]
fn a_new_node_synced_without_an_update_does_not_get_the_transform_of_its_slots_previous_node() {
    let mut scene = Scene::new();
    let old = scene.add_mesh(None, 0.0, 30.0, 0.0);
    scene.frame();
    scene.graph.remove(old).unwrap();
    let new = scene.add_mesh(None, 0.0, 10.0, 0.0);
    assert_eq!(new.index(), old.index());
    scene.index.sync(&scene.graph).unwrap();
    assert_eq!(scene.graph.node(new).unwrap().world(), Mat4::IDENTITY);
    assert_eq!(scene.index.world_bounds(new), Some(UNIT));
    scene.frame();
    assert_eq!(scene.index.world_bounds(new).unwrap().center().y, 10.0);
}
