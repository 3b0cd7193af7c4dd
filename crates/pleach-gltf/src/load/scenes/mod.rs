//! Scenes: the file's trees as nodes with rows.
//!
//! A root that several scenes list becomes nodes of each. Nodes that no scene lists become a
//! scene of their own, the last.

pub(crate) mod node;
pub(super) mod tree;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use glam::{Mat4, Vec4};
use pleach::{Camera, Light, Mesh, NodeId, Part, Scene, Skin, Transform};

use self::node::{Local, instances, local, weights};
use self::tree::{NONE, Tree};
use super::assets::skin::{self, Named, greatest_joint};
use super::{Data, Loading};
use crate::diagnostics::At;
use crate::document::Places;
use crate::json::checked;
use crate::{Error, ErrorKind, Stage, WarningCode};

/// What a node takes at least, in a scene and beside it.
const NODE_BYTES: usize = 400;

/// What a scene takes that has no nodes.
const SCENE_BYTES: usize = 40_000;

/// The turn from +Y up to +Z up: exact, as it only exchanges axes.
pub(crate) const Y_UP_TO_Z_UP: Mat4 = Mat4::from_cols(Vec4::X, Vec4::Z, Vec4::NEG_Y, Vec4::W);

/// What is there once for all scenes.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) meshes: &'a [Vec<Part>],
    pub(crate) skins: &'a [skin::Skin],
    pub(crate) cameras: &'a [Camera],
    pub(crate) lights: &'a [Light],
    /// By mesh: the greatest joint that it needs, once it was asked for.
    pub(crate) joints: RefCell<HashMap<usize, Option<Named>>>,
}

/// The scenes, and which of their nodes are which. The last is of the nodes that no scene
/// lists, if there are any.
pub(crate) fn scenes(
    load: &mut Loading<'_>,
    data: &Data<'_>,
    shared: &Shared<'_>,
    roots: &[Vec<u32>],
) -> Result<(Vec<Scene>, Vec<Places>), Error> {
    let mut is_listed = vec![false; load.root.nodes.len()];
    for &root in roots.iter().flatten() {
        is_listed[root as usize] = true;
    }
    let outside: Vec<u32> = shared.tree.roots().filter(|&root| !is_listed[root as usize]).collect();
    let mut made = (Vec::new(), Vec::new());
    let names = load.root.scenes.iter().map(|scene| scene.name.as_deref().unwrap_or_default());
    for (roots, name) in roots.iter().zip(names) {
        let (scene, places) = scene(load, data, shared, roots, name)?;
        made.0.push(scene);
        made.1.push(places);
    }
    if !outside.is_empty() {
        let (scene, places) = scene(load, data, shared, &outside, "")?;
        made.0.push(scene);
        made.1.push(places);
    }
    Ok(made)
}

fn scene(
    load: &mut Loading<'_>,
    data: &Data<'_>,
    shared: &Shared<'_>,
    roots: &[u32],
    name: &str,
) -> Result<(Scene, Places), Error> {
    load.budget.take(&At::root("scenes"), 1, SCENE_BYTES + name.len())?;
    let mut scene = Scene::named(name);
    scene.assets = load.assets.clone();
    let order = order(load, shared.tree, roots)?;
    let first = order.iter().min().map_or(0, |&least| least as usize);
    let last = order.iter().max().map_or(0, |&greatest| greatest as usize + 1);
    load.budget.take(&At::root("scenes"), last - first, size_of::<Option<NodeId>>())?;
    let mut places = Places::new(first..last);
    let reserved = scene.graph.reserve(order.len() + 1);
    reserved.map_err(|fault| Error::new(ErrorKind::Limit, &At::ROOT, fault.to_string()))?;
    places.turn = turn(load, &mut scene, !roots.is_empty())?;
    let top = places.turn.unwrap_or(scene.root());
    let nodes = add_all(load, &mut scene, shared.tree, &order, first..last, top)?;
    let mut skinned = Vec::new();
    for (number, (&index, &node)) in order.iter().zip(&nodes).enumerate() {
        if number % 4096 == 0 {
            load.progress(Stage::Scenes, number, order.len())?;
        }
        places.put(index, node);
        name_node(load, &mut scene, index, node)?;
        rows(load, data, shared, &mut scene, index, node)?;
        if load.root.nodes[index as usize].skin.is_some() {
            skinned.push((index, node));
        }
    }
    for (index, node) in skinned {
        skin_row(load, shared, &mut scene, &mut places, index, node)?;
    }
    scene.update().map_err(|fault| Error::value(&At::root("scenes"), fault.to_string()))?;
    Ok((scene, places))
}

