//! Meshes on their way out: those of the file while nodes show just that, else changed or new
//! ones.

use std::collections::HashMap;

use pleach::{AssetId, Geometry, Mesh, Part};

use super::array::Array;
use super::geometry::{Out, Written, drop_strangers};
use super::patch::{Patch, list, numbers, quoted};
use super::sheet::Sheet;
use super::texture::Textures;
use super::{Writing, material};
use crate::diagnostics::Pointer;
use crate::json::value_at;
use crate::load::material::specular_glossiness as glossiness;
use crate::load::mesh::morph_target_count;
use crate::{Error, ErrorKind};

/// What a mesh is made of: geometries and materials by id.
type Key = Vec<(AssetId, AssetId)>;

/// The meshes and materials of a file on its way out.
#[derive(Debug)]
pub(crate) struct Meshes {
    /// Indices of all there are, by what they are made of; made when first needed.
    known: Option<HashMap<Key, usize>>,
    /// Does a node still show just what this mesh of the file was?
    is_used: Vec<bool>,
    /// Was the file's mesh changed in place?
    is_changed: Vec<bool>,
    materials: Materials,
    written: Written,
}

/// Which index each material has.
#[derive(Debug, Default)]
struct Materials {
    indices: HashMap<AssetId, usize>,
    is_used: Vec<bool>,
    is_changed: Vec<bool>,
    default: Option<AssetId>,
}

fn key(parts: &[Part]) -> Key {
    parts.iter().map(|part| (part.geometry.id(), part.material.id())).collect()
}

/// Is it made of the same?
fn is_made_of(mesh: &Mesh, parts: &[Part]) -> bool {
    mesh.materials.is_empty()
        && mesh.parts.len() == parts.len()
        && mesh
            .parts
            .iter()
            .zip(parts)
            .all(|(a, b)| a.geometry == b.geometry && a.material == b.material)
}

impl Meshes {
    /// Looks at what all nodes show.
    pub(crate) fn new(writing: &Writing<'_>) -> Self {
        let document = writing.document;
        let mut meshes = Self {
            known: None,
            is_used: vec![false; document.meshes.len()],
            is_changed: vec![false; document.meshes.len()],
            materials: Materials::new(writing),
            written: Written::default(),
        };
        for (tree, scene) in writing.trees.iter().enumerate() {
            for (node, mesh) in scene.meshes.iter(&scene.graph) {
                let file = writing.file(tree, node).and_then(|it| writing.mesh_of(it));
                match file.filter(|&it| is_made_of(mesh, &document.meshes[it])) {
                    Some(file) => meshes.is_used[file] = true,
                    None => {
                        let same = meshes.known(writing).get(&key(&mesh.parts)).copied();
                        if let Some(file) = same.filter(|&it| it < meshes.is_used.len()) {
                            meshes.is_used[file] = true;
                        }
                    }
                }
            }
        }
        meshes
    }

    fn known(&mut self, writing: &Writing<'_>) -> &mut HashMap<Key, usize> {
        self.known.get_or_insert_with(|| {
            let mut known = HashMap::new();
            for (index, parts) in writing.document.meshes.iter().enumerate() {
                known.entry(key(parts)).or_insert(index);
            }
            known
        })
    }

    /// The index of what a node shows; `file` is what it showed in the file.
    pub(crate) fn index(
        &mut self,
        writing: &Writing<'_>,
        sheet: &mut Sheet<'_>,
        textures: &mut Textures,
        mesh: &Mesh,
        file: Option<usize>,
    ) -> Result<usize, Error> {
        let document = writing.document;
        if let Some(file) = file.filter(|&file| is_made_of(mesh, &document.meshes[file])) {
            return Ok(file);
        }
        let key = key(&mesh.parts);
        if let Some(&known) = self.known(writing).get(&key).filter(|_| mesh.materials.is_empty()) {
            return Ok(known);
        }
        let index = match file.filter(|&file| !self.is_used[file] && !self.is_changed[file]) {
            Some(file) => {
                self.is_changed[file] = true;
                let patch = self.changes(writing, sheet, textures, mesh, Some(file))?;
                sheet.meshes.patch(file, patch);
                file
            }
            None => {
                let patch = self.changes(writing, sheet, textures, mesh, file)?;
                let text = file.and_then(|file| writing.text_of("meshes", file)).unwrap_or("{}");
                sheet.meshes.add(patch.apply(text))
            }
        };
        if mesh.materials.is_empty() {
            self.known(writing).insert(key, index);
        }
        Ok(index)
    }

