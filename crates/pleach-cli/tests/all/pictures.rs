//! Compares pictures with goldens in `tests/golden/pictures` by a perceptual metric.
//!
//! Pictures have the same bits on every machine; the perceptual metric avoids new goldens for
//! invisible changes. It is the hybrid metric of image-compare: structural similarity (SSIM) of the
//! luma and difference of the chroma; 1 is equal. The score must be at least `MIN_SCORE`.
//! `PLEACH_BLESS=1` writes the goldens; then inspect each.

use std::path::Path;
use std::{env, fs};

use crate::common::{Directory, yard};
use image::RgbaImage;
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane, Sphere, Torus};
use pleach::{AlphaMode, Geometry, Image, Light, Material, Node, Scene, TextureRef};

/// The minimum score. Rotating a light by 2 degrees is detected, a difference in the last bit is
/// not.
const MIN_SCORE: f64 = 0.995;

fn read(path: &Path) -> RgbaImage {
    image::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).to_rgba8()
}

fn score(a: &RgbaImage, b: &RgbaImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    image_compare::rgba_hybrid_compare(a, b).unwrap().score
}

/// Compares a rendered picture with its golden.
#[track_caller]
fn golden(here: &Directory, line: &str, name: &str) {
    here.run(&format!("{line} -o {name}.png")).text(0);
    let drawn = here.path().join(format!("{name}.png"));
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures");
    let golden = golden.join(format!("{name}.png"));
    if env::var_os("PLEACH_BLESS").is_some_and(|it| it == "1") {
        fs::create_dir_all(golden.parent().unwrap()).unwrap();
        fs::copy(&drawn, &golden).unwrap();
        return;
    }
    let score = score(&read(&drawn), &read(&golden));
    if score < MIN_SCORE {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-drawn.png"));
        fs::copy(&drawn, &kept).unwrap();
        panic!(
            "{name}: the score is {score:.4}, expected at least {MIN_SCORE}; inspect {}",
            kept.display()
        );
    }
}

/// Rough to smooth dielectric and metal spheres; a transparent pane, an alpha-masked leaf, a
/// triangle with vertex colours.
fn materials() -> Scene {
    let mut scene = Scene::named("materials");
    let ball = scene.assets.add(Sphere::new(0.45).build().unwrap());
    for (row, metallic) in [0.0, 1.0].into_iter().enumerate() {
        for (column, roughness) in [0.05, 0.3, 0.6, 1.0].into_iter().enumerate() {
            let base_color = Vec4::new(0.9, 0.5, 0.2, 1.0);
            let material = Material { metallic, roughness, base_color, ..Material::default() };
            let material = scene.assets.add(material);
            let at = Vec3::new(column as f32 - 1.5, 0.0, 1.6 - row as f32);
            scene.spawn(Node::mesh(&ball, &material).at(at)).unwrap();
        }
    }
    let square = scene.assets.add(Plane::new(Vec2::splat(0.9)).build().unwrap());
    // Rotated to face −Y, as models do.
    let upright = Quat::from_xyzw(0.5f32.sqrt(), 0.0, 0.0, 0.5f32.sqrt());
    let pane = Material {
        alpha_mode: AlphaMode::Blend,
        ..Material::from_color(Vec4::new(0.2, 0.4, 1.0, 0.5))
    };
    let pane = scene.assets.add(pane);
    let pane = Node::mesh(&square, &pane).at(Vec3::new(-1.0, -0.8, 1.1)).rotated(upright);
    scene.spawn(pane).unwrap();
    let holes = (0..64).flat_map(|i| {
        let solid = (i % 8 / 2 + i / 16) % 2 == 0;
        [60, 160, 40, if solid { 255 } else { 0 }]
    });
    let holes = scene.assets.add(Image::from_rgba8(8, 8, holes.collect()).unwrap());
    let leaf = Material {
        alpha_mode: AlphaMode::MASK,
        double_sided: true,
        base_color_texture: Some(TextureRef::new(holes)),
        ..Material::from_color(Vec4::ONE)
    };
    let leaf = scene.assets.add(leaf);
    scene
        .spawn(Node::mesh(&square, &leaf).at(Vec3::new(0.2, -0.9, 0.45)).rotated(upright))
        .unwrap();
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Z];
    let colored = Geometry::from_positions(corners).with_colors(vec![
        Vec4::new(1.0, 0.0, 0.0, 1.0),
        Vec4::new(0.0, 1.0, 0.0, 1.0),
        Vec4::ONE,
    ]);
    let colored = scene.assets.add(colored);
    let plain = scene.assets.add(Material::from_color(Vec4::ONE));
    scene.spawn(Node::mesh(&colored, &plain).at(Vec3::new(1.1, -0.7, 0.0))).unwrap();
    let glow = Material { emissive: Vec3::new(1.0, 0.2, 0.1), ..Material::from_color(Vec4::ZERO) };
    let glow = scene.assets.add(glow);
    let ring = scene.assets.add(Torus::new(0.3, 0.08).build().unwrap());
    scene.spawn(Node::mesh(&ring, &glow).at(Vec3::new(-1.6, -0.9, 0.2))).unwrap();
    let floor = scene.assets.add(Cuboid::new(Vec3::new(6.0, 4.0, 0.1)).build().unwrap());
    scene.spawn(Node::mesh(&floor, &plain).at(Vec3::new(0.0, 0.0, -0.05))).unwrap();
    scene
}

