//! `cull_reason`: the message of each reason, and the order of several reasons.

use pleach_graph::NodeId;
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullReason, Error, Filter, Side};

use super::test_scene::{Scene, forward_frustum};

#[test]
fn cull_reason_describes_each_reason() {
    let mut scene = Scene::new();
    let mesh = scene.add_mesh(None, 0.0, 10.0, 0.0);
    let sky = scene.add_mesh(None, 0.0, -10.0, 0.0);
    scene.index.set_frustum_culled(sky, false).unwrap();
    let group = scene.add(None, 0.0, 10.0, 0.0);
    let outer = scene.add(None, 0.0, 0.0, 0.0);
    let inner = scene.add(outer, 0.0, 0.0, 0.0);
    let hidden = scene.add_mesh(inner, 0.0, 10.0, 0.0);
    scene.set_visible(outer, false);
    scene.set_visible(inner, false);
    let alone = scene.add_mesh(None, 0.0, 10.0, 0.0);
    scene.set_visible(alone, false);
    let tool = scene.add_mesh(None, 0.0, 10.0, 0.0);
    scene.index.set_layers(tool, 0x30).unwrap();
    scene.frame();
    let unsynced = scene.add_mesh(None, 0.0, 10.0, 0.0);
    let default = Filter::default();
    let reject = |_: NodeId| false;
    let expected = [
        (mesh, default, CullReason::InView, "it is in view".into()),
        (
            sky,
            default,
            CullReason::NeverCulled,
            "it is in every view: frusta may not cull it".into(),
        ),
        (
            group,
            default,
            CullReason::NoBounds,
            "it has no bounds, or they are newer than the last sync; set them, then sync".into(),
        ),
        (
            unsynced,
            default,
            CullReason::NoBounds,
            "it has no bounds, or they are newer than the last sync; set them, then sync".into(),
        ),
        (
            hidden,
            default,
            CullReason::Hidden { by: outer },
            format!("it is hidden: node {outer} is not visible"),
        ),
        (
            alone,
            default,
            CullReason::Hidden { by: alone },
            format!("it is hidden: node {alone} is not visible"),
        ),
        (hidden, default.with_hidden(), CullReason::InView, "it is in view".into()),
        (
            tool,
            default.with_layers(0x101),
            CullReason::Layers { node: 0x30, filter: 0x101 },
            "it is on layers 0x30, but the filter selects 0x101".into(),
        ),
        (
            mesh,
            default.with_predicate(&reject),
            CullReason::Predicate,
            "the filter's predicate rejects it".into(),
        ),
        // The first reason is returned.
        (
            hidden,
            default.with_layers(2),
            CullReason::Hidden { by: outer },
            format!("it is hidden: node {outer} is not visible"),
        ),
        (
            sky,
            default.with_layers(2).with_predicate(&reject),
            CullReason::Layers { node: 1, filter: 2 },
            "it is on layers 0x1, but the filter selects 0x2".into(),
        ),
        (
            sky,
            default.with_predicate(&reject),
            CullReason::Predicate,
            "the filter's predicate rejects it".into(),
        ),
    ];
    for (node, filter, reason, text) in expected {
        assert_eq!(scene.cull_reason(node, &filter), reason);
        assert_eq!(reason.to_string(), text);
        let listed = scene.cull_with(&forward_frustum(), &filter).contains(&node);
        assert_eq!(reason.is_in_view(), listed, "{text}");
    }
}

#[test]
fn cull_reason_names_the_plane() {
    let mut scene = Scene::new();
    let mesh = scene.add_mesh(None, 0.0, 0.0, 0.0);
    for (position, side, text) in [
        (Vec3::new(-60.0, 10.0, 0.0), Side::Left, "its bounds are outside the left plane"),
        (Vec3::new(60.0, 10.0, 0.0), Side::Right, "its bounds are outside the right plane"),
        (Vec3::new(0.0, 10.0, -60.0), Side::Bottom, "its bounds are outside the bottom plane"),
        (Vec3::new(0.0, 10.0, 60.0), Side::Top, "its bounds are outside the top plane"),
        (Vec3::new(0.0, 120.0, 0.0), Side::Far, "its bounds are outside the far plane"),
    ] {
        scene.graph.node_mut(mesh).unwrap().set_translation(position).unwrap();
        scene.frame();
        let reason = scene.cull_reason(mesh, &Filter::default());
        assert_eq!((reason, reason.to_string().as_str()), (CullReason::Outside(side), text));
        assert_eq!(scene.cull(), []);
    }
    // Only the near plane: a small box between the eye and the plane.
    scene.set_bounds(mesh, Aabb::new(Vec3::ZERO, Vec3::ZERO));
    scene.set_translation(mesh, 0.0, 0.05, 0.0);
    scene.frame();
    let reason = scene.cull_reason(mesh, &Filter::default());
    assert_eq!(reason.to_string(), "its bounds are outside the near plane");
    assert_eq!(scene.cull(), []);
}

