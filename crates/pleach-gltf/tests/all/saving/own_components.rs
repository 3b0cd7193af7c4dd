//! Users' own components: saved in the extras of nodes, read back typed, other extras untouched.

use pleach::{Component, Node, NodeId, Scene};
use pleach_gltf::{Format, Options, Prune, WarningCode};
use serde_json::json;

#[derive(Clone, Debug, PartialEq)]
struct Health(u32);

impl Component for Health {
    const NAME: &'static str = "health";

    fn to_json(&self, _: &dyn Fn(NodeId) -> Option<usize>) -> Option<String> {
        Some(self.0.to_string())
    }

    fn from_json(json: &str, _: &dyn Fn(usize) -> Option<NodeId>) -> Result<Self, String> {
        serde_json::from_str(json).map(Health).map_err(|error| error.to_string())
    }
}

/// Refers to other nodes.
#[derive(Clone, Debug, PartialEq)]
struct Team {
    leader: NodeId,
    motto: String,
}

impl Component for Team {
    const NAME: &'static str = "team/1";

    fn to_json(&self, index_of: &dyn Fn(NodeId) -> Option<usize>) -> Option<String> {
        Some(json!({"leader": index_of(self.leader)?, "motto": self.motto}).to_string())
    }

    fn from_json(json: &str, node_at: &dyn Fn(usize) -> Option<NodeId>) -> Result<Self, String> {
        let value: serde_json::Value = serde_json::from_str(json).map_err(|it| it.to_string())?;
        let leader = value["leader"].as_u64().and_then(|index| node_at(index as usize));
        let leader = leader.ok_or("there is no such leader")?;
        Ok(Self { leader, motto: value["motto"].as_str().unwrap_or_default().into() })
    }
}

/// Is not saved.
#[derive(Clone)]
struct Selected;

impl Component for Selected {
    const NAME: &'static str = "selected";
}

fn options() -> Options {
    Options::new().component::<Health>().component::<Team>()
}

#[test]
fn components_of_a_scene_built_in_code_are_saved_and_read_back() {
    for format in [Format::Gltf, Format::Glb] {
        let mut scene = Scene::new();
        let member = scene.spawn(Node::group().named("member").with(Health(7))).unwrap();
        let camp = Node::group().named("camp").child(Node::group().named("leader"));
        let [_, leader] = scene.spawn_tree(camp.with(Selected)).unwrap()[..] else { panic!() };
        let motto = "\"together\" / ~".to_string();
        scene.insert(member, Team { leader, motto: motto.clone() }).unwrap();
        scene.insert(scene.root(), Health(100)).unwrap();

        let saved = pleach_gltf::save_bytes(&scene, format).unwrap();
        assert!(saved.report.is_empty(), "{}", saved.report);
        assert!(!String::from_utf8_lossy(&saved.bytes).contains("selected"));
        let document = options().strict().load_bytes(&saved.bytes).unwrap();
        assert!(document.report().is_empty(), "{}", document.report());
        let loaded = document.scene().unwrap();
        let find = |name| loaded.find(name).unwrap();
        assert_eq!(loaded.get::<Health>(find("member")), Some(&Health(7)));
        assert_eq!(loaded.get(find("member")), Some(&Team { leader: find("leader"), motto }));
        assert_eq!(loaded.table::<Health>().len(), 2, "also that of the root");
        assert_eq!(loaded.table::<Team>().len(), 1);

        // Without registration they stay in the file.
        let plain = pleach_gltf::load_bytes(&saved.bytes).unwrap();
        assert!(plain.scene().unwrap().table::<Health>().is_empty());
        let again = plain.save_bytes(format).unwrap();
        assert_eq!(again.bytes, saved.bytes);
        let unedited = document.save_bytes(format).unwrap();
        assert_eq!(unedited.bytes, saved.bytes, "nothing was edited");
    }
}

const FILE: &str = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}], "nodes": [
    {"name": "a", "extras": {"price": 12.50, "health" :  5, "team/1": {"motto": "", "leader": 1}}},
    {"name": "b", "extras": {"health": 1e0 }},
    {"name": "c", "extras": [1, 2]}]}"#;

fn text(document: &pleach_gltf::Document) -> String {
    String::from_utf8(document.save_bytes(Format::Gltf).unwrap().bytes).unwrap()
}

