//! Meshes: decodes primitives to geometries. Equal primitives share one geometry.

use std::collections::HashMap;

use glam::{Vec2, Vec3, Vec4};
use pleach::{Attribute, Error as SceneError, Geometry, GeometryError, Influences};
use pleach::{Handle, MorphTarget, Part, Topology, VertexData};

use super::attribute_cache::AttributeCache;
use crate::diagnostics::{Pointer, Result};
use crate::json::{Attributes, Mesh, Primitive, Text, UInt, check_index};
use crate::load::data::accessor::{Accessor, Component};
use crate::load::data::draco::DecodedPrimitive;
use crate::load::{Data, Load, tolerate_at};
use crate::{Error, ErrorKind, Stage, WarningCode};

/// The tolerance for the sum of joint weights, for weights that are rounded to bytes.
const WEIGHT_SLACK: f32 = 0.02;

/// Geometries by the members of their primitives.
type GeometryCache<'a> = HashMap<
    (&'a Attributes<'a>, Option<UInt>, Option<UInt>, &'a [Attributes<'a>]),
    Handle<Geometry>,
>;

/// Loads the parts of all meshes.
pub(crate) fn meshes(
    load: &mut Load<'_>,
    data: &Data<'_>,
    materials: &[Handle<pleach::Material>],
    default_material: &Handle<pleach::Material>,
) -> Result<Vec<Vec<Part>>> {
    let root = load.root;
    let total = root.meshes.iter().map(|mesh| mesh.primitives.len()).sum();
    let mut geometries = GeometryCache::new();
    let cache = AttributeCache::of(root);
    let mut loader = MeshLoader { load, data, cache };
    let mut meshes = Vec::with_capacity(root.meshes.len());
    let mut done = 0;
    for (index, mesh) in root.meshes.iter().enumerate() {
        let at = Pointer::entry("meshes", index);
        if mesh.primitives.is_empty() {
            let message = "the mesh has no primitives; nothing is shown";
            loader.load.tolerate(&at.key("primitives"), WarningCode::EmptyMesh, message)?;
        }
        loader.load.budget.take(&at, mesh.primitives.len(), size_of::<Part>())?;
        let mut parts = Vec::with_capacity(mesh.primitives.len());
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let at = at.item("primitives", number);
            loader.load.progress(Stage::Geometry, done, total)?;
            done += 1;
            let names = mesh.extras.as_ref().map_or(&[][..], |extras| &extras.target_names);
            let key =
                (&primitive.attributes, primitive.indices, primitive.mode, &*primitive.targets);
            // Primitives with named targets or extensions are too rare to be cached.
            let is_cacheable = names.is_empty() && primitive.extensions.is_none();
            let geometry = match geometries.get(&key).filter(|_| is_cacheable) {
                Some(geometry) => geometry.clone(),
                None => {
                    let geometry = loader.geometry(primitive, names, &at)?;
                    let geometry = loader.load.assets.add(geometry);
                    if is_cacheable {
                        geometries.insert(key, geometry.clone());
                    }
                    geometry
                }
            };
            let material = match primitive.material {
                Some(index) => {
                    let at = at.key("material");
                    materials[check_index(index, materials.len(), "material", &at)?].clone()
                }
                None => default_material.clone(),
            };
            parts.push(Part { geometry, material });
        }
        check_targets(loader.load, mesh, &parts, &at)?;
        meshes.push(parts);
    }
    Ok(meshes)
}

/// Warns if the numbers of morph targets or weights differ.
fn check_targets(
    load: &mut Load<'_>,
    mesh: &Mesh<'_>,
    parts: &[Part],
    at: &Pointer<'_>,
) -> Result<()> {
    let targets = morph_target_count(parts);
    if parts.iter().any(|part| part.geometry.get().morph_targets.len() != targets) {
        let message = "its primitives do not have the same number of morph targets";
        load.tolerate(&at.key("primitives"), WarningCode::MorphTargetCount, message)?;
    }
    let weights = mesh.weights.as_ref().map_or(targets, Vec::len);
    if weights != targets {
        let message = format!("{weights} weights for {targets} morph targets");
        load.tolerate(&at.key("weights"), WarningCode::MorphWeightCount, message)?;
    }
    Ok(())
}

/// Returns the number of morph targets of a mesh.
pub(crate) fn morph_target_count(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.geometry.get().morph_targets.len()).max().unwrap_or(0)
}

