//! A complete frame: an animated, skinned character with a sword among crates, culled and listed.

use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::light::{Ambient, Fog, Shadow};
use pleach::shapes::{Cuboid, Plane};
use pleach::{Camera, Frame, Influences, Light, Material, Node, Scene, Skin, Transform, rotation};

fn main() -> Result<(), pleach::Error> {
    let (mut scene, dusk) = (Scene::new(), Vec3::new(0.1, 0.1, 0.15));
    scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.3 };
    scene.environment.background = Some(dusk.into());
    scene.environment.fog = Some(Fog { color: dusk, near: 50.0, far: 200.0 });
    let camera = Camera::perspective(60f32.to_radians()).with_near(0.1).with_far(500.0);
    let camera = Node::camera(camera).at(Vec3::new(0.0, 10.0, 5.0));
    let camera = scene.spawn(camera.rotated(Camera::default_transform().rotation))?;
    let sun = Light::directional(Vec3::new(1.0, 0.95, 0.8), 1.2).with_shadow(Shadow::default());
    let down = Transform::IDENTITY.looking_at(Vec3::new(-0.3, -0.5, -1.0), Vec3::Y);
    scene.spawn(Node::light(sun).with_transform(down))?;
    let assets = scene.assets.clone();
    let gray = assets.add(Material::from_color(Vec4::new(0.5, 0.5, 0.5, 1.0)));
    let ground = assets.add(Plane::new(Vec2::splat(100.0)).build()?);
    scene.spawn(Node::mesh(&ground, &gray).named("ground"))?;
    let cube = assets.add(Cuboid::new(Vec3::ONE).build()?);
    let crates = scene.spawn(Node::group().named("crates").at(Vec3::new(5.0, -3.0, 0.0)))?;
    let row = (0..4).map(|i| Vec3::X * 1.5 * i as f32).chain([Vec3::new(0.75, 0.0, 1.0)]);
    scene.spawn_all(crates, row.map(|at| Node::mesh(&cube, &gray).at(at)))?;
    let behind = scene.spawn(Node::mesh(&cube, &gray).at(Vec3::Y * 30.0))?;

    // A character of two joints; the right half of its body follows the hand with the sword.
    let character = scene.spawn(Node::group().named("character"))?;
    let hand = Node::group().named("hand_R").at(Vec3::new(0.7, 0.0, 1.2));
    let joints = scene.spawn_tree(Node::group().named("spine").under(character).child(hand))?;
    let mut body = Cuboid::new(Vec3::new(1.4, 0.4, 1.8)).build()?;
    let vertices = body.positions.iter();
    let of_hand: Vec<_> = vertices.map(|at| [u16::from(at.x > 0.0), 0, 0, 0]).collect();
    let weights = vec![[1.0, 0.0, 0.0, 0.0]; body.positions.len()];
    body.influences = vec![Influences { joints: of_hand.into(), weights: weights.into() }];
    let skin = Skin::from_current_pose(&scene.graph, joints.clone())?;
    let body = scene.spawn(Node::mesh(&assets.add(body), &gray).skinned(skin).under(character))?;
    let blade = assets.add(Cuboid::new(Vec3::new(0.05, 0.01, 0.9)).build()?);
    let grip = rotation::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    let sword = Node::mesh(&blade, &gray).at(Vec3::Z * 0.15).rotated(grip).under(joints[1]);
    let sword = scene.spawn(sword)?;
    let keys = [Quat::IDENTITY, rotation::from_rotation_x(1.0)];
    let raise = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], keys)?;
    let (raise, mut mixer) = (Clip::new("raise", ["hand_R"], [raise])?, Mixer::new());
    scene.play(&mut mixer, Binding::by_names(raise, &scene.graph, character)?);
    // The frame: animate, update, view, cull, list. Its buffers are kept.
    let mut frame = Frame::new();
    frame.mixers.push(mixer);
    (0..30).try_for_each(|_| scene.frame(camera, (1280, 720), 1.0 / 60.0, &mut frame))?;
    let draw = |node| frame.list.opaque().iter().find(|draw| draw.node == node);
    assert!(draw(body).is_some_and(|draw| draw.joint_matrices.is_some()));
    assert!(draw(sword).is_some() && draw(behind).is_none() && frame.list.opaque().len() == 8);
    let tip = scene.node(sword)?.world().transform_point3(Vec3::Z * 0.45);
    assert!(tip.abs_diff_eq(Vec3::new(0.7, 0.323, 1.547), 0.001), "{tip}");
    Ok(())
}
