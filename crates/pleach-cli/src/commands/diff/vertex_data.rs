//! Hashes and compares the vertex data of geometries. Shared data are processed once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use pleach::{Geometry, Influences, MorphTarget, VertexData};

/// Cached results for shared vertex data by identity. The data must outlive the cache.
#[derive(Default)]
pub(super) struct VertexDataCache {
    hashes: HashMap<usize, u64>,
    is_same: HashMap<(usize, usize), bool>,
}

impl VertexDataCache {
    /// Returns a hash that is the same for equal geometries.
    pub(super) fn hash(&mut self, geometry: &Geometry) -> u64 {
        let mut state = DefaultHasher::new();
        geometry.topology.hash(&mut state);
        geometry.indices.hash(&mut state);
        let state = &mut state;
        self.hash_floats(&geometry.positions, state);
        self.hash_floats(&geometry.normals, state);
        self.hash_floats(&geometry.tangents, state);
        geometry.uvs.iter().for_each(|set| self.hash_floats(set, state));
        geometry.colors.iter().for_each(|set| self.hash_floats(set, state));
        for set in &geometry.influences {
            self.hash_data(&set.joints, state, |joints, state| joints.hash(state));
        }
        for target in &geometry.morph_targets {
            self.hash_floats(&target.positions, state);
        }
        state.finish()
    }

    fn hash_floats<const N: usize, T: Copy + Into<[f32; N]>>(
        &mut self,
        data: &VertexData<T>,
        state: &mut DefaultHasher,
    ) {
        self.hash_data(data, state, |values, state| {
            values.iter().flat_map(|&it| it.into()).for_each(|it| hash_float(it, state));
        });
    }

    fn hash_data<T>(
        &mut self,
        data: &VertexData<T>,
        state: &mut DefaultHasher,
        hash: impl FnOnce(&[T], &mut DefaultHasher),
    ) {
        let hash = || {
            let mut state = DefaultHasher::new();
            hash(data, &mut state);
            state.finish()
        };
        let hash = match data.shared_id() {
            Some(id) => *self.hashes.entry(id).or_insert_with(hash),
            None => hash(),
        };
        (data.len(), hash).hash(state);
    }

    /// Returns `true` if two geometries are equal.
    pub(super) fn is_same(&mut self, one: &Geometry, other: &Geometry) -> bool {
        // Destructured, so that a new field cannot be forgotten.
        let Geometry {
            topology,
            positions,
            normals,
            tangents,
            uvs,
            colors,
            influences,
            indices,
            morph_targets,
            face_materials,
            vertex_materials,
        } = one;
        (topology, indices) == (&other.topology, &other.indices)
            && (face_materials, vertex_materials)
                == (&other.face_materials, &other.vertex_materials)
            && self.same(positions, &other.positions)
            && self.same(normals, &other.normals)
            && self.same(tangents, &other.tangents)
            && all_same(uvs, &other.uvs, |(a, b)| self.same(a, b))
            && all_same(colors, &other.colors, |(a, b)| self.same(a, b))
            && all_same(influences, &other.influences, |(a, b)| {
                let Influences { joints, weights } = a;
                self.same(joints, &b.joints) && self.same(weights, &b.weights)
            })
            && all_same(morph_targets, &other.morph_targets, |(a, b)| {
                let MorphTarget { name, positions, normals, tangents } = a;
                *name == b.name
                    && self.same(positions, &b.positions)
                    && self.same(normals, &b.normals)
                    && self.same(tangents, &b.tangents)
            })
    }

    fn same<T: PartialEq>(&mut self, one: &VertexData<T>, other: &VertexData<T>) -> bool {
        match (one.shared_id(), other.shared_id()) {
            (Some(a), Some(b)) => *self.is_same.entry((a, b)).or_insert_with(|| one == other),
            _ => one == other,
        }
    }
}

fn all_same<T>(one: &[T], other: &[T], is_same: impl FnMut((&T, &T)) -> bool) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

/// Hashes a number such that equal numbers, including 0 and −0, have equal hashes.
pub(super) fn hash_float(number: f32, state: &mut DefaultHasher) {
    state.write_u32((number + 0.0).to_bits());
}
