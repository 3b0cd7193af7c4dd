//! `BackgroundGradient`: the colour behind all surfaces.

use glam::{Vec3, Vec4};
use pleach::{Background, Scene};

/// A vertical gradient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackgroundGradient {
    top: Vec4,
    bottom: Vec4,
}

/// The default: a light grey, slightly brighter at the top.
const DEFAULT_TOP: Vec3 = Vec3::splat(0.58);
const DEFAULT_BOTTOM: Vec3 = Vec3::splat(0.32);

impl BackgroundGradient {
    /// Returns the background of the settings, else that of the scene, else the default.
    pub(crate) fn new(requested: Option<Vec4>, scene: &Scene) -> Self {
        let uniform = |color: Vec4| Self { top: color, bottom: color };
        match (requested, scene.environment.background) {
            (Some(color), _) => uniform(clamp_color(color)),
            (None, Some(Background::Color(color))) => uniform(clamp_color(color.extend(1.0))),
            _ => Self { top: DEFAULT_TOP.extend(1.0), bottom: DEFAULT_BOTTOM.extend(1.0) },
        }
    }

    /// Returns the linear colour, not premultiplied; `fraction` is 0 at the top and 1 at the
    /// bottom.
    pub(crate) fn at(&self, fraction: f32) -> Vec4 {
        self.top + (self.bottom - self.top) * fraction
    }
}

fn clamp_color(color: Vec4) -> Vec4 {
    Vec4::from_array(color.to_array().map(|it| if it > 0.0 { it.min(1.0) } else { 0.0 }))
}
