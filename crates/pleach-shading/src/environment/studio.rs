//! The built-in studio: a neutral grey room with soft boxes.
//!
//! A large box overhead and darkness below give shapes a gradient; narrow boxes at the sides and
//! behind draw the outline of glossy objects; the floor is brighter than the walls are dark, so
//! that no part of a metal is black. All light is neutral: the colours of a material are its own.
//! A white surface that faces up is about white.

use glam::Vec3;

/// A rectangular light at a distance of 1: its middle, half of its size and its radiance.
struct SoftBox {
    /// The direction of the middle.
    azimuth: f32,
    elevation: f32,
    half_width: f32,
    half_height: f32,
    radiance: f32,
}

const BOXES: [SoftBox; 5] = [
    // Key: front left, above. Fill: front right. Rims: behind, left and right. A strip low in front.
    SoftBox { azimuth: 2.2, elevation: 0.55, half_width: 0.42, half_height: 0.5, radiance: 3.2 },
    SoftBox { azimuth: 0.6, elevation: 0.35, half_width: 0.3, half_height: 0.55, radiance: 1.8 },
    SoftBox { azimuth: -0.7, elevation: 0.4, half_width: 0.18, half_height: 0.7, radiance: 2.4 },
    SoftBox { azimuth: -2.3, elevation: 0.4, half_width: 0.22, half_height: 0.7, radiance: 2.0 },
    SoftBox { azimuth: -1.57, elevation: 0.15, half_width: 0.9, half_height: 0.1, radiance: 1.0 },
];

/// The factor of all radiances.
const SCALE: f32 = 0.45;

/// The width of the soft edges.
const EDGE: f32 = 0.06;

/// Returns the radiance of the studio in a direction.
pub(crate) fn radiance(direction: Vec3) -> Vec3 {
    let walls = 0.3 + 0.3 * smoothstep(-0.5, 0.9, direction.z);
    let floor = 0.25 * smoothstep(-0.15, -0.7, direction.z);
    let mut light = walls + floor + ceiling(direction);
    for soft_box in &BOXES {
        light += soft_box.light(direction);
    }
    Vec3::splat(light * SCALE)
}

/// The large soft box overhead: a square on the plane z = 1.
fn ceiling(direction: Vec3) -> f32 {
    if direction.z <= 0.05 {
        return 0.0;
    }
    let (x, y) = (direction.x / direction.z, direction.y / direction.z);
    let edge = |at: f32| 1.0 - smoothstep(0.75 - EDGE, 0.75 + EDGE, at.abs());
    2.6 * edge(x) * edge(y)
}

impl SoftBox {
    fn light(&self, direction: Vec3) -> f32 {
        let (sin, cos) = libm::sincosf(self.azimuth);
        let (up, out) = libm::sincosf(self.elevation);
        let middle = Vec3::new(cos * out, sin * out, up);
        let depth = middle.dot(direction);
        if depth <= 0.1 {
            return 0.0;
        }
        let right = Vec3::new(-sin, cos, 0.0);
        let above = middle.cross(right);
        let (x, y) = (right.dot(direction) / depth, above.dot(direction) / depth);
        let edge = |at: f32, half: f32| 1.0 - smoothstep(half - EDGE, half + EDGE, at.abs());
        self.radiance * edge(x, self.half_width) * edge(y, self.half_height)
    }
}

fn smoothstep(from: f32, to: f32, at: f32) -> f32 {
    let x = ((at - from) / (to - from)).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
