//! Data derived from a geometry on first use and cached with its version: the bounds, those of the
//! morph targets and of the joints, and the triangle tree for picking.
//!
//! The cache is stored next to the geometry, behind the handle. An edit of the geometry is another
//! version with an empty cache: so it is never stale.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pleach_spatial::{Aabb, TriangleTree};

use super::joint_bounds::{JointBounds, used_joints};
use super::material_groups::MaterialGroups;
use super::{Geometry, Influences};
use crate::assets::morph_target::{bounds_of_sum, offset_bounds};
use crate::content::Content;
use crate::{Asset, AssetKind, AssetRef, AssetVersion, MorphTarget};

/// The data that a version of a geometry caches. Accessed through methods of
/// [`AssetVersion<Geometry>`](AssetVersion#impl-AssetVersion<Geometry>).
#[derive(Debug, Default)]
pub struct GeometryDerived {
    bounds: OnceLock<Aabb>,
    /// By morph target: the bounds of its offsets.
    offsets: OnceLock<Box<[Aabb]>>,
    tree: OnceLock<TriangleTree>,
    joint_bounds: OnceLock<Box<JointBoundsCache>>,
    material_groups: OnceLock<Option<Box<MaterialGroups>>>,
}

/// The bounds of what each joint of a skinned geometry moves.
#[derive(Debug)]
struct JointBoundsCache {
    /// One more than the maximum index of a joint that moves a vertex.
    used_joints: usize,
    /// By number of joints, which is at most `used_joints`: usually a single entry.
    by_count: Mutex<Vec<(usize, Arc<JointBounds>)>>,
}

impl Asset for Geometry {
    const KIND: AssetKind = AssetKind::Geometry;
    type Derived = GeometryDerived;

    /// Counts vertex data that is shared with other geometries, too.
    fn byte_size(&self) -> usize {
        let Self { positions, normals, tangents, uvs, colors, influences, .. } = self;
        let morph_target = |target: &MorphTarget| {
            size_of_val(&target.positions[..])
                + size_of_val(&target.normals[..])
                + size_of_val(&target.tangents[..])
        };
        let influences =
            influences.iter().map(|it| size_of_val(&it.joints[..]) + size_of_val(&it.weights[..]));
        size_of::<Self>()
            + size_of_val(&positions[..])
            + size_of_val(&normals[..])
            + size_of_val(&tangents[..])
            + uvs.iter().map(|uvs| size_of_val(&uvs[..])).sum::<usize>()
            + colors.iter().map(|colors| size_of_val(&colors[..])).sum::<usize>()
            + influences.sum::<usize>()
            + self.indices.as_ref().map_or(0, |indices| size_of_val(&indices[..]))
            + self.morph_targets.iter().map(morph_target).sum::<usize>()
            + size_of_val(&self.face_materials[..])
            + size_of_val(&self.vertex_materials[..])
    }

    fn write_content(&self, content: &mut Content) -> bool {
        let Self { topology, positions, normals, tangents, uvs, colors, influences, .. } = self;
        let Self { indices, morph_targets, face_materials, vertex_materials, .. } = self;
        topology.hash(content);
        content.write_rows(positions);
        content.write_rows(normals);
        content.write_rows(tangents);
        content.write_usize(uvs.len());
        uvs.iter().for_each(|uvs| content.write_rows(uvs));
        content.write_usize(colors.len());
        colors.iter().for_each(|colors| content.write_rows(colors));
        content.write_usize(influences.len());
        for Influences { joints, weights } in influences {
            joints[..].hash(content);
            content.write_numbers(weights.as_flattened());
        }
        (indices, face_materials, vertex_materials).hash(content);
        content.write_usize(morph_targets.len());
        for MorphTarget { name, positions, normals, tangents } in morph_targets {
            name.hash(content);
            content.write_rows(positions);
            content.write_rows(normals);
            content.write_rows(tangents);
        }
        true
    }
}

