//! Scenes: builds nodes with components from the file's node trees.
//!
//! Reads the JSON, the assets and the node tree; writes scenes and their maps of node indices. A
//! root that several scenes list becomes separate nodes in each. Nodes that no scene lists become
//! an additional last scene. Guarantees that the world transforms of every scene are up to date.

pub(crate) mod bounds;
pub(crate) mod environment;
pub(crate) mod node;
pub(super) mod tree;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use glam::{Mat4, Vec4};
use pleach::{
    Camera, Environment, Handle, Image, Light, Mesh, NodeId, Part, Scene, Skin, Transform,
};

use self::node::{Local, instances, local, weights};
use self::tree::{NONE, Tree};
use super::assets::skin::{self, JointUse, max_joint};
use super::{Data, Load};
use crate::diagnostics::{Pointer, Result};
use crate::document::NodeIndices;
use crate::json::check_index;
use crate::{Error, ErrorKind, Stage, WarningCode};

/// The minimum memory of a node in a scene and its index maps, in bytes.
const NODE_BYTES: usize = 400;

/// The memory of an empty scene, in bytes.
const SCENE_BYTES: usize = 40_000;

/// The number of scenes that are not taken from the budget: a text of a few kilobytes may
/// legitimately list that many.
const FREE_SCENES: usize = 1024;

/// The rotation from Y-up to Z-up. It is exact because it permutes axes.
pub(crate) const Y_UP_TO_Z_UP: Mat4 = Mat4::from_cols(Vec4::X, Vec4::Z, Vec4::NEG_Y, Vec4::W);

/// The assets and nodes that all scenes share.
#[derive(Debug)]
pub(crate) struct SharedAssets<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) meshes: &'a [Vec<Part>],
    pub(crate) skins: &'a [skin::Skin],
    pub(crate) cameras: &'a [Camera],
    pub(crate) lights: &'a [Light],
    pub(crate) images: &'a [Handle<Image>],
    /// The largest joint index by mesh, computed on first use.
    pub(crate) joints: RefCell<HashMap<usize, Option<JointUse>>>,
}

/// Builds the scenes and their maps of node indices. The last scene contains the nodes that no
/// scene lists, if there are any.
pub(crate) fn scenes(
    load: &mut Load<'_>,
    data: &Data<'_>,
    shared: &SharedAssets<'_>,
    roots: &[Vec<u32>],
) -> Result<(Vec<Scene>, Vec<NodeIndices>)> {
    let mut is_listed = vec![false; load.root.nodes.len()];
    for &root in roots.iter().flatten() {
        is_listed[root as usize] = true;
    }
    let unreferenced: Vec<u32> =
        shared.tree.roots().filter(|&root| !is_listed[root as usize]).collect();
    drop(is_listed);
    let mut made = (Vec::new(), Vec::new());
    let names = load.root.scenes.iter().map(|scene| scene.name.as_deref().unwrap_or_default());
    let last = (!unreferenced.is_empty()).then_some((&unreferenced, ""));
    for (roots, name) in roots.iter().zip(names).chain(last) {
        let bytes = if made.0.len() < FREE_SCENES { 0 } else { SCENE_BYTES };
        load.budget.take(&Pointer::root("scenes"), 1, bytes + name.len())?;
        let (mut scene, node_indices) = scene(load, data, shared, roots, name)?;
        scene.environment = environment(load, made.0.len(), shared.images)?;
        made.0.push(scene);
        made.1.push(node_indices);
    }
    Ok(made)
}

/// Returns the environment of a scene of the file, with warnings of its faults.
fn environment(load: &mut Load<'_>, index: usize, images: &[Handle<Image>]) -> Result<Environment> {
    let at = Pointer::entry("scenes", index);
    let at = at.key("extensions");
    let at = at.key("PLEACH_environment");
    environment::environment(load.root.scenes.get(index), images, |member, reason| {
        let message = format!("it is ignored: {reason}");
        let code = WarningCode::InvalidEnvironment;
        match member {
            Some(member) => load.tolerance.tolerate(&at.key(member), code, message),
            None => load.tolerance.tolerate(&at, code, message),
        }
    })
}

