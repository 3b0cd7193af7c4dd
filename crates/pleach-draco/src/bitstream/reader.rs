//! The bytes of a stream, front to back, and bits within them.
//!
//! Invariant: nothing is read behind the end; asking for more is [`Fault::Ends`]. Numbers
//! are little endian; in a byte, the lowest bit comes first.

use crate::error::Fault;

/// What is left to read.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    data: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data }
    }

    /// Refuses a promise of more bytes than are left.
    pub(crate) fn has(&self, count: usize) -> Result<(), Fault> {
        if count > self.data.len() { Err(Fault::Ends) } else { Ok(()) }
    }

    /// The next `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (bytes, rest) = self.data.split_at_checked(count).ok_or(Fault::Ends)?;
        self.data = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (bytes, rest) = self.data.split_first_chunk().ok_or(Fault::Ends)?;
        self.data = rest;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn i8(&mut self) -> Result<i8, Fault> {
        Ok(i8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Fault> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Fault> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(crate) fn f32(&mut self) -> Result<f32, Fault> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    /// A number in groups of seven bits, the lowest first; each byte but the last has its
    /// highest bit set.
    pub(crate) fn varint(&mut self) -> Result<u32, Fault> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return u32::try_from(value).map_err(|_| TOO_LONG);
            }
        }
        Err(TOO_LONG)
    }

    /// A count, as an index of arrays.
    pub(crate) fn count(&mut self) -> Result<usize, Fault> {
        Ok(self.varint()? as usize)
    }

    /// Bytes behind their length.
    pub(crate) fn block(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.count()?;
        self.bytes(length)
    }

    /// The bits from here on. What was read of them is left behind with
    /// [`Reader::skip_bits`].
    pub(crate) fn bits(&self) -> Bits<'a> {
        Bits::new(self.data)
    }

    /// Goes on at the first byte of which `bits` read nothing.
    pub(crate) fn skip_bits(&mut self, bits: &Bits<'_>) -> Result<(), Fault> {
        self.bytes(bits.at.div_ceil(8) as usize).map(|_| ())
    }
}

const TOO_LONG: Fault = Fault::Broken("a number has more than 32 bits");

/// Bits, the lowest of a byte first.
pub(crate) struct Bits<'a> {
    data: &'a [u8],
    at: u64,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// Refuses a promise of `count` symbols that take at least a bit each.
    pub(crate) fn has(&self, count: usize) -> Result<(), Fault> {
        if count.div_ceil(8) > self.data.len() { Err(Fault::Ends) } else { Ok(()) }
    }

    /// The next `count` bits, at most 32, as a number.
    pub(crate) fn read(&mut self, count: u32) -> Result<u32, Fault> {
        let rest = self.data.get((self.at / 8) as usize..).unwrap_or(&[]);
        let shift = (self.at % 8) as u32;
        if (shift + count).div_ceil(8) as usize > rest.len() {
            return Err(Fault::Ends);
        }
        let window = if let Some(bytes) = rest.first_chunk() {
            u64::from_le_bytes(*bytes)
        } else {
            rest.iter().rev().fold(0, |window, &byte| window << 8 | u64::from(byte))
        };
        self.at += u64::from(count);
        Ok((window >> shift & ((1 << count) - 1)) as u32)
    }
}
