//! The boxes of all queries: distributed uniformly over a cube, with a density that does not depend
//! on their number.

use crate::rng::Rng;

/// A box in the form that every contender is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Aabb {
    pub fn from_center(center: [f32; 3], half: [f32; 3]) -> Self {
        Self {
            min: std::array::from_fn(|axis| center[axis] - half[axis]),
            max: std::array::from_fn(|axis| center[axis] + half[axis]),
        }
    }

    pub fn translated(&self, by: [f32; 3]) -> Self {
        Self {
            min: std::array::from_fn(|axis| self.min[axis] + by[axis]),
            max: std::array::from_fn(|axis| self.max[axis] + by[axis]),
        }
    }

    pub fn center(&self) -> [f32; 3] {
        std::array::from_fn(|axis| (self.min[axis] + self.max[axis]) / 2.0)
    }

    pub fn half(&self) -> [f32; 3] {
        std::array::from_fn(|axis| (self.max[axis] - self.min[axis]) / 2.0)
    }
}

pub struct BoxField {
    /// Half the edge length of the cube around the origin that contains all centres.
    pub half_extent: f32,
    pub boxes: Vec<Aabb>,
}

impl BoxField {
    /// Creates `n` boxes. They fill about one eightieth of the cube, so that a ray from inside hits
    /// one after a quarter of the way, on average.
    pub fn new(n: usize, seed: u64) -> Self {
        let half_extent = 100.0 * (n as f32 / 1e5).cbrt();
        let mut rng = Rng::new(seed ^ 0x100);
        let boxes = (0..n).map(|_| Self::random_box(half_extent, &mut rng)).collect();
        Self { half_extent, boxes }
    }

    fn random_box(half_extent: f32, rng: &mut Rng) -> Aabb {
        let half = [(); 3].map(|()| snap_to_grid(rng.between(0.1, 0.9)));
        Aabb::from_center(Self::random_center(half_extent, rng), half)
    }

    pub fn random_center(half_extent: f32, rng: &mut Rng) -> [f32; 3] {
        [(); 3].map(|()| snap_to_grid(rng.between(-half_extent, half_extent)))
    }
}

/// Rounds to a multiple of 1/1024. Sums of these are exact, so that a box is the same for all
/// contenders, whether they store its corners or its centre and size.
pub fn snap_to_grid(number: f32) -> f32 {
    (number * 1024.0).round() / 1024.0
}
