//! What is behind everything.

use glam::{Vec3, Vec4};
use pleach::{Background, Scene};

/// A colour for each row of the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackgroundGradient {
    top: Vec4,
    bottom: Vec4,
}

/// A light grey, a little brighter above.
const DEFAULT_TOP: Vec3 = Vec3::splat(0.58);
const DEFAULT_BOTTOM: Vec3 = Vec3::splat(0.32);

impl BackgroundGradient {
    /// What the settings ask for, else the scene's, else a light grey.
    pub(crate) fn new(requested: Option<Vec4>, scene: &Scene) -> Self {
        let uniform = |color: Vec4| Self { top: color, bottom: color };
        match (requested, scene.environment.background) {
            (Some(color), _) => uniform(clamp_color(color)),
            (None, Some(Background::Color(color))) => uniform(clamp_color(color.extend(1.0))),
            _ => Self { top: DEFAULT_TOP.extend(1.0), bottom: DEFAULT_BOTTOM.extend(1.0) },
        }
    }

    /// Linear and not multiplied with alpha; `down` is 0 at the top and 1 at the bottom.
    pub(crate) fn at(&self, fraction: f32) -> Vec4 {
        self.top + (self.bottom - self.top) * fraction
    }
}

fn clamp_color(color: Vec4) -> Vec4 {
    Vec4::from_array(color.to_array().map(|it| if it > 0.0 { it.min(1.0) } else { 0.0 }))
}
