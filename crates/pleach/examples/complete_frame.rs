//! The complete frame: an animated character with a sword among crates, culled and listed.

use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::light::{Ambient, Fog, Shadow};
use pleach::shapes::{Cuboid, Plane};
use pleach::{
    Camera, Error, Light, Material, Node, RenderList, Scene, Transform, Visible, rotation,
};

fn main() -> Result<(), Error> {
    let mut scene = Scene::new();
    scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.3 };
    scene.environment.background = Some(Vec3::splat(0.1).into());
    scene.environment.fog = Some(Fog { color: Vec3::splat(0.1), near: 50.0, far: 200.0 });
    let camera = Node::camera(Camera::perspective(60f32.to_radians()));
    let camera = scene.spawn(camera.with_transform(Camera::default_transform()))?;
    let sun = Light::directional(Vec3::new(1.0, 0.95, 0.8), 1.2).with_shadow(Shadow::default());
    let down = Transform::IDENTITY.looking_at(Vec3::new(-0.3, -0.5, -1.0), Vec3::Y);
    scene.spawn(Node::light(sun).with_transform(down))?;
    let assets = scene.assets.clone();
    let ground = assets.add(Plane::new(Vec2::splat(100.0)).build()?);
    let cube = assets.add(Cuboid::new(Vec3::ONE).build()?);
    let blade = assets.add(Cuboid::new(Vec3::new(0.05, 0.9, 0.01)).build()?);
    let [grass, wood, steel] = [0.2, 0.5, 0.8]
        .map(|grey| assets.add(Material::from_color(Vec4::new(grey, grey, grey, 1.0))));
    scene.spawn(Node::mesh(&ground, &grass))?;
    let stack = scene.spawn(Node::group().named("crates").at(Vec3::new(5.0, -3.0, 0.5)))?;
    for i in 0..4 {
        scene.spawn(Node::mesh(&cube, &wood).under(stack).at(Vec3::X * 1.5 * i as f32))?;
    }

    // A character of one joint, and the sword in its hand.
    let character = scene.spawn(Node::group().named("character"))?;
    scene.spawn(Node::mesh(&cube, &wood).named("body").under(character).at(Vec3::Z))?;
    let hand = Node::group().named("hand_R").under(character);
    let hand = scene.spawn(hand.at(Vec3::new(0.7, 0.0, 1.2)))?;
    let sword = scene.spawn(Node::mesh(&blade, &steel).under(hand).at(Vec3::Y * 0.45))?;
    let keys = [Quat::IDENTITY, rotation::from_rotation_x(1.0)];
    let raise = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], keys)?;
    let raise = Clip::new("raise", ["hand_R"], [raise])?;
    let mut mixer = Mixer::new();
    scene.play(&mut mixer, Binding::by_names(raise, &scene.graph, character)?);

    // The frame: animate, update, view, cull, list. Buffers are kept.
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    for _ in 0..30 {
        scene.animate(&mut mixer, 1.0 / 60.0);
        scene.update()?;
        let view = scene.view(camera, (1280, 720))?;
        scene.cull(&view, &mut visible);
        list.build(&scene, &visible, &view);
    }
    assert!(list.opaque().iter().any(|draw| draw.node == sword) && list.transparent().is_empty());
    let tip = scene.node(sword)?.world().transform_point3(Vec3::Y * 0.45);
    assert!(tip.abs_diff_eq(Vec3::new(0.7, 0.79, 1.63), 0.01), "{tip}");
    println!("{} draws; the tip of the sword is at {tip:.2}", list.opaque().len());
    Ok(())
}
