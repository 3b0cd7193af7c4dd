//! The expected results, computed by brute force in `f64`, and the tolerance for results in `f32`.
//!
//! A box that touches a plane within rounding may be visible or not. A ray that passes an edge
//! within rounding may hit or not; so the expected distance lies between those of slightly larger
//! and slightly smaller boxes or triangles.

use glam::DVec3;

use super::boxes::Aabb;
use super::rays::Ray;
use super::view::View;

/// The rounding error relative to the largest distance in a scene.
const ROUNDING: f64 = 1e-5;
/// The maximum relative difference of two distances of the same hit.
const TOLERANCE: f64 = 1e-4;
/// The distance from an edge within which a triangle may be missed or hit, in barycentric
/// coordinates.
const EDGE_TOLERANCE: f64 = 1e-4;

/// Returns how far a box extends into the view: negative if it is outside of a plane.
fn depth(one: &Aabb, view: &View) -> f64 {
    let depths = view.planes.iter().map(|plane| {
        let [normal @ .., distance] = plane.to_array().map(f64::from);
        let farthest = (0..3).map(|axis| {
            let [min, max] = [one.min[axis], one.max[axis]].map(f64::from);
            (normal[axis] * min).max(normal[axis] * max)
        });
        farthest.sum::<f64>() + distance
    });
    depths.fold(f64::INFINITY, f64::min)
}

/// Returns the number of boxes in view.
pub fn visible_count(boxes: &[Aabb], view: &View) -> usize {
    boxes.iter().filter(|one| depth(one, view) >= 0.0).count()
}

/// Checks that `found` contains the boxes in view, each once.
pub fn check_visible(boxes: &[Aabb], view: &View, found: &[u32]) -> Result<(), String> {
    let half_extent = boxes.iter().flat_map(|one| one.max).fold(0.0_f32, |a, b| a.max(b.abs()));
    let margin = ROUNDING * f64::from(half_extent);
    let mut times = vec![0_u32; boxes.len()];
    for &index in found {
        times[index as usize] += 1;
    }
    for (index, (one, times)) in boxes.iter().zip(times).enumerate() {
        let depth = depth(one, view);
        let wrong = match times {
            0 => depth > margin,
            1 => depth < -margin,
            _ => true,
        };
        if wrong {
            return Err(format!(
                "box {index} {one:?} extends {depth} into the view and was found {times} times"
            ));
        }
    }
    Ok(())
}

/// Checks the distance of each ray to the nearest box, infinite for a miss. A ray that starts
/// inside a box hits it at distance 0.
pub fn check_box_hits(boxes: &[Aabb], rays: &[Ray], found: &[f32]) -> Result<(), String> {
    let half_extent = boxes.iter().flat_map(|one| one.max).fold(0.0_f32, |a, b| a.max(b.abs()));
    let margin = ROUNDING * f64::from(half_extent);
    check_hits(rays, found, |ray, wider| {
        let margin = if wider { margin } else { -margin };
        let entries = boxes.iter().map(|one| box_hit(one, ray, margin));
        entries.fold(f64::INFINITY, f64::min)
    })
}

/// Checks the distance of each ray to the nearest triangle.
pub fn check_triangle_hits(
    triangles: &[[glam::Vec3; 3]],
    rays: &[Ray],
    found: &[f32],
) -> Result<(), String> {
    check_hits(rays, found, |ray, wider| {
        let slack = if wider { EDGE_TOLERANCE } else { -EDGE_TOLERANCE };
        let hits = triangles.iter().map(|triangle| triangle_hit(triangle, ray, slack));
        hits.fold(f64::INFINITY, f64::min)
    })
}

fn check_hits(
    rays: &[Ray],
    found: &[f32],
    nearest: impl Fn(&Ray, bool) -> f64,
) -> Result<(), String> {
    for (ray, &found) in rays.iter().zip(found) {
        let found = f64::from(found);
        let [min, max] = [nearest(ray, true), nearest(ray, false)];
        let expected = min - allowance(min)..=max + allowance(max);
        if !expected.contains(&found) {
            return Err(format!("{ray:?} hits at {min}..{max}, found {found}"));
        }
    }
    Ok(())
}

/// Returns the tolerance of a distance.
fn allowance(distance: f64) -> f64 {
    if distance.is_finite() { TOLERANCE * distance } else { 0.0 }
}

/// Returns the indices of rays whose distances differ.
pub fn differing(one: &[f32], other: &[f32]) -> Vec<usize> {
    let differ = |&index: &usize| {
        let [one, other] = [one[index], other[index]].map(f64::from);
        let near = other - allowance(other)..=other + allowance(other);
        !near.contains(&one)
    };
    (0..one.len()).filter(differ).collect()
}

/// Returns the distance at which a ray enters a box that is extended by `margin` on each side.
fn box_hit(one: &Aabb, ray: &Ray, margin: f64) -> f64 {
    let mut times = [0.0, f64::INFINITY];
    for axis in 0..3 {
        let origin = f64::from(ray.origin[axis]);
        let direction = f64::from(ray.direction[axis]);
        let [min, max] = [f64::from(one.min[axis]) - margin, f64::from(one.max[axis]) + margin];
        if direction == 0.0 {
            if origin < min || origin > max {
                return f64::INFINITY;
            }
            continue;
        }
        let [one, other] = [(min - origin) / direction, (max - origin) / direction];
        times = [times[0].max(one.min(other)), times[1].min(one.max(other))];
    }
    if times[0] <= times[1] { times[0] } else { f64::INFINITY }
}

/// Returns the distance at which a ray hits a triangle whose edges are moved outwards by `slack`.
fn triangle_hit(triangle: &[glam::Vec3; 3], ray: &Ray, slack: f64) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner.as_dvec3());
    let [origin, direction]: [DVec3; 2] = [ray.origin, ray.direction].map(|v| v.as_dvec3());
    let [ab, ac] = [b - a, c - a];
    let p = direction.cross(ac);
    let determinant = ab.dot(p);
    if determinant == 0.0 {
        return f64::INFINITY;
    }
    let to_origin = origin - a;
    let u = to_origin.dot(p) / determinant;
    let q = to_origin.cross(ab);
    let v = direction.dot(q) / determinant;
    let distance = ac.dot(q) / determinant;
    if u.min(v).min(1.0 - u - v) >= -slack && distance >= 0.0 { distance } else { f64::INFINITY }
}
