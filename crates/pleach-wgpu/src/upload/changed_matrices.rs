//! The upload of the rows of a matrix store that changed: by ranges, or scattered.
//!
//! A range of changed rows is copied as it is. On the full tier many ranges are scattered instead: 52
//! bytes per changed row of 48. On the limited tier ranges are merged over gaps of up to three rows: four
//! times the changed rows at most, usually much less.

use crate::upload::data_store::DataStore;
use crate::upload::matrix_rows::{MatrixRows, same_bits};
use crate::upload::row_set::RowSet;
use crate::upload::scatter::Scatter;
use crate::upload::staging::Recorder;

/// The number of ranges that are copied one by one on the full tier.
const MAX_RANGES: usize = 8;

/// The gap over which ranges are merged on the limited tier.
const MAX_GAP: u32 = 3;

/// Records the upload of changed rows and returns the bytes.
pub(crate) fn write_changed(
    store: &DataStore,
    recorder: &mut Recorder<'_>,
    changed: &mut RowSet,
    rows: impl Fn(usize) -> MatrixRows,
) -> u64 {
    changed.compute_ranges(if recorder.scatter.is_some() { 0 } else { MAX_GAP });
    let ranges = changed.ranges();
    if ranges.len() > MAX_RANGES
        && changed.len() <= Scatter::max_entries(recorder.gpu)
        && let Some(buffer) = store.buffer()
        && let Some(scatter) = recorder.scatter.take()
    {
        let matrices = ranges.iter().flat_map(|range| range.clone());
        let matrices = matrices.map(|row| (row, rows(row as usize)));
        let bytes = scatter.write(recorder, buffer, matrices);
        recorder.scatter = Some(scatter);
        return bytes;
    }
    let write = |range: &core::ops::Range<u32>| {
        let texel = |index: u32| rows((index / 3) as usize)[(index % 3) as usize];
        let texels = 3 * range.start as usize..3 * range.end as usize;
        store.write(recorder, 3 * range.start, texels.map(|index| texel(index as u32)))
    };
    ranges.iter().map(write).sum()
}

/// Adds the rows to `changed` whose bits differ from those of a copy, from row `first` on, and updates
/// the copy.
pub(crate) fn compare(
    copy: &mut [MatrixRows],
    first: usize,
    rows: impl ExactSizeIterator<Item = MatrixRows>,
    changed: &mut RowSet,
) {
    for (row, (before, now)) in (first..).zip(copy.iter_mut().zip(rows)) {
        if !same_bits(before, &now) {
            *before = now;
            changed.insert(row);
        }
    }
}
