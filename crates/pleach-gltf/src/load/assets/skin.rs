//! Skins: joints and inverse bind matrices.

use std::cmp::Reverse;
use std::sync::Arc;

use glam::Mat4;
use pleach::Part;

use crate::diagnostics::{Pointer, Result};
use crate::json::check_index;
use crate::load::scenes::tree::Tree;
use crate::load::{Data, Load};
use crate::{Error, WarningCode};

/// A skin of the file.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    pub(crate) joints: Vec<u32>,
    pub(crate) inverse_binds: Arc<[Mat4]>,
    pub(crate) skeleton: Option<u32>,
}

/// Loads all skins of a file.
pub(crate) fn skins(load: &mut Load<'_>, data: &Data<'_>, tree: &Tree) -> Result<Vec<Skin>> {
    let root = load.root;
    let mut skins = Vec::new();
    for (index, skin) in root.skins.iter().enumerate() {
        let at = Pointer::entry("skins", index);
        let node = |node, at: &Pointer<'_>| check_index(node, root.nodes.len(), "node", at);
        let mut joints = Vec::with_capacity(skin.joints.len());
        for (index, &joint) in skin.joints.iter().enumerate() {
            joints.push(node(joint, &at.item("joints", index))? as u32);
        }
        if joints.is_empty() {
            let message = "the skin has no joints";
            load.tolerate(&at.key("joints"), WarningCode::SkinWithoutJoints, message)?;
        }
        let skeleton = match skin.skeleton {
            Some(skeleton) => Some(node(skeleton, &at.key("skeleton"))? as u32),
            None => None,
        };
        check_joints(load, tree, &joints, &at.key("joints"))?;
        let inverse_binds = match skin.inverse_bind_matrices {
            Some(index) => inverse_binds(load, data, index, joints.len(), &at)?,
            None => vec![Mat4::IDENTITY; joints.len()],
        };
        skins.push(Skin { joints, inverse_binds: inverse_binds.into(), skeleton });
    }
    Ok(skins)
}

/// Warns if a joint is listed twice or the joints are in several trees.
fn check_joints(load: &mut Load<'_>, tree: &Tree, joints: &[u32], at: &Pointer<'_>) -> Result<()> {
    let mut sorted = joints.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        load.tolerate(at, WarningCode::DuplicateJoint, "a joint is listed twice")?;
    }
    let mut root_of = joints.iter().map(|&joint| tree.root_of[joint as usize]);
    let first = root_of.next();
    if root_of.any(|top| Some(top) != first) {
        load.tolerate(at, WarningCode::NoCommonRoot, "the joints have no common root")?;
    }
    Ok(())
}

fn inverse_binds(
    load: &mut Load<'_>,
    data: &Data<'_>,
    index: crate::json::UInt,
    joints: usize,
    at: &Pointer<'_>,
) -> Result<Vec<Mat4>> {
    let at = at.key("inverseBindMatrices");
    let accessor = data.accessor(index, &at)?;
    load.check_no_stride(accessor, &at)?;
    let mut matrices: Vec<Mat4> = accessor
        .read(&at, &mut load.budget, |numbers: [f32; 16]| Mat4::from_cols_array(&numbers))?;
    if matrices.len() < joints {
        let message = format!("{} matrices for {joints} joints", matrices.len());
        return Err(Error::data(&at, message));
    }
    matrices.truncate(joints);
    if let Some(joint) = matrices.iter().position(|matrix| !matrix.is_finite()) {
        return Err(Error::value(&at, format!("the matrix of joint {joint} is not finite")));
    }
    Ok(matrices)
}

/// The use of a joint by a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JointUse {
    pub(crate) joint: u16,
    /// The primitive, and the first of its vertices that uses the joint.
    pub(crate) part: usize,
    pub(crate) vertex: Reverse<usize>,
}

/// Returns the largest joint index with a non-zero weight in a mesh.
pub(crate) fn max_joint(parts: &[Part]) -> Option<JointUse> {
    let of_part = |(part, it): (usize, &Part)| {
        let geometry = it.geometry.get();
        let sets = geometry.influences.iter();
        let uses = sets.flat_map(|set| {
            set.joints.iter().zip(&set.weights).enumerate().flat_map(
                |(vertex, (joints, weights))| {
                    joints.iter().zip(weights).map(move |(&joint, &weight)| (vertex, joint, weight))
                },
            )
        });
        let uses = uses.filter(|&(_, _, weight)| weight != 0.0);
        uses.map(|(vertex, joint, _)| JointUse { joint, part, vertex: Reverse(vertex) }).max()
    };
    parts.iter().enumerate().filter_map(of_part).max()
}
