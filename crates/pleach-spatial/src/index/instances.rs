//! `Instances`: many instances of one geometry on one node, each with a bounding box.
//!
//! Matrices map the geometry's space to the node's space. The boxes and their tree are in the
//! node's space as well, so nothing changes here when the node moves.
//!
//! Invariant: the box of instance `i` is the geometry's box transformed by `matrices[i]`.

use glam::{Mat4, Quat, Vec3};
use pleach_graph::Transform;

use crate::bvh::DynamicTree;
use crate::bvh::traversal::{FrustumTraversal, RayTraversal};
use crate::kernel::{self, CullPlanes, Slabs};
use crate::{Aabb, Error, Frustum, QueryKernel, TreeProblem};

/// Instances of one geometry on one node, culled and picked individually.
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
#[doc(alias("InstancedMesh", "MultiMesh"))]
#[derive(Clone, Debug)]
pub struct Instances {
    geometry_bounds: Aabb,
    matrices: Vec<Mat4>,
    boxes: Vec<Aabb>,
    tree: DynamicTree,
    kernel: QueryKernel,
}

impl Instances {
    /// Creates instances of a geometry with the bounds `geometry`. O(n log n).
    ///
    /// # Errors
    ///
    /// [`Error::InstanceNotFinite`] if a matrix is not finite, or its last row is not 0 0 0 1.
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

    /// Replaces the bounds of the geometry, for example after morphing. O(n log n); O(1) if they
    /// are unchanged.
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

    /// Creates instances from arrays of translations, rotations and scales. An empty array stands
    /// for the identity; the other arrays must have the same length.
    ///
    /// # Errors
    ///
    /// [`Error::InstanceCounts`] if the lengths differ; [`Error::InstanceNotFinite`] if a number
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
        // Checked first, because the matrix product would saturate.
        let is_finite = |i: &usize| {
            translations.get(*i).is_none_or(|it| it.is_finite())
                && rotations.get(*i).is_none_or(|it| it.is_finite())
                && scales.get(*i).is_none_or(|it| it.is_finite())
        };
        if let Some(instance) = (0..count).find(|i| !is_finite(i)) {
            return Err(Error::InstanceNotFinite { instance });
        }
        let matrix = |i: usize| {
            // The graph's own product, which has the same bits on every platform.
            let transform = Transform {
                translation: translations.get(i).copied().unwrap_or(Vec3::ZERO),
                rotation: rotations.get(i).copied().unwrap_or(Quat::IDENTITY),
                scale: scales.get(i).copied().unwrap_or(Vec3::ONE),
            };
            transform.to_matrix()
        };
        Self::new(geometry, (0..count).map(matrix).collect())
    }

    /// Sets the matrix of one instance. Returns `false` if there is no such instance. O(log n).
    ///
    /// # Errors
    ///
    /// [`Error::InstanceNotFinite`] if the matrix is not finite, or its last row is not 0 0 0 1.
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

    /// Returns the number of instances.
    #[must_use]
    pub fn len(&self) -> usize {
        self.matrices.len()
    }

    /// Returns the memory that they use, in bytes.
    ///
    /// ```
    /// use pleach_spatial::{Aabb, Instances};
    /// use pleach_spatial::glam::{Mat4, Vec3};
    ///
    /// let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let instances = Instances::new(cube, vec![Mat4::IDENTITY; 100])?;
    /// assert!(instances.byte_size() >= 100 * size_of::<Mat4>());
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    #[must_use]
    pub fn byte_size(&self) -> usize {
        let Self { matrices, boxes, tree, .. } = self;
        size_of::<Self>()
            + size_of_val(&matrices[..])
            + size_of_val(&boxes[..])
            + size_of_val(&tree.arena.nodes[..])
            + size_of_val(&tree.locations[..])
    }

    /// Returns `true` if there are no instances.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matrices.is_empty()
    }

    /// Returns the matrices, from the geometry's space to the node's space.
    #[must_use]
    pub fn matrices(&self) -> &[Mat4] {
        &self.matrices
    }

    /// Returns the box of one instance, in the node's space.
    #[must_use]
    pub fn bounds_of(&self, instance: usize) -> Option<Aabb> {
        self.boxes.get(instance).copied().filter(|aabb| !aabb.is_empty())
    }

    /// Returns the box of all instances, in the node's space: the local bounds to set for the node.
    /// O(n).
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb))
    }

    /// Writes the instances in view to `visible`, in ascending order. The frustum is in the node's
    /// space: `Frustum::from_view_projection(&(view_projection * world), clip)`.
    pub fn cull(&self, frustum: &Frustum, visible: &mut Vec<u32>) {
        visible.clear();
        let planes = &CullPlanes::new(frustum);
        let leaf = |instance| visible.push(instance);
        kernel::traverse(self.kernel, FrustumTraversal { nodes: self.tree.nodes(), planes, leaf });
        visible.sort_unstable();
    }

    /// Calls `found` for each instance whose box a ray in the node's space intersects, nearest
    /// boxes first. `found` returns the new maximum distance.
    pub(crate) fn raycast(
        &self,
        slabs: &Slabs,
        max_distance: f32,
        found: impl FnMut(u32, f32) -> f32,
    ) {
        let traversal = RayTraversal { nodes: self.tree.nodes(), slabs, max_distance, leaf: found };
        kernel::traverse(self.kernel, traversal);
    }

    /// Returns the broken invariants: none, unless this crate has a bug. O(n).
    #[must_use]
    pub fn check(&self) -> Vec<TreeProblem> {
        let mut problems = Vec::new();
        self.tree.check(&mut problems);
        problems
    }
}

fn is_affine(matrix: &Mat4) -> bool {
    matrix.is_finite() && matrix.row(3).to_array() == [0.0, 0.0, 0.0, 1.0]
}
