//! Mixers on a scene: `Scene::play`, `Scene::fade_to`, `Mixer::restore`.

use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
use pleach::glam::{Quat, Vec3};
use pleach::{Node, NodeId, Scene, Transform};

/// Returns a clip that moves and rotates a node, and changes its morph weights.
fn clip() -> Clip {
    let linear = Interpolation::Linear;
    let channels = [
        Channel::translation(0, linear, [0.0, 1.0], [Vec3::ZERO, Vec3::X * 4.0]),
        Channel::rotation(0, linear, [0.0, 1.0], [Quat::IDENTITY, Quat::from_rotation_z(1.0)]),
        Channel::weights(0, linear, [0.0, 1.0], [0.0, 0.0, 1.0, 0.5]),
    ];
    Clip::new("move", ["node"], channels.map(Result::unwrap)).unwrap()
}

fn scene() -> (Scene, NodeId, Transform) {
    let mut scene = Scene::new();
    let rest = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(2.0));
    let node = scene.spawn(Node::group().with_transform(rest)).unwrap();
    scene.set_weights(node, vec![0.25, 0.75]).unwrap();
    (scene, node, rest)
}

fn weights(scene: &Scene, node: NodeId) -> &[f32] {
    scene.weights.get(&scene.graph, node).unwrap()
}

#[test]
fn restore_returns_transforms_and_weights_to_the_rest_pose() {
    let (mut scene, node, rest) = scene();
    let mut mixer = Mixer::new();
    scene.play(&mut mixer, Binding::new(clip(), [node]).unwrap());
    scene.animate(&mut mixer, 0.5);
    let posed = scene.node(node).unwrap().transform();
    assert_eq!((posed.translation, weights(&scene, node)), (Vec3::X * 2.0, &[0.5, 0.25][..]));
    scene.update().unwrap();

    let stats = mixer.restore(&mut scene);
    assert_eq!((stats.transformed, stats.morphed, stats.dead), (1, 1, 0));
    assert_eq!(scene.node(node).unwrap().transform(), rest);
    assert_eq!(weights(&scene, node), [0.25, 0.75]);
    assert_eq!(scene.update().unwrap().changed, 1, "an edit like any other");

    // Again: nothing to do. The layers are still there, at the same time.
    assert_eq!(mixer.restore(&mut scene).transformed, 0);
    scene.animate(&mut mixer, 0.0);
    assert_eq!(scene.node(node).unwrap().transform(), posed);
    assert_eq!(weights(&scene, node), [0.5, 0.25]);
}

#[test]
fn restore_keeps_what_was_not_animated_and_skips_dead_nodes() {
    let (mut scene, node, rest) = scene();
    let mut mixer = Mixer::new();
    assert_eq!(mixer.restore(&mut scene).transformed, 0, "nothing was animated");
    scene.play(&mut mixer, Binding::new(clip(), [node]).unwrap());
    scene.animate(&mut mixer, 0.5);
    // The clip has no scale.
    scene.node_mut(node).unwrap().set_scale(Vec3::splat(3.0)).unwrap();
    mixer.restore(&mut scene);
    let expected = rest.with_scale(Vec3::splat(3.0));
    assert_eq!(scene.node(node).unwrap().transform(), expected);

    scene.animate(&mut mixer, 0.1);
    scene.remove(node).unwrap();
    assert!(mixer.restore(&mut scene).dead > 0);
}

#[test]
fn scene_play_and_fade_to_are_the_calls_of_the_mixer() {
    let (mut scene, node, _) = scene();
    let (mut mixer, mut other) = (Mixer::new(), Mixer::new());
    let binding = || Binding::new(clip(), [node]).unwrap();
    let first = scene.play(&mut mixer, binding());
    other.add(binding(), &scene.graph, &scene.weights);
    let second = scene.fade_to(&mut mixer, binding(), 0.3);
    other.fade_to(binding(), 0.3, &scene.graph, &scene.weights);
    assert!(mixer.is_fading_out(first) && !mixer.is_fading_out(second));
    scene.animate(&mut mixer, 0.2);
    let transform = scene.node(node).unwrap().transform();
    scene.animate(&mut other, 0.2);
    assert_eq!(scene.node(node).unwrap().transform(), transform);
}
