//! Merges: edits of both sides that do not touch each other are merged, others are conflicts.

use pleach_gltf::Options;
use pleach_gltf::patch::{Conflict, ConflictKind, Merged, merge};
use serde_json::{Value, json};

use super::Model;
use super::content::content;
use crate::common_save::{AccessorBuilder, Files, value};

/// A house with a mesh, a material and an animation.
fn house() -> Model {
    let mut columns = AccessorBuilder::default();
    columns.floats(
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        "VEC3",
        r#", "min": [0, 0, 0], "max": [1, 1, 0]"#,
    );
    columns.floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0], "VEC3", "");
    columns.floats(&[0.0, 1.0], "SCALAR", r#", "min": [0], "max": [1]"#);
    columns.floats(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], "VEC3", "");
    let json = json!({
        "asset": {"version": "2.0", "generator": "one"}, "scene": 0, "scenes": [{"nodes": [0, 4]}],
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}},
        "nodes": [
            {"name": "house", "children": [1, 2]},
            {"name": "door", "translation": [1, 0, 0], "mesh": 0},
            {"name": "roof", "children": [3], "extras": {"tiles": 12}},
            {"name": "chimney", "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "garden"}
        ],
        "meshes": [{"name": "panel", "primitives": [{
            "attributes": {"POSITION": 0, "NORMAL": 1}, "material": 0}]}],
        "materials": [{"name": "oak", "alphaCutoff": 0.5}, {"name": "pine"}],
        "animations": [{"name": "open", "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "translation"}}],
            "samplers": [{"input": 2, "output": 3}]}],
        "accessors": value(&format!("[{}]", columns.accessors)),
        "bufferViews": value(&format!("[{}]", columns.views)),
        "buffers": [{"uri": "all.bin", "byteLength": columns.bytes.len()}]
    });
    let files = Files::from([("all.bin".into(), columns.bytes.into())]);
    Model { json, files }
}

type Edit = fn(&mut Model);

fn with(edits: &[Edit]) -> Model {
    let mut model = house();
    edits.iter().for_each(|edit| edit(&mut model));
    model
}

