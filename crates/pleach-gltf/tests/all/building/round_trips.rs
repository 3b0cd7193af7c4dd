//! Complete scenes round-trip through memory and disk.

use std::f32::consts::FRAC_PI_2;

use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
use pleach::glam::{Mat4, Vec3};
use pleach::{Light, Node, Scene};
use pleach_gltf::{Document, ErrorKind, Format, Report, Warning, WarningCode, save_bytes};

use super::test_scene::{loaded, test_animation, test_scene};
use crate::common::temp_dir::TempDir;
use crate::common_save::{
    FORMATS, again, assert_same_scene, check_file, describe, find, json_of, sample_models, value,
};

/// Checks that the only warning is that of the sheared node of the test scene.
#[track_caller]
fn assert_only_shear(report: &Report) {
    let is_expected =
        |it: &Warning| it.code == WarningCode::ShearedMatrix && it.message.contains("sheared");
    assert!(report.warnings().iter().all(is_expected), "{report}");
}

#[test]
fn a_scene_round_trips_in_both_formats() {
    let scene = test_scene();
    for format in FORMATS {
        let saved = save_bytes(&scene, format).unwrap();
        assert_only_shear(&saved.report);
        let back = loaded(&saved);
        assert_eq!(back.scenes().len(), 1);
        assert_eq!(back.scenes()[0].name, "stage");
        assert_eq!(back.default_scene(), Some(0));
        assert_same_scene(&scene, &back.scenes()[0], "the test scene");
        // The document is now a file, and is written unchanged.
        assert_eq!(back.save_bytes(format).unwrap().bytes, saved.bytes);
        // Without its file it is an ordinary scene.
        let freed = back.into_scene();
        let doubled = loaded(&save_bytes(&freed, format).unwrap());
        assert_same_scene(&scene, &doubled.scenes()[0], "the test scene, saved twice");
    }
}

#[test]
fn shared_assets_are_written_once() {
    let json = value(&json_of(&save_bytes(&test_scene(), Format::Glb).unwrap().bytes));
    let count = |key: &str| json[key].as_array().unwrap().len();
    assert_eq!(count("images"), 2);
    // Two images, one of them with two samplers.
    assert_eq!((count("textures"), count("samplers")), (3, 1));
    assert_eq!(count("cameras"), 4);
    assert_eq!(json["extensions"]["KHR_lights_punctual"]["lights"].as_array().unwrap().len(), 5);
    // The card is written once, in eight materials.
    let cards: Vec<_> = json["meshes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["primitives"][0]["attributes"].get("TEXCOORD_1").is_some())
        .filter(|it| it["primitives"].as_array().unwrap().len() == 1)
        .map(|it| it["primitives"][0]["attributes"].to_string())
        .collect();
    assert_eq!(cards.len(), 8);
    assert!(cards.iter().all(|it| *it == cards[0]));
}

#[test]
fn the_widest_cone_is_valid() {
    let mut scene = Scene::new();
    scene.spawn(Node::light(Light::spot(Vec3::ONE, 1.0, 0.0, FRAC_PI_2))).unwrap();
    let saved = save_bytes(&scene, Format::Gltf).unwrap();
    let json = value(&json_of(&saved.bytes));
    let spot = &json["extensions"]["KHR_lights_punctual"]["lights"][0]["spot"];
    let angle = spot["outerConeAngle"].as_f64().unwrap();
    assert!(angle <= std::f64::consts::FRAC_PI_2, "{angle} is more than the validator allows");
    assert_eq!(angle as f32, FRAC_PI_2);
}

#[test]
fn a_scene_is_written_to_disk() {
    let (scene, directory) = (test_scene(), TempDir::new("built"));
    pleach_gltf::save(&scene, directory.path.join("a scene.glb")).unwrap();
    pleach_gltf::save(&scene, directory.path.join("a scene.gltf")).unwrap();
    assert_eq!(directory.names(), ["a scene.bin", "a scene.glb", "a scene.gltf"]);
    for name in ["a scene.glb", "a scene.gltf"] {
        let back = pleach_gltf::load(directory.path.join(name)).unwrap();
        assert_same_scene(&scene, &back.scenes()[0], name);
    }
    let error = pleach_gltf::save(&scene, directory.path.join("a.fbx")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownFormat);
    assert_eq!(directory.names().len(), 3);
}

#[test]
fn several_scenes_with_animations_round_trip() {
    let (one, mut two) = (test_scene(), Scene::named("other"));
    let test_animation = test_animation(&one);
    let clip = Clip::new(
        "",
        ["x"],
        vec![Channel::scale(0, Interpolation::Step, [0.0, 1.0], [Vec3::ONE, Vec3::ZERO]).unwrap()],
    );
    let lone = two.spawn(Node::group().named("lone")).unwrap();
    let shrink = Binding::new(clip.unwrap(), [lone]).unwrap();
    two.update().unwrap();
    let mut document = Document::from_scenes([one, two, Scene::new()]);
    document.add_animation(0, &test_animation);
    document.add_animation(1, &shrink);
    for format in FORMATS {
        let saved = document.save_bytes(format).unwrap();
        assert_only_shear(&saved.report);
        let mut back = loaded(&saved);
        let names: Vec<&str> = back.scenes().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["stage", "other", ""]);
        for (one, other) in document.scenes().iter().zip(back.scenes()) {
            assert_same_scene(one, other, "one of three");
        }
        assert_eq!(back.animations().len(), 2);
        for (one, other) in document.animations().iter().zip(back.animations()) {
            assert_eq!(one.clip().name(), other.clip().name());
            assert_eq!(one.clip().channels(), other.clip().channels());
            assert_eq!(one.clip().duration(), other.clip().duration());
        }
        // Both animations give the same poses.
        for step in 0..12 {
            let seconds = 0.1 * step as f32;
            for (animation, scene) in [(0, 0), (1, 1)] {
                let poses =
                    [&mut document, &mut back].map(|it| pose(it, animation, scene, seconds));
                assert_eq!(poses[0], poses[1], "animation {animation} at {seconds} s");
            }
        }
    }
}

