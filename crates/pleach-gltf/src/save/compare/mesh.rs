//! Meshes and their materials: the file's entries where nodes still use them unchanged, otherwise
//! edited or new entries.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pleach::{AssetId, AssetVersion, Geometry, Material, Mesh, Part};

use super::super::output::array_edit::ArrayEdit;
use super::super::output::json_edit::{JsonEdit, json_array, number_array, quoted};
use super::geometry::PrimitiveWriter;
use super::material;
use super::writable_geometry::writable;
use crate::diagnostics::Pointer;
use crate::document::loaded::{geometries, is_edited};
use crate::document::variants::VariantMeshes;
use crate::json::value_at;
use crate::load::material::specular_glossiness as glossiness;
use crate::save::{SaveContext, SaveInput};
use crate::{Document, Error, ErrorKind, WarningCode};

/// The id and version of the geometry and the id of the material of each part, and whether that is
/// the default material after an edit.
type Key = Vec<(AssetId, u64, AssetId, bool)>;

/// The indices of meshes.
#[derive(Debug)]
pub(crate) struct Meshes {
    /// The indices of all meshes by their parts, collected on first use.
    known: Option<HashMap<Key, usize>>,
    /// `true` for meshes of the file that a node still uses unchanged.
    is_used: Vec<bool>,
    /// `true` for meshes of the file that were edited in place.
    is_changed: Vec<bool>,
    /// The default material, if it was edited: then it is written as a material.
    edited_default: Option<AssetId>,
    variants: VariantMeshes,
    /// The written meshes whose attributes were compared with their materials.
    checked: HashSet<usize>,
}

/// The indices of materials.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    indices: HashMap<AssetId, usize>,
    is_used: Vec<bool>,
    is_changed: Vec<bool>,
    default: Option<AssetId>,
}

impl Meshes {
    /// Collects the meshes that the nodes use.
    pub(crate) fn new(input: &SaveInput<'_>) -> Self {
        let document = input.document;
        let mut meshes = Self {
            known: None,
            is_used: vec![false; document.meshes.len()],
            is_changed: vec![false; document.meshes.len()],
            edited_default: edited_default(document),
            variants: VariantMeshes::new(document),
            checked: HashSet::new(),
        };
        for (scene_index, scene) in input.scenes.iter().enumerate() {
            for (node, mesh) in scene.meshes.iter(&scene.graph) {
                let file = input.file_node(scene_index, node).and_then(|it| input.mesh_of(it));
                let mesh = &*meshes.variants.with_own_materials(document, mesh, file);
                match file.filter(|&it| meshes.is_unchanged(mesh, document, it)) {
                    Some(file) => meshes.is_used[file] = true,
                    None => {
                        let key = meshes.key(&mesh.parts);
                        let same = meshes.known(input).get(&key).copied();
                        if let Some(file) = same.filter(|&it| it < meshes.is_used.len()) {
                            meshes.is_used[file] = true;
                        }
                    }
                }
            }
        }
        meshes
    }

    fn known(&mut self, input: &SaveInput<'_>) -> &mut HashMap<Key, usize> {
        self.known.get_or_insert_with(|| {
            let mut known = HashMap::new();
            let Document { meshes, loaded, .. } = input.document;
            for (index, (parts, loaded)) in meshes.iter().zip(&loaded.geometries).enumerate() {
                let parts = parts.iter().zip(loaded).map(|(part, loaded)| {
                    (part.geometry.id(), loaded.version(), part.material.id(), false)
                });
                known.entry(parts.collect()).or_insert(index);
            }
            known
        })
    }

    fn key(&self, parts: &[Part]) -> Key {
        let parts = parts.iter().map(|Part { geometry, material }| {
            let is_edited = Some(material.id()) == self.edited_default;
            (geometry.id(), geometry.version(), material.id(), is_edited)
        });
        parts.collect()
    }

    /// Returns `true` if `mesh` is what the file's mesh `file` is.
    fn is_unchanged(&self, mesh: &Mesh, document: &Document, file: usize) -> bool {
        let (parts, loaded) = (&document.meshes[file], &document.loaded.geometries[file]);
        let is_same = |(now, (file, loaded)): (&Part, (&Part, &Arc<AssetVersion<Geometry>>))| {
            now.geometry == file.geometry
                && !is_edited(&now.geometry, loaded)
                && now.material == file.material
                && Some(now.material.id()) != self.edited_default
        };
        mesh.materials.is_empty()
            && mesh.parts.len() == parts.len()
            && mesh.parts.iter().zip(parts.iter().zip(loaded)).all(is_same)
    }
}