fn scene(
    load: &mut Load<'_>,
    data: &Data<'_>,
    shared: &SharedAssets<'_>,
    roots: &[u32],
    name: &str,
) -> Result<(Scene, NodeIndices)> {
    let mut scene = Scene::named(name);
    scene.assets = load.assets.clone();
    let order = depth_first_order(load, shared.tree, roots)?;
    let first = order.iter().min().map_or(0, |&min| min as usize);
    let last = order.iter().max().map_or(0, |&max| max as usize + 1);
    load.budget.take(&Pointer::root("scenes"), last - first, size_of::<Option<NodeId>>())?;
    let mut node_indices = NodeIndices::new(first..last);
    let reserved = scene.graph.reserve(order.len() + 1);
    reserved.map_err(|error| Error::new(ErrorKind::Limit, &Pointer::ROOT, error.to_string()))?;
    node_indices.up_axis_node = add_up_axis_node(load, &mut scene, !roots.is_empty())?;
    let parent = node_indices.up_axis_node.unwrap_or(scene.root());
    let mut loader = SceneLoader { load, data, shared, scene, node_indices };
    let nodes = loader.add_all(&order, first..last, parent)?;
    let mut skinned = Vec::new();
    for (number, (&index, &node)) in order.iter().zip(&nodes).enumerate() {
        if number % 4096 == 0 {
            loader.load.progress(Stage::Scenes, number, order.len())?;
        }
        loader.node_indices.insert(index, node);
        loader.set_name_and_visibility(index, node)?;
        loader.insert_components(index, node)?;
        loader.insert_bounds(index, node)?;
        if loader.load.root.nodes[index as usize].skin.is_some() {
            skinned.push((index, node));
        }
    }
    for (index, node) in skinned {
        loader.insert_skin(index, node)?;
    }
    let SceneLoader { mut scene, node_indices, .. } = loader;
    scene.update().map_err(|error| Error::value(&Pointer::root("scenes"), error.to_string()))?;
    Ok((scene, node_indices))
}

/// Returns the nodes of the trees of `roots` in depth-first order, children in the file's order.
fn depth_first_order(load: &mut Load<'_>, tree: &Tree, roots: &[u32]) -> Result<Vec<u32>> {
    let mut order = Vec::new();
    let mut stack: Vec<u32> = roots.iter().rev().copied().collect();
    while let Some(node) = stack.pop() {
        load.budget.take(&Pointer::root("scenes"), 1, NODE_BYTES)?;
        order.push(node);
        stack.extend(tree.children(node).iter().rev());
    }
    Ok(order)
}

/// Adds the node above the file's roots that converts Y-up to Z-up, if it is needed.
fn add_up_axis_node(load: &Load<'_>, scene: &mut Scene, is_needed: bool) -> Result<Option<NodeId>> {
    if load.options.keep_y_up || !is_needed {
        return Ok(None);
    }
    let root = scene.root();
    let made = scene.graph.add_child(root, Transform::IDENTITY).and_then(|node| {
        scene.graph.node_mut(node)?.set_local_matrix(Y_UP_TO_Z_UP)?;
        Ok(node)
    });
    made.map(Some).map_err(|error| Error::value(&Pointer::root("scenes"), error.to_string()))
}

/// A scene under construction.
struct SceneLoader<'l, 'a> {
    load: &'l mut Load<'a>,
    data: &'l Data<'l>,
    shared: &'l SharedAssets<'l>,
    scene: Scene,
    node_indices: NodeIndices,
}

