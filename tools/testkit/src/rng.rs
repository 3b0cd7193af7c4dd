//! Seeded random numbers: splitmix64, identical on every machine.

use glam::{Mat4, Quat, Vec3};

/// A splitmix64 generator that prints its seed if the test holding it panics.
#[derive(Debug)]
pub struct Rng {
    seed: u64,
    state: u64,
}

impl Rng {
    /// Creates the generator of `seed`. Every seed is equally good.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    /// Creates the generator of the seed in `PLEACH_SEED`, or of `default`, and prints the seed.
    ///
    /// # Panics
    ///
    /// If `PLEACH_SEED` is set to something other than an unsigned integer.
    #[must_use]
    pub fn from_env(default: u64) -> Self {
        let seed = match std::env::var("PLEACH_SEED") {
            Ok(text) => text.parse().expect("PLEACH_SEED is an unsigned integer"),
            Err(_) => default,
        };
        println!("PLEACH_SEED={seed}");
        Self::new(seed)
    }

    /// Returns a seed whose generator continues where this one stands.
    #[must_use]
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns 32 random bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// Returns an integer below `limit`, or 0 if `limit` is 0.
    #[inline]
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next_u64() % limit.max(1) as u64) as usize
    }

    /// Returns `true` with a probability of one in `chances`.
    #[inline]
    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    /// Returns a random element of a slice.
    ///
    /// # Panics
    ///
    /// If the slice is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Shuffles a slice in place.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Returns a number from `low` up to, but not including, `high`.
    #[inline]
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next_u64() >> 40) as f32 / (1u32 << 24) as f32)
    }

    /// Returns a vector whose components are between `-extent` and `extent`.
    pub fn vec3(&mut self, extent: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.between(-extent, extent)))
    }

    /// Returns a unit vector.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let direction = self.vec3(1.0);
            if (0.01..=1.0).contains(&direction.length_squared()) {
                return direction.normalize();
            }
        }
    }

    /// Returns a unit quaternion, drawn component by component.
    pub fn rotation(&mut self) -> Quat {
        loop {
            let components = [(); 4].map(|()| self.between(-1.0, 1.0));
            let length_squared: f32 = components.iter().map(|it| it * it).sum();
            if (0.01..=1.0).contains(&length_squared) {
                // Not glam's: the order of its sums depends on the processor.
                let length = length_squared.sqrt();
                return Quat::from_array(components.map(|component| component / length));
            }
        }
    }

    /// Returns a non-uniform scale; one axis in four is mirrored.
    pub fn scale(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| {
            let size = self.between(0.5, 2.0);
            if self.one_in(4) { -size } else { size }
        }))
    }

    /// Returns an affine matrix, usually sheared and possibly singular.
    pub fn affine(&mut self, extent: f32) -> Mat4 {
        let [x, y, z] = [(); 3].map(|()| self.vec3(2.0));
        let translation = self.vec3(extent);
        Mat4::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), translation.extend(1.0))
    }

    /// Returns an affine matrix that is far from singular, usually sheared, often mirrored.
    pub fn invertible(&mut self, extent: f32) -> Mat4 {
        loop {
            let [x, y, z] = [(); 3].map(|()| self.vec3(2.0));
            if x.dot(y.cross(z)).abs() > 0.2 {
                let translation = self.vec3(extent);
                return Mat4::from_cols(
                    x.extend(0.0),
                    y.extend(0.0),
                    z.extend(0.0),
                    translation.extend(1.0),
                );
            }
        }
    }

    /// Returns a random element of a slice, or `None` if it is empty.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }

    /// Returns a finite number of any size; one in four is an edge case.
    pub fn finite(&mut self) -> f32 {
        const EDGES: [f32; 9] =
            [0.0, -0.0, 1e-45, -1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 16_777_217.0, 0.1];
        if self.one_in(4) {
            return EDGES[self.below(EDGES.len())];
        }
        loop {
            let number = f32::from_bits(self.next_u64() as u32);
            if number.is_finite() {
                return number;
            }
        }
    }

    /// Returns a number below 215 in magnitude, so that products stay finite; some are tiny.
    pub fn moderate(&mut self) -> f32 {
        match self.below(8) {
            0 => -0.0,
            1 => 1e-45,
            2 => 1e-30,
            _ => (self.next_u64() as i32) as f32 * 1e-7,
        }
    }
}

impl Drop for Rng {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with random seed {}", self.seed);
        }
    }
}
