//! Edits of any kind, and what they make out of date.

use std::collections::BTreeSet;

use pleach_graph::{Graph, NodeId};
use testkit::Rng;

use crate::common::{RandomTransform, node};

/// All the nodes below `tops`, and those themselves: what an update has to
/// rewrite when these were edited.
pub(crate) fn union_of_trees(graph: &Graph, tops: &[NodeId]) -> BTreeSet<NodeId> {
    let mut seen = BTreeSet::new();
    for &top in tops {
        if !seen.contains(&top) {
            seen.extend(node(graph, top).descendants());
        }
    }
    seen
}

/// An edit of a node's transform, of any kind.
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
