//! Materials, cameras and lights: an asset with one user is edited in place, a shared asset is
//! cloned.

use pleach::glam::{Vec3, Vec4};
use pleach::{Camera, Image, Light, Projection};

use super::save_and_check::scene_after;
use crate::common_save::{assert_differences, differences, find, value};

#[test]
fn a_material_of_one_mesh_is_edited_in_place() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "body");
        scene.mesh_mut(node).unwrap().parts[0].material.make_unique().edit(|material| {
            material.base_color = Vec4::new(0.5, 1.0, 1.0, 1.0);
            material.unlit = true;
        });
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
fn a_material_of_two_meshes_is_cloned_for_one() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        scene.mesh_mut(node).unwrap().parts[0]
            .material
            .make_unique()
            .edit(|it| it.roughness = 0.75);
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/materials/2 = {\"extras\":{\"grain\":1.0},\"name\":\"wood\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"texCoord\":0},\"roughnessFactor\":0.75}}",
            "/meshes/1/primitives/0/material = 2",
        ],
    );
    // The same edit for both users.
    let (before, after) = scene_after(|scene| {
        let nodes = ["house", "door"].map(|name| find(scene, name));
        let mut material = scene.mesh(nodes[0]).unwrap().parts[0].material.clone();
        material.make_unique().edit(|it| it.roughness = 0.75);
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
    // A part without a material gets one, and a part loses its material.
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
fn a_texture_with_another_image_is_added() {
    let (before, after) = scene_after(|scene| {
        let image = Image::from_encoded("image/png", b"\x89PNG\r\n\x1a\nnew".to_vec());
        let image = scene.assets.add(image.named("new wood"));
        let nodes = ["house", "door"].map(|name| find(scene, name));
        let mut material = scene.mesh(nodes[0]).unwrap().parts[0].material.clone();
        material.make_unique().edit(|it| it.base_color_texture.as_mut().unwrap().image = image);
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
    // No texture at all.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "door");
        let material = scene.mesh_mut(node).unwrap().parts[0].material.make_unique();
        material.edit(|it| it.base_color_texture = None);
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

pub(crate) fn set_far(camera: &mut Camera, to: f32) {
    match &mut camera.projection {
        Projection::Perspective { far, .. } | Projection::Orthographic { far, .. } => *far = to,
        Projection::Custom(_) => unreachable!(),
    }
}

#[test]
fn a_camera_of_one_node_is_edited_in_place() {
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
    // Another projection.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "plan");
        *scene.camera_mut(node).unwrap() = Camera::perspective(0.5).with_aspect(1.5);
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
fn a_camera_of_two_nodes_is_cloned_for_one() {
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "right eye");
        set_far(scene.camera_mut(node).unwrap(), f32::INFINITY);
    });
    let found = differences(&before, &after);
    assert_eq!(found.len(), 2, "{found:?}");
    let camera = &value(&after)["cameras"][2];
    assert!(camera["perspective"].get("zfar").is_none(), "{camera}");
    assert_eq!(camera["perspective"]["znear"].as_f64(), Some(0.1));
    assert_eq!(camera["name"], "eye", "a clone has the members of the original");
    assert_eq!(found[1], "/nodes/6/camera = 2");

    // Values that glTF cannot represent do not add a camera.
    let (before, after) = scene_after(|scene| {
        let (left, right) = (find(scene, "left eye"), find(scene, "right eye"));
        scene.camera_mut(left).unwrap().layers = 1;
        set_far(scene.camera_mut(right).unwrap(), 7.0);
    });
    let found = differences(&before, &after);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[1], "/nodes/6/camera = 2");

    // The same edit for both users.
    let (before, after) = scene_after(|scene| {
        for name in ["left eye", "right eye"] {
            let node = find(scene, name);
            set_far(scene.camera_mut(node).unwrap(), 7.0);
        }
    });
    assert_differences(&before, &after, &["/cameras/0/perspective/zfar = 7"]);
}

#[test]
fn lights_are_edited_like_cameras() {
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
