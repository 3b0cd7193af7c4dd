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
