//! What light a surface sends to the eye: glTF's metallic-roughness model.
//!
//! Lambert below GGX, with what GGX loses between its facets given back, under the lights that
//! arrive and the surroundings. All without the 1/π: see `lights.rs`.

use glam::Vec3;

use crate::light::environment::Surroundings;
use crate::light::punctual_light::Arriving;
use crate::trace::surface::Surface;

/// Smoother than this, what a lamp is mirrored as would be too small to be seen.
const SMOOTHEST: f32 = 0.05;
/// What a clear coat reflects of light that comes straight down.
const COAT: f32 = 0.04;

/// A surface and who looks at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    surface: &'a Surface<'a>,
    /// To the eye.
    to_eye: Vec3,
    facing: f32,
    /// What is scattered below the surface.
    diffuse: Vec3,
    /// What is reflected straight down.
    straight: Vec3,
    roughness: f32,
    /// What is reflected of even light, and what makes up for what the model loses.
    even: Vec3,
    makeup: Vec3,
    /// What a clear coat takes away.
    coat: f32,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(surface: &'a Surface<'a>, to_eye: Vec3) -> Self {
        let facing = surface.normal.dot(to_eye).clamp(1e-3, 1.0);
        let base = surface.base.truncate();
        let metallic = surface.metallic.clamp(0.0, 1.0);
        let roughness = surface.roughness.clamp(SMOOTHEST, 1.0);
        let straight = surface.paint.reflectance * (1.0 - metallic) + base * metallic;
        let [scale, bias] = even_light(facing, roughness);
        let makeup = Vec3::ONE + straight * (1.0 / (scale + bias) - 1.0);
        Self {
            surface,
            to_eye,
            facing,
            diffuse: base * ((1.0 - metallic) * (1.0 - surface.transmission)),
            straight,
            roughness,
            even: ((straight * scale + Vec3::splat(bias)) * makeup).clamp(Vec3::ZERO, Vec3::ONE),
            makeup,
            coat: surface.paint.clearcoat * schlick(COAT, facing),
        }
    }

    /// What is sent to the eye of light from a lamp.
    pub(crate) fn under(&self, arriving: &Arriving) -> Vec3 {
        let normal = self.surface.normal;
        let slant = normal.dot(arriving.to).min(1.0);
        if slant <= 0.0 {
            return Vec3::ZERO;
        }
        let half = (arriving.to + self.to_eye).normalize_or_zero();
        let (peak, tilt) =
            (normal.dot(half).clamp(0.0, 1.0), self.to_eye.dot(half).clamp(0.0, 1.0));
        let edge = fifth(1.0 - tilt);
        let mirrored = self.straight + (Vec3::ONE - self.straight) * edge;
        let gloss = mirrored * self.makeup * facets(self.roughness, peak, slant, self.facing);
        let below = self.diffuse * (Vec3::ONE - mirrored);
        let mut sent = (below + gloss) * (1.0 - self.coat);
        if self.surface.paint.clearcoat > 0.0 {
            let roughness = self.surface.paint.clearcoat_roughness.max(SMOOTHEST);
            let coat = schlick(COAT, tilt) * facets(roughness, peak, slant, self.facing);
            sent += Vec3::splat(coat * self.surface.paint.clearcoat);
        }
        sent * arriving.light * slant
    }

    /// What is sent to the eye of light from all around.
    pub(crate) fn amid(&self, surroundings: &Surroundings) -> Vec3 {
        if surroundings.is_dark() {
            return Vec3::ZERO;
        }
        let normal = self.surface.normal;
        let mirror = normal * (2.0 * normal.dot(self.to_eye)) - self.to_eye;
        let below = surroundings.onto(normal) * self.diffuse * (Vec3::ONE - self.even);
        let gloss = surroundings.along(mirror, self.roughness) * self.even;
        let mut sent = (below + gloss) * (1.0 - self.coat);
        if self.coat > 0.0 {
            sent += surroundings.along(mirror, self.surface.paint.clearcoat_roughness) * self.coat;
        }
        sent * self.surface.occlusion
    }

    /// What goes through it of what is behind.
    pub(crate) fn through(&self) -> Vec3 {
        let kept = (1.0 - self.surface.metallic.clamp(0.0, 1.0)) * self.surface.transmission;
        let tint = self.surface.base.truncate() * self.surface.paint.tint;
        (tint * kept * (Vec3::ONE - self.even)).clamp(Vec3::ZERO, Vec3::ONE)
    }
}

/// GGX with Smith's correlated shadowing, times π.
fn facets(roughness: f32, peak: f32, slant: f32, facing: f32) -> f32 {
    let alpha = roughness * roughness;
    let squared = alpha * alpha;
    let spread = peak * peak * (squared - 1.0) + 1.0;
    let hidden = slant * (facing * facing * (1.0 - squared) + squared).sqrt()
        + facing * (slant * slant * (1.0 - squared) + squared).sqrt();
    squared / (spread * spread) * 0.5 / hidden
}

/// What is reflected of even light, as `straight * scale + bias`: Karis' fit, "Physically Based
/// Shading on Mobile" (2014).
fn even_light(facing: f32, roughness: f32) -> [f32; 2] {
    let x = 1.0 - roughness;
    let y = 0.0425 - 0.0275 * roughness;
    let edge = (x * x).min(libm::exp2f(-9.28 * facing)) * x + y;
    let scale = 1.04 - 0.572 * roughness - 1.04 * edge;
    let bias = 1.04 * edge - 0.04 + 0.022 * roughness;
    [scale, bias]
}

fn schlick(straight: f32, cosine: f32) -> f32 {
    straight + (1.0 - straight) * fifth(1.0 - cosine)
}

fn fifth(x: f32) -> f32 {
    let square = x * x;
    square * square * x
}