#[track_caller]
fn merged(base: &Model, ours: &Model, theirs: &Model) -> Value {
    let result = merge(Some(&base.load()), &ours.load(), &theirs.load(), &Options::new());
    match result.unwrap() {
        Merged::Document(document) => content(&document),
        Merged::Conflicts(conflicts) => panic!("{conflicts:#?}"),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn conflicts(ours: &[Edit], theirs: &[Edit]) -> Vec<Conflict> {
    let (base, ours, theirs) = (house().load(), with(ours).load(), with(theirs).load());
    let result = merge(Some(&base), &ours, &theirs, &Options::new());
    match result.unwrap() {
        Merged::Conflicts(conflicts) => conflicts,
        other => panic!("{other:?}"),
    }
}

/// The kind, path and property of each conflict.
#[track_caller]
fn assert_conflicts(ours: &[Edit], theirs: &[Edit], expected: &[(ConflictKind, &str, &str)]) {
    // Which side is which does not matter.
    for (ours, theirs) in [(ours, theirs), (theirs, ours)] {
        let conflicts = conflicts(ours, theirs);
        let got = conflicts.iter().map(|it| (it.kind, &*it.path, &*it.property));
        assert_eq!(got.collect::<Vec<_>>(), expected, "{conflicts:#?}");
    }
}

fn push(json: &mut Value, pointer: &str, value: Value) {
    json.pointer_mut(pointer).unwrap().as_array_mut().unwrap().push(value);
}

const MOVE_DOOR: Edit = |it| it.json["nodes"][1]["translation"] = json!([2, 0, 0]);
const RENAME_DOOR: Edit = |it| it.json["nodes"][1]["name"] = json!("gate");
const ADD_WINDOW: Edit = |it| {
    let new = it.json["nodes"].as_array().unwrap().len();
    push(&mut it.json, "/nodes", json!({"name": "window"}));
    push(&mut it.json, "/nodes/0/children", json!(new));
};
const ADD_POND: Edit = |it| {
    let new = it.json["nodes"].as_array().unwrap().len();
    push(&mut it.json, "/nodes", json!({"name": "pond", "extras": {"fish": 2}}));
    push(&mut it.json, "/scenes/0/nodes", json!(new));
};
const ADD_CAMERA: Edit = |it| {
    let view = json!({"yfov": 1, "znear": 0.1});
    it.json["cameras"] = json!([{"type": "perspective", "perspective": view}]);
    it.json["nodes"][4]["camera"] = json!(0);
};
const PRICE: Edit = |it| it.json["nodes"][2]["extras"]["price"] = json!(3);
const TILES: Edit = |it| it.json["nodes"][2]["extras"]["tiles"] = json!(13);
const PAINT: Edit = |it| it.json["materials"][0]["alphaCutoff"] = json!(0.25);
const USE_PINE: Edit = |it| it.json["meshes"][0]["primitives"][0]["material"] = json!(1);
const VARIANTS: Edit = |it| push(&mut it.json, "/extensionsUsed", json!("KHR_materials_unlit"));
const SHEEN: Edit = |it| push(&mut it.json, "/extensionsUsed", json!("KHR_materials_sheen"));
const BEND: Edit = |it| edit_bytes(it, 8);
const TURN_NORMAL: Edit = |it| edit_bytes(it, 36);
const SLOW: Edit = |it| edit_bytes(it, 36 + 36 + 8);
/// The last node, so that no other index changes.
const REMOVE_GARDEN: Edit = |it| {
    it.json["nodes"].as_array_mut().unwrap().pop();
    it.json["scenes"][0]["nodes"] = json!([0]);
};
const MOVE_GARDEN: Edit = |it| it.json["nodes"][4]["translation"] = json!([0, 0, 9]);
const CHIMNEY_TO_HOUSE: Edit = |it| {
    it.json["nodes"][2].as_object_mut().unwrap().remove("children");
    push(&mut it.json, "/nodes/0/children", json!(3));
};
const CHIMNEY_TO_GARDEN: Edit = |it| {
    it.json["nodes"][2].as_object_mut().unwrap().remove("children");
    it.json["nodes"][4]["children"] = json!([3]);
};
const GARDEN_TO_HOUSE: Edit = |it| {
    it.json["nodes"][0]["children"] = json!([1, 2, 4]);
    it.json["scenes"][0]["nodes"] = json!([0]);
};
const HOUSE_TO_GARDEN: Edit = |it| {
    it.json["nodes"][4]["children"] = json!([0]);
    it.json["scenes"][0]["nodes"] = json!([4]);
};

/// Changes the least significant bits of the number at `at`.
fn edit_bytes(model: &mut Model, at: usize) {
    let mut bytes = model.files["all.bin"].to_vec();
    bytes[at] ^= 3;
    model.files.insert("all.bin".into(), bytes.into());
}

#[test]
fn edits_that_do_not_touch_each_other_are_merged() {
    let edits: [(&str, Edit); 13] = [
        ("move the door", MOVE_DOOR),
        ("rename the door", RENAME_DOOR),
        ("add a window", ADD_WINDOW),
        ("add a pond", ADD_POND),
        ("add a camera", ADD_CAMERA),
        ("price", PRICE),
        ("tiles", TILES),
        ("paint", PAINT),
        ("use pine", USE_PINE),
        ("variants", VARIANTS),
        ("bend", BEND),
        ("slow", SLOW),
        ("chimney", CHIMNEY_TO_HOUSE),
    ];
    let base = house();
    for (number, (name, one)) in edits.iter().enumerate() {
        for (other_name, other) in &edits[number + 1..] {
            let what = format!("{name}, {other_name}");
            let expected = content(&with(&[*one, *other]).load());
            let (ours, theirs) = (with(&[*one]), with(&[*other]));
            assert_eq!(merged(&base, &ours, &theirs), expected, "{what}");
            // Additions of the other side come last.
            let expected = content(&with(&[*other, *one]).load());
            assert_eq!(merged(&base, &theirs, &ours), expected, "{what}, exchanged");
        }
    }
}

#[test]
fn many_edits_of_both_sides_are_merged() {
    let ours: [Edit; 4] = [MOVE_DOOR, ADD_WINDOW, PRICE, PAINT];
    let theirs: [Edit; 4] = [RENAME_DOOR, ADD_POND, TILES, SLOW];
    let expected = content(&with(&[ours, theirs].concat()).load());
    assert_eq!(merged(&house(), &with(&ours), &with(&theirs)), expected);
}

#[test]
fn used_extensions_of_both_sides_are_merged() {
    let expected = content(&with(&[VARIANTS, SHEEN]).load());
    assert_eq!(merged(&house(), &with(&[VARIANTS]), &with(&[SHEEN])), expected);
}

#[test]
fn equal_additions_of_both_sides_are_merged_into_one() {
    let expected = content(&with(&[ADD_WINDOW, MOVE_DOOR, PAINT]).load());
    let (ours, theirs) = (with(&[ADD_WINDOW, MOVE_DOOR]), with(&[ADD_WINDOW, PAINT]));
    assert_eq!(merged(&house(), &ours, &theirs), expected);
}

#[test]
fn the_merge_with_an_unchanged_side_is_the_other() {
    let (base, other) = (house(), with(&[MOVE_DOOR, ADD_POND, BEND]));
    let expected = content(&other.load());
    assert_eq!(merged(&base, &other, &base), expected);
    assert_eq!(merged(&base, &base, &other), expected);
    assert_eq!(merged(&base, &other, &other), expected);
}

#[test]
fn different_values_of_one_property_are_a_conflict() {
    let other: Edit = |it| it.json["nodes"][1]["translation"] = json!([3, 0, 0]);
    let conflicts = conflicts(&[MOVE_DOOR, PAINT], &[other, PRICE]);
    let [conflict] = &conflicts[..] else { panic!("{conflicts:#?}") };
    assert_eq!((conflict.kind, conflict.index), (ConflictKind::Changed, Some(1)));
    assert_eq!((&*conflict.path, &*conflict.property), ("house/door", "translation"));
    let values = [&conflict.base, &conflict.ours, &conflict.theirs].map(|it| it.as_deref());
    assert_eq!(values, [Some("[1,0,0]"), Some("[2,0,0]"), Some("[3,0,0]")]);
}

#[test]
fn a_change_of_what_the_other_side_removed_is_a_conflict() {
    assert_conflicts(&[REMOVE_GARDEN], &[MOVE_GARDEN], &[(ConflictKind::Removed, "garden", "")]);
    // A new child changes its parent.
    let add_child: Edit = |it| {
        push(&mut it.json, "/nodes", json!({"name": "bench"}));
        it.json["nodes"][4]["children"] = json!([5]);
    };
    assert_conflicts(&[REMOVE_GARDEN], &[add_child], &[(ConflictKind::Removed, "garden", "")]);
    let animate: Edit = |it| {
        let target = json!({"node": 4, "path": "scale"});
        push(&mut it.json, "/animations/0/channels", json!({"sampler": 0, "target": target}));
    };
    assert_conflicts(&[REMOVE_GARDEN], &[animate], &[(ConflictKind::Reference, "open", "")]);
}

#[test]
fn contradicting_parents_are_a_conflict() {
    let chimney = "house/roof/chimney";
    assert_conflicts(
        &[CHIMNEY_TO_HOUSE],
        &[CHIMNEY_TO_GARDEN],
        &[(ConflictKind::Parent, chimney, "parent")],
    );
    assert_conflicts(
        &[GARDEN_TO_HOUSE],
        &[HOUSE_TO_GARDEN],
        &[(ConflictKind::Parent, "house", "parent"), (ConflictKind::Parent, "garden", "parent")],
    );
}

#[test]
fn contradicting_orders_are_a_conflict() {
    let add_two: Edit = |it| {
        ADD_WINDOW(it);
        it.json["nodes"][0]["children"] = json!([1, 2, 5]);
    };
    let order = |order: [u64; 3]| {
        let mut model = with(&[add_two]);
        model.json["nodes"][0]["children"] = json!(order);
        model.load()
    };
    let base = order([1, 2, 5]);
    let result = merge(Some(&base), &order([2, 1, 5]), &order([1, 5, 2]), &Options::new());
    let Merged::Conflicts(conflicts) = result.unwrap() else { panic!() };
    assert_eq!((conflicts[0].kind, conflicts.len()), (ConflictKind::Order, 1));
    assert_eq!((&*conflicts[0].path, &*conflicts[0].property), ("house", "children"));
}

/// Positions of one side with normals of the other would fit together only by chance.
#[test]
fn data_that_belong_together_are_not_mixed() {
    let conflicts = conflicts(&[BEND], &[TURN_NORMAL]);
    let found = conflicts.iter().find(|it| it.path == "panel").unwrap();
    assert_eq!((found.kind, &*found.property), (ConflictKind::Data, "primitives/0"));
}

#[test]
fn a_matrix_and_a_translation_are_a_conflict() {
    let matrix: Edit = |it| {
        it.json["nodes"][4]["matrix"] = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1]);
    };
    assert_conflicts(&[matrix], &[MOVE_GARDEN], &[(ConflictKind::Data, "garden", "matrix")]);
}

