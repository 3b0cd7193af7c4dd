//! Saving what was loaded: nothing changes but what was edited, and that in its place.

mod common_save;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use common_save::{
    Dice, Files, Place, again, assert_differences, assert_same_scene, check_file, check_writing,
    chunks_of, describe, differences, faults, glb_of, json_of, load, load_with, load_yard, opened,
    saved, text_of, value, with, yard,
};
use pleach::animation::{Binding, Channel, Clip, Interpolation};
use pleach::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{
    Camera, ClipSpace, Constraint, Environment, Image, Instances, Level, Light, Lod, Material,
    Mesh, Mode, MorphTarget, Node, NodeId, Part, Projection, Scene, Skin, Transform,
};
use pleach_gltf::{Bytes, Document, ErrorKind, Form, Options, Saved, load_bytes};

const FORMS: [Form; 2] = [Form::Gltf, Form::Glb];

// ---- What every save must be ----

/// Saves, checks the file, loads it, compares the scenes, and saves that again; the text.
#[track_caller]
fn checked(document: &mut Document, what: &str) -> String {
    let written = FORMS.map(|form| {
        let saved = document.save_bytes(form).unwrap_or_else(|fault| panic!("{what}: {fault}"));
        let faults = faults(&saved);
        let json = json_of(&saved.bytes);
        assert!(faults.is_empty(), "{what}: {}\nin\n{json}", faults.join("\n"));
        let back = again(&saved);
        assert_eq!(back.scenes().len(), document.scenes().len());
        for (one, other) in document.scenes().iter().zip(back.scenes()) {
            assert_same_scene(one, other, what);
        }
        // One that is saved without an edit is what it was.
        let twice = back.save_bytes(form).unwrap();
        assert!(twice.bytes == saved.bytes, "{what}: {form:?} differs when saved once more");
        let files = |saved: &Saved| -> BTreeMap<String, Vec<u8>> {
            saved.files.iter().map(|it| (it.0.clone(), it.1.to_vec())).collect()
        };
        assert!(files(&twice) == files(&saved), "{what}: {form:?} has other files then");
        saved
    });
    text_of(&written[0])
}

/// The yard's text, and what it is after an edit.
#[track_caller]
fn yard_after(edit: impl FnOnce(&mut Document)) -> (String, String) {
    let (before, mut document) = load_yard();
    edit(&mut document);
    (before, checked(&mut document, "the yard"))
}

/// The same for an edit of the scene, where nodes are found by name.
#[track_caller]
fn scene_after(edit: impl FnOnce(&mut Scene)) -> (String, String) {
    yard_after(|document| edit(&mut document.scenes_mut()[0]))
}

fn find(scene: &Scene, name: &str) -> NodeId {
    scene.graph.find(name).unwrap_or_else(|| panic!("no {name}"))
}

/// The new accessor's text is that of one in a new file `buffer.bin`.
fn accessor(number: usize, component: u32, count: usize, kind: &str, bounds: &str) -> String {
    format!(
        "+/accessors/{number} = {{\"bufferView\":{number},\"componentType\":{component},\
         \"count\":{count},{bounds}\"type\":\"{kind}\"}}"
    )
}

// ---- Nothing edited ----

#[test]
fn a_file_that_was_not_edited_is_the_same_byte_for_byte() {
    for (path, document) in opened() {
        let bytes = fs::read(&path).unwrap();
        let form = if bytes.starts_with(b"glTF") { Form::Glb } else { Form::Gltf };
        let saved = document.save_bytes(form).unwrap();
        assert!(saved.bytes == bytes, "{}", path.display());
        for (name, content) in &saved.files {
            let there = fs::read(path.parent().unwrap().join(name)).unwrap();
            assert!(**content == there, "{} beside {}", name, path.display());
        }
        assert!(saved.report.is_empty(), "{}: {}", path.display(), saved.report);
    }
    let (text, document) = load_yard();
    assert_eq!(text_of(&saved(&document)), text);
}

#[test]
fn the_other_form_differs_in_where_bytes_are_and_nowhere_else() {
    let check = |document: &Document, text: &str, what: &str| {
        for form in FORMS {
            let saved = document.save_bytes(form).unwrap();
            check_file(&saved);
            let json = json_of(&saved.bytes);
            let others: Vec<String> = differences(text, &json)
                .into_iter()
                .filter(|it| {
                    let at = it.trim_start_matches(['+', '-']);
                    !["/buffers", "/bufferViews", "/images"].iter().any(|it| at.starts_with(it))
                })
                .collect();
            assert_eq!(others, [""; 0], "{what}");
            check_writing(text, &json);
            // What is known of images is still known.
            let (old, new) = (value(text), value(&json));
            let images = |json: &serde_json::Value| json["images"].as_array().map(Vec::len);
            assert_eq!(images(&old), images(&new));
        }
    };
    for (path, document) in opened() {
        let text = json_of(&fs::read(&path).unwrap());
        check(&document, &text, &path.display().to_string());
    }
    let (text, document) = load_yard();
    check(&document, &text, "the yard");
}

#[test]
fn saved_loaded_and_saved_again_is_the_same_in_both_forms() {
    for (path, mut document) in opened() {
        checked(&mut document, &path.display().to_string());
    }
}

#[test]
fn there_and_back_again_through_the_other_form() {
    for (path, document) in opened() {
        let what = path.display();
        let bytes = fs::read(&path).unwrap();
        if bytes.starts_with(b"glTF") {
            let there = document.save_bytes(Form::Gltf).unwrap();
            let back = again(&there).save_bytes(Form::Glb).unwrap();
            assert_eq!(differences(&json_of(&bytes), &json_of(&back.bytes)), [""; 0], "{what}");
            assert!(back.bytes == bytes, "{what}");
        } else {
            // Buffers become one, so it is the second .glb that equals the first.
            let glb = document.save_bytes(Form::Glb).unwrap();
            let gltf = again(&glb).save_bytes(Form::Gltf).unwrap();
            let back = again(&gltf).save_bytes(Form::Glb).unwrap();
            assert!(back.bytes == glb.bytes, "{what}");
        }
    }
}

#[test]
fn models_on_disk_come_with_their_files_and_nothing_else() {
    for (path, document) in opened() {
        let what = path.display();
        let place = Place::new("disk");
        for (extension, form) in [("gltf", Form::Gltf), ("glb", Form::Glb)] {
            let target = place.path.join(extension).join(format!("m ö#%.{extension}"));
            let report = document.save(&target).unwrap();
            assert!(report.is_empty(), "{what}: {report}");
            let first = place.files();
            let back = pleach_gltf::load(&target).unwrap();
            for (one, other) in document.scenes().iter().zip(back.scenes()) {
                assert_same_scene(one, other, &what.to_string());
            }
            // Over itself.
            back.save(&target).unwrap();
            assert!(place.files() == first, "{what}");
            let saved = document.save_bytes(form).unwrap();
            let here = |it: &&String| it.starts_with(extension);
            assert_eq!(first.keys().filter(here).count(), 1 + saved.files.len(), "{what}");
        }
    }
}

#[test]
fn a_glb_becomes_a_gltf_with_a_bin_of_its_own_name() {
    let (_, document) = load_yard();
    let glb = load_bytes(&document.save_bytes(Form::Glb).unwrap().bytes).unwrap();
    let place = Place::new("names");
    glb.save(place.path.join("deep/a b#c%é.gltf")).unwrap();
    assert_eq!(place.names(), ["deep/a b#c%é.bin", "deep/a b#c%é.gltf"]);
    let back = pleach_gltf::load(place.path.join("deep/a b#c%é.gltf")).unwrap();
    assert_eq!(describe(&back.scenes()[0]), describe(&document.scenes()[0]));
    let uri = value(back.json())["buffers"][0]["uri"].clone();
    assert!(!uri.as_str().unwrap().contains(['#', ' ']), "{uri}");
}

#[test]
fn names_of_files_that_load_can_be_saved() {
    for (uri, name) in [
        ("data.bin", "data.bin"),
        ("./data.bin", "data.bin"),
        ("sub/../data.bin", "data.bin"),
        ("sub/data.bin", "sub/data.bin"),
        ("a%20b%23%25.bin", "a b#%.bin"),
        ("ü%C3%BC.bin", "üü.bin"),
    ] {
        let text = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":3,"uri":"{uri}"}}]}}"#
        );
        let place = Place::new("uris");
        fs::create_dir_all(place.path.join("in/sub")).unwrap();
        fs::write(place.path.join("in").join(name), [1, 2, 3]).unwrap();
        fs::write(place.path.join("in/m.gltf"), &text).unwrap();
        let document = pleach_gltf::load(place.path.join("in/m.gltf")).unwrap();
        document.save(place.path.join("out/m.gltf")).unwrap();
        let files = place.files();
        assert_eq!(files["out/m.gltf"], text.as_bytes());
        let back = pleach_gltf::load(place.path.join("out/m.gltf")).unwrap();
        assert_eq!(back.json(), text);
        assert_eq!(files.get(&format!("out/{name}")), Some(&vec![1, 2, 3]), "{uri}");
    }
}

#[test]
fn what_a_bin_has_after_its_buffer_is_kept() {
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":3,"uri":"data.bin"}]}"#;
    let place = Place::new("tail");
    fs::write(place.path.join("data.bin"), [1, 2, 3, 4, 5]).unwrap();
    fs::write(place.path.join("m.gltf"), text).unwrap();
    let document = pleach_gltf::load(place.path.join("m.gltf")).unwrap();
    document.save(place.path.join("m.gltf")).unwrap();
    assert_eq!(place.files()["data.bin"], [1, 2, 3, 4, 5]);
}

#[test]
fn chunks_of_a_glb_are_kept() {
    let padded = |text: &str| {
        let mut json = text.as_bytes().to_vec();
        json.resize(json.len().next_multiple_of(4) + 8, b' ');
        json
    };
    let plain = padded("{\"asset\":{\"version\":\"2.0\"}}\n");
    let data = padded(
        r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":1,"uri":"data:;base64,AA=="}]}"#,
    );
    let short = padded(r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":2}]}"#);
    let files = [
        ("plain", glb_of(&[(b"JSON", &plain)])),
        ("unknown", glb_of(&[(b"JSON", &plain), (b"ODD!", &[1; 8]), (b"odd?", &[])])),
        ("bytes no buffer uses", glb_of(&[(b"JSON", &plain), (b"BIN\0", &[1, 2, 3, 4])])),
        ("no bytes", glb_of(&[(b"JSON", &plain), (b"BIN\0", &[])])),
        ("a data URI beside", glb_of(&[(b"JSON", &data), (b"BIN\0", &[1, 2, 3, 4])])),
        (
            "bytes after the buffer",
            glb_of(&[(b"JSON", &short), (b"BIN\0", &[1, 2, 3, 4, 5, 6, 7, 8])]),
        ),
        ("all", glb_of(&[(b"JSON", &short), (b"BIN\0", &[9; 4]), (b"ODD!", &[1; 8])])),
    ];
    for (what, file) in &files {
        let document = load_bytes(file).unwrap();
        let saved = document.save_bytes(Form::Glb).unwrap();
        assert_eq!(chunks_of(&saved.bytes), chunks_of(file), "{what}");
        assert_eq!(saved.bytes, *file, "{what}");
    }
    // They survive an edit, too.
    let json = padded(r#"{"asset":{"version":"2.0"},"nodes":[{}],"scenes":[{"nodes":[0]}]}"#);
    let file = glb_of(&[(b"JSON", &json), (b"ODD!", &[1; 8])]);
    let mut document = load_bytes(&file).unwrap();
    let node = document.node(0, 0).unwrap();
    document.scenes_mut()[0].node_mut(node).unwrap().set_name("x");
    let chunks = chunks_of(&document.save_bytes(Form::Glb).unwrap().bytes);
    assert_eq!(chunks[1], (u32::from_le_bytes(*b"ODD!"), vec![1; 8]));
}

#[test]
fn white_space_of_all_sorts_stays() {
    let plain = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0,1]}],"nodes":[{"name":"a","x":[1,{}]},{"name":"b","extensions":{}}],"extras":{"u":1}}"#;
    let styles: [&dyn Fn(char) -> String; 6] = [
        &|it| it.to_string(),
        &|it| format!("{it}\n"),
        &|it| format!("\r\n\t{it} \r\n"),
        &|it| if it == ',' { ",\n    ".into() } else { it.to_string() },
        &|it| if it == ':' { " :\t".into() } else { it.to_string() },
        &|it| format!(" {it} "),
    ];
    for style in styles {
        let mut text = String::from(" \n");
        for it in plain.chars() {
            if "{}[],:".contains(it) { text += &style(it) } else { text.push(it) }
        }
        text += "\n\t ";
        let mut document = load(&text);
        assert_eq!(text_of(&saved(&document)), text);
        // A name changes, and nothing else but the blanks before commas of the same list.
        let node = document.node(0, 0).unwrap();
        document.scenes_mut()[0].node_mut(node).unwrap().set_name("other");
        let found = checked(&mut document, "white space");
        let close = |text: &str| {
            let pieces: Vec<&str> = text.split(',').map(str::trim_ascii_end).collect();
            let end = &text[text.trim_ascii_end().len()..];
            pieces.join(",") + end
        };
        assert_eq!(close(&found), close(&text.replace("\"a\"", "\"other\"")));
        assert!(found.starts_with(" \n") && found.ends_with("\n\t "));
    }
}

