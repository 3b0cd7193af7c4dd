//! Nodes: each is written as the file's text with edits for what differs.

use std::borrow::Cow;

use glam::Mat4;
use pleach::{Aabb, Bounds, NodeId, Transform, rotation};

use super::super::output::json_edit::{JsonEdit, index_array, number_array, quoted};
use super::index_map::{EntryKind, NodeEntry, children};
use super::shared_roots::{bits, bounds_bits};
use super::skin::check_influences;
use crate::diagnostics::{Pointer, Report, Tolerance};
use crate::document::Targets;
use crate::document::rest_pose::RestPose;
use crate::json;
use crate::load::Y_UP_TO_Z_UP;
use crate::load::bounds::{self, PLEACH_BOUNDS};
use crate::load::mesh::morph_target_count;
use crate::load::node::{self, Local};
use crate::save::SaveContext;
use crate::validate::is_decomposable;
use crate::{Error, ErrorKind, WarningCode};

impl SaveContext<'_> {
    /// Writes all nodes.
    pub(crate) fn write_nodes(&mut self) -> Result<(), Error> {
        let (input, index_map) = (self.input, self.index_map);
        let node_count = input.root.nodes.len();
        for file in (0..node_count).filter(|&file| index_map.new_index(file).is_none()) {
            self.output.nodes.remove(file);
        }
        let empty = json::Node::default();
        // New entries are in the order of their indices.
        for entry in &index_map.entries {
            let was = entry.source.map_or(&empty, |file| &input.root.nodes[file as usize]);
            let text: Cow<'_, str> = match (entry.source, &entry.kind) {
                (Some(file), _) => input.text_of("nodes", file as usize).unwrap_or("{}").into(),
                (None, EntryKind::Node(id)) => self.new_node_text(entry, *id),
                (None, EntryKind::UpAxis(_)) => "{}".into(),
            };
            let edit = match &entry.kind {
                EntryKind::Node(id) => {
                    self.node_edit((entry, *id), was, &text).map_err(|error| {
                        let node = input.scenes[entry.scene_index].graph.get(*id);
                        let name = node.as_ref().and_then(|node| node.name());
                        let label = name.map_or_else(|| id.to_string(), |it| format!("{it:?}"));
                        error.of_node(&Pointer::entry("nodes", entry.index), &label)
                    })?
                }
                EntryKind::UpAxis(nodes) => {
                    let mut edit = JsonEdit::new();
                    let nodes = nodes.iter();
                    let indices = nodes.filter_map(|&it| index_map.index(entry.scene_index, it));
                    edit.set(&["children"], index_array(indices));
                    let z_up_to_y_up = Y_UP_TO_Z_UP.transpose();
                    edit.set(&["matrix"], number_array(&z_up_to_y_up.to_cols_array()));
                    edit.set(&["name"], quoted("Z up"));
                    edit
                }
            };
            match entry.source {
                Some(file) if entry.in_place => self.output.nodes.edit(file as usize, edit),
                _ => _ = self.output.nodes.add(edit.apply(&text)),
            }
        }
        self.warn_posed();
        Ok(())
    }

    /// Warns if animated nodes or properties are written with other values than those at rest.
    fn warn_posed(&mut self) {
        let input = self.input;
        for animation in &input.document.animations {
            let Targets::Scene(scene_index, nodes) = &animation.targets else { continue };
            let Some(scene) = input.scenes.get(*scene_index) else { continue };
            for (node, rest) in nodes.iter().zip(&animation.rest_poses) {
                let (Some(node), Some(rest)) = (*node, rest) else { continue };
                let is_posed = RestPose::of(scene, node).is_some_and(|it| it != *rest);
                let index = self.index_map.index(*scene_index, node).filter(|_| is_posed);
                self.posed.extend(index.filter(|index| !self.posed.contains(index)));
            }
        }
        let rest_values = &input.document.property_rest_values;
        let changed = rest_values.changed(&input.document.materials, input.scenes);
        if changed > 0 {
            let message = format!(
                "{changed} animated visibilities, materials, cameras and lights are written with their \
                 current values; restore_pointers restores those at rest"
            );
            let code = WarningCode::AnimatedPose;
            self.output.report.warn(&Pointer::root("animations"), code, message);
        }
        if let Some(&first) = self.posed.first() {
            let message = format!(
                "{} animated nodes differ from their rest pose in their transform or weights: their \
                 current pose is written as the rest pose",
                self.posed.len()
            );
            let at = Pointer::entry("nodes", first);
            self.output.report.warn(&at, WarningCode::AnimatedPose, message);
        }
    }

    /// Returns the edit from the file's node `was` to the node `id`. `text` is what is edited.
    fn node_edit(
        &mut self,
        (entry, id): (&NodeEntry, NodeId),
        was: &json::Node<'_>,
        text: &str,
    ) -> Result<JsonEdit, Error> {
        let scene = self.input.scenes[entry.scene_index];
        let at = Pointer::entry("nodes", entry.index);
        let was_animated =
            entry.source.is_some_and(|file| self.animated.contains_in_file(file as usize));
        let mut edit = JsonEdit::new();
        // Entries are made from nodes of the graph.
        let Some(node) = scene.graph.get(id) else { return Ok(edit) };
        if node.name() != was.name.as_deref() {
            edit.set_or_remove(&["name"], node.name().map(quoted));
        }
        self.edit_children(&mut edit, entry.scene_index, id, was);
        self.edit_local(&mut edit, entry, id, was, &at)?;
        if node.is_visible() != was.is_visible() {
            // Also written when the node is visible: an animation pointer may reference it.
            let path = &["extensions", "KHR_node_visibility", "visible"];
            edit.set(path, node.is_visible().to_string());
            self.output.used.insert("KHR_node_visibility");
        }
        self.edit_mesh((entry, id, was), &mut edit, &at)?;
        if was_animated
            && ["translation", "rotation", "scale", "matrix", "weights"]
                .iter()
                .any(|key| edit.contains(key))
        {
            self.posed.push(entry.index);
        }
        let file = was.camera.map(|it| it.index());
        let camera = match scene.camera(id) {
            Some(camera) => self.camera_index(camera, file, &at)?,
            None => None,
        };
        if camera != was.camera.map(|it| it.index()) {
            edit.set_or_remove(&["camera"], camera.map(|index| index.to_string()));
        }
        let file = was.light().map(|it| it.index());
        let light = match scene.light(id) {
            Some(light) => self.light_index(light, file, &at)?,
            None => None,
        };
        if light != file {
            match light {
                Some(index) => {
                    let path = &["extensions", "KHR_lights_punctual", "light"];
                    edit.set(path, index.to_string());
                    self.output.used.insert("KHR_lights_punctual");
                }
                None => edit.remove(&["extensions", "KHR_lights_punctual"]),
            }
        }
        self.edit_bounds(&mut edit, scene.user_bounds(id), was);
        let file = was.skin.map(|it| it.index());
        let skin = match scene.skin(id).filter(|_| scene.mesh(id).is_some()) {
            Some(skin) => {
                let index = self.skin_index((entry.scene_index, skin), entry.index, file, &at)?;
                let mesh = scene.mesh(id).filter(|mesh| {
                    let file_mesh = was.mesh.map(|it| it.index());
                    Some(index) != file || !self.is_mesh_unchanged(mesh, file_mesh)
                });
                if let Some(mesh) = mesh {
                    check_influences(mesh, skin, &at)?;
                }
                Some(index)
            }
            // Load ignores a skin without a mesh, so it stays in the file.
            None if was.mesh.is_none() => file.and_then(|file| self.skins.new_index(file)),
            None => None,
        };
        if skin != file {
            edit.set_or_remove(&["skin"], skin.map(|index| index.to_string()));
        }
        self.edit_components(&mut edit, entry, id, text, &at);
        Ok(edit)
    }

    /// Edits the bounds that were set by the user, in the extension PLEACH_bounds. Bounds that are not
    /// finite are not written.
    fn edit_bounds(&mut self, edit: &mut JsonEdit, now: Option<Aabb>, was: &json::Node<'_>) {
        let now = now.filter(|&now| Bounds(now).is_valid());
        // Malformed bounds are ignored by the loader, and left in the file.
        let file = bounds::bounds(was).unwrap_or_default();
        if now.map(bounds_bits) == file.map(bounds_bits) {
            return;
        }
        let Some(now) = now else {
            edit.remove(&["extensions", PLEACH_BOUNDS]);
            return;
        };
        if file.is_none() || now == Aabb::EMPTY {
            edit.set(&["extensions", PLEACH_BOUNDS], "{}");
        }
        if now != Aabb::EMPTY {
            let was = file.unwrap_or(Aabb::EMPTY);
            for (key, was, now) in [("min", was.min, now.min), ("max", was.max, now.max)] {
                if bits(&now.to_array()) != bits(&was.to_array()) {
                    edit.set(&["extensions", PLEACH_BOUNDS, key], number_array(&now.to_array()));
                }
            }
        }
        self.output.used.insert(PLEACH_BOUNDS);
    }

    fn edit_children(
        &self,
        edit: &mut JsonEdit,
        scene_index: usize,
        id: NodeId,
        was: &json::Node<'_>,
    ) {
        let scene = self.input.scenes[scene_index];
        let is_leaf = scene.graph.get(id).is_none_or(|node| node.children().next().is_none());
        if is_leaf && was.children.is_empty() {
            return;
        }
        let indices = children(scene, id);
        let indices: Vec<usize> =
            indices.into_iter().filter_map(|it| self.index_map.index(scene_index, it)).collect();
        if !indices.iter().copied().eq(was.children.iter().map(|child| child.index())) {
            edit.set_or_remove(&["children"], (!indices.is_empty()).then(|| index_array(indices)));
        }
    }

    fn edit_mesh(
        &mut self,
        (entry, id, was): (&NodeEntry, NodeId, &json::Node<'_>),
        edit: &mut JsonEdit,
        at: &Pointer<'_>,
    ) -> Result<(), Error> {
        let input = self.input;
        let scene = input.scenes[entry.scene_index];
        let file = was.mesh.map(|it| it.index());
        let Some(mesh) = scene.mesh(id) else {
            if file.is_some() {
                for key in ["mesh", "weights"] {
                    edit.remove(&[key]);
                }
                edit.remove(&["extensions", "EXT_mesh_gpu_instancing"]);
            }
            return Ok(());
        };
        let index = self.mesh_index(mesh, file, at)?;
        self.warn_missing_attributes(mesh, file, index, at);
        if Some(index) != file {
            edit.set(&["mesh"], index.to_string());
        }
        // The weights that a reader would use by default.
        let targets = morph_target_count(&mesh.parts);
        if targets > 0 {
            self.morph_targets.insert(entry.index, targets);
            let of_mesh = input.root.meshes.get(index).and_then(|mesh| mesh.weights.as_deref());
            let file_weights = was.weights.as_deref().or(of_mesh).unwrap_or_default();
            let mut file_weights = file_weights.to_vec();
            file_weights.resize(targets, 0.0);
            let mut now = scene.weights.get(&scene.graph, id).cloned().unwrap_or_default();
            now.0.resize(targets, 0.0);
            if bits(&now) != bits(&file_weights) {
                edit.set(&["weights"], number_array(&now));
            }
        } else if was.weights.is_some() {
            // Weights of a mesh that never had targets are left in the file.
            let loaded = &input.document.loaded.geometries;
            let had = |file: usize| loaded[file].iter().any(|it| !it.morph_targets.is_empty());
            if file.is_none_or(|file| file != index || had(file)) {
                edit.remove(&["weights"]);
            }
        }
        self.edit_instances(mesh, (entry.source, was), edit, at);
        Ok(())
    }
}

