//! Why a node is not in view: each reason in words, and the first of several.

use pleach_graph::NodeId;
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullReason, Error, Filter, Side};

use super::test_scene::{Scene, ahead};

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
        (mesh, usual, CullReason::InView, "it is in view".into()),
        (
            sky,
            usual,
            CullReason::NeverCulled,
            "it is always in view: frusta may not cull it".into(),
        ),
        (
            group,
            usual,
            CullReason::NoBounds,
            "it has no bounds; set some, then sync (or sync since they were set)".into(),
        ),
        (
            late,
            usual,
            CullReason::NoBounds,
            "it has no bounds; set some, then sync (or sync since they were set)".into(),
        ),
        (
            hidden,
            usual,
            CullReason::Hidden { by: outer },
            format!("it is hidden: node {outer} is not visible"),
        ),
        (
            alone,
            usual,
            CullReason::Hidden { by: alone },
            format!("it is hidden: node {alone} is not visible"),
        ),
        (hidden, usual.with_hidden(), CullReason::InView, "it is in view".into()),
        (
            tool,
            usual.with_layers(0x101),
            CullReason::Layers { node: 0x30, filter: 0x101 },
            "it is on layers 0x30, and the view asks for 0x101".into(),
        ),
        (
            mesh,
            usual.with_predicate(&refuse),
            CullReason::Predicate,
            "the filter's predicate refuses it".into(),
        ),
        // The first reason counts.
        (
            hidden,
            usual.with_layers(2),
            CullReason::Hidden { by: outer },
            format!("it is hidden: node {outer} is not visible"),
        ),
        (
            sky,
            usual.with_layers(2).with_predicate(&refuse),
            CullReason::Layers { node: 1, filter: 2 },
            "it is on layers 0x1, and the view asks for 0x2".into(),
        ),
        (
            sky,
            usual.with_predicate(&refuse),
            CullReason::Predicate,
            "the filter's predicate refuses it".into(),
        ),
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
        assert_eq!((why, why.to_string().as_str()), (CullReason::Outside(side), text));
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
        scene.index.cull_reason(&scene.graph, mesh, &ahead(), &Filter::default()).unwrap_err();
    assert_eq!(refused, Error::Graph(pleach_graph::Error::Dead(mesh)));
}
