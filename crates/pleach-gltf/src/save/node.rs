//! Nodes on their way out: each is the file's text with what differs changed in it.

use glam::{Mat4, Quat};
use pleach::{Graph, NodeId, Scene, Transform};

use super::instances::Instances;
use super::lens::{self, Values};
use super::mesh::Meshes;
use super::numbers::{Entry, Numbers, What, children};
use super::patch::{Patch, indices, numbers as list, quoted};
use super::same::bits;
use super::sheet::Sheet;
use super::skin::Skins;
use super::texture::Textures;
use super::{Writing, lens::bare_light};
use crate::Error;
use crate::diagnostics::Pointer;
use crate::diagnostics::{Report, Tolerance};
use crate::json;
use crate::load::Y_UP_TO_Z_UP;
use crate::load::mesh::morph_target_count;
use crate::load::node::{self, Local};

/// What nodes refer to.
pub(crate) struct Rows {
    pub(crate) meshes: Meshes,
    pub(crate) skins: Skins,
    pub(crate) cameras: Values<pleach::Camera>,
    pub(crate) lights: Values<pleach::Light>,
    pub(crate) textures: Textures,
    pub(crate) instances: Instances,
}

/// Writes all nodes.
pub(crate) fn nodes(
    writing: &Writing<'_>,
    numbers: &Numbers,
    sheet: &mut Sheet<'_>,
    rows: &mut Rows,
) -> Result<(), Error> {
    let have = writing.root.nodes.len();
    for file in (0..have).filter(|&file| numbers.moved(file).is_none()) {
        sheet.nodes.remove(file);
    }
    let nothing = json::Node::default();
    // New ones are in the order of their indices.
    for entry in &numbers.entries {
        let was = entry.source.map_or(&nothing, |file| &writing.root.nodes[file as usize]);
        let patch = match &entry.what {
            What::Node(id) => one(writing, numbers, sheet, rows, (entry, *id, was))?,
            What::Turn(nodes) => {
                let mut patch = Patch::new();
                let below = nodes.iter().filter_map(|&node| numbers.index(entry.tree, node));
                patch.put(&["children"], indices(below));
                let turn = Y_UP_TO_Z_UP.transpose();
                patch.put(&["matrix"], list(&turn.to_cols_array()));
                patch.put(&["name"], quoted("Z up"));
                patch
            }
        };
        match entry.source {
            Some(file) if entry.in_place => sheet.nodes.patch(file as usize, patch),
            Some(file) => {
                let text = writing.text_of("nodes", file as usize).unwrap_or("{}");
                _ = sheet.nodes.add(patch.apply(text));
            }
            None => _ = sheet.nodes.add(patch.object()),
        }
    }
    Ok(())
}

/// What differs between a node and the file's.
fn one(
    writing: &Writing<'_>,
    numbers: &Numbers,
    sheet: &mut Sheet<'_>,
    rows: &mut Rows,
    (entry, id, was): (&Entry, NodeId, &json::Node<'_>),
) -> Result<Patch, Error> {
    let scene = writing.trees[entry.tree];
    let at = Pointer::entry("nodes", entry.index);
    let mut patch = Patch::new();
    // It was found in the graph.
    let Some(node) = scene.graph.get(id) else { return Ok(patch) };
    if node.name() != was.name.as_deref() {
        patch.set(&["name"], node.name().map(quoted));
    }
    put_children(&mut patch, numbers, entry.tree, scene, id, was);
    put_local(&mut patch, scene, id, was, &at);
    if node.is_visible() != was.is_visible() {
        // Also if it is shown: something may point there.
        let path = &["extensions", "KHR_node_visibility", "visible"];
        patch.put(path, node.is_visible().to_string());
        sheet.used.insert("KHR_node_visibility");
    }
    put_mesh(writing, sheet, rows, (entry, id, was), &mut patch, &at)?;
    let camera = scene.camera(id).and_then(|camera| {
        let file = was.camera.map(|it| it.index());
        lens::camera(writing, sheet, &mut rows.cameras, camera, file, &at)
    });
    if camera != was.camera.map(|it| it.index()) {
        patch.set(&["camera"], camera.map(|index| index.to_string()));
    }
    let file = was.light().map(|it| it.index());
    let light = scene
        .light(id)
        .and_then(|light| lens::light(writing, sheet, &mut rows.lights, light, file, &at));
    if light != file {
        match light {
            Some(index) => {
                let path = &["extensions", "KHR_lights_punctual", "light"];
                patch.put(path, index.to_string());
                sheet.used.insert("KHR_lights_punctual");
            }
            None => patch.remove(&["extensions", "KHR_lights_punctual"]),
        }
    }
    let file = was.skin.map(|it| it.index());
    let skin = match scene.skin(id).filter(|_| scene.mesh(id).is_some()) {
        Some(skin) => {
            let skin = (entry.tree, skin);
            Some(rows.skins.index(writing, numbers, sheet, skin, file, &at)?)
        }
        // A skin without a mesh was left alone when it was loaded.
        None if was.mesh.is_none() => file.and_then(|file| rows.skins.moved(file)),
        None => None,
    };
    if skin != file {
        patch.set(&["skin"], skin.map(|index| index.to_string()));
    }
    Ok(patch)
}

fn put_children(
    patch: &mut Patch,
    numbers: &Numbers,
    tree: usize,
    scene: &Scene,
    id: NodeId,
    was: &json::Node<'_>,
) {
    let is_leaf = scene.graph.get(id).is_none_or(|node| node.children().next().is_none());
    if is_leaf && was.children.is_empty() {
        return;
    }
    let below = children(scene, id);
    let below: Vec<usize> = below.into_iter().filter_map(|it| numbers.index(tree, it)).collect();
    if !below.iter().copied().eq(was.children.iter().map(|child| child.index())) {
        patch.set(&["children"], (!below.is_empty()).then(|| indices(below)));
    }
}

/// A tolerance for what was accepted once.
pub(super) fn lenient() -> Tolerance {
    Tolerance { strict: false, report: Report::default() }
}

fn put_local(patch: &mut Patch, scene: &Scene, id: NodeId, was: &json::Node<'_>, at: &Pointer<'_>) {
    let Some(node) = scene.graph.get(id) else { return };
    let before = node::local(was, at, &mut lenient()).unwrap_or(Local::Trs(Transform::IDENTITY));
    if node.has_local_matrix() {
        let matrix = node.local_matrix();
        let is_same = match before {
            Local::Matrix(before) => bits(&before.to_cols_array()) == bits(&matrix.to_cols_array()),
            Local::Trs(_) => false,
        };
        if !is_same {
            for key in ["translation", "rotation", "scale"] {
                patch.remove(&[key]);
            }
            patch.put(&["matrix"], list(&matrix.to_cols_array()));
        }
        return;
    }
    let now = node.transform();
    let before = match before {
        Local::Trs(before) => before,
        Local::Matrix(matrix) => {
            // What the graph keeps as parts because it is just that.
            if now.to_matrix() == matrix && is_as_stored(matrix, &now) {
                return;
            }
            patch.remove(&["matrix"]);
            Transform::IDENTITY
        }
    };
    let mut put = |key: &'static str, was: &[f32], now: &[f32], usual: &[f32]| {
        if was.iter().map(|it| it.to_bits()).ne(now.iter().map(|it| it.to_bits())) {
            patch.set(&[key], (bits(now) != bits(usual)).then(|| list(now)));
        }
    };
    let arrays =
        |it: &Transform| (it.translation.to_array(), it.rotation.to_array(), it.scale.to_array());
    let (usual, old, new) = (arrays(&Transform::IDENTITY), arrays(&before), arrays(&now));
    put("translation", &old.0, &new.0, &usual.0);
    if now.rotation == before.rotation || normalised(before) != Some(now.rotation) {
        put("rotation", &old.1, &new.1, &usual.1);
    }
    put("scale", &old.2, &new.2, &usual.2);
}

