//! What is behind everything.

use glam::{Vec3, Vec4};
use pleach::{Background, Scene};

/// A colour for each row of the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backdrop {
    above: Vec4,
    below: Vec4,
}

/// A light grey, a little brighter above.
const ABOVE: Vec3 = Vec3::splat(0.58);
const BELOW: Vec3 = Vec3::splat(0.32);

impl Backdrop {
    /// What the settings ask for, else the scene's, else a light grey.
    pub(crate) fn new(asked: Option<Vec4>, scene: &Scene) -> Self {
        let even = |color: Vec4| Self { above: color, below: color };
        match (asked, scene.environment.background) {
            (Some(color), _) => even(clean(color)),
            (None, Some(Background::Color(color))) => even(clean(color.extend(1.0))),
            _ => Self { above: ABOVE.extend(1.0), below: BELOW.extend(1.0) },
        }
    }

    /// Linear and not multiplied with alpha; `down` is 0 at the top and 1 at the bottom.
    pub(crate) fn at(&self, down: f32) -> Vec4 {
        self.above + (self.below - self.above) * down
    }
}

fn clean(color: Vec4) -> Vec4 {
    Vec4::from_array(color.to_array().map(|it| if it > 0.0 { it.min(1.0) } else { 0.0 }))
}
