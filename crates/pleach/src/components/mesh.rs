//! `Mesh`: the geometry and materials that a node is drawn with, once or as instances.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pleach_graph::NodeId;
use pleach_spatial::Instances;

use crate::assets::JointBounds;
use crate::content::Content;
use crate::{Assets, Component, Error, Geometry, Handle, Material, Scene, SceneProblemKind};

/// The geometry and materials of a node. Parts correspond to glTF's primitives: one for each
/// material.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Geometries with their materials; at least one.
    pub parts: Vec<Part>,
    /// The materials that [`Geometry::face_materials`] or [`Geometry::vertex_materials`] select from;
    /// empty if each part has a single material. A part whose geometry selects none has the first.
    /// An index out of range selects the part's own material; [`Scene::check`](crate::Scene::check)
    /// reports it.
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

impl Component for Mesh {
    const NAME: &'static str = "mesh";

    fn write_content(&self, content: &mut Content) -> bool {
        let Self { parts, materials, cast_shadow, receive_shadow, transparent, .. } = self;
        let Self { is_static, frustum_culled, layers, instances, .. } = self;
        content.write_usize(parts.len());
        for Part { geometry, material } in parts {
            content.write_asset(geometry);
            content.write_asset(material);
        }
        content.write_usize(materials.len());
        materials.iter().for_each(|material| content.write_asset(material));
        (cast_shadow, receive_shadow, transparent, is_static).hash(content);
        (frustum_culled, layers).hash(content);
        content.write_option(instances.as_deref(), |content, instances| {
            content.write_rows(instances.matrices());
        });
        true
    }

    #[inline]
    fn include_assets(&self, assets: &Assets) {
        for Part { geometry, material } in &self.parts {
            assets.include(geometry);
            assets.include(material);
        }
        for material in &self.materials {
            assets.include(material);
        }
    }

    fn check(&self, _: &Scene, _: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        if self.parts.is_empty() {
            report(SceneProblemKind::NoParts);
        }
        for (part, it) in self.parts.iter().enumerate() {
            let geometry = it.geometry.get();
            if let Err(Error::Geometry(error)) = geometry.check() {
                report(SceneProblemKind::Geometry { part, error });
            }
            let (used, materials) = (geometry.material_count(), self.materials.len());
            if used > materials && geometry.has_material_indices() {
                report(SceneProblemKind::FaceMaterial { part, material: used - 1, materials });
            }
        }
    }

    fn byte_size(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.parts[..])
            + size_of_val(&self.materials[..])
            + self.instances.as_ref().map_or(0, |instances| instances.byte_size())
    }
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

    /// Returns the material of a part for an index of [`Geometry::face_material`]; `None` if there is
    /// no such part. See [`materials`](Self::materials) for indices out of range.
    ///
    /// ```
    /// use pleach::{Assets, Geometry, Material, Mesh};
    ///
    /// let assets = Assets::new();
    /// let [own, first, second] = [(); 3].map(|()| assets.add(Material::default()));
    /// let mut mesh = Mesh::new(assets.add(Geometry::default()), own.clone());
    /// assert_eq!(mesh.material(0, 0), Some(&own));
    /// mesh.materials = vec![first, second.clone()];
    /// assert_eq!(mesh.material(0, 1), Some(&second));
    /// assert_eq!(mesh.material(0, 9), Some(&own));
    /// ```
    #[must_use]
    pub fn material(&self, part: usize, index: u32) -> Option<&Handle<Material>> {
        let own = &self.parts.get(part)?.material;
        Some(self.materials.get(index as usize).unwrap_or(own))
    }

    /// Returns `true` if the triangles of `part` that have the material `index` are drawn with the
    /// transparent meshes.
    #[must_use]
    pub fn is_transparent(&self, part: usize, index: u32) -> bool {
        let material = || self.material(part, index).is_some_and(Handle::is_transparent);
        self.transparent.unwrap_or_else(material)
    }
}
