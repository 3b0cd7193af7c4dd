//! `Instances`: many copies of one geometry on one node, each with a box of its own.
//!
//! Matrices take the geometry into the node's space; the boxes and their tree are in
//! that space as well, so nothing changes here when the node moves.
//!
//! Invariant: instance `i` has the box of the geometry's bounds under `matrices[i]`.

use glam::{Mat4, Quat, Vec3};
use pleach_graph::Transform;

use crate::bvh::DynamicTree;
use crate::bvh::traversal::{FrustumTraversal, RayTraversal};
use crate::kernel::{self, CullPlanes, Slabs};
use crate::{Aabb, Error, Frustum, QueryKernel};

/// Copies of one geometry on one node, culled and picked one by one.
///
/// ```
/// use pleach_spatial::glam::{Mat4, Vec3};
/// use pleach_spatial::{Aabb, Instances};
///
/// let leaf = Aabb::new(Vec3::splat(-0.1), Vec3::splat(0.1));
/// let row = (0..10).map(|i| Mat4::from_translation(Vec3::new(i as f32, 0.0, 0.0)));
/// let leaves = Instances::new(leaf, row.collect())?;
/// assert_eq!(leaves.bounds().max.x, 9.1);     // what the node's own bounds should be
/// # Ok::<(), pleach_spatial::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instances {
    geometry_bounds: Aabb,
    matrices: Vec<Mat4>,
    boxes: Vec<Aabb>,
    tree: DynamicTree,
    kernel: QueryKernel,
}

impl Instances {
    /// Copies of geometry with these bounds. O(n log n).
    ///
    /// # Errors
    ///
    /// [`Error::Instance`] if a matrix is not finite, or its last row is not 0 0 0 1.
    pub fn new(geometry: Aabb, matrices: Vec<Mat4>) -> Result<Self, Error> {
        if let Some(instance) = matrices.iter().position(|matrix| !is_affine(matrix)) {
            return Err(Error::InstanceNotFinite { instance });
        }
        let mut instances = Self {
            geometry_bounds: Aabb::EMPTY,
            boxes: Vec::new(),
            matrices,
            tree: DynamicTree::default(),
            kernel: QueryKernel::best(),
        };
        instances.set_geometry_bounds(geometry);
        Ok(instances)
    }

    /// Gives the geometry other bounds, as when it is morphed. O(n log n), or nothing if they
    /// are the same.
    pub fn set_geometry_bounds(&mut self, bounds: Aabb) {
        if bounds == self.geometry_bounds && !self.boxes.is_empty() {
            return;
        }
        self.geometry_bounds = bounds;
        self.boxes.clear();
        self.boxes.extend(self.matrices.iter().map(|matrix| bounds.transformed(matrix)));
        let boxes = self.boxes.iter().enumerate().filter(|(_, aabb)| !aabb.is_empty());
        self.tree.rebuild(boxes.map(|(i, aabb)| (i as u32, aabb.with_slack())));
    }

    /// Copies at these places, as arrays of translations, rotations and scales give them.
    /// An array that is empty means none of that; otherwise each has as many as the longest.
    ///
    /// # Errors
    ///
    /// [`Error::InstanceCounts`] if the arrays do not have as many; [`Error::Instance`] if a number
    /// is not finite.
    pub fn from_arrays(
        geometry: Aabb,
        translations: &[Vec3],
        rotations: &[Quat],
        scales: &[Vec3],
    ) -> Result<Self, Error> {
        let counts = [translations.len(), rotations.len(), scales.len()];
        let count = counts.into_iter().max().unwrap_or(0);
        if counts.into_iter().any(|it| it != 0 && it != count) {
            return Err(Error::InstanceCounts { counts });
        }
        // The product below would saturate.
        let is_finite = |i: &usize| {
            translations.get(*i).is_none_or(|it| it.is_finite())
                && rotations.get(*i).is_none_or(|it| it.is_finite())
                && scales.get(*i).is_none_or(|it| it.is_finite())
        };
        if let Some(instance) = (0..count).find(|i| !is_finite(i)) {
            return Err(Error::InstanceNotFinite { instance });
        }
        let matrix = |i: usize| {
            // The graph's own product, which has the same bits everywhere.
            let transform = Transform {
                translation: translations.get(i).copied().unwrap_or(Vec3::ZERO),
                rotation: rotations.get(i).copied().unwrap_or(Quat::IDENTITY),
                scale: scales.get(i).copied().unwrap_or(Vec3::ONE),
            };
            transform.to_matrix()
        };
        Self::new(geometry, (0..count).map(matrix).collect())
    }

    /// Moves one copy. O(log n). Is there such a copy?
    ///
    /// # Errors
    ///
    /// [`Error::Instance`] if the matrix is not finite, or its last row is not 0 0 0 1.
    pub fn set(&mut self, instance: usize, matrix: Mat4) -> Result<bool, Error> {
        if !is_affine(&matrix) {
            return Err(Error::InstanceNotFinite { instance });
        }
        let Some(old) = self.matrices.get_mut(instance) else { return Ok(false) };
        *old = matrix;
        let aabb = self.geometry_bounds.transformed(&matrix);
        self.boxes[instance] = aabb;
        if self.tree.contains(instance as u32) {
            self.tree.update(instance as u32, &aabb.with_slack());
        }
        Ok(true)
    }

    /// How many copies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.matrices.len()
    }

    /// Are there no copies?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matrices.is_empty()
    }

    /// The copies' matrices, from the geometry's space to the node's.
    #[must_use]
    pub fn matrices(&self) -> &[Mat4] {
        &self.matrices
    }

    /// The box of one copy, in the node's space.
    #[must_use]
    pub fn bounds_of(&self, instance: usize) -> Option<Aabb> {
        self.boxes.get(instance).copied().filter(|aabb| !aabb.is_empty())
    }

    /// The box of all copies, in the node's space: what the node's own bounds should
    /// be. O(n).
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb))
    }

    /// The copies in view, in order. The frustum is in the node's space:
    /// `Frustum::from_view_projection(&(view_projection * world), clip)`.
    pub fn cull(&self, frustum: &Frustum, visible: &mut Vec<u32>) {
        visible.clear();
        let planes = &CullPlanes::new(frustum);
        let leaf = |instance| visible.push(instance);
        kernel::traverse(self.kernel, FrustumTraversal { nodes: self.tree.nodes(), planes, leaf });
        visible.sort_unstable();
    }

    /// Calls `found` for copies whose boxes a ray of the node's space meets, near
    /// ones first; it tells how far to look from then on.
    pub(crate) fn raycast(
        &self,
        slabs: &Slabs,
        max_distance: f32,
        found: impl FnMut(u32, f32) -> f32,
    ) {
        let traversal = RayTraversal { nodes: self.tree.nodes(), slabs, max_distance, leaf: found };
        kernel::traverse(self.kernel, traversal);
    }

    /// What is broken, if anything: a list of sentences for people who change this
    /// crate. O(n).
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let mut problems = Vec::new();
        self.tree.check(&mut problems);
        problems
    }
}

fn is_affine(matrix: &Mat4) -> bool {
    matrix.is_finite() && matrix.row(3).to_array() == [0.0, 0.0, 0.0, 1.0]
}