#[test]
fn cull_reason_rejects_a_removed_node() {
    let mut scene = Scene::new();
    let mesh = scene.add_mesh(None, 0.0, 10.0, 0.0);
    scene.frame();
    scene.graph.remove(mesh).unwrap();
    let error = scene
        .index
        .cull_reason(&scene.graph, mesh, &forward_frustum(), &Filter::default())
        .unwrap_err();
    assert_eq!(error, Error::Graph(pleach_graph::Error::Dead(mesh)));
}

#[test]
fn a9_a_detached_node_is_in_no_result_and_has_a_reason_of_its_own() {
    let mut scene = Scene::new();
    let near = scene.add_mesh(None, 0.0, 10.0, 0.0);
    let far = scene.add_mesh(None, 0.0, 50.0, 0.0);
    let sky = scene.add_mesh(None, 0.0, -90.0, 0.0);
    scene.index.set_frustum_culled(sky, false).unwrap();
    scene.frame();
    let everything = Filter::default().with_hidden();
    assert_eq!(scene.cull(), [near, far, sky]);

    for detached in [far, sky] {
        scene.index.set_attached(detached, false).unwrap();
        assert_eq!(scene.cull_reason(detached, &everything), CullReason::Detached);
    }
    // At once, and after syncs in which they move.
    for y in [50.0, 30.0, 20.0] {
        scene.set_translation(far, 0.0, y, 0.0);
        assert_eq!(scene.cull(), [near]);
        assert_eq!(scene.cull_with(&forward_frustum(), &everything), [near]);
        assert_eq!(scene.index.bounds().max.y.round(), 11.0);
        assert_eq!(scene.index.bounds().min.y.round(), 9.0);
        scene.frame();
        assert_eq!(scene.index.world_bounds(far).unwrap().max.y, y + 1.0);
        assert_eq!(scene.index.subtree_bounds(&scene.graph, far).unwrap().max.y, y + 1.0);
        assert_eq!(scene.index.check(), []);
    }
    assert_eq!(scene.index.layers(far), Some(1), "its layers are kept");
    let message = "it is detached: it is not part of the scene; attach it below the scene's root";
    assert_eq!(scene.cull_reason(far, &everything).to_string(), message);

    // Attached again: from the next sync on.
    scene.index.set_attached(far, true).unwrap();
    assert!(scene.index.is_attached(far) && !scene.index.is_attached(sky));
    assert_eq!(scene.cull(), [near]);
    assert_eq!(scene.cull_reason(far, &everything), CullReason::Detached);
    scene.frame();
    assert_eq!(scene.cull(), [near, far]);
    assert_eq!(scene.index.bounds().max.y.round(), 21.0);
}

#[test]
fn a9_bounds_set_for_a_detached_node_do_not_attach_it() {
    let mut scene = Scene::new();
    let node = scene.add_mesh(None, 0.0, 10.0, 0.0);
    scene.index.set_attached(node, false).unwrap();
    let default = Filter::default();
    assert_eq!(scene.cull_reason(node, &default), CullReason::Detached, "before the first sync");
    scene.frame();
    scene.set_bounds(node, Aabb::new(Vec3::ZERO, Vec3::ONE));
    scene.frame();
    assert!(scene.index.bounds().is_empty());
    assert_eq!(scene.index.tree_boxes().count(), 0);
    scene.index.set_attached(node, true).unwrap();
    scene.frame();
    assert_eq!(scene.cull(), [node]);
    let group = scene.add(None, 0.0, 0.0, 0.0);
    assert_eq!(scene.index.set_attached(group, false), Err(Error::NoBounds(group)));
}