impl SceneLoader<'_, '_> {
    /// Adds nodes with their transforms as descendants of `parent`. `order` lists parents before
    /// children, and all its indices are in `range`.
    fn add_all(
        &mut self,
        order: &[u32],
        range: Range<usize>,
        parent: NodeId,
    ) -> Result<Vec<NodeId>> {
        // Positions in `order` by node index.
        let mut position = vec![NONE; range.len()];
        for (number, &index) in order.iter().enumerate() {
            position[index as usize - range.start] = number as u32;
        }
        let mut locals = vec![(None, Transform::IDENTITY); order.len()];
        let mut matrices = Vec::new();
        // In memory order, which is faster than the order of the trees.
        for index in range.clone() {
            let number = position[index - range.start];
            if number == NONE {
                continue;
            }
            let at = Pointer::entry("nodes", index);
            let transform =
                match local(&self.load.root.nodes[index], &at, &mut self.load.tolerance)? {
                    Local::Trs(transform) => transform,
                    Local::Matrix(matrix) => {
                        matrices.push((number as usize, matrix));
                        Transform::IDENTITY
                    }
                };
            let parent = self.shared.tree.parents[index];
            // A parent is in the same tree and therefore in the range.
            let above = (parent != NONE).then(|| position[parent as usize - range.start]);
            locals[number as usize] = (above, transform);
        }
        drop(position);
        let added = self.scene.graph.add_all(Some(parent), &locals);
        drop(locals);
        let nodes =
            added.map_err(|error| Error::value(&Pointer::root("nodes"), error.to_string()))?;
        for (number, matrix) in matrices {
            let at = Pointer::entry("nodes", order[number] as usize);
            let node = self.scene.graph.node_mut(nodes[number]);
            node.and_then(|mut node| node.set_local_matrix(matrix).map(drop))
                .map_err(|error| Error::value(&at.key("matrix"), error.to_string()))?;
        }
        Ok(nodes)
    }

    /// Sets the name and visibility of a node.
    fn set_name_and_visibility(&mut self, index: u32, id: NodeId) -> Result<()> {
        let node = &self.load.root.nodes[index as usize];
        let is_visible = node.is_visible();
        if node.name.is_none() && is_visible {
            return Ok(());
        }
        // The node was just added, so that it exists.
        let Some(mut made) = self.scene.graph.get_mut(id) else { return Ok(()) };
        if let Some(name) = &node.name {
            self.load.budget.take(&Pointer::entry("nodes", index as usize), name.len(), 1)?;
            made.set_name(name);
        }
        if !is_visible {
            made.set_visible(false);
        }
        Ok(())
    }

    /// Inserts the mesh, camera and light of a node.
    fn insert_components(&mut self, index: u32, id: NodeId) -> Result<()> {
        let root = self.load.root;
        let node = &root.nodes[index as usize];
        let at = Pointer::entry("nodes", index as usize);
        let to_error = |error: pleach::Error| Error::value(&at, error.to_string());
        if let Some(mesh) = node.mesh {
            let mesh = check_index(mesh, self.shared.meshes.len(), "mesh", &at.key("mesh"))?;
            let parts = &self.shared.meshes[mesh];
            self.load.budget.take(&at.key("mesh"), parts.len(), size_of::<Part>())?;
            let mut component = Mesh::from_parts(parts.clone());
            component.instances = instances(self.load, self.data, node, parts, &at)?.map(Box::new);
            self.scene.meshes.insert(&self.scene.graph, id, component).map_err(to_error)?;
            if let Some(weights) = weights(node, &root.meshes[mesh], parts) {
                let given = node.weights.as_ref().map_or(weights.len(), |it| it.len());
                if given != weights.len() {
                    let message = format!("{given} weights for {} morph targets", weights.len());
                    self.load.tolerate(
                        &at.key("weights"),
                        WarningCode::MorphWeightCount,
                        message,
                    )?;
                }
                self.load.budget.take(&at, weights.len(), size_of::<f32>())?;
                self.scene.set_weights(id, weights).map_err(to_error)?;
            }
        }
        if let Some(camera) = node.camera {
            let camera =
                check_index(camera, self.shared.cameras.len(), "camera", &at.key("camera"))?;
            self.scene
                .cameras
                .insert(&self.scene.graph, id, self.shared.cameras[camera])
                .map_err(to_error)?;
        }
        if let Some(light) = node.light() {
            let extensions = at.key("extensions");
            let at = extensions.key("KHR_lights_punctual");
            let light = check_index(light, self.shared.lights.len(), "light", &at.key("light"))?;
            self.scene
                .lights
                .insert(&self.scene.graph, id, self.shared.lights[light])
                .map_err(to_error)?;
        }
        Ok(())
    }

