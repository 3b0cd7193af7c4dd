//! Axis-aligned bounding boxes in answers.

use glam::Vec3;
use pleach::{Aabb, Scene};
use serde::Serialize;

/// A box in JSON: the minimum corner, then the maximum corner.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Bounds([f32; 6]);

impl Bounds {
    /// Converts a box; `None` if it is empty.
    pub(crate) fn of(aabb: &Aabb) -> Option<Self> {
        let ([a, b, c], [d, e, f]) = (aabb.min.to_array(), aabb.max.to_array());
        (!aabb.is_empty()).then_some(Self([a, b, c, d, e, f]))
    }

    pub(crate) fn aabb(&self) -> Aabb {
        let Self([a, b, c, d, e, f]) = *self;
        Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f))
    }
}

/// Returns the bounds of all nodes of a scene, visible or not.
pub(crate) fn scene_bounds(scene: &Scene) -> Aabb {
    let boxes = scene.spatial.nodes().filter_map(|node| scene.spatial.world_bounds(node));
    boxes.fold(Aabb::EMPTY, |all, aabb| all.union(&aabb))
}
