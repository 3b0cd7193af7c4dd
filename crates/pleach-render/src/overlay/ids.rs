//! Node labels: index and name of each mesh's node, at the centre of its bounds.
//!
//! Nodes that the picture shows come first, then nearer ones.

use glam::DVec2;
use pleach_graph::{Graph, NodeId};

use super::coverage_mask::Color;
use super::labels::Labels;
use super::line_rasterizer::LineRasterizer;
use super::visible_meshes::VisibleMeshes;

const VISIBLE_COLOR: Color = [255, 255, 255];
const HIDDEN_COLOR: Color = [165, 165, 165];

/// The maximum number of labels that are tried.
const MAX_LABELS: usize = 1 << 12;

/// The position of a node's label.
struct LabelAnchor {
    is_hidden: bool,
    depth: f64,
    node: NodeId,
    pixel: DVec2,
}

pub(super) fn draw(
    lines: &mut LineRasterizer<'_>,
    meshes: &VisibleMeshes<'_>,
    label: Option<&dyn Fn(NodeId) -> String>,
    nodes: &[Option<NodeId>],
) {
    let graph = &meshes.scene.graph;
    let default_label = |node: NodeId| number_and_name(graph, node);
    let label = label.unwrap_or(&default_label);
    let visible = visible_nodes(graph, nodes);
    let anchor = |node: NodeId| {
        let bounds = meshes.scene.spatial.world_bounds(node)?;
        let (pixel, depth) = lines.projector.project(bounds.center())?;
        Some(LabelAnchor { is_hidden: !visible[node.index()], depth, node, pixel })
    };
    let mut anchors: Vec<LabelAnchor> = meshes.nodes().filter_map(anchor).collect();
    anchors.sort_by(|a, b| {
        let hidden = a.is_hidden.cmp(&b.is_hidden);
        hidden.then(a.depth.total_cmp(&b.depth)).then(a.node.cmp(&b.node))
    });
    let mut labels = Labels::new(lines.projector.size(), lines.pixels);
    for LabelAnchor { is_hidden, node, pixel, .. } in anchors.into_iter().take(MAX_LABELS) {
        labels.draw(pixel, &label(node), if is_hidden { HIDDEN_COLOR } else { VISIBLE_COLOR });
    }
}

fn number_and_name(graph: &Graph, node: NodeId) -> String {
    match graph.get(node).and_then(|node| node.name()) {
        Some(name) => format!("#{} {name}", node.index()),
        None => format!("#{}", node.index()),
    }
}

/// Returns for each slot whether the picture shows the node.
fn visible_nodes(graph: &Graph, nodes: &[Option<NodeId>]) -> Vec<bool> {
    let mut visible = vec![false; graph.parents().len()];
    for node in nodes.iter().flatten() {
        if let Some(is_visible) = visible.get_mut(node.index()) {
            *is_visible = true;
        }
    }
    visible
}
