//! `BatchRanks`: the order of batches, which does not depend on their numbers.
//!
//! Invariant: a batch with a rank is at that index of `sorted`, which is in the order of materials, then
//! geometries.

use super::collect_draws::Pending;
use super::draw_records::DrawRecords;
use crate::AssetId;

/// The ranks of batches: their positions in the order by material and geometry.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchRanks {
    /// By batch; any number for batches that have no rank.
    ranks: Vec<u32>,
    /// The batches with a rank, in order.
    sorted: Vec<(AssetId, AssetId, u32)>,
    /// The stamp of the set of batches, if all of them have ranks.
    stamp: Option<u64>,
}

/// The rank of a batch that has none yet.
const UNUSED: u32 = u32::MAX;

impl BatchRanks {
    /// Returns the number of batches with a rank.
    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Returns the rank of a batch that has one.
    #[inline]
    pub(super) fn rank(&self, batch: u32) -> u32 {
        self.ranks[batch as usize]
    }

    /// Ranks at least the batches of `draws`.
    pub(super) fn update(&mut self, draws: &[Pending], records: &DrawRecords) {
        // All of them, so that they keep their ranks, unless most are not in view: a list costs what
        // is visible.
        let all = records.batch_count() <= 2 * draws.len();
        let stamp = all.then(|| records.batches_stamp());
        if all && self.stamp == stamp {
            return;
        }
        self.stamp = stamp;
        let Self { ranks, sorted, .. } = self;
        for &(_, _, batch) in &*sorted {
            ranks[batch as usize] = UNUSED;
        }
        ranks.resize(ranks.len().max(records.batch_count()), UNUSED);
        sorted.clear();
        if all {
            sorted.extend(records.batches().map(|(number, it)| (it.material, it.geometry, number)));
        } else {
            for draw in draws {
                if core::mem::replace(&mut ranks[draw.batch as usize], 0) == UNUSED {
                    let batch = records.batch(draw.batch);
                    sorted.push((batch.material, batch.geometry, draw.batch));
                }
            }
        }
        sorted.sort_unstable();
        for (rank, &(_, _, batch)) in (0..).zip(&*sorted) {
            ranks[batch as usize] = rank;
        }
    }
}
