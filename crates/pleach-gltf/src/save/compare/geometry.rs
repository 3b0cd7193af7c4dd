//! Geometries: only attributes that differ get new accessors.

use std::collections::HashMap;

use glam::{Vec2, Vec3, Vec4};
use pleach::{AssetId, Geometry, MorphTarget, Topology};

use super::super::output::accessor::Target;
use super::super::output::array_edit::ArrayEdit;
use super::super::output::json_edit::{JsonEdit, quoted};
use super::super::output::output_document::OutputDocument;
use crate::WarningCode;
use crate::diagnostics::Pointer;
use crate::json::{Primitive, UInt};
use crate::save::{SaveContext, SaveInput};

/// The accessors of the attributes that are in the file or were written by this save.
#[derive(Debug, Default)]
pub(crate) struct AttributeCache {
    /// By geometry, its version, and attribute name.
    accessors: HashMap<(AssetId, u64, String), usize>,
    /// By the storage that several geometries share.
    shared: HashMap<SharedDataKey, usize>,
    is_read: bool,
}

/// The id of shared vertex data, and whether its accessor has `min` and `max`.
type SharedDataKey = (usize, bool);

/// Returns the key of the shared vertex data of an attribute, or of an attribute of a
/// morph target (`0/NORMAL`).
fn shared_data_key(geometry: &Geometry, name: &str) -> Option<SharedDataKey> {
    if let Some((number, name)) = name.split_once('/') {
        let target = geometry.morph_targets.get(number.parse::<usize>().ok()?)?;
        return match name {
            "POSITION" => Some((target.positions.shared_id()?, true)),
            "NORMAL" => Some((target.normals.shared_id()?, false)),
            "TANGENT" => Some((target.tangents.shared_id()?, false)),
            _ => None,
        };
    }
    let id = match name.split_once('_') {
        None if name == "POSITION" => return Some((geometry.positions.shared_id()?, true)),
        None if name == "NORMAL" => geometry.normals.shared_id(),
        None if name == "TANGENT" => geometry.tangents.shared_id(),
        None => None,
        Some((kind, set)) => {
            let set: usize = set.parse().ok()?;
            match kind {
                "TEXCOORD" => geometry.uvs.get(set)?.shared_id(),
                "COLOR" => geometry.colors.get(set)?.shared_id(),
                "JOINTS" => geometry.influences.get(set)?.joints.shared_id(),
                "WEIGHTS" => geometry.influences.get(set)?.weights.shared_id(),
                _ => None,
            }
        }
    };
    Some((id?, false))
}

impl AttributeCache {
    /// Adds the accessors of the file, the first time it is called.
    pub(crate) fn read_file(&mut self, input: &SaveInput<'_>) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        let document = input.document;
        let meshes = document.meshes.iter().zip(&document.loaded.geometries);
        let parts = meshes.flat_map(|(parts, loaded)| parts.iter().zip(loaded));
        let primitives = input.root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let parts = parts.zip(primitives);
        // Attributes of a compressed primitive have no bytes in their accessors.
        for ((part, loaded), primitive) in parts.filter(|(_, it)| it.extensions.is_none()) {
            let (id, version) = (part.geometry.id(), loaded.version());
            let mut put = |name: String, accessor: UInt| {
                if let Some(key) = shared_data_key(loaded, &name) {
                    self.shared.entry(key).or_insert(accessor.index());
                }
                self.accessors.entry((id, version, name)).or_insert(accessor.index());
            };
            for (name, accessor) in &primitive.attributes.0 {
                put(name.to_string(), *accessor);
            }
            for (number, target) in primitive.targets.iter().enumerate() {
                for (name, accessor) in &target.0 {
                    put(format!("{number}/{}", &**name), *accessor);
                }
            }
            if let Some(indices) = primitive.indices {
                put("indices".into(), indices);
            }
        }
    }
}

/// A vector that is compared by its bits.
pub(super) trait Bits {
    fn bits(&self) -> [u32; 4];
}

impl Bits for Vec2 {
    fn bits(&self) -> [u32; 4] {
        [self.x.to_bits(), self.y.to_bits(), 0, 0]
    }
}