#[test]
fn only_edited_components_are_rewritten() {
    let load = || options().load_bytes(FILE.replace("1e0", "1").as_bytes()).unwrap();
    let file = FILE.replace("1e0", "1");
    let mut document = load();
    assert_eq!(text(&document), file);
    let [a, b] = [0, 1].map(|index| document.node(0, index).unwrap());
    let scene = &mut document.scenes_mut()[0];
    scene.get_mut::<Health>(a).unwrap().0 = 4;
    assert_eq!(text(&document), file.replace(":  5", ":  4"));

    let scene = &mut document.scenes_mut()[0];
    scene.remove_component::<Team>(a).unwrap();
    scene.remove_component::<Health>(b).unwrap();
    let expected =
        file.replace(":  5", ":  4").replace(r#", "team/1": {"motto": "", "leader": 1}"#, "");
    assert_eq!(text(&document), expected.replace(r#", "extras": {"health": 1 }"#, ""));

    // References follow nodes that get another index.
    let mut document = load();
    let (a, b) = (document.node(0, 0).unwrap(), document.node(0, 1).unwrap());
    let scene = &mut document.scenes_mut()[0];
    scene.insert(b, Team { leader: b, motto: "b".into() }).unwrap();
    scene.remove(a).unwrap();
    let again = options().load_bytes(text(&document).as_bytes()).unwrap();
    let b = again.node(0, 0).unwrap();
    assert_eq!(again.scenes()[0].get(b), Some(&Team { leader: b, motto: "b".into() }));
}

#[test]
fn components_that_cannot_be_read_stay_in_the_file_with_a_warning() {
    for (from, to) in [(":  5", ":  -5"), (":  5", ":  \"five\""), ("1e0", "null")] {
        let file = FILE.replace(from, to).replace("1e0", "1");
        let document = options().load_bytes(file.as_bytes()).unwrap();
        let warnings = document.report().warnings();
        assert_eq!(warnings.len(), 1, "{}", document.report());
        assert_eq!(warnings[0].code, WarningCode::InvalidComponent);
        assert!(warnings[0].pointer.ends_with("/extras/health"), "{}", warnings[0].pointer);
        assert_eq!(text(&document), file);
        assert!(options().strict().load_bytes(file.as_bytes()).is_err());
    }
    let file = FILE.replace("1e0", "1").replace("\"leader\": 1", "\"leader\": 7");
    let document = options().load_bytes(file.as_bytes()).unwrap();
    assert_eq!(document.report().warnings()[0].pointer, "/nodes/0/extras/team~11");
    assert_eq!(text(&document), file);
}

#[test]
fn components_that_cannot_be_written_are_reported() {
    #[derive(Clone)]
    struct Broken;
    impl Component for Broken {
        const NAME: &'static str = "broken";
        fn to_json(&self, _: &dyn Fn(NodeId) -> Option<usize>) -> Option<String> {
            Some("{".into())
        }
    }
    let mut document = options().load_bytes(FILE.replace("1e0", "1").as_bytes()).unwrap();
    let before = text(&document);
    let c = document.unreferenced_nodes().unwrap().find("c").unwrap();
    let b = document.node(0, 1).unwrap();
    document.unreferenced_nodes_mut().unwrap().insert(c, Health(1)).unwrap();
    document.scenes_mut()[0].insert(b, Broken).unwrap();
    let saved = document.save_bytes(Format::Gltf).unwrap();
    let codes: Vec<_> = saved.report.warnings().iter().map(|it| it.code).collect();
    assert_eq!(codes, [WarningCode::DroppedComponent; 2], "{}", saved.report);
    assert_eq!(String::from_utf8(saved.bytes).unwrap(), before, "extras of other kinds are kept");
}

#[test]
fn pruned_documents_keep_their_components() {
    let file = FILE.replace("1e0", "1").replace("\"nodes\":", "\"materials\": [{}], \"nodes\":");
    let document = options().load_bytes(file.as_bytes()).unwrap();
    let (document, report) = Prune::new().run(document).unwrap();
    assert!(!report.is_empty());
    let a = document.node(0, 0).unwrap();
    assert_eq!(document.scenes()[0].get::<Health>(a), Some(&Health(5)));
}

#[test]
fn shared_nodes_with_different_components_are_written_separately() {
    let file = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}, {"nodes": [0]}],
        "nodes": [{"extras": {"health": 5}}]}"#;
    let mut document = options().load_bytes(file.as_bytes()).unwrap();
    assert_eq!(text(&document), file);
    let node = document.node(1, 0).unwrap();
    document.scenes_mut()[1].get_mut::<Health>(node).unwrap().0 = 6;
    let again = options().load_bytes(text(&document).as_bytes()).unwrap();
    for (scene, health) in again.scenes().iter().zip([5, 6]) {
        assert!(scene.table::<Health>().iter(&scene.graph).map(|(_, it)| it.0).eq([health]));
    }
}
