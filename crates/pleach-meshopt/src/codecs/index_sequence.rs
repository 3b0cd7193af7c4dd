//! The index sequence codec: indices without a topology, as deltas.
//!
//! A stream is a header byte, one varint per index, and four bytes of tail. The lowest bit of a
//! varint selects one of two baselines; the rest is the delta to it, in zigzag encoding.
//!
//! Invariant: the varints end exactly where the tail begins.

use super::data::{Data, unzigzag, version, zeroed};
use crate::{Error, Mode, StreamPart};

const HEADER: u8 = 0xd0;
const TAIL_SIZE: usize = 4;

/// Decodes `count` indices of `SIZE` bytes, 2 or 4. Indices that do not fit into 2 bytes lose their
/// upper bits.
pub(crate) fn decode<const SIZE: usize>(count: usize, stream: &[u8]) -> Result<Vec<u8>, Error> {
    version(Mode::Indices, HEADER, stream)?;
    let min_length = 1 + count + TAIL_SIZE;
    if stream.len() < min_length {
        return Err(Error::TooShort { length: stream.len(), min_length });
    }
    let mut data = Data { bytes: &stream[..stream.len() - TAIL_SIZE], position: 1 };
    let mut baselines = [0u32; 2];
    let mut indices = zeroed(count * SIZE)?;
    for (index, out) in indices.as_chunks_mut::<SIZE>().0.iter_mut().enumerate() {
        let Some(varint) = data.varint() else {
            let within = StreamPart::Index(index);
            return Err(Error::UnexpectedEnd { offset: data.bytes.len(), within });
        };
        let baseline = &mut baselines[(varint & 1) as usize];
        *baseline = baseline.wrapping_add(unzigzag(varint >> 1));
        out.copy_from_slice(&baseline.to_le_bytes()[..SIZE]);
    }
    data.finish()?;
    Ok(indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDICES: [u32; 10] = [0, 1, 2, 51, 2, 49, 1000, 70000, 3, 69999];
    /// Made by meshoptimizer's encoder. The versions differ in the first byte only.
    const STREAM: [u8; 20] = [
        0xd1, 0x00, 0x04, 0x04, 0xcd, 0x01, 0x00, 0x07, 0x98, 0x1f, 0xfd, 0x89, 0x11, 0x92, 0x1f,
        0x03, 0x00, 0x00, 0x00, 0x00,
    ];

    #[test]
    fn indices_are_decoded_in_both_versions() {
        for version in [0xd0, 0xd1] {
            let mut stream = STREAM;
            stream[0] = version;
            let words = INDICES.map(u32::to_le_bytes);
            assert_eq!(decode::<4>(10, &stream).unwrap(), words.as_flattened());
        }
    }

    #[test]
    fn indices_of_two_bytes_are_truncated() {
        let truncated = INDICES.map(|index| (index as u16).to_le_bytes());
        assert_eq!(decode::<2>(10, &STREAM).unwrap(), truncated.as_flattened());
    }

    #[test]
    fn streams_of_another_length_are_refused() {
        for length in 0..STREAM.len() {
            assert!(decode::<4>(10, &STREAM[..length]).is_err());
        }
        let error = Error::UnexpectedEnd { offset: 15, within: StreamPart::Index(9) };
        assert_eq!(decode::<4>(10, &STREAM[..19]), Err(error));
        assert_eq!(decode::<4>(9, &STREAM), Err(Error::TrailingBytes { count: 1 }));
        let error = Error::TooShort { length: 20, min_length: 21 };
        assert_eq!(decode::<4>(16, &STREAM), Err(error));
        assert_eq!(decode::<4>(0, &[0xd1, 0, 0, 0, 0]), Ok(vec![]));
    }
}
