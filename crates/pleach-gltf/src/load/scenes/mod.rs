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
use super::assets::skin::{self, JointUse, max_joint};
use super::{Data, Load};
use crate::diagnostics::Pointer;
use crate::document::NodeIndices;
use crate::json::check_index;
use crate::{Error, ErrorKind, Stage, WarningCode};

/// What a node takes at least, in a scene and beside it.
const NODE_BYTES: usize = 400;

/// What a scene takes that has no nodes.
const SCENE_BYTES: usize = 40_000;

/// The turn from +Y up to +Z up: exact, as it only exchanges axes.
pub(crate) const Y_UP_TO_Z_UP: Mat4 = Mat4::from_cols(Vec4::X, Vec4::Z, Vec4::NEG_Y, Vec4::W);

/// What is there once for all scenes.
#[derive(Debug)]
pub(crate) struct SharedAssets<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) meshes: &'a [Vec<Part>],
    pub(crate) skins: &'a [skin::Skin],
    pub(crate) cameras: &'a [Camera],
    pub(crate) lights: &'a [Light],
    /// By mesh: the greatest joint that it needs, once it was asked for.
    pub(crate) joints: RefCell<HashMap<usize, Option<JointUse>>>,
}

/// The scenes, and which of their nodes are which. The last is of the nodes that no scene
/// lists, if there are any.
pub(crate) fn scenes(
    load: &mut Load<'_>,
    data: &Data<'_>,
    shared: &SharedAssets<'_>,
    roots: &[Vec<u32>],
) -> Result<(Vec<Scene>, Vec<NodeIndices>), Error> {
    let mut is_listed = vec![false; load.root.nodes.len()];
    for &root in roots.iter().flatten() {
        is_listed[root as usize] = true;
    }
    let unreferenced: Vec<u32> =
        shared.tree.roots().filter(|&root| !is_listed[root as usize]).collect();
    let mut made = (Vec::new(), Vec::new());
    let names = load.root.scenes.iter().map(|scene| scene.name.as_deref().unwrap_or_default());
    for (roots, name) in roots.iter().zip(names) {
        let (scene, node_indices) = scene(load, data, shared, roots, name)?;
        made.0.push(scene);
        made.1.push(node_indices);
    }
    if !unreferenced.is_empty() {
        let (scene, node_indices) = scene(load, data, shared, &unreferenced, "")?;
        made.0.push(scene);
        made.1.push(node_indices);
    }
    Ok(made)
}

fn scene(
    load: &mut Load<'_>,
    data: &Data<'_>,
    shared: &SharedAssets<'_>,
    roots: &[u32],
    name: &str,
) -> Result<(Scene, NodeIndices), Error> {
    load.budget.take(&Pointer::root("scenes"), 1, SCENE_BYTES + name.len())?;
    let mut scene = Scene::named(name);
    scene.assets = load.assets.clone();
    let order = depth_first_order(load, shared.tree, roots)?;
    let first = order.iter().min().map_or(0, |&min| min as usize);
    let last = order.iter().max().map_or(0, |&max| max as usize + 1);
    load.budget.take(&Pointer::root("scenes"), last - first, size_of::<Option<NodeId>>())?;
    let mut node_indices = NodeIndices::new(first..last);
    let reserved = scene.graph.reserve(order.len() + 1);
    reserved.map_err(|fault| Error::new(ErrorKind::Limit, &Pointer::ROOT, fault.to_string()))?;
    node_indices.up_axis_node = add_up_axis_node(load, &mut scene, !roots.is_empty())?;
    let parent = node_indices.up_axis_node.unwrap_or(scene.root());
    let nodes = add_all(load, &mut scene, shared.tree, &order, first..last, parent)?;
    let mut skinned = Vec::new();
    for (number, (&index, &node)) in order.iter().zip(&nodes).enumerate() {
        if number % 4096 == 0 {
            load.progress(Stage::Scenes, number, order.len())?;
        }
        node_indices.insert(index, node);
        set_name_and_visibility(load, &mut scene, index, node)?;
        insert_components(load, data, shared, &mut scene, index, node)?;
        if load.root.nodes[index as usize].skin.is_some() {
            skinned.push((index, node));
        }
    }
    for (index, node) in skinned {
        insert_skin(load, shared, &mut scene, &mut node_indices, index, node)?;
    }
    scene.update().map_err(|fault| Error::value(&Pointer::root("scenes"), fault.to_string()))?;
    Ok((scene, node_indices))
}

