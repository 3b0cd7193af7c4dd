//! Integers of an attribute: differences from the stream, added to predictions.

use crate::attributes::descriptor::{Coding, Head};
use crate::bitstream::rans::Flags;
use crate::bitstream::reader::Reader;
use crate::bitstream::symbols as numbers;
use crate::budget::Room;
use crate::error::Fault;
use crate::prediction::octahedron as normals;
use crate::prediction::octahedron::Square;
use crate::prediction::parallelogram as predict;
use crate::prediction::parallelogram::{Creases, Place, Positions, Wrap};
use crate::prediction::tex_coords as texcoords;
use crate::prediction::tex_coords::Sides;

/// Reads the integers of `entries` values. What they are predicted from may be their
/// neighbours, if they have a place, and positions, if there are any yet.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    head: &Head,
    entries: usize,
    place: Option<Place<'_>>,
    positions: Option<Positions<'_>>,
    room: &mut Room,
) -> Result<Vec<i32>, Fault> {
    let components = head.integers();
    let scheme = reader.i8()?;
    if scheme == NONE {
        return differences(reader, entries, components, true, room);
    }
    let transform = reader.i8()?;
    let normals = head.coding == Coding::Normals;
    if transform != if normals { ON_OCTAHEDRON } else { WRAPPED } {
        return Err(Fault::Unknown("differences of kind", transform.cast_unsigned().into()));
    }
    let mut values = differences(reader, entries, components, !normals, room)?;
    let no_positions = Fault::Broken("values are predicted from positions that are not there");
    match (scheme, place) {
        (GEOMETRIC_NORMAL, Some(place)) if normals => {
            let square = Square::read(reader)?;
            let flags = Flags::read(reader)?;
            let positions = positions.ok_or(no_positions)?;
            normals::from_positions(&mut values, place, positions, square, flags)?;
        }
        (DIFFERENCE..=GEOMETRIC_NORMAL, _) if normals => {
            normals::from_last(&mut values, Square::read(reader)?);
        }
        (PARALLELOGRAM, Some(place)) => {
            predict::parallelogram(&mut values, components, place, Wrap::read(reader)?);
        }
        (PARALLELOGRAMS, Some(place)) => {
            let mut creases = Creases::read(reader, place.corners, room)?;
            let wrap = Wrap::read(reader)?;
            predict::parallelograms(&mut values, components, place, wrap, &mut creases)?;
        }
        (TEXCOORDS, Some(place)) if components == 2 => {
            let mut sides = Sides::read(reader, entries, room)?;
            let wrap = Wrap::read(reader)?;
            let positions = positions.ok_or(no_positions)?;
            texcoords::restore(&mut values, place, positions, wrap, &mut sides)?;
            sides.give(room);
        }
        // Without a place, every scheme is this one.
        (DIFFERENCE, _) | (PARALLELOGRAM..=GEOMETRIC_NORMAL, None) => {
            predict::from_last(&mut values, components, Wrap::read(reader)?);
        }
        _ => return Err(Fault::Unknown("prediction scheme", scheme.cast_unsigned().into())),
    }
    Ok(values)
}

/// Draco's numbers of prediction schemes. Two between are of older versions.
const NONE: i8 = -2;
const DIFFERENCE: i8 = 0;
const PARALLELOGRAM: i8 = 1;
const PARALLELOGRAMS: i8 = 4;
const TEXCOORDS: i8 = 5;
const GEOMETRIC_NORMAL: i8 = 6;

/// Draco's numbers of ways to add differences.
const WRAPPED: i8 = 1;
const ON_OCTAHEDRON: i8 = 3;

/// Reads numbers; signed ones have their sign in the lowest bit.
fn differences(
    reader: &mut Reader<'_>,
    entries: usize,
    components: usize,
    signed: bool,
    room: &mut Room,
) -> Result<Vec<i32>, Fault> {
    let make = |number: u32| {
        if signed {
            (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
        } else {
            number.cast_signed()
        }
    };
    if reader.u8()? > 0 {
        return numbers::read(reader, entries, components, room, make);
    }
    let size = usize::from(reader.u8()?);
    if size > 4 {
        return Err(Fault::Broken("an integer has more than 4 bytes"));
    }
    let count = entries.saturating_mul(components);
    let bytes = reader.bytes(count.saturating_mul(size))?;
    let mut numbers = room.empty(count)?;
    for at in 0..count {
        let bytes = bytes[at * size..].iter().take(size).rev();
        numbers.push(make(bytes.fold(0, |number, &byte| number << 8 | u32::from(byte))));
    }
    Ok(numbers)
}