/// A room with a light of each kind.
fn lamps() -> Scene {
    let mut scene = Scene::named("lamps");
    let white = scene.assets.add(Material::from_color(Vec4::new(0.8, 0.8, 0.8, 1.0)));
    let floor = scene.assets.add(Cuboid::new(Vec3::new(8.0, 6.0, 0.1)).build().unwrap());
    let post = scene.assets.add(Cuboid::new(Vec3::new(0.3, 0.3, 1.2)).build().unwrap());
    scene.spawn(Node::mesh(&floor, &white).at(Vec3::new(0.0, 0.0, -0.05))).unwrap();
    for x in [-2.5, 0.0, 2.5] {
        scene.spawn(Node::mesh(&post, &white).at(Vec3::new(x, 0.0, 0.6))).unwrap();
    }
    let red = Light::point(Vec3::new(1.0, 0.3, 0.2), 2.0).with_range(5.0);
    scene.spawn(Node::light(red).at(Vec3::new(-2.0, -1.2, 1.0))).unwrap();
    // Lights point along −Z: straight down.
    let green = Light::spot(Vec3::new(0.3, 1.0, 0.3), 12.0, 0.2, 0.4);
    scene.spawn(Node::light(green).at(Vec3::new(0.3, -0.2, 4.0))).unwrap();
    let slanted = Quat::from_xyzw(0.3, -0.3, 0.0, 0.9).normalize();
    let blue = Light::directional(Vec3::new(0.2, 0.3, 1.0), 0.4);
    scene.spawn(Node::light(blue).rotated(slanted)).unwrap();
    scene
}

#[test]
fn the_demo_matches_its_golden() {
    golden(&Directory::new(), "demo --size 320x180", "demo");
}

#[test]
fn materials_match_their_golden() {
    let here = Directory::new();
    pleach_gltf::save(&materials(), here.path().join("materials.glb")).unwrap();
    golden(&here, "render materials.glb --size 240x160 --from -0.2,-1,0.35", "materials");
}

#[test]
fn lights_and_shadows_match_their_golden() {
    let here = Directory::new();
    pleach_gltf::save(&lamps(), here.path().join("lamps.glb")).unwrap();
    golden(&here, "render lamps.glb --size 240x160 --from -0.2,-1,0.9", "lamps");
}

#[test]
fn poses_instances_textures_and_overlays_match_their_goldens() {
    let here = yard::directory();
    golden(&here, "render yard.glb --size 240x160 --animation wave --time 1", "yard-waving");
    let line = "render yard.glb --size 240x160 --overlay";
    golden(&here, &format!("{line} wireframe,joints"), "yard-wireframe");
    golden(&here, &format!("{line} boxes,ids"), "yard-boxes");
    golden(&here, &format!("{line} bvh,axes,normals"), "yard-tree");
}

/// Otherwise the other tests could not fail.
#[test]
fn the_metric_detects_visible_changes() {
    let here = Directory::new();
    pleach_gltf::save(&lamps(), here.path().join("lamps.glb")).unwrap();
    let draw = |scene: &Scene, name: &str| {
        pleach_gltf::save(scene, here.path().join("lamps.glb")).unwrap();
        here.run(&format!("render lamps.glb --size 240x160 --from -0.2,-1,0.9 -o {name}")).text(0);
        read(&here.path().join(name))
    };
    let usual = draw(&lamps(), "usual.png");
    assert_eq!(score(&usual, &usual), 1.0);

    let mut other = lamps();
    let lights: Vec<_> = other.lights.iter(&other.graph).map(|(node, _)| node).collect();
    other.remove(lights[0]).unwrap();
    let without_a_lamp = score(&usual, &draw(&other, "fewer.png"));
    assert!(without_a_lamp < MIN_SCORE, "{without_a_lamp}");

    let mut moved = usual.clone();
    image::imageops::replace(&mut moved, &usual, 2, 0);
    let by_two_pixels = score(&usual, &moved);
    assert!(by_two_pixels < MIN_SCORE, "{by_two_pixels}");
}
