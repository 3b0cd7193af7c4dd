//! `MaterialGroups`: the triangles of a geometry sorted by material, for draws with one material each.
//!
//! Invariants: the ranges of the groups cover the indices, in order and without gaps; materials
//! ascend; triangles of a group keep their order.

use std::ops::Range;

use super::Geometry;

/// The triangles of a geometry whose faces or vertices select from several materials, sorted by
/// material: an index buffer, and its range for each material.
///
/// ```
/// use pleach::Geometry;
/// use pleach::glam::Vec3;
///
/// let strips = Geometry::from_triangles(vec![Vec3::ZERO; 5], vec![0, 1, 2, 1, 2, 3, 2, 3, 4])
///     .with_face_materials(vec![1, 0, 1]);
/// let groups = strips.material_groups().unwrap();
/// assert_eq!(groups.indices(), [1, 2, 3, 0, 1, 2, 2, 3, 4]);
/// assert_eq!(groups.groups()[1].material, 1);
/// assert_eq!(groups.groups()[1].range, 3..9);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialGroups {
    indices: Vec<u32>,
    groups: Vec<MaterialGroup>,
}

/// The triangles of one material in [`MaterialGroups`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaterialGroup {
    /// The index into [`Mesh::materials`](crate::Mesh::materials).
    pub material: u32,
    /// The range in [`MaterialGroups::indices`].
    pub range: Range<u32>,
}

impl MaterialGroups {
    /// Returns the vertices of the triangles, three each, sorted by material: an index buffer of
    /// [`Topology::Triangles`](crate::Topology::Triangles), whatever the topology of the geometry.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the ranges of the materials that have triangles, by ascending material.
    #[must_use]
    pub fn groups(&self) -> &[MaterialGroup] {
        &self.groups
    }
}

impl Geometry {
    /// Returns `true` if its triangles select from the materials of the mesh: by
    /// [face](Self::face_materials) or by [vertex](Self::vertex_materials).
    #[must_use]
    pub fn has_material_indices(&self) -> bool {
        !self.face_materials.is_empty() || !self.vertex_materials.is_empty()
    }

    /// Sorts the triangles by material, or returns `None` if they have no material indices. O(n log
    /// n); [a version](crate::AssetVersion#method.material_groups) of an asset
    /// caches it.
    ///
    /// See [`MaterialGroups`] for an example.
    #[must_use]
    pub fn material_groups(&self) -> Option<MaterialGroups> {
        if !self.has_material_indices() || self.triangle_count() == 0 {
            return None;
        }
        let mut triangles: Vec<(u32, [u32; 3])> = self
            .triangles()
            .enumerate()
            .map(|(triangle, corners)| (self.face_material(triangle), corners))
            .collect();
        // Stable, so that triangles of a material keep their order.
        triangles.sort_by_key(|&(material, _)| material);
        let mut indices = Vec::with_capacity(3 * triangles.len());
        let mut groups = Vec::new();
        for same in triangles.chunk_by(|a, b| a.0 == b.0) {
            let start = indices.len() as u32;
            indices.extend(same.iter().flat_map(|&(_, corners)| corners));
            groups.push(MaterialGroup { material: same[0].0, range: start..indices.len() as u32 });
        }
        Some(MaterialGroups { indices, groups })
    }
}
