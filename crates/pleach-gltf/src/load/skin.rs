//! Skins: inverse bind matrices, and joints that hang together.

use std::sync::Arc;

use glam::Mat4;
use pleach::Part;

use super::tree::{NONE, Tree};
use super::{Data, Loading};
use crate::Error;
use crate::json::checked;
use crate::place::At;

/// A skin of the file.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    pub(crate) joints: Vec<u32>,
    pub(crate) inverse_binds: Arc<[Mat4]>,
    pub(crate) skeleton: Option<u32>,
}

/// All skins of a file.
pub(crate) fn skins(
    load: &mut Loading<'_>,
    data: &Data<'_>,
    tree: &Tree,
) -> Result<Vec<Skin>, Error> {
    let root = load.root;
    let mut skins = Vec::new();
    for (index, skin) in root.skins.iter().enumerate() {
        let at = At::entry("skins", index);
        let node = |node, at: &At<'_>| checked(node, root.nodes.len(), "node", at);
        let mut joints = Vec::with_capacity(skin.joints.len());
        for (place, &joint) in skin.joints.iter().enumerate() {
            joints.push(node(joint, &at.item("joints", place))? as u32);
        }
        if joints.is_empty() {
            load.tolerance.bend(&at.key("joints"), "a skin without joints")?;
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

/// Joints should be there once each, and in one tree.
fn check_joints(
    load: &mut Loading<'_>,
    tree: &Tree,
    joints: &[u32],
    at: &At<'_>,
) -> Result<(), Error> {
    let mut sorted = joints.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        load.tolerance.bend(at, "a joint is listed twice")?;
    }
    // A joint whose parent is a joint is in the same tree, so few walk all the way up.
    let has_parent = |joint: &&u32| {
        let parent = tree.parents[**joint as usize];
        parent == NONE || sorted.binary_search(&parent).is_err()
    };
    // Chains of nodes that are no joints could be walked again and again: not more than that.
    let mut steps = 16 * tree.parents.len() + 1024;
    let mut common = None;
    for &top in sorted.iter().filter(has_parent) {
        let mut node = top;
        while tree.parents[node as usize] != NONE && steps > 0 {
            node = tree.parents[node as usize];
            steps -= 1;
        }
        if steps == 0 {
            break;
        }
        if *common.get_or_insert(node) != node {
            return load.tolerance.bend(at, "joints have no common root");
        }
    }
    Ok(())
}

fn inverse_binds(
    load: &mut Loading<'_>,
    data: &Data<'_>,
    index: crate::json::Whole,
    joints: usize,
    at: &At<'_>,
) -> Result<Vec<Mat4>, Error> {
    let at = at.key("inverseBindMatrices");
    let accessor = data.accessor(index, &at)?;
    if accessor.has_stride {
        load.tolerance
            .bend(&at, "its view has a byteStride, which is for vertices; it is followed")?;
    }
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

/// Vertices name joints that are there.
pub(crate) fn check_influences(
    load: &mut Loading<'_>,
    parts: &[Part],
    joints: usize,
    at: &At<'_>,
) -> Result<(), Error> {
    for (number, part) in parts.iter().enumerate() {
        for set in &part.geometry.influences {
            let named = set.joints.iter().flatten().zip(set.weights.iter().flatten());
            let beyond = named.filter(|&(_, &weight)| weight != 0.0).map(|(&joint, _)| joint).max();
            if let Some(joint) = beyond.filter(|&joint| joint as usize >= joints) {
                let message = format!(
                    "primitive {number} of its mesh names joint {joint}, but the skin has {joints}"
                );
                return load.tolerance.bend(at, message);
            }
        }
    }
    Ok(())
}
