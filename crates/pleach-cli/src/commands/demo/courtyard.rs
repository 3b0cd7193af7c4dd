//! The courtyard scene: crates, a tank, a character with a sword in its hand, sun, fog, and walls
//! with lamps.

use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mixer, Repeat};
use pleach::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cone, Cuboid, Cylinder, Plane, Sphere};
use pleach::{
    Background, Camera, Error, Fog, Handle, Instances, Light, Material, Mesh, Node, NodeId, Scene,
    Shadow, TextureRef, TextureTransform,
};

use super::{character, patterns};

/// A scene, and the nodes that the frame loop needs.
pub(super) struct Courtyard {
    pub(super) scene: Scene,
    pub(super) camera: NodeId,
    pub(super) tank: NodeId,
    pub(super) turret: NodeId,
    pub(super) sword: NodeId,
    /// The animation of the character's arm.
    pub(super) mixer: Mixer,
}

impl Courtyard {
    pub(super) fn build() -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let mut scene = Scene::named("courtyard");
        set_environment(&mut scene);

        // A camera ten metres off and five up, looking at the origin.
        let camera = Camera::default().with_near(0.1).with_far(500.0);
        let camera =
            scene.spawn(Node::camera(camera).named("camera").at(Vec3::new(0.0, 10.0, 5.0)))?;
        scene.node_mut(camera)?.look_at(Vec3::ZERO, Vec3::Z)?;

        // The sun, down and slightly from the side, with shadows.
        let shadow = Shadow { map_size: 2048, bounds: 30.0, ..Shadow::default() };
        let sun = Light::directional(Vec3::new(1.0, 0.95, 0.8), 1.2).with_shadow(shadow);
        let sun = scene.spawn(Node::light(sun).named("sun").at(Vec3::new(6.0, 10.0, 20.0)))?;
        scene.node_mut(sun)?.look_at(Vec3::ZERO, Vec3::Z)?;

        ground(&mut scene)?;
        walls(&mut scene)?;
        crates(&mut scene)?;
        let (tank, turret) = tank(&mut scene)?;
        let (character, hand) = character::spawn(&mut scene)?;

        // The sword is a child of the hand joint.
        let steel = Material { metallic: 1.0, roughness: 0.3, ..matte(0.8, 0.82, 0.85) };
        let steel = scene.assets.add(steel.named("steel"));
        let blade = scene.assets.add(Cuboid::new(Vec3::new(0.06, 0.02, 1.0)).build()?);
        let guard = scene.assets.add(Cuboid::new(Vec3::new(0.3, 0.06, 0.05)).build()?);
        let sword = Node::group().named("sword").under(hand).at(Vec3::new(0.0, 0.0, 0.15));
        let sword = sword
            .rotated(Quat::from_xyzw(-0.5f32.sqrt(), 0.0, 0.0, 0.5f32.sqrt()))
            .child(Node::mesh(&blade, &steel).at(Vec3::new(0.0, 0.0, 0.6)))
            .child(Node::mesh(&guard, &steel).at(Vec3::new(0.0, 0.0, 0.1)));
        let sword = scene.spawn(sword)?;

        // The arm swings back and forth.
        let quarters = [rotation_x_quarters(-0.1), rotation_x_quarters(-1.0)];
        let swing = Channel::rotation(0, Interpolation::Linear, [0.0, 0.6], quarters)?;
        let clip = Clip::new("swing", ["arm_R"], [swing])?;
        let binding = Binding::by_names(clip, &scene.graph, character)?;
        let mut mixer = Mixer::new();
        let layer = BlendLayer::new(binding).with_repeat(Repeat::PingPong);
        scene.play(&mut mixer, layer);
        Ok(Self { scene, camera, tank, turret, sword, mixer })
    }
}

/// Sets ambient light, background and fog.
fn set_environment(scene: &mut Scene) {
    let dusk = Vec3::new(0.1, 0.1, 0.15);
    scene.environment.ambient.intensity = 0.3;
    scene.environment.background = Some(Background::Color(dusk));
    scene.environment.fog = Some(Fog { color: dusk, near: 50.0, far: 200.0 });
}

/// Adds the ground.
fn ground(scene: &mut Scene) -> Result<(), Error> {
    let grass = scene.assets.add(patterns::grass()?);
    let mut texture = TextureRef::new(grass);
    texture.transform =
        Some(TextureTransform { scale: Vec2::splat(20.0), ..TextureTransform::IDENTITY });
    let grass = Material { base_color_texture: Some(texture), ..matte(1.0, 1.0, 1.0) };
    let grass = scene.assets.add(grass.named("grass"));
    let lawn = scene.assets.add(Plane::new(Vec2::splat(100.0)).build()?);
    scene.spawn(Node::mesh(&lawn, &grass).named("ground"))?;
    Ok(())
}

