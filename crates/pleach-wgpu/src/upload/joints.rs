//! `Joints`: the joint matrices of all skins, in the order of [`JointMatrices::matrices`].
//!
//! They are compared with a copy of what was uploaded: the ranges that the scene lists as changed are
//! those of its last update, and a frame may follow several. O(joints), a few nanoseconds each.
//!
//! Invariant: after a sync and the submission of its commands, all rows have the bits of the scene's.

use pleach::JointMatrices;

use crate::upload::changed_matrices::{compare, write_changed};
use crate::upload::data_store::DataStore;
use crate::upload::matrix_rows::{MatrixRows, matrix_rows};
use crate::upload::row_set::RowSet;
use crate::upload::staging::Recorder;
use crate::{Error, Gpu};

/// The joint matrices of all skins.
#[derive(Debug)]
pub(crate) struct Joints {
    store: DataStore,
    /// The rows that were uploaded.
    copy: Vec<MatrixRows>,
    changed: RowSet,
}

impl Joints {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let store = DataStore::new(gpu, "joint matrices");
        Self { store, copy: Vec::new(), changed: RowSet::default() }
    }

    pub(crate) fn store(&self) -> &DataStore {
        &self.store
    }

    /// Makes the next sync upload all rows.
    pub(crate) fn forget(&mut self) {
        self.copy.clear();
    }

    /// Uploads the rows that changed, and returns the bytes.
    pub(crate) fn sync(
        &mut self,
        recorder: &mut Recorder<'_>,
        joints: &JointMatrices,
    ) -> Result<u64, Error> {
        let matrices = joints.matrices();
        self.store.reserve(recorder, 3 * matrices.len() as u64)?;
        self.changed.clear(matrices.len());
        let known = self.copy.len().min(matrices.len());
        compare(&mut self.copy, 0, matrices[..known].iter().map(matrix_rows), &mut self.changed);
        self.copy.extend(matrices[known..].iter().map(matrix_rows));
        (known..matrices.len()).for_each(|row| self.changed.insert(row));
        Ok(write_changed(&self.store, recorder, &mut self.changed, |row| self.copy[row]))
    }
}
