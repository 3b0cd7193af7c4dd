//! `BufferLayout`: which bytes of the buffers are used, and their new offsets.
//!
//! Bytes that only unused entries cover are dropped, and so are gaps of at least `MIN_DROPPED_GAP`
//! bytes that nothing covers; smaller gaps are padding of the exporter, and stay. Used bytes keep
//! their order and their offset modulo four, so alignment is preserved.
//!
//! Invariant: each used byte is in one range, and ranges ascend in both old and new offsets.

use std::ops::Range;

use super::byte_range::ByteRange;
use super::used::{Duplicates, UsedEntries};
use crate::json::{BufferView, Root, UInt};
use crate::references::{GltfArray, References};

/// The smallest gap, in bytes, that is not considered alignment padding.
const MIN_DROPPED_GAP: usize = 16;

/// The new offsets of the bytes of all buffers.
#[derive(Debug)]
pub(super) struct BufferLayout {
    /// The kept ranges of each buffer.
    buffers: Vec<Vec<KeptRange>>,
    /// The new range of each view, from its first used byte.
    views: Vec<Option<Range<usize>>>,
    /// The old length of each buffer.
    lengths: Vec<usize>,
}

/// A range of bytes that are moved together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptRange {
    pub(super) old: Range<usize>,
    /// The new start, in its own buffer.
    pub(super) new: usize,
}

impl BufferLayout {
    pub(super) fn compute(
        root: &Root<'_>,
        map: &References<'_>,
        duplicates: &Duplicates,
        used: &UsedEntries,
    ) -> Self {
        let lengths: Vec<usize> = root.buffers.iter().map(|it| it.byte_length.index()).collect();
        let mut layout = Self { buffers: Vec::new(), views: Vec::new(), lengths };
        let mut used_ranges: Vec<Vec<Range<usize>>> = vec![Vec::new(); root.buffers.len()];
        let mut unused_ranges = used_ranges.clone();
        let put = |into: &mut Vec<Vec<Range<usize>>>, range: ByteRange| {
            if let Some(array) = into.get_mut(range.buffer) {
                array.push(range.bytes);
            }
        };
        let uses = layout.view_uses(root, map, duplicates, used);
        for (index, view) in root.buffer_views.iter().enumerate() {
            let whole = ByteRange::of_view(view);
            match &uses[index] {
                Some(ViewUse::Entire) => whole.into_iter().for_each(|it| put(&mut used_ranges, it)),
                Some(ViewUse::Accessors(ranges)) => {
                    let buffer = view.buffer.index();
                    for it in ranges {
                        put(&mut used_ranges, ByteRange { buffer, bytes: it.clone() });
                    }
                }
                None => whole.into_iter().for_each(|it| put(&mut unused_ranges, it)),
            }
            for (_, range) in ByteRange::of_compressed(view) {
                put(
                    if uses[index].is_some() { &mut used_ranges } else { &mut unused_ranges },
                    range,
                );
            }
        }
        for (index, accessor) in root.accessors.iter().enumerate() {
            let view = accessor.buffer_view.filter(|_| !used.is_used(GltfArray::Accessors, index));
            let range = view.and_then(|it| ByteRange::of_accessor(root, accessor, it.index()));
            range.into_iter().for_each(|it| put(&mut unused_ranges, it));
        }
        let ranges = used_ranges.into_iter().zip(unused_ranges).zip(&layout.lengths);
        layout.buffers =
            ranges.map(|((used, unused), &length)| kept_ranges(used, unused, length)).collect();
        let view = |(index, view_use): (usize, &Option<ViewUse>)| {
            let view = &root.buffer_views[index];
            let whole = ByteRange::of_view(view)?;
            let (first, last) = match view_use.as_ref()? {
                ViewUse::Entire => (whole.bytes.start, whole.bytes.end),
                ViewUse::Accessors(ranges) => {
                    (ranges.iter().map(|it| it.start).min()?, ranges.iter().map(|it| it.end).max()?)
                }
            };
            layout.view_range(whole, first..last)
        };
        layout.views = uses.iter().enumerate().map(view).collect();
        layout
    }