/// The nodes below some roots, depth first, children in the file's order.
fn order(load: &mut Loading<'_>, tree: &Tree, roots: &[u32]) -> Result<Vec<u32>, Error> {
    let mut order = Vec::new();
    let mut open: Vec<u32> = roots.iter().rev().copied().collect();
    while let Some(node) = open.pop() {
        load.budget.take(&At::root("scenes"), 1, NODE_BYTES)?;
        order.push(node);
        open.extend(tree.children(node).iter().rev());
    }
    Ok(order)
}

/// The node above the file's roots that turns them.
fn turn(load: &Loading<'_>, scene: &mut Scene, is_needed: bool) -> Result<Option<NodeId>, Error> {
    if load.options.keep_y_up || !is_needed {
        return Ok(None);
    }
    let root = scene.root();
    let made = scene.graph.add_child(root, Transform::IDENTITY).and_then(|turn| {
        scene.graph.node_mut(turn)?.set_local_matrix(Y_UP_TO_Z_UP)?;
        Ok(turn)
    });
    made.map(Some).map_err(|fault| Error::value(&At::root("scenes"), fault.to_string()))
}

/// Adds nodes with their transforms below one. `order` has parents before children, and no
/// nodes beyond `range`.
fn add_all(
    load: &mut Loading<'_>,
    scene: &mut Scene,
    tree: &Tree,
    order: &[u32],
    range: Range<usize>,
    top: NodeId,
) -> Result<Vec<NodeId>, Error> {
    // Where the nodes are in `order`.
    let mut place = vec![NONE; range.len()];
    for (number, &index) in order.iter().enumerate() {
        place[index as usize - range.start] = number as u32;
    }
    let mut locals = vec![(None, Transform::IDENTITY); order.len()];
    let mut matrices = Vec::new();
    // As they lie in memory, which is not the order of trees.
    for index in range.clone() {
        let number = place[index - range.start];
        if number == NONE {
            continue;
        }
        let at = At::entry("nodes", index);
        let transform = match local(&load.root.nodes[index], &at, &mut load.tolerance)? {
            Local::Parts(transform) => transform,
            Local::Matrix(matrix) => {
                matrices.push((number as usize, matrix));
                Transform::IDENTITY
            }
        };
        let parent = tree.parents[index];
        // A parent is in the same tree, and so in the range.
        let above = (parent != NONE).then(|| place[parent as usize - range.start]);
        locals[number as usize] = (above, transform);
    }
    let added = scene.graph.add_all(Some(top), &locals);
    let nodes = added.map_err(|fault| Error::value(&At::root("nodes"), fault.to_string()))?;
    for (number, matrix) in matrices {
        let at = At::entry("nodes", order[number] as usize);
        let node = scene.graph.node_mut(nodes[number]);
        node.and_then(|mut node| node.set_local_matrix(matrix).map(drop))
            .map_err(|fault| Error::value(&at.key("matrix"), fault.to_string()))?;
    }
    Ok(nodes)
}

/// Gives a node its name, and hides it if it is hidden.
fn name_node(
    load: &mut Loading<'_>,
    scene: &mut Scene,
    index: u32,
    id: NodeId,
) -> Result<(), Error> {
    let node = &load.root.nodes[index as usize];
    let is_visible = node.is_visible();
    if node.name.is_none() && is_visible {
        return Ok(());
    }
    // It was just made.
    let Some(mut made) = scene.graph.get_mut(id) else { return Ok(()) };
    if let Some(name) = &node.name {
        load.budget.take(&At::entry("nodes", index as usize), name.len(), 1)?;
        made.set_name(name);
    }
    if !is_visible {
        made.set_visible(false);
    }
    Ok(())
}

/// Gives a node what it shows, sees and shines with.
fn rows(
    load: &mut Loading<'_>,
    data: &Data<'_>,
    shared: &Shared<'_>,
    scene: &mut Scene,
    index: u32,
    id: NodeId,
) -> Result<(), Error> {
    let root = load.root;
    let node = &root.nodes[index as usize];
    let at = At::entry("nodes", index as usize);
    let fault = |fault: pleach::Error| Error::value(&at, fault.to_string());
    if let Some(mesh) = node.mesh {
        let mesh = checked(mesh, shared.meshes.len(), "mesh", &at.key("mesh"))?;
        let parts = &shared.meshes[mesh];
        load.budget.take(&at.key("mesh"), parts.len(), size_of::<Part>())?;
        let mut row = Mesh::from_parts(parts.clone());
        row.instances = instances(load, data, node, parts, &at)?.map(Box::new);
        scene.meshes.insert(&scene.graph, id, row).map_err(fault)?;
        if let Some(weights) = weights(node, &root.meshes[mesh], parts) {
            let given = node.weights.as_ref().map_or(weights.len(), Vec::len);
            if given != weights.len() {
                let message = format!("{given} weights for {} morph targets", weights.len());
                load.tolerance.bend(&at.key("weights"), WarningCode::MorphWeightCount, message)?;
            }
            load.budget.take(&at, weights.len(), size_of::<f32>())?;
            scene.set_weights(id, weights).map_err(fault)?;
        }
    }
    if let Some(camera) = node.camera {
        let camera = checked(camera, shared.cameras.len(), "camera", &at.key("camera"))?;
        scene.cameras.insert(&scene.graph, id, shared.cameras[camera]).map_err(fault)?;
    }
    if let Some(light) = node.light() {
        let extensions = at.key("extensions");
        let at = extensions.key("KHR_lights_punctual");
        let light = checked(light, shared.lights.len(), "light", &at.key("light"))?;
        scene.lights.insert(&scene.graph, id, shared.lights[light]).map_err(fault)?;
    }
    Ok(())
}

