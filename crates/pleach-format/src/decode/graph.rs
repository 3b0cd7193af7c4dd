//! The graph. `Graph::from_snapshot` checks it; here its errors get the offset of the column.

use std::num::NonZeroU32;

use glam::Mat4;
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
    let transforms = transforms(record, live, decoder)?;
    if live == slots {
        (snapshot.parents, snapshot.transforms) = (parents, transforms);
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
    snapshot.name_ages = match record.name_ages {
        Some(column) => {
            let ages = decoder.columns.iter::<[u32; 2]>(column)?;
            ages.map(|[low, high]| u64::from(high) << 32 | u64::from(low)).collect()
        }
        None => (0..snapshot.named.len() as u64).collect(),
    };
    snapshot.next_name_age = record.next_name_age;
    (snapshot.lineage, snapshot.revision) = (record.lineage, record.revision);
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
    let generations = match record.generations {
        Some(_) => snapshot.generations.clone(),
        None => Vec::new(),
    };
    Graph::from_snapshot(snapshot).map_err(|error| locate(&error, record, &generations, decoder))
}

/// Returns the transforms of the live nodes.
fn transforms(
    record: &GraphRecord,
    live: usize,
    decoder: &mut Decoder<'_, '_>,
) -> Result<Vec<Transform>> {
    let mut transforms = vec![Transform::IDENTITY; live];
    fill(decoder, record.translations, &mut transforms, |it, row| it.translation = row)?;
    fill(decoder, record.rotations, &mut transforms, |it, row| it.rotation = row)?;
    fill(decoder, record.scales, &mut transforms, |it, row| it.scale = row)?;
    Ok(transforms)
}

/// Sets a part of each transform from its row in a column, if there is one.
fn fill<T: Row>(
    decoder: &Decoder<'_, '_>,
    column: Option<u32>,
    transforms: &mut [Transform],
    set: impl Fn(&mut Transform, T),
) -> Result<()> {
    let Some(index) = column else { return Ok(()) };
    let rows = decoder.columns.iter::<T>(index)?;
    check_rows(decoder, column, rows.len(), transforms.len())?;
    transforms.iter_mut().zip(rows).for_each(|(transform, row)| set(transform, row));
    Ok(())
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
    generations: &[u32],
    decoder: &Decoder<'_, '_>,
) -> Error {
    // The row of a slot in columns by node. Without generations all slots are alive.
    let row_of = |slot: u32| {
        let dead = generations.iter().take(slot as usize).filter(|&&generation| generation == 0);
        slot as usize - dead.count()
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
        SnapshotError::NameAges => (record.name_ages.or(record.named), 0),
        SnapshotError::Length { column: "order", .. } => (record.order, 0),
        SnapshotError::Length { column: "matrices", .. } => (record.matrices, 0),
        SnapshotError::Length { column: "name_ends", .. } => (record.name_lengths, 0),
        _ => (record.translations.or(record.parents), 0),
    };
    Error::at(ErrorKind::Value, column_offset(decoder, column, row), format!("graph: {error}"))
}