/// Derived data is computed once, by the first caller; other threads wait meanwhile.
impl AssetVersion<Geometry> {
    /// Returns [`Geometry::bounds`], cached.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        *self.derived().bounds.get_or_init(|| self.value().bounds())
    }

    /// Returns [`Geometry::morphed_bounds`], with the bounds of the targets cached: O(targets).
    #[must_use]
    pub fn morphed_bounds(&self, weights: &[f32]) -> Aabb {
        if weights.is_empty() {
            return self.bounds();
        }
        let offsets = self.derived().offsets.get_or_init(|| offset_bounds(self));
        bounds_of_sum(self.bounds(), offsets, weights)
    }

    /// Returns the bounds of what each of the first `joints` joints moves, cached. Trailing joints
    /// that move no vertex may be missing.
    pub(crate) fn joint_bounds(&self, joints: usize) -> Arc<JointBounds> {
        let new =
            || JointBoundsCache { used_joints: used_joints(self), by_count: Mutex::default() };
        let cache = self.derived().joint_bounds.get_or_init(|| Box::new(new()));
        // Joints beyond those in use do not change the result.
        let count = joints.min(cache.used_joints);
        // A panic cannot leave the list inconsistent.
        let mut by_count = cache.by_count.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bounds)) = by_count.iter().find(|&&(joints, _)| joints == count) {
            return Arc::clone(bounds);
        }
        let new = Arc::new(JointBounds::from_geometry(self, count));
        by_count.push((count, Arc::clone(&new)));
        new
    }

    /// Returns the triangles as a tree for picking, cached; numbered as by [`Geometry::triangles`].
    ///
    /// ```
    /// use pleach::Assets;
    /// use pleach::glam::{Vec2, Vec3};
    /// use pleach::shapes::Plane;
    /// use pleach_spatial::Ray;
    ///
    /// let floor = Assets::new().add(Plane::new(Vec2::splat(4.0)).build()?);
    /// let down = Ray::new(Vec3::new(1.0, 0.5, 3.0), Vec3::NEG_Z)?;
    /// let (_triangle, hit) = floor.get().tree().raycast(&down).unwrap();
    /// assert_eq!(hit.distance, 3.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn tree(&self) -> &TriangleTree {
        self.derived().tree.get_or_init(|| self.build_tree())
    }

    /// Returns [`Geometry::material_groups`], cached.
    #[must_use]
    pub fn material_groups(&self) -> Option<&MaterialGroups> {
        let groups = || self.value().material_groups().map(Box::new);
        self.derived().material_groups.get_or_init(groups).as_deref()
    }

    /// Returns `true` if the tree was built already.
    #[must_use]
    pub fn has_tree(&self) -> bool {
        self.derived().tree.get().is_some()
    }
}

/// A triangle tree that is borrowed, or cached by a geometry: the triangles of a
/// [`Shape`](pleach_spatial::Shape) that may be posed or not.
///
/// ```
/// use pleach::{Assets, TreeRef, glam::Vec2, shapes::Plane};
///
/// let floor = Assets::new().add(Plane::new(Vec2::ONE).build()?);
/// let posed = floor.get().build_tree();
/// let trees = [TreeRef::Borrowed(&posed), TreeRef::Asset(floor.get())];
/// assert_eq!(trees[0].len(), trees[1].len());
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Debug)]
pub enum TreeRef<'a> {
    /// A tree of posed triangles, for example.
    Borrowed(&'a TriangleTree),
    /// The [cached tree](AssetVersion#method.tree) of a geometry.
    Asset(AssetRef<Geometry>),
}

impl Deref for TreeRef<'_> {
    type Target = TriangleTree;

    fn deref(&self) -> &TriangleTree {
        match self {
            Self::Borrowed(tree) => tree,
            Self::Asset(geometry) => geometry.tree(),
        }
    }
}

impl Geometry {
    /// Builds a tree of the triangles for picking. O(n log n);
    /// [a version](AssetVersion#method.tree) of an asset caches it.
    ///
    /// No ray hits a triangle with an index out of range, without area, or with a position that is
    /// not finite. The tree is empty for points and lines, and for more than 2^31 - 2 triangles.
    #[must_use]
    pub fn build_tree(&self) -> TriangleTree {
        self.build_posed_tree(&self.positions)
    }
}
