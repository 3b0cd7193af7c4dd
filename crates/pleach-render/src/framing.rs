//! `framing`: where to put a camera so that it sees all of a box, snugly.
//!
//! Exact, not by a ball around the box: with the eye's place across the view free, the corners
//! bound it from both sides, and the least distance is where these bounds meet.
//!
//! Invariant: whatever comes in, camera and place are fit to make a view of.

use glam::{DVec3, Vec3};
use pleach::{Aabb, Camera, Projection, Transform};
use pleach_graph::axes;

/// The angle from the lower to the upper edge: about that of a 50 mm lens.
const FOV_Y: f32 = 0.6;
/// How much of the picture is left free around the box.
const MARGIN: f64 = 1.06;
/// Sizes that f32 can still be multiplied with.
const LEAST: f64 = 1e-15;
const MOST: f64 = 1e30;

/// A camera that sees the whole of a box, and where to put it.
///
/// `from` leads from the middle of the box to the eye; its length does not matter. `aspect` is
/// the picture's width divided by its height. The camera takes its aspect from the viewport, and
/// what it sees begins somewhat before the box and ends well behind it.
///
/// Every box works: an empty one (or one that is not finite) counts as a cube of 1 metre at the
/// origin, one that is flat or a point is given some size. A direction of zero, or not finite, is
/// from the right, front and above.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Aabb, Node, Scene};
///
/// let mut scene = Scene::new();
/// let room = Aabb::new(Vec3::new(-3.0, -2.0, 0.0), Vec3::new(3.0, 2.0, 2.5));
/// let (camera, place) = pleach_render::framing(&room, Vec3::new(1.0, -2.0, 1.0), 16.0 / 9.0);
/// let camera = scene.spawn(Node::camera(camera).with_transform(place))?;
/// scene.update()?;
///
/// let view = scene.view(camera, (1280, 720))?;
/// let seen = |corner| view.project(corner).unwrap().abs().max_element() < 1.0;
/// assert!(room.corners().into_iter().all(seen));
/// # Ok::<(), pleach::Error>(())
/// ```
#[must_use]
pub fn framing(bounds: &Aabb, from: Vec3, aspect: f32) -> (Camera, Transform) {
    let (center, half) = sized(bounds);
    let usual = Vec3::new(0.6, -1.0, 0.5);
    let from = if from.is_finite() && from != Vec3::ZERO { from } else { usual };
    let rotation = axes::looking(-from, axes::UP).unwrap_or_default();
    let [right, up, back] =
        [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| (rotation * axis).as_dvec3().normalize());

    let aspect = if aspect.is_finite() { f64::from(aspect).clamp(1e-3, 1e3) } else { 1.0 };
    let tan = libm::tan(f64::from(FOV_Y) * 0.5) / MARGIN;
    let across = [(right, tan * aspect), (up, tan)].map(|(axis, tan)| fit(half, axis, back, tan));
    let distance = across[0].0.max(across[1].0);

    let depth = reach(half, back);
    let (near, far) = (distance - depth, distance + depth);
    let eye = center + right * across[0].1 + up * across[1].1 + back * distance;
    let projection = Projection::Perspective {
        fov_y: FOV_Y,
        near: (near * 0.5).max(far * 1e-4) as f32,
        far: (far * 2.0) as f32,
    };
    let camera = Camera { projection, ..Camera::default() };
    (camera, Transform::from_translation(eye.as_vec3()).with_rotation(rotation))
}

/// Middle and half size of a box, made fit to be looked at.
fn sized(bounds: &Aabb) -> (DVec3, DVec3) {
    if bounds.is_empty() || !bounds.is_finite() {
        return (DVec3::ZERO, DVec3::splat(0.5));
    }
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let most = DVec3::splat(MOST);
    let (min, max) = (min.clamp(-most, most), max.clamp(-most, most));
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    // What is smaller than the eye's own place can tell cannot be looked at from close up.
    let resolved = center.abs().max_element() * 1e-5;
    let size = match half.max_element() {
        0.0 if resolved == 0.0 => 0.5,
        size => size.max(resolved).max(LEAST),
    };
    // A line along the view would have the eye at its end; a point has no size at all.
    let least = if half.max_element() < size { size } else { size * 0.01 };
    (center, half.max(DVec3::splat(least)))
}

/// How far a box reaches from its middle along an axis.
fn reach(half: DVec3, axis: DVec3) -> f64 {
    half.dot(axis.abs())
}

/// How far back the eye must be for the box to fit along an axis, and where on that axis.
///
/// A corner at `x` across and `z` back is in view from `(c, d)` if `|x - c| <= (d - z) tan`.
fn fit(half: DVec3, axis: DVec3, back: DVec3, tan: f64) -> (f64, f64) {
    // By symmetry of the box the bounds from both sides are the same, but for the sign: the
    // greatest of `x + z tan` over all corners.
    let bound = reach(half, axis + back * tan);
    let other = reach(half, axis - back * tan);
    ((bound + other) * 0.5 / tan, (bound - other) * 0.5)
}
