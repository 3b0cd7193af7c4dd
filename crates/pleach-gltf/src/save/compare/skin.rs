//! Skins. The file's skins keep their order; those with removed joints, or whose joints no longer
//! have a common root, are left out. A node that uses such a skin cannot be written.

use std::collections::HashMap;
use std::sync::Arc;

use glam::Mat4;
use pleach::{BindMode, Mesh, NodeId, Skin};

use super::super::output::json_edit::{JsonEdit, index_array};
use super::super::output::output_document::OutputDocument;
use super::index_map::IndexMap;
use super::node_tree::NodeTree;
use crate::diagnostics::Pointer;
use crate::load::skin;
use crate::save::{SaveContext, SaveInput};
use crate::{Error, ErrorKind, WarningCode};

/// The index of each skin.
#[derive(Debug)]
pub(crate) struct Skins {
    /// The new index of each of the file's skins, or `None` if it is left out.
    new_indices: Vec<Option<usize>>,
    added: Vec<AddedSkin>,
    kept: usize,
    /// The trees of the written nodes, if the document has skins.
    tree: Option<NodeTree>,
    /// The scenes that list each root, if the document has skins.
    scenes_of: HashMap<usize, Vec<usize>>,
}

/// A new skin.
#[derive(Debug, PartialEq)]
struct AddedSkin {
    joints: Vec<usize>,
    inverse_binds: Arc<[Mat4]>,
    skeleton: Option<usize>,
}

impl Skins {
    /// Decides which of the file's skins are kept, and renumbers their joints.
    pub(crate) fn new(
        input: &SaveInput<'_>,
        index_map: &IndexMap,
        output: &mut OutputDocument<'_>,
    ) -> Self {
        let mut new_indices = Vec::new();
        let mut kept = 0;
        let has_skins = !input.document.skins.is_empty()
            || input.scenes.iter().any(|scene| scene.skins.iter(&scene.graph).next().is_some());
        let tree = has_skins.then(|| NodeTree::written(input, index_map));
        // Needed only for skins that are faulty, which may have been so in the file.
        let mut file_tree = None;
        let mut is_of_file = |fault: &dyn Fn(&NodeTree) -> bool| {
            fault(file_tree.get_or_insert_with(|| NodeTree::of_file(input.root)))
        };
        for (index, skin) in input.document.skins.iter().enumerate() {
            let joints: Option<Vec<usize>> =
                skin.joints.iter().map(|&joint| index_map.new_index(joint as usize)).collect();
            let file_joints: Vec<usize> = skin.joints.iter().map(|&it| it as usize).collect();
            let has_common_root = |joints: &Vec<usize>| {
                let tree = tree.as_ref();
                tree.is_none_or(|tree| tree.find_in_other_tree(joints).is_none())
                    || is_of_file(&|file| file.find_in_other_tree(&file_joints).is_some())
            };
            let Some(joints) = joints.filter(has_common_root) else {
                let is_left = |&joint: &u32| index_map.new_index(joint as usize).is_some();
                if skin.joints.iter().any(is_left) {
                    let message = "joints of the skin were removed or have no common root any more; it is \
                                   left out";
                    let at = Pointer::entry("skins", index);
                    output.report.warn(&at, WarningCode::DroppedSkin, message);
                }
                output.skins.remove(index);
                new_indices.push(None);
                continue;
            };
            new_indices.push(Some(kept));
            kept += 1;
            let json = &input.root.skins[index];
            let mut edit = JsonEdit::new();
            if !joints.iter().copied().eq(json.joints.iter().map(|it| it.index())) {
                edit.set(&["joints"], index_array(joints.iter().copied()));
            }
            let skeleton = skin.skeleton.and_then(|node| {
                let written = index_map.new_index(node as usize)?;
                let is_above = tree.as_ref().is_none_or(|it| it.is_above_all(written, &joints))
                    || is_of_file(&|file| !file.is_above_all(node as usize, &file_joints));
                if !is_above {
                    warn_skeleton(output, &Pointer::entry("skins", kept - 1));
                }
                Some(written).filter(|_| is_above)
            });
            if skeleton != json.skeleton.map(|it| it.index()) {
                edit.set_or_remove(&["skeleton"], skeleton.map(|node| node.to_string()));
            }
            output.skins.edit(index, edit);
        }
        let mut scenes_of: HashMap<usize, Vec<usize>> = HashMap::new();
        for (scene_index, roots) in index_map.roots.iter().enumerate().filter(|_| has_skins) {
            for &root in roots {
                scenes_of.entry(root).or_default().push(scene_index);
            }
        }
        Self { new_indices, added: Vec::new(), kept, tree, scenes_of }
    }

