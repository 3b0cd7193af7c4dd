//! Values that an animation left behind are reported when they are saved.

use pleach::animation::{Binding, Channel, Clip, Interpolation};
use pleach::glam::Vec3;
use pleach_gltf::{Document, Format, Options, Saved, WarningCode};
use serde_json::json;

use crate::common::accessors::{Builder, data_uri};
use crate::common_save::load_yard;

/// Returns a file of a node with a matrix, a material, and one animation of `pointer`.
fn animated(pointer: &str, path: &str, components: u32) -> String {
    let mut builder = Builder::default();
    let times = builder.floats("SCALAR", &[0.0, 1.0]);
    let values = match components {
        0 => builder.packed(5121, "SCALAR", 2, &[1, 0]),
        1 => builder.floats("SCALAR", &[0.0, 1.0]),
        _ => builder.floats("VEC3", &[0.0; 6]),
    };
    json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
        "extensionsUsed": ["KHR_animation_pointer", "KHR_node_visibility"],
        "materials": [{"pbrMetallicRoughness": {"roughnessFactor": 0.25}}],
        "nodes": [{"matrix": [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
            "extensions": {"KHR_node_visibility": {"visible": true}}}],
        "buffers": [{"byteLength": builder.bin.len(), "uri": data_uri("", &builder.bin)}],
        "bufferViews": builder.views, "accessors": builder.accessors,
        "animations": [{
            "samplers": [{"input": times, "output": values, "interpolation": "STEP"}],
            "channels": [{"sampler": 0, "target": {"path": path, "extensions": {
                "KHR_animation_pointer": {"pointer": pointer}}}}],
        }],
    })
    .to_string()
}

const ROUGHNESS: &str = "/materials/0/pbrMetallicRoughness/roughnessFactor";
const VISIBLE: &str = "/nodes/0/extensions/KHR_node_visibility/visible";

fn load(file: &str) -> Document {
    pleach_gltf::load_bytes(file.as_bytes()).unwrap()
}

fn save(document: &Document) -> Saved {
    document.save_bytes(Format::Gltf).unwrap()
}

fn codes(document: &Document) -> Vec<WarningCode> {
    save(document).report.warnings().iter().map(|it| it.code).collect()
}

#[test]
fn a14_applied_pointers_are_reported_until_they_are_restored() {
    for (pointer, components) in [(ROUGHNESS, 1), (VISIBLE, 0)] {
        let file = animated(pointer, "pointer", components);
        let mut document = load(&file);
        assert_eq!(codes(&document), []);
        document.apply_pointers(0, 0, 1.0);
        assert_eq!(codes(&document), [WarningCode::AnimatedPose], "{pointer}");
        document.restore_pointers();
        assert_eq!(save(&document).bytes, file.as_bytes());
        assert_eq!(codes(&document), []);
    }
}

#[test]
fn a14_the_pose_of_an_added_animation_is_reported_and_restored() {
    let (text, mut document) = load_yard();
    let stone = document.node(0, 0).unwrap();
    let values = [Vec3::ZERO, Vec3::Y * 9.0];
    let moves = Channel::translation(0, Interpolation::Linear, [0.0f32, 1.0], values).unwrap();
    let clip = Clip::new("x", ["n"], vec![moves]).unwrap();
    document.add_animation(0, &Binding::new(clip, [stone]).unwrap());
    let has_pose = |document: &Document| codes(document).contains(&WarningCode::AnimatedPose);
    assert!(!has_pose(&document), "{text}");
    let before = document.scenes()[0].node(stone).unwrap().transform();
    let mut node = document.scenes_mut()[0].node_mut(stone).unwrap();
    node.set_translation(Vec3::Y * 4.0).unwrap();
    assert!(has_pose(&document));
    document.restore_rest_pose(0).unwrap();
    assert_eq!(document.scenes()[0].node(stone).unwrap().transform(), before);
    assert!(!has_pose(&document));
}

#[test]
fn a14_a_cloned_animation_reports_its_lost_properties() {
    let mut document = load(&animated(ROUGHNESS, "pointer", 1));
    let clone = document.animations()[0].clone();
    document.animations_mut().push(clone);
    assert_eq!(codes(&document), [WarningCode::DroppedChannel]);
}

#[test]
fn a14_a_node_whose_visibility_is_animated_may_be_moved() {
    let mut document = load(&animated(VISIBLE, "pointer", 0));
    let node = document.node(0, 0).unwrap();
    let mut node = document.scenes_mut()[0].node_mut(node).unwrap();
    node.set_translation(Vec3::Y).unwrap();
    assert_eq!(codes(&document), []);
}

#[test]
fn a4_an_animation_pointer_to_the_transform_of_a_matrix_is_a_fault() {
    let file = animated("/nodes/0/translation", "pointer", 3);
    let document = load(&file);
    let codes: Vec<_> = document.report().warnings().iter().map(|it| it.code).collect();
    assert_eq!(codes, [WarningCode::AnimatedMatrix]);
    assert!(Options::new().strict().load_bytes(file.as_bytes()).is_err());
    assert_eq!(load(&animated(VISIBLE, "pointer", 0)).report().warnings().len(), 0);
}

#[test]
fn an_unused_skin_with_a_removed_joint_is_reported() {
    let mut document = load(
        r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],
        "nodes":[{"children":[1,2]},{"name":"a"},{"name":"b"}],"skins":[{"joints":[1,2]}]}"#,
    );
    let joint = document.node(0, 2).unwrap();
    document.scenes_mut()[0].remove(joint).unwrap();
    assert_eq!(codes(&document), [WarningCode::DroppedSkin]);
}
