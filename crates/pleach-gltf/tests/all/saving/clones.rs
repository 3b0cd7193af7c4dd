//! Clones of a file's nodes are saved with the extras and unknown extensions of the node.

use pleach::{Component, NodeId, Scene};
use pleach_gltf::{Document, Format, Options, WarningCode};

use crate::common_save::{assert_differences, errors, find, json_of, load, saved, text_of, value};

const FILE: &str = r#"{"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_lights_punctual",
    "KHR_node_visibility", "KHR_node_selectability", "VENDOR_tags", "VENDOR_links"],
  "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}},
  "scenes": [{"nodes": [0, 2]}], "nodes": [
    {"name": "lamp", "children": [1], "extras": {"price" : 12.50, "note":"\u00e9 [1]"}, "extensions":
      {"KHR_lights_punctual": {"light": 0}, "KHR_node_selectability": {"selectable":false},
       "VENDOR_tags": { "tags": ["a/b", 1.50e-1, -3, null] }}},
    {"name": "bulb", "extras": [1, 2.0], "extensions": {"VENDOR_links": {"node": 2},
       "KHR_node_visibility": {"visible": false}}},
    {"name": "post"}]}"#;

fn load_y_up(file: &str) -> Document {
    Options::new().keep_y_up().load_bytes(file.as_bytes()).unwrap()
}

/// Saves in both formats, checks the files, and returns the text and the codes of the warnings.
fn save(document: &Document) -> (String, Vec<WarningCode>) {
    for format in [Format::Gltf, Format::Glb] {
        let saved = document.save_bytes(format).unwrap();
        assert_eq!(errors(&saved), [""; 0], "{}", json_of(&saved.bytes));
    }
    let saved = saved(document);
    (text_of(&saved), saved.report.warnings().iter().map(|it| it.code).collect())
}

