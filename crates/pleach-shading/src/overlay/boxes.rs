//! Boxes: the world bounds of meshes, and the boxes of the bounding volume hierarchy.

use pleach::{Aabb, View};

use super::line::{Color, Line, LineBatch, LineColor, LineStyle, OccludedLines};
use super::visible_meshes::VisibleMeshes;

const BOUNDS_COLOR: Color = [255, 170, 30];

/// Colours by depth in the hierarchy.
const DEPTH_COLORS: [Color; 6] = [
    [200, 120, 255],
    [90, 140, 255],
    [60, 210, 200],
    [110, 220, 70],
    [250, 200, 50],
    [255, 90, 70],
];

/// The maximum number of hierarchy boxes.
const MAX_TREE_BOXES: usize = 1 << 14;

/// Generates the bounds of meshes in view.
pub(super) fn generate_bounds(lines: &mut LineBatch<'_>, meshes: &VisibleMeshes<'_>) {
    lines.begin(LineStyle::thin(LineColor::Fixed(BOUNDS_COLOR), OccludedLines::Faint));
    let bounds = meshes.nodes().filter_map(|node| meshes.scene.spatial.world_bounds(node));
    for bounds in bounds {
        if !push_edges(lines, &bounds) {
            break;
        }
    }
    lines.flush();
}

/// Generates the boxes of the hierarchy, from the largest on. Leaves are omitted: they are the
/// bounds of the nodes.
pub(super) fn generate_tree(lines: &mut LineBatch<'_>, meshes: &VisibleMeshes<'_>, view: &View) {
    let inner_boxes = meshes.scene.spatial.tree_boxes().filter(|it| it.node.is_none());
    let in_view = inner_boxes.filter(|it| view.frustum.intersects(&it.bounds));
    let mut boxes: Vec<_> = in_view.map(|it| (it.depth, it.bounds)).collect();
    // A stable sort: each level keeps the order of the hierarchy.
    boxes.sort_by_key(|&(depth, _)| depth);
    boxes.truncate(MAX_TREE_BOXES);
    // Boxes share sides with their parents, which are drawn over them.
    for level in boxes.chunk_by(|a, b| a.0 == b.0).rev() {
        let color = DEPTH_COLORS[(level[0].0 as usize).min(DEPTH_COLORS.len() - 1)];
        lines.begin(LineStyle::thin(LineColor::Fixed(color), OccludedLines::Faint));
        for (_, bounds) in level {
            push_edges(lines, bounds);
        }
    }
    lines.flush();
}

/// Adds the twelve edges of a box. Returns `false` if the overlay should end.
fn push_edges(lines: &mut LineBatch<'_>, bounds: &Aabb) -> bool {
    let corners = bounds.corners().map(|corner| corner.as_dvec3());
    let mut is_open = true;
    for (corner, &start) in corners.iter().enumerate() {
        // The bits of a corner's index are its sides, one per axis.
        for axis in [1, 2, 4] {
            if corner & axis == 0 {
                is_open &= lines.push(Line::new(start, corners[corner | axis]));
            }
        }
    }
    is_open
}
