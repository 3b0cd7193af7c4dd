//! The moves of a thousand frames, generated in advance: in each frame 1 % of the boxes move.

use std::collections::HashSet;

use glam::Vec3;

use super::boxes::{Aabb, BoxField, snap_to_grid};
use crate::named_enum::named_enum;
use crate::rng::Rng;

pub const FRAMES: usize = 1000;

named_enum! {
    pub enum Kind {
        /// Each box moves by its own size, always in the same direction.
        Drift = "drift",
        /// Each box moves to a random position.
        Jump = "jump",
    }
}

/// The index of a box in the field, and its new bounds.
pub type Move = (u32, Aabb);

pub struct Motion {
    /// The moves of each frame; no box twice in a frame.
    pub frames: Vec<Vec<Move>>,
    /// The boxes after the last frame.
    pub last: Vec<Aabb>,
}

impl Motion {
    pub fn new(field: &BoxField, kind: Kind, seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x200);
        let mut boxes = field.boxes.clone();
        let mut steps: Vec<_> = boxes.iter().map(|one| step(one, &mut rng)).collect();
        let frames = (0..FRAMES).map(|_| {
            let selected = select_one_percent(boxes.len(), &mut rng);
            let moves = selected.into_iter().map(|index| {
                let one = &mut boxes[index];
                *one = match kind {
                    Kind::Drift => drift_step(one, &mut steps[index], field.half_extent),
                    Kind::Jump => Aabb::from_center(
                        BoxField::random_center(field.half_extent, &mut rng),
                        one.half(),
                    ),
                };
                (index as u32, *one)
            });
            moves.collect()
        });
        let frames = frames.collect();
        Self { frames, last: boxes }
    }
}

/// Returns a step of the length of the box, in a random direction.
fn step(one: &Aabb, rng: &mut Rng) -> Vec3 {
    let direction = Vec3::from([(); 3].map(|()| rng.between(-1.0, 1.0)));
    let step = 2.0 * Vec3::from(one.half()).length() * direction.normalize_or(Vec3::X);
    step.map(snap_to_grid)
}

/// Moves a box by its step, reflected at the boundary of the field.
fn drift_step(one: &Aabb, step: &mut Vec3, half_extent: f32) -> Aabb {
    let center = Vec3::from(one.center());
    for axis in 0..3 {
        if (center[axis] + step[axis]).abs() > half_extent {
            step[axis] = -step[axis];
        }
    }
    one.translated(step.to_array())
}

/// Selects 1 % of the indices in random order.
fn select_one_percent(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut selected = Vec::with_capacity(n / 100);
    while selected.len() < n / 100 {
        let index = rng.below(n);
        if seen.insert(index) {
            selected.push(index);
        }
    }
    selected
}
