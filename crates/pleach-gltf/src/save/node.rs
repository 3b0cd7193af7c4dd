//! Nodes on their way out: each is the file's text with what differs changed in it.

use glam::{Mat4, Quat, Vec3};
use pleach::{Graph, NodeId, Scene, Transform};

use super::instances::Instances;
use super::lens::{self, Values};
use super::mesh::Meshes;
use super::numbers::{Entry, Numbers, What, children};
use super::patch::{Patch, indices, number, numbers as list, quoted};
use super::sheet::Sheet;
use super::skin::Skins;
use super::texture::Textures;
use super::{Writing, lens::bare_light};
use crate::Error;
use crate::json;
use crate::load::Y_UP_TO_Z_UP;
use crate::load::node::{self, Local};
use crate::place::At;
use crate::report::{Report, Tolerance};

/// What nodes refer to.
pub(crate) struct Rows<'a> {
    pub(crate) meshes: Meshes,
    pub(crate) skins: Skins,
    pub(crate) cameras: Values<pleach::Camera>,
    pub(crate) lights: Values<pleach::Light>,
    pub(crate) textures: Textures,
    pub(crate) instances: Instances<'a>,
}

/// Writes all nodes.
pub(crate) fn nodes(
    writing: &Writing<'_>,
    numbers: &Numbers,
    sheet: &mut Sheet<'_>,
    rows: &mut Rows<'_>,
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
            What::Root(id, matrix) => {
                let mut patch = one(writing, numbers, sheet, rows, (entry, *id, was))?;
                for key in ["translation", "rotation", "scale", "matrix"] {
                    patch.remove(&[key]);
                }
                put_matrix(&mut patch, *matrix);
                patch
            }
            What::Turn(nodes) => {
                let mut patch = Patch::new();
                let below = nodes.iter().filter_map(|&node| numbers.index(entry.tree, node));
                patch.put(&["children"], indices(below));
                put_matrix(&mut patch, Y_UP_TO_Z_UP.transpose());
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

fn put_matrix(patch: &mut Patch, matrix: Mat4) {
    if matrix != Mat4::IDENTITY {
        patch.put(&["matrix"], list(&matrix.to_cols_array()));
    }
}

/// What differs between a node and the file's.
fn one(
    writing: &Writing<'_>,
    numbers: &Numbers,
    sheet: &mut Sheet<'_>,
    rows: &mut Rows<'_>,
    (entry, id, was): (&Entry, NodeId, &json::Node<'_>),
) -> Result<Patch, Error> {
    let scene = writing.trees[entry.tree];
    let at = At::entry("nodes", entry.index);
    let mut patch = Patch::new();
    // It was found in the graph.
    let Some(node) = scene.graph.get(id) else { return Ok(patch) };
    if node.name() != was.name.as_deref() {
        patch.set(&["name"], node.name().map(quoted));
    }
    put_children(&mut patch, numbers, entry.tree, scene, id, was);
    put_local(&mut patch, scene, id, was, &at);
    if node.is_visible() != was.is_visible() {
        if node.is_visible() {
            patch.remove(&["extensions", "KHR_node_visibility"]);
        } else {
            patch.put(&["extensions", "KHR_node_visibility", "visible"], "false");
            sheet.used.insert("KHR_node_visibility");
        }
    }
    put_mesh(writing, sheet, rows, (entry.tree, id, was), &mut patch, &at)?;
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

fn put_local(patch: &mut Patch, scene: &Scene, id: NodeId, was: &json::Node<'_>, at: &At<'_>) {
    let Some(node) = scene.graph.get(id) else { return };
    let before = node::local(was, at, &mut lenient()).unwrap_or(Local::Parts(Transform::IDENTITY));
    if node.has_local_matrix() {
        let matrix = node.local_matrix();
        if before != Local::Matrix(matrix) {
            for key in ["translation", "rotation", "scale"] {
                patch.remove(&[key]);
            }
            patch.put(&["matrix"], list(&matrix.to_cols_array()));
        }
        return;
    }
    let now = node.transform();
    let before = match before {
        Local::Parts(before) => before,
        Local::Matrix(matrix) => {
            // What the graph keeps as parts because it is just that.
            if now.to_matrix() == matrix && is_as_stored(matrix, &now) {
                return;
            }
            patch.remove(&["matrix"]);
            Transform::IDENTITY
        }
    };
    if bits(now.translation) != bits(before.translation) {
        let value = (now.translation != Vec3::ZERO).then(|| list(&now.translation.to_array()));
        patch.set(&["translation"], value);
    }
    if now.rotation.to_array().map(f32::to_bits) != before.rotation.to_array().map(f32::to_bits)
        && normalised(before) != Some(now.rotation)
    {
        let value = (now.rotation != Quat::IDENTITY).then(|| list(&now.rotation.to_array()));
        patch.set(&["rotation"], value);
    }
    if bits(now.scale) != bits(before.scale) {
        let value = (now.scale != Vec3::ONE).then(|| list(&now.scale.to_array()));
        patch.set(&["scale"], value);
    }
}

fn bits(vector: Vec3) -> [u32; 3] {
    vector.to_array().map(f32::to_bits)
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
    rows: &mut Rows<'_>,
    (tree, id, was): (usize, NodeId, &json::Node<'_>),
    patch: &mut Patch,
    at: &At<'_>,
) -> Result<(), Error> {
    let scene = writing.trees[tree];
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
    let document = writing.document;
    let expected = file
        .and_then(|file| node::weights(was, &writing.root.meshes[file], &document.meshes[file]));
    let now = scene.weights.get(&scene.graph, id);
    let is_zero = |weights: &[f32]| weights.iter().all(|&weight| weight == 0.0);
    match (now, &expected) {
        (Some(now), Some(expected)) if now == expected => {}
        (None, None) => {}
        (None, Some(expected)) if is_zero(expected) => {}
        (Some(now), None) if is_zero(now) => {}
        (Some(now), _) => {
            let weights = now.iter().map(|&weight| number(weight));
            patch.put(&["weights"], super::patch::list(weights));
        }
        (None, Some(expected)) => patch.put(&["weights"], list(&vec![0.0; expected.len()])),
    }
    rows.instances.put(sheet, mesh, was, patch, at)?;
    Ok(())
}

/// The lights of all scenes, as glTF would have them.
pub(crate) fn all_lights<'a>(writing: &'a Writing<'_>) -> impl Iterator<Item = pleach::Light> + 'a {
    let scenes = writing.trees.iter();
    scenes.flat_map(|scene| scene.lights.iter(&scene.graph).map(|(_, light)| bare_light(light)))
}
