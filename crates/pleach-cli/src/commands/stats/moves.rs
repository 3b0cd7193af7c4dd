//! Measures the cost of moving each root node by moving it.

use glam::Vec3;
use pleach::{NodeId, Scene};
use serde::Serialize;

use crate::report::labels::Indices;

/// The cost of moving a node.
#[derive(Debug, Serialize)]
pub(super) struct Move {
    /// The file's index.
    pub(super) node: Option<usize>,
    pub(super) name: Option<String>,
    /// The number of its descendants.
    pub(super) descendants: usize,
    /// The number of nodes whose world transforms changed.
    pub(super) changed: usize,
    /// The number of nodes whose bounds changed.
    pub(super) boxes: usize,
    /// The number of skins whose joint matrices were computed.
    pub(super) skins: usize,
}

/// Moves each child of `top` by a metre and measures the update. The nodes are not moved back.
pub(super) fn moves(
    scene: &mut Scene,
    top: NodeId,
    indices: &Indices,
) -> anyhow::Result<Vec<Move>> {
    scene.update()?;
    let nodes: Vec<NodeId> = scene.node(top)?.children().collect();
    let mut moves = Vec::with_capacity(nodes.len());
    for node in nodes {
        let descendants = scene.node(node)?.descendants().count() - 1;
        let translation = scene.node(node)?.translation();
        scene.node_mut(node)?.set_translation(translation + Vec3::X)?;
        let update = scene.update()?;
        moves.push(Move {
            node: indices.get(node),
            name: scene.node(node)?.name().map(Into::into),
            descendants,
            changed: update.changed,
            boxes: update.bounds,
            skins: update.skins,
        });
    }
    moves.sort_by_key(|it| it.node);
    Ok(moves)
}
