//! The fountain, and the armillary sphere on it: rings within rings, which the frame loop turns.

use std::f32::consts::{FRAC_PI_2, TAU};

use pleach::glam::Vec3;
use pleach::shapes::Torus;
use pleach::{Error, Geometry, Handle, Node, NodeId, Scene, rotation};

use super::modeling::{ball, merged, plain, shaded, tube, turned};
use super::palette::Palette;

/// The position of the fountain.
pub(super) const CENTER: Vec3 = Vec3::new(-2.3, 0.8, 0.0);
/// The radius of its steps.
pub(super) const RADIUS: f32 = 2.9;

/// Adds the fountain and returns the node that turns the rings of its armillary sphere.
pub(super) fn spawn(scene: &mut Scene, palette: &Palette) -> Result<NodeId, Error> {
    let basin = [
        (2.9, 0.0),
        (2.9, 0.16),
        (2.55, 0.16),
        (2.55, 0.32),
        (2.2, 0.32),
        (2.2, 0.42),
        (2.12, 0.46),
        (2.12, 0.72),
        (2.2, 0.78),
        (2.28, 0.80),
        (2.28, 0.90),
        (1.95, 0.90),
        (1.95, 0.35),
        (0.0, 0.35),
    ];
    let pedestal = [
        (0.62, 0.35),
        (0.62, 0.6),
        (0.5, 0.66),
        (0.3, 0.8),
        (0.24, 1.05),
        (0.3, 1.3),
        (0.42, 1.42),
        (0.3, 1.48),
        (0.3, 1.54),
        (0.7, 1.64),
        (1.05, 1.82),
        (1.18, 1.98),
        (1.2, 2.02),
        (1.1, 2.02),
        (0.9, 1.84),
        (0.3, 1.8),
        (0.22, 1.9),
        (0.16, 2.1),
        (0.2, 2.3),
        (0.14, 2.36),
        (0.0, 2.36),
    ];
    let stone = shaded(merged([turned(&basin, 48), turned(&pedestal, 32)]), |position, normal| {
        let inside = position.truncate().length() < 1.96 && position.z < 0.9;
        let below = (0.72 + 0.35 * position.z).min(1.0) * (0.85 + 0.15 * normal.z);
        Vec3::splat(if inside { 0.55 } else { below })
    });
    let mesh = |geometry: Geometry, material| Node::mesh(&scene.assets.add(geometry), material);
    let disc = |radius: f32, height: f32| turned(&[(radius, height), (0.0, height)], 40);
    let water = merged([disc(1.96, 0.78), disc(1.08, 1.98)]);
    let fountain = Node::group().named("fountain").at(CENTER);
    let fountain = fountain
        .child(mesh(stone, &palette.marble).named("basin"))
        .child(mesh(water, &palette.water).named("water"))
        .child(mesh(jets(), &palette.water).named("jets"));
    let fountain = scene.spawn(fountain)?;
    armillary_sphere(scene, palette, fountain)
}

/// Returns the jets from the upper bowl into the basin.
fn jets() -> Geometry {
    merged((0..8).map(|jet| {
        let (sin, cos) = libm::sincosf(TAU * (jet as f32 + 0.5) / 8.0);
        let path: Vec<Vec3> = (0..=10)
            .map(|step| {
                let time = step as f32 / 10.0;
                let outward = 1.16 + 0.5 * time;
                Vec3::new(cos * outward, sin * outward, 2.04 + 0.28 * time - 1.54 * time * time)
            })
            .collect();
        tube(&path, 0.022, 6)
    }))
}

/// Adds an armillary sphere, and returns the node of its moving rings.
fn armillary_sphere(
    scene: &mut Scene,
    palette: &Palette,
    fountain: NodeId,
) -> Result<NodeId, Error> {
    let ring = |radius: f32, tube: f32| {
        let ring = Torus::new(radius, tube).with_detail(64, 10).build()?;
        Ok::<_, Error>(scene.assets.add(plain(ring)))
    };
    let (outer, middle, inner) = (ring(0.72, 0.035)?, ring(0.62, 0.028)?, ring(0.5, 0.025)?);
    let axis = merged([
        turned(
            &[(0.0, -0.78), (0.05, -0.74), (0.016, -0.66), (0.016, 0.66), (0.05, 0.74), (0.0, 0.8)],
            12,
        ),
        turned(&[(0.14, -0.98), (0.1, -0.92), (0.04, -0.85), (0.06, -0.72), (0.0, -0.7)], 16),
    ]);
    let axis = scene.assets.add(axis);
    let globe = scene.assets.add(ball(0.19, 28)?);
    let upright = rotation::from_rotation_x(FRAC_PI_2);
    let gold = |geometry: &Handle<Geometry>| Node::mesh(geometry, &palette.gold);

    let sphere = Node::group().named("armillary sphere").under(fountain).at(Vec3::Z * 3.3);
    let sphere = sphere
        .child(gold(&axis).named("axis"))
        .child(gold(&outer).rotated(upright).named("meridian"))
        .child(gold(&outer).named("horizon"));
    let sphere = scene.spawn(sphere)?;
    let rings = Node::group().named("rings").under(sphere).rotated(rotation::from_rotation_x(0.41));
    let rings = rings
        .child(gold(&middle).named("equator"))
        .child(gold(&middle).rotated(upright).named("colure"))
        .child(gold(&inner).rotated(rotation::from_rotation_y(0.7)).named("ecliptic"))
        .child(Node::mesh(&globe, &palette.glass).named("globe"));
    let rings = scene.spawn(rings)?;
    Ok(rings)
}
