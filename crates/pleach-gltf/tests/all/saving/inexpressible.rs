//! Scenes that glTF cannot express are converted or refused; the written file is always valid.

use std::sync::Arc;

use pleach::animation::{Binding, Channel, Clip, Interpolation};
use pleach::glam::{EulerRot, Mat4, Quat, Vec3, Vec4};
use pleach::{BindMode, Node, Scene, Skin};
use pleach_gltf::{Document, ErrorKind, Format, WarningCode};

use super::save_and_check::{clip, save_and_check};
use crate::common_save::{FORMATS, again, check_file, load, load_yard, saved, text_of, value};

/// Returns the codes of a report.
fn codes(saved: &pleach_gltf::Saved) -> Vec<WarningCode> {
    saved.report.warnings().iter().map(|it| it.code).collect()
}

/// Returns a matrix that no translation, rotation and scale composes.
fn shear() -> Mat4 {
    let mut matrix = Mat4::IDENTITY;
    matrix.y_axis = Vec4::new(0.5, 1.0, 0.0, 0.0);
    matrix
}

#[test]
fn a3_dead_joint_is_not_saved_as_another_node() {
    let (_, mut document) = load_yard();
    let foot = document.node(0, 11).unwrap();
    let scene = &mut document.scenes_mut()[0];
    scene.remove(foot).unwrap();
    let group = scene.spawn(Node::group().named("group")).unwrap();
    assert_eq!(group.index(), foot.index(), "the slot is used again");
    let error = document.save_bytes(Format::Gltf).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unwritable);
    assert!(error.to_string().contains("joint 2 of the skin"), "{error}");

    // The same for the indices of a file that was saved.
    let body = document.node(0, 12).unwrap();
    document.scenes_mut()[0].skins.remove(body);
    document.scenes_mut()[0].update().unwrap();
    let saved = saved(&document);
    assert_eq!(saved.index_of(0, foot), None);
    let index = saved.index_of(0, group).unwrap();
    assert_eq!(value(&text_of(&saved))["nodes"][index]["name"], "group");

    // A new node in the slot of a written one was not written.
    let scene = &mut document.scenes_mut()[0];
    scene.remove(group).unwrap();
    let later = scene.spawn(Node::group()).unwrap();
    assert_eq!(later.index(), group.index());
    assert_eq!(saved.index_of(0, later), None);
}

#[test]
fn a3_a_joint_that_only_another_scene_still_has_is_dead() {
    let mut document = load(
        r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0,1]},{"nodes":[0]}],
        "nodes":[{},{"mesh":0,"skin":0}],"skins":[{"joints":[0]}],
        "accessors":[{"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[0,0,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]}"#,
    );
    let joint = document.node(0, 0).unwrap();
    document.scenes_mut()[0].remove(joint).unwrap();
    let error = document.save_bytes(Format::Gltf).unwrap_err();
    assert!(error.to_string().contains("joint 0 of the skin"), "{error}");
}

#[test]
fn a4_matrix_of_an_animated_node_is_written_as_transform() {
    // The hip is animated. Its matrix is a product, rounded, so that no transform equals it.
    let (_, mut document) = load_yard();
    let hip = document.node(0, 9).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let turn = Mat4::from_quat(Quat::from_euler(EulerRot::XYZ, 0.3, -1.1, 2.0));
    let matrix = turn
        * Mat4::from_scale_rotation_translation(
            Vec3::new(1.0, 2.0, 3.0),
            Quat::from_rotation_y(0.4),
            Vec3::X,
        );
    scene.node_mut(hip).unwrap().set_local_matrix(matrix).unwrap();
    assert!(scene.node(hip).unwrap().has_local_matrix());
    scene.update().unwrap();
    let world = scene.node(hip).unwrap().world();
    let saved = saved(&document);
    check_file(&saved);
    assert_eq!(codes(&saved), [WarningCode::ApproximatedMatrix, WarningCode::AnimatedPose]);
    assert_eq!(saved.report.warnings()[0].pointer, "/nodes/9");
    let back = again(&saved);
    let hip = back.scenes()[0].graph.find("hip").unwrap();
    let difference = back.scenes()[0].node(hip).unwrap().world() - world;
    let largest = difference.to_cols_array().into_iter().fold(0.0, |a: f32, b| a.max(b.abs()));
    assert!(largest < 1e-5, "{largest}");
}

#[test]
fn a4_sheared_matrix_of_an_animated_node_is_refused() {
    let (_, mut document) = load_yard();
    let hip = document.node(0, 9).unwrap();
    document.scenes_mut()[0].node_mut(hip).unwrap().set_local_matrix(shear()).unwrap();
    let error = document.save_bytes(Format::Gltf).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (ErrorKind::Unwritable, "/nodes/9"));
    assert!(error.to_string().contains("node \"hip\": it is animated"), "{error}");
    // Without its animation it can be saved.
    document.animations_mut().clear();
    save_and_check(&mut document, "a sheared node");
}