    /// Inserts the bounds of a node that were set by the user.
    fn insert_bounds(&mut self, index: u32, id: NodeId) -> Result<()> {
        let bounds = match bounds::bounds(&self.load.root.nodes[index as usize]) {
            Ok(None) => return Ok(()),
            Ok(Some(bounds)) => {
                self.scene.set_bounds(id, Some(bounds)).map_err(|it| it.to_string())
            }
            Err(reason) => Err(reason),
        };
        let Err(reason) = bounds else { return Ok(()) };
        let at = Pointer::entry("nodes", index as usize);
        let at = at.key("extensions");
        let (at, message) = (at.key(bounds::PLEACH_BOUNDS), format!("it is ignored: {reason}"));
        self.load.tolerate(&at, WarningCode::InvalidBounds, message)
    }

    /// Inserts the skin of a node. Trees of joints that are not in the scene are added outside of
    /// its root.
    fn insert_skin(&mut self, index: u32, id: NodeId) -> Result<()> {
        let node = &self.load.root.nodes[index as usize];
        let node_at = Pointer::entry("nodes", index as usize);
        let at = node_at.key("skin");
        let Some(number) = node.skin else { return Ok(()) };
        let number = check_index(number, self.shared.skins.len(), "skin", &at)?;
        let skin = &self.shared.skins[number];
        let Some(mesh) = node.mesh else {
            let message = "the node has a skin but no mesh";
            return self.load.tolerate(&at, WarningCode::SkinWithoutMesh, message);
        };
        self.check_influences(mesh.index(), skin.joints.len(), &at)?;
        self.load.budget.take(&at, skin.joints.len(), size_of::<NodeId>() + size_of::<Mat4>())?;
        let mut joints = Vec::with_capacity(skin.joints.len());
        for &joint in &skin.joints {
            if self.node_indices.node(joint as usize).is_none() {
                let message =
                    format!("joint {joint} of skin {number} is not in a scene of this node");
                self.load.tolerate(&at, WarningCode::JointOutsideScene, message)?;
                self.add_joint_tree(self.shared.tree.root_of[joint as usize])?;
            }
            // The joint was in the scene, or was added above.
            joints.extend(self.node_indices.node(joint as usize));
        }
        let mut component = Skin::new(joints, Arc::clone(&skin.inverse_binds))
            .map_err(|error| Error::value(&at, error.to_string()))?;
        component.skeleton = skin.skeleton.and_then(|node| self.node_indices.node(node as usize));
        let inserted = self.scene.skins.insert(&self.scene.graph, id, component);
        inserted.map(drop).map_err(|error| Error::value(&at, error.to_string()))
    }

    /// Warns if a vertex refers to a joint that the skin does not have.
    fn check_influences(&mut self, mesh: usize, joints: usize, at: &Pointer<'_>) -> Result<()> {
        let mut known = self.shared.joints.borrow_mut();
        let max = known.entry(mesh).or_insert_with(|| max_joint(&self.shared.meshes[mesh]));
        match *max {
            Some(JointUse { joint, part, vertex }) if usize::from(joint) >= joints => {
                let message = format!(
                    "vertex {} of primitive {part} of its mesh refers to joint {joint}, but the skin has \
                     only {joints}",
                    vertex.0,
                );
                self.load.tolerate(at, WarningCode::JointOutOfRange, message)
            }
            _ => Ok(()),
        }
    }

    /// Adds a tree of joints that is not below the scene's root: it deforms meshes, but is not
    /// drawn.
    fn add_joint_tree(&mut self, root: u32) -> Result<()> {
        let above = self.scene.graph.add_root(Transform::IDENTITY).and_then(|above| {
            if !self.load.options.keep_y_up {
                self.scene.graph.node_mut(above)?.set_local_matrix(Y_UP_TO_Z_UP)?;
            }
            Ok(above)
        });
        let above =
            above.map_err(|error| Error::value(&Pointer::root("skins"), error.to_string()))?;
        let order = depth_first_order(self.load, self.shared.tree, &[root])?;
        self.load.budget.take(
            &Pointer::root("skins"),
            self.load.root.nodes.len(),
            size_of::<NodeId>(),
        )?;
        let range = 0..self.load.root.nodes.len();
        let nodes = self.add_all(&order, range, above)?;
        for (index, node) in order.into_iter().zip(nodes) {
            self.set_name_and_visibility(index, node)?;
            self.insert_bounds(index, node)?;
            self.node_indices.insert_joint(&self.scene.graph, index, node);
        }
        Ok(())
    }
}
