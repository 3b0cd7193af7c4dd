//! The seeded random number generator of all scenes and edit lists.

/// The generator of `testkit`, with the `below` that the published workloads use.
pub struct Rng(testkit::Rng);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(testkit::Rng::new(seed))
    }

    /// Returns a number in `0..bound`; `bound` must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Returns a number in `low..high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0.between(low, high)
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
