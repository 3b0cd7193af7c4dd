//! The rays: scattered ones, of which no two look alike, and a camera's, line by line.

use glam::Vec3;

use super::boxes::{Aabb, BoxField};
use crate::rng::Rng;

/// Starts at the origin and has no end; the direction has length 1.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

const SCATTERED: usize = 4096;
const COLUMNS: usize = 80;
const ROWS: usize = 60;

/// From anywhere in the field but inside a box, to anywhere.
pub fn scattered_in(field: &BoxField, seed: u64) -> Vec<Ray> {
    let mut rng = Rng::new(seed ^ 0x300);
    let half_extent = field.half_extent;
    let mut rays = Vec::with_capacity(SCATTERED);
    while rays.len() < SCATTERED {
        let origin = Vec3::from([(); 3].map(|()| rng.between(-half_extent, half_extent)));
        if !field.boxes.iter().any(|one| contains(one, origin)) {
            rays.push(Ray { origin, direction: direction(&mut rng) });
        }
    }
    rays
}

/// From all around a ball of radius 1 into it.
pub fn into_unit_sphere(seed: u64) -> Vec<Ray> {
    let mut rng = Rng::new(seed ^ 0x400);
    let rays = (0..SCATTERED).map(|_| {
        let origin = 3.0 * direction(&mut rng);
        let target = rng.between(0.0, 1.0).cbrt() * direction(&mut rng);
        Ray { origin, direction: (target - origin).normalize() }
    });
    rays.collect()
}

/// What a camera at `eye` sees of a ball of this radius around the origin.
pub fn camera(position: Vec3, radius: f32) -> Vec<Ray> {
    let forward = -position.normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let up = right.cross(forward);
    let half_height = radius / position.length();
    let half_width = half_height * COLUMNS as f32 / ROWS as f32;
    let ndc = |index: usize, of: usize| (index as f32 + 0.5) / of as f32 * 2.0 - 1.0;
    let rays = (0..ROWS * COLUMNS).map(|pixel| {
        let x = half_width * ndc(pixel % COLUMNS, COLUMNS);
        let y = half_height * ndc(pixel / COLUMNS, ROWS);
        Ray { origin: position, direction: (forward + x * right + y * up).normalize() }
    });
    rays.collect()
}

fn contains(one: &Aabb, point: Vec3) -> bool {
    point.cmpge(Vec3::from(one.min)).all() && point.cmple(Vec3::from(one.max)).all()
}

fn direction(rng: &mut Rng) -> Vec3 {
    loop {
        let inside = Vec3::from([(); 3].map(|()| rng.between(-1.0, 1.0)));
        if (0.01..=1.0).contains(&inside.length_squared()) {
            return inside.normalize();
        }
    }
}