/// Gives a node its skin. Joints that are not in the scene are brought in, beside it.
fn skin_row(
    load: &mut Loading<'_>,
    shared: &Shared<'_>,
    scene: &mut Scene,
    places: &mut Places,
    index: u32,
    id: NodeId,
) -> Result<(), Error> {
    let node = &load.root.nodes[index as usize];
    let node_at = At::entry("nodes", index as usize);
    let at = node_at.key("skin");
    let Some(number) = node.skin else { return Ok(()) };
    let number = checked(number, shared.skins.len(), "skin", &at)?;
    let skin = &shared.skins[number];
    let Some(mesh) = node.mesh else {
        return load.tolerance.bend(
            &at,
            WarningCode::SkinWithoutMesh,
            "a node with a skin, but without a mesh to pose",
        );
    };
    check_influences(load, shared, mesh.index(), skin.joints.len(), &at)?;
    load.budget.take(&at, skin.joints.len(), size_of::<NodeId>() + size_of::<Mat4>())?;
    let mut joints = Vec::with_capacity(skin.joints.len());
    for &joint in &skin.joints {
        if places.node(joint as usize).is_none() {
            let message = format!("joint {joint} of skin {number} is not in a scene of this node");
            load.tolerance.bend(&at, WarningCode::JointOutsideScene, message)?;
            bring(load, shared, scene, places, shared.tree.tops[joint as usize])?;
        }
        // It was there, or is now.
        joints.extend(places.node(joint as usize));
    }
    let mut row = Skin::new(joints, Arc::clone(&skin.inverse_binds))
        .map_err(|fault| Error::value(&at, fault.to_string()))?;
    row.skeleton = skin.skeleton.and_then(|node| places.node(node as usize));
    let inserted = scene.skins.insert(&scene.graph, id, row);
    inserted.map(drop).map_err(|fault| Error::value(&at, fault.to_string()))
}

/// Vertices name joints that are there.
fn check_influences(
    load: &mut Loading<'_>,
    shared: &Shared<'_>,
    mesh: usize,
    joints: usize,
    at: &At<'_>,
) -> Result<(), Error> {
    let mut known = shared.joints.borrow_mut();
    let greatest = known.entry(mesh).or_insert_with(|| greatest_joint(&shared.meshes[mesh]));
    match *greatest {
        Some(Named { joint, part, vertex }) if usize::from(joint) >= joints => {
            let message = format!(
                "vertex {} of primitive {part} of its mesh names joint {joint}, but the skin has \
                 {joints}",
                vertex.0,
            );
            load.tolerance.bend(at, WarningCode::JointOutOfRange, message)
        }
        _ => Ok(()),
    }
}

/// Adds a tree of the file that is not below the scene's root: it poses, but is not drawn.
fn bring(
    load: &mut Loading<'_>,
    shared: &Shared<'_>,
    scene: &mut Scene,
    places: &mut Places,
    root: u32,
) -> Result<(), Error> {
    let above = scene.graph.add_root(Transform::IDENTITY).and_then(|above| {
        if !load.options.keep_y_up {
            scene.graph.node_mut(above)?.set_local_matrix(Y_UP_TO_Z_UP)?;
        }
        Ok(above)
    });
    let above = above.map_err(|fault| Error::value(&At::root("skins"), fault.to_string()))?;
    let order = order(load, shared.tree, &[root])?;
    load.budget.take(&At::root("skins"), load.root.nodes.len(), size_of::<NodeId>())?;
    let range = 0..load.root.nodes.len();
    let nodes = add_all(load, scene, shared.tree, &order, range, above)?;
    for (index, node) in order.into_iter().zip(nodes) {
        name_node(load, scene, index, node)?;
        places.put_joint(&scene.graph, index, node);
    }
    Ok(())
}
