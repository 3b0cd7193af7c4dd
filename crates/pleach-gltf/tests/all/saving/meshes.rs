//! Edits of meshes: an attribute, a morph target or a part changes, and the others stay.

use pleach::glam::Vec3;
use pleach::{MorphTarget, NodeId, Topology};

use super::save_and_check::{accessor, save_and_check, scene_after};
use crate::common_save::{
    again, assert_differences, find, load_with, load_yard, sample_models, saved, text_of, value,
    yard,
};

#[test]
fn edited_positions_leave_other_attributes_unchanged() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        let part = &mut scene.mesh_mut(node).unwrap().parts[0];
        part.geometry.make_unique().edit(|it| it.positions[1] = Vec3::new(3.0, -0.5, 0.0));
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
fn edited_indices_change_nothing_else() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        let part = &mut scene.mesh_mut(node).unwrap().parts[0];
        part.geometry.make_unique().edit(|it| it.indices = Some(vec![2, 1, 0, 0, 1, 2]));
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
        scene.mesh_mut(node).unwrap().parts[0].geometry.make_unique().edit(|it| it.indices = None);
    });
    assert_differences(&before, &after, &["-/meshes/0/primitives/0/indices"]);
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "house");
        scene.mesh_mut(node).unwrap().parts[0]
            .geometry
            .make_unique()
            .edit(|it| it.topology = Topology::LineLoop);
    });
    assert_differences(&before, &after, &["+/meshes/0/primitives/0/mode = 2"]);
}

#[test]
fn an_edited_morph_target_changes_nothing_else() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        let geometry = scene.mesh_mut(node).unwrap().parts[0].geometry.make_unique();
        geometry.edit(|it| it.morph_targets[0].positions[0] = Vec3::new(1.0, 0.5, -1.0));
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
    // A further target with a name also gets a weight.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        let geometry = scene.mesh_mut(node).unwrap().parts[0].geometry.make_unique();
        let wide = MorphTarget::from_positions(vec![Vec3::X; 3]).named("wide");
        geometry.edit(|it| it.morph_targets.push(wide));
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
fn a_geometry_of_two_nodes_is_edited_for_one() {
    let (text, files) = yard();
    let text = text.replace("\"name\": \"stone\",", "\"name\": \"stone\", \"mesh\": 0,");
    let mut document = load_with(&text, &files);
    let node = document.node(0, 0).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    mesh.parts[0].geometry.make_unique().edit(|it| it.normals.clear());
    let after = save_and_check(&mut document, "one of two");
    // A clone of the mesh, with its name and extras.
    assert_differences(
        &text,
        &after,
        &[
            "+/meshes/4 = {\"name\":\"walls\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extras\":{},\"indices\":1,\"material\":0}]}",
            "/nodes/0/mesh = 4",
        ],
    );
    // The same edit for both.
    let mut document = load_with(&text, &files);
    let (stone, house) = (document.node(0, 0).unwrap(), document.node(0, 1).unwrap());
    let scene = &mut document.scenes_mut()[0];
    let mut geometry = scene.mesh(stone).unwrap().parts[0].geometry.clone();
    geometry.make_unique().edit(|it| it.normals.clear());
    for node in [stone, house] {
        scene.mesh_mut(node).unwrap().parts[0].geometry = geometry.clone();
    }
    let after = save_and_check(&mut document, "both");
    assert_differences(&text, &after, &["-/meshes/0/primitives/0/attributes/NORMAL"]);
}

#[test]
fn an_edited_compressed_mesh_is_written_uncompressed() {
    const PACKED: [&str; 5] = ["Draco", "Meshopt", "Quantized", "Sparse", "Interleaved"];
    for (path, mut document) in sample_models() {
        let what = path.display().to_string();
        if !PACKED.iter().any(|it| what.contains(it)) {
            continue;
        }
        let scene = &mut document.scenes_mut()[0];
        let shown: Vec<NodeId> = scene.meshes.iter(&scene.graph).map(|it| it.0).collect();
        for node in shown {
            for part in &mut scene.mesh_mut(node).unwrap().parts {
                part.geometry.make_unique().edit(|it| it.positions[0].x += 0.125);
            }
        }
        save_and_check(&mut document, &what);
    }
}

#[test]
fn target_names_are_written_into_any_kind_of_extras() {
    for extras in
        ["5", "[1, 2.0]", "\"text\"", "null", "{}", "{\"targetNames\":7}", "{\"targetNames\":[]}"]
    {
        let (text, files) = yard();
        let text = text.replace("{ \"targetNames\": [ \"big\" ], \"n\": 1.0 }", extras);
        let mut document = load_with(&text, &files);
        assert_eq!(text_of(&saved(&document)), text);
        let body = document.node(0, 12).unwrap();
        let mesh = document.scenes_mut()[0].mesh_mut(body).unwrap();
        mesh.parts[0]
            .geometry
            .make_unique()
            .edit(|it| it.morph_targets[0].name = Some("wide".into()));
        let after = text_of(&saved(&document));
        assert_eq!(value(&after)["meshes"][2]["extras"]["targetNames"][0], "wide", "{extras}");
    }
}

#[test]
fn a_target_name_can_be_removed() {
    let (_, mut document) = load_yard();
    let body = document.node(0, 12).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(body).unwrap();
    mesh.parts[0].geometry.make_unique().edit(|it| it.morph_targets[0].name = None);
    let back = again(&saved(&document));
    let scene = &back.scenes()[0];
    let target = &scene.mesh(find(scene, "body")).unwrap().parts[0].geometry.get().morph_targets[0];
    assert!(target.name.as_deref().unwrap_or_default().is_empty(), "{:?}", target.name);
}

#[test]
fn parts_are_added_and_removed() {
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