// ---- One edit ----

#[test]
fn renaming_changes_the_name() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        scene.node_mut(node).unwrap().set_name("gate \"no. 1\" \u{1f6aa}");
    });
    assert_eq!(after, before.replace("\"door\"", "\"gate \\\"no. 1\\\" \u{1f6aa}\""));

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        scene.node_mut(node).unwrap().clear_name();
    });
    assert_differences(&before, &after, &["-/nodes/2/name"]);
}

#[test]
fn moving_turning_and_scaling_change_that() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "stone");
        scene.node_mut(node).unwrap().set_translation(Vec3::new(1.0, 2.25, 3.0)).unwrap();
    });
    assert_eq!(after, before.replace("[ 1.0, 2.50, 3e0 ]", "[1,2.25,3]"));

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        scene.node_mut(node).unwrap().set_rotation(Quat::IDENTITY).unwrap();
    });
    assert_differences(&before, &after, &["-/nodes/2/rotation"]);

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "right eye");
        scene.node_mut(node).unwrap().set_scale(Vec3::new(1.0, 2.0, -0.5)).unwrap();
    });
    assert_differences(&before, &after, &["/nodes/6/scale = [1,2,-0.5]"]);

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        let half = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
        scene.node_mut(node).unwrap().set_rotation(half).unwrap();
    });
    assert_differences(&before, &after, &["+/nodes/1/rotation = [0,1,0,0]"]);
}

#[test]
fn a_matrix_takes_the_place_of_parts_and_the_other_way_round() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        let mut sheared = Mat4::IDENTITY;
        sheared.y_axis.x = 0.5;
        scene.node_mut(node).unwrap().set_local_matrix(sheared).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/nodes/2/matrix = [1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]",
            "-/nodes/2/rotation",
            "-/nodes/2/translation",
        ],
    );

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "plan");
        scene.node_mut(node).unwrap().set_transform(Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    });
    assert_differences(&before, &after, &["-/nodes/7/matrix", "+/nodes/7/translation = [1,0,0]"]);
}

#[test]
fn hiding_and_showing() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "stone");
        scene.node_mut(node).unwrap().set_visible(false);
    });
    assert_differences(
        &before,
        &after,
        &["+/nodes/0/extensions = {\"KHR_node_visibility\":{\"visible\":false}}"],
    );

    // An animation points into the extension, so that it must stay.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "bulb");
        scene.node_mut(node).unwrap().set_visible(true);
    });
    assert_differences(
        &before,
        &after,
        &["/nodes/4/extensions/KHR_node_visibility/visible = true"],
    );
}

#[test]
fn a_node_with_another_parent() {
    let (before, after) = scene_after(|scene| {
        let (stone, house) = (find(scene, "stone"), find(scene, "house"));
        scene.graph.attach_at(stone, house, 0).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &["/nodes/1/children = [0,2]", "/scenes/0/nodes = [1,3,5,6,7,8,13,14]"],
    );

    // To the top: beside the others, below the turn.
    let (before, after) = yard_after(|document| {
        let (door, turn) = (document.node(0, 2).unwrap(), document.turn(0).unwrap());
        document.scenes_mut()[0].graph.attach(door, turn).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &["-/nodes/1/children", "/scenes/0/nodes = [0,1,3,5,6,7,8,13,14,2]"],
    );
}

#[test]
fn an_order_is_an_edit() {
    let (before, after) = scene_after(|scene| {
        let (body, hip) = (find(scene, "body"), find(scene, "hip"));
        scene.graph.attach_before(body, hip).unwrap();
    });
    assert_differences(&before, &after, &["/nodes/8/children = [12,9]"]);
    let (before, after) = scene_after(|scene| {
        let (sun, stone) = (find(scene, "sun"), find(scene, "stone"));
        scene.graph.attach_before(sun, stone).unwrap();
    });
    assert_differences(&before, &after, &["/scenes/0/nodes = [14,0,1,3,5,6,7,8,13]"]);
}

#[test]
fn a_new_node_comes_last() {
    let (before, after) = scene_after(|scene| {
        let house = find(scene, "house");
        let node = Node::group().named("window").under(house).at(Vec3::new(0.0, 0.1, 0.0));
        scene.spawn(node.child(Node::group())).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            "/nodes/1/children = [2,15]",
            "+/nodes/15 = {\"children\":[16],\"name\":\"window\",\"translation\":[0,0.1,0]}",
            "+/nodes/16 = {}",
        ],
    );
}

#[test]
fn a_mesh_that_was_made_in_code() {
    let (before, after) = scene_after(|scene| {
        let house = find(scene, "house");
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, 2.0, -1.0)];
        let geometry = pleach::Geometry::from_triangles(corners, vec![0, 1, 2]);
        let geometry = scene.assets.add(geometry);
        let red = Material::from_color(Vec4::new(1.0, 0.0, 0.0, 1.0)).named("red");
        let red = scene.assets.add(red);
        scene.spawn(Node::mesh(&geometry, &red).named("sail").under(house)).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 3, "VEC3", "\"max\":[1,2,0],\"min\":[0,0,-1],"),
            &accessor(14, 5123, 3, "SCALAR", ""),
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":36,\"byteOffset\":0,\"target\":34962}",
            "+/bufferViews/14 = {\"buffer\":1,\"byteLength\":6,\"byteOffset\":36,\"target\":34963}",
            "+/buffers/1 = {\"byteLength\":42,\"uri\":\"buffer.bin\"}",
            "+/materials/2 = {\"name\":\"red\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0,0,1],\"metallicFactor\":0}}",
            "+/meshes/4 = {\"primitives\":[{\"attributes\":{\"POSITION\":13},\"indices\":14,\"material\":2}]}",
            "/nodes/1/children = [2,15]",
            "+/nodes/15 = {\"mesh\":4,\"name\":\"sail\"}",
        ],
    );
}

#[test]
fn removing_a_leaf_moves_all_numbers_after_it() {
    let (before, mut document) = load_yard();
    let stone = document.node(0, 0).unwrap();
    document.scenes_mut()[0].remove(stone).unwrap();
    let after = checked(&mut document, "without the stone");
    let expected = with(&before, |json| {
        json["nodes"].as_array_mut().unwrap().remove(0);
        json["scenes"][0]["nodes"] = serde_json::json!([0, 2, 4, 5, 6, 7, 12, 13]);
        for (node, children) in
            [(0, vec![1]), (2, vec![3]), (7, vec![8, 11]), (8, vec![9]), (9, vec![10])]
        {
            json["nodes"][node]["children"] = children.into();
        }
        json["skins"][0]["joints"] = serde_json::json!([8, 9, 10]);
        json["skins"][0]["skeleton"] = 7.into();
        let channels = &mut json["animations"][0]["channels"];
        channels[0]["target"]["node"] = 8.into();
        let pointer = |channel: &mut serde_json::Value, to: &str| {
            channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"] = to.into();
        };
        pointer(&mut channels[1], "/nodes/9/scale");
        pointer(&mut channels[2], "/nodes/3/extensions/KHR_node_visibility/visible");
        json["animations"][1]["channels"][0]["target"]["node"] = 2.into();
    });
    assert_eq!(differences(&expected, &after), [""; 0]);
    // Entries are as they were written.
    for piece in
        ["12.50, \"tags\": [ \"old\\/red\", \"\\u00e9\" ] }", "[ 0.10, 0, 0 ]", "9.0,0,1 ]"]
    {
        assert!(after.contains(piece), "{piece}");
    }
    // What is not a node has not changed in the least.
    let rest = |text: &str| {
        text[text.find("\"meshes\"").unwrap()..text.find("\"skins\"").unwrap()].to_string()
    };
    assert_eq!(rest(&after), rest(&before));
}

#[test]
fn removing_a_character_takes_its_skin_and_its_channels() {
    let (before, mut document) = load_yard();
    let figure = document.node(0, 8).unwrap();
    document.scenes_mut()[0].remove(figure).unwrap();
    let after = checked(&mut document, "without the figure");
    let expected = with(&before, |json| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        nodes.drain(8..13);
        json["scenes"][0]["nodes"] = serde_json::json!([0, 1, 3, 5, 6, 7, 8, 9]);
        json.as_object_mut().unwrap().remove("skins");
        json["animations"][0]["channels"].as_array_mut().unwrap().drain(0..2);
    });
    assert_eq!(differences(&expected, &after), [""; 0]);

    // An animation of nothing else goes, too.
    let (before, mut document) = load_yard();
    let lamp = document.node(0, 3).unwrap();
    document.scenes_mut()[0].remove(lamp).unwrap();
    let after = checked(&mut document, "without the lamp");
    let names = |text: &str| {
        let json = value(text);
        let list = json["animations"].as_array().unwrap();
        list.iter().map(|it| it["name"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&before), ["\"walk\"", "\"swing\""]);
    assert_eq!(names(&after), ["\"walk\""]);
    assert_eq!(value(&after)["animations"][0]["channels"].as_array().unwrap().len(), 2);
}

#[test]
fn positions_change_and_other_columns_stay() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        let part = &mut scene.mesh_mut(node).unwrap().parts[0];
        part.geometry.make_mut().positions[1] = Vec3::new(3.0, -0.5, 0.0);
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 3, "VEC3", "\"max\":[3,1,0],\"min\":[0,-0.5,0],"),
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":36,\"byteOffset\":0,\"target\":34962}",
            "+/buffers/1 = {\"byteLength\":36,\"uri\":\"buffer.bin\"}",
            "/meshes/0/primitives/0/attributes/POSITION = 13",
        ],
    );
}

#[test]
fn a_file_called_like_the_new_bytes_grows() {
    let (text, mut files) = yard();
    let bytes = files.remove("data.bin").unwrap();
    files.insert("buffer.bin".into(), bytes.clone());
    let text = text.replace("data.bin", "buffer.bin");
    let mut document = load_with(&text, &files);
    let node = document.node(0, 1).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    mesh.parts[0].geometry.make_mut().positions[1].x = 2.0;
    let after = checked(&mut document, "growing");
    let length = bytes.len().next_multiple_of(4);
    assert_differences(
        &text,
        &after,
        &[
            &accessor(13, 5126, 3, "VEC3", "\"max\":[2,1,0],\"min\":[0,0,0],"),
            &format!(
                "+/bufferViews/13 = {{\"buffer\":0,\"byteLength\":36,\"byteOffset\":{length},\"target\":34962}}"
            ),
            &format!("/buffers/0/byteLength = {}", length + 36),
            "/meshes/0/primitives/0/attributes/POSITION = 13",
        ],
    );
    let saved = saved(&document);
    let grown = &saved.files.iter().find(|it| it.0 == "buffer.bin").unwrap().1;
    assert_eq!(grown[..bytes.len()], *bytes);
}

#[test]
fn two_buffers_of_one_file_stay_whole_when_one_grows() {
    let (text, mut files) = yard();
    let bytes = files.remove("data.bin").unwrap();
    files.insert("buffer.bin".into(), bytes);
    let text = text.replace("data.bin", "buffer.bin").replace(
        "\"buffers\": [ ",
        "\"buffers\": [ { \"uri\": \"buffer.bin\", \"byteLength\": 8 }, ",
    );
    let text = text.replace("\"buffer\" : 0", "\"buffer\" : 1");
    let mut document = load_with(&text, &files);
    let node = document.node(0, 1).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    mesh.parts[0].geometry.make_mut().positions[1].x = 2.0;
    checked(&mut document, "two buffers");
}

