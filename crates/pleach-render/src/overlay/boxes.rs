//! Boxes: the world bounds of meshes, and the boxes of the tree over them.

use pleach::{Aabb, View};

use super::coverage_mask::Color;
use super::line_rasterizer::{Behind, Pen};
use super::visible_meshes::Drawn;

const BOUNDS: Color = [255, 170, 30];

/// By depth: of the box of everything, of boxes in it, and so on.
const LEVELS: [Color; 6] = [
    [200, 120, 255],
    [90, 140, 255],
    [60, 210, 200],
    [110, 220, 70],
    [250, 200, 50],
    [255, 90, 70],
];

/// The most boxes of the tree that are drawn.
const MOST: usize = 1 << 14;

/// The bounds of meshes in view.
pub(super) fn draw_bounds(pen: &mut Pen<'_>, drawn: &Drawn<'_>) {
    pen.begin(Behind::Faint);
    for node in drawn.nodes() {
        if let Some(bounds) = drawn.scene.spatial.world_bounds(node) {
            edges(pen, &bounds);
        }
    }
    pen.paint(BOUNDS);
}

/// The boxes of the tree, from the largest on. Those of single nodes are not among them: they are
/// the nodes' bounds.
pub(super) fn draw_tree(pen: &mut Pen<'_>, drawn: &Drawn<'_>, view: &View) {
    pen.begin(Behind::Faint);
    let inner = drawn.scene.spatial.tree_boxes().filter(|it| it.node.is_none());
    let in_view = inner.filter(|it| view.frustum.intersects(&it.bounds));
    let mut boxes: Vec<_> = in_view.map(|it| (it.depth, it.bounds)).collect();
    // Stable: on each level in the order of the tree.
    boxes.sort_by_key(|&(depth, _)| depth);
    boxes.truncate(MOST);
    // Boxes share sides with those they are in, which are drawn over them.
    for level in boxes.chunk_by(|a, b| a.0 == b.0).rev() {
        for (_, bounds) in level {
            edges(pen, bounds);
        }
        pen.paint(LEVELS[(level[0].0 as usize).min(LEVELS.len() - 1)]);
    }
}

/// The twelve edges of a box.
fn edges(pen: &mut Pen<'_>, bounds: &Aabb) {
    let corners = bounds.corners().map(|corner| pen.lens.to_view(corner));
    for (from, &start) in corners.iter().enumerate() {
        // Its number tells a corner's sides, a bit for each axis.
        for axis in [1, 2, 4] {
            if from & axis == 0 {
                pen.line([start, corners[from | axis]]);
            }
        }
    }
}
