//! `ChangeReader`: one reader of the three logs, with positions of its own.

use alloc::sync::Arc;
use core::sync::atomic::Ordering::Relaxed;

use super::changed_nodes::ChangedNodes;
use super::tracker::Positions;
use crate::{Error, Graph, NodeId};

/// One reader of a graph's changes, at its own pace.
///
/// A renderer, a physics world and a spatial index each take one with
/// [`Graph::change_reader`] and read it when it suits them; each sees every change
/// once. A reader that lags costs no more memory than the graph has nodes, and
/// a dropped one costs nothing.
///
/// ```
/// use pleach_graph::{Graph, Transform};
/// use pleach_graph::glam::Vec3;
///
/// let mut graph = Graph::new();
/// let ship = graph.add_root(Transform::IDENTITY)?;
/// let (mut renderer, mut physics) = (graph.change_reader(), graph.change_reader());
///
/// graph.update();
/// assert!(renderer.read(&graph)?.moved().eq([ship]));
/// assert!(renderer.read(&graph)?.moved().eq([]));       // seen already
///
/// graph.node_mut(ship)?.set_translation(Vec3::X)?;
/// graph.update();
/// graph.remove(ship)?;
/// assert_eq!(renderer.read(&graph)?.removed(), [ship]);
/// let changes = physics.read(&graph)?;                  // for the first time
/// assert!(changes.moved().eq([]));                      // the dead are not listed
/// assert_eq!(changes.removed(), [ship]);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Debug)]
pub struct ChangeReader {
    pub(super) positions: Arc<Positions>,
}

impl ChangeReader {
    /// What changed since this feed was last read, or subscribed.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignChangeReader`] if the feed was subscribed to another graph (a
    /// clone of a graph is another graph).
    pub fn read<'a>(&mut self, graph: &'a Graph) -> Result<Changes<'a>, Error> {
        let changes = &graph.changes;
        if !changes.owns(self) {
            return Err(Error::ForeignChangeReader);
        }
        let since = Changes {
            changed: changes.changed_since(&self.positions, graph),
            shown: changes.shown_since(&self.positions, graph),
            removed: &changes.removed[self.positions.removed.load(Relaxed) as usize..],
        };
        changes.move_to_end(&self.positions);
        Ok(since)
    }
}

/// What a [`ChangeReader`] had yet to see.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    changed: ChangedNodes<'a>,
    shown: ChangedNodes<'a>,
    removed: &'a [NodeId],
}

impl<'a> Changes<'a> {
    /// The nodes whose world transform was rewritten: alive, each once, parents
    /// before their children (as of the update that rewrote them).
    #[must_use]
    pub fn changed(&self) -> ChangedNodes<'a> {
        self.changed.clone()
    }

    /// The nodes whose [`shown`](crate::NodeRef::is_shown) changed (perhaps
    /// there and back again): alive, each once.
    #[must_use]
    pub fn shown_changed(&self) -> ChangedNodes<'a> {
        self.shown.clone()
    }

    /// The nodes that were removed, each once, in the order of their removal.
    ///
    /// Only if more than 65 536 removals (and four for each slot) pile up unread by
    /// any reader, nodes that were added as well as removed meanwhile, and so never
    /// seen alive by this feed, are left out.
    #[must_use]
    pub fn removed(&self) -> &'a [NodeId] {
        self.removed
    }
}
