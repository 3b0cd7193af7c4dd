//! `Mesh`: what a node shows: geometry, in some material, once or many times.

use std::sync::Arc;

use pleach_spatial::Instances;

use crate::assets::JointBounds;
use crate::{Geometry, Handle, Material};

/// What a node shows. Several parts if the geometry has several materials, as glTF's
/// primitives are.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Geometry and its material; at least one.
    pub parts: Vec<Part>,
    /// Materials that [`Geometry::face_materials`] chooses from, face by face; empty if
    /// each part has one.
    pub materials: Vec<Handle<Material>>,
    /// Does it throw shadows?
    pub cast_shadow: bool,
    /// Do shadows fall on it?
    pub receive_shadow: bool,
    /// Drawn with the transparent ones, back to front? `None`: as the material says.
    pub transparent: Option<bool>,
    /// A hint that it never moves: static meshes have a list of their own, which a renderer
    /// may keep.
    pub is_static: bool,
    /// May frusta cull it?
    pub frustum_culled: bool,
    /// The layers it is on (bits).
    pub layers: u32,
    /// Copies, each with a matrix below the node's: culled and picked one by one.
    pub instances: Option<Box<Instances>>,
}

/// One geometry in one material.
#[derive(Clone, Debug)]
pub struct Part {
    /// The geometry.
    pub geometry: Handle<Geometry>,
    /// Its material.
    pub material: Handle<Material>,
}

impl Mesh {
    /// A mesh of one part.
    #[must_use]
    pub fn new(geometry: Handle<Geometry>, material: Handle<Material>) -> Self {
        Self::from_parts(vec![Part { geometry, material }])
    }

    /// A mesh of several parts.
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

    /// Returns the bounds of what each of the first `joints` joints moves, of all parts. Parts
    /// that refer to other joints are bounded without them.
    pub(crate) fn joint_bounds(&self, joints: usize) -> Arc<JointBounds> {
        if let [part] = &self.parts[..] {
            return part.geometry.joint_bounds(joints);
        }
        let targets = self.parts.iter().map(|part| part.geometry.morph_targets.len()).max();
        let mut bounds = JointBounds::empty(joints, targets.unwrap_or(0));
        for part in &self.parts {
            bounds.merge(&part.geometry.joint_bounds(joints));
        }
        Arc::new(bounds)
    }

    /// Is a part drawn with the transparent ones?
    #[must_use]
    pub fn is_transparent(&self, part: usize) -> bool {
        let material = self.parts.get(part).map(|part| part.material.is_transparent());
        self.transparent.or(material).unwrap_or(false)
    }
}
