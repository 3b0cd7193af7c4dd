//! Sequential connectivity: triangles as a list of indices.

use super::Connectivity;
use crate::Error;
use crate::bitstream::reader::Reader;
use crate::bitstream::symbols;
use crate::budget::Budget;

/// Draco's numbers of ways to encode indices.
const COMPRESSED: u8 = 0;
const UNCOMPRESSED: u8 = 1;

/// Decodes the triangles. The result has no corner tables.
pub(crate) fn decode(reader: &mut Reader<'_>, budget: &mut Budget) -> Result<Connectivity, Error> {
    let (triangles, point_count) = (reader.count()?, reader.count()?);
    let count = triangles.saturating_mul(3);
    let corner_to_point = match reader.u8()? {
        COMPRESSED => compressed_indices(reader, count, budget)?,
        UNCOMPRESSED => uncompressed_indices(reader, count, point_count, budget)?,
        method => {
            return Err(Error::Unsupported { field: "index encoding", value: method.into() });
        }
    };
    if corner_to_point.iter().any(|&point| point as usize >= point_count) {
        return Err(Error::Malformed("an index is not below the number of points"));
    }
    let (corner_tables, attribute_tables) = (Vec::new(), Vec::new());
    Ok(Connectivity { corner_tables, attribute_tables, corner_to_point, point_count })
}

/// Reads indices whose size follows from the number of points.
fn uncompressed_indices(
    reader: &mut Reader<'_>,
    count: usize,
    point_count: usize,
    budget: &mut Budget,
) -> Result<Vec<u32>, Error> {
    type Read = fn(&mut Reader<'_>) -> Result<u32, Error>;
    let (min_size, read): (usize, Read) = match point_count {
        0..0x100 => (1, |reader| Ok(reader.u8()?.into())),
        0x100..0x1_0000 => (2, |reader| Ok(reader.u16()?.into())),
        0x1_0000..0x20_0000 => (1, |reader| reader.varint()),
        _ => (4, |reader| Ok(reader.i32()?.cast_unsigned())),
    };
    reader.require(count.saturating_mul(min_size))?;
    let mut indices = budget.vec_with_capacity(count)?;
    for _ in 0..count {
        indices.push(read(reader)?);
    }
    Ok(indices)
}

/// Decodes indices from differences to the index before, with the sign in the lowest bit.
fn compressed_indices(
    reader: &mut Reader<'_>,
    count: usize,
    budget: &mut Budget,
) -> Result<Vec<u32>, Error> {
    let mut indices = symbols::decode(reader, count, 1, budget, |symbol| symbol)?;
    let mut last = 0u32;
    for index in &mut indices {
        let delta = *index >> 1;
        last = if *index & 1 == 0 { last.wrapping_add(delta) } else { last.wrapping_sub(delta) };
        *index = last;
    }
    Ok(indices)
}
