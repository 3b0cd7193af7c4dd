//! Filters: layers, what frusta may not cull, and a predicate that is asked last.

use std::sync::Mutex;

use pleach_graph::NodeId;
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullMethod, DEFAULT_LAYERS, Filter, Visible};

use super::test_scene::{Scene, ahead, camera, forward};

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
        let filter = Filter::default().with_layers(layers);
        assert_eq!(filter.layers(), layers);
        assert_eq!(scene.seen_by(&ahead(), &filter), expected, "{layers:#x}");
        let mut hits = Vec::new();
        scene.index.raycast_aabb_all(&forward(), &filter, &mut hits);
        let mut met: Vec<NodeId> = hits.iter().map(|hit| hit.node).collect();
        met.sort_by_key(|node| node.index());
        assert_eq!(met, expected, "{layers:#x}");
        let mut nodes = Vec::new();
        scene.index.query_aabb(
            &Aabb::from_center_half(Vec3::ZERO, Vec3::splat(99.0)),
            &filter,
            &mut nodes,
        );
        assert_eq!(nodes, expected, "{layers:#x}");
    }
    // At once, without a sync.
    scene.index.set_layers(usual, 2).unwrap();
    assert_eq!(scene.seen_by(&ahead(), &Filter::default().with_layers(1)), [both]);
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
    assert_eq!(scene.seen_by(&ahead(), &Filter::default().with_layers(2)), []);
    assert_eq!(
        scene.seen_by(&ahead(), &Filter::default().with_predicate(&|node| node != sky)),
        [mesh]
    );
    scene.show(sky, false);
    scene.frame();
    assert_eq!(scene.seen(), [mesh]);
    scene.show(sky, true);
    scene.frame();
    // Rays and searches go by its bounds.
    let mut hits = Vec::new();
    scene.index.raycast_aabb_all(&forward(), &Filter::default(), &mut hits);
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
    let filter = Filter::default().with_layers(1).with_predicate(&predicate);
    let even: Vec<NodeId> =
        passing.iter().copied().filter(|node| node.index().is_multiple_of(2)).collect();
    for by in [CullMethod::Scan, CullMethod::Tree] {
        scene.index.set_cull_method(by);
        let mut visible = Visible::new();
        scene.index.cull(&ahead(), &filter, &mut visible);
        assert_eq!(visible.nodes(), even);
        let mut asked = std::mem::take(&mut *asked.lock().unwrap());
        asked.sort_by_key(|node| node.index());
        assert_eq!(asked, passing, "by {by:?}");
    }
    let mut hits = Vec::new();
    scene.index.raycast_aabb_all(&forward(), &filter, &mut hits);
    assert!(hits.iter().map(|hit| hit.node).eq(even));
    assert!(!asked.lock().unwrap().contains(&far));
}
