//! The index sequence codec: indices without a topology, as differences.
//!
//! A stream is a header byte, one number for each index, and four bytes of tail. A number says
//! in its lowest bit which of two running indices it moves, and in the rest by how much.
//!
//! Invariant: the numbers end exactly where the tail begins.

use super::{Extra, Fault, Mode, Place, unzigzag, version};

const TAIL: usize = 4;

/// `count` indices of `SIZE` bytes, 2 or 4; what does not fit into 2 bytes loses its upper bits.
pub(super) fn decode<const SIZE: usize>(count: usize, data: &[u8]) -> Result<Vec<u8>, Fault> {
    version(Mode::Indices, 0xd0, data)?;
    let least = 1 + count + TAIL;
    if data.len() < least {
        return Err(Fault::TooShort { length: data.len(), least });
    }
    let mut extra = Extra { data: &data[..data.len() - TAIL], at: 1 };
    let mut running = [0u32; 2];
    let mut bytes = vec![0; count * SIZE];
    for (index, out) in bytes.as_chunks_mut::<SIZE>().0.iter_mut().enumerate() {
        let Some(number) = extra.number() else {
            return Err(Fault::Ends { at: extra.data.len(), within: Place::Index(index) });
        };
        let moved = &mut running[(number & 1) as usize];
        *moved = moved.wrapping_add(unzigzag(number >> 1));
        out.copy_from_slice(&moved.to_le_bytes()[..SIZE]);
    }
    extra.finish()?;
    Ok(bytes)
}
