//! `Common`: columns that several primitives name, each decoded once and held once.
//!
//! Files keep the vertices of many primitives in one list, with indices into it for each: what a thousand
//! primitives name is then as large as what is in the file, and not a thousand times that.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use glam::{Vec2, Vec3, Vec4};
use pleach::VertexData;

use crate::Error;
use crate::json::{Root, Whole};

/// By the way they are read: the columns of accessors that are named more than once.
#[derive(Debug)]
pub(crate) struct Common {
    /// By accessor: do several attributes of primitives name it?
    is_common: Vec<bool>,
    pub(crate) vec3s: Shelf<Vec3>,
    pub(crate) tangents: Shelf<Vec4>,
    pub(crate) uvs: Shelf<Vec2>,
    pub(crate) colors: Shelf<Vec4>,
    pub(crate) joints: Shelf<[u16; 4]>,
    pub(crate) weights: Shelf<[f32; 4]>,
}

impl Common {
    /// None is read yet.
    pub(crate) fn of(root: &Root<'_>) -> Self {
        let mut is_named = vec![false; root.accessors.len()];
        let mut is_common = vec![false; root.accessors.len()];
        let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let lists = primitives.flat_map(|it| std::iter::once(&it.attributes).chain(&it.targets));
        for (_, accessor) in lists.flat_map(|attributes| &attributes.0) {
            let accessor = accessor.index();
            if let Some(named) = is_named.get_mut(accessor) {
                is_common[accessor] = std::mem::replace(named, true);
            }
        }
        Self {
            is_common,
            vec3s: Shelf::default(),
            tangents: Shelf::default(),
            uvs: Shelf::default(),
            colors: Shelf::default(),
            joints: Shelf::default(),
            weights: Shelf::default(),
        }
    }

    /// Where the column of an accessor is kept; `None` if nothing else names it.
    pub(crate) fn place(&self, accessor: Whole) -> Option<Whole> {
        self.is_common.get(accessor.index()).is_some_and(|&it| it).then_some(accessor)
    }
}

/// Columns that were read, by accessor.
#[derive(Debug)]
pub(crate) struct Shelf<T>(HashMap<Whole, VertexData<T>>);

impl<T: Clone> Shelf<T> {
    /// The column at a place, which the first who asks reads; with no place, it is read for its own.
    pub(crate) fn get(
        &mut self,
        place: Option<Whole>,
        read: impl FnOnce() -> Result<Vec<T>, Error>,
    ) -> Result<VertexData<T>, Error> {
        let Some(place) = place else { return Ok(read()?.into()) };
        Ok(match self.0.entry(place) {
            Entry::Occupied(column) => column.get().clone(),
            Entry::Vacant(empty) => empty.insert(VertexData::shared(read()?)).clone(),
        })
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}
