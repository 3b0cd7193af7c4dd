//! Random transforms.

use pleach::Transform;
use testkit::Rng;

/// Values that tests of this crate share.
pub(crate) trait RandomValues {
    /// From −1 to 1.
    fn number(&mut self) -> f32;

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