#[test]
fn arrays_that_become_empty_are_removed() {
    let base: Edit = |it| {
        it.json["samplers"] = json!([{"wrapS": 33071}, {"wrapT": 33071}]);
    };
    let side = |left: usize| {
        let mut model = with(&[base]);
        model.json["samplers"].as_array_mut().unwrap().remove(1 - left);
        model
    };
    let merged = merged(&with(&[base]), &side(0), &side(1));
    assert_eq!(merged.get("samplers"), None);
}

#[test]
fn an_asset_that_one_side_removed_and_the_other_uses_is_kept() {
    let remove_pine: Edit = |it| {
        it.json["materials"].as_array_mut().unwrap().pop();
    };
    let expected = content(&with(&[USE_PINE]).load());
    assert_eq!(merged(&house(), &with(&[remove_pine]), &with(&[USE_PINE])), expected);
}

#[test]
fn the_generator_is_ours() {
    let write = |name: &str| {
        let mut model = house();
        model.json["asset"]["generator"] = json!(name);
        model
    };
    let merged = merged(&house(), &write("two"), &write("three"));
    assert_eq!(merged["asset"]["generator"], "two");
}

#[test]
fn the_files_of_buffers_are_ours() {
    let rename = |name: &str, edit: Edit| {
        let mut model = with(&[edit]);
        model.json["buffers"][0]["uri"] = json!(name);
        let bytes = model.files.remove("all.bin").unwrap();
        model.files.insert(name.into(), bytes);
        model
    };
    let expected = content(&rename("ours.bin", |it| (BEND(it), PAINT(it)).0).load());
    let (ours, theirs) = (rename("ours.bin", BEND), rename("theirs.bin", PAINT));
    assert_eq!(merged(&house(), &ours, &theirs), expected);
}