/// The nodes below some roots, depth first, children in the file's order.
fn depth_first_order(load: &mut Load<'_>, tree: &Tree, roots: &[u32]) -> Result<Vec<u32>, Error> {
    let mut order = Vec::new();
    let mut stack: Vec<u32> = roots.iter().rev().copied().collect();
    while let Some(node) = stack.pop() {
        load.budget.take(&Pointer::root("scenes"), 1, NODE_BYTES)?;
        order.push(node);
        stack.extend(tree.children(node).iter().rev());
    }
    Ok(order)
}

/// The node above the file's roots that turns them.
fn add_up_axis_node(
    load: &Load<'_>,
    scene: &mut Scene,
    is_needed: bool,
) -> Result<Option<NodeId>, Error> {
    if load.options.keep_y_up || !is_needed {
        return Ok(None);
    }
    let root = scene.root();
    let made = scene.graph.add_child(root, Transform::IDENTITY).and_then(|node| {
        scene.graph.node_mut(node)?.set_local_matrix(Y_UP_TO_Z_UP)?;
        Ok(node)
    });
    made.map(Some).map_err(|fault| Error::value(&Pointer::root("scenes"), fault.to_string()))
}

/// Adds nodes with their transforms below one. `order` has parents before children, and no
/// nodes beyond `range`.
fn add_all(
    load: &mut Load<'_>,
    scene: &mut Scene,
    tree: &Tree,
    order: &[u32],
    range: Range<usize>,
    parent: NodeId,
) -> Result<Vec<NodeId>, Error> {
    // Where the nodes are in `order`.
    let mut position = vec![NONE; range.len()];
    for (number, &index) in order.iter().enumerate() {
        position[index as usize - range.start] = number as u32;
    }
    let mut locals = vec![(None, Transform::IDENTITY); order.len()];
    let mut matrices = Vec::new();
    // As they lie in memory, which is not the order of trees.
    for index in range.clone() {
        let number = position[index - range.start];
        if number == NONE {
            continue;
        }
        let at = Pointer::entry("nodes", index);
        let transform = match local(&load.root.nodes[index], &at, &mut load.tolerance)? {
            Local::Trs(transform) => transform,
            Local::Matrix(matrix) => {
                matrices.push((number as usize, matrix));
                Transform::IDENTITY
            }
        };
        let parent = tree.parents[index];
        // A parent is in the same tree, and so in the range.
        let above = (parent != NONE).then(|| position[parent as usize - range.start]);
        locals[number as usize] = (above, transform);
    }
    let added = scene.graph.add_all(Some(parent), &locals);
    let nodes = added.map_err(|fault| Error::value(&Pointer::root("nodes"), fault.to_string()))?;
    for (number, matrix) in matrices {
        let at = Pointer::entry("nodes", order[number] as usize);
        let node = scene.graph.node_mut(nodes[number]);
        node.and_then(|mut node| node.set_local_matrix(matrix).map(drop))
            .map_err(|fault| Error::value(&at.key("matrix"), fault.to_string()))?;
    }
    Ok(nodes)
}

/// Gives a node its name, and hides it if it is hidden.
fn set_name_and_visibility(
    load: &mut Load<'_>,
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
        load.budget.take(&Pointer::entry("nodes", index as usize), name.len(), 1)?;
        made.set_name(name);
    }
    if !is_visible {
        made.set_visible(false);
    }
    Ok(())
}

/// Gives a node what it shows, sees and shines with.
fn insert_components(
    load: &mut Load<'_>,
    data: &Data<'_>,
    shared: &SharedAssets<'_>,
    scene: &mut Scene,
    index: u32,
    id: NodeId,
) -> Result<(), Error> {
    let root = load.root;
    let node = &root.nodes[index as usize];
    let at = Pointer::entry("nodes", index as usize);
    let fault = |fault: pleach::Error| Error::value(&at, fault.to_string());
    if let Some(mesh) = node.mesh {
        let mesh = check_index(mesh, shared.meshes.len(), "mesh", &at.key("mesh"))?;
        let parts = &shared.meshes[mesh];
        load.budget.take(&at.key("mesh"), parts.len(), size_of::<Part>())?;
        let mut component = Mesh::from_parts(parts.clone());
        component.instances = instances(load, data, node, parts, &at)?.map(Box::new);
        scene.meshes.insert(&scene.graph, id, component).map_err(fault)?;
        if let Some(weights) = weights(node, &root.meshes[mesh], parts) {
            let given = node.weights.as_ref().map_or(weights.len(), Vec::len);
            if given != weights.len() {
                let message = format!("{given} weights for {} morph targets", weights.len());
                load.tolerance.tolerate(
                    &at.key("weights"),
                    WarningCode::MorphWeightCount,
                    message,
                )?;
            }
            load.budget.take(&at, weights.len(), size_of::<f32>())?;
            scene.set_weights(id, weights).map_err(fault)?;
        }
    }
    if let Some(camera) = node.camera {
        let camera = check_index(camera, shared.cameras.len(), "camera", &at.key("camera"))?;
        scene.cameras.insert(&scene.graph, id, shared.cameras[camera]).map_err(fault)?;
    }
    if let Some(light) = node.light() {
        let extensions = at.key("extensions");
        let at = extensions.key("KHR_lights_punctual");
        let light = check_index(light, shared.lights.len(), "light", &at.key("light"))?;
        scene.lights.insert(&scene.graph, id, shared.lights[light]).map_err(fault)?;
    }
    Ok(())
}

