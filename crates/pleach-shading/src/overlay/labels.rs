//! Node labels: index and name of each mesh's node, at the centre of its bounds.
//!
//! Nodes that the picture shows come first, then nearer ones.

use glam::Vec3;
use pleach::{Graph, NodeId, View};

use super::in_view::ViewProjection;
use super::line::Color;
use super::visible_meshes::VisibleMeshes;

const SHOWN_COLOR: Color = [255, 255, 255];
const HIDDEN_COLOR: Color = [165, 165, 165];

/// The maximum number of labels.
const MAX_LABELS: usize = 1 << 12;

/// The label of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// The node.
    pub node: NodeId,
    /// The position in world space, which is in view.
    pub position: Vec3,
    /// The colour of the text.
    pub color: Color,
}

/// Returns the labels, from the most important to the least. `is_shown` returns `true` for a node
/// that the picture shows.
pub(super) fn labels(
    meshes: &VisibleMeshes<'_>,
    view: &View,
    is_shown: &dyn Fn(NodeId) -> bool,
) -> Vec<Label> {
    let projection = ViewProjection::new(view);
    let anchor = |node: NodeId| {
        let position = meshes.scene.spatial.world_bounds(node)?.center();
        Some((!is_shown(node), projection.depth_in_view(position)?, node, position))
    };
    let mut anchors: Vec<_> = meshes.nodes().filter_map(anchor).collect();
    anchors.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let label = |(is_hidden, _, node, position)| Label {
        node,
        position,
        color: if is_hidden { HIDDEN_COLOR } else { SHOWN_COLOR },
    };
    anchors.into_iter().take(MAX_LABELS).map(label).collect()
}

/// Returns the default text of a node's label: `#index name`.
#[must_use]
pub fn label_text(graph: &Graph, node: NodeId) -> String {
    match graph.get(node).and_then(|node| node.name()) {
        Some(name) => format!("#{} {name}", node.index()),
        None => format!("#{}", node.index()),
    }
}
