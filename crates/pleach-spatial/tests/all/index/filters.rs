//! Filters: layers, nodes exempt from culling, and a predicate that is called last.

use std::sync::Mutex;

use pleach_graph::NodeId;
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullMethod, DEFAULT_LAYERS, Filter, Visible};

use super::test_scene::{Scene, camera, forward_frustum, forward_ray};

#[test]
fn layers_select_the_nodes_of_all_queries() {
    let mut scene = Scene::new();
    let default = scene.add_mesh(None, 0.0, 10.0, 0.0);
    let tool = scene.add_mesh(None, 0.0, 5.0, 0.0);
    let both = scene.add_mesh(None, 0.0, 20.0, 0.0);
    let none = scene.add_mesh(None, 0.0, 2.0, 0.0);
    scene.index.set_layers(tool, 1 << 31).unwrap();
    scene.index.set_layers(both, 1 << 31 | 1).unwrap();
    scene.index.set_layers(none, 0).unwrap();
    scene.frame();
    assert_eq!(scene.index.layers(default), Some(DEFAULT_LAYERS));
    assert_eq!(scene.index.layers(both), Some(1 << 31 | 1));
    let cases: [(u32, &[NodeId]); 5] = [
        (u32::MAX, &[default, tool, both]),
        (1, &[default, both]),
        (1 << 31, &[tool, both]),
        (1 << 7, &[]),
        (0, &[]),
    ];
    for (layers, expected) in cases {
        let filter = Filter::default().with_layers(layers);
        assert_eq!(filter.layers(), layers);
        assert_eq!(scene.cull_with(&forward_frustum(), &filter), expected, "{layers:#x}");
        let mut hits = Vec::new();
        scene.index.raycast_aabb_all(&forward_ray(), &filter, &mut hits);
        let mut hit_nodes: Vec<NodeId> = hits.iter().map(|hit| hit.node).collect();
        hit_nodes.sort_by_key(|node| node.index());
        assert_eq!(hit_nodes, expected, "{layers:#x}");
        let mut nodes = Vec::new();
        scene.index.query_aabb(
            &Aabb::from_center_half(Vec3::ZERO, Vec3::splat(99.0)),
            &filter,
            &mut nodes,
        );
        assert_eq!(nodes, expected, "{layers:#x}");
    }
    // Immediately, without a sync.
    scene.index.set_layers(default, 2).unwrap();
    assert_eq!(scene.cull_with(&forward_frustum(), &Filter::default().with_layers(1)), [both]);
}

#[test]
fn a_node_exempt_from_culling_is_listed_in_every_view() {
    let mut scene = Scene::new();
    let sky = scene.add_mesh(None, 0.0, -500.0, 0.0);
    let mesh = scene.add_mesh(None, 0.0, 10.0, 0.0);
    scene.index.set_frustum_culled(sky, false).unwrap();
    // Not before its first sync.
    assert_eq!(scene.cull(), []);
    scene.frame();
    assert_eq!(scene.cull(), [sky, mesh]);
    // But not if it is hidden, on other layers or rejected by the predicate.
    assert_eq!(scene.cull_with(&forward_frustum(), &Filter::default().with_layers(2)), []);
    assert_eq!(
        scene.cull_with(&forward_frustum(), &Filter::default().with_predicate(&|node| node != sky)),
        [mesh]
    );
    scene.set_visible(sky, false);
    scene.frame();
    assert_eq!(scene.cull(), [mesh]);
    scene.set_visible(sky, true);
    scene.frame();
    // Raycasts and proximity queries use its bounds.
    let mut hits = Vec::new();
    scene.index.raycast_aabb_all(&forward_ray(), &Filter::default(), &mut hits);
    assert!(hits.iter().map(|hit| hit.node).eq([mesh]));
    scene.index.set_frustum_culled(sky, true).unwrap();
    assert_eq!(scene.cull(), [mesh]);
    // The flag belongs to the node, also when rows are moved.
    scene.index.set_frustum_culled(mesh, false).unwrap();
    scene.index.remove(sky);
    assert_eq!(scene.cull_with(&camera(Vec3::ZERO, Vec3::NEG_Y), &Filter::default()), [mesh]);
    scene.index.remove(mesh);
    assert_eq!(scene.cull(), []);
}

#[test]
fn the_predicate_is_called_last_and_once_per_node() {
    let mut scene = Scene::new();
    let [hidden, other_layer, far] =
        [1.0, 2.0, -60.0].map(|y| scene.add_mesh(None, 0.0, 10.0 * y, 0.0));
    let passing: Vec<NodeId> = (0..20).map(|_| scene.add_mesh(None, 0.0, 30.0, 0.0)).collect();
    scene.set_visible(hidden, false);
    scene.index.set_layers(other_layer, 8).unwrap();
    scene.frame();
    let calls = Mutex::new(Vec::new());
    let predicate = |node: NodeId| {
        calls.lock().unwrap().push(node);
        node.index().is_multiple_of(2)
    };
    let filter = Filter::default().with_layers(1).with_predicate(&predicate);
    let even: Vec<NodeId> =
        passing.iter().copied().filter(|node| node.index().is_multiple_of(2)).collect();
    for method in [CullMethod::Scan, CullMethod::Tree] {
        scene.index.set_cull_method(method);
        let mut visible = Visible::new();
        scene.index.cull(&forward_frustum(), &filter, &mut visible);
        assert_eq!(visible.nodes(), even);
        let mut calls = std::mem::take(&mut *calls.lock().unwrap());
        calls.sort_by_key(|node| node.index());
        assert_eq!(calls, passing, "by {method:?}");
    }
    let mut hits = Vec::new();
    scene.index.raycast_aabb_all(&forward_ray(), &filter, &mut hits);
    assert!(hits.iter().map(|hit| hit.node).eq(even));
    assert!(!calls.lock().unwrap().contains(&far));
}