/// Returns the tolerance for data that was accepted by the loader.
pub(crate) fn lenient() -> Tolerance {
    Tolerance { strict: false, report: Report::default() }
}

impl SaveContext<'_> {
    /// Edits the local transform. An animated node gets no matrix.
    fn edit_local(
        &mut self,
        edit: &mut JsonEdit,
        entry: &NodeEntry,
        id: NodeId,
        was: &json::Node<'_>,
        at: &Pointer<'_>,
    ) -> Result<(), Error> {
        let scene = self.input.scenes[entry.scene_index];
        let Some(node) = scene.graph.get(id) else { return Ok(()) };
        let before =
            node::local(was, at, &mut lenient()).unwrap_or(Local::Trs(Transform::IDENTITY));
        let now = node.transform();
        let is_unchanged = match before {
            Local::Matrix(before) if node.has_local_matrix() => {
                bits(&before.to_cols_array()) == bits(&node.local_matrix().to_cols_array())
            }
            Local::Matrix(_) | Local::Trs(_) => false,
        };
        let is_animated = self.animated.contains(entry.index);
        if is_unchanged {
            let was_animated =
                entry.source.is_some_and(|file| self.animated.contains_in_file(file as usize));
            if !is_animated || was_animated {
                if is_animated {
                    let message = "the node is animated and has a matrix, as in the loaded file";
                    self.output.report.warn(
                        &at.key("matrix"),
                        WarningCode::AnimatedMatrix,
                        message,
                    );
                }
                return Ok(());
            }
        }
        if node.has_local_matrix() {
            let matrix = node.local_matrix();
            if !is_animated {
                for key in ["translation", "rotation", "scale"] {
                    edit.remove(&[key]);
                }
                if !is_decomposable(&matrix.to_cols_array()) {
                    let name = node.name().map_or_else(|| id.to_string(), |it| format!("{it:?}"));
                    let message = format!(
                        "node {name} has a sheared or singular matrix, which is written, but is not \
                         allowed by glTF: other readers may reject it. Set a transform"
                    );
                    self.output.report.warn(at, WarningCode::ShearedMatrix, message);
                }
                edit.set(&["matrix"], number_array(&matrix.to_cols_array()));
                return Ok(());
            }
            if !is_close(&now, matrix) {
                let message = "it is animated and has a sheared matrix; glTF allows only \
                               translation, rotation and scale for animated nodes. Set a transform, \
                               or animate a child of the node";
                return Err(Error::new(ErrorKind::Unwritable, at, message));
            }
            let message = "the matrix of the animated node is written as translation, rotation and scale, \
                           rounded";
            self.output.report.warn(at, WarningCode::ApproximatedMatrix, message);
        }
        edit_transform(edit, before, &now);
        Ok(())
    }
}

