//! `Packing`: which bytes of the buffers are used, and where they go.
//!
//! Bytes that only unused things cover go, and so do gaps of `GAP` and more that nothing covers;
//! smaller ones are what exporters align with, and stay. What is used keeps its order and its
//! place modulo four, so nothing that was aligned is not.
//!
//! Invariant: a used byte is in one piece, and pieces grow in both old and new place.

use std::ops::Range;

use super::extent::Extent;
use super::list::GltfArray;
use super::live::{Live, Same};
use super::survey::Survey;
use crate::json::{BufferView, Root, UInt};

/// Gaps of so many bytes are not for alignment.
const GAP: usize = 16;

/// Where the bytes of all buffers go.
#[derive(Debug)]
pub(super) struct Packing {
    /// By buffer.
    buffers: Vec<Vec<Piece>>,
    /// By view: where it is afterwards, from its first used byte on.
    views: Vec<Option<Range<usize>>>,
    /// How long each buffer was.
    lengths: Vec<usize>,
}

/// Bytes that stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) old: Range<usize>,
    /// Where it begins afterwards, in its own buffer.
    pub(super) new: usize,
}

impl Packing {
    pub(super) fn of(root: &Root<'_>, survey: &Survey<'_>, same: &Same, live: &Live) -> Self {
        let lengths: Vec<usize> = root.buffers.iter().map(|it| it.byte_length.index()).collect();
        let mut packing = Self { buffers: Vec::new(), views: Vec::new(), lengths };
        let mut used: Vec<Vec<Range<usize>>> = vec![Vec::new(); root.buffers.len()];
        let mut unused = used.clone();
        let put = |into: &mut Vec<Vec<Range<usize>>>, extent: Extent| {
            if let Some(list) = into.get_mut(extent.buffer) {
                list.push(extent.bytes);
            }
        };
        let spans = packing.spans(root, survey, same, live);
        for (index, view) in root.buffer_views.iter().enumerate() {
            let whole = Extent::of_view(view);
            match &spans[index] {
                Some(Use::Whole) => whole.into_iter().for_each(|it| put(&mut used, it)),
                Some(Use::Parts(parts)) => {
                    let buffer = view.buffer.index();
                    parts
                        .iter()
                        .for_each(|it| put(&mut used, Extent { buffer, bytes: it.clone() }));
                }
                None => whole.into_iter().for_each(|it| put(&mut unused, it)),
            }
            for (_, extent) in Extent::of_compressed(view) {
                put(if spans[index].is_some() { &mut used } else { &mut unused }, extent);
            }
        }
        for (index, accessor) in root.accessors.iter().enumerate() {
            let view = accessor.buffer_view.filter(|_| !live.is_used(GltfArray::Accessors, index));
            let extent = view.and_then(|it| Extent::of_accessor(root, accessor, it.index()));
            extent.into_iter().for_each(|it| put(&mut unused, it));
        }
        let ranges = used.into_iter().zip(unused).zip(&packing.lengths);
        packing.buffers =
            ranges.map(|((used, unused), &length)| pieces(used, unused, length)).collect();
        let view = |(index, span): (usize, &Option<Use>)| {
            let view = &root.buffer_views[index];
            let whole = Extent::of_view(view)?;
            let (first, last) = match span.as_ref()? {
                Use::Whole => (whole.bytes.start, whole.bytes.end),
                Use::Parts(parts) => {
                    (parts.iter().map(|it| it.start).min()?, parts.iter().map(|it| it.end).max()?)
                }
            };
            packing.stretched(whole, first..last)
        };
        packing.views = spans.iter().enumerate().map(view).collect();
        packing
    }

    /// How each view is used: as a whole, or by accessors alone.
    fn spans(
        &self,
        root: &Root<'_>,
        survey: &Survey<'_>,
        same: &Same,
        live: &Live,
    ) -> Vec<Option<Use>> {
        let mut spans: Vec<Option<Use>> = vec![None; root.buffer_views.len()];
        for list in GltfArray::ALL.into_iter().filter(|&list| list != GltfArray::Accessors) {
            // Channels and curves name none, and are within animations.
            for index in (0..survey.entries[list].len()).filter(|&it| live.is_used(list, it)) {
                for name in survey.names_of(list, index) {
                    if name.list == GltfArray::BufferViews {
                        spans[same.of(name.list, name.index)] = Some(Use::Whole);
                    }
                }
            }
        }
        for (index, accessor) in root.accessors.iter().enumerate() {
            if !live.is_used(GltfArray::Accessors, index) {
                continue;
            }
            let sparse = accessor.sparse.as_ref();
            let sparse = sparse.map(|it| [it.indices.buffer_view, it.values.buffer_view]);
            for view in sparse.into_iter().flatten() {
                spans[same.of(GltfArray::BufferViews, view.index())] = Some(Use::Whole);
            }
            let Some(view) = accessor.buffer_view else { continue };
            let view = same.of(GltfArray::BufferViews, view.index());
            let extent = Extent::of_accessor(root, accessor, view);
            let extent = extent.map(|extent| rounded(extent, &root.buffer_views[view]));
            let span = &mut spans[view];
            match (extent, &mut *span) {
                (_, Some(Use::Whole)) => {}
                (Some(extent), Some(Use::Parts(parts))) => parts.push(extent.bytes),
                (Some(extent), None) => *span = Some(Use::Parts(vec![extent.bytes])),
                (None, _) => *span = Some(Use::Whole),
            }
        }
        spans
    }

