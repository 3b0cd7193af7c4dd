//! Checks skins: their meshes, their skeleton roots and their matrices.

use super::context::Context;
use super::finding::Findings;
use super::rule::Rule;

/// The number of nodes to visit in search of skeletons, for files with many skins.
const MAX_VISITED: usize = 50_000_000;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let root = &context.root;
    for (index, node) in root.nodes.iter().enumerate() {
        let mesh = node.mesh.and_then(|mesh| root.meshes.get(mesh.index()));
        let (Some(_), Some(mesh)) = (node.skin, mesh) else { continue };
        let has_joints = mesh.primitives.iter().any(|it| it.attributes.get("JOINTS_0").is_some());
        if !has_joints {
            findings.add(Rule::SkinWithoutInfluences, format!("/nodes/{index}/skin"));
        }
    }
    let mut visited = 0;
    for (index, skin) in root.skins.iter().enumerate() {
        let Some(skeleton) = skin.skeleton else { continue };
        let mut is_below = vec![false; root.nodes.len()];
        let mut stack = vec![skeleton.index()];
        // The nodes form trees, as the loader has checked.
        while let Some(node) = stack.pop().filter(|_| visited < MAX_VISITED) {
            visited += 1;
            let Some(entry) = root.nodes.get(node) else { continue };
            is_below[node] = true;
            stack.extend(entry.children.iter().map(|it| it.index()));
        }
        if visited >= MAX_VISITED {
            break;
        }
        let is_outside = |joint: usize| is_below.get(joint) == Some(&false);
        if skin.joints.iter().any(|joint| is_outside(joint.index())) {
            findings.add(Rule::SkeletonRoot, format!("/skins/{index}/skeleton"));
        }
    }
    for (index, (_, matrices)) in context.document.skins().enumerate() {
        let is_affine = |it: &glam::Mat4| it.row(3) == glam::Vec4::W;
        if let Some(matrix) = matrices.iter().position(|it| !is_affine(it)) {
            let pointer = format!("/skins/{index}/inverseBindMatrices");
            findings.add_note(Rule::InverseBindMatrix, pointer, format!("matrix {matrix}"));
        }
    }
}