#[test]
fn a4_matrix_of_the_file_is_converted_when_an_animation_is_added() {
    // Node 7 has a matrix in the file.
    let (_, mut document) = load_yard();
    let plan = document.node(0, 7).unwrap();
    let stone = document.node(0, 0).unwrap();
    let binding = Binding::new(clip("fly", 1.0), [plan, stone]).unwrap();
    document.add_animation(0, &binding);
    let after = save_and_check(&mut document, "an animated matrix");
    let node = &value(&after)["nodes"][7];
    assert_eq!((node.get("matrix"), node["translation"][1].as_f64()), (None, Some(9.0)));
}

#[test]
fn a4_animated_matrix_of_a_file_is_a_fault() {
    let (text, files) = crate::common_save::yard();
    let text = text.replace("\"path\": \"translation\" } } ], \"name\"", "\"path\": \"translation\" } }, { \"sampler\": 0, \"target\": { \"node\": 7, \"path\": \"translation\" } } ], \"name\"");
    let document = crate::common_save::load_with(&text, &files);
    let found: Vec<_> = document.report().warnings().iter().map(|it| it.code).collect();
    assert_eq!(found, [WarningCode::AnimatedMatrix]);
    let strict = pleach_gltf::Options::new().strict().load_with(text.clone().into_bytes(), &files);
    assert_eq!(strict.unwrap_err().kind(), ErrorKind::Strict);
    // Unedited, it is kept, and reported.
    let saved = saved(&document);
    assert!(text_of(&saved) == text);
    assert_eq!(codes(&saved), [WarningCode::AnimatedMatrix]);
}

#[test]
fn a5_skeleton_that_is_not_above_the_joints_is_left_out() {
    let (_, mut document) = load_yard();
    let [lamp, figure, hip] = [3, 8, 9].map(|it| document.node(0, it).unwrap());
    let scene = &mut document.scenes_mut()[0];
    scene.graph.attach(hip, lamp).unwrap();
    scene.update().unwrap();
    assert!(scene.graph.contains(figure));
    let saved_once = saved(&document);
    assert_eq!(codes(&saved_once), [WarningCode::DroppedSkeleton]);
    let after = save_and_check(&mut document, "joints in another tree");
    assert_eq!(value(&after)["skins"][0].get("skeleton"), None);

    // The same for a skin that was built in code.
    let (_, mut document) = load_yard();
    let [lamp, hip, body] = [3, 9, 12].map(|it| document.node(0, it).unwrap());
    let scene = &mut document.scenes_mut()[0];
    let mut skin = Skin::new(vec![hip; 3], vec![Mat4::IDENTITY; 3]).unwrap();
    skin.skeleton = Some(lamp);
    scene.skins.insert(&scene.graph, body, skin).unwrap();
    assert_eq!(codes(&saved(&document)), [WarningCode::DroppedSkeleton]);
    save_and_check(&mut document, "a wrong skeleton");
}

#[test]
fn a5_joints_without_a_common_root_are_refused() {
    let (_, mut document) = load_yard();
    let knee = document.node(0, 10).unwrap();
    for parent in [document.scenes()[0].root(), document.up_axis_node(0).unwrap()] {
        document.scenes_mut()[0].graph.attach(knee, parent).unwrap();
        document.scenes_mut()[0].update().unwrap();
        let error = document.save_bytes(Format::Gltf).unwrap_err();
        assert_eq!((error.kind(), error.pointer()), (ErrorKind::Unwritable, "/nodes/12"));
        assert!(error.to_string().contains("node \"knee\", has no common root with"), "{error}");
    }
    // Detached joints are not in the scene of the body, even if they have a common root.
    let figure = document.node(0, 8).unwrap();
    let hip = document.node(0, 9).unwrap();
    let scene = &mut document.scenes_mut()[0];
    scene.graph.attach(knee, hip).unwrap();
    scene.graph.detach(hip).unwrap();
    scene.update().unwrap();
    let error = document.save_bytes(Format::Gltf).unwrap_err();
    assert!(error.to_string().contains("node \"hip\", is not in the scene"), "{error}");
    document.scenes_mut()[0].graph.attach(hip, figure).unwrap();
    // What the message suggests.
    let up_axis_node = document.up_axis_node(0).unwrap();
    let hip = document.node(0, 9).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let group = scene.spawn(Node::group().under(up_axis_node)).unwrap();
    scene.graph.attach(hip, group).unwrap();
    scene.graph.attach(knee, group).unwrap();
    scene.update().unwrap();
    save_and_check(&mut document, "a common parent");
}

