//! The light of the late afternoon: the sun, the sky around the scene, and distant hills.
//!
//! One function gives the radiance of the sky in each direction: the image on the dome behind the scene.

use std::f32::consts::TAU;

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::{Error, Geometry, Image, Light, Material, Node, Scene, Shadow, TextureRef};

use super::modeling::{grid, shaded};

/// The direction of the sun.
const SUN: Vec3 = Vec3::new(0.70, -0.56, 0.44);

/// Adds the sun, the sky and the hills.
pub(super) fn spawn(scene: &mut Scene) -> Result<(), Error> {
    let shadow = Shadow { map_size: 4096, bounds: 24.0, ..Shadow::default() };
    let sun = Light::directional(Vec3::new(1.0, 0.71, 0.42), 1.75).with_shadow(shadow);
    let sun = scene.spawn(Node::light(sun).named("sun").at(SUN * 30.0))?;
    scene.node_mut(sun)?.look_at(Vec3::ZERO, Vec3::Z)?;

    scene.environment.ambient.color = Vec3::new(0.62, 0.75, 1.0);
    scene.environment.ambient.intensity = 0.32;
    dome(scene)?;
    hills(scene)
}

/// Returns the radiance of the sky in a direction.
fn radiance(direction: Vec3) -> Vec3 {
    let direction = direction.normalize_or(Vec3::Z);
    let height = direction.z.clamp(0.0, 1.0);
    let horizon = Vec3::new(1.0, 0.72, 0.50);
    let middle = Vec3::new(0.55, 0.62, 0.70);
    let zenith = Vec3::new(0.10, 0.25, 0.52);
    let blend = |low: f32, high: f32| {
        let t = ((height - low) / (high - low)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let mut color = horizon.lerp(middle, blend(0.0, 0.22)).lerp(zenith, blend(0.12, 0.75));
    color += Vec3::new(0.5, 0.34, 0.16)
        * libm::powf(direction.dot(SUN.normalize_or(Vec3::Z)).max(0.0), 6.0);
    let cloud = clouds(direction);
    color.lerp(Vec3::new(1.0, 0.83, 0.68), cloud)
}

/// Returns the fraction of the sky that is cloud in a direction.
fn clouds(direction: Vec3) -> f32 {
    if direction.z < 0.02 {
        return 0.0;
    }
    // On a layer above the ground, stretched along the wind.
    let layer =
        Vec2::new(direction.x * 0.5 + direction.y * 0.2, direction.y * 1.1) / (direction.z + 0.12);
    let mut sum = 0.0;
    let mut weight = 0.5;
    let mut at = layer * 1.7;
    for _ in 0..5 {
        sum += weight * value_noise(at);
        at = Vec2::new(at.x * 1.8 + at.y * 0.9, at.y * 1.8 - at.x * 0.9) + Vec2::new(3.1, 7.7);
        weight *= 0.5;
    }
    let dense = ((sum - 0.42) / 0.3).clamp(0.0, 1.0);
    dense * dense * 0.85 * (direction.z * 6.0).min(1.0)
}

/// Returns smooth noise from 0 to 1.
fn value_noise(at: Vec2) -> f32 {
    let cell = at.floor();
    let t = at - cell;
    let t = t * t * (Vec2::splat(3.0) - 2.0 * t);
    let corner = |x: f32, y: f32| {
        let (x, y) = ((cell.x + x) as i32 as u32, (cell.y + y) as i32 as u32);
        let mut hash = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
        hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
        ((hash ^ hash >> 13) & 0xffff) as f32 / 65535.0
    };
    let row = |y: f32| corner(0.0, y) + (corner(1.0, y) - corner(0.0, y)) * t.x;
    row(0.0) + (row(1.0) - row(0.0)) * t.y
}

/// Adds the part of the sky that the camera sees.
fn dome(scene: &mut Scene) -> Result<(), Error> {
    const SIZE: (u32, u32) = (1024, 256);
    let direction = |u: f32, v: f32| {
        let (sin, cos) = libm::sincosf(TAU * (0.25 + 0.45 * (0.5 - u)));
        let (up, across) = libm::sincosf(-0.05 + 0.9 * v);
        Vec3::new(cos * across, sin * across, up)
    };
    let pixels = (0..SIZE.0 * SIZE.1).flat_map(|i| {
        let (x, y) = ((i % SIZE.0) as f32 + 0.5, (i / SIZE.0) as f32 + 0.5);
        let color = radiance(direction(x / SIZE.0 as f32, 1.0 - y / SIZE.1 as f32));
        let [red, green, blue] = color.to_array().map(srgb);
        [red, green, blue, 255]
    });
    let image = Image::from_rgba8(SIZE.0, SIZE.1, pixels.collect())?.named("sky");
    let sky = Material {
        base_color_texture: Some(TextureRef::new(scene.assets.add(image))),
        unlit: true,
        ..Material::from_color(Vec4::ONE)
    };
    let sky = scene.assets.add(sky.named("sky"));
    let dome = scene.assets.add(grid(48, 16, |u, v| direction(u, v) * 600.0));
    let dome = scene.spawn(Node::mesh(&dome, &sky).named("sky"))?;
    without_shadow(scene, dome);
    Ok(())
}

/// Adds rows of hills, each paler than the one before it.
fn hills(scene: &mut Scene) -> Result<(), Error> {
    let material = Material { unlit: true, ..Material::from_color(Vec4::ONE) };
    let material = scene.assets.add(material.named("hills"));
    for (row, distance, height, color) in [
        (1.0, 420.0, 62.0, Vec3::new(0.50, 0.47, 0.50)),
        (2.0, 280.0, 34.0, Vec3::new(0.33, 0.34, 0.33)),
        (3.0, 170.0, 15.0, Vec3::new(0.19, 0.22, 0.15)),
    ] {
        let ridge = |u: f32| {
            let wave = |frequency: f32, phase: f32| libm::sinf(u * frequency + phase * row);
            0.55 + 0.25 * wave(9.0, 1.7) + 0.15 * wave(23.0, 4.1) + 0.05 * wave(71.0, 2.3)
        };
        let hill: Geometry = grid(120, 1, |u, v| {
            let (sin, cos) = libm::sincosf(TAU * (0.25 + 0.45 * (0.5 - u)));
            Vec3::new(cos * distance, sin * distance, v * height * ridge(u) - 4.0 * (1.0 - v))
        });
        let hill = shaded(hill, |position, _| color * (1.0 + 0.25 * (1.0 - position.z / height)));
        let hill = scene.assets.add(hill);
        let node = scene.spawn(Node::mesh(&hill, &material).named("hills"))?;
        without_shadow(scene, node);
    }
    Ok(())
}

fn without_shadow(scene: &mut Scene, node: pleach::NodeId) {
    if let Some(mesh) = scene.mesh_mut(node) {
        (mesh.cast_shadow, mesh.receive_shadow) = (false, false);
    }
}

/// Encodes a linear value as a byte of sRGB.
fn srgb(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let encoded = if linear < 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055
    };
    (encoded * 255.0 + 0.5) as u8
}
