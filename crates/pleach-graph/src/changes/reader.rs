//! `ChangeReader`: one reader of the logs, with its own positions.

use alloc::sync::Arc;
use core::sync::atomic::Ordering::Relaxed;

use super::added::AddedNodes;
use super::changed_nodes::ChangedNodes;
use super::tracker::{Positions, ReaderToken};
use crate::{Error, Graph, NodeId};

/// A reader of a graph's changes, which reads at its own pace.
///
/// A renderer, a physics world and a spatial index each take one from
/// [`Graph::change_reader`] and read it whenever they want; each sees every change
/// once. A reader that falls behind costs no more memory than the graph has nodes,
/// and a dropped one costs nothing.
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
/// assert!(renderer.read(&graph)?.changed().eq([ship]));
/// assert!(renderer.read(&graph)?.changed().eq([]));     // read already
///
/// graph.node_mut(ship)?.set_translation(Vec3::X)?;
/// graph.update();
/// graph.remove(ship)?;
/// assert_eq!(renderer.read(&graph)?.removed(), [ship]);
/// let changes = physics.read(&graph)?;                  // for the first time
/// assert!(changes.changed().eq([]));                    // dead nodes are not listed
/// assert_eq!(changes.removed(), [ship]);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Debug)]
pub struct ChangeReader {
    pub(super) positions: Arc<Positions>,
    pub(super) token: Arc<ReaderToken>,
}

impl ChangeReader {
    /// Creates a reader of a clone of the graph, which has read as much as this one.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let reader = graph.change_reader();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let mut clone = graph.clone();
    /// assert!(reader.clone_for(&mut clone).read(&clone)?.added().eq([node]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn clone_for(&self, clone: &mut Graph) -> Self {
        clone.changes.add_reader_at(&self.positions)
    }

    /// Returns `true` if this is a reader of `graph`: of this one, and not of a clone of it.
    ///
    /// ```
    /// # use pleach_graph::Graph;
    /// let mut graph = Graph::new();
    /// let reader = graph.change_reader();
    /// assert!(reader.is_reader_of(&graph) && !reader.is_reader_of(&graph.clone()));
    /// ```
    #[must_use]
    pub fn is_reader_of(&self, graph: &Graph) -> bool {
        graph.changes.owns(self)
    }

    /// Returns what changed since the last call, or since this reader was created.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignChangeReader`] if the reader was created by another graph (a
    /// clone of a graph is another graph).
    pub fn read<'a>(&mut self, graph: &'a Graph) -> Result<Changes<'a>, Error> {
        let changes = &graph.changes;
        if !self.is_reader_of(graph) {
            return Err(Error::ForeignChangeReader);
        }
        let since = Changes {
            changed: changes.changed_since(&self.positions, graph),
            shown: changes.shown_since(&self.positions, graph),
            added: changes.added_since(&self.positions, graph),
            reparented: changes.reparented_since(&self.positions, graph),
            renamed: changes.renamed_since(&self.positions, graph),
            removed: &changes.removed[self.positions.removed.load(Relaxed) as usize..],
        };
        changes.move_to_end(&self.positions);
        Ok(since)
    }
}

/// The changes that a [`ChangeReader`] had not read yet.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    changed: ChangedNodes<'a>,
    shown: ChangedNodes<'a>,
    added: AddedNodes<'a>,
    reparented: ChangedNodes<'a>,
    renamed: ChangedNodes<'a>,
    removed: &'a [NodeId],
}

impl<'a> Changes<'a> {
    /// Returns the nodes whose world transform was computed: alive, each once,
    /// parents before their children (as of the update that computed them).
    #[must_use]
    pub fn changed(&self) -> ChangedNodes<'a> {
        self.changed.clone()
    }

    /// Returns the nodes whose [`shown`](crate::NodeRef::is_shown) changed
    /// (possibly back to the same value): alive, each once.
    #[must_use]
    pub fn shown_changed(&self) -> ChangedNodes<'a> {
        self.shown.clone()
    }

    /// Returns the nodes that were added: alive, each once, in the order of their
    /// addition. See [`Graph::added`].
    #[must_use]
    pub fn added(&self) -> AddedNodes<'a> {
        self.added.clone()
    }

    /// Returns the nodes whose parent or position among its siblings was set: alive,
    /// each once, in the order of the latest change. See [`Graph::reparented`].
    #[must_use]
    pub fn reparented(&self) -> ChangedNodes<'a> {
        self.reparented.clone()
    }

    /// Returns the nodes whose name changed: alive, each once, in the order of the
    /// latest change. See [`Graph::renamed`].
    #[must_use]
    pub fn renamed(&self) -> ChangedNodes<'a> {
        self.renamed.clone()
    }

    /// Returns the nodes that were removed, each once, in the order of their
    /// removal, including those that were also added in the meantime.
    ///
    /// If more than 65 536 removals (plus four per slot) accumulate unread by any
    /// reader, nodes that were both added and removed in the meantime, and so never
    /// seen alive by this reader, are omitted.
    #[must_use]
    pub fn removed(&self) -> &'a [NodeId] {
        self.removed
    }
}
