//! `Scene::frame`: the order of the stages, their results, and allocations.

use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mixer, Repeat};
use pleach::glam::Vec3;
use pleach::{Camera, Error, Frame, FrameStage, Node, NodeId, RenderList, Scene, Visible};
use testkit::allocations;

use crate::common::spawn_cube;

const STAGES: [FrameStage; 5] =
    [FrameStage::Animate, FrameStage::Update, FrameStage::View, FrameStage::Cull, FrameStage::List];

/// A cube that a mixer moves along X by one metre per second, for two seconds, and a camera.
fn moving_cube() -> (Scene, Frame, NodeId, NodeId) {
    let mut scene = Scene::new();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    let camera = scene.spawn(camera).unwrap();
    let translations = [Vec3::ZERO, Vec3::X * 2.0];
    let channel = Channel::translation(0, Interpolation::Linear, [0.0, 2.0], translations).unwrap();
    let clip = Clip::new("slide", vec!["cube"], vec![channel]).unwrap();
    let layer = BlendLayer::new(Binding::new(clip, vec![cube]).unwrap());
    let mut mixer = Mixer::new();
    mixer.add(layer.with_repeat(Repeat::PingPong), &scene.graph, &scene.weights);
    let mut frame = Frame::new();
    frame.mixers.push(mixer);
    frame.list = RenderList::new().with_matrices();
    (scene, frame, cube, camera)
}

#[test]
fn m121_one_call_runs_the_stages_in_the_documented_order() {
    let (mut scene, mut frame, cube, camera) = moving_cube();
    for step in 1..=3 {
        scene.frame(camera, (640, 480), 0.5, &mut frame).unwrap();
        assert_eq!(frame.stages(), STAGES);
        assert!(STAGES.is_sorted());
        // Each stage saw the results of the one before, in the same frame.
        let x = 0.5 * step as f32;
        assert_eq!(scene.node(cube).unwrap().world_translation(), Vec3::X * x);
        assert_eq!(frame.view(), Some(&scene.view(camera, (640, 480)).unwrap()));
        assert_eq!(frame.visible().nodes(), [cube]);
        assert_eq!(frame.list.opaque()[0].node, cube);
        assert_eq!(frame.list.world_matrices()[0].w_axis.x, x);
        assert!(frame.stats().changed > 0);
        // The same as the stages one by one.
        let (mut visible, mut list) = (Visible::new(), RenderList::new());
        scene.cull(frame.view().unwrap(), &mut visible);
        list.build(&scene, &visible, frame.view().unwrap());
        assert_eq!(list.opaque(), frame.list.opaque());
    }
}

#[test]
fn m121_no_stage_runs_after_one_that_failed() {
    let (mut scene, mut frame, cube, camera) = moving_cube();
    scene.frame(camera, (640, 480), 0.5, &mut frame).unwrap();
    let error = scene.frame(cube, (640, 480), 0.5, &mut frame).unwrap_err();
    assert_eq!(error, Error::NoCamera(cube));
    assert_eq!(frame.stages(), &STAGES[..2]);
    let error = scene.frame(camera, (0, 480), 0.5, &mut frame).unwrap_err();
    assert!(matches!(error, Error::View { .. }));
    assert_eq!(frame.stages(), &STAGES[..2]);
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn m121_a_steady_frame_does_not_allocate() {
    let (mut scene, mut frame, _, camera) = moving_cube();
    let mut run = || scene.frame(camera, (640, 480), 1.0 / 60.0, &mut frame).unwrap();
    for _ in 0..2000 {
        run();
    }
    for number in 0..100 {
        let (count, ()) = allocations::count(&mut run);
        assert_eq!(count, 0, "frame {number}");
    }
}