    /// From one of the file's meshes, or nothing, to what a node shows.
    fn changes(
        &mut self,
        writing: &Writing<'_>,
        sheet: &mut Sheet<'_>,
        textures: &mut Textures,
        mesh: &Mesh,
        file: Option<usize>,
    ) -> Result<Patch, Error> {
        self.written.read(writing);
        let was: &[Part] = file.map_or(&[], |file| &writing.document.meshes[file]);
        let text = file.and_then(|file| writing.text_of("meshes", file)).unwrap_or("{}");
        let mut primitives = Array::new(was.len());
        for (number, part) in mesh.parts.iter().enumerate() {
            let before = was.get(number);
            let is_kept = before.is_some_and(|before| before.geometry == part.geometry);
            if part.geometry.positions.is_empty() && !is_kept {
                let message = format!(
                    "part {number} of a mesh has no vertices, and so cannot be written; take it out"
                );
                return Err(Error::new(ErrorKind::Unwritable, &Pointer::root("meshes"), message));
            }
            let source = file.filter(|_| before.is_some()).map(|file| (file, number));
            let span = value_at(text, &format!("/primitives/{number}"));
            let span = span.map_or("{}", |span| &text[span]);
            if part.geometry.face_materials.is_empty() {
                let patch = self.primitive(writing, sheet, textures, part, source, span)?;
                match before {
                    Some(_) => primitives.patch(number, patch),
                    None => _ = primitives.add(patch.object()),
                }
                continue;
            }
            // glTF has one material for each primitive, so faces are sorted by theirs.
            if before.is_some() {
                primitives.remove(number);
            }
            for primitive in self.split(writing, sheet, textures, mesh, part)? {
                primitives.add(primitive);
            }
        }
        for number in mesh.parts.len()..was.len() {
            primitives.remove(number);
        }
        let mut patch = Patch::new();
        if !primitives.is_unchanged() {
            let span = value_at(text, "/primitives").map(|span| &text[span]);
            let Some(json) = primitives.write(span) else {
                let message = "a mesh without parts cannot be written; take it off its node";
                return Err(Error::new(ErrorKind::Unwritable, &Pointer::root("meshes"), message));
            };
            patch.put(&["primitives"], json);
        }
        target_names(was, &mesh.parts, &mut patch);
        let (had, has) = (morph_target_count(was), morph_target_count(&mesh.parts));
        let weights = file.and_then(|file| writing.root.meshes[file].weights.clone());
        if let Some(mut weights) = weights.filter(|_| had != has) {
            weights.resize(has, 0.0);
            patch.set(&["weights"], (has > 0).then(|| numbers(&weights)));
        }
        Ok(patch)
    }

    fn primitive(
        &mut self,
        writing: &Writing<'_>,
        sheet: &mut Sheet<'_>,
        textures: &mut Textures,
        part: &Part,
        source: Option<(usize, usize)>,
        text: &str,
    ) -> Result<Patch, Error> {
        let document = writing.document;
        let before = source.map(|(file, number)| &document.meshes[file][number]);
        let json = source.map(|(file, number)| &writing.root.meshes[file].primitives[number]);
        let material = self.materials.index(writing, sheet, textures, part, before)?;
        let nothing = Geometry::default();
        let mut out = Out {
            sheet,
            written: &mut self.written,
            geometry: &part.geometry,
            patch: Patch::new(),
        };
        if before.is_none_or(|before| before.geometry != part.geometry) {
            let is_packed = json
                .is_some_and(|json| json.extensions.as_ref().is_some_and(|it| it.draco.is_some()));
            let was: &Geometry = match before {
                // What a compressed stream holds cannot be changed column by column.
                Some(before) if !is_packed => &before.geometry,
                _ => &nothing,
            };
            if is_packed {
                out.patch.remove(&["extensions", "KHR_draco_mesh_compression"]);
            }
            out.differences(was, &part.geometry);
            let targets = value_at(text, "/targets").map(|span| &text[span]);
            let before = before.map_or(&[][..], |before| &before.geometry.morph_targets);
            out.targets(before, &part.geometry.morph_targets, targets);
        }
        let mut patch = out.patch;
        if let (Some(json), Some(before)) = (json, before) {
            let at = Pointer::root("meshes");
            drop_strangers(json, &before.geometry, &part.geometry, &mut patch, sheet, &at);
        }
        let was = json.and_then(|json| json.material).map(crate::json::UInt::index);
        if was != material {
            patch.set(&["material"], material.map(|index| index.to_string()));
        }
        Ok(patch)
    }

