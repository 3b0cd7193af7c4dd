//! `Worlds`: the world matrices of all nodes, by slot.
//!
//! Row `slot` is the stored world matrix of the node with that [index](pleach::NodeId::index). Which
//! rows changed is read from a change reader of the graph; a scene without one is compared with a copy,
//! row by row.
//!
//! Invariant: after a sync and the submission of its commands, the row of every live node that has been
//! updated has the bits of the graph's.
//!
//! Bytes: a range of changed rows is copied as it is. On the full tier many ranges are scattered
//! instead: 52 bytes per changed row of 48. On the limited tier ranges are merged over gaps of up to three
//! rows: four times the changed rows at most, usually much less.

use pleach::graph::ChangeReader;
use pleach::{Graph, Scene};

use crate::upload::data_store::DataStore;
use crate::upload::matrix_rows::{MatrixRows, matrix_rows, same_bits};
use crate::upload::row_set::RowSet;
use crate::upload::scatter::Scatter;
use crate::upload::staging::Recorder;
use crate::{Error, Gpu, Tier};

/// The number of ranges that are copied one by one on the full tier.
const MAX_RANGES: usize = 8;

/// The gap over which ranges are merged on the limited tier.
const MAX_GAP: u32 = 3;

/// The world matrices of all nodes.
#[derive(Debug)]
pub(crate) struct Worlds {
    store: DataStore,
    scatter: Option<Scatter>,
    source: Source,
    changed: RowSet,
}

/// How changed rows are found.
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
            scatter: (gpu.tier == Tier::Full).then(|| Scatter::new(gpu)),
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

    /// Uploads the rows that changed, and returns the bytes.
    pub(crate) fn sync(
        &mut self,
        recorder: &mut Recorder<'_>,
        graph: &Graph,
    ) -> Result<u64, Error> {
        let matrices = graph.world_matrices();
        self.store.reserve(recorder, 3 * matrices.len() as u64)?;
        self.find_changed(graph);
        let max_gap = if self.scatter.is_some() { 0 } else { MAX_GAP };
        self.changed.compute_ranges(max_gap);
        let ranges = self.changed.ranges();
        if let Some((scatter, store)) = self.scatter.as_mut().zip(self.store.buffer())
            && ranges.len() > MAX_RANGES
            && self.changed.len() <= Scatter::max_entries(recorder.gpu)
        {
            let slots = ranges.iter().flat_map(|range| range.clone());
            let rows = slots.map(|slot| (slot, matrix_rows(&matrices[slot as usize])));
            return Ok(scatter.write(recorder, store, rows));
        }
        let mut bytes = 0;
        for range in ranges {
            let rows = range.start as usize..range.end as usize;
            bytes += write_matrices(&self.store, recorder, range.start, &matrices[rows]);
        }
        Ok(bytes)
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

/// Records the upload of consecutive matrices, from row `first` on, and returns their size in bytes.
pub(crate) fn write_matrices(
    store: &DataStore,
    recorder: &mut Recorder<'_>,
    first: u32,
    matrices: &[glam::Mat4],
) -> u64 {
    let texel = |index: usize| matrix_rows(&matrices[index / 3])[index % 3];
    store.write(recorder, 3 * first, (0..3 * matrices.len()).map(texel))
}
