//! The bytes of a stream, front to back, and the bits within them.
//!
//! Invariant: nothing is read past the end; asking for more is [`Error::UnexpectedEnd`].
//! Numbers are little-endian; the lowest bit of a byte comes first.

use crate::Error;

/// The unread rest of a stream.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    data: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data }
    }

    /// Skips the magic bytes, or fails with [`Error::NotDraco`].
    pub(crate) fn expect_prefix(&mut self, magic: &[u8]) -> Result<(), Error> {
        self.data = self.data.strip_prefix(magic).ok_or(Error::NotDraco)?;
        Ok(())
    }

    /// Fails unless at least `count` bytes are left.
    pub(crate) fn require(&self, count: usize) -> Result<(), Error> {
        if count > self.data.len() { Err(Error::UnexpectedEnd) } else { Ok(()) }
    }

    /// Returns the next `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (bytes, rest) = self.data.split_at_checked(count).ok_or(Error::UnexpectedEnd)?;
        self.data = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (bytes, rest) = self.data.split_first_chunk().ok_or(Error::UnexpectedEnd)?;
        self.data = rest;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn i8(&mut self) -> Result<i8, Error> {
        Ok(i8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Error> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(crate) fn f32(&mut self) -> Result<f32, Error> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    /// Reads a varint (LEB128): groups of seven bits, the lowest first; each byte but the last
    /// has its highest bit set.
    pub(crate) fn varint(&mut self) -> Result<u32, Error> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return u32::try_from(value).map_err(|_| VARINT_TOO_LONG);
            }
        }
        Err(VARINT_TOO_LONG)
    }

    /// Reads a varint as a count.
    pub(crate) fn count(&mut self) -> Result<usize, Error> {
        Ok(self.varint()? as usize)
    }

    /// Reads a length and returns that many bytes.
    pub(crate) fn length_prefixed(&mut self) -> Result<&'a [u8], Error> {
        let length = self.count()?;
        self.bytes(length)
    }

    /// Returns a reader of the bits from here on. [`Reader::skip_past`] skips what it has read.
    pub(crate) fn bit_reader(&self) -> BitReader<'a> {
        BitReader::new(self.data)
    }

    /// Skips to the first byte of which `bits` has read nothing.
    pub(crate) fn skip_past(&mut self, bits: &BitReader<'_>) -> Result<(), Error> {
        self.bytes(bits.position.div_ceil(8) as usize).map(|_| ())
    }
}

const VARINT_TOO_LONG: Error = Error::Malformed("a varint has more than 32 bits");

/// Bits, the lowest of a byte first.
pub(crate) struct BitReader<'a> {
    data: &'a [u8],
    /// The number of bits read.
    position: u64,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, position: 0 }
    }

    /// Fails unless there are `count` bits in all.
    pub(crate) fn require(&self, count: usize) -> Result<(), Error> {
        if count.div_ceil(8) > self.data.len() { Err(Error::UnexpectedEnd) } else { Ok(()) }
    }

    /// Reads a number of `count` bits, at most 32.
    pub(crate) fn read(&mut self, count: u32) -> Result<u32, Error> {
        let rest = self.data.get((self.position / 8) as usize..).unwrap_or(&[]);
        let shift = (self.position % 8) as u32;
        if (shift + count).div_ceil(8) as usize > rest.len() {
            return Err(Error::UnexpectedEnd);
        }
        let window = if let Some(bytes) = rest.first_chunk() {
            u64::from_le_bytes(*bytes)
        } else {
            rest.iter().rev().fold(0, |window, &byte| window << 8 | u64::from(byte))
        };
        self.position += u64::from(count);
        Ok((window >> shift & ((1 << count) - 1)) as u32)
    }
}
