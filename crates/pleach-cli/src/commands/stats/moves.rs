//! What it costs to move each topmost node: found by moving it.

use glam::Vec3;
use pleach::{NodeId, Scene};
use serde::Serialize;

use crate::report::labels::Indices;

/// What moving one node costs.
#[derive(Debug, Serialize)]
pub(super) struct Move {
    /// The file's index.
    pub(super) node: Option<usize>,
    pub(super) name: Option<String>,
    /// Nodes below it.
    pub(super) descendants: usize,
    /// Nodes whose transforms in the world were computed.
    pub(super) changed: usize,
    /// Nodes whose boxes moved.
    pub(super) boxes: usize,
    /// Skins whose joint matrices were computed.
    pub(super) skins: usize,
}

/// Moves the nodes below `top` one by one, a metre each. They stay there.
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
