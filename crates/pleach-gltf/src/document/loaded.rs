//! `LoadedVersions`: the assets of a file as they were loaded.
//!
//! Assets can be edited in place. A save compares them with these versions, which correspond to the
//! file's entries, and writes what differs. Until an asset is edited, this costs a reference.

use std::sync::Arc;

use pleach::{Asset, AssetVersion, Geometry, Handle, Image, Material, Part};

/// The assets of a file, by index of their entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadedVersions {
    pub(crate) images: Vec<Arc<AssetVersion<Image>>>,
    pub(crate) materials: Vec<Arc<AssetVersion<Material>>>,
    /// By mesh and primitive.
    pub(crate) geometries: Vec<Vec<Arc<AssetVersion<Geometry>>>>,
}

impl LoadedVersions {
    pub(crate) fn new(
        images: &[Handle<Image>],
        materials: &[Handle<Material>],
        meshes: &[Vec<Part>],
    ) -> Self {
        Self {
            images: images.iter().map(Handle::snapshot).collect(),
            materials: materials.iter().map(Handle::snapshot).collect(),
            geometries: meshes.iter().map(|parts| geometries(parts)).collect(),
        }
    }
}

/// Returns the current geometries of a mesh.
pub(crate) fn geometries(parts: &[Part]) -> Vec<Arc<AssetVersion<Geometry>>> {
    parts.iter().map(|part| part.geometry.snapshot()).collect()
}

/// Returns `true` if an asset was edited since `loaded`.
pub(crate) fn is_edited<T: Asset>(now: &Handle<T>, loaded: &AssetVersion<T>) -> bool {
    now.version() != loaded.version()
}