    /// A part whose faces have materials of a palette, as one primitive for each.
    fn split(
        &mut self,
        writing: &Writing<'_>,
        sheet: &mut Sheet<'_>,
        textures: &mut Textures,
        mesh: &Mesh,
        part: &Part,
    ) -> Result<Vec<String>, Error> {
        let geometry = &*part.geometry;
        let mut faces: Vec<Vec<u32>> = Vec::new();
        for (face, corners) in geometry.triangles().enumerate() {
            // Faces name one of a palette, so that this is as long as the palette at most.
            let palette = geometry.face_material(face) as usize;
            let palette = palette.min(mesh.materials.len().saturating_sub(1));
            if faces.len() <= palette {
                faces.resize_with(palette + 1, Vec::new);
            }
            faces[palette].extend(corners);
        }
        let mut primitives = Vec::new();
        for (number, corners) in faces.iter().enumerate().filter(|(_, it)| !it.is_empty()) {
            let material = mesh.materials.get(number).unwrap_or(&part.material).clone();
            let one = Part { geometry: part.geometry.clone(), material };
            let index = self.materials.index(writing, sheet, textures, &one, None)?;
            let mut out = Out {
                sheet,
                written: &mut self.written,
                geometry: &part.geometry,
                patch: Patch::new(),
            };
            let columns = Geometry {
                indices: None,
                topology: pleach::Topology::Triangles,
                ..geometry.clone()
            };
            out.differences(&Geometry::default(), &columns);
            out.indices(format!("indices of {number}"), corners, geometry.positions.len());
            out.targets(&[], &geometry.morph_targets, None);
            let mut patch = out.patch;
            patch.set(&["material"], index.map(|index| index.to_string()));
            primitives.push(patch.object());
        }
        Ok(primitives)
    }
}

/// Names of morph targets are in the extras, where exporters put them.
fn target_names(was: &[Part], now: &[Part], patch: &mut Patch) {
    let names = |parts: &[Part]| -> Vec<Option<String>> {
        let targets = parts.iter().map(|part| &part.geometry.morph_targets);
        let most = targets.max_by_key(|targets| targets.len());
        most.map(|it| it.iter().map(|it| it.name.clone()).collect()).unwrap_or_default()
    };
    let (was, now) = (names(was), names(now));
    if was == now {
        return;
    }
    if now.iter().any(Option::is_some) {
        let texts = now.iter().map(|name| quoted(name.as_deref().unwrap_or_default()));
        patch.put(&["extras", "targetNames"], list(texts));
    } else if was.iter().any(Option::is_some) {
        patch.remove(&["extras", "targetNames"]);
    }
}

impl Materials {
    fn new(writing: &Writing<'_>) -> Self {
        let document = writing.document;
        let ids = document.materials.iter().map(pleach::Handle::id);
        let indices: HashMap<_, _> = ids.enumerate().map(|(index, id)| (id, index)).collect();
        let mut is_used = vec![false; document.materials.len()];
        for scene in writing.trees {
            for (_, mesh) in scene.meshes.iter(&scene.graph) {
                let all = mesh.parts.iter().map(|part| &part.material).chain(&mesh.materials);
                for index in all.filter_map(|material| indices.get(&material.id())) {
                    is_used[*index] = true;
                }
            }
        }
        // Meshes that no node of the file has, and variants, use materials, too.
        let mut is_shown = vec![false; document.meshes.len()];
        for mesh in writing.root.nodes.iter().filter_map(|node| node.mesh) {
            is_shown[mesh.index()] = true;
        }
        let unshown = document.meshes.iter().zip(&is_shown).filter(|(_, is_shown)| !**is_shown);
        for part in unshown.flat_map(|(parts, _)| parts) {
            if let Some(index) = indices.get(&part.material.id()) {
                is_used[*index] = true;
            }
        }
        if writing.root.extensions_used.iter().any(|name| &**name == "KHR_materials_variants") {
            is_used.fill(true);
        }
        let is_changed = vec![false; is_used.len()];
        let default = document.default_material.as_ref().map(pleach::Handle::id);
        Self { indices, is_used, is_changed, default }
    }

    /// The index of a part's material; none if it is what parts without one have.
    fn index(
        &mut self,
        writing: &Writing<'_>,
        sheet: &mut Sheet<'_>,
        textures: &mut Textures,
        part: &Part,
        before: Option<&Part>,
    ) -> Result<Option<usize>, Error> {
        let id = part.material.id();
        if Some(id) == self.default {
            return Ok(None);
        }
        if let Some(&index) = self.indices.get(&id) {
            return Ok(Some(index));
        }
        // It was made of the one that was here, most likely.
        let document = writing.document;
        let file = before.and_then(|before| self.indices.get(&before.material.id()).copied());
        let file = file.filter(|&file| file < document.materials.len());
        let plain = pleach::Material::default();
        let was = file.map_or(&plain, |file| &*document.materials[file]);
        // What an archived extension says, and is other now, is said without it.
        let without = match file {
            Some(file) => {
                let images = &document.images;
                glossiness::without(writing.root, file, images, was, &part.material)?
            }
            None => None,
        };
        let was = without.as_ref().unwrap_or(was);
        let mut patch = material::patch(was, &part.material, sheet, textures)?;
        if without.is_some() {
            patch.remove(&["extensions", glossiness::NAME]);
        }
        let index = match file.filter(|&file| !self.is_used[file] && !self.is_changed[file]) {
            Some(file) => {
                self.is_changed[file] = true;
                sheet.materials.patch(file, patch);
                file
            }
            None => {
                let text = file.and_then(|file| writing.text_of("materials", file)).unwrap_or("{}");
                sheet.materials.add(patch.apply(text))
            }
        };
        self.indices.insert(id, index);
        Ok(Some(index))
    }
}
