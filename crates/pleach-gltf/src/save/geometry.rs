//! Geometries on their way out: only columns that differ get new accessors.

use std::collections::HashMap;

use glam::{Vec2, Vec3, Vec4};
use pleach::{AssetId, Geometry, Handle, MorphTarget, Topology};

use super::Writing;
use super::array::Array;
use super::column::Use;
use super::patch::{Patch, quoted};
use super::sheet::Sheet;
use crate::WarningCode;
use crate::diagnostics::Pointer;
use crate::json::{Primitive, UInt};

/// Accessors of geometries that were written in this save.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// By geometry and attribute.
    accessors: HashMap<(AssetId, String), usize>,
    /// Those of columns that several geometries have in common.
    shared: HashMap<Shared, usize>,
    is_read: bool,
}

/// A column that is shared, and whether its accessor tells its bounds.
type Shared = (usize, bool);

/// The column of an attribute, or of one of a target (`0/NORMAL`), if it is shared.
fn shared(geometry: &Geometry, name: &str) -> Option<Shared> {
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

impl Written {
    /// Takes in those that the file has, if it was not done.
    pub(crate) fn read(&mut self, writing: &Writing<'_>) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        let meshes = writing.document.meshes.iter().zip(&writing.root.meshes);
        let parts = meshes.flat_map(|(parts, mesh)| parts.iter().zip(&mesh.primitives));
        // What a compressed stream holds is in no accessor.
        for (part, primitive) in parts.filter(|(_, it)| it.extensions.is_none()) {
            let id = part.geometry.id();
            let mut put = |name: String, accessor: UInt| {
                if let Some(column) = shared(&part.geometry, &name) {
                    self.shared.entry(column).or_insert(accessor.index());
                }
                self.accessors.entry((id, name)).or_insert(accessor.index());
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

/// A number of f32s that can be compared bit for bit.
trait Bits {
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

fn is_same<T: Bits>(one: &[T], other: &[T]) -> bool {
    let is_equal = || one.iter().zip(other).all(|(a, b)| a.bits() == b.bits());
    std::ptr::eq(one, other) || (one.len() == other.len() && is_equal())
}

/// One geometry on its way into one primitive.
pub(crate) struct Out<'a, 's> {
    pub(crate) sheet: &'a mut Sheet<'s>,
    pub(crate) written: &'a mut Written,
    pub(crate) geometry: &'a Handle<Geometry>,
    pub(crate) patch: Patch,
}

impl Out<'_, '_> {
    /// Sets an attribute to a column, or takes it out if that is empty.
    fn attribute(
        &mut self,
        name: String,
        is_empty: bool,
        write: impl FnOnce(&mut Sheet<'_>) -> usize,
    ) {
        if is_empty {
            self.patch.remove_named(&["attributes"], name);
            return;
        }
        let index = self.accessor(name.clone(), write);
        self.patch.put_named(&["attributes"], name, index.to_string());
    }

    /// The accessor of a column, which is written once.
    fn accessor(&mut self, name: String, write: impl FnOnce(&mut Sheet<'_>) -> usize) -> usize {
        let Self { sheet, written, geometry, .. } = self;
        let column = shared(geometry, &name);
        *written.accessors.entry((geometry.id(), name)).or_insert_with(|| match column {
            Some(column) => *written.shared.entry(column).or_insert_with(|| write(sheet)),
            None => write(sheet),
        })
    }

    /// All that differs between two geometries.
    pub(crate) fn differences(&mut self, was: &Geometry, now: &Geometry) {
        let vertices = now.positions.len();
        if !is_same(&was.positions, &now.positions) {
            self.attribute("POSITION".into(), now.positions.is_empty(), |sheet| {
                sheet.vec3s(&now.positions, Use::Vertices, true)
            });
        }
        if !is_same(&was.normals, &now.normals) {
            self.attribute("NORMAL".into(), now.normals.is_empty(), |sheet| {
                sheet.vec3s(&now.normals, Use::Vertices, false)
            });
        }
        if !is_same(&was.tangents, &now.tangents) {
            self.attribute("TANGENT".into(), now.tangents.is_empty(), |sheet| {
                sheet.vec4s(&now.tangents, Use::Vertices)
            });
        }
        for set in 0..was.uvs.len().max(now.uvs.len()) {
            let [a, b] = [was, now].map(|it| it.uvs.get(set).map_or(&[][..], |set| set));
            if !is_same(a, b) {
                self.attribute(format!("TEXCOORD_{set}"), b.is_empty(), |sheet| {
                    sheet.vec2s(b, Use::Vertices)
                });
            }
        }
        for set in 0..was.colors.len().max(now.colors.len()) {
            let [a, b] = [was, now].map(|it| it.colors.get(set).map_or(&[][..], |set| set));
            if !is_same(a, b) {
                self.attribute(format!("COLOR_{set}"), b.is_empty(), |sheet| {
                    sheet.vec4s(b, Use::Vertices)
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
                Some(indices) => self.indices("indices".into(), indices, vertices),
                None => self.patch.remove(&["indices"]),
            }
        }
        if was.topology != now.topology {
            self.patch.put(&["mode"], code(now.topology).to_string());
        }
    }

    /// Sets the indices.
    pub(crate) fn indices(&mut self, name: String, indices: &[u32], vertices: usize) {
        let index = self.accessor(name, |sheet| sheet.indices(indices, vertices));
        self.patch.put(&["indices"], index.to_string());
    }

    /// The morph targets, if they differ. `text` is what the file has.
    pub(crate) fn targets(&mut self, was: &[MorphTarget], now: &[MorphTarget], text: Option<&str>) {
        let mut array = Array::new(was.len());
        let nothing = MorphTarget::default();
        for (number, target) in now.iter().enumerate() {
            let mut patch = Patch::new();
            let before = was.get(number).unwrap_or(&nothing);
            let columns: [(&'static str, &[Vec3], &[Vec3]); 3] = [
                ("POSITION", &before.positions, &target.positions),
                ("NORMAL", &before.normals, &target.normals),
                ("TANGENT", &before.tangents, &target.tangents),
            ];
            for (name, was, now) in columns {
                if is_same(was, now) {
                    continue;
                }
                if now.is_empty() {
                    patch.remove(&[name]);
                    continue;
                }
                let bounded = name == "POSITION";
                let index = self.accessor(format!("{number}/{name}"), |sheet| {
                    sheet.vec3s(now, Use::Vertices, bounded)
                });
                patch.put(&[name], index.to_string());
            }
            if number < was.len() {
                array.patch(number, patch);
            } else {
                array.add(patch.object());
            }
        }
        for number in now.len()..was.len() {
            array.remove(number);
        }
        if !array.is_unchanged() {
            self.patch.set(&["targets"], array.write(text));
        }
    }
}

/// Attributes of the file that no geometry holds are for its own vertices: if their number
/// changes, they go.
pub(crate) fn drop_strangers(
    primitive: &Primitive<'_>,
    was: &Geometry,
    now: &Geometry,
    patch: &mut Patch,
    sheet: &mut Sheet<'_>,
    at: &Pointer<'_>,
) {
    if was.positions.len() == now.positions.len() {
        return;
    }
    for (name, _) in &primitive.attributes.0 {
        let kind = name.split('_').next().unwrap_or_default();
        let known = ["POSITION", "NORMAL", "TANGENT", "TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"];
        if !known.contains(&kind) {
            patch.remove_named(&["attributes"], name.to_string());
            let message = format!(
                "attribute {} had {} entries; with {} vertices it means nothing, and is left out",
                quoted(name),
                was.positions.len(),
                now.positions.len(),
            );
            sheet.report.warn(at, WarningCode::DroppedVertexAttribute, message);
        }
    }
}

/// How glTF writes a mode.
pub(crate) fn code(mode: Topology) -> u8 {
    match mode {
        Topology::Points => 0,
        Topology::Lines => 1,
        Topology::LineLoop => 2,
        Topology::LineStrip => 3,
        Topology::Triangles => 4,
        Topology::TriangleStrip => 5,
        Topology::TriangleFan => 6,
    }
}
