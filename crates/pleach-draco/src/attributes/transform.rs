//! What integers of an attribute stand for, and its values by point.

use crate::attributes::descriptor::{Coding, Head};
use crate::bitstream::reader::Reader;
use crate::budget::Room;
use crate::error::Fault;
use crate::prediction::octahedron::Square;

/// Values by entry, as they are in the stream.
pub(crate) enum Values<'a> {
    Plain(&'a [u8]),
    Integers(Vec<i32>),
}

/// What makes integers to what they stand for.
pub(crate) enum Meaning {
    /// Themselves.
    Same,
    /// Floats from `least` on, in steps of `step`.
    Scaled { least: Vec<f32>, step: f32 },
    /// Normals.
    Directions(Square),
}

impl Meaning {
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        head: &Head,
        room: &mut Room,
    ) -> Result<Self, Fault> {
        match head.coding {
            Coding::Plain | Coding::Integers => Ok(Self::Same),
            Coding::Normals => Ok(Self::Directions(Square::new(reader.u8()?.into())?)),
            Coding::Floats => {
                let mut least = room.empty(head.components)?;
                for _ in 0..head.components {
                    least.push(reader.f32()?);
                }
                let range = reader.f32()?;
                let bits = reader.u8()?;
                if !(1..=30).contains(&bits) {
                    return Err(Fault::Broken("floats have no bits, or more than 30"));
                }
                Ok(Self::Scaled { least, step: range / ((1 << bits) - 1) as f32 })
            }
        }
    }
}

/// The bytes of all points, of which each has the value of one of `entries`.
pub(crate) fn by_point(
    head: &Head,
    values: &Values<'_>,
    meaning: &Meaning,
    entries: impl ExactSizeIterator<Item = usize>,
    room: &mut Room,
) -> Result<Vec<u8>, Fault> {
    let mut bytes = room.empty(entries.len().saturating_mul(head.size()))?;
    match values {
        Values::Plain(plain) => {
            for entry in entries {
                bytes.extend_from_slice(value(plain, entry, head.size())?);
            }
        }
        Values::Integers(values) => {
            for entry in entries {
                meaning.put(value(values, entry, head.integers())?, head, &mut bytes);
            }
        }
    }
    Ok(bytes)
}

/// The value of an entry.
fn value<T>(values: &[T], entry: usize, size: usize) -> Result<&[T], Fault> {
    let value = values.get(entry.saturating_mul(size)..).and_then(|rest| rest.get(..size));
    value.ok_or(Fault::Broken("a point has no value"))
}

impl Meaning {
    /// Puts what a value stands for behind the others, little endian.
    fn put(&self, value: &[i32], head: &Head, bytes: &mut Vec<u8>) {
        match self {
            Self::Same => {
                let size = head.kind.size();
                for value in value {
                    bytes.extend_from_slice(&value.to_le_bytes()[..size]);
                }
            }
            Self::Scaled { least, step } => {
                for (&value, least) in value.iter().zip(least) {
                    bytes.extend_from_slice(&(value as f32 * step + least).to_le_bytes());
                }
            }
            Self::Directions(square) => {
                for value in square.direction([value[0], value[1]]) {
                    bytes.extend_from_slice(&value.to_le_bytes());
                }
            }
        }
    }
}
