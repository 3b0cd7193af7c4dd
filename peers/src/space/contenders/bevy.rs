//! `bevy`: the visibility test of Bevy, in a plain loop over arrays like Bevy's tables.

use bevy_math::Vec3A;
use bevy_transform::components::{GlobalTransform, Transform};

use super::Cull;
use crate::bevy_frustum::{Aabb, frustum, is_visible};
use crate::space::boxes;
use crate::space::view::View;

pub struct Bevy {
    transforms: Vec<GlobalTransform>,
    aabbs: Vec<Aabb>,
    visible: Vec<u32>,
}

impl Bevy {
    /// Creates a local box around its origin and a translation for each box.
    pub fn new(boxes: &[boxes::Aabb]) -> Self {
        let transforms = boxes.iter().map(|one| {
            let [x, y, z] = one.center();
            GlobalTransform::from(Transform::from_xyz(x, y, z))
        });
        let aabbs = boxes
            .iter()
            .map(|one| Aabb { center: Vec3A::ZERO, half_extents: Vec3A::from_array(one.half()) });
        Self { transforms: transforms.collect(), aabbs: aabbs.collect(), visible: Vec::new() }
    }
}

impl Cull for Bevy {
    fn cull(&mut self, view: &View) {
        let frustum = frustum(view.planes.map(|plane| plane.to_array()));
        self.visible.clear();
        for (index, (transform, aabb)) in self.transforms.iter().zip(&self.aabbs).enumerate() {
            if is_visible(transform, aabb, &frustum) {
                self.visible.push(index as u32);
            }
        }
    }

    fn found(&self) -> Vec<u32> {
        self.visible.clone()
    }
}
