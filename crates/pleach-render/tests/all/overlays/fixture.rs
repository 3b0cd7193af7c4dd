//! A scene with a camera, and the pixels that overlays change.

use std::collections::BTreeSet;

use pleach::glam::{Vec2, Vec3};
use pleach::shapes::Cuboid;
use pleach::{
    Camera, Filter, Geometry, Handle, Material, Node, NodeId, Scene, Skin, Transform, View,
};
use pleach_render::{Overlay, Picture, draw_overlays};

pub(crate) const GROUND: [u8; 4] = [10, 20, 30, 255];

/// A scene with a camera.
pub(crate) struct Fixture {
    pub(crate) scene: Scene,
    pub(crate) camera: NodeId,
    pub(crate) material: Handle<Material>,
}

impl Fixture {
    /// A camera that looks along +Y: x points right, z up.
    pub(crate) fn with_camera(camera: Camera, at: Vec3) -> Self {
        let mut scene = Scene::new();
        let transform = Transform::from_translation(at).looking_at(at + Vec3::Y, Vec3::Z);
        let camera = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
        let material = scene.assets.add(Material::default());
        Self { scene, camera, material }
    }

    /// An orthographic camera: 16 pixels per metre in a picture of 64 × 64.
    pub(crate) fn orthographic() -> Self {
        Self::with_camera(Camera::orthographic(4.0), Vec3::new(0.0, -10.0, 0.0))
    }

    pub(crate) fn perspective() -> Self {
        Self::with_camera(Camera::default(), Vec3::new(0.0, -5.0, 0.0))
    }

    pub(crate) fn add(&mut self, geometry: Geometry, at: Transform) -> NodeId {
        let geometry = self.scene.assets.add(geometry);
        self.scene.spawn(Node::mesh(&geometry, &self.material).with_transform(at)).unwrap()
    }

    pub(crate) fn add_cube(&mut self, at: Transform) -> NodeId {
        self.add(Cuboid::new(Vec3::ONE).build().unwrap(), at)
    }

    pub(crate) fn view(&mut self, width: u32, height: u32) -> View {
        self.scene.update().unwrap();
        self.scene.view(self.camera, (width, height)).unwrap()
    }

    /// Picks through the centre of each pixel and returns distances and nodes.
    pub(crate) fn trace(&mut self, width: u32, height: u32) -> (View, Picture) {
        let view = self.view(width, height);
        let mut picture = Picture::new(width, height, GROUND);
        for y in 0..height {
            for x in 0..width {
                let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let ray = view.ray_through_pixel(pixel).unwrap();
                if let Some(hit) = self.scene.pick(&ray, &Filter::default()) {
                    let index = (y * width + x) as usize;
                    picture.distances[index] = hit.distance;
                    picture.nodes[index] = Some(hit.node);
                }
            }
        }
        (view, picture)
    }

    /// Draws overlays on an empty picture.
    pub(crate) fn draw(&mut self, overlays: &[Overlay]) -> Picture {
        let view = self.view(64, 64);
        let mut picture = unchanged();
        draw_overlays(&mut picture, &self.scene, &view, overlays);
        picture
    }
}

/// Adds a cube with two joints, one above the other, and a node between them that is not a joint.
pub(crate) fn add_skinned(fixture: &mut Fixture) -> [NodeId; 2] {
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let joints = cube.positions.iter().map(|at| [u16::from(at.z > 0.0), 0, 0, 0]).collect();
    let weights = vec![[1.0, 0.0, 0.0, 0.0]; cube.positions.len()];
    let node = fixture.add(cube.with_influences(joints, weights), Transform::IDENTITY);
    let scene = &mut fixture.scene;
    let low = scene.spawn(Node::group().at(Vec3::new(1.0 / 32.0, 0.0, -0.3))).unwrap();
    let between = scene.spawn(Node::group().under(low)).unwrap();
    let high = Node::group().under(between).at(Vec3::new(0.0, 0.0, 0.7));
    let high = scene.spawn(high).unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![low, high]).unwrap();
    scene.skins.insert(&scene.graph, node, skin).unwrap();
    [low, high]
}

pub(crate) fn unchanged() -> Picture {
    Picture::new(64, 64, GROUND)
}

/// Returns the changed pixels, by column and row.
pub(crate) fn changed(picture: &Picture) -> BTreeSet<(u32, u32)> {
    let changed_pixels = picture.pixels.iter().enumerate().filter(|(_, pixel)| **pixel != GROUND);
    let width = picture.width as usize;
    changed_pixels.map(|(index, _)| ((index % width) as u32, (index / width) as u32)).collect()
}
