//! Random transforms.

use pleach::Transform;
use testkit::Rng;

/// Random values that are shared by the tests.
pub(crate) trait RandomValues {
    /// Returns a number from −1 to 1.
    fn number(&mut self) -> f32;

    /// Returns a transform with a translation up to `extent` per axis.
    fn transform(&mut self, extent: f32) -> Transform;
}

impl RandomValues for Rng {
    fn number(&mut self) -> f32 {
        self.between(-1.0, 1.0)
    }

    fn transform(&mut self, extent: f32) -> Transform {
        Transform { translation: self.vec3(extent), rotation: self.rotation(), scale: self.scale() }
    }
}
