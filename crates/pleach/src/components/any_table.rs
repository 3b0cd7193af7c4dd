//! `AnyTable`: a table without its type; what the scene does with all its tables alike.

use std::any::Any;
use std::fmt;

use pleach_graph::{Graph, NodeId};

use super::row_edits::AnyRowEdits;

use crate::content::Content;
use crate::{Assets, Component, MapNode, Scene, SceneProblemKind, Table, UnmappedNode};

/// A table of any kind of component.
pub(crate) trait AnyTable: Any + Send + Sync {
    /// The name of the kind.
    fn name(&self) -> &'static str;

    /// Creates an empty table of the same kind.
    fn new_empty(&self) -> Box<dyn AnyTable>;

    /// Returns the number of rows.
    fn row_count(&self) -> usize;

    /// Drops the rows of removed nodes.
    fn drop_removed(&mut self, removed: &[NodeId]);

    /// Clears the list of rows for the next update.
    fn clear_changed(&mut self);

    /// Starts new lists of inserted, changed and removed rows.
    fn clear_changes(&mut self);

    /// Clones rows within the table, from the first to the second node of each pair.
    fn clone_rows(&mut self, graph: &Graph, pairs: &[(NodeId, NodeId)], map: &MapNode<'_>);

    /// Clones rows of a table of the same kind, of another graph, and includes the assets that they
    /// use in `assets`. The error has the node whose row
    /// refers to an unmapped node; the rows before it remain.
    fn clone_rows_from(
        &mut self,
        graph: &Graph,
        other: (&dyn AnyTable, &Graph),
        pairs: &[(NodeId, NodeId)],
        map: &MapNode<'_>,
        assets: &Assets,
    ) -> Result<(), (NodeId, UnmappedNode)>;

    /// Removes the row of a node.
    fn remove_row(&mut self, node: NodeId);

    /// Returns the row of a node as JSON text, if it is to be saved.
    fn row_to_json(
        &self,
        graph: &Graph,
        node: NodeId,
        index_of: &dyn Fn(NodeId) -> Option<usize>,
    ) -> Option<String>;

    /// Begins to record edits, or a transaction inside of the one that is recorded.
    fn begin_recording(&mut self);

    /// Ends the innermost transaction; returns its edits if it is the outermost one and has any.
    fn end_recording(&mut self) -> Option<Box<dyn AnyRowEdits>>;

    /// Undoes the innermost transaction, and ends it.
    fn roll_back_recording(&mut self);

    fn is_recording(&mut self) -> bool;

    /// Returns a copy of the table, with the positions of its owner's change lists, but without
    /// readers.
    fn clone_table(&self) -> Box<dyn AnyTable>;

    /// Includes the assets of all rows in a registry.
    fn include_assets(&self, assets: &Assets);

    /// Writes the rows of all live nodes, in the order of the nodes, as far as they have content.
    fn write_content(&self, graph: &Graph, content: &mut Content);

    /// Reports the problems of all rows, and of the log of their changes.
    fn check(&self, scene: &Scene, report: &mut dyn FnMut(NodeId, SceneProblemKind));
}

impl<T: Component> AnyTable for Table<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn new_empty(&self) -> Box<dyn AnyTable> {
        Box::new(Self::new())
    }

    fn row_count(&self) -> usize {
        self.len()
    }

    fn drop_removed(&mut self, removed: &[NodeId]) {
        Self::drop_removed(self, removed);
    }

    fn clear_changed(&mut self) {
        Self::clear_changed(self);
    }

    fn clear_changes(&mut self) {
        Self::clear_changes(self);
    }

    fn clone_rows(&mut self, graph: &Graph, pairs: &[(NodeId, NodeId)], map: &MapNode<'_>) {
        if self.is_empty() {
            return;
        }
        for &(from, to) in pairs {
            if let Some(mut row) = self.get(graph, from).cloned() {
                // Cannot fail: within a graph every node is mapped, and the clone is alive.
                if row.map_nodes(map).is_ok() {
                    _ = self.insert_unchecked(graph, to, row);
                }
            }
        }
    }

    fn clone_rows_from(
        &mut self,
        graph: &Graph,
        (other, other_graph): (&dyn AnyTable, &Graph),
        pairs: &[(NodeId, NodeId)],
        map: &MapNode<'_>,
        assets: &Assets,
    ) -> Result<(), (NodeId, UnmappedNode)> {
        let Some(other) = (other as &dyn Any).downcast_ref::<Self>() else { return Ok(()) };
        if other.is_empty() {
            return Ok(());
        }
        for &(from, to) in pairs {
            if let Some(mut row) = other.get(other_graph, from).cloned() {
                row.map_nodes(map).map_err(|unmapped| (from, unmapped))?;
                row.include_assets(assets);
                // Cannot fail: the clone is alive.
                _ = self.insert_unchecked(graph, to, row);
            }
        }
        Ok(())
    }

    fn remove_row(&mut self, node: NodeId) {
        self.remove(node);
    }

    fn row_to_json(
        &self,
        graph: &Graph,
        node: NodeId,
        index_of: &dyn Fn(NodeId) -> Option<usize>,
    ) -> Option<String> {
        self.get(graph, node)?.to_json(index_of)
    }

    fn begin_recording(&mut self) {
        Self::begin_recording(self);
    }

    fn end_recording(&mut self) -> Option<Box<dyn AnyRowEdits>> {
        Self::end_recording(self).map(|edits| Box::new(edits) as Box<dyn AnyRowEdits>)
    }

    fn roll_back_recording(&mut self) {
        Self::roll_back_recording(self);
    }

    fn is_recording(&mut self) -> bool {
        Self::is_recording(self)
    }

    fn clone_table(&self) -> Box<dyn AnyTable> {
        Box::new(self.clone())
    }

    fn include_assets(&self, assets: &Assets) {
        self.values().iter().for_each(|row| row.include_assets(assets));
    }

    fn write_content(&self, graph: &Graph, content: &mut Content) {
        let mut rows: Vec<(NodeId, &T)> = self.iter(graph).collect();
        rows.sort_unstable_by_key(|row| row.0);
        rows.into_iter().for_each(|(node, row)| content.write_row(node, row));
    }

    fn check(&self, scene: &Scene, report: &mut dyn FnMut(NodeId, SceneProblemKind)) {
        for (node, row) in self.iter(&scene.graph) {
            row.check(scene, node, &mut |problem| report(node, problem));
        }
        for node in self.log().problems(&scene.graph) {
            report(node, SceneProblemKind::RowChanges { component: T::NAME });
        }
    }
}

impl fmt::Debug for dyn AnyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table of {} {:?}", self.row_count(), self.name())
    }
}
