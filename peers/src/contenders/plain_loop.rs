//! `loop`: a pass over presorted arrays with glam's own matrices.

use glam::{Mat4, Quat, Vec3};

use super::arrays::{Arrays, Kernel, Row};

pub struct Glam;

impl Kernel for Glam {
    fn update(&self, arrays: &mut Arrays, nodes: impl Iterator<Item = usize> + Clone) {
        let (rows, parents, worlds) = arrays.parts();
        for node in nodes {
            let above = Mat4::from_cols_array(&worlds[parents[node] as usize].0);
            worlds[node + 1].0 = (above * local(&rows[node])).to_cols_array();
        }
    }
}

fn local(row: &Row) -> Mat4 {
    let [x, y, z, _] = row.translation;
    let [u, v, w, _] = row.scale;
    let rotation = Quat::from_array(row.rotation);
    Mat4::from_scale_rotation_translation(Vec3::new(u, v, w), rotation, Vec3::new(x, y, z))
}
