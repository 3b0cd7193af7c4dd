//! Comparison of the subtrees that several scenes have of one of the file's roots.

use std::collections::HashMap;

use pleach::{Aabb, Instances, Mesh, NodeId, Transform};

use super::index_map::children;
use crate::document::node_text::NodeText;
use crate::save::SaveInput;

/// Returns `true` if two subtrees are equal in every node, so that one of them can be written for
/// both. They may contain nodes that are not in the file.
pub(crate) fn is_same_subtree(
    input: &SaveInput<'_>,
    one: (usize, NodeId),
    other: (usize, NodeId),
) -> bool {
    let (a, b) = (input.scenes[one.0], input.scenes[other.0]);
    let mut stack = vec![(one.1, other.1)];
    // Nodes that are not in the file, and their counterparts in the other scene.
    let mut added: HashMap<NodeId, NodeId> = HashMap::new();
    let mut skinned = Vec::new();
    while let Some((node, twin)) = stack.pop() {
        if !is_same_node(input, (one.0, node), (other.0, twin)) {
            return false;
        }
        let (children, twins) = (children(a, node), children(b, twin));
        if children.len() != twins.len() {
            return false;
        }
        if input.file_node(one.0, node).is_none() {
            added.insert(node, twin);
        }
        match (a.skins.get(&a.graph, node), b.skins.get(&b.graph, twin)) {
            (None, None) => {}
            (Some(skin), Some(twins)) => skinned.push((node, skin, twins)),
            _ => return false,
        }
        stack.extend(children.into_iter().zip(twins));
    }
    skinned.into_iter().all(|(node, skin, twin)| {
        let is_same = |one_node: NodeId, twin: NodeId| {
            let file = input.file_node_or_joint(one.0, one_node);
            file == input.file_node_or_joint(other.0, twin)
                && (file.is_some() || added.get(&one_node) == Some(&twin))
        };
        // A scene without the skeleton node leaves the file's skeleton unchanged.
        let file_skeleton = input.file_node(one.0, node).and_then(|file| input.skeleton_of(file));
        let is_file_skeleton = |scene_index: usize, node: NodeId| {
            file_skeleton.is_some() && input.file_node_or_joint(scene_index, node) == file_skeleton
        };
        skin.joints.len() == twin.joints.len()
            && skin.joints.iter().zip(&twin.joints).all(|(&joint, &twin)| is_same(joint, twin))
            && skin.inverse_bind_matrices == twin.inverse_bind_matrices
            && bits(&skin.bind_matrix.to_cols_array()) == bits(&twin.bind_matrix.to_cols_array())
            && match (skin.skeleton, twin.skeleton) {
                (None, None) => true,
                (Some(skeleton), Some(twin)) => is_same(skeleton, twin),
                (Some(skeleton), None) => is_file_skeleton(one.0, skeleton),
                (None, Some(twin)) => is_file_skeleton(other.0, twin),
            }
    })
}

/// Returns `true` if two nodes are equal except for their skins and children.
fn is_same_node(input: &SaveInput<'_>, one: (usize, NodeId), other: (usize, NodeId)) -> bool {
    let (a, b) = (input.scenes[one.0], input.scenes[other.0]);
    let (Some(node), Some(twin)) = (a.graph.get(one.1), b.graph.get(other.1)) else { return false };
    input.file_node(one.0, one.1) == input.file_node(other.0, other.1)
        && node.name() == twin.name()
        && node.has_local_matrix() == twin.has_local_matrix()
        && local(&node.transform()) == local(&twin.transform())
        && bits(&node.local_matrix().to_cols_array()) == bits(&twin.local_matrix().to_cols_array())
        && node.is_visible() == twin.is_visible()
        && is_same_mesh(a.mesh(one.1), b.mesh(other.1))
        && a.weights.get(&a.graph, one.1).map(|it| bits(it))
            == b.weights.get(&b.graph, other.1).map(|it| bits(it))
        && a.camera(one.1) == b.camera(other.1)
        && a.light(one.1) == b.light(other.1)
        && a.user_bounds(one.1).map(bounds_bits) == b.user_bounds(other.1).map(bounds_bits)
        && components(input, one) == components(input, other)
        && a.get::<NodeText>(one.1) == b.get::<NodeText>(other.1)
}

/// Returns the components that are saved with a node, as JSON.
fn components(input: &SaveInput<'_>, node: (usize, NodeId)) -> Vec<(&'static str, String)> {
    let index_of = |it| input.file_node(node.0, it).map(|index| index as usize);
    input.scenes[node.0].components_to_json(node.1, &index_of)
}

fn local(transform: &Transform) -> [Vec<u32>; 3] {
    let Transform { translation, rotation, scale } = transform;
    [bits(&translation.to_array()), bits(&rotation.to_array()), bits(&scale.to_array())]
}

/// Returns the bits of `values`, so that 0 and -0 compare as different.
pub(crate) fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Returns the bits of a box.
pub(crate) fn bounds_bits(bounds: Aabb) -> [Vec<u32>; 2] {
    [bits(&bounds.min.to_array()), bits(&bounds.max.to_array())]
}

/// Returns `true` if two meshes have equal parts, materials and instances.
fn is_same_mesh(one: Option<&Mesh>, other: Option<&Mesh>) -> bool {
    let matrices =
        |mesh: &Mesh| mesh.instances.as_deref().map(|it: &Instances| it.matrices().to_vec());
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            one.parts.len() == other.parts.len()
                && one
                    .parts
                    .iter()
                    .zip(&other.parts)
                    .all(|(a, b)| a.geometry == b.geometry && a.material == b.material)
                && one.materials == other.materials
                && matrices(one) == matrices(other)
        }
        _ => false,
    }
}