/// Returns the topology of a primitive mode, or `None` if it is invalid.
pub(crate) fn topology(code: Option<UInt>) -> Option<Topology> {
    Some(match code.map_or(4, |code| code.get()) {
        0 => Topology::Points,
        1 => Topology::Lines,
        2 => Topology::LineLoop,
        3 => Topology::LineStrip,
        4 => Topology::Triangles,
        5 => Topology::TriangleStrip,
        6 => Topology::TriangleFan,
        _ => return None,
    })
}

/// Decodes the primitives of all meshes.
struct MeshLoader<'l, 'a> {
    load: &'l mut Load<'a>,
    data: &'l Data<'l>,
    cache: AttributeCache,
}

impl MeshLoader<'_, '_> {
    /// Decodes the vertices of a primitive.
    fn geometry(
        &mut self,
        primitive: &Primitive<'_>,
        target_names: &[Text<'_>],
        at: &Pointer<'_>,
    ) -> Result<Geometry> {
        let Some(topology) = topology(primitive.mode) else {
            let message = format!(
                "{} is not a primitive mode (0 to 6)",
                primitive.mode.unwrap_or_default().get()
            );
            return Err(Error::value(&at.key("mode"), message));
        };
        let mut geometry = Geometry { topology, ..Geometry::default() };
        let attributes_at = at.key("attributes");
        let decoded = DecodedPrimitive::of(self.load, self.data, primitive, at)?;
        for (name, index) in &primitive.attributes.0 {
            let at = attributes_at.key(name);
            let accessor = decoded.accessor(self.data, name, *index, &at)?;
            // The data of a stream belongs to its primitive only.
            let key = self.cache.cache_key(*index).filter(|_| decoded.indices.is_none());
            self.attribute(&mut geometry, name, &accessor, key, &at)?;
        }
        if let Some(indices) = decoded.indices {
            geometry.indices = Some(indices);
            // Streams always contain triangles.
            geometry.topology = Topology::Triangles;
        } else if let Some(index) = primitive.indices {
            let at = at.key("indices");
            let accessor = self.data.accessor(index, &at)?;
            self.load.check_no_stride(accessor, &at)?;
            geometry.indices =
                Some(accessor.read_uints(&at, &mut self.load.budget, |[index]| index)?);
        }
        for (number, target) in primitive.targets.iter().enumerate() {
            let at = at.item("targets", number);
            let name = target_names.get(number).map(|name| name.to_string());
            self.load.budget.take(&at, name.as_ref().map_or(0, String::len), 1)?;
            geometry.morph_targets.push(self.morph_target(target, name, &at)?);
        }
        if primitive.attributes.get("POSITION").is_none() {
            let message = "the primitive has no POSITION; nothing is shown";
            self.load.tolerate(&attributes_at, WarningCode::MissingPositions, message)?;
            return Ok(Geometry { topology, ..Geometry::default() });
        }
        fill_missing_sets(self.load, &mut geometry, &attributes_at)?;
        let is_posed = !geometry.influences.is_empty() || !geometry.morph_targets.is_empty();
        let uses_all = is_posed || geometry.indices.is_none();
        if uses_all && geometry.positions.shared_id().is_some() {
            // Posed vertices and ray-cast trees are per geometry, even if the vertex data is
            // shared.
            self.load.budget.take(at, geometry.memory(), 1)?;
        }
        if let Err(SceneError::Geometry(GeometryError::NotFinite { attribute, at: vertex, .. })) =
            geometry.check()
            && is_replaceable(attribute)
        {
            let message = format!(
                "the value of vertex {vertex} is not finite; such values are replaced by a default"
            );
            let path = attribute_path(attribute);
            let steps: Vec<&str> = path.split('/').skip(1).collect();
            let code = WarningCode::NotFiniteAttribute;
            tolerate_at(at, &steps, &mut self.load.tolerance, code, message)?;
            replace_not_finite(&mut geometry);
        }
        if let Err(SceneError::Geometry(error)) = geometry.check() {
            return Err(geometry_error(&error, at));
        }
        check_weights(self.load, &geometry, &attributes_at)?;
        Ok(geometry)
    }

    fn attribute(
        &mut self,
        geometry: &mut Geometry,
        name: &str,
        accessor: &Accessor<'_>,
        key: Option<UInt>,
        at: &Pointer<'_>,
    ) -> Result<()> {
        let budget = &mut self.load.budget;
        let (kind, set) = match name.rsplit_once('_') {
            Some((kind, set)) if !name.starts_with('_') => (kind, set.parse::<usize>().ok()),
            _ => (name, None),
        };
        // More sets than any file needs. Missing sets before it become empty lists.
        const SETS: usize = 64;
        if let Some(set) = set.filter(|&set| set >= SETS) {
            let message = format!("set {set} is ignored; only the first {SETS} are loaded");
            self.load.tolerance.warn(at, WarningCode::AttributeSetLimit, message);
            return Ok(());
        }
        match (kind, set) {
            ("POSITION", None) => {
                geometry.positions = self.cache.vec3s.get(key, || accessor.vec3s(at, budget))?;
            }
            ("NORMAL", None) => {
                geometry.normals = self.cache.vec3s.get(key, || accessor.vec3s(at, budget))?;
            }
            ("TANGENT", None) => {
                geometry.tangents = self.cache.tangents.get(key, || accessor.vec4s(at, budget))?;
            }
            ("TEXCOORD", Some(set)) => {
                let uvs = self.cache.uvs.get(key, || accessor.vec2s(at, budget))?;
                *set_entry(&mut geometry.uvs, set) = uvs;
            }
            ("COLOR", Some(set)) => {
                let opaque = |[r, g, b]: [f32; 3]| Vec4::new(r, g, b, 1.0);
                let colors = self.cache.colors.get(key, || match accessor.components {
                    3 => accessor.read(at, budget, opaque),
                    _ => accessor.vec4s(at, budget),
                })?;
                *set_entry(&mut geometry.colors, set) = colors;
            }
            ("JOINTS", Some(set)) => {
                if accessor.component == Component::U32 {
                    let message = "joints have 32 bits; glTF allows 8 and 16";
                    return Err(Error::value(at, message));
                }
                let joints = self.cache.joints.get(key, || {
                    accessor.read_uints(at, budget, |joints: [u32; 4]| joints.map(|it| it as u16))
                })?;
                set_entry(&mut geometry.influences, set).joints = joints;
            }
            ("WEIGHTS", Some(set)) => {
                let weights = self.cache.weights.get(key, || accessor.read(at, budget, |it| it))?;
                set_entry(&mut geometry.influences, set).weights = weights;
            }
            // Other attributes are not part of a geometry; they stay in the file.
            _ => {}
        }
        Ok(())
    }

    fn morph_target(
        &mut self,
        attributes: &Attributes<'_>,
        name: Option<String>,
        at: &Pointer<'_>,
    ) -> Result<MorphTarget> {
        let mut target = MorphTarget { name, ..MorphTarget::default() };
        for (name, index) in &attributes.0 {
            let at = at.key(name);
            let accessor = self.data.accessor(*index, &at)?;
            let key = self.cache.cache_key(*index);
            let data = match &**name {
                "POSITION" => &mut target.positions,
                "NORMAL" => &mut target.normals,
                "TANGENT" => &mut target.tangents,
                _ => continue,
            };
            *data = self.cache.vec3s.get(key, || accessor.vec3s(&at, &mut self.load.budget))?;
        }
        Ok(target)
    }
}

/// Returns the entry of a set, adding empty sets up to it if necessary.
fn set_entry<T: Default>(sets: &mut Vec<T>, set: usize) -> &mut T {
    if sets.len() <= set {
        sets.resize_with(set + 1, T::default);
    }
    &mut sets[set]
}

/// Fills missing attribute sets before existing ones with defaults, with a warning.
fn fill_missing_sets(load: &mut Load<'_>, geometry: &mut Geometry, at: &Pointer<'_>) -> Result<()> {
    let vertices = geometry.positions.len();
    let mut gap = |is_missing: bool, name: &str, set: usize, size: usize| {
        if is_missing && vertices > 0 {
            let message = format!("{name}_{set} is missing although later sets exist");
            load.tolerate(at, WarningCode::MissingAttributeSet, message)?;
            load.budget.take(at, vertices, size)?;
        }
        Ok::<_, Error>(is_missing)
    };
    for (set, uvs) in geometry.uvs.iter_mut().enumerate() {
        if gap(uvs.is_empty(), "TEXCOORD", set, 8)? {
            *uvs = vec![Vec2::ZERO; vertices].into();
        }
    }
    for (set, colors) in geometry.colors.iter_mut().enumerate() {
        if gap(colors.is_empty(), "COLOR", set, 16)? {
            *colors = vec![Vec4::ONE; vertices].into();
        }
    }
    for (set, influences) in geometry.influences.iter_mut().enumerate() {
        let is_missing = influences.joints.is_empty() && influences.weights.is_empty();
        if gap(is_missing, "JOINTS", set, 24)? {
            let (joints, weights) = (vec![[0; 4]; vertices], vec![[0.0; 4]; vertices]);
            *influences = Influences { joints: joints.into(), weights: weights.into() };
        }
    }
    Ok(())
}

/// Returns `true` for attributes that affect how a vertex looks, not where it is.
fn is_replaceable(attribute: Attribute) -> bool {
    matches!(
        attribute,
        Attribute::Normals
            | Attribute::Tangents
            | Attribute::Uvs(_)
            | Attribute::Colors(_)
            | Attribute::Weights(_)
            | Attribute::MorphPositions(_)
            | Attribute::MorphNormals(_)
            | Attribute::MorphTangents(_)
    )
}

/// Replaces numbers that are not finite in attributes for which that is possible.
fn replace_not_finite(geometry: &mut Geometry) {
    fn replace<T: Clone>(values: &mut VertexData<T>, is_finite: impl Fn(&T) -> bool, value: &T) {
        // Only then, because editing shared values copies them.
        if !values.iter().all(&is_finite) {
            for it in values.iter_mut().filter(|it| !is_finite(it)) {
                it.clone_from(value);
            }
        }
    }
    replace(&mut geometry.normals, |it| it.is_finite(), &Vec3::Z);
    replace(&mut geometry.tangents, |it| it.is_finite(), &Vec4::new(1.0, 0.0, 0.0, 1.0));
    for uvs in &mut geometry.uvs {
        replace(uvs, |it| it.is_finite(), &Vec2::ZERO);
    }
    for colors in &mut geometry.colors {
        replace(colors, |it| it.is_finite(), &Vec4::ONE);
    }
    for set in &mut geometry.influences {
        let is_finite = |it: &[f32; 4]| it.iter().all(|weight| weight.is_finite());
        if !set.weights.iter().all(is_finite) {
            for weight in set.weights.iter_mut().flatten().filter(|it| !it.is_finite()) {
                *weight = 0.0;
            }
        }
    }
    for target in &mut geometry.morph_targets {
        for offsets in [&mut target.positions, &mut target.normals, &mut target.tangents] {
            replace(offsets, |it| it.is_finite(), &Vec3::ZERO);
        }
    }
}

/// Converts an error of a geometry to one with the location in the file.
fn geometry_error(error: &GeometryError, at: &Pointer<'_>) -> Error {
    let attribute = match error {
        GeometryError::Count { attribute, .. }
        | GeometryError::NotFinite { attribute, .. }
        | GeometryError::Negative { attribute, .. } => Some(*attribute),
        _ => None,
    };
    let pointer = match (error, attribute) {
        (GeometryError::Index { .. }, _) => format!("{at}/indices"),
        (_, Some(attribute)) => format!("{at}{}", attribute_path(attribute)),
        _ => at.to_string(),
    };
    let kind = match error {
        GeometryError::NotFinite { .. } | GeometryError::Negative { .. } => ErrorKind::Value,
        _ => ErrorKind::Data,
    };
    Error::at_pointer(kind, pointer, error.to_string())
}

fn attribute_path(attribute: Attribute) -> String {
    match attribute {
        Attribute::Positions => "/attributes/POSITION".into(),
        Attribute::Normals => "/attributes/NORMAL".into(),
        Attribute::Tangents => "/attributes/TANGENT".into(),
        Attribute::Uvs(set) => format!("/attributes/TEXCOORD_{set}"),
        Attribute::Colors(set) => format!("/attributes/COLOR_{set}"),
        Attribute::Joints(set) => format!("/attributes/JOINTS_{set}"),
        Attribute::Weights(set) => format!("/attributes/WEIGHTS_{set}"),
        Attribute::MorphPositions(target) => format!("/targets/{target}/POSITION"),
        Attribute::MorphNormals(target) => format!("/targets/{target}/NORMAL"),
        Attribute::MorphTangents(target) => format!("/targets/{target}/TANGENT"),
        _ => "/attributes".into(),
    }
}

/// Warns if the joint weights of a vertex do not sum to 1.
fn check_weights(load: &mut Load<'_>, geometry: &Geometry, at: &Pointer<'_>) -> Result<()> {
    if geometry.influences.is_empty() {
        return Ok(());
    }
    let weights = |set: &Influences, vertex: usize| -> f32 {
        set.weights.get(vertex).map_or(0.0, |weights| weights.iter().sum())
    };
    for vertex in 0..geometry.positions.len() {
        let sum: f32 = geometry.influences.iter().map(|set| weights(set, vertex)).sum();
        if (sum - 1.0).abs() > WEIGHT_SLACK {
            let message =
                format!("the weights of vertex {vertex} sum to {sum}, not 1; they are normalized");
            return load.tolerate(&at.key("WEIGHTS_0"), WarningCode::WeightSum, message);
        }
    }
    Ok(())
}
