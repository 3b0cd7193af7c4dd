//! Which node each mesh is, written at the middle of its bounds.
//!
//! Those that the picture shows come first, then the nearer ones.

use glam::DVec2;
use pleach_graph::{Graph, NodeId};

use super::coverage_mask::Color;
use super::labels::Labels;
use super::line_rasterizer::Pen;
use super::visible_meshes::Drawn;

const SEEN: Color = [255, 255, 255];
const UNSEEN: Color = [165, 165, 165];

/// The most labels that are tried.
const MOST: usize = 1 << 12;

/// Where a node's label belongs.
struct Place {
    is_unseen: bool,
    depth: f64,
    node: NodeId,
    pixel: DVec2,
}

pub(super) fn draw(
    pen: &mut Pen<'_>,
    drawn: &Drawn<'_>,
    label: Option<&dyn Fn(NodeId) -> String>,
    nodes: &[Option<NodeId>],
) {
    let graph = &drawn.scene.graph;
    let own = |node: NodeId| number_and_name(graph, node);
    let label = label.unwrap_or(&own);
    let seen = seen(graph, nodes);
    let place = |node: NodeId| {
        let bounds = drawn.scene.spatial.world_bounds(node)?;
        let (pixel, depth) = pen.lens.place(bounds.center())?;
        Some(Place { is_unseen: !seen[node.index()], depth, node, pixel })
    };
    let mut places: Vec<Place> = drawn.nodes().filter_map(place).collect();
    places.sort_by(|a, b| {
        let unseen = a.is_unseen.cmp(&b.is_unseen);
        unseen.then(a.depth.total_cmp(&b.depth)).then(a.node.cmp(&b.node))
    });
    let mut labels = Labels::new(pen.lens.size(), pen.pixels);
    for Place { is_unseen, node, pixel, .. } in places.into_iter().take(MOST) {
        labels.write(pixel, &label(node), if is_unseen { UNSEEN } else { SEEN });
    }
}

fn number_and_name(graph: &Graph, node: NodeId) -> String {
    match graph.get(node).and_then(|node| node.name()) {
        Some(name) => format!("#{} {name}", node.index()),
        None => format!("#{}", node.index()),
    }
}

/// By slot: does the picture show the node?
fn seen(graph: &Graph, nodes: &[Option<NodeId>]) -> Vec<bool> {
    let mut seen = vec![false; graph.parents().len()];
    for node in nodes.iter().flatten() {
        if let Some(seen) = seen.get_mut(node.index()) {
            *seen = true;
        }
    }
    seen
}
