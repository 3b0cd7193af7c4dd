//! Random numbers, the same for the same seed on every machine, and what is made of them.

use pleach::Transform;
use pleach::glam::{Mat4, Quat, Vec3};

/// Splitmix64. Prints its seed when the test that holds it fails.
pub(crate) struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    /// With the seed of `PLEACH_SEED`, if that is set; it is printed.
    pub(crate) fn seeded() -> Self {
        let seed = std::env::var("PLEACH_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or(20_240_607);
        println!("PLEACH_SEED={seed}");
        Self::new(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * ((self.next() >> 40) as f32 / (1u32 << 24) as f32)
    }

    /// From −1 to 1.
    pub(crate) fn number(&mut self) -> f32 {
        self.between(-1.0, 1.0)
    }

    pub(crate) fn vec3(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.between(-reach, reach)))
    }

    pub(crate) fn direction(&mut self) -> Vec3 {
        loop {
            let direction = self.vec3(1.0);
            if (0.01..=1.0).contains(&direction.length_squared()) {
                return direction.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_axis_angle(self.direction(), self.between(0.0, 6.3))
    }

    /// Any rotation by its four numbers, not by axis and angle: of length 1 to the last bits.
    pub(crate) fn turn(&mut self) -> Quat {
        Quat::from_array([(); 4].map(|()| self.between(-1.0, 1.0))).normalize()
    }

    /// Uneven, and one in four axes mirrored.
    pub(crate) fn scale(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| {
            let size = self.between(0.5, 2.0);
            if self.one_in(4) { -size } else { size }
        }))
    }

    pub(crate) fn transform(&mut self, reach: f32) -> Transform {
        Transform { translation: self.vec3(reach), rotation: self.rotation(), scale: self.scale() }
    }

    /// Any affine matrix that is far from flat, mostly sheared, often mirrored.
    pub(crate) fn matrix(&mut self, reach: f32) -> Mat4 {
        loop {
            let [x, y, z] = [(); 3].map(|()| self.vec3(2.0));
            if x.dot(y.cross(z)).abs() > 0.2 {
                let at = self.vec3(reach);
                return Mat4::from_cols(
                    x.extend(0.0),
                    y.extend(0.0),
                    z.extend(0.0),
                    at.extend(1.0),
                );
            }
        }
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with random seed {}", self.seed);
        }
    }
}
