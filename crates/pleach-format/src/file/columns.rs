//! Columns: arrays of numbers as raw little-endian bytes, which are copied as a whole.
//!
//! A column is a header of 16 bytes (type, numbers per row, number of rows), its numbers, and zeros up
//! to a multiple of 8. Other sections refer to columns by their index.
//!
//! Invariant of `Columns`: every column lies within the section.

use std::collections::HashMap;

use bytemuck::Pod;
use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use super::sections::{ALIGNMENT, Section, pad};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;

const HEADER: usize = 16;

/// The type of the numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NumberType {
    U8,
    U16,
    U32,
    F32,
}

impl NumberType {
    fn code(self) -> u8 {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 3,
            Self::F32 => 4,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        [Self::U8, Self::U16, Self::U32, Self::F32].into_iter().find(|it| it.code() == code)
    }

    pub(crate) fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// A row of a column: numbers of one type without padding.
pub(crate) trait Row: Pod {
    const NUMBER: NumberType;
    /// The number of numbers in a row.
    const WIDTH: u8 = (size_of::<Self>()
        / match Self::NUMBER {
            NumberType::U8 => 1,
            NumberType::U16 => 2,
            NumberType::U32 | NumberType::F32 => 4,
        }) as u8;
}

macro_rules! rows {
    ($($row:ty: $number:ident,)*) => {
        $(impl Row for $row { const NUMBER: NumberType = NumberType::$number; })*
    };
}

rows! {
    u8: U8,
    [u16; 4]: U16,
    u32: U32,
    [u32; 2]: U32,
    f32: F32,
    [f32; 3]: F32,
    [f32; 4]: F32,
    Vec2: F32,
    Vec3: F32,
    Vec4: F32,
    Quat: F32,
    Mat4: F32,
}

/// Reverses the bytes of each number on big-endian machines.
fn swap_on_big_endian(bytes: &mut [u8], size: usize) {
    if cfg!(target_endian = "big") && size > 1 {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

/// Appends columns to a buffer, whose length is a multiple of 8 at the beginning.
#[derive(Debug)]
pub(crate) struct ColumnWriter<'a> {
    bytes: &'a mut Vec<u8>,
    count: u32,
    /// Columns by the checksum of their numbers: index, type, width, and where the numbers are; `None`
    /// if equal columns are written again.
    written: Option<HashMap<u32, Vec<(u32, Column)>>>,
}

impl<'a> ColumnWriter<'a> {
    pub(crate) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes, count: 0, written: None }
    }

    /// Creates a writer that appends equal columns once: for values before and after an edit, of which
    /// most is the same.
    pub(crate) fn deduplicating(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes, count: 0, written: Some(HashMap::new()) }
    }

    /// Reserves capacity for at least `additional` more bytes.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.bytes.reserve(additional);
    }

    /// Appends a column, unless it may be the same as an earlier one, and returns its index.
    pub(crate) fn push<T: Row>(&mut self, rows: &[T]) -> u32 {
        if self.written.is_none() {
            return self.push_new(rows);
        }
        let (end, count) = (self.bytes.len(), self.count);
        let index = self.push_new(rows);
        let start = end + HEADER;
        let numbers = start..start + size_of_val(rows);
        let checksum = crc32fast::hash(&self.bytes[numbers.clone()]);
        let (number, width, rows) = (T::NUMBER, T::WIDTH, rows.len());
        let column = Column { number, width, rows, start, end: numbers.end };
        let written = self.written.as_mut().map(|it| it.entry(checksum).or_default());
        let Some(written) = written else { return index };
        let is_same = |other: &Column| {
            (other.number, other.width) == (number, width)
                && self.bytes[other.start..other.end] == self.bytes[numbers.clone()]
        };
        if let Some(&(earlier, _)) = written.iter().find(|(_, other)| is_same(other)) {
            self.bytes.truncate(end);
            self.count = count;
            return earlier;
        }
        written.push((index, column));
        index
    }

    /// Appends a column and returns its index.
    pub(crate) fn push_new<T: Row>(&mut self, rows: &[T]) -> u32 {
        self.begin(T::NUMBER, T::WIDTH, rows.len());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::cast_slice(rows));
        swap_on_big_endian(&mut self.bytes[start..], T::NUMBER.size());
        self.end()
    }

    /// Appends a column of numbers that are little-endian already.
    pub(crate) fn push_bytes(
        &mut self,
        number: NumberType,
        width: u8,
        rows: usize,
        bytes: &[u8],
    ) -> u32 {
        self.begin(number, width, rows);
        self.bytes.extend_from_slice(bytes);
        self.end()
    }

    fn begin(&mut self, number: NumberType, width: u8, rows: usize) {
        self.bytes.extend([number.code(), width, 0, 0, 0, 0, 0, 0]);
        self.bytes.extend((rows as u64).to_le_bytes());
    }

    fn end(&mut self) -> u32 {
        pad(self.bytes);
        self.count += 1;
        self.count - 1
    }
}

