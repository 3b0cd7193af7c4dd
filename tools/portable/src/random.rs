//! Random transforms and views.

use glam::Vec3;
use pleach_graph::Transform;
use testkit::Rng;

pub(crate) trait RandomTransform {
    /// Returns a transform with a translation up to `extent` per axis.
    fn transform(&mut self, extent: f32) -> Transform;

    /// Returns a transform at a distance from the origin, looking at a point near it.
    fn view(&mut self, distance: f32) -> Transform;
}

impl RandomTransform for Rng {
    fn transform(&mut self, extent: f32) -> Transform {
        Transform { translation: self.vec3(extent), rotation: self.rotation(), scale: self.scale() }
    }

    fn view(&mut self, distance: f32) -> Transform {
        let position = self.direction() * distance;
        Transform::from_translation(position).looking_at(self.vec3(2.0), Vec3::Z)
    }
}