impl SaveContext<'_> {
    /// Returns the index of a node's mesh. `file` is the mesh of the node in the file.
    pub(crate) fn mesh_index(
        &mut self,
        mesh: &Mesh,
        file: Option<usize>,
        at: &Pointer<'_>,
    ) -> Result<usize, Error> {
        let input = self.input;
        let document = input.document;
        let mesh = &*self.meshes.variants.with_own_materials(document, mesh, file);
        if let Some(file) = file.filter(|&file| self.meshes.is_unchanged(mesh, document, file)) {
            return Ok(file);
        }
        let key = self.meshes.key(&mesh.parts);
        if let Some(&known) =
            self.meshes.known(input).get(&key).filter(|_| mesh.materials.is_empty())
        {
            return Ok(known);
        }
        let index = match file
            .filter(|&file| !self.meshes.is_used[file] && !self.meshes.is_changed[file])
        {
            Some(file) => {
                self.meshes.is_changed[file] = true;
                let edit = self.mesh_edit(mesh, Some(file), at)?;
                self.output.meshes.edit(file, edit);
                file
            }
            None => {
                let edit = self.mesh_edit(mesh, file, at)?;
                let text = file.and_then(|file| input.text_of("meshes", file)).unwrap_or("{}");
                self.output.meshes.add(edit.apply(text))
            }
        };
        if mesh.materials.is_empty() {
            self.meshes.known(input).insert(key, index);
        }
        Ok(index)
    }

    /// Returns the edit from one of the file's meshes, or from an empty mesh, to `mesh`.
    fn mesh_edit(
        &mut self,
        mesh: &Mesh,
        file: Option<usize>,
        at: &Pointer<'_>,
    ) -> Result<JsonEdit, Error> {
        if mesh.parts.is_empty() {
            let message = "a mesh without parts cannot be written; remove it from its node";
            return Err(Error::new(ErrorKind::Unwritable, at, message));
        }
        let input = self.input;
        self.attributes.read_file(input);
        let was: &[Part] = file.map_or(&[], |file| &input.document.meshes[file]);
        let loaded = file.map_or(&[][..], |file| &input.document.loaded.geometries[file]);
        let now = geometries(&mesh.parts);
        let text = file.and_then(|file| input.text_of("meshes", file)).unwrap_or("{}");
        let mut primitives = ArrayEdit::new(was.len());
        let is_kept = |number: usize| {
            was.get(number).is_some_and(|before| {
                let part = &mesh.parts[number];
                before.geometry == part.geometry && !is_edited(&part.geometry, &loaded[number])
            })
        };
        // Parts of a file may differ in the number of their targets; those that are written do not.
        let are_kept = (0..mesh.parts.len()).all(is_kept);
        let targets = now.iter().map(|it| it.morph_targets.len()).max().filter(|_| !are_kept);
        for (number, part) in mesh.parts.iter().enumerate() {
            let before = was.get(number);
            if now[number].positions.is_empty() && !is_kept(number) {
                let message = format!(
                    "part {number} of a mesh has no vertices and cannot be written; remove it"
                );
                return Err(Error::new(ErrorKind::Unwritable, at, message));
            }
            let at = (at, number, targets.unwrap_or(0));
            let source = file.filter(|_| before.is_some()).map(|file| (file, number));
            let span = value_at(text, &format!("/primitives/{number}"));
            let span = span.map_or("{}", |span| &text[span]);
            if now[number].material_groups().is_none() {
                let material = mesh.material(number, 0).unwrap_or(&part.material).clone();
                let part = Part { geometry: part.geometry.clone(), material };
                let edit = self.primitive_edit(&part, source, span, at)?;
                match before {
                    Some(_) => primitives.edit(number, edit),
                    None => _ = primitives.add(edit.to_object()),
                }
                continue;
            }
            // A glTF primitive has one material, so faces are grouped by material.
            if before.is_some() {
                primitives.remove(number);
            }
            for primitive in self.split_by_material(mesh, part, at)? {
                primitives.add(primitive);
            }
        }
        for number in mesh.parts.len()..was.len() {
            primitives.remove(number);
        }
        let mut edit = JsonEdit::new();
        if !primitives.is_unchanged() {
            let span = value_at(text, "/primitives").map(|span| &text[span]);
            edit.set_or_remove(&["primitives"], primitives.write(span));
        }
        target_names(loaded, &now, &mut edit);
        let targets = |all: &[Arc<AssetVersion<Geometry>>]| {
            all.iter().map(|it| it.morph_targets.len()).max().unwrap_or(0)
        };
        let (had, has) = (targets(loaded), targets(&now));
        let weights = file.and_then(|file| input.root.meshes[file].weights.clone());
        if let Some(mut weights) = weights.filter(|_| had != has) {
            weights.resize(has, 0.0);
            edit.set_or_remove(&["weights"], (has > 0).then(|| number_array(&weights)));
        }
        Ok(edit)
    }

    fn primitive_edit(
        &mut self,
        part: &Part,
        source: Option<(usize, usize)>,
        text: &str,
        at: (&Pointer<'_>, usize, usize),
    ) -> Result<JsonEdit, Error> {
        let input = self.input;
        let before = source.map(|(file, number)| &input.document.meshes[file][number]);
        let loaded = source.map(|(file, number)| &*input.document.loaded.geometries[file][number]);
        let json = source.map(|(file, number)| &input.root.meshes[file].primitives[number]);
        let now = part.geometry.snapshot();
        let material = self.material_index(part, before)?;
        let empty = Geometry::default();
        let is_kept = before.zip(loaded).is_some_and(|(before, loaded)| {
            before.geometry == part.geometry
                && now.version() == loaded.version()
                && loaded.morph_targets.len() >= at.2
        });
        let mut edit = JsonEdit::new();
        if !is_kept {
            let is_draco = json
                .is_some_and(|json| json.extensions.as_ref().is_some_and(|it| it.draco.is_some()));
            let was: &Geometry = match loaded {
                // Attributes of a compressed primitive cannot be replaced one by one.
                Some(loaded) if !is_draco => loaded,
                _ => &empty,
            };
            let written = self.writable(was, &now, at)?;
            let mut writer = PrimitiveWriter {
                output: &mut self.output,
                attributes: &mut self.attributes,
                id: part.geometry.id(),
                version: now.version(),
                geometry: &written,
                edit,
            };
            if is_draco {
                writer.edit.remove(&["extensions", "KHR_draco_mesh_compression"]);
            }
            writer.edit_attributes(was, &written);
            let targets = value_at(text, "/targets").map(|span| &text[span]);
            let before = loaded.map_or(&[][..], |loaded| &loaded.morph_targets);
            writer.edit_targets(before, &written.morph_targets, targets);
            edit = writer.edit;
        }
        if let (Some(json), Some(loaded)) = (json, loaded) {
            self.drop_mismatched_attributes(json, loaded, &now, &mut edit);
        }
        let was = json.and_then(|json| json.material).map(crate::json::UInt::index);
        if was != material {
            edit.set_or_remove(&["material"], material.map(|index| index.to_string()));
        }
        Ok(edit)
    }

    /// Returns one primitive per material for a part whose faces select materials of the mesh.
    fn split_by_material(
        &mut self,
        mesh: &Mesh,
        part: &Part,
        at: (&Pointer<'_>, usize, usize),
    ) -> Result<Vec<String>, Error> {
        let geometry = part.geometry.snapshot();
        let Some(groups) = geometry.material_groups() else { return Ok(Vec::new()) };
        let written = self.writable(&Geometry::default(), &geometry, at)?;
        let mut primitives = Vec::new();
        for group in groups.groups() {
            let number = group.material;
            let corners = &groups.indices()[group.range.start as usize..group.range.end as usize];
            let material = mesh.materials.get(number as usize).unwrap_or(&part.material).clone();
            let one = Part { geometry: part.geometry.clone(), material };
            let index = self.material_index(&one, None)?;
            let mut writer = PrimitiveWriter {
                output: &mut self.output,
                attributes: &mut self.attributes,
                id: part.geometry.id(),
                version: geometry.version(),
                geometry: &written,
                edit: JsonEdit::new(),
            };
            let attributes = Geometry {
                indices: None,
                topology: pleach::Topology::Triangles,
                ..Geometry::clone(&written)
            };
            writer.edit_attributes(&Geometry::default(), &attributes);
            writer.set_indices(format!("indices of {number}"), corners, geometry.positions.len());
            writer.edit_targets(&[], &written.morph_targets, None);
            let mut edit = writer.edit;
            edit.set_or_remove(&["material"], index.map(|index| index.to_string()));
            primitives.push(edit.to_object());
        }
        Ok(primitives)
    }
}

impl SaveContext<'_> {
    /// Returns a geometry as glTF allows it, with a warning for what was converted. The location is
    /// the node, the number of the part, and the number of morph targets of the mesh.
    fn writable<'g>(
        &mut self,
        was: &Geometry,
        now: &'g Geometry,
        (at, part, targets): (&Pointer<'_>, usize, usize),
    ) -> Result<Cow<'g, Geometry>, Error> {
        let mut conversions = Vec::new();
        let written = writable(was, now, targets, &mut conversions).map_err(|message| {
            let message = format!("part {part} of the mesh cannot be written: {message}");
            Error::new(ErrorKind::Unwritable, at, message)
        })?;
        for conversion in conversions {
            let message = format!("part {part} of the mesh: {conversion}");
            self.output.report.warn(at, WarningCode::ConvertedVertexAttribute, message);
        }
        Ok(written)
    }

    /// Warns of attributes that the material of a new or edited part needs and its geometry lacks.
    pub(crate) fn warn_missing_attributes(
        &mut self,
        mesh: &Mesh,
        file: Option<usize>,
        index: usize,
        at: &Pointer<'_>,
    ) {
        if !self.meshes.checked.insert(index) {
            return;
        }
        let Document { meshes, loaded, materials, .. } = self.input.document;
        for (number, part) in mesh.parts.iter().enumerate() {
            let before = file
                .and_then(|file| meshes[file].get(number).zip(loaded.geometries[file].get(number)));
            let is_same_material = |before: &Part| {
                let index = self.materials.indices.get(&part.material.id()).copied();
                let file = index.and_then(|it| materials.get(it).zip(loaded.materials.get(it)));
                before.material == part.material
                    && file.is_none_or(|(now, loaded)| !is_edited(now, loaded))
            };
            let is_loaded = before.is_some_and(|(before, loaded)| {
                before.geometry == part.geometry
                    && !is_edited(&part.geometry, loaded)
                    && is_same_material(before)
            });
            let (geometry, material) = (part.geometry.get(), part.material.get());
            if is_loaded || geometry.positions.is_empty() {
                continue;
            }
            let sets = material.textures().map(|it| it.uv_set as usize);
            let missing = sets.filter(|&set| set >= geometry.uvs.len()).min();
            let coat = material.clearcoat.as_ref().and_then(|it| it.normal_texture.as_ref());
            let anisotropy = material.anisotropy.as_ref().and_then(|it| it.texture.as_ref());
            let needs_tangents = (coat.is_some() || anisotropy.is_some())
                && material.normal_texture.is_none()
                && geometry.tangents.is_empty();
            let what = match missing {
                Some(set) => format!("texture coordinates {set}"),
                None if needs_tangents && geometry.triangle_count() > 0 => "tangents".into(),
                None => continue,
            };
            let message = format!(
                "part {number} of the mesh has a material that needs {what}, which its geometry does \
                 not have; glTF requires them"
            );
            self.output.report.warn(at, WarningCode::MissingVertexAttribute, message);
        }
    }

    /// Returns `true` if a node has the mesh that it has in the file, unchanged.
    pub(crate) fn is_mesh_unchanged(&self, mesh: &Mesh, file: Option<usize>) -> bool {
        let document = self.input.document;
        file.is_some_and(|file| self.meshes.is_unchanged(mesh, document, file))
    }
}

