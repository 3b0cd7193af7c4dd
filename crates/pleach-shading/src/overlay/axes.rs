//! Local axes of nodes: x in red, y in green, z in blue.

use glam::DVec3;
use pleach::graph::unit;
use pleach::{NodeRef, Scene, View};

use super::in_view::ViewProjection;
use super::line::{Color, Line, LineBatch, LineColor, LineStyle, OccludedLines};

/// The colours of the x, y and z axes.
pub(super) const COLORS: [Color; 3] = [[235, 50, 50], [60, 190, 50], [60, 110, 255]];

/// The length of an axis, relative to the size of the scene.
const LENGTH: f64 = 0.03;

/// The maximum number of nodes; the nearest are drawn.
const MAX_NODES: usize = 1 << 12;

pub(super) fn generate(lines: &mut LineBatch<'_>, scene: &Scene, view: &View) {
    let length = LENGTH * size(scene);
    let projection = ViewProjection::new(view);
    let mut nodes: Vec<_> = visible_nodes(scene)
        .filter_map(|node| Some((projection.depth_in_view(node.world_translation())?, node)))
        .collect();
    nodes.sort_by(|(a, first), (b, second)| {
        a.total_cmp(b).then_with(|| first.id().cmp(&second.id()))
    });
    nodes.truncate(MAX_NODES);
    for (axis, color) in COLORS.into_iter().enumerate() {
        lines.begin(LineStyle::thin(LineColor::Fixed(color), OccludedLines::Visible));
        for (_, node) in &nodes {
            let world = node.world();
            let from = world.w_axis.truncate().as_dvec3();
            let direction = unit(world.col(axis).truncate().as_dvec3());
            lines.push(Line::new(from, from + direction.unwrap_or_default() * length));
        }
    }
    lines.flush();
}

/// Returns the visible nodes of a scene.
fn visible_nodes(scene: &Scene) -> impl Iterator<Item = NodeRef<'_>> {
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