    /// Where a view goes of which these bytes are used: with what stays on either side of them.
    fn stretched(&self, whole: Extent, used: Range<usize>) -> Option<Range<usize>> {
        let pieces = self.buffers.get(whole.buffer)?;
        let piece =
            |at: usize| pieces.get(pieces.partition_point(|it| it.old.start <= at).checked_sub(1)?);
        let (first, last) = (piece(used.start)?, piece(used.end.max(used.start + 1) - 1)?);
        let start = whole.bytes.start;
        let left_out = first.old.start.saturating_sub(start).next_multiple_of(4);
        let (start, end) = (start + left_out, last.old.end.min(whole.bytes.end));
        Some(first.new + (start - first.old.start)..last.new + (end - last.old.start))
    }

    /// Where a byte of a buffer goes, in its own buffer.
    pub(super) fn moved(&self, buffer: usize, at: usize) -> Option<usize> {
        let pieces = self.buffers.get(buffer)?;
        let piece = pieces.get(pieces.partition_point(|it| it.old.start <= at).checked_sub(1)?)?;
        (at <= piece.old.end).then(|| piece.new + (at - piece.old.start))
    }

    /// Where a view goes, in its own buffer.
    pub(super) fn view(&self, index: usize) -> Option<Range<usize>> {
        self.views.get(index)?.clone()
    }

    /// What stays of a buffer.
    pub(super) fn pieces(&self, buffer: usize) -> &[Piece] {
        self.buffers.get(buffer).map_or(&[], Vec::as_slice)
    }

    /// How long a buffer is afterwards.
    pub(super) fn length(&self, buffer: usize) -> usize {
        self.pieces(buffer).last().map_or(0, |piece| piece.new + piece.old.len())
    }

    /// Do all bytes stay where they are?
    pub(super) fn is_same(&self) -> bool {
        let whole = |(pieces, length): (&Vec<Piece>, &usize)| match &pieces[..] {
            [] => *length == 0,
            [piece] => piece.new == 0 && piece.old == (0..*length),
            _ => false,
        };
        self.buffers.iter().zip(&self.lengths).all(whole)
    }
}

/// What of a view is used.
#[derive(Clone, Debug)]
enum Use {
    Whole,
    /// The bytes of accessors, in the buffer.
    Parts(Vec<Range<usize>>),
}

/// The bytes of an accessor with what makes its last element as long as the others, and from a
/// multiple of four in its view on, so that what follows there stays aligned.
fn rounded(extent: Extent, view: &BufferView<'_>) -> Extent {
    let Extent { buffer, bytes } = extent;
    let first = view.byte_offset.index();
    let stride = view.byte_stride.map_or(1, UInt::index).max(1);
    let whole = bytes.len().checked_next_multiple_of(stride).unwrap_or(bytes.len());
    let most = first.saturating_add(view.byte_length.index());
    let end = bytes.start.saturating_add(whole).min(most).max(bytes.end);
    Extent { buffer, bytes: bytes.start - (bytes.start - first) % 4..end }
}

/// What stays of a buffer: what is used, and small gaps that nothing covers.
fn pieces(used: Vec<Range<usize>>, unused: Vec<Range<usize>>, length: usize) -> Vec<Piece> {
    let (used, unused) = (joined(used, length), joined(unused, length));
    let is_padding = |gap: Range<usize>| {
        let next = unused.partition_point(|it| it.end <= gap.start);
        gap.len() < GAP && unused.get(next).is_none_or(|it| it.start >= gap.end)
    };
    let mut stay: Vec<Range<usize>> = Vec::new();
    for range in used {
        match stay.last_mut() {
            Some(last) if is_padding(last.end..range.start) => last.end = range.end,
            None if is_padding(0..range.start) => stay.push(0..range.end),
            _ => stay.push(range),
        }
    }
    if let Some(last) = stay.last_mut()
        && is_padding(last.end..length)
    {
        last.end = length;
    }
    let mut pieces = Vec::with_capacity(stay.len());
    let mut end = 0usize;
    for old in stay {
        // The next place with the same remainder.
        let new = end + (old.start + 4 - end % 4) % 4;
        end = new + old.len();
        pieces.push(Piece { old, new });
    }
    pieces
}

/// Sorted, and those that touch as one; nothing beyond the end.
fn joined(mut ranges: Vec<Range<usize>>, length: usize) -> Vec<Range<usize>> {
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

    /// The pieces that stay: where they were, until where, and where they go.
    fn made(used: &[[usize; 2]], unused: &[[usize; 2]], length: usize) -> Vec<[usize; 3]> {
        let ranges = |all: &[[usize; 2]]| all.iter().map(|&[start, end]| start..end).collect();
        let pieces = pieces(ranges(used), ranges(unused), length);
        pieces.iter().map(|it| [it.old.start, it.old.end, it.new]).collect()
    }

    #[test]
    fn what_is_used_moves_up_and_keeps_its_remainder() {
        let all = made(&[[20, 30], [41, 50], [45, 60]], &[[0, 20], [60, 90]], 100);
        assert_eq!(all, [[20, 60, 0]], "a gap of eleven stays");
        let all = made(&[[20, 30], [41, 60]], &[[30, 40]], 60);
        assert_eq!(all, [[20, 30, 0], [41, 60, 13]], "unless something unused is in it");
        let all = made(&[[4, 8], [24, 28]], &[], 30);
        assert_eq!(all, [[0, 8, 0], [24, 30, 8]], "a gap of sixteen goes");
    }

    #[test]
    fn nothing_used_leaves_nothing() {
        assert!(made(&[], &[], 10).is_empty());
        assert!(made(&[[5, 5]], &[[0, 9]], 10).is_empty());
        assert_eq!(made(&[[90, 200]], &[], 100), [[90, 100, 2]], "what is there of it");
    }
}
