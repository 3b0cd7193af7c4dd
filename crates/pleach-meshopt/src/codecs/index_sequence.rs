//! The index sequence codec: indices without a topology, as differences.
//!
//! A stream is a header byte, one number for each index, and four bytes of tail. A number says
//! in its lowest bit which of two running indices it moves, and in the rest by how much.
//!
//! Invariant: the numbers end exactly where the tail begins.

use crate::{Extra, Fault, Mode, Place, unzigzag, version};

const TAIL: usize = 4;

/// `count` indices of `SIZE` bytes, 2 or 4; what does not fit into 2 bytes loses its upper bits.
pub(crate) fn decode<const SIZE: usize>(count: usize, data: &[u8]) -> Result<Vec<u8>, Fault> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const INDICES: [u32; 10] = [0, 1, 2, 51, 2, 49, 1000, 70000, 3, 69999];
    /// By meshoptimizer's encoder. The versions differ in the first byte alone.
    const STREAM: [u8; 20] = [
        0xd1, 0x00, 0x04, 0x04, 0xcd, 0x01, 0x00, 0x07, 0x98, 0x1f, 0xfd, 0x89, 0x11, 0x92, 0x1f,
        0x03, 0x00, 0x00, 0x00, 0x00,
    ];

    #[test]
    fn indices_come_back_in_either_version() {
        for version in [0xd0, 0xd1] {
            let mut stream = STREAM;
            stream[0] = version;
            let words = INDICES.map(u32::to_le_bytes);
            assert_eq!(decode::<4>(10, &stream).unwrap(), words.as_flattened());
        }
    }

    #[test]
    fn indices_of_two_bytes_lose_what_does_not_fit() {
        let halves = INDICES.map(|index| (index as u16).to_le_bytes());
        assert_eq!(decode::<2>(10, &STREAM).unwrap(), halves.as_flattened());
    }

    #[test]
    fn a_stream_of_another_length_is_refused() {
        for length in 0..STREAM.len() {
            assert!(decode::<4>(10, &STREAM[..length]).is_err());
        }
        let ends = Fault::Ends { at: 15, within: Place::Index(9) };
        assert_eq!(decode::<4>(10, &STREAM[..19]), Err(ends));
        assert_eq!(decode::<4>(9, &STREAM), Err(Fault::LeftOver { bytes: 1 }));
        assert_eq!(decode::<4>(16, &STREAM), Err(Fault::TooShort { length: 20, least: 21 }));
        assert_eq!(decode::<4>(0, &[0xd1, 0, 0, 0, 0]), Ok(vec![]));
    }
}