#[test]
fn skins_with_the_bind_mode_detached_are_refused() {
    let (_, mut document) = load_yard();
    let body = document.node(0, 12).unwrap();
    let set = |document: &mut Document, mode| {
        let scene = &mut document.scenes_mut()[0];
        scene.skins.get_mut(&scene.graph, body).unwrap().bind_mode = mode;
        scene.update().unwrap();
    };
    set(&mut document, BindMode::Detached);
    for format in FORMATS {
        let error = document.save_bytes(format).unwrap_err();
        assert_eq!((error.kind(), error.pointer()), (ErrorKind::Unwritable, "/nodes/12"));
        assert!(error.to_string().contains("set the mode to `Attached`"), "{error}");
    }
    // What the message suggests.
    set(&mut document, BindMode::Attached);
    save_and_check(&mut document, "an attached skin");
}

#[test]
fn a6_cubic_spline_of_one_key_is_written_as_a_step() {
    let times: Arc<[f32]> = [0.5].into();
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group()).unwrap();
    let cubic = Interpolation::CubicSpline;
    let turn = Quat::from_rotation_z(1.0);
    let channels = vec![
        Channel::translation(0, cubic, Arc::clone(&times), [Vec3::X, Vec3::Y, Vec3::Z]).unwrap(),
        Channel::rotation(0, cubic, Arc::clone(&times), [Quat::IDENTITY, turn, turn]).unwrap(),
    ];
    let clip = Clip::new("one key", ["node"], channels).unwrap();
    let mut document = Document::from_scenes([scene]);
    document.add_animation(0, &Binding::new(clip, [node]).unwrap());
    let saved = saved(&document);
    check_file(&saved);
    let back = again(&saved);
    assert!(back.report().is_empty(), "{}", back.report());
    let written = back.animations()[0].clip();
    let expected = vec![
        Channel::translation(0, Interpolation::Step, Arc::clone(&times), [Vec3::Y]).unwrap(),
        Channel::rotation(0, Interpolation::Step, times, [turn]).unwrap(),
    ];
    assert_eq!(written.channels(), expected);
}

#[test]
fn a7_nodes_that_are_not_below_the_root_are_kept_and_reported() {
    // Built in code.
    let mut scene = Scene::new();
    let shed = scene.spawn(Node::group().named("shed").child(Node::group().named("door"))).unwrap();
    scene.spawn(Node::group().named("oak")).unwrap();
    scene.graph.detach(shed).unwrap();
    scene.update().unwrap();
    let built = pleach_gltf::save_bytes(&scene, Format::Gltf).unwrap();
    // In a loaded document: a new node, and one of the file.
    let (_, mut document) = load_yard();
    let house = document.node(0, 1).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let shed = scene.spawn(Node::group().named("shed")).unwrap();
    scene.graph.detach(shed).unwrap();
    scene.graph.detach(house).unwrap();
    scene.update().unwrap();
    let loaded = saved(&document);
    for (saved, names) in [(&built, ["shed", "door"]), (&loaded, ["shed", "house"])] {
        check_file(saved);
        assert_eq!(codes(saved), [WarningCode::DetachedNodes]);
        let back = again(saved);
        let outside = back.unreferenced_nodes().expect("they are in the file");
        assert!(names.iter().all(|name| outside.graph.find(name).is_some()));
        assert!(names.iter().all(|name| back.scenes()[0].graph.find(name).is_none()));
    }
    assert_eq!(built.report.warnings()[0].message.split(' ').next(), Some("2"));
    // The house and its door, and the shed.
    assert_eq!(loaded.report.warnings()[0].message.split(' ').next(), Some("3"));
}

#[test]
fn a14_pose_of_an_animation_is_reported() {
    let (before, mut document) = load_yard();
    let binding = document.bind(0, 0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let mut mixer = pleach::animation::Mixer::new();
    mixer.add(binding, &scene.graph, &scene.weights);
    scene.animate(&mut mixer, 0.5);
    scene.update().unwrap();
    let playing = saved(&document);
    assert_eq!(codes(&playing), [WarningCode::AnimatedPose]);
    assert_eq!(playing.report.warnings()[0].pointer, "/nodes/9");
    assert!(text_of(&playing) != before);
    document.restore_rest_pose(0).unwrap();
    let restored = saved(&document);
    assert!(restored.report.is_empty() && text_of(&restored) == before);
    assert_eq!(document.restore_rest_pose(7).unwrap_err().kind(), ErrorKind::Reference);
}