/// A column of the section: where its numbers are.
#[derive(Clone, Copy, Debug)]
struct Column {
    number: NumberType,
    width: u8,
    rows: usize,
    start: usize,
    end: usize,
}

/// The columns of a section.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    bytes: &'a [u8],
    /// The offset of the section in the file; `None` if it is not from a file.
    offset: Option<usize>,
    list: Vec<Column>,
}

impl<'a> Columns<'a> {
    /// Finds the columns of a section.
    pub(crate) fn read(section: Section<'a>, budget: &mut Budget) -> Result<Self> {
        let offset = Some(section.offset as u64);
        budget.take(offset, section.bytes.len() / HEADER, 2 * size_of::<Column>())?;
        Self::find(section.bytes, Some(section.offset))
    }

    /// Finds the columns of a buffer that a `ColumnWriter` filled.
    pub(crate) fn find(bytes: &'a [u8], offset: Option<usize>) -> Result<Self> {
        let mut columns = Self { bytes, offset, list: Vec::new() };
        let mut at = 0;
        while at < bytes.len() {
            let fail = |by, kind, message: String| {
                let at = offset.map(|offset| (offset + at + by) as u64);
                Err(Error::at(kind, at, format!("column {}: {message}", columns.list.len())))
            };
            let Some(header) = bytes[at..].first_chunk::<HEADER>() else {
                return fail(0, ErrorKind::Length, "the section ends in its header".into());
            };
            let [code, width, z0, z1, z2, z3, z4, z5, rows @ ..] = *header;
            let Some(number) = NumberType::from_code(code).filter(|_| width > 0) else {
                let message = format!("there is no type {code} with {width} numbers per row");
                return fail(0, ErrorKind::Version, message);
            };
            if [z0, z1, z2, z3, z4, z5] != [0; 6] {
                return fail(2, ErrorKind::Version, "bytes that must be 0 are not".into());
            }
            let start = at + HEADER;
            let stated = u64::from_le_bytes(rows);
            let length = stated.checked_mul((number.size() * usize::from(width)) as u64);
            let length = length.and_then(|it| usize::try_from(it).ok());
            let Some(length) = length.filter(|&it| it <= bytes.len() - start) else {
                let message = format!(
                    "{stated} rows of {width} numbers do not fit into the {} bytes that are left",
                    bytes.len() - start,
                );
                return fail(8, ErrorKind::Length, message);
            };
            let end = start + length;
            columns.list.push(Column { number, width, rows: stated as usize, start, end });
            at = end.next_multiple_of(ALIGNMENT);
        }
        Ok(columns)
    }

    pub(crate) fn len(&self) -> u32 {
        self.list.len() as u32
    }

    /// Returns the offset in the file of a row of a column.
    pub(crate) fn offset(&self, index: u32, row: usize) -> Option<u64> {
        let column = self.list.get(index as usize)?;
        let size = column.number.size() * usize::from(column.width);
        Some((self.offset? + column.start + row.min(column.rows) * size) as u64)
    }

    /// Returns the number of rows of a column of this type.
    pub(crate) fn rows<T: Row>(&self, index: u32) -> Result<usize> {
        self.column::<T>(index).map(|column| column.rows)
    }

