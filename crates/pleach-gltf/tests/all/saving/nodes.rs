//! Edits of nodes: names, transforms, parents, order, and nodes that come and go.

use pleach::glam::{Mat4, Quat, Vec3, Vec4};
use pleach::{Material, Node, Transform};

use super::checked::{accessor, checked, scene_after, yard_after};
use crate::common_save::{assert_differences, differences, find, load_yard, with};

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
        let (door, turn) = (document.node(0, 2).unwrap(), document.up_axis_node(0).unwrap());
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
