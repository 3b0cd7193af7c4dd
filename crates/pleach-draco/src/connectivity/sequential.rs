//! Triangles as they were: indices, one after the other.

use crate::bitstream::reader::Reader;
use crate::bitstream::symbols as numbers;
use crate::budget::Room;
use crate::connectivity::seams::Mesh;
use crate::error::Fault;

/// Reads the triangles. The mesh has no tables.
pub(crate) fn read(reader: &mut Reader<'_>, room: &mut Room) -> Result<Mesh, Fault> {
    let (triangles, points) = (reader.count()?, reader.count()?);
    let count = triangles.saturating_mul(3);
    let point = match reader.u8()? {
        0 => from_differences(reader, count, room)?,
        1 => as_they_are(reader, count, points, room)?,
        way => return Err(Fault::Unknown("indices in way", way.into())),
    };
    if point.iter().any(|&point| point as usize >= points) {
        return Err(Fault::Broken("a triangle has a point that is not there"));
    }
    Ok(Mesh { tables: Vec::new(), cuts: Vec::new(), point, points })
}

/// Indices take as many bytes as the number of points needs.
fn as_they_are(
    reader: &mut Reader<'_>,
    count: usize,
    points: usize,
    room: &mut Room,
) -> Result<Vec<u32>, Fault> {
    type Read = fn(&mut Reader<'_>) -> Result<u32, Fault>;
    let (size, read): (usize, Read) = match points {
        0..0x100 => (1, |reader| Ok(reader.u8()?.into())),
        0x100..0x1_0000 => (2, |reader| Ok(reader.u16()?.into())),
        0x1_0000..0x20_0000 => (1, |reader| reader.varint()),
        _ => (4, |reader| Ok(reader.i32()?.cast_unsigned())),
    };
    reader.has(count.saturating_mul(size))?;
    let mut indices = room.empty(count)?;
    for _ in 0..count {
        indices.push(read(reader)?);
    }
    Ok(indices)
}

/// Each index is a difference to the one before, its sign in the lowest bit.
fn from_differences(
    reader: &mut Reader<'_>,
    count: usize,
    room: &mut Room,
) -> Result<Vec<u32>, Fault> {
    let mut indices = numbers::read(reader, count, 1, room, |step| step)?;
    let mut last = 0u32;
    for index in &mut indices {
        let step = *index >> 1;
        last = if *index & 1 == 0 { last.wrapping_add(step) } else { last.wrapping_sub(step) };
        *index = last;
    }
    Ok(indices)
}
