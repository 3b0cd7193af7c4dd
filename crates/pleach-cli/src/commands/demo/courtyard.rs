//! The courtyard: assembles the scene, its camera and the animation of the knight.

use std::f32::consts::FRAC_PI_2;

use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mixer, Repeat};
use pleach::glam::{Vec2, Vec3};
use pleach::{Camera, Error, Node, NodeId, Scene, rotation};

use super::modeling::{grid, shaded};
use super::palette::Palette;
use super::{architecture, character, fountain, garden, props, sky};

/// The position of the knight.
const KNIGHT: Vec3 = Vec3::new(0.95, -2.5, 0.0);
/// The first position of the cart, behind the camera. It drives along +Y.
const CART: Vec3 = Vec3::new(5.5, -14.0, 0.0);

/// A scene, and the nodes that the frame loop needs.
pub(super) struct Courtyard {
    pub(super) scene: Scene,
    pub(super) camera: NodeId,
    pub(super) cart: NodeId,
    /// The node that turns the wheels of the cart.
    pub(super) axle: NodeId,
    /// The moving rings of the armillary sphere.
    pub(super) rings: NodeId,
    pub(super) sword: NodeId,
    /// The animation of the knight's arm.
    pub(super) mixer: Mixer,
}

impl Courtyard {
    pub(super) fn build() -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let mut scene = Scene::named("courtyard");
        let palette = Palette::new(&scene.assets)?;
        let camera = Camera::perspective(0.74).with_near(0.1).with_far(1000.0);
        let camera =
            scene.spawn(Node::camera(camera).named("camera").at(Vec3::new(0.9, -10.8, 2.2)))?;
        scene.node_mut(camera)?.look_at(Vec3::new(-0.35, 2.0, 3.2), Vec3::Z)?;

        sky::spawn(&mut scene)?;
        ground(&mut scene, &palette)?;
        architecture::spawn(&mut scene, &palette)?;
        let rings = fountain::spawn(&mut scene, &palette)?;
        garden::spawn(&mut scene, &palette)?;
        props::spawn(&mut scene, &palette)?;
        let (cart, axle) = props::cart(&mut scene, &palette, CART)?;
        let knight = character::spawn(&mut scene, &palette)?;
        scene.node_mut(knight.root)?.set_translation(KNIGHT)?;
        scene.node_mut(knight.root)?.set_rotation(rotation::from_rotation_z(-0.35))?;

        // The arm swings back and forth.
        let raised = [0.1, 0.85].map(|quarters| rotation::from_rotation_x(-quarters * FRAC_PI_2));
        let swing = Channel::rotation(0, Interpolation::Linear, [0.0, 0.6], raised)?;
        let clip = Clip::new("swing", ["arm_R"], [swing])?;
        let binding = Binding::by_names(clip, &scene.graph, knight.root)?;
        let mut mixer = Mixer::new();
        let layer = BlendLayer::new(binding).with_repeat(Repeat::PingPong);
        scene.play(&mut mixer, layer);
        Ok(Self { scene, camera, cart, axle, rings, sword: knight.sword, mixer })
    }
}

/// Adds the paving, and the fields around the courtyard.
fn ground(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    const SIZE: f32 = 30.0;
    /// The metres of a repetition of the texture.
    const REPETITION: f32 = 3.6;
    let mut paving = grid(150, 150, |u, v| Vec3::new(SIZE * (u - 0.5), SIZE * (v - 0.5), 0.0));
    let uvs = paving.positions.iter().map(|position| position.truncate() / REPETITION);
    paving.uvs = vec![uvs.collect()];
    let paving = shaded(paving, |position, _| Vec3::splat(occlusion(position.truncate())));
    let paving = scene.assets.add(paving);
    scene.spawn(Node::mesh(&paving, &palette.paving).named("paving"))?;
    let fields = grid(1, 1, |u, v| Vec3::new(900.0 * (u - 0.5), 900.0 * (v - 0.5), -0.03));
    let fields = scene.assets.add(shaded(fields, |_, _| Vec3::new(1.2, 0.9, 0.8)));
    scene.spawn(Node::mesh(&fields, &palette.leaves).named("fields"))?;
    Ok(())
}

/// Returns the fraction of the sky that is seen from a point of the paving: less near walls and things.
fn occlusion(at: Vec2) -> f32 {
    let near = |distance: f32, reach: f32, depth: f32| {
        1.0 - depth * libm::expf(-distance.max(0.0) / reach)
    };
    let circle = |center: Vec2, radius: f32| (at - center).length() - radius;
    let mut seen =
        near(at.x + 8.2, 1.4, 0.5) * near(7.2 - at.y, 1.4, 0.5) * near(10.0 - at.x, 0.8, 0.4);
    seen *= near(circle(fountain::CENTER.truncate(), fountain::RADIUS), 0.35, 0.5);
    for (x, y, radius) in [
        (KNIGHT.x, KNIGHT.y, 0.2),
        (3.7, -3.1, 0.85),
        (-6.2, -4.6, 0.42),
        (5.1, -1.9, 0.42),
        (-5.1, -5.3, 0.22),
    ] {
        seen *= near(circle(Vec2::new(x, y), radius), 0.22, 0.5);
    }
    seen
}
