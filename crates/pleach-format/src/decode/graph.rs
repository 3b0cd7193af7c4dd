//! The graph. `Graph::from_snapshot` checks it; here its errors get the offset of the column.

use std::num::NonZeroU32;

use glam::{Mat4, Quat, Vec3};
use pleach::graph::{GraphSnapshot, SnapshotError};
use pleach::{Graph, Transform};

use super::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::file::columns::Row;
use crate::records::graph::GraphRecord;
use crate::records::numbers::Node;

/// The memory of a slot in a graph, with what scenes keep by slot.
const SLOT_BYTES: usize = 256;
/// The memory of a name, in addition to its text: where it is, and the index of names.
const NAME_BYTES: usize = 64;

pub(super) fn decode(record: &GraphRecord, decoder: &mut Decoder<'_, '_>) -> Result<Graph> {
    let slots = record.slots as usize;
    // Every live slot has a row in a column of the file, so the budget allows for valid files.
    decoder.budget.take(None, slots, SLOT_BYTES)?;
    let mut snapshot = GraphSnapshot::default();
    snapshot.max_generation = NonZeroU32::new(record.max_generation).ok_or_else(|| {
        Error::new(ErrorKind::Value, "graph: the maximum generation is 0; it must be at least 1")
    })?;
    snapshot.generations = match record.generations {
        Some(column) => decoder.columns.get(column, decoder.budget)?,
        None => vec![1; slots],
    };
    check_rows(decoder, record.generations, snapshot.generations.len(), slots)?;
    let is_live = |generation: &&u32| **generation != 0;
    let live = snapshot.generations.iter().filter(is_live).count();
    for pair in decoder.column_or_empty::<[u32; 2]>(record.free)? {
        let next = Node::from_parts(pair[0], pair[1]).ok_or_else(|| {
            let message = format!("the next generation of slot {} is 0", pair[0]);
            Error::at(ErrorKind::Value, column_offset(decoder, record.free, 0), message)
        })?;
        snapshot.free.push(next.0);
    }
    let parents: Vec<u32> = decoder.column_or_empty(record.parents)?;
    check_rows(decoder, record.parents, parents.len(), live)?;
    let translations = rows(decoder, record.translations, live, Vec3::ZERO)?;
    let rotations = rows(decoder, record.rotations, live, Quat::IDENTITY)?;
    let scales = rows(decoder, record.scales, live, Vec3::ONE)?;
    let transforms = translations.into_iter().zip(rotations).zip(scales);
    let transforms = transforms.map(|((translation, rotation), scale)| Transform {
        translation,
        rotation,
        scale,
    });
    if live == slots {
        snapshot.parents = parents;
        snapshot.transforms = transforms.collect();
    } else {
        snapshot.parents = vec![Graph::NO_PARENT; slots];
        snapshot.transforms = vec![Transform::IDENTITY; slots];
        let is_alive = |slot: &usize| snapshot.generations[*slot] != 0;
        let alive = (0..slots).filter(is_alive);
        for ((slot, parent), transform) in alive.zip(parents).zip(transforms) {
            snapshot.parents[slot] = parent;
            snapshot.transforms[slot] = transform;
        }
    }
    snapshot.order =
        record.order.map(|column| decoder.columns.get(column, decoder.budget)).transpose()?;
    snapshot.matrix_slots = decoder.column_or_empty(record.matrix_slots)?;
    snapshot.matrices = decoder.column_or_empty::<Mat4>(record.matrices)?;
    snapshot.hidden = decoder.column_or_empty(record.hidden)?;
    snapshot.named = decoder.column_or_empty(record.named)?;
    decoder.budget.take(None, snapshot.named.len(), NAME_BYTES)?;
    let mut end = 0usize;
    for length in decoder.column_or_empty::<u32>(record.name_lengths)? {
        end = end.saturating_add(length as usize);
        snapshot.name_ends.push(end);
    }
    if let Some(column) = record.name_text {
        let text = decoder.columns.bytes(column)?;
        // The graph has a copy of its own, which may have twice the capacity.
        decoder.budget.take(decoder.columns.offset(column, 0), text.len(), 3)?;
        snapshot.name_text = String::from_utf8(text.to_vec()).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let message = "a name is not valid UTF-8";
            Error::at(ErrorKind::Value, decoder.columns.offset(column, at), message)
        })?;
    }
    Graph::from_snapshot(&snapshot).map_err(|error| locate(&error, record, &snapshot, decoder))
}

/// Copies a column with `count` rows, or fills one with `default` if there is none.
fn rows<T: Row>(
    decoder: &mut Decoder<'_, '_>,
    column: Option<u32>,
    count: usize,
    default: T,
) -> Result<Vec<T>> {
    let Some(index) = column else {
        decoder.budget.take(None, count, size_of::<T>())?;
        return Ok(vec![default; count]);
    };
    let rows = decoder.columns.get(index, decoder.budget)?;
    check_rows(decoder, column, rows.len(), count)?;
    Ok(rows)
}

fn check_rows(
    decoder: &Decoder<'_, '_>,
    column: Option<u32>,
    rows: usize,
    expected: usize,
) -> Result<()> {
    if rows == expected {
        return Ok(());
    }
    let message = format!("graph: a column has {rows} rows; it must have {expected}");
    Err(Error::at(ErrorKind::Value, column_offset(decoder, column, 0), message))
}

fn column_offset(decoder: &Decoder<'_, '_>, column: Option<u32>, row: usize) -> Option<u64> {
    decoder.columns.offset(column?, row)
}

/// Returns the error with the offset of the row that it is about.
fn locate(
    error: &SnapshotError,
    record: &GraphRecord,
    snapshot: &GraphSnapshot,
    decoder: &Decoder<'_, '_>,
) -> Error {
    // The row of a slot in columns by node.
    let row_of = |slot: u32| {
        let before = snapshot.generations.iter().take(slot as usize);
        before.filter(|&&generation| generation != 0).count()
    };
    let (column, row) = match *error {
        SnapshotError::Slot { column: "matrix_slots", at, .. } => (record.matrix_slots, at),
        SnapshotError::Slot { column: "hidden", at, .. } => (record.hidden, at),
        SnapshotError::Slot { column: "named", at, .. } => (record.named, at),
        SnapshotError::Slot { column: "order", at, .. } => (record.order, at),
        SnapshotError::Free { at, .. } => (record.free, at),
        SnapshotError::Parent { slot, .. } | SnapshotError::Cycle { slot } => {
            (record.parents, row_of(slot))
        }
        SnapshotError::Rotation { slot } => (record.rotations, row_of(slot)),
        SnapshotError::Name { at, .. } => (record.name_lengths, at),
        SnapshotError::Length { column: "order", .. } => (record.order, 0),
        SnapshotError::Length { column: "matrices", .. } => (record.matrices, 0),
        SnapshotError::Length { column: "name_ends", .. } => (record.name_lengths, 0),
        _ => (record.translations.or(record.parents), 0),
    };
    Error::at(ErrorKind::Value, column_offset(decoder, column, row), format!("graph: {error}"))
}
