//! Renders a scene and writes it as a PPM file, without an encoder.
//!
//! `cargo run --release -p pleach-render --example picture -- picture.ppm`

use std::io::Write;

use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane, Sphere, Torus};
use pleach::{Light, Material, Node, Scene, Transform, View};
use pleach_render::{Renderer, framing};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    let assets = scene.assets.clone();
    let [floor, cube, ball, ring] = [
        Plane::new(Vec2::splat(8.0)).build()?,
        Cuboid::new(Vec3::splat(1.2)).build()?,
        Sphere::new(0.7).build()?,
        Torus::new(0.6, 0.2).build()?,
    ]
    .map(|geometry| assets.add(geometry));
    let material = |r, g, b| Material::from_color(Vec4::new(r, g, b, 1.0));
    let gold = Material { metallic: 1.0, roughness: 0.3, ..material(1.0, 0.77, 0.34) };
    let [grey, red, blue, gold] =
        [material(0.6, 0.6, 0.6), material(0.7, 0.1, 0.1), material(0.1, 0.2, 0.7), gold]
            .map(|material| assets.add(material));
    let above = |x, z| Vec3::new(x, 0.0, z);
    scene.spawn(Node::mesh(&floor, &grey))?;
    scene.spawn(Node::mesh(&cube, &red).at(above(-1.8, 0.6)))?;
    scene.spawn(Node::mesh(&ball, &blue).at(above(0.0, 0.7)))?;
    let upright = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let ring = scene.spawn(Node::mesh(&ring, &gold).at(above(1.8, 0.8)).rotated(upright))?;
    let sun = Transform::from_xyz(-3.0, -4.0, 6.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::light(Light::directional(Vec3::ONE, 1.0)).with_transform(sun))?;
    scene.update()?;

    let things = pleach::Aabb::new(Vec3::new(-2.5, -1.0, 0.0), Vec3::new(2.5, 1.0, 1.5));
    let (camera, transform) = framing(&things, Vec3::new(0.5, -2.0, 1.0), 16.0 / 9.0);
    let view = View::new(&camera, transform, (640, 360))?;
    let picture = Renderer::new().render(&scene, &view)?;
    assert!(picture.nodes.contains(&Some(ring)));

    if let Some(path) = std::env::args().nth(1) {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        writeln!(file, "P6 {} {} 255", picture.width, picture.height)?;
        for [r, g, b, _] in &picture.pixels {
            file.write_all(&[*r, *g, *b])?;
        }
        file.flush()?;
    }
    Ok(())
}
