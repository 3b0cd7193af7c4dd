//! `naive`: a `Vec` of boxes and a test of each against the planes.

use super::Cull;
use crate::space::boxes::Aabb;
use crate::space::view::View;

pub struct Naive {
    boxes: Vec<Aabb>,
    visible: Vec<u32>,
}

impl Naive {
    pub fn new(boxes: &[Aabb]) -> Self {
        Self { boxes: boxes.to_vec(), visible: Vec::new() }
    }
}

impl Cull for Naive {
    fn cull(&mut self, view: &View) {
        let planes = view.planes.map(|plane| plane.to_array());
        self.visible.clear();
        for (index, one) in self.boxes.iter().enumerate() {
            if is_visible(one, &planes) {
                self.visible.push(index as u32);
            }
        }
    }

    fn found(&self) -> Vec<u32> {
        self.visible.clone()
    }
}

/// Returns `true` if for each plane the corner farthest along its normal is inside; stops at the
/// first plane that fails.
fn is_visible(one: &Aabb, planes: &[[f32; 4]; 6]) -> bool {
    planes.iter().all(|&[x, y, z, distance]| {
        let corner = |axis: usize, normal: f32| {
            if normal > 0.0 { one.max[axis] } else { one.min[axis] }
        };
        x * corner(0, x) + y * corner(1, y) + z * corner(2, z) + distance >= 0.0
    })
}
