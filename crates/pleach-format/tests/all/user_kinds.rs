//! Users' own kinds of components: written with serde, never lost silently.

use pleach::component::Component;
use pleach::{Node, NodeId, Scene};
use pleach_format::{ErrorKind, Options};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Health {
    points: u32,
    name: Option<String>,
    history: Vec<f32>,
}

impl Component for Health {
    const NAME: &'static str = "health";
}

/// Refers to another node, which stays the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Guards(NodeId);

impl Component for Guards {
    const NAME: &'static str = "guards";
}

fn scene() -> (Scene, [NodeId; 2]) {
    let mut scene = Scene::new();
    let chief = scene.spawn(Node::group()).unwrap();
    let health = Health { points: 3, name: Some("a".into()), history: vec![0.1, -0.0] };
    let guard = scene.spawn(Node::group().with(Guards(chief)).with(health)).unwrap();
    (scene, [chief, guard])
}

fn options() -> Options {
    Options::new().component::<Guards>().component::<Health>()
}

#[test]
fn own_components_are_restored_in_both_forms() {
    let (scene, [chief, guard]) = scene();
    let bytes = options().to_bytes(&scene, &[]).unwrap();
    let text = options().to_json(&scene, &[]).unwrap();
    for loaded in [options().from_bytes(&bytes), options().from_json(&text)] {
        let loaded = loaded.unwrap().scene;
        assert_eq!(loaded.get::<Guards>(guard), Some(&Guards(chief)));
        assert_eq!(loaded.get::<Health>(guard), scene.get::<Health>(guard));
        assert!(loaded.component_kinds().eq(scene.component_kinds()), "the order of kinds");
        assert_eq!(options().to_bytes(&loaded, &[]).unwrap(), bytes);
    }
}

#[test]
fn kinds_that_are_not_registered_are_errors_unless_skipped() {
    let (scene, [_, guard]) = scene();
    let partial = Options::new().component::<Health>();
    let error = partial.to_bytes(&scene, &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Component);
    assert!(error.to_string().contains("\"guards\""), "{error}");
    assert_eq!(partial.to_json(&scene, &[]).unwrap_err().kind(), ErrorKind::Component);

    let bytes = options().to_bytes(&scene, &[]).unwrap();
    let text = options().to_json(&scene, &[]).unwrap();
    let error = partial.from_bytes(&bytes).unwrap_err();
    assert!(error.offset().is_some() && error.to_string().contains("pleach-format 0.1"), "{error}");
    assert_eq!(partial.from_json(&text).unwrap_err().kind(), ErrorKind::Component);

    let skipping = partial.skip_component("guards");
    let loaded = skipping.from_bytes(&bytes).unwrap().scene;
    assert!(loaded.get::<Health>(guard).is_some() && loaded.get::<Guards>(guard).is_none());
    assert!(skipping.from_json(&text).is_ok() && skipping.to_bytes(&scene, &[]).is_ok());
}

/// The same name, but other fields.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OtherHealth(String);

impl Component for OtherHealth {
    const NAME: &'static str = "health";
}

#[test]
fn rows_of_another_type_are_errors() {
    let (scene, _) = scene();
    let options = options();
    let bytes = options.to_bytes(&scene, &[]).unwrap();
    let text = options.to_json(&scene, &[]).unwrap();
    let other = options.component::<OtherHealth>();
    assert!(other.from_bytes(&bytes).unwrap_err().offset().is_some());
    assert_eq!(other.from_json(&text).unwrap_err().kind(), ErrorKind::Component);
}

#[test]
fn registered_kinds_without_rows_are_registered_after_loading() {
    let mut scene = Scene::new();
    scene.register::<Health>();
    let bytes = options().to_bytes(&scene, &[]).unwrap();
    let loaded = options().from_bytes(&bytes).unwrap().scene;
    assert_eq!(loaded.component_kinds().last(), Some(("health", 0)));
    assert!(pleach_format::to_bytes(&scene).is_ok(), "nothing would be lost");
}
