//! A courtyard: crates, a tank, a character with a sword in its hand, a camera, the sun and fog;
//! then a few frames, and what they show.

use pleach::animation::{Binding, Channel, Clip, Interpolation, Layer, Mixer, Repeat};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Capsule, Cuboid, Plane};
use pleach::{
    Background, Camera, Filter, Fog, Light, Material, Node, Ray, RenderList, Scene, Shadow, Skin,
    Visible,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::named("courtyard");
    let night = Vec3::new(0.1, 0.1, 0.15);
    scene.environment.ambient.intensity = 0.3;
    scene.environment.background = Some(Background::Color(night));
    scene.environment.fog = Some(Fog { color: night, near: 50.0, far: 200.0 });

    // A camera ten metres off and five up, looking at the origin.
    let lens = Camera::perspective(60f32.to_radians(), 16.0 / 9.0).with_depth(0.1, 500.0);
    let camera = scene.spawn(Node::camera(lens).at(Vec3::new(0.0, 10.0, 5.0)))?;
    scene.graph.node_mut(camera)?.look_at(Vec3::ZERO, Vec3::Z)?;

    // The sun, down and slightly from the side, with shadows.
    let shadow = Shadow { map_size: 2048, bounds: 30.0, ..Shadow::default() };
    let sun = Light::directional(Vec3::new(1.0, 0.95, 0.8), 1.2).with_shadow(shadow);
    let sun = scene.spawn(Node::light(sun).at(Vec3::new(6.0, 10.0, 20.0)))?;
    scene.graph.node_mut(sun)?.look_at(Vec3::ZERO, Vec3::Z)?;

    // Ground and crates.
    let grass = scene.assets.add(Material::from_color(Vec4::new(0.2, 0.5, 0.2, 1.0)));
    let wood = scene.assets.add(Material::from_color(Vec4::new(0.6, 0.4, 0.2, 1.0)));
    let lawn = scene.assets.add(Plane::new(Vec2::splat(100.0)).build()?);
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    scene.spawn(Node::mesh(&lawn, &grass))?;
    let crates = scene.spawn(Node::group().named("crates").at(Vec3::new(5.0, -3.0, 0.5)))?;
    scene.spawn_all(
        crates,
        (0..4).map(|i| Node::mesh(&cube, &wood).at(Vec3::new(1.5 * i as f32, 0.0, 0.0))),
    )?;
    scene.spawn(Node::mesh(&cube, &wood).under(crates).at(Vec3::new(0.75, 0.0, 1.0)))?;

    // A tank: move it and all of it moves; turn the turret and only the barrel follows.
    let tank = scene.spawn(Node::group().named("tank").at(Vec3::new(-8.0, -6.0, 0.5)))?;
    scene.spawn(Node::mesh(&cube, &grass).under(tank).scaled(Vec3::new(2.0, 4.0, 1.0)))?;
    let barrel = Node::mesh(&cube, &grass).named("barrel").scaled(Vec3::new(0.2, 2.0, 0.2));
    let turret = Node::group().named("turret").under(tank).at(Vec3::new(0.0, 0.0, 1.5));
    let turret = scene.spawn(turret.child(barrel.at(Vec3::new(0.0, -2.0, 0.0))))?;

    // A character of two bones: a body, and a hand that swings.
    let character = scene.spawn(Node::group().named("character"))?;
    let spine = scene.spawn(Node::group().named("spine").under(character))?;
    let hand = Node::group().named("hand_R").under(spine).at(Vec3::new(0.4, 0.0, 1.2));
    let hand = scene.spawn(hand)?;
    let mut body = Capsule::new(0.3, 1.2).build()?;
    for place in &mut body.positions {
        place.z += 0.9;
    }
    let weights = body.positions.iter().map(|place| {
        let share = ((place.z - 1.0) / 0.5).clamp(0.0, 1.0);
        [1.0 - share, share, 0.0, 0.0]
    });
    let weights = weights.collect();
    let joints = vec![[0, 1, 0, 0]; body.positions.len()];
    let body = scene.assets.add(body.with_influences(joints, weights));
    let skin = Skin::bound_now(&scene.graph, vec![spine, hand])?;
    let body = scene.spawn(Node::mesh(&body, &grass).under(character).skinned(skin))?;

    // A sword in the hand: attached like anything else.
    let blade = scene.assets.add(Cuboid::new(Vec3::new(0.05, 0.02, 1.0)).build()?);
    let sword = Node::mesh(&blade, &wood).named("sword").at(Vec3::new(0.0, 0.0, 0.15));
    let sword = scene.spawn(sword.rotated(Quat::from_rotation_x(-1.57)).under(hand))?;

    // The turret turns by an eighth.
    let eighth = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    scene.node_mut(turret)?.set_rotation(eighth)?;

    // The hand swings to and fro.
    let turns = [Quat::IDENTITY, Quat::from_rotation_z(1.5)];
    let swing = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], turns)?;
    let clip = Clip::new("swing", ["hand_R"], [swing])?;
    let binding = Binding::by_names(clip, &scene.graph, character)?;
    let mut mixer = Mixer::new();
    mixer.add(Layer::new(binding).with_repeat(Repeat::PingPong), &scene.graph, &scene.weights);

    // The frame: animate, update and cull, list.
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let mut before = Vec3::NAN;
    for frame in 0..4 {
        scene.animate(&mut mixer, 0.1);
        let view = scene.visible_meshes(camera, (1280, 720), &mut visible)?;
        list.build(&scene, &visible, &view);
        let tip = scene.graph.node(sword)?.world().transform_point3(Vec3::new(0.0, 0.0, 0.5));
        println!(
            "frame {frame}: {} meshes in view, {} draws in {} batches, the sword's tip at {tip:.2}",
            visible.len(),
            list.opaque().len(),
            list.batches().count(),
        );
        assert_ne!(tip, before, "the sword follows the hand in the same frame");
        before = tip;
    }
    assert!(visible.contains(body) && visible.contains(sword));
    let barrel = scene.graph.find("barrel").expect("it was spawned with the turret");
    let muzzle = scene.node(barrel)?.world().transform_point3(Vec3::new(0.0, -0.5, 0.0));
    let ahead = Vec3::new(-8.0, -6.0, 2.0) + eighth * Vec3::new(0.0, -3.0, 0.0);
    assert!(muzzle.abs_diff_eq(ahead, 1e-5), "the barrel turned with the turret");

    // Who throws shadows, and what is under the cursor?
    let light = scene.light(sun).expect("it was spawned with one");
    let map = light.shadow_view(&scene.graph.node(sun)?.world(), view_clip())?;
    let mut casters = Visible::new();
    scene.shadow_casters(&map.expect("the sun throws shadows"), &mut casters);
    println!("{} meshes throw shadows", casters.len());
    let hit = scene.pick(&Ray::new(Vec3::new(5.75, -3.0, 9.0), Vec3::NEG_Z)?, &Filter::default());
    let top = scene.graph.node(crates)?.children().last();
    assert_eq!(hit.map(|hit| hit.node), top, "the crate on top");
    Ok(())
}

fn view_clip() -> pleach::ClipSpace {
    pleach::ClipSpace::ZeroToOne
}
