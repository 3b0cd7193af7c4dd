//! Draco: triangles and attributes from one compressed stream, for
//! `KHR_draco_mesh_compression`.
//!
//! Bitstream 2.2, the one that the extension is for: triangles in sequence or by Edgebreaker
//! (standard or valence), and every prediction that the reference encoder chooses. Points and
//! triangles come in the order of the reference decoder: accessors beside may rely on it.
//!
//! Invariants, for any bytes: no panic; no more memory than the budget (`room.rs`); time in
//! proportion to the budget and the stream, as every walk counts its steps (`corners.rs`).
//!
//! The stream is read front to back, one file for each part:
//!
//! 1. `decode`: what it is.
//! 2. `sequence.rs`, or `edgebreaker.rs` with its symbols from `clers.rs`: triangles.
//! 3. `seams.rs`: where attributes part, and thereby the points.
//! 4. `attributes.rs`, with what `heads.rs` reads of them: values by point. They come in the
//!    order of `order.rs`, as differences (`integers.rs`) to the predictions of `predict.rs`,
//!    `texcoords.rs` and `normals.rs`; what the integers stand for is in `meaning.rs`.
//!
//! Below these: `numbers.rs` and `rans.rs` (entropy coding), `reader.rs` (bytes and bits).

#![forbid(unsafe_code)]

mod attributes;
mod bitstream;
mod budget;
mod connectivity;
mod error;
mod prediction;

pub use error::Fault;

use attributes::controller;
use bitstream::reader::Reader;
use budget::Room;
use connectivity::{edgebreaker, seams, sequential as sequence};

/// A decoded stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// How many points there are; each attribute has a value for each.
    pub points: usize,
    /// Three points for each triangle, all below `points`.
    pub indices: Vec<u32>,
    /// In the order of the stream. Those of types that glTF has not (64 bits, truth values)
    /// are left out.
    pub attributes: Vec<Attribute>,
}

/// One attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// What the extension's `attributes` call it by.
    pub id: u32,
    /// How many components a value has: 1 to 255.
    pub components: usize,
    /// The type of each.
    pub component: Component,
    /// Whether integers stand for fractions.
    pub normalized: bool,
    /// The values by point, without gaps, little endian.
    pub bytes: Vec<u8>,
}

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
}

/// Decodes a stream. `budget`: the most bytes that the result and the work on it may take.
///
/// A mesh takes about 70 bytes for each triangle, 40 more for each attribute with seams, and
/// for each point twice the size of its attributes. Coders take up to 16 MiB for a while.
pub fn decode(data: &[u8], budget: usize) -> Result<Decoded, Fault> {
    let room = &mut Room::new(budget);
    let reader = &mut Reader::new(data.strip_prefix(b"DRACO").ok_or(Fault::NotDraco)?);
    let (major, minor) = (reader.u8()?, reader.u8()?);
    if (major, minor) != (2, 2) {
        return Err(Fault::Version(major, minor));
    }
    if reader.u8()? != 1 {
        return Err(Fault::Broken("it is points without triangles"));
    }
    let method = reader.u8()?;
    if reader.u16()? & HAS_METADATA != 0 {
        skip_metadata(reader)?;
    }
    let mesh = match method {
        0 => sequence::read(reader, room)?,
        1 => seams::cut(edgebreaker::read(reader, room)?, room)?,
        _ => return Err(Fault::Unknown("triangles by method", method.into())),
    };
    let attributes = controller::read(reader, &mesh, room)?;
    Ok(Decoded { points: mesh.points, indices: mesh.point, attributes })
}

/// The flag of streams with names and notes before the triangles.
const HAS_METADATA: u16 = 1 << 15;

/// Skips names and notes: one set for each attribute that has some, and one for all.
fn skip_metadata(reader: &mut Reader<'_>) -> Result<(), Fault> {
    for _ in 0..reader.varint()? {
        reader.varint()?;
        skip_notes(reader)?;
    }
    skip_notes(reader)
}

/// Skips notes and those within. They are nested, but each begins where the one before ends,
/// so it is enough to count how many are still to come.
fn skip_notes(reader: &mut Reader<'_>) -> Result<(), Fault> {
    let mut left = 1u64;
    let mut named = false;
    while left > 0 {
        if named {
            let name = reader.u8()?;
            reader.bytes(name.into())?;
        }
        for _ in 0..reader.varint()? {
            let name = reader.u8()?;
            reader.bytes(name.into())?;
            reader.block()?;
        }
        left += u64::from(reader.varint()?);
        left -= 1;
        named = true;
    }
    Ok(())
}