#[test]
fn indices_change_alone() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        let part = &mut scene.mesh_mut(node).unwrap().parts[0];
        part.geometry.make_mut().indices = Some(vec![2, 1, 0, 0, 1, 2]);
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5123, 6, "SCALAR", ""),
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":12,\"byteOffset\":0,\"target\":34963}",
            "+/buffers/1 = {\"byteLength\":12,\"uri\":\"buffer.bin\"}",
            "/meshes/0/primitives/0/indices = 13",
        ],
    );
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        scene.mesh_mut(node).unwrap().parts[0].geometry.make_mut().indices = None;
    });
    assert_differences(&before, &after, &["-/meshes/0/primitives/0/indices"]);
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        scene.mesh_mut(node).unwrap().parts[0].geometry.make_mut().mode = Mode::LineLoop;
    });
    assert_differences(&before, &after, &["+/meshes/0/primitives/0/mode = 2"]);
}

#[test]
fn a_morph_target_changes_alone() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        let geometry = scene.mesh_mut(node).unwrap().parts[0].geometry.make_mut();
        geometry.morph_targets[0].positions[0] = Vec3::new(1.0, 0.5, -1.0);
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 3, "VEC3", "\"max\":[1,0.5,0.5],\"min\":[0.5,0.5,-1],"),
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":36,\"byteOffset\":0,\"target\":34962}",
            "+/buffers/1 = {\"byteLength\":36,\"uri\":\"buffer.bin\"}",
            "/meshes/2/primitives/0/targets/0/POSITION = 13",
        ],
    );
    // One more, with a name; its weight is new as well.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        let geometry = scene.mesh_mut(node).unwrap().parts[0].geometry.make_mut();
        geometry.morph_targets.push(MorphTarget::from_positions(vec![Vec3::X; 3]).named("wide"));
        scene.set_weights(node, vec![0.25, 0.5]).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 3, "VEC3", "\"max\":[1,0,0],\"min\":[1,0,0],"),
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":36,\"byteOffset\":0,\"target\":34962}",
            "+/buffers/1 = {\"byteLength\":36,\"uri\":\"buffer.bin\"}",
            "/meshes/2/extras/targetNames = [\"big\",\"wide\"]",
            "+/meshes/2/primitives/0/targets/1 = {\"POSITION\":13}",
            "/nodes/12/weights = [0.25,0.5]",
        ],
    );
}

#[test]
fn a_geometry_that_two_nodes_show_is_edited_for_one() {
    let (text, files) = yard();
    let text = text.replace("\"name\": \"stone\",", "\"name\": \"stone\", \"mesh\": 0,");
    let mut document = load_with(&text, &files);
    let node = document.node(0, 0).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    mesh.parts[0].geometry.make_mut().normals.clear();
    let after = checked(&mut document, "one of two");
    // A copy of the mesh, with its name and extras.
    assert_differences(
        &text,
        &after,
        &[
            "+/meshes/4 = {\"name\":\"walls\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extras\":{},\"indices\":1,\"material\":0}]}",
            "/nodes/0/mesh = 4",
        ],
    );
    // For both, in the same way.
    let mut document = load_with(&text, &files);
    let (stone, house) = (document.node(0, 0).unwrap(), document.node(0, 1).unwrap());
    let scene = &mut document.scenes_mut()[0];
    let mut geometry = scene.mesh(stone).unwrap().parts[0].geometry.clone();
    geometry.make_mut().normals.clear();
    for node in [stone, house] {
        scene.mesh_mut(node).unwrap().parts[0].geometry = geometry.clone();
    }
    let after = checked(&mut document, "both");
    assert_differences(&text, &after, &["-/meshes/0/primitives/0/attributes/NORMAL"]);
}

#[test]
fn a_material_that_one_mesh_uses_changes_in_place() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        let material = scene.mesh_mut(node).unwrap().parts[0].material.make_mut();
        material.base_color = Vec4::new(0.5, 1.0, 1.0, 1.0);
        material.unlit = true;
    });
    assert_differences(
        &before,
        &after,
        &[
            "/extensionsUsed = [\"KHR_lights_punctual\",\"EXT_mesh_gpu_instancing\",\"KHR_node_visibility\",\"KHR_animation_pointer\",\"VENDOR_glow\",\"KHR_materials_unlit\"]",
            "+/materials/1/extensions/KHR_materials_unlit = {}",
            "+/materials/1/pbrMetallicRoughness/baseColorFactor = [0.5,1,1,1]",
        ],
    );
}

#[test]
fn a_material_that_two_meshes_share_is_copied_for_one() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        scene.mesh_mut(node).unwrap().parts[0].material.make_mut().roughness = 0.75;
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/materials/2 = {\"extras\":{\"grain\":1.0},\"name\":\"wood\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"texCoord\":0},\"roughnessFactor\":0.75}}",
            "/meshes/1/primitives/0/material = 2",
        ],
    );
    // In both.
    let (before, after) = scene_after(|scene| {
        let nodes = ["house", "door"].map(|name| find(scene, name));
        let mut material = scene.mesh(nodes[0]).unwrap().parts[0].material.clone();
        material.make_mut().roughness = 0.75;
        for node in nodes {
            scene.mesh_mut(node).unwrap().parts[0].material = material.clone();
        }
    });
    assert_differences(
        &before,
        &after,
        &["/materials/0/pbrMetallicRoughness/roughnessFactor = 0.75"],
    );
    assert_eq!(after, before.replace("\"roughnessFactor\": 0.50", "\"roughnessFactor\": 0.75"));
    // A part without a material gets one, and one gets none.
    let (before, after) = scene_after(|scene| {
        let (trees, house) = (find(scene, "trees"), find(scene, "house"));
        let wood = scene.mesh(house).unwrap().parts[0].material.clone();
        let plain = scene.mesh(trees).unwrap().parts[0].material.clone();
        scene.mesh_mut(trees).unwrap().parts[0].material = wood;
        scene.mesh_mut(house).unwrap().parts[0].material = plain;
    });
    assert_differences(
        &before,
        &after,
        &["-/meshes/0/primitives/0/material", "+/meshes/3/primitives/0/material = 0"],
    );
}

#[test]
fn a_texture_shows_another_image() {
    let (before, after) = scene_after(|scene| {
        let image = Image::from_encoded("image/png", b"\x89PNG\r\n\x1a\nnew".to_vec());
        let image = scene.assets.add(image.named("new wood"));
        let nodes = ["house", "door"].map(|name| find(scene, name));
        let mut material = scene.mesh(nodes[0]).unwrap().parts[0].material.clone();
        material.make_mut().base_color_texture.as_mut().unwrap().image = image;
        for node in nodes {
            scene.mesh_mut(node).unwrap().parts[0].material = material.clone();
        }
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":11,\"byteOffset\":0}",
            "+/buffers/1 = {\"byteLength\":11,\"uri\":\"buffer.bin\"}",
            "+/images/1 = {\"bufferView\":13,\"mimeType\":\"image/png\",\"name\":\"new wood\"}",
            "/materials/0/pbrMetallicRoughness/baseColorTexture/index = 1",
            "+/textures/1 = {\"sampler\":0,\"source\":1}",
        ],
    );
    // None at all.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        let material = scene.mesh_mut(node).unwrap().parts[0].material.make_mut();
        material.base_color_texture = None;
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/materials/2 = {\"extras\":{\"grain\":1.0},\"name\":\"wood\",\"pbrMetallicRoughness\":{\"roughnessFactor\":0.5}}",
            "/meshes/1/primitives/0/material = 2",
        ],
    );
}

fn set_far(camera: &mut Camera, to: f32) {
    match &mut camera.projection {
        Projection::Perspective { far, .. } | Projection::Orthographic { far, .. } => *far = to,
        Projection::Custom(_) => unreachable!(),
    }
}

#[test]
fn a_camera_of_one_node_changes_in_place() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "plan");
        set_far(scene.camera_mut(node).unwrap(), 50.0);
    });
    assert_eq!(after, before.replace("\"zfar\": 1e2", "\"zfar\": 50"));
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "plan");
        scene.cameras.remove(node);
    });
    assert_differences(&before, &after, &["-/nodes/7/camera"]);
    // Another kind of lens.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "plan");
        *scene.camera_mut(node).unwrap() = Camera::perspective(0.5, 1.5);
    });
    assert_differences(
        &before,
        &after,
        &[
            "-/cameras/1/orthographic",
            "+/cameras/1/perspective = {\"aspectRatio\":1.5,\"yfov\":0.5,\"zfar\":500,\"znear\":0.1}",
            "/cameras/1/type = \"perspective\"",
        ],
    );
}

#[test]
fn a_camera_of_two_nodes_is_changed_for_one() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "right eye");
        set_far(scene.camera_mut(node).unwrap(), f32::INFINITY);
    });
    let found = differences(&before, &after);
    assert_eq!(found.len(), 2, "{found:?}");
    let camera = &value(&after)["cameras"][2];
    assert!(camera["perspective"].get("zfar").is_none(), "{camera}");
    assert_eq!(camera["perspective"]["znear"].as_f64(), Some(0.1));
    assert_eq!(camera["name"], "eye", "a copy has what the old one had");
    assert_eq!(found[1], "/nodes/6/camera = 2");

    // What glTF has no word for makes no other camera of it.
    let (before, after) = scene_after(|scene| {
        let (left, right) = (find(scene, "left eye"), find(scene, "right eye"));
        scene.camera_mut(left).unwrap().layers = 1;
        set_far(scene.camera_mut(right).unwrap(), 7.0);
    });
    let found = differences(&before, &after);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[1], "/nodes/6/camera = 2");

    // Both, in the same way.
    let (before, after) = scene_after(|scene| {
        for name in ["left eye", "right eye"] {
            let node = find(scene, name);
            set_far(scene.camera_mut(node).unwrap(), 7.0);
        }
    });
    assert_differences(&before, &after, &["/cameras/0/perspective/zfar = 7"]);
}

#[test]
fn lights_change_as_cameras_do() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "sun");
        scene.light_mut(node).unwrap().intensity = 4.5;
    });
    assert_eq!(after, before.replace("\"intensity\": 3.0", "\"intensity\": 4.5"));

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "lamp");
        scene.light_mut(node).unwrap().color = Vec3::ONE;
    });
    let found = differences(&before, &after);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(value(&after)["extensions"]["KHR_lights_punctual"]["lights"][2]["name"], "cone");
    assert_eq!(found[1], "/nodes/3/extensions/KHR_lights_punctual/light = 2");

    let (before, after) = scene_after(|scene| {
        for name in ["lamp", "bulb"] {
            let node = find(scene, name);
            scene.light_mut(node).unwrap().intensity = 5.0;
        }
    });
    assert_differences(
        &before,
        &after,
        &["/extensions/KHR_lights_punctual/lights/0/intensity = 5"],
    );

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "lamp");
        scene.lights.remove(node);
    });
    assert_differences(&before, &after, &["-/nodes/3/extensions/KHR_lights_punctual"]);

    let (before, after) = scene_after(|scene| {
        let node = find(scene, "stone");
        scene.lights.insert(&scene.graph, node, Light::point(Vec3::X, 2.0)).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/extensions/KHR_lights_punctual/lights/2 = {\"color\":[1,0,0],\"intensity\":2,\"type\":\"point\"}",
            "+/nodes/0/extensions = {\"KHR_lights_punctual\":{\"light\":2}}",
        ],
    );
}

#[test]
fn weights_change_alone() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        scene.set_weights(node, vec![0.75]).unwrap();
    });
    assert_eq!(after, before.replace("[ 0.250 ]", "[0.75]"));
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        scene.set_weights(node, vec![0.0]).unwrap();
    });
    assert_differences(&before, &after, &["/nodes/12/weights = [0]"]);
}

#[test]
fn weights_of_zero_are_said_where_the_mesh_has_others() {
    let (text, files) = yard();
    let text =
        text.replace("{ \"name\": \"skin\",", "{ \"name\": \"skin\", \"weights\": [ 0.50 ],");
    let text = text.replace(", \"weights\": [ 0.250 ]", "");
    // Of a node that had none of its own.
    let mut document = load_with(&text, &files);
    let body = document.node(0, 12).unwrap();
    document.scenes_mut()[0].set_weights(body, vec![0.0]).unwrap();
    let after = checked(&mut document, "zero");
    assert_differences(&text, &after, &["+/nodes/12/weights = [0]"]);
    // Of a new node, and of one that showed something else.
    let mut document = load_with(&text, &files);
    let (body, door) = (document.node(0, 12).unwrap(), document.node(0, 2).unwrap());
    let scene = &mut document.scenes_mut()[0];
    let mesh = scene.mesh(body).unwrap().clone();
    let new = scene.spawn(Node::group().with_mesh(mesh.clone()).under(door)).unwrap();
    scene.set_weights(new, vec![0.0]).unwrap();
    scene.meshes.insert(&scene.graph, door, mesh).unwrap();
    scene.set_weights(door, vec![0.0]).unwrap();
    let after = checked(&mut document, "zero, of others");
    assert_eq!(value(&after)["nodes"][15]["weights"][0], 0);
    assert_eq!(value(&after)["nodes"][2]["weights"][0], 0);
}