    /// Returns how each view is used: entirely, or only by accessors.
    fn view_uses(
        &self,
        root: &Root<'_>,
        map: &References<'_>,
        duplicates: &Duplicates,
        used: &UsedEntries,
    ) -> Vec<Option<ViewUse>> {
        let mut uses: Vec<Option<ViewUse>> = vec![None; root.buffer_views.len()];
        for array in GltfArray::ALL.into_iter().filter(|&array| array != GltfArray::Accessors) {
            // Channels and samplers reference no views, and are part of animations.
            for index in (0..map.entries[array].len()).filter(|&it| used.is_used(array, it)) {
                for reference in map.of_entry(array, index) {
                    if reference.array == GltfArray::BufferViews {
                        uses[duplicates.original_of(reference.array, reference.index)] =
                            Some(ViewUse::Entire);
                    }
                }
            }
        }
        for (index, accessor) in root.accessors.iter().enumerate() {
            if !used.is_used(GltfArray::Accessors, index) {
                continue;
            }
            let sparse = accessor.sparse.as_ref();
            let sparse = sparse.map(|it| [it.indices.buffer_view, it.values.buffer_view]);
            for view in sparse.into_iter().flatten() {
                uses[duplicates.original_of(GltfArray::BufferViews, view.index())] =
                    Some(ViewUse::Entire);
            }
            let Some(view) = accessor.buffer_view else { continue };
            let view = duplicates.original_of(GltfArray::BufferViews, view.index());
            let range = ByteRange::of_accessor(root, accessor, view);
            let range = range.map(|range| aligned(range, &root.buffer_views[view]));
            let view_use = &mut uses[view];
            match (range, &mut *view_use) {
                (_, Some(ViewUse::Entire)) => {}
                (Some(range), Some(ViewUse::Accessors(ranges))) => ranges.push(range.bytes),
                (Some(range), None) => *view_use = Some(ViewUse::Accessors(vec![range.bytes])),
                (None, _) => *view_use = Some(ViewUse::Entire),
            }
        }
        uses
    }

    /// Returns the new range of a view of which the bytes `used` are used, extended by the kept
    /// bytes around them.
    fn view_range(&self, whole: ByteRange, used: Range<usize>) -> Option<Range<usize>> {
        let ranges = self.buffers.get(whole.buffer)?;
        let range =
            |at: usize| ranges.get(ranges.partition_point(|it| it.old.start <= at).checked_sub(1)?);
        let (first, last) = (range(used.start)?, range(used.end.max(used.start + 1) - 1)?);
        let start = whole.bytes.start;
        let left_out = first.old.start.saturating_sub(start).next_multiple_of(4);
        let (start, end) = (start + left_out, last.old.end.min(whole.bytes.end));
        Some(first.new + (start - first.old.start)..last.new + (end - last.old.start))
    }

    /// Returns the new offset of a byte in its own buffer.
    pub(super) fn new_offset(&self, buffer: usize, at: usize) -> Option<usize> {
        let ranges = self.buffers.get(buffer)?;
        let range = ranges.get(ranges.partition_point(|it| it.old.start <= at).checked_sub(1)?)?;
        (at <= range.old.end).then(|| range.new + (at - range.old.start))
    }

    /// Returns the new range of a view in its own buffer.
    pub(super) fn view(&self, index: usize) -> Option<Range<usize>> {
        self.views.get(index)?.clone()
    }

    /// Returns the kept ranges of a buffer.
    pub(super) fn ranges(&self, buffer: usize) -> &[KeptRange] {
        self.buffers.get(buffer).map_or(&[], Vec::as_slice)
    }

    /// Returns the new length of a buffer.
    pub(super) fn length(&self, buffer: usize) -> usize {
        self.ranges(buffer).last().map_or(0, |range| range.new + range.old.len())
    }

    /// Returns `true` if no bytes move.
    pub(super) fn is_unchanged(&self) -> bool {
        let whole = |(ranges, length): (&Vec<KeptRange>, &usize)| match &ranges[..] {
            [] => *length == 0,
            [range] => range.new == 0 && range.old == (0..*length),
            _ => false,
        };
        self.buffers.iter().zip(&self.lengths).all(whole)
    }
}

