//! Local axes of nodes: x in red, y in green, z in blue.

use glam::DVec3;
use pleach::Scene;
use pleach_graph::unit;

use super::coverage_mask::Color;
use super::line_rasterizer::{LineRasterizer, OccludedLines};

const COLORS: [Color; 3] = [[235, 50, 50], [60, 190, 50], [60, 110, 255]];

/// The length of an axis, relative to the size of the scene.
const LENGTH: f64 = 0.03;

/// The maximum number of nodes; the nearest are drawn.
const MAX_NODES: usize = 1 << 12;

pub(super) fn draw(lines: &mut LineRasterizer<'_>, scene: &Scene) {
    lines.begin(OccludedLines::Visible);
    let length = LENGTH * size(scene);
    let mut nodes: Vec<_> = visible_nodes(scene)
        .filter_map(|node| Some((lines.projector.project(node.world_translation())?.1, node)))
        .collect();
    nodes.sort_by(|(a, first), (b, second)| {
        a.total_cmp(b).then_with(|| first.id().cmp(&second.id()))
    });
    nodes.truncate(MAX_NODES);
    for (axis, color) in COLORS.into_iter().enumerate() {
        for (_, node) in &nodes {
            let world = node.world();
            let origin = world.w_axis.truncate();
            let direction = unit(world.col(axis).truncate().as_dvec3());
            let axis_vector = direction.unwrap_or_default() * length;
            let from = lines.projector.to_view(origin);
            lines.draw_line([from, from + lines.projector.direction_to_view(axis_vector)]);
        }
        lines.composite(color);
    }
}

/// Returns the visible nodes of a scene.
fn visible_nodes(scene: &Scene) -> impl Iterator<Item = pleach_graph::NodeRef<'_>> {
    let root = scene.graph.get(scene.root()).filter(|root| root.is_shown());
    let nodes = root.into_iter().flat_map(|root| root.descendants().shown());
    nodes.filter_map(|node| scene.graph.get(node))
}

/// Returns the size of a scene: the diagonal of its bounds, or of the node positions if it has no
/// bounds.
fn size(scene: &Scene) -> f64 {
    let mut bounds = scene.spatial.bounds();
    if bounds.is_empty() {
        bounds =
            pleach::Aabb::from_points(visible_nodes(scene).map(|node| node.world_translation()));
    }
    let size = if bounds.is_empty() {
        0.0
    } else {
        (bounds.max.as_dvec3() - bounds.min.as_dvec3()).length()
    };
    if size > 0.0 { size } else { DVec3::ONE.length() }
}
