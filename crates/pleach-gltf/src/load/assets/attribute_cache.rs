//! `AttributeCache`: vertex data that several primitives use, decoded and stored once.
//!
//! Files often store the vertices of many primitives in one accessor, with separate indices.
//! Sharing keeps a thousand such primitives as small as the file, instead of a thousand times that.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use glam::{Vec2, Vec3, Vec4};
use pleach::VertexData;

use crate::diagnostics::Result;
use crate::json::{Root, UInt};

/// The vertex data of accessors that are used more than once, by element type.
#[derive(Debug)]
pub(crate) struct AttributeCache {
    /// By accessor: `true` if several attributes of primitives use it.
    is_shared: Vec<bool>,
    pub(crate) vec3s: VertexDataCache<Vec3>,
    pub(crate) tangents: VertexDataCache<Vec4>,
    pub(crate) uvs: VertexDataCache<Vec2>,
    pub(crate) colors: VertexDataCache<Vec4>,
    pub(crate) joints: VertexDataCache<[u16; 4]>,
    pub(crate) weights: VertexDataCache<[f32; 4]>,
}

impl AttributeCache {
    /// Creates an empty cache for the primitives of a file.
    pub(crate) fn of(root: &Root<'_>) -> Self {
        let mut is_named = vec![false; root.accessors.len()];
        let mut is_shared = vec![false; root.accessors.len()];
        let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let lists = primitives.flat_map(|it| std::iter::once(&it.attributes).chain(&it.targets));
        for (_, accessor) in lists.flat_map(|attributes| &attributes.0) {
            let accessor = accessor.index();
            if let Some(named) = is_named.get_mut(accessor) {
                is_shared[accessor] = std::mem::replace(named, true);
            }
        }
        Self {
            is_shared,
            vec3s: VertexDataCache::default(),
            tangents: VertexDataCache::default(),
            uvs: VertexDataCache::default(),
            colors: VertexDataCache::default(),
            joints: VertexDataCache::default(),
            weights: VertexDataCache::default(),
        }
    }

    /// Returns the cache key of an accessor, or `None` if it is used only once.
    pub(crate) fn cache_key(&self, accessor: UInt) -> Option<UInt> {
        self.is_shared.get(accessor.index()).is_some_and(|&it| it).then_some(accessor)
    }
}

/// Decoded vertex data by accessor.
#[derive(Debug)]
pub(crate) struct VertexDataCache<T>(HashMap<UInt, VertexData<T>>);

impl<T: Clone> VertexDataCache<T> {
    /// Returns the data for `key`, calling `read` if it is not cached. Without a key, reads it
    /// uncached.
    pub(crate) fn get(
        &mut self,
        key: Option<UInt>,
        read: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<VertexData<T>> {
        let Some(key) = key else { return Ok(read()?.into()) };
        Ok(match self.0.entry(key) {
            Entry::Occupied(data) => data.get().clone(),
            Entry::Vacant(empty) => empty.insert(VertexData::shared(read()?)).clone(),
        })
    }
}

impl<T> Default for VertexDataCache<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}