fn pose(document: &mut Document, animation: usize, scene: usize, seconds: f32) -> Vec<String> {
    let binding = document.bind(animation, scene).unwrap();
    let scene = &mut document.scenes_mut()[scene];
    let before: Vec<_> = binding
        .nodes()
        .iter()
        .flatten()
        .map(|&it| (it, scene.node(it).unwrap().transform()))
        .collect();
    let body = scene.graph.find("body");
    let weights = body.and_then(|it| scene.weights.get(&scene.graph, it).cloned());
    let mut mixer = Mixer::new();
    scene.play(&mut mixer, binding);
    scene.animate(&mut mixer, seconds);
    scene.update().unwrap();
    let lines = describe(scene);
    for (node, transform) in before {
        scene.node_mut(node).unwrap().set_transform(transform).unwrap();
    }
    if let (Some(body), Some(weights)) = (body, weights) {
        scene.set_weights(body, weights.0).unwrap();
    }
    scene.update().unwrap();
    lines
}

#[test]
fn a_skin_keeps_its_poses() {
    let scene = test_scene();
    let back = loaded(&save_bytes(&scene, Format::Glb).unwrap());
    let other = &back.scenes()[0];
    for name in ["body", "twin"] {
        let matrices = [&scene, other].map(|it| {
            let joint_matrices = it.joint_matrices().get(find(it, name)).unwrap();
            // World transforms, because local transforms depend on the up-axis.
            let world = it.node(find(it, name)).unwrap().world();
            joint_matrices.iter().map(|&matrix| world * matrix).collect::<Vec<Mat4>>()
        });
        for (one, other) in matrices[0].iter().zip(&matrices[1]) {
            assert!(one.abs_diff_eq(*other, 1e-5), "{name}: {one} and {other}");
        }
    }
    let skeleton = other.skin(find(other, "body")).unwrap().skeleton;
    assert_eq!(skeleton, Some(find(other, "hip")));
}

#[test]
fn models_rebuilt_from_their_scenes_are_the_same() {
    for (path, document) in sample_models() {
        let what = path.display().to_string();
        if what.contains("DeepChain") {
            continue;
        }
        let bindings: Vec<Vec<Binding>> = (0..document.animations().len())
            .map(|it| {
                (0..document.scenes().len())
                    .map(|scene| document.bind(it, scene).unwrap())
                    .collect()
            })
            .collect();
        let mut built = Document::from_scenes(document.into_scenes());
        for (scene, binding) in bindings.iter().flat_map(|it| it.iter().enumerate()) {
            built.add_animation(scene, binding);
        }
        for format in FORMATS {
            let saved = built.save_bytes(format).unwrap_or_else(|error| panic!("{what}: {error}"));
            check_file(&saved);
            let back = again(&saved);
            assert_eq!(back.scenes().len(), built.scenes().len(), "{what}");
            for (one, other) in built.scenes().iter().zip(back.scenes()) {
                assert_same_scene(one, other, &what);
            }
        }
    }
}