/// Edits the names of morph targets, which are stored in the extras by convention.
fn target_names(
    was: &[Arc<AssetVersion<Geometry>>],
    now: &[Arc<AssetVersion<Geometry>>],
    edit: &mut JsonEdit,
) {
    let names = |parts: &[Arc<AssetVersion<Geometry>>]| -> Vec<Option<String>> {
        let targets = parts.iter().map(|geometry| &geometry.morph_targets);
        let longest = targets.max_by_key(|targets| targets.len());
        longest.map(|it| it.iter().map(|it| it.name.clone()).collect()).unwrap_or_default()
    };
    let (was, now) = (names(was), names(now));
    if was == now {
        return;
    }
    if now.iter().any(Option::is_some) {
        let texts = now.iter().map(|name| quoted(name.as_deref().unwrap_or_default()));
        edit.set(&["extras", "targetNames"], json_array(texts));
    } else if was.iter().any(Option::is_some) {
        edit.remove(&["extras", "targetNames"]);
    }
}

impl Materials {
    pub(crate) fn new(input: &SaveInput<'_>) -> Self {
        let document = input.document;
        let ids = document.materials.iter().map(pleach::Handle::id);
        let indices: HashMap<_, _> = ids.enumerate().map(|(index, id)| (id, index)).collect();
        let mut is_used = vec![false; document.materials.len()];
        for scene in input.scenes {
            for (_, mesh) in scene.meshes.iter(&scene.graph) {
                let all = mesh.parts.iter().map(|part| &part.material).chain(&mesh.materials);
                for index in all.filter_map(|material| indices.get(&material.id())) {
                    is_used[*index] = true;
                }
            }
        }
        // Meshes without a node, and material variants, use materials as well.
        let mut has_node = vec![false; document.meshes.len()];
        for mesh in input.root.nodes.iter().filter_map(|node| node.mesh) {
            has_node[mesh.index()] = true;
        }
        let unreferenced =
            document.meshes.iter().zip(&has_node).filter(|(_, has_node)| !**has_node);
        for part in unreferenced.flat_map(|(parts, _)| parts) {
            if let Some(index) = indices.get(&part.material.id()) {
                is_used[*index] = true;
            }
        }
        if input.root.extensions_used.iter().any(|name| &**name == "KHR_materials_variants") {
            is_used.fill(true);
        }
        let is_changed = vec![false; is_used.len()];
        let default_material = document.default_material.as_ref().map(pleach::Handle::id);
        let default_material = default_material.filter(|_| edited_default(document).is_none());
        Self { indices, is_used, is_changed, default: default_material }
    }
}