#[test]
fn a_mesh_without_targets_has_no_weights() {
    let (text, files) = yard();
    let text =
        text.replace("{ \"name\": \"skin\",", "{ \"name\": \"skin\", \"weights\": [ 0.50 ],");
    for is_cleared in [false, true] {
        let mut document = load_with(&text, &files);
        let body = document.node(0, 12).unwrap();
        let scene = &mut document.scenes_mut()[0];
        scene.mesh_mut(body).unwrap().parts[0].geometry.make_mut().morph_targets.clear();
        if is_cleared {
            scene.weights.remove(body);
        }
        let after = checked(&mut document, "without targets");
        let json = value(&after);
        assert_eq!(
            (json["nodes"][12].get("weights"), json["meshes"][2].get("weights")),
            (None, None)
        );
    }
}

#[test]
fn a_mesh_with_more_targets_has_more_weights() {
    let (text, files) = yard();
    let text =
        text.replace("{ \"name\": \"skin\",", "{ \"name\": \"skin\", \"weights\": [ 0.50 ],");
    let mut document = load_with(&text, &files);
    let body = document.node(0, 12).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let geometry = scene.mesh_mut(body).unwrap().parts[0].geometry.make_mut();
    geometry.morph_targets.push(MorphTarget::from_positions(vec![Vec3::X; 3]));
    scene.set_weights(body, vec![0.25, 0.5]).unwrap();
    checked(&mut document, "more targets");
}

#[test]
fn copies_change() {
    let set = |scene: &mut Scene, matrices: Vec<Mat4>| {
        let node = find(scene, "trees");
        let bounds = scene.mesh(node).unwrap().parts[0].geometry.bounds();
        let copies = Instances::new(bounds, matrices).unwrap();
        scene.mesh_mut(node).unwrap().instances = Some(Box::new(copies));
    };
    let (before, after) = scene_after(|scene| {
        let matrices = [Vec3::X, Vec3::Y, Vec3::Z].map(Mat4::from_translation);
        set(scene, matrices.to_vec());
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 3, "VEC3", ""),
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":36,\"byteOffset\":0}",
            "+/buffers/1 = {\"byteLength\":36,\"uri\":\"buffer.bin\"}",
            "/nodes/13/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION = 13",
        ],
    );
    // Turned and scaled.
    let (_, after) = scene_after(|scene| {
        let turned = Mat4::from_scale_rotation_translation(
            Vec3::new(2.0, 2.0, 0.5),
            Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
            Vec3::new(0.1, 0.2, 0.3),
        );
        set(scene, vec![Mat4::IDENTITY, turned]);
    });
    let copies = &value(&after)["nodes"][13]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    assert_eq!(copies.as_object().unwrap().len(), 3);
    // None.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "trees");
        scene.mesh_mut(node).unwrap().instances = None;
    });
    assert_differences(&before, &after, &["-/nodes/13/extensions"]);
}

#[test]
fn other_attributes_of_copies_go_when_their_number_changes() {
    let (text, files) = yard();
    let text = text.replace("\"TRANSLATION\": 10 }", "\"TRANSLATION\": 10, \"_ID\": 8 }");
    for (count, kept) in [(2, true), (3, false)] {
        let mut document = load_with(&text, &files);
        let node = document.node(0, 13).unwrap();
        let scene = &mut document.scenes_mut()[0];
        let bounds = scene.mesh(node).unwrap().parts[0].geometry.bounds();
        let copies = Instances::new(bounds, vec![Mat4::IDENTITY; count]).unwrap();
        scene.mesh_mut(node).unwrap().instances = Some(Box::new(copies));
        let after = checked(&mut document, "copies with ids");
        let copies = &value(&after)["nodes"][13]["extensions"]["EXT_mesh_gpu_instancing"];
        assert_eq!(copies["attributes"].get("_ID").is_some(), kept);
        assert_eq!(saved(&document).report.is_empty(), kept);
    }
}

#[test]
fn no_copies_at_all_are_nothing_that_breaks_the_file() {
    let (_, mut document) = load_yard();
    let node = document.node(0, 13).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    let bounds = mesh.parts[0].geometry.bounds();
    mesh.instances = Some(Box::new(Instances::new(bounds, vec![]).unwrap()));
    match document.save_bytes(Form::Glb) {
        Ok(saved) => {
            check_file(&saved);
            again(&saved);
        }
        Err(fault) => assert_eq!(fault.kind(), ErrorKind::Unwritable),
    }
}

// ---- Animations ----

fn clip(name: &str, height: f32) -> Clip {
    let times: Arc<[f32]> = [0.0, 0.5].into();
    let moves = [Vec3::ZERO, Vec3::new(0.0, height, -0.0)];
    let channels = vec![
        Channel::translation(0, Interpolation::Linear, Arc::clone(&times), moves).unwrap(),
        Channel::scale(1, Interpolation::Step, times, [Vec3::ONE, Vec3::splat(2.0)]).unwrap(),
    ];
    Clip::new(name, ["first", "second"], channels).unwrap()
}

#[test]
fn another_clip_replaces_channels_that_it_stands_for() {
    let (before, after) = yard_after(|document| {
        assert_eq!(document.animations()[0].file_nodes(), [9, 10]);
        document.animations_mut()[0].set_clip(clip("run", 3.0));
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 2, "SCALAR", "\"max\":[0.5],\"min\":[0],"),
            &accessor(14, 5126, 2, "VEC3", ""),
            &accessor(15, 5126, 2, "VEC3", ""),
            // The channel of the clip's went; that which shows and hides is the first now.
            "-/animations/0/channels/0/extras",
            "/animations/0/channels/0/sampler = 1",
            "+/animations/0/channels/0/target/extensions = {\"KHR_animation_pointer\":{\"pointer\":\"/nodes/4/extensions/KHR_node_visibility/visible\"}}",
            "-/animations/0/channels/0/target/node",
            "/animations/0/channels/0/target/path = \"pointer\"",
            "/animations/0/channels/1/sampler = 2",
            "-/animations/0/channels/1/target/extensions",
            "+/animations/0/channels/1/target/node = 9",
            "/animations/0/channels/1/target/path = \"translation\"",
            "/animations/0/channels/2/sampler = 3",
            "-/animations/0/channels/2/target/extensions",
            "+/animations/0/channels/2/target/node = 10",
            "/animations/0/channels/2/target/path = \"scale\"",
            "/animations/0/name = \"run\"",
            "+/animations/0/samplers/2 = {\"input\":13,\"output\":14}",
            "+/animations/0/samplers/3 = {\"input\":13,\"interpolation\":\"STEP\",\"output\":15}",
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":8,\"byteOffset\":0}",
            "+/bufferViews/14 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":8}",
            "+/bufferViews/15 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":32}",
            "+/buffers/1 = {\"byteLength\":56,\"uri\":\"buffer.bin\"}",
        ],
    );
}

#[test]
fn what_was_animated_is_animated_after_an_edit() {
    let (_, mut document) = load_yard();
    document.animations_mut()[0].set_clip(clip("run", 3.0));
    let stone = document.node(0, 0).unwrap();
    document.scenes_mut()[0].remove(stone).unwrap();
    checked(&mut document, "a clip and a removed node");
    let mut back = again(&saved(&document));
    assert_eq!(back.animations()[0].file_nodes(), [8, 9]);
    assert_eq!(back.animations()[0].clip().channels(), clip("run", 3.0).channels());
    assert_eq!(back.animations()[0].shown_count(), 1);
    back.show_at(0, 0, 1.0);
    let bulb = back.node(0, 3).unwrap();
    assert!(back.scenes()[0].node(bulb).unwrap().is_visible());
}

#[test]
fn an_animation_that_was_taken_out_is_gone() {
    let (before, after) = yard_after(|document| drop(document.animations_mut().remove(0)));
    let expected = with(&before, |json| drop(json["animations"].as_array_mut().unwrap().remove(0)));
    assert_eq!(differences(&expected, &after), [""; 0]);
    let (before, after) = yard_after(|document| document.animations_mut().clear());
    assert_differences(&before, &after, &["-/animations"]);
}

#[test]
fn an_animation_that_was_added_comes_last() {
    let (before, after) = yard_after(|document| {
        let nodes = [document.node(0, 0).unwrap(), document.node(0, 2).unwrap()];
        document.add_animation(0, &Binding::new(clip("jump", 1.0), nodes).unwrap());
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 2, "SCALAR", "\"max\":[0.5],\"min\":[0],"),
            &accessor(14, 5126, 2, "VEC3", ""),
            &accessor(15, 5126, 2, "VEC3", ""),
            "+/animations/2 = {\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"scale\"}}],\"name\":\"jump\",\"samplers\":[{\"input\":13,\"output\":14},{\"input\":13,\"interpolation\":\"STEP\",\"output\":15}]}",
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":8,\"byteOffset\":0}",
            "+/bufferViews/14 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":8}",
            "+/bufferViews/15 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":32}",
            "+/buffers/1 = {\"byteLength\":56,\"uri\":\"buffer.bin\"}",
        ],
    );
}

#[test]
fn an_animation_of_the_scenes_root_is_not_lost_in_silence() {
    for is_moved in [false, true] {
        let (_, mut document) = load_yard();
        let scene = &mut document.scenes_mut()[0];
        let root = scene.root();
        if is_moved {
            scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        }
        let stone = document.node(0, 0).unwrap();
        document.add_animation(0, &Binding::new(clip("all", 1.0), [root, stone]).unwrap());
        let saved = saved(&document);
        check_file(&saved);
        if !saved.report.is_empty() {
            continue;
        }
        // Or it does what it did.
        let mut back = again(&saved);
        assert_eq!(posed(&mut document), posed(&mut back), "moved: {is_moved}");
    }
}

