//! `decode`: the stages in order.

use crate::bitstream::header::{self, ConnectivityMethod};
use crate::bitstream::reader::Reader;
use crate::budget::Budget;
use crate::connectivity::{edgebreaker, seams, sequential};
use crate::{Error, Mesh, attributes};

/// Decodes a Draco stream, using at most `budget` bytes of memory.
///
/// # Memory
///
/// `budget` is in bytes and covers the result and everything allocated on the way to it. A mesh
/// takes about 70 bytes per triangle, 40 more per triangle for each attribute with seams, and
/// twice the size of its attributes per point. Entropy decoders need up to 16 MiB temporarily.
/// Pass `usize::MAX` for trusted streams only.
///
/// # Errors
///
/// [`Error::OverBudget`] if the budget does not suffice; other variants of [`Error`] if the
/// stream is malformed or uses a method that is not part of bitstream 2.2.
pub fn decode(data: &[u8], budget: usize) -> Result<Mesh, Error> {
    let budget = &mut Budget::new(budget);
    let reader = &mut Reader::new(data);
    let connectivity = match header::read(reader)? {
        ConnectivityMethod::Sequential => sequential::decode(reader, budget)?,
        ConnectivityMethod::Edgebreaker => {
            seams::decode(edgebreaker::decode(reader, budget)?, budget)?
        }
    };
    let attributes = attributes::decode(reader, &connectivity, budget)?;
    Ok(Mesh {
        point_count: connectivity.point_count,
        indices: connectivity.corner_to_point,
        attributes,
    })
}
