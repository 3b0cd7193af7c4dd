//! Boxes: the world bounds of meshes, and the boxes of the bounding volume hierarchy.

use pleach::{Aabb, View};

use super::coverage_mask::Color;
use super::line_rasterizer::{LineRasterizer, OccludedLines};
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

/// Draws the bounds of meshes in view.
pub(super) fn draw_bounds(lines: &mut LineRasterizer<'_>, meshes: &VisibleMeshes<'_>) {
    lines.begin(OccludedLines::Faint);
    for node in meshes.nodes() {
        if let Some(bounds) = meshes.scene.spatial.world_bounds(node) {
            draw_edges(lines, &bounds);
        }
    }
    lines.composite(BOUNDS_COLOR);
}

/// Draws the boxes of the hierarchy, from the largest on. Leaves are omitted: they are the bounds
/// of the nodes.
pub(super) fn draw_tree(lines: &mut LineRasterizer<'_>, meshes: &VisibleMeshes<'_>, view: &View) {
    lines.begin(OccludedLines::Faint);
    let inner_boxes = meshes.scene.spatial.tree_boxes().filter(|it| it.node.is_none());
    let in_view = inner_boxes.filter(|it| view.frustum.intersects(&it.bounds));
    let mut boxes: Vec<_> = in_view.map(|it| (it.depth, it.bounds)).collect();
    // A stable sort: each level keeps the order of the hierarchy.
    boxes.sort_by_key(|&(depth, _)| depth);
    boxes.truncate(MAX_TREE_BOXES);
    // Boxes share sides with their parents, which are drawn over them.
    for level in boxes.chunk_by(|a, b| a.0 == b.0).rev() {
        for (_, bounds) in level {
            draw_edges(lines, bounds);
        }
        lines.composite(DEPTH_COLORS[(level[0].0 as usize).min(DEPTH_COLORS.len() - 1)]);
    }
}

/// Draws the twelve edges of a box.
fn draw_edges(lines: &mut LineRasterizer<'_>, bounds: &Aabb) {
    let corners = bounds.corners().map(|corner| lines.projector.to_view(corner));
    for (corner, &start) in corners.iter().enumerate() {
        // The bits of a corner's index are its sides, one per axis.
        for axis in [1, 2, 4] {
            if corner & axis == 0 {
                lines.draw_line([start, corners[corner | axis]]);
            }
        }
    }
}
