//! The moves of a thousand frames, drawn beforehand: in each frame one box in a hundred moves.

use std::collections::HashSet;

use glam::Vec3;

use super::boxes::{Aabb, BoxField, snap_to_grid};
use crate::named_enum::named_enum;
use crate::rng::Rng;

pub const FRAMES: usize = 1000;

named_enum! {
    pub enum Kind {
        /// Each moves by its own size, always in its own direction.
        Drift = "drift",
        /// Each goes anywhere.
        Jump = "jump",
    }
}

/// A box, by its place in the field, and where it is now.
pub type Move = (u32, Aabb);

pub struct Motion {
    /// Each frame's moves, no box twice in a frame.
    pub frames: Vec<Vec<Move>>,
    /// Where all boxes are at the end.
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

/// As far as the box is long, in a direction of its own.
fn step(one: &Aabb, rng: &mut Rng) -> Vec3 {
    let direction = Vec3::from([(); 3].map(|()| rng.between(-1.0, 1.0)));
    let step = 2.0 * Vec3::from(one.half()).length() * direction.normalize_or(Vec3::X);
    step.map(snap_to_grid)
}

/// A step further, back from the field's walls.
fn drift_step(one: &Aabb, step: &mut Vec3, half_extent: f32) -> Aabb {
    let center = Vec3::from(one.center());
    for axis in 0..3 {
        if (center[axis] + step[axis]).abs() > half_extent {
            step[axis] = -step[axis];
        }
    }
    one.translated(step.to_array())
}

/// One in a hundred, in no order.
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
