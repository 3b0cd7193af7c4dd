//! A sword in the hand of an animated arm: it is a child of the joint like of any node, follows it
//! in the same frame, and stays where it is when it is dropped.

use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
use pleach::glam::{Quat, Vec3};
use pleach::shapes::Cuboid;
use pleach::{Error, Material, Node, Scene, rotation};

fn main() -> Result<(), Error> {
    let mut scene = Scene::new();

    // An arm of two joints, 30 cm each.
    let shoulder = scene.spawn(Node::group().named("shoulder").at(Vec3::Z * 1.5))?;
    let elbow = scene.spawn(Node::group().named("elbow").under(shoulder).at(Vec3::X * 0.3))?;
    let hand = scene.spawn(Node::group().named("hand").under(elbow).at(Vec3::X * 0.3))?;

    // The sword, 15 cm above the grip.
    let blade = scene.assets.add(Cuboid::new(Vec3::new(0.05, 0.01, 0.9)).build()?);
    let steel = scene.assets.add(Material::default());
    let sword = Node::mesh(&blade, &steel).named("sword").at(Vec3::Z * 0.15).under(hand);
    let sword = scene.spawn(sword)?;

    // The shoulder rotates by 90 degrees about Z within a second.
    let quarter = rotation::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let keys = [Quat::IDENTITY, quarter];
    let swing = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], keys)?;
    let swing = Clip::new("swing", ["shoulder"], [swing])?;
    let mut mixer = Mixer::new();
    scene.play(&mut mixer, Binding::by_names(swing, &scene.graph, scene.root())?);

    for frame in 0..3 {
        scene.animate(&mut mixer, if frame == 0 { 0.0 } else { 0.25 });
        scene.update()?;
        let at = scene.node(sword)?.world_translation();
        println!("frame {frame}: the sword is at {at:.2}");
        assert_eq!(at, scene.node(hand)?.world().transform_point3(Vec3::Z * 0.15));
    }

    // Halfway: the arm points between X and Y.
    let expected = Vec3::new(0.6 * 0.5_f32.sqrt(), 0.6 * 0.5_f32.sqrt(), 1.65);
    let before = scene.node(sword)?.world_translation();
    assert!(before.abs_diff_eq(expected, 1e-5));

    // The sword is dropped: it becomes a child of the root and does not move.
    scene.graph.attach_in_place(sword, scene.root())?;
    scene.animate(&mut mixer, 0.25);
    scene.update()?;
    assert!(scene.node(sword)?.world_translation().abs_diff_eq(before, 1e-5));
    assert!(!scene.node(hand)?.world_translation().abs_diff_eq(before, 0.1));
    Ok(())
}
