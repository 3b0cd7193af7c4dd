//! `TangentCache`: generated tangents of geometries without, kept from picture to picture.
//!
//! The key is the geometry's id and version, and the set of texture coordinates.
//!
//! Invariant: after `load`, every geometry that this picture needs tangents for is present, and
//! nothing else is kept.

use std::collections::HashMap;
use std::sync::Arc;

use glam::Vec4;
use pleach::{AssetId, AssetVersion, Geometry};
use pleach_shading::tangents::corner_tangents;

use crate::threads;

/// The tangents at the corners of each triangle.
pub(crate) type CornerTangents = Arc<[[Vec4; 3]]>;

/// The geometry and its version, and the set of texture coordinates.
pub(crate) type TangentKey = (AssetId, u64, usize);

#[derive(Debug, Default)]
pub(crate) struct TangentCache {
    /// `None` if the geometry has no triangles or no such texture coordinates.
    tangents: HashMap<TangentKey, Option<CornerTangents>>,
}

impl TangentCache {
    /// Computes the tangents that are not yet present, on all threads.
    pub(crate) fn load(&mut self, needed: &HashMap<TangentKey, Arc<AssetVersion<Geometry>>>) {
        self.tangents.retain(|key, _| needed.contains_key(key));
        let missing: Vec<_> =
            needed.iter().filter(|(key, _)| !self.tangents.contains_key(key)).collect();
        let computed = threads::map(&missing, |&(&key, geometry)| {
            (key, corner_tangents(geometry, key.2).map(Arc::from))
        });
        self.tangents.extend(computed);
    }

    pub(crate) fn get(&self, key: &TangentKey) -> Option<CornerTangents> {
        self.tangents.get(key).cloned().flatten()
    }
}
