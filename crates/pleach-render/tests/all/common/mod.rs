//! Shared test fixtures: small scenes seen from directly above, and exact colours.
//!
//! The camera is at (0, 0, 10), looks down, and is orthographic: 8 × 6 metres on 64 × 48 pixels,
//! eight pixels per metre. +Y is up in the picture.

#![allow(dead_code, reason = "each test file uses a subset")]

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::shapes::Plane;
use pleach::{Camera, Geometry, Light, Material, Node, NodeId, Scene, Transform};
use pleach_render::{Exposure, Picture, Renderer, Settings, Studio, ToneMapping};

pub(crate) const WIDTH: u32 = 64;
pub(crate) const HEIGHT: u32 = 48;

/// A scene with a camera above it, otherwise empty.
pub(crate) struct Fixture {
    pub(crate) scene: Scene,
    pub(crate) camera: NodeId,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let mut scene = Scene::new();
        let transform = Transform::from_xyz(0.0, 0.0, 10.0);
        let camera = Node::camera(Camera::orthographic(6.0)).with_transform(transform);
        let camera = scene.spawn(camera).unwrap();
        Self { scene, camera }
    }

    /// Adds a rectangle that faces up.
    pub(crate) fn plane(&mut self, size: Vec2, at: Vec3, material: Material) -> NodeId {
        self.put(Plane::new(size).build().unwrap(), at, material)
    }

    pub(crate) fn put(&mut self, geometry: Geometry, at: Vec3, material: Material) -> NodeId {
        let geometry = self.scene.assets.add(geometry);
        let material = self.scene.assets.add(material);
        self.scene.spawn(Node::mesh(&geometry, &material).at(at)).unwrap()
    }

    /// Adds a light; directional lights point straight down.
    pub(crate) fn light(&mut self, light: Light, at: Vec3) -> NodeId {
        self.scene.spawn(Node::light(light).at(at)).unwrap()
    }

    /// Adds a white directional light of intensity 1 that points straight down.
    pub(crate) fn sun(&mut self) -> NodeId {
        self.light(Light::directional(Vec3::ONE, 1.0), Vec3::new(0.0, 0.0, 20.0))
    }

    /// Renders with [`exact_settings`].
    pub(crate) fn picture(&mut self) -> Picture {
        self.picture_with(exact_settings())
    }

    pub(crate) fn picture_with(&mut self, settings: Settings) -> Picture {
        render(&mut self.scene, self.camera, settings)
    }
}

/// Renders a picture of 64 × 48 pixels.
pub(crate) fn render(scene: &mut Scene, camera: NodeId, settings: Settings) -> Picture {
    scene.update().unwrap();
    let view = scene.view(camera, (WIDTH, HEIGHT)).unwrap();
    let mut renderer = Renderer::new().with_settings(settings);
    let picture = renderer.render(scene, &view).unwrap();
    assert_eq!(renderer.warnings(), [""; 0]);
    picture
}

/// Settings without any adjustments: one ray per pixel, fixed exposure, light up to 1 unchanged, no
/// studio, on black.
pub(crate) fn exact_settings() -> Settings {
    Settings {
        samples: 1,
        exposure: Exposure::Fixed(1.0),
        tone_mapping: ToneMapping::Clamp,
        studio: Studio::Never,
        background: Some(Vec4::new(0.0, 0.0, 0.0, 1.0)),
        ..Settings::default()
    }
}

/// Returns an unlit material.
pub(crate) fn unlit(color: Vec4) -> Material {
    Material { unlit: true, ..Material::from_color(color) }
}

/// Returns the pixel at a world position in the picture of [`Fixture`]'s camera.
pub(crate) fn at(picture: &Picture, x: f32, y: f32) -> [u8; 4] {
    picture.pixels[index(x, y)]
}

pub(crate) fn index(x: f32, y: f32) -> usize {
    let (x, y) = ((x + 4.0) * 8.0, (3.0 - y) * 8.0);
    y as usize * WIDTH as usize + x as usize
}

/// Returns the world position of a pixel's centre in the picture of [`Fixture`]'s camera.
pub(crate) fn pixel_center(x: usize, y: usize) -> Vec2 {
    Vec2::new((x as f32 + 0.5) / 8.0 - 4.0, 3.0 - (y as f32 + 0.5) / 8.0)
}

/// Converts linear light to an sRGB byte, by the formula.
pub(crate) fn srgb(light: f64) -> u8 {
    let encoded =
        if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (encoded.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Returns the light that a rough grey dielectric reflects straight up, for light at an angle of
/// this cosine: Lambert under GGX of roughness 1 with F0 = 0.04.
pub(crate) fn rough_reflection(base: f64, cosine: f64) -> f64 {
    // The cosine between the half vector and the view direction.
    let half_cosine = ((1.0 + cosine) / 2.0).sqrt();
    let fresnel = 0.04 + 0.96 * (1.0 - half_cosine).powi(5);
    // With alpha 1 the microfacets are distributed uniformly, and the masking term is the mean of
    // the cosines.
    let ggx = 0.5 / (cosine + 1.0);
    (base * (1.0 - fresnel) + fresnel * ggx) * cosine
}

/// Asserts that two bytes differ by at most one: sums in f32 may round differently from the
/// formula.
#[track_caller]
pub(crate) fn assert_near(found: u8, expected: u8, what: &str) {
    assert!(found.abs_diff(expected) <= 1, "{what}: found {found}, expected {expected}");
}
