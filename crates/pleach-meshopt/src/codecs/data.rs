//! The parts that streams of all modes share: the version in the header, and the data between the
//! header and the tail.

use crate::{Error, Mode};

/// Returns the version of a stream, 0 or 1: the lowest bit of the header, whose other bits are
/// `header`.
pub(super) fn version(mode: Mode, header: u8, stream: &[u8]) -> Result<u8, Error> {
    match stream.first() {
        Some(&first) if first == header || first == header | 1 => Ok(first & 1),
        found => Err(Error::Header { mode, found: found.copied() }),
    }
}

/// The bytes of a stream up to its tail, and the position in them.
pub(super) struct Data<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) position: usize,
}

impl Data<'_> {
    /// Returns the next byte, or `None` where the tail begins.
    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.position)?;
        self.position += 1;
        Some(byte)
    }

    /// Reads a varint: 1 to 5 bytes of 7 bits, the lowest first. The highest bit of a byte states
    /// that more follow; it is ignored in the fifth byte, and so are the bits above the 32nd.
    #[inline]
    pub(super) fn varint(&mut self) -> Option<u32> {
        let first = self.byte()?;
        if first < 128 {
            return Some(u32::from(first));
        }
        let mut value = u32::from(first & 127);
        for shift in [7, 14, 21, 28] {
            let next = self.byte()?;
            value |= u32::from(next & 127) << shift;
            if next < 128 {
                break;
            }
        }
        Some(value)
    }

    /// Fails unless all bytes were read.
    pub(super) fn finish(&self) -> Result<(), Error> {
        match self.bytes.len() - self.position {
            0 => Ok(()),
            count => Err(Error::TrailingBytes { count }),
        }
    }
}

/// Decodes zigzag encoding, in which the lowest bit is the sign.
#[inline]
pub(super) fn unzigzag(v: u32) -> u32 {
    (v >> 1) ^ (v & 1).wrapping_neg()
}

/// Allocates the bytes of the elements.
pub(super) fn zeroed(length: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| Error::OutOfMemory { bytes: length })?;
    bytes.resize(length, 0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varint_has_at_most_five_bytes() {
        let varint = |bytes: &[u8]| {
            let mut data = Data { bytes, position: 0 };
            (data.varint(), data.position)
        };
        assert_eq!(varint(&[0x7f]), (Some(0x7f), 1));
        assert_eq!(varint(&[0x81, 0x04, 9]), (Some(0x201), 2));
        assert_eq!(varint(&[0xff, 0xff, 0xff, 0xff, 0xff, 1]), (Some(u32::MAX), 5));
        assert_eq!(varint(&[0x80, 0x80]), (None, 2));
        assert_eq!(varint(&[]), (None, 0));
    }
}
