//! `InstanceMatrices`: the matrices of the instances of all meshes.
//!
//! Each node whose mesh has instances has consecutive rows. A change reader of the meshes lists those to
//! compare with a copy of what was uploaded; without one, or with another scene, all are compared.
//!
//! Invariant: after a sync and the submission of its commands, the rows of a node have the bits of its
//! mesh's instances.

use std::collections::HashMap;

use pleach::{Mesh, NodeId, RowChangeReader, Scene};

use crate::upload::changed_matrices::{compare, write_changed};
use crate::upload::data_store::DataStore;
use crate::upload::matrix_rows::{MatrixRows, matrix_rows};
use crate::upload::row_set::RowSet;
use crate::upload::staging::Recorder;
use crate::upload::suballocator::Suballocator;
use crate::{Error, Gpu};

/// The matrices of the instances of all meshes.
#[derive(Debug)]
pub(crate) struct InstanceMatrices {
    store: DataStore,
    /// The reader of the attached scene; the flag is `true` if rows may not be those of that scene, as of
    /// the position of the reader.
    reader: Option<(RowChangeReader, bool)>,
    rows: Suballocator,
    /// By node: its rows.
    blocks: HashMap<NodeId, Block>,
    copy: Vec<MatrixRows>,
    changed: RowSet,
    /// Nodes to free, while all meshes are compared.
    removed: Vec<NodeId>,
    generation: u64,
}

/// The copy of a row that was not uploaded: different from all matrices, which are finite.
const NEVER: MatrixRows = [[f32::NAN; 4]; 3];

#[derive(Clone, Copy, Debug)]
struct Block {
    start: u32,
    len: u32,
}

impl InstanceMatrices {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            store: DataStore::new(gpu, "instance matrices"),
            reader: None,
            rows: Suballocator::default(),
            blocks: HashMap::new(),
            copy: Vec::new(),
            changed: RowSet::default(),
            removed: Vec::new(),
            generation: 0,
        }
    }

    pub(crate) fn store(&self) -> &DataStore {
        &self.store
    }

    /// Returns a number that changes whenever the rows of a node are others.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the row of the first instance of a node.
    pub(crate) fn first_row(&self, node: NodeId) -> Option<u32> {
        self.blocks.get(&node).map(|block| block.start)
    }

    pub(crate) fn attach(&mut self, scene: &mut Scene) {
        self.reader = Some((scene.meshes.change_reader(), true));
    }

    /// Makes the next sync upload all rows.
    pub(crate) fn forget(&mut self) {
        self.copy.fill(NEVER);
        if let Some((_, is_new)) = &mut self.reader {
            *is_new = true;
        }
    }

    /// Uploads the rows that changed, and returns the bytes.
    pub(crate) fn sync(
        &mut self,
        recorder: &mut Recorder<'_>,
        scene: &Scene,
    ) -> Result<u64, Error> {
        self.changed.clear(self.copy.len());
        let changes = self.reader.as_mut().and_then(|(reader, is_new)| {
            let changes = reader.read(&scene.meshes).ok();
            let was_new = core::mem::replace(is_new, changes.is_none());
            changes.filter(|_| !was_new)
        });
        match changes {
            Some(changes) => {
                changes.removed().for_each(|node| self.remove(node));
                for node in changes.inserted().chain(changes.changed()) {
                    self.set(recorder, node, scene.mesh(node))?;
                }
            }
            None => self.compare_all(recorder, scene)?,
        }
        Ok(write_changed(&self.store, recorder, &mut self.changed, |row| self.copy[row]))
    }

    fn compare_all(&mut self, recorder: &mut Recorder<'_>, scene: &Scene) -> Result<(), Error> {
        let has_instances = |node| scene.mesh(node).is_some_and(|mesh| mesh.instances.is_some());
        let mut removed = core::mem::take(&mut self.removed);
        removed.extend(self.blocks.keys().filter(|node| !has_instances(**node)));
        removed.drain(..).for_each(|node| self.remove(node));
        self.removed = removed;
        for (node, mesh) in scene.meshes.iter(&scene.graph) {
            if mesh.instances.is_some() {
                self.set(recorder, node, Some(mesh))?;
            }
        }
        Ok(())
    }

    fn set(
        &mut self,
        recorder: &mut Recorder<'_>,
        node: NodeId,
        mesh: Option<&Mesh>,
    ) -> Result<(), Error> {
        let Some(instances) = mesh.and_then(|mesh| mesh.instances.as_deref()) else {
            self.remove(node);
            return Ok(());
        };
        let matrices = instances.matrices();
        let block = match self.blocks.get(&node) {
            Some(block) if block.len as usize == matrices.len() => *block,
            _ => {
                self.remove(node);
                self.allocate(recorder, node, matrices.len())?
            }
        };
        let start = block.start as usize;
        let copy = &mut self.copy[start..start + matrices.len()];
        compare(copy, start, matrices.iter().map(matrix_rows), &mut self.changed);
        Ok(())
    }

    fn allocate(
        &mut self,
        recorder: &mut Recorder<'_>,
        node: NodeId,
        len: usize,
    ) -> Result<Block, Error> {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        let start = match self.rows.allocate(len) {
            Some(start) => start,
            None => {
                let needed = u64::from(self.rows.len()) + u64::from(len);
                self.store.reserve(recorder, 3 * needed)?;
                let rows = self.store.capacity() / 3;
                self.rows.grow(rows);
                self.copy.resize(rows as usize, NEVER);
                self.changed.grow(rows as usize);
                self.rows.allocate(len).expect("room for the rows was reserved")
            }
        };
        self.copy[start as usize..][..len as usize].fill(NEVER);
        let block = Block { start, len };
        self.blocks.insert(node, block);
        self.generation += 1;
        Ok(block)
    }

    fn remove(&mut self, node: NodeId) {
        if let Some(block) = self.blocks.remove(&node) {
            self.rows.release(block.start, block.len);
            self.generation += 1;
        }
    }
}
