//! What a handle works out from its geometry when first asked, and remembers: the bounds,
//! the boxes of the morph targets and of the joints, the tree for picking.
//!
//! It lies beside the geometry, in the handle's place, and is dropped when the geometry is
//! changed through `Handle::make_mut`, the only way to change it: so it is never stale.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pleach_spatial::{Aabb, TriangleTree};

use super::Geometry;
use super::joint_bounds::{JointBounds, used_joints};
use crate::assets::morph_target::{bounds_of_sum, offset_bounds};
use crate::{Asset, AssetKind, Handle};

/// What a [`Handle<Geometry>`](Handle) remembers. Asked through the methods of the handle.
#[derive(Debug, Default)]
pub struct GeometryDerived {
    bounds: OnceLock<Aabb>,
    /// By morph target: the box of what it adds to the positions.
    offsets: OnceLock<Box<[Aabb]>>,
    tree: OnceLock<TriangleTree>,
    joint_bounds: OnceLock<Box<JointBoundsCache>>,
}

/// Boxes of what joints move, of a geometry that is skinned.
#[derive(Debug)]
struct JointBoundsCache {
    /// One more than the greatest joint that moves a vertex.
    used_joints: usize,
    /// By how many joints there are, if there are not as many as are used: most often one.
    by_count: Mutex<Vec<(usize, Arc<JointBounds>)>>,
}

impl Asset for Geometry {
    const KIND: AssetKind = AssetKind::Geometry;
    type Derived = GeometryDerived;
}

/// What is worked out once, by the first who asks; threads that ask meanwhile wait.
impl Handle<Geometry> {
    /// As [`Geometry::bounds`], remembered.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        *self.derived().bounds.get_or_init(|| Geometry::bounds(self))
    }

    /// As [`Geometry::morphed_bounds`], with the boxes of the targets remembered: O(targets).
    #[must_use]
    pub fn morphed_bounds(&self, weights: &[f32]) -> Aabb {
        if weights.is_empty() {
            return self.bounds();
        }
        let offsets = self.derived().offsets.get_or_init(|| offset_bounds(self));
        bounds_of_sum(self.bounds(), offsets, weights)
    }

    /// The boxes of what each of so many joints moves, worked out once: joints that move
    /// nothing may be left out at the end.
    pub(crate) fn joint_bounds(&self, joints: usize) -> Arc<JointBounds> {
        let cache = self.derived().joint_bounds.get_or_init(|| {
            Box::new(JointBoundsCache {
                used_joints: used_joints(self),
                by_count: Mutex::default(),
            })
        });
        // More joints than are used change nothing.
        let count = joints.min(cache.used_joints);
        // Nothing in here is left half done by a panic.
        let mut by_count = cache.by_count.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bounds)) = by_count.iter().find(|&&(joints, _)| joints == count) {
            return Arc::clone(bounds);
        }
        let new = Arc::new(JointBounds::from_geometry(self, count));
        by_count.push((count, Arc::clone(&new)));
        new
    }

    /// The triangles in a tree, for picking; numbered as [`Geometry::triangles`] numbers them.
    ///
    /// ```
    /// use pleach::Assets;
    /// use pleach::glam::{Vec2, Vec3};
    /// use pleach::shapes::Plane;
    /// use pleach_spatial::Ray;
    ///
    /// let floor = Assets::new().add(Plane::new(Vec2::splat(4.0)).build()?);
    /// let down = Ray::new(Vec3::new(1.0, 0.5, 3.0), Vec3::NEG_Z)?;
    /// let (_triangle, hit) = floor.tree().nearest(&down).unwrap();
    /// assert_eq!(hit.distance, 3.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn tree(&self) -> &TriangleTree {
        self.derived().tree.get_or_init(|| self.build_tree())
    }

    /// Is the tree there already?
    #[must_use]
    pub fn has_tree(&self) -> bool {
        self.derived().tree.get().is_some()
    }
}

impl Geometry {
    /// The triangles in a tree, for picking. O(n log n);
    /// [a handle](Handle#method.tree) remembers it.
    ///
    /// No ray meets a triangle with an index out of range, without area, or with a position
    /// that is not finite. Points and lines have no triangles: the tree is empty. So it is
    /// past 2^31 - 2 triangles.
    #[must_use]
    pub fn build_tree(&self) -> TriangleTree {
        let positions = self.positions.len();
        if positions == 0 {
            return TriangleTree::default();
        }
        let exists = |&vertex: &u32| (vertex as usize) < positions;
        // A triangle that does not exist keeps its number, as one without area.
        let existing = |vertices: [u32; 3]| match vertices.iter().all(exists) {
            true => vertices,
            false => [0; 3],
        };
        let indices: Vec<u32> = self.triangles().flat_map(existing).collect();
        TriangleTree::build(&self.positions, &indices).unwrap_or_default()
    }
}