#[test]
fn files_without_a_common_base_are_merged() {
    let lone = |name: &str| {
        Model::new(json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
            "nodes": [{"name": name}]}))
        .load()
    };
    let result = merge(None, &lone("a"), &lone("b"), &Options::new()).unwrap();
    let Merged::Document(merged) = result else { panic!() };
    assert_eq!((merged.scenes().len(), merged.raw("/nodes/1/name")), (2, Some("\"b\"")));
    let result = merge(None, &lone("a"), &lone("a"), &Options::new()).unwrap();
    assert!(matches!(result, Merged::Document(_)));
}

#[test]
fn indices_that_an_unknown_extension_may_refer_to_are_not_changed() {
    let link: Edit = |it| {
        it.json["nodes"][0]["extensions"] = json!({"VENDOR_link": {"node": 4}});
        push(&mut it.json, "/extensionsUsed", json!("VENDOR_link"));
    };
    let base = with(&[link]);
    let side = |edit: Edit| with(&[link, edit]);
    let expected = content(&with(&[link, MOVE_DOOR, ADD_POND]).load());
    assert_eq!(merged(&base, &side(MOVE_DOOR), &side(ADD_POND)), expected);
    let (ours, theirs) = (side(ADD_WINDOW).load(), side(ADD_POND).load());
    let error = merge(Some(&base.load()), &ours, &theirs, &Options::new()).unwrap_err();
    assert!(error.to_string().contains("VENDOR_link"), "{error}");
}