/// Returns the id of the default material if it was edited.
fn edited_default(document: &Document) -> Option<AssetId> {
    let default = document.default_material.as_ref()?;
    (default.version() > 1).then(|| default.id())
}

impl SaveContext<'_> {
    /// Edits the entries of the file's materials that were edited in place.
    pub(crate) fn write_edited_materials(&mut self) -> Result<(), Error> {
        let Document { materials, loaded, .. } = self.input.document;
        for (index, (material, loaded)) in materials.iter().zip(&loaded.materials).enumerate() {
            if is_edited(material, loaded) {
                let at = Pointer::entry("materials", index);
                let edit = self.material_edit(Some(index), &material.get(), &at)?;
                self.output.materials.edit(index, edit);
                self.materials.is_changed[index] = true;
            }
        }
        Ok(())
    }

    /// Returns the edit from one of the file's materials, or from the default, to `now`.
    fn material_edit(
        &mut self,
        file: Option<usize>,
        now: &Material,
        at: &Pointer<'_>,
    ) -> Result<JsonEdit, Error> {
        let document = self.input.document;
        let default = Material::default();
        let was: &Material = file.map_or(&default, |file| &document.loaded.materials[file]);
        // Values of an archived extension that changed are written without the extension.
        let without = match file {
            Some(file) => glossiness::without(self.input.root, file, &document.images, was, now)?,
            None => None,
        };
        let was = without.as_ref().unwrap_or(was);
        let mut edit = material::material_edit(was, now, &mut self.output, &mut self.textures, at)?;
        if without.is_some() {
            edit.remove(&["extensions", glossiness::NAME]);
        }
        Ok(edit)
    }

    /// Returns the index of a part's material, or `None` for the default material.
    fn material_index(
        &mut self,
        part: &Part,
        before: Option<&Part>,
    ) -> Result<Option<usize>, Error> {
        let input = self.input;
        let id = part.material.id();
        if Some(id) == self.materials.default {
            return Ok(None);
        }
        if let Some(&index) = self.materials.indices.get(&id) {
            return Ok(Some(index));
        }
        // The material was probably made from the one that this part had before.
        let document = input.document;
        let file =
            before.and_then(|before| self.materials.indices.get(&before.material.id()).copied());
        let file = file.filter(|&file| file < document.materials.len());
        let replaced =
            file.filter(|&file| !self.materials.is_used[file] && !self.materials.is_changed[file]);
        let at = Pointer::entry("materials", replaced.unwrap_or(self.output.materials.len()));
        let edit = self.material_edit(file, &part.material.get(), &at)?;
        let index = match replaced {
            Some(file) => {
                self.materials.is_changed[file] = true;
                self.output.materials.edit(file, edit);
                file
            }
            None => {
                let text = file.and_then(|file| input.text_of("materials", file)).unwrap_or("{}");
                self.output.materials.add(edit.apply(text))
            }
        };
        self.materials.indices.insert(id, index);
        Ok(Some(index))
    }
}