/// The yard a quarter of a second into its third animation.
fn posed(document: &mut Document) -> Vec<String> {
    let binding = document.bind(2, 0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let mut mixer = pleach::animation::Mixer::new();
    mixer.add(binding, &scene.graph, &scene.weights);
    scene.animate(&mut mixer, 0.25);
    scene.update().unwrap();
    let file = |line: &&String| !line.starts_with('-');
    describe(scene)
        .iter()
        .filter(file)
        .map(|it| {
            it.split(" under ").next().unwrap().to_string() + it.split(" at ").nth(1).unwrap()
        })
        .collect()
}

// ---- Scenes ----

#[test]
fn a_scene_gets_a_name() {
    let (before, after) = scene_after(|scene| scene.name = "court".into());
    assert_eq!(after, before.replace("\"name\": \"yard\"", "\"name\": \"court\""));
    let (before, after) = scene_after(|scene| scene.name.clear());
    assert_differences(&before, &after, &["-/scenes/0/name"]);
}

#[test]
fn a_node_beside_the_turn_gets_one_of_its_own() {
    let (before, after) = scene_after(|scene| {
        scene.spawn(Node::group().named("bird").at(Vec3::new(1.0, 2.0, 3.0))).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/nodes/15 = {\"children\":[16],\"matrix\":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1],\"name\":\"Z up\"}",
            "+/nodes/16 = {\"name\":\"bird\",\"translation\":[1,2,3]}",
            "/scenes/0/nodes = [0,1,3,5,6,7,8,13,14,15]",
        ],
    );
}

#[test]
fn the_turn_moved() {
    let (before, after) = yard_after(|document| {
        let turn = document.turn(0).unwrap();
        let scene = &mut document.scenes_mut()[0];
        scene.node_mut(turn).unwrap().set_name("all");
        let moved = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
        let matrix = moved * scene.node(turn).unwrap().local_matrix();
        scene.node_mut(turn).unwrap().set_local_matrix(matrix).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/nodes/15 = {\"children\":[16],\"matrix\":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1],\"name\":\"Z up\"}",
            "+/nodes/16 = {\"children\":[0,1,3,5,6,7,8,13,14],\"matrix\":[1,0,0,0,0,0,1,0,0,-1,0,0,1,2,3,1],\"name\":\"all\"}",
            "/scenes/0/nodes = [15]",
        ],
    );
}

#[test]
fn the_turn_with_a_name_keeps_it() {
    let (_, mut document) = load_yard();
    let turn = document.turn(0).unwrap();
    document.scenes_mut()[0].node_mut(turn).unwrap().set_name("up");
    let saved = saved(&document);
    check_file(&saved);
    assert!(text_of(&saved).contains("\"up\"") || !saved.report.is_empty());
}

#[test]
fn the_turn_gone_and_all_below_the_root() {
    let (_, mut document) = load_yard();
    let turn = document.turn(0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    let tops: Vec<NodeId> = scene.node(turn).unwrap().children().collect();
    for top in tops {
        scene.graph.attach(top, root).unwrap();
    }
    scene.remove(turn).unwrap();
    checked(&mut document, "without the turn");
}

#[test]
fn the_scenes_root_moved() {
    let (before, mut document) = load_yard();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let worlds = |document: &Document| -> Vec<[f32; 16]> {
        let scene = &document.scenes()[0];
        let node = |index| document.node(0, index).unwrap();
        (0..15).map(|it| scene.node(node(it)).unwrap().compute_world().to_cols_array()).collect()
    };
    let expected = worlds(&document);
    let saved = saved(&document);
    check_file(&saved);
    assert_eq!(worlds(&again(&saved)), expected);
    let found = differences(&before, &text_of(&saved));
    assert!(
        found.iter().all(|it| it.starts_with("+/nodes/1") || it.starts_with("/scenes/0/nodes")),
        "{found:?}"
    );
}

#[test]
fn the_scenes_root_hidden() {
    let (_, mut document) = load_yard();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    scene.node_mut(root).unwrap().set_visible(false);
    let saved = saved(&document);
    check_file(&saved);
    let mut back = again(&saved);
    let stone = back.node(0, 0).unwrap();
    back.scenes_mut()[0].update().unwrap();
    assert!(!back.scenes()[0].node(stone).unwrap().is_shown());
}

#[test]
fn what_is_detached_is_in_no_scene_but_in_the_file() {
    let (before, mut document) = load_yard();
    let house = document.node(0, 1).unwrap();
    document.scenes_mut()[0].graph.detach(house).unwrap();
    let after = checked(&mut document, "detached");
    assert_differences(&before, &after, &["/scenes/0/nodes = [0,3,5,6,7,8,13,14]"]);
    let back = load_with(&after, &yard().1);
    let names: Vec<_> = describe(back.outside().unwrap());
    assert_eq!(names.len(), 2);

    // From the middle; it takes what is below with it.
    let (before, mut document) = load_yard();
    let knee = document.node(0, 10).unwrap();
    document.scenes_mut()[0].graph.detach(knee).unwrap();
    let saved = saved(&document);
    check_file(&saved);
    assert_differences(&before, &text_of(&saved), &["-/nodes/9/children"]);
    // Attached again, it is as if nothing had been.
    let hip = document.node(0, 9).unwrap();
    document.scenes_mut()[0].graph.attach(knee, hip).unwrap();
    assert_eq!(text_of(&common_save::saved(&document)), before);
}

const SHARED: &str = r#"{"asset":{"version":"2.0"},
"scenes":[{"nodes":[0,2]},{"nodes":[0]}],
"nodes":[{"name":"a","children":[1],"extras":1.0},{"name":"b"},{"name":"c"}]}"#;

/// What is in the two scenes by names: `a(b) c`.
fn shape(document: &Document, scene: usize) -> String {
    fn names(scene: &Scene, node: NodeId) -> String {
        let below = scene.node(node).unwrap().children();
        let below: Vec<String> = below
            .map(|it| {
                let name = scene.node(it).unwrap().name().unwrap_or("-").to_string();
                format!("{name}({})", names(scene, it))
            })
            .collect();
        below.join(" ").replace("()", "")
    }
    names(
        &document.scenes()[scene],
        document.turn(scene).unwrap_or(document.scenes()[scene].root()),
    )
}

#[test]
fn scenes_that_share_a_root_may_part() {
    type Edit = fn(&mut Scene, [NodeId; 2], Option<NodeId>);
    let edits: [(&str, Edit); 9] = [
        ("b renamed", |scene, [_, b], _| {
            scene.node_mut(b).unwrap().set_name("B");
        }),
        ("a moved", |scene, [a, _], _| {
            scene.node_mut(a).unwrap().set_translation(Vec3::X).unwrap();
        }),
        ("b removed", |scene, [_, b], _| _ = scene.remove(b).unwrap()),
        ("a removed", |scene, [a, _], _| _ = scene.remove(a).unwrap()),
        ("b detached", |scene, [_, b], _| scene.graph.detach(b).unwrap()),
        ("a detached", |scene, [a, _], _| scene.graph.detach(a).unwrap()),
        ("more below b", |scene, [_, b], _| {
            scene.spawn(Node::group().named("d").under(b)).unwrap();
        }),
        ("b at the top", |scene, [a, b], _| {
            let top = scene.node(a).unwrap().parent().unwrap();
            scene.graph.attach(b, top).unwrap();
        }),
        ("a below another", |scene, [a, _], c| {
            let top = scene.node(a).unwrap().parent().unwrap();
            let new = |scene: &mut Scene| scene.spawn(Node::group().named("n").under(top)).unwrap();
            let other = c.unwrap_or_else(|| new(scene));
            scene.graph.attach(a, other).unwrap();
        }),
    ];
    for (what, edit) in edits {
        for number in 0..2 {
            let mut document = load(SHARED);
            let nodes = [0, 1].map(|it| document.node(number, it).unwrap());
            // The second scene has none.
            let c = document.node(number, 2);
            edit(&mut document.scenes_mut()[number], nodes, c);
            let what = format!("{what} in scene {number}");
            let shapes = [shape(&document, 0), shape(&document, 1)];
            checked(&mut document, &what);
            let back = again(&saved(&document));
            assert_eq!([shape(&back, 0), shape(&back, 1)], shapes, "{what}");
            // Nothing is written more often than needed: three nodes, those of a copy, and a new one.
            let nodes = value(back.json())["nodes"].as_array().unwrap().len();
            assert!(nodes <= 3 + 2 + 2, "{what}: {nodes} nodes in {}", back.json());
        }
    }
}

#[test]
fn the_same_edit_in_both_scenes_is_written_once() {
    let mut document = load(SHARED);
    for scene in 0..2 {
        let b = document.node(scene, 1).unwrap();
        document.scenes_mut()[scene].node_mut(b).unwrap().set_name("B");
    }
    let after = checked(&mut document, "both");
    assert_eq!(after, SHARED.replace("\"b\"", "\"B\""));
}

#[test]
fn a_character_of_two_scenes_that_moves_in_one_is_posed_by_its_own_joints() {
    let (text, files) = yard();
    let text = text.replace("\"scenes\": [ ", "\"scenes\": [ { \"nodes\": [ 8 ] }, ");
    for number in 0..2 {
        let mut document = load_with(&text, &files);
        let knee = document.node(number, 10).unwrap();
        document.scenes_mut()[number].node_mut(knee).unwrap().set_translation(Vec3::X).unwrap();
        checked(&mut document, "one of two");
        let back = again(&saved(&document));
        for (index, scene) in back.scenes().iter().enumerate() {
            let body = find(scene, "body");
            let skin = scene.skin(body).unwrap();
            for &joint in &skin.joints {
                let is_here = scene.node(joint).unwrap().ancestors().any(|it| it == scene.root());
                assert!(is_here, "scene {index}: a joint of another scene");
            }
            // And both are animated as before.
            let binding = back.bind(0, index).unwrap();
            assert!(binding.nodes().iter().any(Option::is_some), "scene {index} stands still");
        }
    }
}

#[test]
fn skins_and_palettes_of_one_scene_are_not_those_of_the_other() {
    let (text, files) = yard();
    let text = text.replace("\"scenes\": [ ", "\"scenes\": [ { \"nodes\": [ 8 ] }, ");
    let mut document = load_with(&text, &files);
    let body = document.node(1, 12).unwrap();
    let scene = &mut document.scenes_mut()[1];
    let bind = Mat4::from_translation(Vec3::X);
    scene.skins.get_mut(&scene.graph, body).unwrap().bind_matrix = bind;
    checked(&mut document, "a bind matrix in one of two scenes");
}

// ---- What changes stays, to the bit ----

#[test]
fn numbers_come_back_bit_for_bit() {
    for seed in seeds(15) {
        let mut dice = Dice(seed);
        let (_, mut document) = load_yard();
        let nodes: Vec<NodeId> = (0..15).map(|it| document.node(0, it).unwrap()).collect();
        let scene = &mut document.scenes_mut()[0];
        let vector = |dice: &mut Dice| Vec3::from_array([0; 3].map(|_| dice.number()));
        for &node in &nodes {
            let (translation, scale) = (vector(&mut dice), vector(&mut dice));
            let mut node = scene.node_mut(node).unwrap();
            node.set_translation(translation).unwrap().set_scale(scale).unwrap();
        }
        let mesh = scene.mesh_mut(nodes[12]).unwrap();
        let geometry = mesh.parts[0].geometry.make_mut();
        geometry.positions = (0..5).map(|_| vector(&mut dice)).collect();
        geometry.influences.clear();
        geometry.colors = vec![(0..5).map(|_| vector(&mut dice).extend(dice.number())).collect()];
        geometry.uvs = vec![(0..5).map(|_| Vec2::new(dice.number(), dice.number())).collect()];
        geometry.morph_targets[0].positions = (0..5).map(|_| vector(&mut dice)).collect();
        scene.skins.remove(nodes[12]);
        scene.set_weights(nodes[12], vec![dice.number()]).unwrap();
        let material = mesh_material(scene, nodes[12]);
        material.base_color = vector(&mut dice).abs().min(Vec3::ONE).extend(0.1);
        let light = scene.light_mut(nodes[14]).unwrap();
        (light.color, light.intensity) = (vector(&mut dice).abs(), dice.number().abs());
        let matrix = {
            let mut all = [0; 12].map(|_| dice.tame());
            all[0] += 0.0;
            Mat4::from_cols(
                Vec4::new(all[0], all[1], all[2], 0.0),
                Vec4::new(all[3], all[4], all[5], 0.0),
                Vec4::new(all[6], all[7], all[8], 0.0),
                Vec4::new(all[9], all[10], all[11], 1.0),
            )
        };
        scene.node_mut(nodes[0]).unwrap().set_local_matrix(matrix).unwrap();
        for form in FORMS {
            let saved = document.save_bytes(form).unwrap();
            let back = again(&saved);
            for (index, &node) in nodes.iter().enumerate() {
                let (old, new) = (&document.scenes()[0], &back.scenes()[0]);
                let (a, b) =
                    (old.node(node).unwrap(), new.node(back.node(0, index).unwrap()).unwrap());
                let bits = |it: pleach_graph::NodeRef<'_>| {
                    let transform = it.transform();
                    let parts = [transform.translation, transform.scale]
                        .map(|it| it.to_array().map(f32::to_bits));
                    (
                        parts,
                        transform.rotation.to_array().map(f32::to_bits),
                        it.local_matrix().to_cols_array().map(f32::to_bits),
                    )
                };
                assert_eq!(bits(a), bits(b), "seed {seed}, node {index}, {form:?}");
            }
            assert_same_bits(&document, &back, nodes[12], 12, seed);
            let light = back.scenes()[0].light(back.node(0, 14).unwrap()).unwrap();
            let was = document.scenes()[0].light(nodes[14]).unwrap();
            assert_eq!(
                common_save::light_values(light),
                common_save::light_values(was),
                "seed {seed}"
            );
        }
    }
}

fn mesh_material(scene: &mut Scene, node: NodeId) -> &mut Material {
    scene.mesh_mut(node).unwrap().parts[0].material.make_mut()
}

#[track_caller]
fn assert_same_bits(one: &Document, other: &Document, node: NodeId, index: usize, seed: u64) {
    let there = other.node(0, index).unwrap();
    let (a, b) = (&one.scenes()[0], &other.scenes()[0]);
    let bits = |scene: &Scene, node| {
        let part = &scene.mesh(node).unwrap().parts[0];
        let weights = scene.weights.get(&scene.graph, node).unwrap();
        (
            common_save::geometry_bits(&part.geometry),
            common_save::material_line(&part.material),
            weights.iter().map(|it| it.to_bits()).collect::<Vec<_>>(),
        )
    };
    assert_eq!(bits(a, node), bits(b, there), "seed {seed}");
}

#[test]
fn cameras_come_back_bit_for_bit() {
    for seed in seeds(40) {
        let mut dice = Dice(seed);
        let (_, mut document) = load_yard();
        let [left, plan] = [5, 7].map(|it| document.node(0, it).unwrap());
        let scene = &mut document.scenes_mut()[0];
        let size = |dice: &mut Dice| (1 + dice.below(1 << 24)) as f32 * 1e-5;
        let (height, aspect, near) = (size(&mut dice), size(&mut dice), size(&mut dice));
        *scene.camera_mut(plan).unwrap() = Camera {
            projection: Projection::Orthographic { height, zoom: 1.0, near, far: near + 1.0 },
            aspect: Some(aspect),
            ..Camera::default()
        };
        let projection = Projection::Perspective { fov_y: 0.1, near, far: near * 3.0 };
        *scene.camera_mut(left).unwrap() =
            Camera { projection, aspect: Some(aspect), ..Camera::default() };
        let back = again(&saved(&document));
        let camera = |document: &Document, index| {
            *document.scenes()[0].camera(document.node(0, index).unwrap()).unwrap()
        };
        assert_eq!(camera(&back, 5), camera(&document, 5), "seed {seed}");
        let Camera { projection, aspect: found, .. } = camera(&back, 7);
        assert_eq!(projection, camera(&document, 7).projection, "seed {seed}");
        // It is said as a width, so that it may differ in its last bit.
        let found = found.unwrap();
        assert!((found - aspect).abs() <= aspect * 2e-7, "seed {seed}: {found}, not {aspect}");
    }
}

#[test]
fn an_orthographic_camera_keeps_its_width_when_its_depth_changes() {
    for seed in seeds(40) {
        let mut dice = Dice(seed);
        let [x, y] = [0; 2].map(|_| (1 + dice.below(1 << 24)) as f32 * -1e-5);
        let (text, files) = yard();
        let (x, y) = (x * if seed % 2 == 0 { 1.0 } else { -1.0 }, y.abs());
        let text = text.replace(
            "\"xmag\": 0.10, \"ymag\": 0.30",
            &format!("\"xmag\": {x:?}, \"ymag\": {y:?}"),
        );
        let mut document = load_with(&text, &files);
        let plan = document.node(0, 7).unwrap();
        set_far(document.scenes_mut()[0].camera_mut(plan).unwrap(), 50.0);
        let after = text_of(&saved(&document));
        assert_eq!(after, text.replace("\"zfar\": 1e2", "\"zfar\": 50"), "seed {seed}");
    }
}

#[test]
fn minus_zero_is_an_edit() {
    let (before, after) = scene_after(|scene| {
        let hip = find(scene, "hip");
        scene.node_mut(hip).unwrap().set_translation(Vec3::new(-0.0, 0.0, 0.0)).unwrap();
    });
    // Equal as numbers, so only by text.
    assert!(differences(&before, &after) == ["+/nodes/9/translation = [-0.0,0,0]"], "{after}");
}

// ---- What cannot be said ----

#[test]
fn a_skin_whose_joint_is_gone_cannot_be_written() {
    let (_, mut document) = load_yard();
    let foot = document.node(0, 11).unwrap();
    document.scenes_mut()[0].remove(foot).unwrap();
    let error = document.save_bytes(Form::Gltf).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unwritable);
    assert_eq!(error.pointer(), "/nodes/11", "the body, now that the foot is gone");
    assert!(error.to_string().contains("joint 2"), "{error}");
    let place = Place::new("unwritable");
    let error = document.save(place.path.join("a.gltf")).unwrap_err();
    assert_eq!(error.file(), Some(&*place.path.join("a.gltf")));
    assert_eq!(place.names(), [""; 0]);
    // The way out that the message names.
    let body = document.node(0, 12).unwrap();
    document.scenes_mut()[0].skins.remove(body);
    document.scenes_mut()[0].update().unwrap();
    let saved = saved(&document);
    check_file(&saved);
    assert_eq!(value(&text_of(&saved)).get("skins"), None);
}

#[test]
fn a_mesh_without_parts_cannot_be_written() {
    let (_, mut document) = load_yard();
    let house = document.node(0, 1).unwrap();
    document.scenes_mut()[0].mesh_mut(house).unwrap().parts.clear();
    assert_eq!(document.save_bytes(Form::Gltf).unwrap_err().kind(), ErrorKind::Unwritable);
}

#[test]
fn a_geometry_without_vertices_does_not_break_the_file() {
    let (_, mut document) = load_yard();
    let house = document.node(0, 1).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(house).unwrap();
    *mesh.parts[0].geometry.make_mut() = pleach::Geometry::default();
    match document.save_bytes(Form::Gltf) {
        Ok(saved) => check_file(&saved),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Unwritable),
    }
}

