//! `Worlds`: the world matrices of all nodes, by slot.
//!
//! Row `slot` is the stored world matrix of the node with that [index](pleach::NodeId::index). Which
//! rows changed is read from a change reader of the graph; another scene than that of the reader is
//! compared with a copy, row by row, until the scene of the reader is synced again.
//!
//! Invariant: after a sync and the submission of its commands, the row of every live node that has been
//! updated has the bits of the graph's.

use pleach::graph::ChangeReader;
use pleach::{Graph, Scene};

use crate::upload::changed_matrices::write_changed;
use crate::upload::data_store::DataStore;
use crate::upload::matrix_rows::{MatrixRows, matrix_rows, same_bits};
use crate::upload::row_set::RowSet;
use crate::upload::staging::Recorder;
use crate::{Error, Gpu};

/// The world matrices of all nodes.
#[derive(Debug)]
pub(crate) struct Worlds {
    store: DataStore,
    /// The reader of the attached scene.
    reader: Option<ChangeReader>,
    /// `true` if the rows are not those of the attached scene, as of the position of its reader.
    is_new: bool,
    /// The rows that were uploaded for another scene.
    copy: Vec<MatrixRows>,
    changed: RowSet,
}

impl Worlds {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            store: DataStore::new(gpu, "world matrices"),
            reader: None,
            is_new: true,
            copy: Vec::new(),
            changed: RowSet::default(),
        }
    }

    pub(crate) fn store(&self) -> &DataStore {
        &self.store
    }

    /// Reads the changes of this scene from now on.
    pub(crate) fn attach(&mut self, scene: &mut Scene) {
        self.reader = Some(scene.graph.change_reader());
        self.is_new = true;
    }

    /// Makes the next sync upload all rows.
    pub(crate) fn forget(&mut self) {
        self.is_new = true;
        self.copy.clear();
    }

    /// Uploads the rows that changed, and returns the bytes.
    pub(crate) fn sync(
        &mut self,
        recorder: &mut Recorder<'_>,
        graph: &Graph,
    ) -> Result<u64, Error> {
        let matrices = graph.world_matrices();
        self.store.reserve(recorder, 3 * matrices.len() as u64)?;
        self.find_changed(graph);
        Ok(write_changed(&self.store, recorder, &mut self.changed, |slot| {
            matrix_rows(&matrices[slot])
        }))
    }

    fn find_changed(&mut self, graph: &Graph) {
        let matrices = graph.world_matrices();
        self.changed.clear(matrices.len());
        if let Some(Ok(changes)) = self.reader.as_mut().map(|reader| reader.read(graph)) {
            match core::mem::take(&mut self.is_new) {
                true => self.changed.insert_all(matrices.len()),
                false => changes.changed().for_each(|node| self.changed.insert(node.index())),
            }
            self.copy = Vec::new();
            return;
        }
        // Another scene, or a clone.
        self.is_new = true;
        for (slot, matrix) in matrices.iter().enumerate() {
            let rows = matrix_rows(matrix);
            match self.copy.get_mut(slot) {
                Some(before) if same_bits(before, &rows) => continue,
                Some(before) => *before = rows,
                None => self.copy.push(rows),
            }
            self.changed.insert(slot);
        }
    }
}
