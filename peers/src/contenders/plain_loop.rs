//! `loop`: a pass over sorted arrays with glam's matrices.

use glam::{Mat4, Quat, Vec3};

use super::arrays::{Arrays, Kernel, StoredTransform};

pub struct Glam;

impl Kernel for Glam {
    fn update(&self, arrays: &mut Arrays, nodes: impl Iterator<Item = usize> + Clone) {
        let (transforms, parents, worlds) = arrays.slices();
        for node in nodes {
            let parent = Mat4::from_cols_array(&worlds[parents[node] as usize].0);
            worlds[node + 1].0 = (parent * local(&transforms[node])).to_cols_array();
        }
    }
}

fn local(stored: &StoredTransform) -> Mat4 {
    let [x, y, z, _] = stored.translation;
    let [u, v, w, _] = stored.scale;
    let rotation = Quat::from_array(stored.rotation);
    Mat4::from_scale_rotation_translation(Vec3::new(u, v, w), rotation, Vec3::new(x, y, z))
}
