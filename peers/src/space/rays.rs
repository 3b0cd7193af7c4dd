//! The rays: scattered ones, which are incoherent, and those of a camera, row by row.

use glam::Vec3;

use super::boxes::{Aabb, BoxField};
use crate::rng::Rng;

/// A ray without a maximum distance; the direction has length 1.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

const SCATTERED: usize = 4096;
const COLUMNS: usize = 80;
const ROWS: usize = 60;

/// Returns rays from random points of the field outside of all boxes, in random directions.
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

/// Returns rays from all directions into a sphere of radius 1.
pub fn into_unit_sphere(seed: u64) -> Vec<Ray> {
    let mut rng = Rng::new(seed ^ 0x400);
    let rays = (0..SCATTERED).map(|_| {
        let origin = 3.0 * direction(&mut rng);
        let target = rng.between(0.0, 1.0).cbrt() * direction(&mut rng);
        Ray { origin, direction: (target - origin).normalize() }
    });
    rays.collect()
}

/// Returns the rays of a camera at `position` that sees a sphere of this radius around the origin.
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
