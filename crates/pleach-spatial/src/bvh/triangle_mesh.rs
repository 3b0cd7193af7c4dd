//! `TriangleMesh`: triangles whose tree is built on first use.

use std::sync::OnceLock;

use glam::Vec3;

use crate::{Aabb, Error, TriangleTree};

/// Positions and triangles, shared by any number of nodes, with a [`TriangleTree`] that is built
/// once: on first use, or [in advance](Self::build_trees).
///
/// ```
/// use pleach_spatial::TriangleMesh;
/// use pleach_spatial::glam::Vec3;
///
/// let quad = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::Y], vec![0, 1, 2, 0, 2, 3])?;
/// assert!(!quad.has_tree());
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
    /// Creates a mesh from positions and indices, three per triangle. O(n); does not build the
    /// tree.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfRange`] if an index is not less than the number of positions;
    /// [`Error::TooManyTriangles`] for more than 2^31 - 2.
    pub fn new(positions: Vec<Vec3>, indices: Vec<u32>) -> Result<Self, Error> {
        TriangleTree::validate(positions.len(), &indices)?;
        let bounds = Aabb::from_points(positions.iter().copied());
        Ok(Self { positions, indices, bounds, tree: OnceLock::new() })
    }

    /// Returns the positions.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Returns the indices.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the box of all finite positions; empty if there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Returns the tree. The first call builds it, on the calling thread; concurrent calls wait
    /// meanwhile.
    pub fn tree(&self) -> &TriangleTree {
        self.tree.get_or_init(|| TriangleTree::build_validated(&self.positions, &self.indices))
    }

    /// Returns `true` if the tree has been built.
    #[must_use]
    pub fn has_tree(&self) -> bool {
        self.tree.get().is_some()
    }

    /// Builds the trees of several meshes, one after the other. Existing trees are kept.
    pub fn build_trees<'a>(geometries: impl IntoIterator<Item = &'a Self>) {
        for geometry in geometries {
            geometry.tree();
        }
    }

    /// Like [`build_trees`](Self::build_trees), on the threads of rayon's current pool. Several
    /// meshes are built at the same time, each by one thread.
    #[cfg(feature = "parallel")]
    pub fn build_trees_parallel(geometries: &[&Self]) {
        use rayon::prelude::*;
        if pleach_graph::thread_count() < 2 {
            return Self::build_trees(geometries.iter().copied());
        }
        geometries.par_iter().for_each(|geometry| _ = geometry.tree());
    }
}
