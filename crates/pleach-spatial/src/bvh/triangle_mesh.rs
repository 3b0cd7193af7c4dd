//! `Geometry`: triangles whose tree is built when a ray first asks for it.

use std::sync::OnceLock;

use glam::Vec3;

use crate::{Aabb, Error, TriangleTree};

/// Positions and triangles that many nodes share, with a [`TriangleTree`] that is
/// built once: when first asked for, or [ahead](Self::build_trees).
///
/// ```
/// use pleach_spatial::Geometry;
/// use pleach_spatial::glam::Vec3;
///
/// let quad = Geometry::new(vec![Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::Y], vec![0, 1, 2, 0, 2, 3])?;
/// assert!(!quad.is_built());
/// assert_eq!(quad.tree().len(), 2);
/// # Ok::<(), pleach_spatial::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    positions: Vec<Vec3>,
    indices: Vec<u32>,
    bounds: Aabb,
    tree: OnceLock<TriangleTree>,
}

impl TriangleMesh {
    /// The triangles that `indices` tell, three each. O(n); builds no tree yet.
    ///
    /// # Errors
    ///
    /// [`Error::Index`] if an index is not one of a position;
    /// [`Error::TooManyTriangles`] past 2^31 - 2.
    pub fn new(positions: Vec<Vec3>, indices: Vec<u32>) -> Result<Self, Error> {
        TriangleTree::validate(positions.len(), &indices)?;
        let bounds = Aabb::from_points(positions.iter().copied());
        Ok(Self { positions, indices, bounds, tree: OnceLock::new() })
    }

    /// The positions.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// The indices.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The box of all finite positions; empty if there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The tree, built by the first who asks; threads that ask meanwhile wait.
    pub fn tree(&self) -> &TriangleTree {
        self.tree.get_or_init(|| TriangleTree::build_validated(&self.positions, &self.indices))
    }

    /// Is the tree there already?
    #[must_use]
    pub fn has_tree(&self) -> bool {
        self.tree.get().is_some()
    }

    /// Builds the trees of many geometries, those that have none yet, one after the
    /// other.
    pub fn build_trees<'a>(geometries: impl IntoIterator<Item = &'a Self>) {
        for geometry in geometries {
            geometry.tree();
        }
    }

    /// As [`build_trees`](Self::build_trees), on rayon's threads.
    #[cfg(feature = "parallel")]
    pub fn build_trees_parallel(geometries: &[&Self]) {
        use rayon::prelude::*;
        geometries.par_iter().for_each(|geometry| _ = geometry.tree());
    }
}