impl Bits for Vec3 {
    fn bits(&self) -> [u32; 4] {
        [self.x.to_bits(), self.y.to_bits(), self.z.to_bits(), 0]
    }
}

impl Bits for Vec4 {
    fn bits(&self) -> [u32; 4] {
        self.to_array().map(f32::to_bits)
    }
}

impl Bits for [f32; 4] {
    fn bits(&self) -> [u32; 4] {
        self.map(f32::to_bits)
    }
}

pub(super) fn is_same<T: Bits>(one: &[T], other: &[T]) -> bool {
    let is_equal = || one.iter().zip(other).all(|(a, b)| a.bits() == b.bits());
    std::ptr::eq(one, other) || (one.len() == other.len() && is_equal())
}

/// Writes one geometry into one primitive.
pub(crate) struct PrimitiveWriter<'a, 's> {
    pub(crate) output: &'a mut OutputDocument<'s>,
    pub(crate) attributes: &'a mut AttributeCache,
    pub(crate) id: AssetId,
    pub(crate) version: u64,
    /// The written geometry, whose shared data was not converted.
    pub(crate) geometry: &'a Geometry,
    pub(crate) edit: JsonEdit,
}

impl PrimitiveWriter<'_, '_> {
    /// Sets an attribute to a new accessor, or removes it if there are no values.
    fn attribute(
        &mut self,
        name: String,
        is_empty: bool,
        write: impl FnOnce(&mut OutputDocument<'_>) -> usize,
    ) {
        if is_empty {
            self.edit.remove_named(&["attributes"], name);
            return;
        }
        let index = self.accessor(name.clone(), write);
        self.edit.set_named(&["attributes"], name, index.to_string());
    }

    /// Returns the accessor of an attribute, which is written once.
    fn accessor(
        &mut self,
        name: String,
        write: impl FnOnce(&mut OutputDocument<'_>) -> usize,
    ) -> usize {
        let Self { output, attributes, geometry, id, version, .. } = self;
        let key = shared_data_key(geometry, &name);
        let name = (*id, *version, name);
        *attributes.accessors.entry(name).or_insert_with(|| match key {
            Some(key) => *attributes.shared.entry(key).or_insert_with(|| write(output)),
            None => write(output),
        })
    }

    /// Edits all attributes, indices and the mode where two geometries differ.
    pub(crate) fn edit_attributes(&mut self, was: &Geometry, now: &Geometry) {
        let vertices = now.positions.len();
        if !is_same(&was.positions, &now.positions) {
            self.attribute("POSITION".into(), now.positions.is_empty(), |output| {
                output.vec3s(&now.positions, Target::Vertices, true)
            });
        }
        if !is_same(&was.normals, &now.normals) {
            self.attribute("NORMAL".into(), now.normals.is_empty(), |output| {
                output.vec3s(&now.normals, Target::Vertices, false)
            });
        }
        if !is_same(&was.tangents, &now.tangents) {
            self.attribute("TANGENT".into(), now.tangents.is_empty(), |output| {
                output.vec4s(&now.tangents, Target::Vertices)
            });
        }
        for set in 0..was.uvs.len().max(now.uvs.len()) {
            let [a, b] = [was, now].map(|it| it.uvs.get(set).map_or(&[][..], |set| set));
            if !is_same(a, b) {
                self.attribute(format!("TEXCOORD_{set}"), b.is_empty(), |output| {
                    output.vec2s(b, Target::Vertices)
                });
            }
        }
        for set in 0..was.colors.len().max(now.colors.len()) {
            let [a, b] = [was, now].map(|it| it.colors.get(set).map_or(&[][..], |set| set));
            if !is_same(a, b) {
                self.attribute(format!("COLOR_{set}"), b.is_empty(), |output| {
                    output.vec4s(b, Target::Vertices)
                });
            }
        }
        for set in 0..was.influences.len().max(now.influences.len()) {
            let [a, b] = [was, now].map(|it| it.influences.get(set));
            let joints = |it: Option<&pleach::Influences>| {
                it.map(|it| it.joints.clone()).unwrap_or_default()
            };
            let weights = |it: Option<&pleach::Influences>| {
                it.map(|it| it.weights.clone()).unwrap_or_default()
            };
            if joints(a) != joints(b) {
                let joints = joints(b);
                self.attribute(format!("JOINTS_{set}"), joints.is_empty(), |it| it.joints(&joints));
            }
            if !is_same(&weights(a), &weights(b)) {
                let weights = weights(b);
                self.attribute(format!("WEIGHTS_{set}"), weights.is_empty(), |it| {
                    it.weights(&weights)
                });
            }
        }
        if was.indices != now.indices || (was.positions.len() != vertices && now.indices.is_some())
        {
            match now.indices.as_deref().filter(|it| !it.is_empty()) {
                Some(indices) => self.set_indices("indices".into(), indices, vertices),
                None => self.edit.remove(&["indices"]),
            }
        }
        if was.topology != now.topology {
            self.edit.set(&["mode"], topology_code(now.topology).to_string());
        }
    }

    /// Sets the indices.
    pub(crate) fn set_indices(&mut self, name: String, indices: &[u32], vertices: usize) {
        let index = self.accessor(name, |output| output.indices(indices, vertices));
        self.edit.set(&["indices"], index.to_string());
    }

    /// Edits the morph targets where they differ. `text` is the array in the file.
    pub(crate) fn edit_targets(
        &mut self,
        was: &[MorphTarget],
        now: &[MorphTarget],
        text: Option<&str>,
    ) {
        let mut array = ArrayEdit::new(was.len());
        let empty = MorphTarget::default();
        for (number, target) in now.iter().enumerate() {
            let mut edit = JsonEdit::new();
            let before = was.get(number).unwrap_or(&empty);
            let attributes: [(&'static str, &[Vec3], &[Vec3]); 3] = [
                ("POSITION", &before.positions, &target.positions),
                ("NORMAL", &before.normals, &target.normals),
                ("TANGENT", &before.tangents, &target.tangents),
            ];
            for (name, was, now) in attributes {
                if is_same(was, now) {
                    continue;
                }
                if now.is_empty() {
                    edit.remove(&[name]);
                    continue;
                }
                let has_min_max = name == "POSITION";
                let index = self.accessor(format!("{number}/{name}"), |output| {
                    output.vec3s(now, Target::Vertices, has_min_max)
                });
                edit.set(&[name], index.to_string());
            }
            if number < was.len() {
                array.edit(number, edit);
            } else {
                array.add(edit.to_object());
            }
        }
        for number in now.len()..was.len() {
            array.remove(number);
        }
        if !array.is_unchanged() {
            self.edit.set_or_remove(&["targets"], array.write(text));
        }
    }
}

impl SaveContext<'_> {
    /// Removes attributes of the file that geometries do not hold if the number of vertices
    /// changed.
    pub(crate) fn drop_mismatched_attributes(
        &mut self,
        primitive: &Primitive<'_>,
        was: &Geometry,
        now: &Geometry,
        edit: &mut JsonEdit,
    ) {
        if was.positions.len() == now.positions.len() {
            return;
        }
        for (name, _) in &primitive.attributes.0 {
            let kind = name.split('_').next().unwrap_or_default();
            let known = ["POSITION", "NORMAL", "TANGENT", "TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"];
            if !known.contains(&kind) {
                edit.remove_named(&["attributes"], name.to_string());
                let message = format!(
                    "attribute {} has {} elements, but the geometry has {} vertices; it is left out",
                    quoted(name),
                    was.positions.len(),
                    now.positions.len(),
                );
                self.output.report.warn(
                    &Pointer::root("meshes"),
                    WarningCode::DroppedVertexAttribute,
                    message,
                );
            }
        }
    }
}

/// Returns the glTF code of a topology.
pub(crate) fn topology_code(topology: Topology) -> u8 {
    match topology {
        Topology::Points => 0,
        Topology::Lines => 1,
        Topology::LineLoop => 2,
        Topology::LineStrip => 3,
        Topology::Triangles => 4,
        Topology::TriangleStrip => 5,
        Topology::TriangleFan => 6,
    }
}