/// Gives a node its skin. Joints that are not in the scene are brought in, beside it.
fn insert_skin(
    load: &mut Load<'_>,
    shared: &SharedAssets<'_>,
    scene: &mut Scene,
    node_indices: &mut NodeIndices,
    index: u32,
    id: NodeId,
) -> Result<(), Error> {
    let node = &load.root.nodes[index as usize];
    let node_at = Pointer::entry("nodes", index as usize);
    let at = node_at.key("skin");
    let Some(number) = node.skin else { return Ok(()) };
    let number = check_index(number, shared.skins.len(), "skin", &at)?;
    let skin = &shared.skins[number];
    let Some(mesh) = node.mesh else {
        return load.tolerance.tolerate(
            &at,
            WarningCode::SkinWithoutMesh,
            "a node with a skin, but without a mesh to pose",
        );
    };
    check_influences(load, shared, mesh.index(), skin.joints.len(), &at)?;
    load.budget.take(&at, skin.joints.len(), size_of::<NodeId>() + size_of::<Mat4>())?;
    let mut joints = Vec::with_capacity(skin.joints.len());
    for &joint in &skin.joints {
        if node_indices.node(joint as usize).is_none() {
            let message = format!("joint {joint} of skin {number} is not in a scene of this node");
            load.tolerance.tolerate(&at, WarningCode::JointOutsideScene, message)?;
            add_joint_tree(load, shared, scene, node_indices, shared.tree.root_of[joint as usize])?;
        }
        // It was there, or is now.
        joints.extend(node_indices.node(joint as usize));
    }
    let mut component = Skin::new(joints, Arc::clone(&skin.inverse_binds))
        .map_err(|fault| Error::value(&at, fault.to_string()))?;
    component.skeleton = skin.skeleton.and_then(|node| node_indices.node(node as usize));
    let inserted = scene.skins.insert(&scene.graph, id, component);
    inserted.map(drop).map_err(|fault| Error::value(&at, fault.to_string()))
}

/// Vertices name joints that are there.
fn check_influences(
    load: &mut Load<'_>,
    shared: &SharedAssets<'_>,
    mesh: usize,
    joints: usize,
    at: &Pointer<'_>,
) -> Result<(), Error> {
    let mut known = shared.joints.borrow_mut();
    let max = known.entry(mesh).or_insert_with(|| max_joint(&shared.meshes[mesh]));
    match *max {
        Some(JointUse { joint, part, vertex }) if usize::from(joint) >= joints => {
            let message = format!(
                "vertex {} of primitive {part} of its mesh names joint {joint}, but the skin has \
                 {joints}",
                vertex.0,
            );
            load.tolerance.tolerate(at, WarningCode::JointOutOfRange, message)
        }
        _ => Ok(()),
    }
}

/// Adds a tree of the file that is not below the scene's root: it poses, but is not drawn.
fn add_joint_tree(
    load: &mut Load<'_>,
    shared: &SharedAssets<'_>,
    scene: &mut Scene,
    node_indices: &mut NodeIndices,
    root: u32,
) -> Result<(), Error> {
    let above = scene.graph.add_root(Transform::IDENTITY).and_then(|above| {
        if !load.options.keep_y_up {
            scene.graph.node_mut(above)?.set_local_matrix(Y_UP_TO_Z_UP)?;
        }
        Ok(above)
    });
    let above = above.map_err(|fault| Error::value(&Pointer::root("skins"), fault.to_string()))?;
    let order = depth_first_order(load, shared.tree, &[root])?;
    load.budget.take(&Pointer::root("skins"), load.root.nodes.len(), size_of::<NodeId>())?;
    let range = 0..load.root.nodes.len();
    let nodes = add_all(load, scene, shared.tree, &order, range, above)?;
    for (index, node) in order.into_iter().zip(nodes) {
        set_name_and_visibility(load, scene, index, node)?;
        node_indices.insert_joint(&scene.graph, index, node);
    }
    Ok(())
}
