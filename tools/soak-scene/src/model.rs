//! `Model`: a scene of boxes, computed by definition in `f64`.

use std::collections::BTreeMap;

use pleach::View;
use pleach::glam::{DMat4, DVec3, DVec4, Mat4, Vec3};
use testkit::NaiveTree;
use testkit::naive::Key;

/// The mesh of a node: a box.
#[derive(Clone, Copy, Debug)]
pub struct BoxMesh {
    /// The number of the geometry.
    pub geometry: usize,
    /// The number of the material.
    pub material: usize,
    /// A bit mask.
    pub layers: u32,
}

/// A tree of nodes, some of them with a box.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The nodes; the root of the scene has key 0.
    pub tree: NaiveTree,
    /// By node.
    pub meshes: BTreeMap<Key, BoxMesh>,
    /// The sizes of the geometries.
    pub sizes: Vec<Vec3>,
    /// By material: drawn with blending.
    pub transparent: Vec<bool>,
}

/// An answer that may depend on rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// In any case.
    Yes,
    /// In no case.
    No,
    /// Within the rounding error.
    Borderline,
}

impl Model {
    /// Returns `true` if the node is below the root of the scene and shown.
    #[must_use]
    pub fn is_drawn(&self, key: Key) -> bool {
        self.tree.is_within(key, 0) && self.tree.is_shown(key)
    }

    fn world(&self, key: Key) -> DMat4 {
        Mat4::from_cols_array(&self.tree.world(key)).as_dmat4()
    }

    /// Returns whether the box around the mesh of a node is in view.
    #[must_use]
    pub fn in_view(&self, key: Key, view: &View) -> Answer {
        let mesh = self.meshes[&key];
        if !self.is_drawn(key) || mesh.layers & view.layers == 0 {
            return Answer::No;
        }
        let (world, half) = (self.world(key), self.sizes[mesh.geometry].as_dvec3() / 2.0);
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = world.transform_point3(half * DVec3::new(sign(0), sign(1), sign(2)));
            (min, max) = (min.min(corner), max.max(corner));
        }
        let margin = 1e-4 * (1.0 + min.abs().max(max.abs()).max_element());
        let rows = view.view_projection.as_dmat4().transpose();
        let [x, y, z, w] = [rows.x_axis, rows.y_axis, rows.z_axis, rows.w_axis];
        let mut answer = Answer::Yes;
        // Depths from 0 to 1.
        for plane in [w + x, w - x, w + y, w - y, z, w - z] {
            let plane: DVec4 = plane / plane.truncate().length();
            let farthest = DVec3::select(plane.truncate().cmpge(DVec3::ZERO), max, min);
            let distance = plane.truncate().dot(farthest) + plane.w;
            if distance < -margin {
                return Answer::No;
            }
            if distance < margin {
                answer = Answer::Borderline;
            }
        }
        answer
    }

    /// Returns the distance at which a ray enters the box of a node that is `grown` by this factor;
    /// `None` if it misses it, and 0 if it starts inside.
    #[must_use]
    pub fn entry(&self, key: Key, origin: Vec3, direction: Vec3, grown: f64) -> Option<f64> {
        let to_local = self.world(key).inverse();
        let origin = to_local.transform_point3(origin.as_dvec3());
        let direction = to_local.transform_vector3(direction.as_dvec3());
        let half = self.sizes[self.meshes[&key].geometry].as_dvec3() / 2.0 * grown;
        let (mut near, mut far) = (0.0f64, f64::INFINITY);
        for axis in 0..3 {
            let (o, d, h) = (origin[axis], direction[axis], half[axis]);
            if d == 0.0 {
                if o.abs() > h {
                    return None;
                }
                continue;
            }
            let (a, b) = ((-h - o) / d, (h - o) / d);
            (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
        }
        (near <= far).then_some(near)
    }
}
