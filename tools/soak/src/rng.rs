//! Random numbers from a seed, the same on every machine: splitmix64.

/// A source of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The numbers that belong to this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Any 32 bits.
    #[inline]
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// A number from 0 up to, and without, `end`, which is not 0.
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        ((u64::from(self.word()) * end as u64) >> 32) as usize
    }

    /// True once in so many times.
    #[inline]
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A number from −1 up to, and without, 1: a multiple of 2⁻²³, and so exact.
    #[inline]
    pub fn signed_unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}
