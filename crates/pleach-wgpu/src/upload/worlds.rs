//! `Worlds`: the world matrices of all nodes, by slot.
//!
//! Row `slot` is the stored world matrix of the node with that [index](pleach::NodeId::index). Which
//! rows changed is read from a change reader of the graph; a scene without one is compared with a copy,
//! row by row.
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
    source: Source,
    changed: RowSet,
}

/// The way to find changed rows.
#[derive(Debug)]
enum Source {
    /// By a change reader; `is_new` until it is read for the first time.
    Reader { reader: ChangeReader, is_new: bool },
    /// By comparison with what was uploaded.
    Copy(Vec<MatrixRows>),
}

impl Worlds {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            store: DataStore::new(gpu, "world matrices"),
            source: Source::Copy(Vec::new()),
            changed: RowSet::default(),
        }
    }

    pub(crate) fn store(&self) -> &DataStore {
        &self.store
    }

    /// Reads the changes of this scene from now on.
    pub(crate) fn attach(&mut self, scene: &mut Scene) {
        self.source = Source::Reader { reader: scene.graph.change_reader(), is_new: true };
    }

    /// Makes the next sync upload all rows.
    pub(crate) fn forget(&mut self) {
        match &mut self.source {
            Source::Reader { is_new, .. } => *is_new = true,
            Source::Copy(copy) => copy.clear(),
        }
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
        if let Source::Reader { reader, is_new } = &mut self.source {
            match reader.read(graph) {
                Ok(_) if core::mem::take(is_new) => self.changed.insert_all(matrices.len()),
                Ok(changes) => changes.changed().for_each(|node| self.changed.insert(node.index())),
                // Another scene, or a clone.
                Err(_) => self.source = Source::Copy(Vec::new()),
            }
        }
        if let Source::Copy(copy) = &mut self.source {
            for (slot, matrix) in matrices.iter().enumerate() {
                let rows = matrix_rows(matrix);
                match copy.get_mut(slot) {
                    Some(before) if same_bits(before, &rows) => continue,
                    Some(before) => *before = rows,
                    None => copy.push(rows),
                }
                self.changed.insert(slot);
            }
        }
    }
}