    /// Returns the new index of one of the file's skins.
    pub(crate) fn new_index(&self, file: usize) -> Option<usize> {
        self.new_indices.get(file).copied().flatten()
    }

    /// Returns `true` if every scene with the written node `node` has the node `joint`, too.
    fn is_in_scenes_of(&self, joint: usize, node: usize) -> bool {
        let Some(tree) = &self.tree else { return true };
        let [joint, node] = [joint, node].map(|it| tree.root(it));
        let scenes = |root| self.scenes_of.get(&root).map_or(&[][..], |it| it);
        joint == node || scenes(node).iter().all(|scene| scenes(joint).contains(scene))
    }
}

impl SaveContext<'_> {
    /// Returns the index of the skin of the written node `node`, and adds the skin if it is new.
    pub(crate) fn skin_index(
        &mut self,
        (scene_index, skin): (usize, &Skin),
        node: usize,
        file: Option<usize>,
        at: &Pointer<'_>,
    ) -> Result<usize, Error> {
        if skin.bind_mode == BindMode::Detached {
            let message = "the skin has the bind mode `Detached`, which glTF cannot express: its joints \
                           alone position a mesh; set the mode to `Attached`";
            return Err(Error::new(ErrorKind::Unwritable, at, message));
        }
        let (input, index_map) = (self.input, self.index_map);
        let graph = &input.scenes[scene_index].graph;
        let index_of = |node: NodeId| {
            // The file's node may still exist in another scene.
            let joint =
                input.file_node_or_joint(scene_index, node).filter(|_| graph.contains(node));
            index_map.index(scene_index, node).or_else(|| index_map.new_index(joint? as usize))
        };
        let describe = |number: usize| {
            let joint = skin.joints[number];
            let name = graph.get(joint).and_then(|joint| joint.name());
            name.map_or_else(|| joint.to_string(), |name| format!("{name:?}"))
        };
        // In some files joints are outside of the scene, which loading reports.
        let is_outside = |joint: NodeId| {
            index_of(joint).is_some_and(|it| !self.skins.is_in_scenes_of(it, node))
                && !input.is_joint_only(scene_index, joint)
        };
        if let Some(number) = skin.joints.iter().position(|&joint| is_outside(joint)) {
            let message = format!(
                "joint {number} of the skin, node {}, is not in the scene of the node; attach it below the \
                 root of the scene",
                describe(number),
            );
            return Err(Error::new(ErrorKind::Unwritable, at, message));
        }
        if let Some(file) = file
            && let Some(index) = self.skins.new_index(file)
            && is_same(&input.document.skins[file], skin, index_map, index_of)
        {
            return Ok(index);
        }
        let mut joints = Vec::with_capacity(skin.joints.len());
        for (number, &joint) in skin.joints.iter().enumerate() {
            let Some(index) = index_of(joint) else {
                let message = format!(
                    "joint {number} of the skin, node {joint}, was removed from the scene; remove the \
                     skin or replace the joint"
                );
                return Err(Error::new(ErrorKind::Unwritable, at, message));
            };
            joints.push(index);
        }
        let mut skeleton = skin.skeleton.and_then(index_of);
        if let Some(tree) = &self.skins.tree {
            if let Some(number) = tree.find_in_other_tree(&joints) {
                let message = format!(
                    "joint {number} of the skin, node {}, has no common root with joint 0, node {}; glTF \
                     requires one: attach both below the same node",
                    describe(number),
                    describe(0),
                );
                return Err(Error::new(ErrorKind::Unwritable, at, message));
            }
            if skeleton.is_some_and(|skeleton| !tree.is_above_all(skeleton, &joints)) {
                skeleton = None;
                let index = self.skins.kept + self.skins.added.len();
                warn_skeleton(&mut self.output, &Pointer::entry("skins", index));
            }
        }
        let matrices: Arc<[Mat4]> = if skin.bind_matrix == Mat4::IDENTITY {
            Arc::clone(&skin.inverse_bind_matrices)
        } else {
            skin.inverse_bind_matrices.iter().map(|&inverse| inverse * skin.bind_matrix).collect()
        };
        if joints.is_empty() {
            let message = "the skin has no joints; remove it, or add joints";
            return Err(Error::new(ErrorKind::Unwritable, at, message));
        }
        // The fields of a skin can be edited, so its matrices may not fit its joints any more.
        if let Err(error) = Skin::new(skin.joints.clone(), Arc::clone(&matrices)) {
            return Err(Error::new(ErrorKind::Unwritable, at, error.to_string()));
        }
        if let Some(joint) = matrices.iter().position(|it| it.row(3) != glam::Vec4::W) {
            let message = format!(
                "the last row of the inverse bind matrix of joint {joint} of the skin is {}; glTF \
                 requires 0, 0, 0, 1",
                matrices[joint].row(3),
            );
            return Err(Error::new(ErrorKind::Unwritable, at, message));
        }
        let added = AddedSkin { joints, inverse_binds: matrices, skeleton };
        if let Some(position) = self.skins.added.iter().position(|it| *it == added) {
            return Ok(self.skins.kept + position);
        }
        let accessor = self.output.mat4s(&added.inverse_binds);
        let mut edit = JsonEdit::new();
        edit.set(&["inverseBindMatrices"], accessor.to_string());
        edit.set(&["joints"], index_array(added.joints.iter().copied()));
        if let Some(skeleton) = skeleton {
            edit.set(&["skeleton"], skeleton.to_string());
        }
        self.output.skins.add(edit.to_object());
        self.skins.added.push(added);
        Ok(self.skins.kept + self.skins.added.len() - 1)
    }
}

