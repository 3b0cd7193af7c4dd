//! Skins on their way out. The file's keep their order; those whose joints are gone, and that
//! no node has, leave.

use std::sync::Arc;

use glam::Mat4;
use pleach::{NodeId, Skin};

use super::Writing;
use super::numbers::Numbers;
use super::patch::{Patch, indices};
use super::sheet::Sheet;
use crate::diagnostics::Pointer;
use crate::load::skin;
use crate::{Error, ErrorKind};

/// Which index each skin has.
#[derive(Debug)]
pub(crate) struct Skins {
    /// By the file's skin: its new index, or none.
    moved: Vec<Option<usize>>,
    added: Vec<Added>,
    left: usize,
}

/// A skin that was added.
#[derive(Debug, PartialEq)]
struct Added {
    joints: Vec<usize>,
    inverse_binds: Arc<[Mat4]>,
    skeleton: Option<usize>,
}

impl Skins {
    /// Decides which of the file's skins stay, and tells their joints' new indices.
    pub(crate) fn new(writing: &Writing<'_>, numbers: &Numbers, sheet: &mut Sheet<'_>) -> Self {
        let mut moved = Vec::new();
        let mut left = 0;
        for (index, skin) in writing.document.skins.iter().enumerate() {
            let joints: Option<Vec<usize>> =
                skin.joints.iter().map(|&joint| numbers.moved(joint as usize)).collect();
            let Some(joints) = joints else {
                sheet.skins.remove(index);
                moved.push(None);
                continue;
            };
            moved.push(Some(left));
            left += 1;
            let json = &writing.root.skins[index];
            let mut patch = Patch::new();
            if !joints.iter().copied().eq(json.joints.iter().map(|it| it.index())) {
                patch.put(&["joints"], indices(joints));
            }
            let skeleton = skin.skeleton.and_then(|node| numbers.moved(node as usize));
            if skeleton != json.skeleton.map(|it| it.index()) {
                patch.set(&["skeleton"], skeleton.map(|node| node.to_string()));
            }
            sheet.skins.patch(index, patch);
        }
        Self { moved, added: Vec::new(), left }
    }

    /// The new index of one of the file's skins.
    pub(crate) fn moved(&self, file: usize) -> Option<usize> {
        self.moved.get(file).copied().flatten()
    }

    /// The index of a node's skin.
    pub(crate) fn index(
        &mut self,
        writing: &Writing<'_>,
        numbers: &Numbers,
        sheet: &mut Sheet<'_>,
        (tree, skin): (usize, &Skin),
        file: Option<usize>,
        at: &Pointer<'_>,
    ) -> Result<usize, Error> {
        let index_of = |node: NodeId| {
            let joint = writing.file_or_joint(tree, node);
            numbers.index(tree, node).or_else(|| numbers.moved(joint? as usize))
        };
        if let Some(file) = file
            && let Some(index) = self.moved(file)
            && is_same(&writing.document.skins[file], skin, numbers, index_of)
        {
            return Ok(index);
        }
        let mut joints = Vec::with_capacity(skin.joints.len());
        for (place, &joint) in skin.joints.iter().enumerate() {
            let Some(index) = index_of(joint) else {
                let message = format!(
                    "joint {place} of its skin, node {joint}, is not in the scene any more; take \
                     the skin off, or give it another joint"
                );
                return Err(Error::new(ErrorKind::Unwritable, at, message));
            };
            joints.push(index);
        }
        let skeleton = skin.skeleton.and_then(index_of);
        let matrices: Arc<[Mat4]> = if skin.bind_matrix == Mat4::IDENTITY {
            Arc::clone(&skin.inverse_bind_matrices)
        } else {
            skin.inverse_bind_matrices.iter().map(|&inverse| inverse * skin.bind_matrix).collect()
        };
        let added = Added { joints, inverse_binds: matrices, skeleton };
        if let Some(place) = self.added.iter().position(|it| *it == added) {
            return Ok(self.left + place);
        }
        let accessor = sheet.mat4s(&added.inverse_binds);
        let mut patch = Patch::new();
        patch.put(&["inverseBindMatrices"], accessor.to_string());
        patch.put(&["joints"], indices(added.joints.iter().copied()));
        if let Some(skeleton) = skeleton {
            patch.put(&["skeleton"], skeleton.to_string());
        }
        sheet.skins.add(patch.object());
        self.added.push(added);
        Ok(self.left + self.added.len() - 1)
    }
}

/// Is a node's skin what the file says?
fn is_same(
    was: &skin::Skin,
    now: &Skin,
    numbers: &Numbers,
    index_of: impl Fn(NodeId) -> Option<usize> + Copy,
) -> bool {
    let is_same_node = |now: NodeId, was: u32| {
        index_of(now).is_some_and(|it| numbers.moved(was as usize) == Some(it))
    };
    now.bind_matrix == Mat4::IDENTITY
        && Arc::ptr_eq(&now.inverse_bind_matrices, &was.inverse_binds)
        && now.joints.len() == was.joints.len()
        && now.joints.iter().zip(&was.joints).all(|(&now, &was)| is_same_node(now, was))
        && match now.skeleton.and_then(index_of) {
            None => true, // It is not in this scene, or not in the file any more.
            skeleton => skeleton == was.skeleton.and_then(|node| numbers.moved(node as usize)),
        }
}