#[test]
fn only_gltf_and_glb_are_extensions_to_save_as() {
    let (_, document) = load_yard();
    let place = Place::new("format");
    for name in ["a.obj", "a", "a.gltf.txt", ".glb"] {
        let error = document.save(place.path.join(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{name}");
    }
    assert_eq!(place.names(), [""; 0]);
    document.save(place.path.join("UPPER.GLB")).unwrap();
    assert_eq!(place.names(), ["UPPER.GLB"]);
}

#[test]
fn where_nothing_can_be_written_nothing_is() {
    let (_, document) = load_yard();
    let place = Place::new("io");
    // Below a file; and where a directory is.
    fs::write(place.path.join("file"), "x").unwrap();
    for form in ["gltf", "glb"] {
        let error = document.save(place.path.join(format!("file/a.{form}"))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.file().is_some());
    }
    assert_eq!(place.names(), ["file"]);
    fs::create_dir(place.path.join("taken.glb")).unwrap();
    let error = document.save(place.path.join("taken.glb")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.file(), Some(&*place.path.join("taken.glb")));
    assert_eq!(place.names(), ["file"], "nothing half-written is left");
}

#[test]
fn what_gltf_has_no_word_for_is_reported() {
    type Edit = fn(&mut Scene);
    let edits: [(&str, Edit); 9] = [
        ("ambient", |scene| {
            let node = find(scene, "stone");
            scene.lights.insert(&scene.graph, node, Light::ambient(Vec3::ONE, 1.0)).unwrap();
        }),
        ("matrix", |scene| {
            let node = find(scene, "plan");
            *scene.camera_mut(node).unwrap() = Camera::custom(Mat4::IDENTITY, ClipSpace::default());
        }),
        ("levels of detail", |scene| {
            let (node, level) = (find(scene, "stone"), find(scene, "door"));
            let lod = Lod { levels: vec![Level { node: level, down_to: 0.5 }] };
            scene.lods.insert(&scene.graph, node, lod).unwrap();
        }),
        ("layers", |scene| {
            let node = find(scene, "house");
            scene.mesh_mut(node).unwrap().layers = 6;
        }),
        ("environment", |scene| {
            scene.environment =
                Environment { background: Some(Vec3::X.into()), ..Environment::default() };
        }),
        ("shadows", |scene| {
            let node = find(scene, "house");
            scene.mesh_mut(node).unwrap().cast_shadow = false;
        }),
        ("constraints", |scene| {
            let (node, target) = (find(scene, "stone"), find(scene, "door"));
            let constraint = Constraint::LookAt { target, up: Vec3::Z };
            scene.constraints.set(&scene.graph, node, constraint).unwrap();
        }),
        ("layers of a camera", |scene| {
            let node = find(scene, "plan");
            scene.camera_mut(node).unwrap().layers = 6;
        }),
        ("layers of a light", |scene| {
            let node = find(scene, "sun");
            scene.light_mut(node).unwrap().layers = 6;
        }),
    ];
    let mut silent = Vec::new();
    for (what, edit) in edits {
        let (before, mut document) = load_yard();
        edit(&mut document.scenes_mut()[0]);
        let saved = saved(&document);
        check_file(&saved);
        if saved.report.warnings().len() != 1 {
            silent.push(what);
            continue;
        }
        let found = differences(&before, &text_of(&saved));
        assert!(found.is_empty() || found == ["-/nodes/7/camera"], "{what}: {found:?}");
    }
    assert_eq!(silent, [""; 0], "said nothing of");
}

// ---- Strange files ----

#[test]
fn strange_files_stay_as_they_are() {
    for text in [
        r#"{"asset":{"version":"2.0"}}"#,
        r#"{"asset":{"version":"2.0"},"scenes":[{}]}"#,
        r#"{"asset":{"version":"2.0"},"scenes":[{},{"name":""}],"scene":1}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":""},{"name":"a"},{"name":"a"},{"name":"ü\ud83d\ude00\u0000"},{}],"scenes":[{"nodes":[4,3,2,1,0]}]}"#,
        r#"{"asset":{"version":"2.0"},"extensions":{},"extras":null,"nodes":[{"extensions":{},"extras":[]}],"scenes":[{"nodes":[0],"extensions":{}}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[2,0,0,0,0,2,0,0,0,0,-2,0,1,2,3,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[1,0,0,0,0.5,1,0,0,0,0.1,1,0,0,0,0,1.0]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[-0.0,0,0,0,-0.0,1,0,0,0,0,1e-45,0,-0.0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"rotation":[0,0,0,2]},{"rotation":[0.1,0.2,0.3,0.4]},{"rotation":[0,0,0,-1]},{"rotation":[1e-30,0,0,1]},{"rotation":[0,0.7071,0,0.7071]}],"scenes":[{"nodes":[0,1,2,3,4]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"translation":[-0.0,0,0],"scale":[1,1,1],"rotation":[0,-0.0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"translation":[0.1234567890123456789,1e-50,340282346638528859811704183484516925440.0]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{}],"scenes":[{"nodes":[0]}],"scene":0}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"extensions":{"KHR_node_visibility":{"visible":true,"extras":1}}},{"extensions":{"KHR_node_visibility":{}}}],"scenes":[{"nodes":[0,1]}]}"#,
    ] {
        let document = load(text);
        assert_eq!(text_of(&saved(&document)), text);
        let glb = document.save_bytes(Form::Glb).unwrap();
        assert_eq!(json_of(&glb.bytes).trim_end(), text);
        let y_up = Options::new().keep_y_up().load_bytes(text.as_bytes()).unwrap();
        assert_eq!(text_of(&saved(&y_up)), text, "Y up");
    }
}

#[test]
fn an_edit_elsewhere_leaves_strange_things_alone() {
    // Each has a node called x, which is renamed; the text differs in nothing else.
    for text in [
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":"x","extensions":{},"extras":[]},{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},{"rotation":[0,0,0,2]}],"scenes":[{"nodes":[0,1,2]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":"x","rotation":[0.1,0.2,0.3,0.40],"matrix":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":"x","rotation":[0.1,0.2,0.3,0.40],"camera":0,"light":7,"mesh2":{"a":[{}]}}],"cameras":[{"type":"orthographic","orthographic":{"xmag":-1.0,"ymag":2.0,"zfar":1,"znear":0}}],"scenes":[{"nodes":[0]}]}"#,
    ] {
        for options in [Options::new(), Options::new().keep_y_up()] {
            let mut document = options.load_bytes(text.as_bytes()).unwrap();
            let node = document.node(0, 0).unwrap();
            document.scenes_mut()[0].node_mut(node).unwrap().set_name("y");
            assert_eq!(text_of(&saved(&document)), text.replace("\"x\"", "\"y\""));
        }
    }
}

#[test]
fn a_file_of_nothing_can_be_filled() {
    for text in [
        r#"{"asset":{"version":"2.0"}}"#,
        r#"{"asset":{"version":"2.0"},"scenes":[{}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{}]}"#,
        r#"{ "asset" : { "version" : "2.0" } , "scenes" : [ { } ] , "nodes" : [ { } ] }"#,
    ] {
        let mut document = load(text);
        let Some(scene) = document.scene_mut() else { continue };
        let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
        let paint = scene.assets.add(Material::default());
        scene.spawn(Node::mesh(&cube, &paint).named("cube").hidden()).unwrap();
        checked(&mut document, text);
    }
}

#[test]
fn scenes_that_keep_y_up_are_saved_as_they_are() {
    let (text, files) = yard();
    let load = || Options::new().keep_y_up().load_with(text.as_bytes().to_vec(), &files).unwrap();
    assert_eq!(text_of(&saved(&load())), text);
    let mut document = load();
    let scene = &mut document.scenes_mut()[0];
    scene.spawn(Node::group().named("bird").at(Vec3::new(1.0, 2.0, 3.0))).unwrap();
    let after = text_of(&saved(&document));
    assert_differences(
        &text,
        &after,
        &[
            "+/nodes/15 = {\"name\":\"bird\",\"translation\":[1,2,3]}",
            "/scenes/0/nodes = [0,1,3,5,6,7,8,13,14,15]",
        ],
    );
    // The root moved.
    let mut document = load();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let saved = saved(&document);
    check_file(&saved);
    let json = value(&text_of(&saved));
    assert_eq!(json["scenes"][0]["nodes"], serde_json::json!([15]));
}

#[test]
fn extensions_are_listed_once_and_only_when_used() {
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{},{}],"scenes":[{"nodes":[0,1]}]}"#;
    let mut document = load(text);
    for index in 0..2 {
        let node = document.node(0, index).unwrap();
        let scene = &mut document.scenes_mut()[0];
        scene.node_mut(node).unwrap().set_visible(false);
        scene.lights.insert(&scene.graph, node, Light::point(Vec3::ONE, 1.0)).unwrap();
    }
    let after = checked(&mut document, "extensions");
    let mut listed = value(&after)["extensionsUsed"].as_array().unwrap().clone();
    listed.sort_by_key(|it| it.to_string());
    assert_eq!(listed, ["KHR_lights_punctual", "KHR_node_visibility"]);
    assert_eq!(value(&after).get("extensionsRequired"), None);
    assert_eq!(
        value(&after)["extensions"]["KHR_lights_punctual"]["lights"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn a_compressed_mesh_that_is_edited_is_written_plain() {
    const PACKED: [&str; 5] = ["Draco", "Meshopt", "Quantized", "Sparse", "Interleaved"];
    for (path, mut document) in opened() {
        let what = path.display().to_string();
        if !PACKED.iter().any(|it| what.contains(it)) {
            continue;
        }
        let scene = &mut document.scenes_mut()[0];
        let shown: Vec<NodeId> = scene.meshes.iter(&scene.graph).map(|it| it.0).collect();
        for node in shown {
            for part in &mut scene.mesh_mut(node).unwrap().parts {
                part.geometry.make_mut().positions[0].x += 0.125;
            }
        }
        checked(&mut document, &what);
    }
}

// ---- Where bytes go ----

/// The yard as a `.glb` with a chunk, with its wood beside it and more in a file.
fn mixed_yard(extra: &str) -> (Vec<u8>, Files) {
    let (text, mut files) = yard();
    let bytes = files.remove("data.bin").unwrap();
    let text = text.replace("\"uri\": \"data.bin\", ", "").replace(
        " } ],\n  \"extras\"",
        &format!(" }}, {{ \"uri\": \"{extra}\", \"byteLength\": 3 }} ],\n  \"extras\""),
    );
    files.insert(extra.into(), Bytes::from(vec![7, 8, 9]));
    let mut json = text.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut chunk = bytes.to_vec();
    chunk.resize(chunk.len().next_multiple_of(4), 0);
    (glb_of(&[(b"JSON", &json), (b"BIN\0", &chunk)]), files)
}

#[test]
fn a_glb_with_files_beside_it_keeps_them_apart() {
    // Also if one is called as that for new bytes would be.
    for extra in ["more.bin", "buffer.bin"] {
        let (glb, files) = mixed_yard(extra);
        let mut document = Options::new().load_with(glb.clone(), &files).unwrap();
        assert!(document.save_bytes(Form::Glb).unwrap().bytes == glb, "{extra}");
        for is_edited in [false, true] {
            if is_edited {
                let node = document.node(0, 1).unwrap();
                let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
                mesh.parts[0].geometry.make_mut().positions[0].z = -1.0;
            }
            checked(&mut document, extra);
            for form in FORMS {
                let saved = document.save_bytes(form).unwrap();
                let kept = saved.files.iter().find(|it| it.0 == extra);
                assert_eq!(kept.map(|it| it.1.to_vec()), Some(vec![7, 8, 9]), "{extra} {form:?}");
            }
        }
    }
}

#[test]
fn a_glb_of_nothing_but_files_beside_it_grows_elsewhere() {
    let (text, files) = yard();
    for name in ["data.bin", "buffer.bin"] {
        let mut files = files.clone();
        let bytes = files.remove("data.bin").unwrap();
        files.insert(name.into(), bytes.clone());
        let mut json = text.replace("data.bin", name).into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let glb = glb_of(&[(b"JSON", &json)]);
        let mut document = Options::new().load_with(glb.clone(), &files).unwrap();
        assert!(document.save_bytes(Form::Glb).unwrap().bytes == glb, "{name}");
        let node = document.node(0, 1).unwrap();
        let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
        mesh.parts[0].geometry.make_mut().positions[0].z = -1.0;
        checked(&mut document, name);
        let saved = document.save_bytes(Form::Glb).unwrap();
        let kept = &saved.files.iter().find(|it| it.0 == name).unwrap().1;
        assert_eq!(kept[..bytes.len()], *bytes, "{name}");
    }
}

#[test]
fn data_uris_stay_in_a_gltf_and_move_into_a_glb() {
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":3,"uri":"data:;base64,AQID"},{"byteLength":5,"name":"b","uri":"data:application/octet-stream;base64,BAUGBwg="}],"bufferViews":[{"buffer":1,"byteLength":4,"byteOffset":1},{"buffer":0,"byteLength":2},{"buffer":1,"byteLength":5,"extras":{"x":1.0}}],"images":[{"uri":"data:image/png;base64,iVBORw0KGgo="},{"bufferView":0,"mimeType":"image/png"}]}"#;
    let document = load(text);
    assert_eq!(text_of(&saved(&document)), text);
    let glb = document.save_bytes(Form::Glb).unwrap();
    check_file(&glb);
    assert!(glb.files.is_empty());
    let chunks = chunks_of(&glb.bytes);
    assert_eq!(chunks[1].1, [1, 2, 3, 0, 4, 5, 6, 7, 8, 0, 0, 0]);
    assert_differences(
        text,
        &json_of(&glb.bytes),
        &[
            "/bufferViews/0/buffer = 0",
            "/bufferViews/0/byteOffset = 5",
            "/bufferViews/2/buffer = 0",
            "+/bufferViews/2/byteOffset = 4",
            "/buffers/0/byteLength = 9",
            "-/buffers/0/uri",
            "-/buffers/1",
        ],
    );
}

#[test]
fn images_of_one_file_become_views_of_the_chunk() {
    let text = r#"{"asset":{"version":"2.0"},"images":[{"uri":"a%20b.png"},{"uri":"a%20b.png","name":"twice"},{"uri":"c.webp","mimeType":"image/webp"}]}"#;
    let files = Files::from([
        ("a b.png".into(), Bytes::from(b"\x89PNG\r\n\x1a\n".to_vec())),
        ("c.webp".into(), Bytes::from(b"RIFF\x04\0\0\0WEBP!".to_vec())),
    ]);
    let document = load_with(text, &files);
    assert_eq!(text_of(&saved(&document)), text);
    let glb = document.save_bytes(Form::Glb).unwrap();
    check_file(&glb);
    assert!(glb.files.is_empty());
    let back = again(&glb);
    for (one, other) in document.images().iter().zip(back.images()) {
        let bytes = |it: &Image| match &it.data {
            pleach::ImageData::Encoded { bytes, .. } => bytes.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(bytes(one), bytes(other));
        assert_eq!(one.name, other.name);
    }
    // Left on disk, they stay names.
    let left = Options::new().leave_images().load_with(text.as_bytes().to_vec(), &files).unwrap();
    assert_eq!(json_of(&left.save_bytes(Form::Glb).unwrap().bytes).trim_end(), text);
}

// ---- Odd edits ----

#[test]
fn another_scene_in_its_place_takes_over_nothing_of_the_old() {
    let (_, mut document) = load_yard();
    let mut built = Scene::named("built");
    for number in 0..20 {
        built.spawn(Node::group().named(format!("n{number}"))).unwrap();
    }
    built.update().unwrap();
    document.replace_scene(0, built).unwrap();
    let after = checked(&mut document, "another scene");
    for piece in ["price", "unknown", "VENDOR_glow\": { \"halo\": 1.0"] {
        assert!(!after[..after.find("\"meshes\"").unwrap()].contains(piece), "{piece} in {after}");
    }
}

#[test]
fn scenes_that_change_places_stay_whole() {
    let mut document = load(SHARED);
    document.scenes_mut().swap(0, 1);
    let shapes = [shape_of(&document.scenes()[0]), shape_of(&document.scenes()[1])];
    checked(&mut document, "swapped");
    let back = again(&saved(&document));
    assert_eq!([shape_of(&back.scenes()[0]), shape_of(&back.scenes()[1])], shapes);
}

/// The names in a scene.
fn shape_of(scene: &Scene) -> Vec<String> {
    describe(scene).iter().map(|it| it.split(" at ").next().unwrap().to_string()).collect()
}

#[test]
fn what_no_scene_lists_can_be_edited() {
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"a"},{"name":"b","children":[2]},{"name":"c"}],"scenes":[{"nodes":[0]}]}"#;
    let mut document = load(text);
    let c = document.node(1, 2).unwrap();
    let outside = document.outside_mut().unwrap();
    outside.node_mut(c).unwrap().set_translation(Vec3::X).unwrap();
    outside.spawn(Node::group().named("d").under(c)).unwrap();
    let after = checked(&mut document, "outside");
    assert_differences(
        text,
        &after,
        &[
            "+/nodes/2/children = [3]",
            "+/nodes/2/translation = [1,0,0]",
            "+/nodes/3 = {\"name\":\"d\"}",
        ],
    );
    let mut document = load(text);
    let b = document.node(1, 1).unwrap();
    document.outside_mut().unwrap().remove(b).unwrap();
    let after = checked(&mut document, "outside");
    assert_differences(text, &after, &["-/nodes/1", "-/nodes/2"]);
}

#[test]
fn names_of_targets_go_into_extras_of_any_kind() {
    for extras in
        ["5", "[1, 2.0]", "\"text\"", "null", "{}", "{\"targetNames\":7}", "{\"targetNames\":[]}"]
    {
        let (text, files) = yard();
        let text = text.replace("{ \"targetNames\": [ \"big\" ], \"n\": 1.0 }", extras);
        let mut document = load_with(&text, &files);
        assert_eq!(text_of(&saved(&document)), text);
        let body = document.node(0, 12).unwrap();
        let mesh = document.scenes_mut()[0].mesh_mut(body).unwrap();
        mesh.parts[0].geometry.make_mut().morph_targets[0].name = Some("wide".into());
        let after = text_of(&saved(&document));
        assert_eq!(value(&after)["meshes"][2]["extras"]["targetNames"][0], "wide", "{extras}");
    }
}

#[test]
fn a_name_of_a_target_can_be_taken_away() {
    let (_, mut document) = load_yard();
    let body = document.node(0, 12).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(body).unwrap();
    mesh.parts[0].geometry.make_mut().morph_targets[0].name = None;
    let back = again(&saved(&document));
    let scene = &back.scenes()[0];
    let target = &scene.mesh(find(scene, "body")).unwrap().parts[0].geometry.morph_targets[0];
    assert!(target.name.as_deref().unwrap_or_default().is_empty(), "{:?}", target.name);
}

#[test]
fn a_skin_with_other_joints_is_another_skin() {
    let (before, mut document) = load_yard();
    let [body, hip, knee, foot] = [12, 9, 10, 11].map(|it| document.node(0, it).unwrap());
    let scene = &mut document.scenes_mut()[0];
    let skin = Skin::new(vec![foot, knee, hip], vec![Mat4::IDENTITY; 3]).unwrap();
    scene.skins.insert(&scene.graph, body, skin).unwrap();
    let after = checked(&mut document, "other joints");
    let found = differences(&before, &after);
    let changed: Vec<&str> = found.iter().map(|it| it.split(" = ").next().unwrap()).collect();
    // Changed in place, or added.
    assert!(
        changed.iter().all(|it| [
            "+/accessors",
            "+/bufferViews",
            "+/buffers",
            "/skins",
            "+/skins",
            "-/skins",
            "/nodes/12/skin"
        ]
        .iter()
        .any(|start| it.starts_with(start))),
        "{changed:?}"
    );
}

#[test]
fn a_skeleton_that_is_gone_is_left_out() {
    // Its joints were taken out of it before.
    let (_, mut document) = load_yard();
    let [figure, hip, body] = [8, 9, 12].map(|it| document.node(0, it).unwrap());
    let turn = document.turn(0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    scene.graph.attach(hip, turn).unwrap();
    scene.graph.attach(body, turn).unwrap();
    scene.remove(figure).unwrap();
    scene.update().unwrap();
    let after = checked(&mut document, "no skeleton");
    let skins = value(&after)["skins"].clone();
    assert_eq!(skins.as_array().unwrap().len(), 1, "{skins}");
    assert_eq!(skins[0].get("skeleton"), None);
}

#[test]
fn a_copy_of_an_animation_is_a_copy() {
    let (_, mut document) = load_yard();
    let copy = document.animations()[0].clone();
    document.animations_mut().push(copy);
    let saved = saved(&document);
    check_file(&saved);
    let back = again(&saved);
    assert_eq!(back.animations().len(), 3);
    assert_eq!(back.animations()[2].clip().channels(), document.animations()[0].clip().channels());
    let is_told = !saved.report.is_empty();
    assert!(back.animations()[2].shown_count() == 1 || is_told, "it shows and hides no more");
}

#[test]
fn animations_of_the_file_keep_its_order() {
    let (_, mut document) = load_yard();
    document.animations_mut().swap(0, 1);
    let back = again(&saved(&document));
    let names: Vec<&str> = back.animations().iter().map(|it| it.clip().name()).collect();
    assert_eq!(names, ["walk", "swing"]);
}

#[test]
fn parts_come_and_go() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        let part = scene.mesh(node).unwrap().parts[0].clone();
        scene.mesh_mut(node).unwrap().parts.push(part);
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/meshes/0/primitives/1 = {\"attributes\":{\"NORMAL\":3,\"POSITION\":0},\"indices\":1,\"material\":0}",
        ],
    );
    let (before, after) = scene_after(|scene| {
        let (house, door) = (find(scene, "house"), find(scene, "door"));
        let mesh = scene.mesh(door).unwrap().clone();
        scene.meshes.insert(&scene.graph, house, mesh).unwrap();
    });
    assert_differences(&before, &after, &["/nodes/1/mesh = 1"]);
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "trees");
        scene.meshes.remove(node);
    });
    assert_differences(&before, &after, &["-/nodes/13/extensions", "-/nodes/13/mesh"]);
}