#[test]
fn a14_clones_keep_extras_and_unknown_extensions() {
    let mut document = load_y_up(FILE);
    assert_eq!(text_of(&saved(&document)), FILE, "nothing was edited");
    let scene = &mut document.scenes_mut()[0];
    scene.clone_subtree(find(scene, "lamp"), None).unwrap();
    let (text, warnings) = save(&document);
    assert_eq!(warnings, []);
    assert_differences(
        FILE,
        &text,
        &[
            r#"+/nodes/3 = {"children":[4],"extensions":{"KHR_lights_punctual":{"light":0},"KHR_node_selectability":{"selectable":false},"VENDOR_tags":{"tags":["a/b",0.15,-3,null]}},"extras":{"note":"é [1]","price":12.5},"name":"lamp"}"#,
            r#"+/nodes/4 = {"extensions":{"KHR_node_visibility":{"visible":false},"VENDOR_links":{"node":2}},"extras":[1,2.0],"name":"bulb"}"#,
            "/scenes/0/nodes = [0,2,3]",
        ],
    );
    // The text is that of the source, and everything else is unchanged.
    for part in
        [r#"{"price" : 12.50, "note":"\u00e9 [1]"}"#, r#"{ "tags": ["a/b", 1.50e-1, -3, null] }"#]
    {
        assert_eq!(text.matches(part).count(), 2, "{text}");
    }
    let nodes = &FILE[FILE.find("\n    {\"name\": \"lamp\"").unwrap()..FILE.rfind("]}").unwrap()];
    assert!(text.contains(nodes), "{text}");

    // Clones of clones, also of a saved and loaded file.
    let mut document = load_y_up(&text);
    let scene = &mut document.scenes_mut()[0];
    let clones = scene.clone_subtree(find(scene, "lamp"), None).unwrap();
    scene.clone_subtree(clones.root(), None).unwrap();
    let (text, _) = save(&document);
    assert_eq!(text.matches("12.50").count(), 4, "{text}");
}

#[test]
fn a14_clones_in_another_document_keep_what_has_no_indices() {
    let source = load_y_up(FILE);
    let other = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [
        {"name": "town", "extras": {"price": 1}}]}"#;
    let mut document = load_y_up(other);
    let lamps = &source.scenes()[0];
    let lamp = find(lamps, "lamp");
    document.scenes_mut()[0].clone_subtree_from(lamps, lamp, None).unwrap();
    drop(source);
    let saved = saved(&document);
    let text = text_of(&saved);
    assert_eq!(errors(&saved), [""; 0], "{text}");
    let [warning] = saved.report.warnings() else { panic!("{}", saved.report) };
    assert_eq!(warning.code, WarningCode::DroppedExtension);
    assert_eq!(warning.pointer, "/nodes/2/extensions/VENDOR_links");
    let written = value(&text);
    let of_source = value(FILE);
    for (node, source, member) in [
        (1, 0, "/extras"),
        (1, 0, "/extensions/VENDOR_tags"),
        (1, 0, "/extensions/KHR_node_selectability"),
        (2, 1, "/extras"),
        (2, 1, "/extensions/KHR_node_visibility"),
    ] {
        let (of_clone, of_source) =
            (written["nodes"][node].pointer(member), of_source["nodes"][source].pointer(member));
        assert!(of_clone.is_some() && of_clone == of_source, "{member} in {text}");
    }
    assert_eq!(written["nodes"][2].pointer("/extensions/VENDOR_links"), None);
    let used = written["extensionsUsed"].as_array().unwrap();
    assert!(used.contains(&"VENDOR_tags".into()) && !used.contains(&"VENDOR_links".into()));
    assert!(text.contains(r#"{"name": "town", "extras": {"price": 1}}"#), "{text}");
}

#[test]
fn a14_clones_of_extensions_with_indices_are_dropped_if_nodes_were_removed() {
    let mut document = load_y_up(FILE);
    let scene = &mut document.scenes_mut()[0];
    scene.clone_subtree(find(scene, "bulb"), None).unwrap();
    scene.remove(find(scene, "post")).unwrap();
    let (text, warnings) = save(&document);
    assert_eq!(warnings, [WarningCode::DroppedExtension]);
    assert_eq!(text.matches("VENDOR_links\": {").count(), 1, "only that of the file: {text}");
    assert_eq!(text.matches("[1, 2.0]").count(), 2, "{text}");
}

#[test]
fn scenes_out_of_their_document_keep_extras() {
    let scene = load(FILE).into_scene();
    let saved = pleach_gltf::save_bytes(&scene, Format::Gltf).unwrap();
    let text = text_of(&saved);
    assert_eq!(errors(&saved), [""; 0], "{text}");
    assert!(text.contains(r#"{"price" : 12.50, "note":"\u00e9 [1]"}"#), "{text}");
    let codes: Vec<_> = saved.report.warnings().iter().map(|it| it.code).collect();
    assert_eq!(codes, [WarningCode::DroppedExtension]);
}

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

#[test]
fn components_in_extras_are_not_duplicated_in_clones() {
    let file = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1, 2]}], "nodes": [
        {"name": "a", "extras": {"health": 5, "price": 1.50}}, {"name": "b", "extras": {"health": 6}},
        {"name": "c", "extras": [3]}]}"#;
    let options = || Options::new().keep_y_up();
    let clone_all = |scene: &mut Scene| {
        ["a", "b", "c"].map(|name| scene.clone_subtree(find(scene, name), None).unwrap().root())
    };
    let extras = |document: &Document, code: Option<WarningCode>| {
        let (text, warnings) = save(document);
        assert_eq!(warnings, Vec::from_iter(code), "{text}");
        assert!(text.contains(&file[file.find("{\"name").unwrap()..file.len() - 2]), "{text}");
        [3, 4, 5].map(|index| value(&text)["nodes"][index].get("extras").map(ToString::to_string))
    };
    let some = |text: &str| Some(text.to_string());

    let mut document = options().component::<Health>().load_bytes(file.as_bytes()).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let [a, b, _] = clone_all(scene);
    scene.get_mut::<Health>(a).unwrap().0 = 4;
    scene.remove_component::<Health>(b).unwrap();
    let expected = [some(r#"{"health":4,"price":1.5}"#), None, some("[3]")];
    assert_eq!(extras(&document, None), expected);
    let scene = &mut document.scenes_mut()[0];
    scene.remove_component::<Health>(a).unwrap();
    scene.insert(b, Health(7)).unwrap();
    let expected = [some(r#"{"price":1.5}"#), some(r#"{"health":7}"#), some("[3]")];
    assert_eq!(extras(&document, None), expected);

    // Without registration a component replaces what the extras have under its name.
    let mut document = options().load_bytes(file.as_bytes()).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let [a, _, c] = clone_all(scene);
    scene.insert(a, Health(1)).unwrap();
    scene.insert(c, Health(2)).unwrap();
    let expected = [some(r#"{"health":1,"price":1.5}"#), some(r#"{"health":6}"#), some("[3]")];
    assert_eq!(extras(&document, Some(WarningCode::DroppedComponent)), expected);
}
