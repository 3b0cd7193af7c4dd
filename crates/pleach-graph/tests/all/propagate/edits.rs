//! Random edits, and the nodes that they make dirty.

use std::collections::BTreeSet;

use pleach_graph::{Graph, NodeId};
use testkit::Rng;

use crate::common::{RandomTransform, node};

/// Returns the nodes in the subtrees of `roots`: those that an update has to
/// compute if `roots` were edited.
pub(crate) fn union_of_subtrees(graph: &Graph, roots: &[NodeId]) -> BTreeSet<NodeId> {
    let mut seen = BTreeSet::new();
    for &root in roots {
        if !seen.contains(&root) {
            seen.extend(node(graph, root).descendants());
        }
    }
    seen
}

/// Applies a random kind of edit to a node's transform.
pub(crate) fn edit(graph: &mut Graph, random: &mut Rng, id: NodeId) {
    let mut view = graph.node_mut(id).unwrap();
    match random.below(5) {
        0 => _ = view.set_translation(random.vec3(10.0)).unwrap(),
        1 => _ = view.set_rotation(random.rotation()).unwrap(),
        2 => _ = view.set_scale(random.scale()).unwrap(),
        3 => _ = view.set_local_matrix(random.affine(10.0)).unwrap(),
        _ => _ = view.set_transform(random.transform()).unwrap(),
    }
}
