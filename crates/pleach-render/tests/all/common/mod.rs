//! What the tests of pictures share: small scenes seen straight from above, and exact colours.
//!
//! The camera is at (0, 0, 10), looks down, and is orthographic: 8 × 6 metres on 64 × 48
//! pixels, eight pixels a metre. North (+Y) is up in the picture.

#![allow(dead_code, reason = "each test file uses its part of it")]

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::shapes::Plane;
use pleach::{Camera, Geometry, Light, Material, Node, NodeId, Scene, Transform};
use pleach_render::{Exposure, Picture, Renderer, Settings, Studio};

pub(crate) const WIDTH: u32 = 64;
pub(crate) const HEIGHT: u32 = 48;

/// A scene with a camera above it, and nothing else.
pub(crate) struct Table {
    pub(crate) scene: Scene,
    pub(crate) camera: NodeId,
}

impl Table {
    pub(crate) fn new() -> Self {
        let mut scene = Scene::new();
        let place = Transform::from_xyz(0.0, 0.0, 10.0);
        let camera = Node::camera(Camera::orthographic(6.0)).with_transform(place);
        let camera = scene.spawn(camera).unwrap();
        Self { scene, camera }
    }

    /// Puts a rectangle of this size there, facing up.
    pub(crate) fn plane(&mut self, size: Vec2, at: Vec3, material: Material) -> NodeId {
        self.put(Plane::new(size).build().unwrap(), at, material)
    }

    pub(crate) fn put(&mut self, geometry: Geometry, at: Vec3, material: Material) -> NodeId {
        let geometry = self.scene.assets.add(geometry);
        let material = self.scene.assets.add(material);
        self.scene.spawn(Node::mesh(&geometry, &material).at(at)).unwrap()
    }

    /// A light; one with a direction shines straight down.
    pub(crate) fn light(&mut self, light: Light, at: Vec3) -> NodeId {
        self.scene.spawn(Node::light(light).at(at)).unwrap()
    }

    /// White light straight from above, of intensity 1.
    pub(crate) fn sun(&mut self) -> NodeId {
        self.light(Light::directional(Vec3::ONE, 1.0), Vec3::new(0.0, 0.0, 20.0))
    }

    /// A picture by [`plain`] settings.
    pub(crate) fn picture(&mut self) -> Picture {
        self.picture_with(plain())
    }

    pub(crate) fn picture_with(&mut self, settings: Settings) -> Picture {
        render(&mut self.scene, self.camera, settings)
    }
}

/// A picture of 64 × 48 pixels.
pub(crate) fn render(scene: &mut Scene, camera: NodeId, settings: Settings) -> Picture {
    scene.update().unwrap();
    let view = scene.view(camera, (WIDTH, HEIGHT)).unwrap();
    let mut renderer = Renderer::new().with_settings(settings);
    let picture = renderer.render(scene, &view).unwrap();
    assert_eq!(renderer.warnings(), [""; 0]);
    picture
}

/// Nothing added to what the scene says: one ray a pixel, as bright as it is, on black.
pub(crate) fn plain() -> Settings {
    Settings {
        samples: 1,
        exposure: Exposure::Fixed(1.0),
        studio: Studio::Never,
        background: Some(Vec4::new(0.0, 0.0, 0.0, 1.0)),
        ..Settings::default()
    }
}

/// A material that is shown as it is.
pub(crate) fn unlit(color: Vec4) -> Material {
    Material { unlit: true, ..Material::from_color(color) }
}

/// The pixel at a place of the world, as [`Table`]'s camera sees it.
pub(crate) fn at(picture: &Picture, x: f32, y: f32) -> [u8; 4] {
    picture.pixels[index(x, y)]
}

pub(crate) fn index(x: f32, y: f32) -> usize {
    let (x, y) = ((x + 4.0) * 8.0, (3.0 - y) * 8.0);
    y as usize * WIDTH as usize + x as usize
}

/// The middle of a pixel in the world, as [`Table`]'s camera sees it.
pub(crate) fn middle(x: usize, y: usize) -> Vec2 {
    Vec2::new((x as f32 + 0.5) / 8.0 - 4.0, 3.0 - (y as f32 + 0.5) / 8.0)
}

/// Linear light as a byte of sRGB, by the formula.
pub(crate) fn srgb(light: f64) -> u8 {
    let encoded =
        if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (encoded.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Light as it is shown: as it is up to 0.8, and slower from there on.
pub(crate) fn toned(light: f64) -> f64 {
    if light <= 0.8 {
        return light;
    }
    let above = (light - 0.8) / 0.2;
    0.8 + 0.2 * above / (1.0 + above * above).sqrt()
}

/// What a rough grey surface that is no metal sends straight up, of light that comes at an angle
/// of this cosine: Lambert below GGX of roughness 1, which reflects 4 % straight down.
pub(crate) fn rough(base: f64, cosine: f64) -> f64 {
    // The half vector of light and eye.
    let tilt = ((1.0 + cosine) / 2.0).sqrt();
    let mirrored = 0.04 + 0.96 * (1.0 - tilt).powi(5);
    // With alpha 1 the facets are spread evenly, and hide each other by the mean of cosines.
    let facets = 0.5 / (cosine + 1.0);
    let reflected = 0.4526;
    let makeup = 1.0 + 0.04 * (1.0 / reflected - 1.0);
    (base * (1.0 - mirrored) + mirrored * makeup * facets) * cosine
}

/// Within one step of a byte: sums in f32 may round another way than the formula.
#[track_caller]
pub(crate) fn assert_near(found: u8, wanted: u8, what: &str) {
    assert!(found.abs_diff(wanted) <= 1, "{what}: {found}, not {wanted}");
}
