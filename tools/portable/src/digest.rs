//! `Digest`: a hash of numbers by their bits.

use glam::{Mat4, Quat, Vec3};
use pleach_graph::{NodeId, Transform};
use pleach_spatial::{Aabb, Hit};
use testkit::Fnv;

/// A running hash of results.
#[derive(Debug)]
pub(crate) struct Digest(Fnv);

impl Digest {
    pub(crate) fn new() -> Self {
        Self(Fnv::new())
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0.finish()
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(crate) fn number(&mut self, number: usize) {
        self.0.write(&(number as u64).to_le_bytes());
    }

    pub(crate) fn floats(&mut self, floats: &[f32]) {
        assert!(floats.iter().all(|float| !float.is_nan()), "no result is NaN, {floats:?}");
        self.0.write_f32s(floats);
    }

    pub(crate) fn vec3(&mut self, vector: Vec3) {
        self.floats(&vector.to_array());
    }

    pub(crate) fn quat(&mut self, rotation: Quat) {
        self.floats(&rotation.to_array());
    }

    pub(crate) fn matrix(&mut self, matrix: &Mat4) {
        self.floats(&matrix.to_cols_array());
    }

    pub(crate) fn transform(&mut self, transform: Transform) {
        self.vec3(transform.translation);
        self.quat(transform.rotation);
        self.vec3(transform.scale);
    }

    pub(crate) fn aabb(&mut self, aabb: Option<Aabb>) {
        self.number(usize::from(aabb.is_some()));
        if let Some(Aabb { min, max }) = aabb {
            self.vec3(min);
            self.vec3(max);
        }
    }

    pub(crate) fn node(&mut self, node: NodeId) {
        self.bytes(node.to_string().as_bytes());
    }

    /// Adds a list of nodes, in order.
    pub(crate) fn nodes(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        let count = nodes.into_iter().map(|node| self.node(node)).count();
        self.number(count);
    }

    pub(crate) fn hit(&mut self, hit: Option<&Hit>) {
        self.number(usize::from(hit.is_some()));
        let Some(hit) = hit else { return };
        self.node(hit.node);
        self.number(hit.part as usize);
        self.number(hit.instance.map_or(0, |instance| instance as usize + 1));
        self.number(hit.triangle as usize);
        self.floats(&[hit.distance]);
        self.vec3(hit.point);
        self.vec3(hit.normal);
        self.vec3(hit.barycentrics);
    }
}