// ---- Many edits ----

#[derive(Clone, Copy, Debug)]
enum Edit {
    Rename,
    Move,
    Matrix,
    Hide,
    Reparent,
    Reorder,
    Detach,
    Remove,
    Spawn,
    SpawnAtTop,
    Mesh,
    Geometry,
    Material,
    Camera,
    Light,
    Weights,
    Animation,
    RemoveAnimation,
    SwapMeshes,
}

const EDITS: [Edit; 19] = [
    Edit::Rename,
    Edit::Move,
    Edit::Matrix,
    Edit::Hide,
    Edit::Reparent,
    Edit::Reorder,
    Edit::Detach,
    Edit::Remove,
    Edit::Spawn,
    Edit::SpawnAtTop,
    Edit::Mesh,
    Edit::Geometry,
    Edit::Material,
    Edit::Camera,
    Edit::Light,
    Edit::Weights,
    Edit::Animation,
    Edit::RemoveAnimation,
    Edit::SwapMeshes,
];

/// Does something to a document; what cannot be done is not.
fn apply(document: &mut Document, edit: Edit, dice: &mut Dice) {
    let count = document.scenes().len();
    if count == 0 {
        return;
    }
    let number = dice.below(count);
    let turn = document.turn(number);
    let scene = &mut document.scenes_mut()[number];
    let root = scene.root();
    let nodes: Vec<NodeId> = scene.graph.node(root).unwrap().descendants().collect();
    let nodes: Vec<NodeId> =
        nodes.into_iter().filter(|&it| it != root && Some(it) != turn).collect();
    if nodes.is_empty() {
        return;
    }
    let node = nodes[dice.below(nodes.len())];
    let other = nodes[dice.below(nodes.len())];
    let is_joint = |scene: &Scene, top: NodeId| {
        let below: Vec<NodeId> = scene.node(top).unwrap().descendants().collect();
        scene
            .skins
            .iter(&scene.graph)
            .any(|(_, skin)| skin.joints.iter().any(|it| below.contains(it) || *it == top))
    };
    match edit {
        Edit::Rename => {
            let name = ["", "é\"\\", "Z up", "x\u{1}"][dice.below(4)];
            scene.node_mut(node).unwrap().set_name(name);
        }
        Edit::Move => {
            let to = Vec3::new(dice.tame(), dice.tame(), dice.tame());
            scene.node_mut(node).unwrap().set_translation(to).unwrap();
        }
        Edit::Matrix => {
            let mut matrix = Mat4::from_translation(Vec3::new(dice.tame(), 1.0, 2.0));
            matrix.y_axis.x = dice.tame();
            scene.node_mut(node).unwrap().set_local_matrix(matrix).unwrap();
        }
        Edit::Hide => {
            let is_visible = scene.node(node).unwrap().is_visible();
            scene.node_mut(node).unwrap().set_visible(!is_visible);
        }
        Edit::Reparent => _ = scene.graph.attach(node, other),
        Edit::Reorder => _ = scene.graph.attach_before(node, other),
        Edit::Detach if !is_joint(scene, node) => scene.graph.detach(node).unwrap(),
        Edit::Remove if !is_joint(scene, node) => _ = scene.remove(node).unwrap(),
        Edit::Detach | Edit::Remove => {}
        Edit::Spawn => _ = scene.spawn(Node::group().named("new").under(node)).unwrap(),
        Edit::SpawnAtTop => _ = scene.spawn(Node::group().named("top")).unwrap(),
        Edit::Mesh => {
            let size = Vec3::splat(1.0 + dice.below(3) as f32);
            let cube = scene.assets.add(Cuboid::new(size).build().unwrap());
            let paint = scene.assets.add(Material::from_color(Vec4::ONE));
            if scene.skin(node).is_none() {
                let mesh = Mesh::of_parts(vec![Part { geometry: cube, material: paint }]);
                scene.meshes.insert(&scene.graph, node, mesh).unwrap();
                scene.weights.remove(node);
            }
        }
        Edit::Geometry => {
            if let Some(mesh) = scene.mesh_mut(node) {
                let geometry = mesh.parts[0].geometry.make_mut();
                geometry.positions[0] = Vec3::new(dice.tame(), -0.0, 1.0);
            }
        }
        Edit::Material => {
            if let Some(mesh) = scene.mesh_mut(node) {
                let material = mesh.parts[0].material.make_mut();
                material.roughness = 0.125 * dice.below(8) as f32;
                material.ior = 1.25;
            }
        }
        Edit::Camera => {
            let camera = Camera::perspective(0.5 + 0.25 * dice.below(2) as f32, 1.5);
            scene.cameras.insert(&scene.graph, node, camera).unwrap();
        }
        Edit::Light => {
            let light = Light::point(Vec3::ONE, dice.below(3) as f32);
            scene.lights.insert(&scene.graph, node, light).unwrap();
        }
        Edit::Weights => {
            if let Some(weights) = scene.weights.get_mut(&scene.graph, node)
                && !weights.is_empty()
            {
                weights[0] = 0.5 * dice.below(3) as f32;
            }
        }
        Edit::Animation => {
            // One cannot animate what has a matrix.
            let matrix = |it: NodeId| scene.node(it).unwrap().has_local_matrix();
            if node != other && !matrix(node) && !matrix(other) {
                let binding = Binding::new(clip("new", dice.tame()), [node, other]).unwrap();
                document.add_animation(number, &binding);
            }
        }
        Edit::RemoveAnimation => {
            let animations = document.animations_mut();
            if !animations.is_empty() {
                let which = dice.below(animations.len());
                animations.remove(which);
            }
        }
        Edit::SwapMeshes => {
            let skinned = [node, other].iter().any(|it| scene.skin(*it).is_some());
            if !skinned && node != other {
                let (one, two) = (scene.meshes.remove(node), scene.meshes.remove(other));
                let weights = (scene.weights.remove(node), scene.weights.remove(other));
                let graph = &scene.graph;
                two.map(|it| scene.meshes.insert(graph, node, it).unwrap());
                one.map(|it| scene.meshes.insert(graph, other, it).unwrap());
                weights.1.map(|it| scene.weights.insert(graph, node, it).unwrap());
                weights.0.map(|it| scene.weights.insert(graph, other, it).unwrap());
            }
        }
    }
}

