//! Mesh data of nodes: morph weights and instances.

use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{Instances, MorphTarget, Node, Scene};
use pleach_gltf::{ErrorKind, Format};

use super::save_and_check::{accessor, save_and_check, scene_after};
use crate::common_save::{
    again, assert_differences, check_file, find, load_with, load_yard, saved, value, yard,
};

#[test]
fn edited_weights_change_nothing_else() {
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
fn zero_weights_are_written_if_the_mesh_has_others() {
    let (text, files) = yard();
    let text =
        text.replace("{ \"name\": \"skin\",", "{ \"name\": \"skin\", \"weights\": [ 0.50 ],");
    let text = text.replace(", \"weights\": [ 0.250 ]", "");
    // For a node without weights of its own.
    let mut document = load_with(&text, &files);
    let body = document.node(0, 12).unwrap();
    document.scenes_mut()[0].set_weights(body, vec![0.0]).unwrap();
    let after = save_and_check(&mut document, "zero");
    assert_differences(&text, &after, &["+/nodes/12/weights = [0]"]);
    // For a new node, and for a node that had another mesh.
    let mut document = load_with(&text, &files);
    let (body, door) = (document.node(0, 12).unwrap(), document.node(0, 2).unwrap());
    let scene = &mut document.scenes_mut()[0];
    let mesh = scene.mesh(body).unwrap().clone();
    let new = scene.spawn(Node::group().with_mesh(mesh.clone()).under(door)).unwrap();
    scene.set_weights(new, vec![0.0]).unwrap();
    scene.meshes.insert(&scene.graph, door, mesh).unwrap();
    scene.set_weights(door, vec![0.0]).unwrap();
    let after = save_and_check(&mut document, "zero weights");
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
        scene.mesh_mut(body).unwrap().parts[0]
            .geometry
            .make_unique()
            .edit(|it| it.morph_targets.clear());
        if is_cleared {
            scene.weights.remove(body);
        }
        let after = save_and_check(&mut document, "without targets");
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
    let geometry = scene.mesh_mut(body).unwrap().parts[0].geometry.make_unique();
    let target = MorphTarget::from_positions(vec![Vec3::X; 3]);
    geometry.edit(|it| it.morph_targets.push(target));
    scene.set_weights(body, vec![0.25, 0.5]).unwrap();
    save_and_check(&mut document, "more targets");
}

#[test]
fn edited_instances_are_written() {
    let set = |scene: &mut Scene, matrices: Vec<Mat4>| {
        let node = find(scene, "trees");
        let bounds = scene.mesh(node).unwrap().parts[0].geometry.get().bounds();
        let instances = Instances::new(bounds, matrices).unwrap();
        scene.mesh_mut(node).unwrap().instances = Some(Box::new(instances));
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
    // Rotated and scaled.
    let (_, after) = scene_after(|scene| {
        let rotated = Mat4::from_scale_rotation_translation(
            Vec3::new(2.0, 2.0, 0.5),
            Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
            Vec3::new(0.1, 0.2, 0.3),
        );
        set(scene, vec![Mat4::IDENTITY, rotated]);
    });
    let instances =
        &value(&after)["nodes"][13]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    assert_eq!(instances.as_object().unwrap().len(), 3);
    // No instances.
    let (before, after) = scene_after(|scene| {
        let node = find(scene, "trees");
        scene.mesh_mut(node).unwrap().instances = None;
    });
    assert_differences(&before, &after, &["-/nodes/13/extensions"]);
}

#[test]
fn other_instance_attributes_are_dropped_if_the_count_changes() {
    let (text, files) = yard();
    let text = text.replace("\"TRANSLATION\": 10 }", "\"TRANSLATION\": 10, \"_ID\": 8 }");
    for (count, kept) in [(2, true), (3, false)] {
        let mut document = load_with(&text, &files);
        let node = document.node(0, 13).unwrap();
        let scene = &mut document.scenes_mut()[0];
        let bounds = scene.mesh(node).unwrap().parts[0].geometry.get().bounds();
        let instances = Instances::new(bounds, vec![Mat4::IDENTITY; count]).unwrap();
        scene.mesh_mut(node).unwrap().instances = Some(Box::new(instances));
        let after = save_and_check(&mut document, "instances with ids");
        let instances = &value(&after)["nodes"][13]["extensions"]["EXT_mesh_gpu_instancing"];
        assert_eq!(instances["attributes"].get("_ID").is_some(), kept);
        assert_eq!(saved(&document).report.is_empty(), kept);
    }
}

#[test]
fn a_mesh_without_instances_gives_a_valid_file() {
    let (_, mut document) = load_yard();
    let node = document.node(0, 13).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    let bounds = mesh.parts[0].geometry.get().bounds();
    mesh.instances = Some(Box::new(Instances::new(bounds, vec![]).unwrap()));
    match document.save_bytes(Format::Glb) {
        Ok(saved) => {
            check_file(&saved);
            again(&saved);
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::Unwritable),
    }
}