/// The used part of a view.
#[derive(Clone, Debug)]
enum ViewUse {
    Entire,
    /// The bytes of accessors, in the buffer.
    Accessors(Vec<Range<usize>>),
}

/// Extends the bytes of an accessor to a full stride after the last element, and to a multiple of
/// four from the start of its view, so that what follows stays aligned.
fn aligned(range: ByteRange, view: &BufferView<'_>) -> ByteRange {
    let ByteRange { buffer, bytes } = range;
    let first = view.byte_offset.index();
    let stride = view.byte_stride.map_or(1, UInt::index).max(1);
    let whole = bytes.len().checked_next_multiple_of(stride).unwrap_or(bytes.len());
    let view_end = first.saturating_add(view.byte_length.index());
    let end = bytes.start.saturating_add(whole).min(view_end).max(bytes.end);
    ByteRange { buffer, bytes: bytes.start - (bytes.start - first) % 4..end }
}

/// Returns the kept ranges of a buffer: the used bytes, and small gaps that nothing covers.
fn kept_ranges(
    used: Vec<Range<usize>>,
    unused: Vec<Range<usize>>,
    length: usize,
) -> Vec<KeptRange> {
    let (used, unused) = (merge_ranges(used, length), merge_ranges(unused, length));
    let is_padding = |gap: Range<usize>| {
        let next = unused.partition_point(|it| it.end <= gap.start);
        gap.len() < MIN_DROPPED_GAP && unused.get(next).is_none_or(|it| it.start >= gap.end)
    };
    let mut kept: Vec<Range<usize>> = Vec::new();
    for range in used {
        match kept.last_mut() {
            Some(last) if is_padding(last.end..range.start) => last.end = range.end,
            None if is_padding(0..range.start) => kept.push(0..range.end),
            _ => kept.push(range),
        }
    }
    if let Some(last) = kept.last_mut()
        && is_padding(last.end..length)
    {
        last.end = length;
    }
    let mut ranges = Vec::with_capacity(kept.len());
    let mut end = 0usize;
    for old in kept {
        // The next offset with the same remainder.
        let new = end + (old.start + 4 - end % 4) % 4;
        end = new + old.len();
        ranges.push(KeptRange { old, new });
    }
    ranges
}

/// Sorts ranges, merges adjacent ones, and clips them to `length`.
fn merge_ranges(mut ranges: Vec<Range<usize>>, length: usize) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        let range = range.start.min(length)..range.end.min(length);
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ if range.is_empty() => {}
            _ => out.push(range),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kept ranges: old start, old end, new start.
    fn layout_of(used: &[[usize; 2]], unused: &[[usize; 2]], length: usize) -> Vec<[usize; 3]> {
        let ranges = |all: &[[usize; 2]]| all.iter().map(|&[start, end]| start..end).collect();
        let ranges = kept_ranges(ranges(used), ranges(unused), length);
        ranges.iter().map(|it| [it.old.start, it.old.end, it.new]).collect()
    }

    #[test]
    fn used_bytes_move_up_and_keep_their_alignment() {
        let all = layout_of(&[[20, 30], [41, 50], [45, 60]], &[[0, 20], [60, 90]], 100);
        assert_eq!(all, [[20, 60, 0]], "a gap of 11 bytes stays");
        let all = layout_of(&[[20, 30], [41, 60]], &[[30, 40]], 60);
        assert_eq!(all, [[20, 30, 0], [41, 60, 13]], "a gap with unused bytes is dropped");
        let all = layout_of(&[[4, 8], [24, 28]], &[], 30);
        assert_eq!(all, [[0, 8, 0], [24, 30, 8]], "a gap of 16 bytes is dropped");
    }

    #[test]
    fn buffers_without_used_bytes_become_empty() {
        assert!(layout_of(&[], &[], 10).is_empty());
        assert!(layout_of(&[[5, 5]], &[[0, 9]], 10).is_empty());
        assert_eq!(layout_of(&[[90, 200]], &[], 100), [[90, 100, 2]], "clipped to the buffer");
    }
}
