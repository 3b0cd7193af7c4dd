//! Edits of transforms as bytes: a batch of edits of the same properties is one column.
//!
//! Each edit is the difference of its slot to the one before it, and for each number the old value and
//! the bits in which the new one differs. A move to a nearby place takes about 23 bytes.

use serde::{Deserialize, Serialize};

use super::records::TransformChange;
use crate::error::{Error, ErrorKind, Result};
use crate::file::columns::{ColumnWriter, Columns};
use crate::limits::Budget;
use crate::records::numbers::{F32, Node};

/// Edits of the same properties, of nodes with the same generation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BatchRecord {
    pub(super) generation: u32,
    pub(super) translation: bool,
    pub(super) rotation: bool,
    pub(super) scale: bool,
    pub(super) count: u32,
    /// A column of u8.
    pub(super) edits: u32,
}

/// Returns what edits of one batch have in common: the generation, and the properties that change.
pub(super) fn batch_key(change: &TransformChange) -> (u32, [bool; 3]) {
    let TransformChange { node, translation, rotation, scale } = change;
    let properties = [translation.is_some(), rotation.is_some(), scale.is_some()];
    (node.0.generation(), properties)
}

/// Appends a column with edits of one batch, of which there is at least one.
pub(super) fn pack(changes: &[TransformChange], columns: &mut ColumnWriter<'_>) -> BatchRecord {
    let mut bytes = Vec::with_capacity(changes.len() * 24);
    let mut last = 0;
    for change in changes {
        let slot = change.node.0.index() as i64;
        put_varint(&mut bytes, zigzag(slot - last));
        last = slot;
        put_numbers(&mut bytes, &numbers(change));
    }
    let (generation, [translation, rotation, scale]) = batch_key(&changes[0]);
    let count = changes.len() as u32;
    BatchRecord { generation, translation, rotation, scale, count, edits: columns.push(&bytes) }
}

/// Returns the changed numbers, before and after.
fn numbers(change: &TransformChange) -> Vec<[u32; 2]> {
    fn pairs<const N: usize>(change: Option<[[F32; N]; 2]>) -> impl Iterator<Item = [u32; 2]> {
        let pairs = change.map(|[old, new]| old.into_iter().zip(new));
        pairs.into_iter().flatten().map(|(old, new)| [old.0.to_bits(), new.0.to_bits()])
    }
    let TransformChange { translation, rotation, scale, .. } = *change;
    pairs(translation).chain(pairs(rotation)).chain(pairs(scale)).collect()
}

/// The number of bytes of a difference, by its code.
const LENGTHS: [usize; 4] = [0, 2, 3, 4];

fn put_numbers(bytes: &mut Vec<u8>, numbers: &[[u32; 2]]) {
    let code = |difference: u32| match difference {
        0 => 0,
        1..0x1_0000 => 1,
        0x1_0000..0x100_0000 => 2,
        _ => 3,
    };
    for four in numbers.chunks(4) {
        let codes = four.iter().rev().fold(0, |codes, [old, new]| codes << 2 | code(old ^ new));
        bytes.push(codes);
    }
    for [old, new] in numbers {
        bytes.extend(old.to_le_bytes());
        let difference = old ^ new;
        let length = LENGTHS[usize::from(code(difference))];
        bytes.extend(&difference.to_le_bytes()[..length]);
    }
}

/// Returns the edits of a batch.
pub(super) fn unpack(
    batch: &BatchRecord,
    columns: &Columns<'_>,
    budget: &mut Budget,
) -> Result<Vec<TransformChange>> {
    let offset = columns.offset(batch.edits, 0);
    let bytes = columns.bytes(batch.edits)?;
    // An edit takes at least two bytes.
    let count = (batch.count as usize).min(bytes.len());
    budget.take(offset, count, size_of::<TransformChange>())?;
    let mut reader = PackedReader { bytes, at: 0 };
    let mut changes = Vec::with_capacity(count);
    let mut slot = 0;
    for _ in 0..batch.count {
        let change = reader.change(batch, &mut slot).ok_or_else(|| {
            let at = columns.offset(batch.edits, reader.at);
            let message = "an edit of a transform is cut off, or its node is not a handle";
            Error::at(ErrorKind::Value, at, message)
        })?;
        changes.push(change);
    }
    if reader.at != bytes.len() || batch.count == 0 {
        let message = format!("the column does not end after {} edits", batch.count);
        return Err(Error::at(ErrorKind::Length, columns.offset(batch.edits, reader.at), message));
    }
    Ok(changes)
}

struct PackedReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl PackedReader<'_> {
    /// Reads an edit; `slot` is that of the one before it.
    fn change(&mut self, batch: &BatchRecord, slot: &mut i64) -> Option<TransformChange> {
        *slot = slot.checked_add(unzigzag(self.varint()?))?;
        let node = Node::from_parts(u32::try_from(*slot).ok()?, batch.generation)?;
        let BatchRecord { translation, rotation, scale, .. } = *batch;
        let count =
            3 * usize::from(translation) + 4 * usize::from(rotation) + 3 * usize::from(scale);
        let mut codes = [0; 3];
        for codes in &mut codes[..count.div_ceil(4)] {
            *codes = self.take(1)?[0];
        }
        let mut numbers = [[F32(0.0); 2]; 10];
        for (index, pair) in numbers[..count].iter_mut().enumerate() {
            let code = codes[index / 4] >> (2 * (index % 4)) & 3;
            let old = u32::from_le_bytes(self.take(4)?.try_into().ok()?);
            let mut difference = [0; 4];
            let length = LENGTHS[usize::from(code)];
            difference[..length].copy_from_slice(self.take(length)?);
            let new = old ^ u32::from_le_bytes(difference);
            *pair = [old, new].map(|bits| F32(f32::from_bits(bits)));
        }
        let mut rest = numbers.into_iter();
        Some(TransformChange {
            node,
            translation: translation.then(|| take_numbers(&mut rest)),
            rotation: rotation.then(|| take_numbers(&mut rest)),
            scale: scale.then(|| take_numbers(&mut rest)),
        })
    }

    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let taken = self.bytes.get(self.at..)?.get(..count)?;
        self.at += count;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

fn take_numbers<const N: usize>(pairs: &mut impl Iterator<Item = [F32; 2]>) -> [[F32; N]; 2] {
    let mut sides = [[F32(0.0); N]; 2];
    for (index, [old, new]) in pairs.take(N).enumerate() {
        (sides[0][index], sides[1][index]) = (old, new);
    }
    sides
}

fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
