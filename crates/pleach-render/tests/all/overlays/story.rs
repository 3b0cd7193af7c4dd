//! A scene, someone who looks at it, and which pixels overlays change.

use std::collections::BTreeSet;

use pleach::glam::{Vec2, Vec3};
use pleach::shapes::Cuboid;
use pleach::{
    Camera, Filter, Geometry, Handle, Material, Node, NodeId, Scene, Skin, Transform, View,
};
use pleach_render::{Overlay, Picture, draw_overlays};

pub(crate) const GROUND: [u8; 4] = [10, 20, 30, 255];

/// A scene, and someone who looks at it.
pub(crate) struct Story {
    pub(crate) scene: Scene,
    pub(crate) camera: NodeId,
    pub(crate) material: Handle<Material>,
}

impl Story {
    /// Seen along +Y: x goes to the right, z goes up.
    pub(crate) fn seen_by(camera: Camera, at: Vec3) -> Self {
        let mut scene = Scene::new();
        let place = Transform::from_translation(at).looking_at(at + Vec3::Y, Vec3::Z);
        let camera = scene.spawn(Node::camera(camera).with_transform(place)).unwrap();
        let material = scene.assets.add(Material::default());
        Self { scene, camera, material }
    }

    /// 16 pixels to a metre in a picture of 64 × 64.
    pub(crate) fn in_parallel() -> Self {
        Self::seen_by(Camera::orthographic(4.0), Vec3::new(0.0, -10.0, 0.0))
    }

    pub(crate) fn in_perspective() -> Self {
        Self::seen_by(Camera::default(), Vec3::new(0.0, -5.0, 0.0))
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

    /// What is seen, by a ray through the middle of each pixel.
    pub(crate) fn look(&mut self, width: u32, height: u32) -> (View, Picture) {
        let view = self.view(width, height);
        let mut picture = Picture::new(width, height, GROUND);
        for y in 0..height {
            for x in 0..width {
                let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let ray = view.ray_through_pixel(pixel).unwrap();
                if let Some(hit) = self.scene.pick(&ray, &Filter::default()) {
                    let place = (y * width + x) as usize;
                    picture.distances[place] = hit.distance;
                    picture.nodes[place] = Some(hit.node);
                }
            }
        }
        (view, picture)
    }

    /// Overlays on a picture without things in it.
    pub(crate) fn draw(&mut self, overlays: &[Overlay]) -> Picture {
        let view = self.view(64, 64);
        let mut picture = unchanged();
        draw_overlays(&mut picture, &self.scene, &view, overlays);
        picture
    }
}

/// A cube with two joints in it, one above the other, and a node between that is none.
pub(crate) fn add_skinned(story: &mut Story) -> [NodeId; 2] {
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let joints = cube.positions.iter().map(|at| [u16::from(at.z > 0.0), 0, 0, 0]).collect();
    let weights = vec![[1.0, 0.0, 0.0, 0.0]; cube.positions.len()];
    let node = story.add(cube.with_influences(joints, weights), Transform::IDENTITY);
    let scene = &mut story.scene;
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

/// The pixels that are not as they were, by column and row.
pub(crate) fn changed(picture: &Picture) -> BTreeSet<(u32, u32)> {
    let places = picture.pixels.iter().enumerate().filter(|(_, pixel)| **pixel != GROUND);
    let width = picture.width as usize;
    places.map(|(place, _)| ((place % width) as u32, (place / width) as u32)).collect()
}
