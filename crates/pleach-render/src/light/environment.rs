//! Surroundings: light from all around, which is diffuse on rough surfaces and mirrored by smooth
//! ones; and the studio, for scenes that bring no light.

use glam::Vec3;
use pleach::View;
use pleach_graph::axes;

use crate::light::punctual_light::Lamp;

/// Light from all around: brighter above than below, the same along the horizon.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Surroundings {
    above: Vec3,
    below: Vec3,
}

impl Surroundings {
    /// The same from everywhere.
    pub(crate) fn even(light: Vec3) -> Self {
        let light = light.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 });
        Self { above: light, below: light }
    }

    /// The studio's, this bright.
    pub(crate) fn studio(strength: f32) -> Self {
        Self { above: ABOVE * strength, below: BELOW * strength }
    }

    /// Is there no light from anywhere?
    pub(crate) fn is_dark(&self) -> bool {
        self.above == Vec3::ZERO && self.below == Vec3::ZERO
    }

    /// What arrives at a rough surface that faces along `normal`.
    pub(crate) fn onto(&self, normal: Vec3) -> Vec3 {
        self.mixed(0.5 + 0.5 * normal.dot(axes::UP))
    }

    /// What a surface mirrors along `direction`, the more blurred the rougher it is.
    pub(crate) fn along(&self, direction: Vec3, roughness: f32) -> Vec3 {
        let up = direction.dot(axes::UP);
        // From the edge of the horizon to the even slope of a rough surface.
        let width = 0.25 + 0.75 * roughness;
        let part = (0.5 + 0.5 * up / width).clamp(0.0, 1.0);
        let edge = self.mixed(part * part * (3.0 - 2.0 * part));
        // Smooth things mirror a sky that is brighter above, and darker towards the horizon.
        let sky = (self.above - self.below) * (up.max(0.0) - 0.4) * (1.0 - roughness);
        (edge + sky * part).max(Vec3::ZERO)
    }

    fn mixed(&self, up: f32) -> Vec3 {
        self.below + (self.above - self.below) * up
    }
}

const ABOVE: Vec3 = Vec3::new(0.60, 0.62, 0.65);
const BELOW: Vec3 = Vec3::new(0.17, 0.16, 0.15);
const KEY: Vec3 = Vec3::new(0.75, 0.73, 0.69);

/// The studio's lamp: at the upper left of the camera, in front of what it sees.
pub(crate) fn key(view: &View) -> Lamp {
    let (back, up) = (-view.direction(), view.up());
    let right = up.cross(back);
    let to = back * 0.5 + up * 0.65 - right * 0.6;
    Lamp::sun(to.normalize_or(axes::UP), KEY)
}