/// Edits, and checks the file after each; animations of nodes with matrices are not asked for.
fn play(mut document: Document, seed: u64, what: &str) {
    let mut dice = Dice(seed);
    let mut done = Vec::new();
    for _ in 0..8 {
        let edit = EDITS[dice.below(EDITS.len())];
        done.push(edit);
        apply(&mut document, edit, &mut dice);
        let what = format!("{what}, seed {seed}, after {done:?}");
        for scene in document.scenes_mut() {
            scene.update().unwrap_or_else(|fault| panic!("{what}: {fault}"));
        }
        for form in FORMS {
            let saved = match document.save_bytes(form) {
                Ok(saved) => saved,
                // What was detached may have had this joint.
                Err(fault) if fault.to_string().contains("joint") => return,
                Err(fault) => panic!("{what}: {fault}"),
            };
            // A matrix on an animated node is the editor's fault.
            let faults: Vec<String> =
                faults(&saved).into_iter().filter(|it| !it.contains("has a matrix")).collect();
            assert!(
                faults.is_empty(),
                "{what}:\n{}\nin {}",
                faults.join("\n"),
                json_of(&saved.bytes)
            );
            let back = again(&saved);
            for (one, other) in document.scenes().iter().zip(back.scenes()) {
                assert_same_scene(one, other, &what);
            }
            let twice = back.save_bytes(form).unwrap();
            assert!(twice.bytes == saved.bytes, "{what}: {form:?} differs when saved once more");
        }
        // Go on from the file, now and then.
        if dice.below(3) == 0 {
            document = again(&document.save_bytes(FORMS[dice.below(2)]).unwrap());
        }
    }
}

/// So many seeds, or as `PLEACH_ROUNDS` says.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let given = std::env::var("PLEACH_ROUNDS").ok().and_then(|it| it.parse().ok());
    0..given.unwrap_or(usual)
}

#[test]
fn any_edits_of_the_yard_come_back() {
    for seed in seeds(15) {
        play(load_yard().1, seed, "the yard");
    }
}

#[test]
fn any_edits_with_y_up_come_back() {
    let (text, files) = yard();
    for seed in seeds(10) {
        let mut dice = Dice(seed);
        let options = Options::new().keep_y_up();
        let mut document = options.load_with(text.as_bytes().to_vec(), &files).unwrap();
        for _ in 0..8 {
            let edit = EDITS[dice.below(EDITS.len())];
            apply(&mut document, edit, &mut dice);
            document.scenes_mut()[0].update().unwrap();
            let saved = document.save_bytes(Form::Glb).unwrap();
            let back = options.load_with(saved.bytes, &Files::new()).unwrap();
            let what = format!("Y up, seed {seed}, after {edit:?}");
            assert_same_scene(&document.scenes()[0], &back.scenes()[0], &what);
        }
    }
}

#[test]
fn any_edits_of_two_yards_in_one_file_come_back() {
    let (text, files) = yard();
    let text = text.replace("\"scenes\": [ ", "\"scenes\": [ { \"nodes\": [ 8, 3 ] }, ");
    for seed in seeds(15) {
        play(load_with(&text, &files), seed, "two scenes");
    }
}

#[test]
fn any_edits_of_models_come_back() {
    let is_long = std::env::var_os("PLEACH_ROUNDS").is_some();
    for (number, (path, document)) in opened().enumerate() {
        let what = path.display().to_string();
        // Long chains of nodes take long in words, and large files when they are not optimised.
        let size: usize = document.save_bytes(Form::Glb).unwrap().bytes.len();
        if what.contains("DeepChain") || (size > 50_000 && !is_long) {
            continue;
        }
        for seed in seeds(1) {
            // Not the same edits for each.
            let seed = seed + 1000 * number as u64;
            play(pleach_gltf::load(&path).unwrap(), seed, &what);
        }
    }
}
