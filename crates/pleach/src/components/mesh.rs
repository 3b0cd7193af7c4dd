//! `Mesh`: the geometry and materials that a node is drawn with, once or as instances.

use std::sync::Arc;

use pleach_spatial::Instances;

use crate::assets::{JointBounds, TRANSPARENT};
use crate::{Geometry, Handle, Material};

/// The geometry and materials of a node. Parts correspond to glTF's primitives: one for each
/// material.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Geometries with their materials; at least one.
    pub parts: Vec<Part>,
    /// The materials that [`Geometry::face_materials`] indexes; empty if each part has a single
    /// material.
    pub materials: Vec<Handle<Material>>,
    /// `true` if it casts shadows.
    pub cast_shadow: bool,
    /// `true` if it receives shadows.
    pub receive_shadow: bool,
    /// `true` if it is drawn with the transparent meshes, back to front; `None` to use the alpha mode
    /// of the material.
    pub transparent: Option<bool>,
    /// A hint that the mesh never moves:
    /// [`RenderList::static_version`](crate::RenderList::static_version) changes only if draws of
    /// static meshes do.
    pub is_static: bool,
    /// `true` if it is culled by frusta.
    pub frustum_culled: bool,
    /// The layers it is on, as bits.
    pub layers: u32,
    /// Instances, each with a matrix relative to the node: culled and picked one by one.
    pub instances: Option<Box<Instances>>,
}

/// One geometry with one material.
#[derive(Clone, Debug)]
pub struct Part {
    /// The geometry.
    pub geometry: Handle<Geometry>,
    /// The material.
    pub material: Handle<Material>,
}

impl Mesh {
    /// Creates a mesh of one part.
    #[must_use]
    pub fn new(geometry: Handle<Geometry>, material: Handle<Material>) -> Self {
        Self::from_parts(vec![Part { geometry, material }])
    }

    /// Creates a mesh of several parts.
    #[must_use]
    pub fn from_parts(parts: Vec<Part>) -> Self {
        Self {
            parts,
            materials: Vec::new(),
            cast_shadow: true,
            receive_shadow: true,
            transparent: None,
            is_static: false,
            frustum_culled: true,
            layers: pleach_spatial::DEFAULT_LAYERS,
            instances: None,
        }
    }

    /// Returns the bounds of the vertices that each of the first `joints` joints moves, in all
    /// parts. Influences of other joints are ignored.
    pub(crate) fn joint_bounds(&self, joints: usize) -> Arc<JointBounds> {
        if let [part] = &self.parts[..] {
            return part.geometry.get().joint_bounds(joints);
        }
        let targets = self.parts.iter().map(|part| part.geometry.get().morph_targets.len()).max();
        let mut bounds = JointBounds::empty(joints, targets.unwrap_or(0));
        for part in &self.parts {
            bounds.merge(&part.geometry.get().joint_bounds(joints));
        }
        Arc::new(bounds)
    }

    /// Returns `true` if `part` is drawn with the transparent meshes.
    #[must_use]
    pub fn is_transparent(&self, part: usize) -> bool {
        let material = self.parts.get(part).map(|part| part.material.flags() & TRANSPARENT != 0);
        self.transparent.or(material).unwrap_or(false)
    }
}
