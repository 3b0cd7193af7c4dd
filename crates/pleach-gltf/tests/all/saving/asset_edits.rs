//! Assets that were edited in place: the file's entries are edited, for all that use them.

use pleach::glam::{Vec3, Vec4};
use pleach::{Image, ImageData};

use super::save_and_check::{accessor, scene_after, yard_after};
use crate::common_save::{assert_differences, find, value};

#[test]
fn d_shared_material_edit_is_saved_in_place_and_nothing_else_changes() {
    let (before, after) = scene_after(|scene| {
        let door = find(scene, "door");
        scene.mesh(door).unwrap().parts[0].material.edit(|it| it.roughness = 0.75);
    });
    // Both meshes that use it are unchanged, and every other byte.
    assert_eq!(after, before.replace("\"roughnessFactor\": 0.50", "\"roughnessFactor\": 0.75"));
    assert_ne!(after, before);
}

#[test]
fn d_shared_material_edit_that_was_undone_is_saved_without_a_change() {
    let (before, after) = yard_after(|document| {
        let material = &document.materials()[0];
        let old = material.snapshot();
        material.edit(|it| it.base_color = Vec4::ZERO);
        material.set(old.value().clone());
        let image = &document.images()[0];
        image.edit(|_| ());
        let scene = &document.scenes()[0];
        scene.mesh(find(scene, "body")).unwrap().parts[0].geometry.edit(|_| ());
    });
    assert_eq!(after, before);
}

#[test]
fn edits_of_the_default_material_become_a_material() {
    let (before, after) = scene_after(|scene| {
        let trees = find(scene, "trees");
        scene.mesh(trees).unwrap().parts[0].material.edit(|it| it.metallic = 0.0);
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/materials/2 = {\"pbrMetallicRoughness\":{\"metallicFactor\":0}}",
            "+/meshes/3/primitives/0/material = 2",
        ],
    );
}

#[test]
fn d_shared_geometry_edit_is_saved_in_place() {
    let (before, after) = scene_after(|scene| {
        let body = find(scene, "body");
        let geometry = scene.mesh(body).unwrap().parts[0].geometry.clone();
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
}

#[test]
fn an_edited_geometry_that_two_parts_share_is_written_once() {
    let (_, after) = scene_after(|scene| {
        let (house, door) = (find(scene, "house"), find(scene, "door"));
        let geometry = scene.mesh(house).unwrap().parts[0].geometry.clone();
        scene.mesh_mut(door).unwrap().parts[0].geometry = geometry.clone();
        geometry.edit(|it| it.positions[0].x = -7.0);
    });
    let file = value(&after);
    assert_eq!(file["meshes"][0]["primitives"][0]["attributes"]["POSITION"], 13);
    assert_eq!(file["accessors"].as_array().unwrap().len(), 14);
}

#[test]
fn d_shared_image_edit_is_saved_in_place() {
    let png = b"\x89PNG\r\n\x1a\nnew".to_vec();
    let (before, after) = yard_after(|document| {
        let image = &document.images()[0];
        image.edit(|it| it.data = Image::from_encoded("image/png", png).data);
    });
    let file = value(&after);
    assert_eq!(file["images"].as_array().unwrap().len(), 1);
    assert_eq!(file["materials"], value(&before)["materials"]);
    assert_eq!(file["textures"], value(&before)["textures"]);
    assert_eq!(file["images"][0]["bufferView"], 13);
    assert_eq!(file["images"][0].get("uri"), None);

    // A WebP image needs an extension of the texture.
    let webp = b"RIFF\x10\0\0\0WEBPVP8L".to_vec();
    let (_, after) = yard_after(|document| {
        let data = ImageData::Encoded { mime: "image/webp".into(), bytes: webp };
        document.images()[0].edit(|it| it.data = data);
    });
    let texture = &value(&after)["textures"][0];
    assert_eq!(texture["extensions"]["EXT_texture_webp"]["source"], 0);
    assert_eq!(texture.get("source"), None);

    let (before, after) = yard_after(|document| {
        document.images()[0].edit(|it| it.name = Some("renamed".into()));
    });
    let changed = value(&after)["images"][0]["name"].clone();
    assert_eq!(changed, "renamed");
    assert_eq!(value(&after)["bufferViews"], value(&before)["bufferViews"]);
}