    /// Copies a column of this type.
    pub(crate) fn get<T: Row>(&self, index: u32, budget: &mut Budget) -> Result<Vec<T>> {
        let column = self.column::<T>(index)?;
        budget.take(self.offset(index, 0), column.rows, size_of::<T>())?;
        let mut rows: Vec<T> =
            bytemuck::allocation::pod_collect_to_vec(&self.bytes[column.start..column.end]);
        swap_on_big_endian(bytemuck::cast_slice_mut(&mut rows), T::NUMBER.size());
        Ok(rows)
    }

    /// Iterates over the rows of a column of this type, without copying it.
    pub(crate) fn iter<T: Row>(&self, index: u32) -> Result<impl ExactSizeIterator<Item = T> + 'a> {
        let column = self.column::<T>(index)?;
        let rows = self.bytes[column.start..column.end].chunks_exact(size_of::<T>());
        Ok(rows.map(|row| {
            let mut row: T = bytemuck::pod_read_unaligned(row);
            swap_on_big_endian(bytemuck::bytes_of_mut(&mut row), T::NUMBER.size());
            row
        }))
    }

    /// Returns the bytes of a column of bytes.
    pub(crate) fn bytes(&self, index: u32) -> Result<&'a [u8]> {
        let column = self.column::<u8>(index)?;
        Ok(&self.bytes[column.start..column.end])
    }

    /// Returns the type, the numbers per row, the number of rows and the bytes of a column.
    pub(crate) fn raw(&self, index: u32) -> Option<(NumberType, u8, usize, &'a [u8])> {
        let Column { number, width, rows, start, end } = *self.list.get(index as usize)?;
        Some((number, width, rows, &self.bytes[start..end]))
    }

    fn column<T: Row>(&self, index: u32) -> Result<&Column> {
        let Some(column) = self.list.get(index as usize) else {
            let message = format!("column {index} does not exist; there are {}", self.list.len());
            return Err(Error::new(ErrorKind::Value, message));
        };
        if (column.number, column.width) != (T::NUMBER, T::WIDTH) {
            let message = format!(
                "column {index} has rows of {} {:?}; rows of {} {:?} are needed",
                column.width,
                column.number,
                T::WIDTH,
                T::NUMBER,
            );
            return Err(Error::at(ErrorKind::Value, self.offset(index, 0), message));
        }
        Ok(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn columns_are_little_endian_and_aligned() {
        let mut bytes = Vec::new();
        let mut writer = ColumnWriter::new(&mut bytes);
        assert_eq!(writer.push(&[Vec3::new(1.0, 2.0, 3.0)]), 0);
        assert_eq!(writer.push(&[0x0102_0304u32]), 1);
        assert_eq!(writer.push::<u8>(&[]), 2);
        assert_eq!(bytes[..8], [4, 3, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[16..20], [0, 0, 0x80, 0x3f]);
        assert_eq!(bytes[48..52], [4, 3, 2, 1]);
        assert_eq!(bytes.len(), 32 + 24 + 16);

        let mut budget = Budget::new(&Limits::default(), bytes.len());
        let columns = Columns::find(&bytes, Some(100)).unwrap();
        assert_eq!(columns.get::<Vec3>(0, &mut budget).unwrap(), [Vec3::new(1.0, 2.0, 3.0)]);
        assert_eq!(columns.get::<u32>(1, &mut budget).unwrap(), [0x0102_0304]);
        assert_eq!(columns.rows::<u8>(2), Ok(0));
        assert_eq!(columns.offset(1, 0), Some(148));
        let error = columns.get::<u32>(0, &mut budget).unwrap_err();
        let message = "byte 116: column 0 has rows of 3 F32; rows of 1 U32 are needed";
        assert_eq!(error.to_string(), message);
        assert!(columns.get::<u32>(3, &mut budget).is_err());
    }

    #[test]
    fn rows_that_do_not_fit_are_rejected() {
        let mut bytes = Vec::new();
        ColumnWriter::new(&mut bytes).push(&[1u32, 2]);
        for rows in [3, u64::MAX, u64::MAX / 4 + 1] {
            bytes[8..16].copy_from_slice(&rows.to_le_bytes());
            let error = Columns::find(&bytes, Some(0)).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::Length, Some(8)), "{rows}");
        }
    }
}
