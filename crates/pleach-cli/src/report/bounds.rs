//! Boxes, for people and for scripts.

use glam::Vec3;
use pleach::{Aabb, Scene};
use serde::Serialize;

/// A box for scripts: the corner with the least coordinates, then that with the greatest.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Bounds([f32; 6]);

impl Bounds {
    /// None for an empty box.
    pub(crate) fn of(aabb: &Aabb) -> Option<Self> {
        let ([a, b, c], [d, e, f]) = (aabb.min.to_array(), aabb.max.to_array());
        (!aabb.is_empty()).then_some(Self([a, b, c, d, e, f]))
    }

    pub(crate) fn aabb(&self) -> Aabb {
        let Self([a, b, c, d, e, f]) = *self;
        Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f))
    }
}

/// The box of all that a scene shows or hides.
pub(crate) fn scene_bounds(scene: &Scene) -> Aabb {
    let boxes = scene.spatial.nodes().filter_map(|node| scene.spatial.world_bounds(node));
    boxes.fold(Aabb::EMPTY, |all, aabb| all.union(&aabb))
}