fn walls(scene: &mut Scene) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let stone = scene.assets.add(matte(0.42, 0.4, 0.38).named("stone"));
    let slate = scene.assets.add(matte(0.2, 0.13, 0.12).named("slate"));
    let wall = scene.assets.add(Cuboid::new(Vec3::new(24.0, 0.8, 2.4)).build()?);
    let tower = scene.assets.add(Cylinder::new(1.5, 4.5).build()?);
    let roof = scene.assets.add(Cone::new(1.9, 1.8).build()?);
    let walls = scene.spawn(Node::group().named("walls"))?;
    let sides = [(0.0, -11.0, 0.0), (-12.0, 1.0, 1.0), (12.0, 1.0, 1.0)];
    for (x, y, quarters) in sides {
        let half = (quarters * 0.5f32).sqrt();
        let rotation = Quat::from_xyzw(0.0, 0.0, half, (1.0 - half * half).sqrt());
        let at = Vec3::new(x, y, 1.2);
        scene.spawn(Node::mesh(&wall, &stone).under(walls).at(at).rotated(rotation))?;
    }
    for x in [-12.0, 12.0] {
        let group = Node::group().named("tower").under(walls).at(Vec3::new(x, -11.0, 0.0));
        let cylinder = Node::mesh(&tower, &stone).at(Vec3::new(0.0, 0.0, 2.25));
        let roof = Node::mesh(&roof, &slate).at(Vec3::new(0.0, 0.0, 5.4));
        scene.spawn(group.child(cylinder).child(roof))?;
    }

    // Battlements: one node, one geometry, many instances.
    let merlon = Cuboid::new(Vec3::new(0.6, 0.8, 0.5)).build()?;
    let matrices = (-9..=9).map(|i| Mat4::from_translation(Vec3::new(1.1 * i as f32, -11.0, 2.65)));
    let instances = Instances::new(merlon.bounds(), matrices.collect())?;
    let merlons = Mesh {
        instances: Some(Box::new(instances)),
        ..Mesh::new(scene.assets.add(merlon), stone.clone())
    };
    scene.spawn(Node::group().named("battlements").under(walls).with_mesh(merlons))?;

    // Lamps: a mesh and a light on the same node.
    let warm = Vec3::new(1.0, 0.7, 0.35);
    let glass = Material { emissive: warm, emissive_strength: 2.0, ..matte(0.9, 0.9, 0.9) };
    let glass = scene.assets.add(glass.named("glass"));
    let globe = scene.assets.add(Sphere::new(0.2).build()?);
    for x in [-3.5, 3.5] {
        let lamp = Node::mesh(&globe, &glass).named("lamp").under(walls);
        let lamp = scene.spawn(lamp.at(Vec3::new(x, -10.2, 1.9)))?;
        scene.lights.insert(&scene.graph, lamp, Light::point(warm, 1.0).with_range(12.0))?;
        if let Some(mesh) = scene.mesh_mut(lamp) {
            // Otherwise the globe would shadow its own light.
            mesh.cast_shadow = false;
        }
    }
    Ok(())
}

/// Adds four crates in a row and one on top.
fn crates(scene: &mut Scene) -> Result<(), Error> {
    let planks = TextureRef::new(scene.assets.add(patterns::planks()?));
    let wood = Material { base_color_texture: Some(planks), ..matte(0.85, 0.6, 0.35) };
    let wood = scene.assets.add(wood.named("wood"));
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    let group = scene.spawn(Node::group().named("crates").at(Vec3::new(5.0, -3.0, 0.5)))?;
    let row = (0..4).map(|i| Node::mesh(&cube, &wood).at(Vec3::new(1.5 * i as f32, 0.0, 0.0)));
    scene.spawn_all(group, row)?;
    scene.spawn(Node::mesh(&cube, &wood).under(group).at(Vec3::new(0.75, 0.0, 1.0)))?;
    Ok(())
}

/// Adds a tank: moving it moves all of it, rotating the turret moves only the barrel.
fn tank(scene: &mut Scene) -> Result<(NodeId, NodeId), Error> {
    let green = scene.assets.add(matte(0.24, 0.28, 0.16).named("green"));
    let black = scene.assets.add(matte(0.04, 0.04, 0.04).named("rubber"));
    let part = |size: Vec3| Ok::<_, Error>(scene.assets.add(Cuboid::new(size).build()?));
    let (hull, track) = (part(Vec3::new(2.0, 4.0, 0.8))?, part(Vec3::new(0.5, 4.4, 0.7))?);
    let dome = scene.assets.add(Cylinder::new(0.8, 0.6).build()?);
    let barrel = scene.assets.add(Cylinder::new(0.1, 2.4).build()?);
    let mesh = |geometry: &Handle<_>, at: Vec3| Node::mesh(geometry, &green).at(at);

    let tank = Node::group().named("tank").at(Vec3::new(-4.5, 14.0, 0.0));
    let tank = tank
        .child(mesh(&hull, Vec3::new(0.0, 0.0, 0.8)).named("hull"))
        .child(Node::mesh(&track, &black).at(Vec3::new(-1.2, 0.0, 0.35)))
        .child(Node::mesh(&track, &black).at(Vec3::new(1.2, 0.0, 0.35)));
    let tank = scene.spawn(tank)?;
    let turret = Node::group().named("turret").under(tank).at(Vec3::new(0.0, 0.0, 1.5));
    let barrel = mesh(&barrel, Vec3::new(0.0, -1.8, 0.05)).rotated(rotation_x_quarters(1.0));
    let turret = turret.child(mesh(&dome, Vec3::ZERO)).child(barrel.named("barrel"));
    Ok((tank, scene.spawn(turret)?))
}

/// Returns a rough material of one colour.
pub(super) fn matte(red: f32, green: f32, blue: f32) -> Material {
    Material { roughness: 0.8, ..Material::from_color(Vec4::new(red, green, blue, 1.0)) }
}

/// Returns a rotation about +X in quarter turns. Uses libm for identical bits on every machine.
pub(super) fn rotation_x_quarters(quarters: f32) -> Quat {
    let (sin, cos) = libm::sincosf(quarters * std::f32::consts::FRAC_PI_4);
    Quat::from_xyzw(sin, 0.0, 0.0, cos)
}
