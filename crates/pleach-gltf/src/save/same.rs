//! Is what two scenes have of one of the file's trees the same?

use pleach::{Instances, Mesh, NodeId, Transform};

use super::Writing;
use super::numbers::children;

/// Are two trees the same in every node? Then one of them is written, for both.
pub(crate) fn is_same_tree(
    writing: &Writing<'_>,
    one: (usize, NodeId),
    other: (usize, NodeId),
) -> bool {
    let (a, b) = (writing.trees[one.0], writing.trees[other.0]);
    let mut open = vec![(one.1, other.1)];
    while let Some((node, twin)) = open.pop() {
        if !is_same_node(writing, (one.0, node), (other.0, twin)) {
            return false;
        }
        let (below, twins) = (children(a, node), children(b, twin));
        if below.len() != twins.len() {
            return false;
        }
        open.extend(below.into_iter().zip(twins));
    }
    true
}

fn is_same_node(writing: &Writing<'_>, one: (usize, NodeId), other: (usize, NodeId)) -> bool {
    let (a, b) = (writing.trees[one.0], writing.trees[other.0]);
    let file = writing.file(one.0, one.1);
    if file.is_none() || file != writing.file(other.0, other.1) {
        return false;
    }
    let (Some(node), Some(twin)) = (a.graph.get(one.1), b.graph.get(other.1)) else { return false };
    let joints = |tree: usize, node: NodeId| {
        let scene = writing.trees[tree];
        let skin = scene.skins.get(&scene.graph, node)?;
        let joints = skin.joints.iter().map(|&joint| writing.file_or_joint(tree, joint));
        let skeleton = skin.skeleton.map(|node| writing.file_or_joint(tree, node));
        let bind = bits(&skin.bind_matrix.to_cols_array());
        Some((joints.collect::<Vec<_>>(), skin.inverse_binds.clone(), bind, skeleton))
    };
    node.name() == twin.name()
        && node.has_local_matrix() == twin.has_local_matrix()
        && local(&node.transform()) == local(&twin.transform())
        && bits(&node.local_matrix().to_cols_array()) == bits(&twin.local_matrix().to_cols_array())
        && node.is_visible() == twin.is_visible()
        && is_same_mesh(a.mesh(one.1), b.mesh(other.1))
        && a.weights.get(&a.graph, one.1).map(|it| bits(it))
            == b.weights.get(&b.graph, other.1).map(|it| bits(it))
        && a.camera(one.1) == b.camera(other.1)
        && a.light(one.1) == b.light(other.1)
        && joints(one.0, one.1) == joints(other.0, other.1)
}

fn local(transform: &Transform) -> [Vec<u32>; 3] {
    let Transform { translation, rotation, scale } = transform;
    [bits(&translation.to_array()), bits(&rotation.to_array()), bits(&scale.to_array())]
}

/// Numbers as they are stored, to be compared: 0 is not -0.
pub(crate) fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Do two rows show the same?
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
                && one.palette == other.palette
                && matrices(one) == matrices(other)
        }
        _ => false,
    }
}