/// Returns `true` if `transform` equals `matrix` up to rounding.
fn is_close(transform: &Transform, matrix: Mat4) -> bool {
    let (now, matrix) = (transform.to_matrix().to_cols_array(), matrix.to_cols_array());
    let largest = matrix[..12].iter().fold(0.0f32, |largest, it| largest.max(it.abs()));
    // The translation is stored, not computed.
    now[..12].iter().zip(&matrix).all(|(now, was)| (now - was).abs() <= 4e-6 * largest)
}

/// Edits translation, rotation and scale where they differ.
fn edit_transform(edit: &mut JsonEdit, before: Local, now: &Transform) {
    let before = match before {
        Local::Trs(before) => before,
        Local::Matrix(_) => {
            edit.remove(&["matrix"]);
            Transform::IDENTITY
        }
    };
    let mut put = |key: &'static str, was: &[f32], now: &[f32], default: &[f32]| {
        if was.iter().map(|it| it.to_bits()).ne(now.iter().map(|it| it.to_bits())) {
            edit.set_or_remove(&[key], (bits(now) != bits(default)).then(|| number_array(now)));
        }
    };
    let arrays =
        |it: &Transform| (it.translation.to_array(), it.rotation.to_array(), it.scale.to_array());
    let (default, old, new) = (arrays(&Transform::IDENTITY), arrays(&before), arrays(now));
    put("translation", &old.0, &new.0, &default.0);
    if now.rotation == before.rotation || rotation::normalize(before.rotation) != Some(now.rotation)
    {
        put("rotation", &old.1, &new.1, &default.1);
    }
    put("scale", &old.2, &new.2, &default.2);
}
