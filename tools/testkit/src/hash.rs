//! FNV-1a, 64 bits: the hash that recorded results are compared by.

/// A running FNV-1a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self::new()
    }
}

impl Fnv {
    /// Starts a hash at the FNV offset basis.
    #[must_use]
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds the bits of numbers, in little-endian order.
    pub fn write_f32s(&mut self, numbers: &[f32]) {
        for number in numbers {
            self.write(&number.to_bits().to_le_bytes());
        }
    }

    /// Returns the hash of everything added so far.
    #[must_use]
    pub const fn finish(self) -> u64 {
        self.0
    }
}