/// What the graph makes of a matrix that it keeps as parts.
fn is_as_stored(matrix: Mat4, now: &Transform) -> bool {
    let mut graph = Graph::new();
    let Ok(node) = graph.add_root(Transform::IDENTITY) else { return false };
    let stored = graph.node_mut(node).and_then(|mut node| node.set_local_matrix(matrix).map(drop));
    stored.is_ok()
        && graph.get(node).is_some_and(|node| node.transform() == *now && !node.has_local_matrix())
}

/// What the graph makes of a rotation that is not quite one.
fn normalised(transform: Transform) -> Option<Quat> {
    let mut graph = Graph::new();
    let node = graph.add_root(transform).ok()?;
    Some(graph.get(node)?.rotation())
}

fn put_mesh(
    writing: &Writing<'_>,
    sheet: &mut Sheet<'_>,
    rows: &mut Rows,
    (entry, id, was): (&Entry, NodeId, &json::Node<'_>),
    patch: &mut Patch,
    at: &Pointer<'_>,
) -> Result<(), Error> {
    let scene = writing.trees[entry.tree];
    let file = was.mesh.map(|it| it.index());
    let Some(mesh) = scene.mesh(id) else {
        if file.is_some() {
            for key in ["mesh", "weights"] {
                patch.remove(&[key]);
            }
            patch.remove(&["extensions", "EXT_mesh_gpu_instancing"]);
        }
        return Ok(());
    };
    let index = rows.meshes.index(writing, sheet, &mut rows.textures, mesh, file)?;
    if Some(index) != file {
        patch.put(&["mesh"], index.to_string());
    }
    // What a reader would take them for, if nothing was said.
    let targets = morph_target_count(&mesh.parts);
    if targets > 0 {
        let of_mesh = writing.root.meshes.get(index).and_then(|mesh| mesh.weights.as_ref());
        let mut said = was.weights.as_ref().or(of_mesh).cloned().unwrap_or_default();
        said.resize(targets, 0.0);
        let mut now = scene.weights.get(&scene.graph, id).cloned().unwrap_or_default();
        now.resize(targets, 0.0);
        if bits(&now) != bits(&said) {
            patch.put(&["weights"], list(&now));
        }
    } else if was.weights.is_some() {
        // Those of a mesh that never had targets are the file's own business.
        let had = |file: usize| morph_target_count(&writing.document.meshes[file]) > 0;
        if file.is_none_or(|file| file != index || had(file)) {
            patch.remove(&["weights"]);
        }
    }
    rows.instances.put(sheet, mesh, (entry.source, was), patch, at);
    Ok(())
}

/// The lights of all scenes, as glTF would have them.
pub(crate) fn all_lights<'a>(writing: &'a Writing<'_>) -> impl Iterator<Item = pleach::Light> + 'a {
    let scenes = writing.trees.iter();
    scenes.flat_map(|scene| scene.lights.iter(&scene.graph).map(|(_, light)| bare_light(light)))
}
