//! Edits of nodes: names, transforms, parents, order, added and removed nodes.

use pleach::glam::{Mat4, Quat, Vec3, Vec4};
use pleach::{Material, Node, Transform};

use super::save_and_check::{accessor, save_and_check, scene_after, yard_after};
use crate::common_save::{assert_differences, differences, find, load_yard, with};

#[test]
fn renaming_changes_only_the_name() {
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
fn transforms_change_only_their_members() {
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
fn a_matrix_replaces_translation_rotation_and_scale_and_vice_versa() {
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
fn visibility_changes_only_its_extension() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "stone");
        scene.node_mut(node).unwrap().set_visible(false);
    });
    assert_differences(
        &before,
        &after,
        &["+/nodes/0/extensions = {\"KHR_node_visibility\":{\"visible\":false}}"],
    );

    // An animation pointer references the extension, so it must stay.
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
fn reparenting_changes_children() {
    let (before, after) = scene_after(|scene| {
        let (stone, house) = (find(scene, "stone"), find(scene, "house"));
        scene.graph.attach_at(stone, house, 0).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &["/nodes/1/children = [0,2]", "/scenes/0/nodes = [1,3,5,6,7,8,13,14]"],
    );

    // A new root, as a child of the up-axis node.
    let (before, after) = yard_after(|document| {
        let (door, up_axis_node) =
            (document.node(0, 2).unwrap(), document.up_axis_node(0).unwrap());
        document.scenes_mut()[0].graph.attach(door, up_axis_node).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &["-/nodes/1/children", "/scenes/0/nodes = [0,1,3,5,6,7,8,13,14,2]"],
    );
}

#[test]
fn reordering_children_is_an_edit() {
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
fn a_new_node_is_appended() {
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
fn a_mesh_built_in_code_is_appended() {
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
fn removing_a_leaf_renumbers_the_nodes_after_it() {
    let (before, mut document) = load_yard();
    let stone = document.node(0, 0).unwrap();
    document.scenes_mut()[0].remove(stone).unwrap();
    let after = save_and_check(&mut document, "without the stone");
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
    // Entries are written unchanged.
    for piece in
        ["12.50, \"tags\": [ \"old\\/red\", \"\\u00e9\" ] }", "[ 0.10, 0, 0 ]", "9.0,0,1 ]"]
    {
        assert!(after.contains(piece), "{piece}");
    }
    // Everything except nodes is unchanged.
    let rest = |text: &str| {
        text[text.find("\"meshes\"").unwrap()..text.find("\"skins\"").unwrap()].to_string()
    };
    assert_eq!(rest(&after), rest(&before));
}