/// Checks that the vertices of a skinned mesh refer to joints of the skin.
pub(crate) fn check_influences(mesh: &Mesh, skin: &Skin, at: &Pointer<'_>) -> Result<(), Error> {
    let mut has_influences = false;
    for (number, part) in mesh.parts.iter().enumerate() {
        let geometry = part.geometry.get();
        has_influences |= !geometry.influences.is_empty();
        let joints = geometry.influences.iter().flat_map(|set| set.joints.iter().flatten());
        let joint = joints.copied().max().unwrap_or(0) as usize;
        if joint >= skin.joints.len() && !geometry.influences.is_empty() {
            let message = format!(
                "part {number} of the mesh refers to joint {joint}, but the skin has {}; add the \
                 joints, or correct the influences",
                skin.joints.len(),
            );
            return Err(Error::new(ErrorKind::Unwritable, at, message));
        }
    }
    if has_influences {
        return Ok(());
    }
    let message = "the node has a skin, but no part of its mesh has joints and weights; remove the \
                   skin, or add influences";
    Err(Error::new(ErrorKind::Unwritable, at, message))
}

fn warn_skeleton(output: &mut OutputDocument<'_>, at: &Pointer<'_>) {
    let message = "the skeleton is not above all joints; it is left out";
    output.report.warn(&at.key("skeleton"), WarningCode::DroppedSkeleton, message);
}

/// Returns `true` if a node's skin equals the file's skin.
fn is_same(
    was: &skin::Skin,
    now: &Skin,
    index_map: &IndexMap,
    index_of: impl Fn(NodeId) -> Option<usize> + Copy,
) -> bool {
    let is_same_node = |now: NodeId, was: u32| {
        index_of(now).is_some_and(|it| index_map.new_index(was as usize) == Some(it))
    };
    now.bind_matrix == Mat4::IDENTITY
        && Arc::ptr_eq(&now.inverse_bind_matrices, &was.inverse_binds)
        && now.joints.len() == was.joints.len()
        && now.joints.iter().zip(&was.joints).all(|(&now, &was)| is_same_node(now, was))
        && match now.skeleton.and_then(index_of) {
            None => true, // It is not in this scene, or not in the file any more.
            skeleton => {
                skeleton == was.skeleton.and_then(|node| index_map.new_index(node as usize))
            }
        }
}
