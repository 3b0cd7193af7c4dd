//! Numbers that look random, always the same for a seed.

/// SplitMix64: every seed is as good as any.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// One of a list; none if it is empty.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }

    /// Any finite number, odd ones often.
    pub(crate) fn number(&mut self) -> f32 {
        const ODD: [f32; 9] =
            [0.0, -0.0, 1e-45, -1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 16_777_217.0, 0.1];
        if self.below(4) == 0 {
            return ODD[self.below(ODD.len())];
        }
        loop {
            let number = f32::from_bits(self.next() as u32);
            if number.is_finite() {
                return number;
            }
        }
    }

    /// One that scenes can multiply with others.
    pub(crate) fn tame(&mut self) -> f32 {
        match self.below(8) {
            0 => -0.0,
            1 => 1e-45,
            2 => 1e-30,
            _ => (self.next() as i32) as f32 * 1e-7,
        }
    }
}
