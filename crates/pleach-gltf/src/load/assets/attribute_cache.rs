//! `Common`: columns that several primitives name, each decoded once and held once.
//!
//! Files keep the vertices of many primitives in one list, with indices into it for each: what a thousand
//! primitives name is then as large as what is in the file, and not a thousand times that.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use glam::{Vec2, Vec3, Vec4};
use pleach::VertexData;

use crate::Error;
use crate::json::{Root, UInt};

/// By the way they are read: the columns of accessors that are named more than once.
#[derive(Debug)]
pub(crate) struct AttributeCache {
    /// By accessor: do several attributes of primitives name it?
    is_shared: Vec<bool>,
    pub(crate) vec3s: VertexDataCache<Vec3>,
    pub(crate) tangents: VertexDataCache<Vec4>,
    pub(crate) uvs: VertexDataCache<Vec2>,
    pub(crate) colors: VertexDataCache<Vec4>,
    pub(crate) joints: VertexDataCache<[u16; 4]>,
    pub(crate) weights: VertexDataCache<[f32; 4]>,
}

impl AttributeCache {
    /// None is read yet.
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

    /// Where the column of an accessor is kept; `None` if nothing else names it.
    pub(crate) fn cache_key(&self, accessor: UInt) -> Option<UInt> {
        self.is_shared.get(accessor.index()).is_some_and(|&it| it).then_some(accessor)
    }
}

/// Columns that were read, by accessor.
#[derive(Debug)]
pub(crate) struct VertexDataCache<T>(HashMap<UInt, VertexData<T>>);

impl<T: Clone> VertexDataCache<T> {
    /// The column at a place, which the first who asks reads; with no place, it is read for its own.
    pub(crate) fn get(
        &mut self,
        key: Option<UInt>,
        read: impl FnOnce() -> Result<Vec<T>, Error>,
    ) -> Result<VertexData<T>, Error> {
        let Some(key) = key else { return Ok(read()?.into()) };
        Ok(match self.0.entry(key) {
            Entry::Occupied(column) => column.get().clone(),
            Entry::Vacant(empty) => empty.insert(VertexData::shared(read()?)).clone(),
        })
    }
}

impl<T> Default for VertexDataCache<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}
