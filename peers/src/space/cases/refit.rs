//! All boxes have moved a little: their new bounds are written and the tree's refitted.

use glam::Mat4;

use super::Entry;
use crate::rng::Rng;
use crate::rounds::{Effort, Lane, Table, Who, calls, race};
use crate::space::boxes::{Aabb, Field, snapped};
use crate::space::brute_force;
use crate::space::contenders::Trace;
use crate::space::contenders::obvhs::{FAST, FASTEST, Kept};
use crate::space::contenders::pleach::Pleach;
use crate::space::rays;

/// With the bounds computed as well, as `sync` does.
pub const FROM_MATRICES: &str = "bounds from matrices";

/// A tree that takes new bounds for everything in it, and tells how many nanoseconds that took.
trait Refit: Trace {
    fn refit(&mut self, boxes: &[Aabb]) -> f64;
}

impl Refit for Kept {
    fn refit(&mut self, boxes: &[Aabb]) -> f64 {
        calls(0, 1, || Kept::refit(self, boxes))
    }
}

/// obvhs, given what pleach is given: boxes in spaces of their own, and matrices.
struct FromMatrices {
    kept: Kept,
    own: Vec<Aabb>,
    matrices: Vec<Mat4>,
    bounds: Vec<Aabb>,
}

impl FromMatrices {
    fn new(boxes: &[Aabb], kept: Kept) -> Self {
        let own = boxes.iter().map(|one| Aabb::around([0.0; 3], one.half())).collect();
        Self { kept, own, matrices: Vec::new(), bounds: Vec::new() }
    }
}

impl Refit for FromMatrices {
    fn refit(&mut self, boxes: &[Aabb]) -> f64 {
        let Self { kept, own, matrices, bounds } = self;
        let at = |one: &Aabb| Mat4::from_translation(one.center().into());
        matrices.clear();
        matrices.extend(boxes.iter().map(at));
        calls(0, 1, || {
            bounds.clear();
            bounds.extend(own.iter().zip(&*matrices).map(|(own, matrix)| transformed(own, matrix)));
            kept.refit(bounds);
        })
    }
}

impl Trace for FromMatrices {
    fn trace(&mut self, rays: &[rays::Ray], distances: &mut [f32]) {
        self.kept.trace(rays, distances);
    }
}

/// The box of a box's eight corners, by its least and largest terms.
fn transformed(one: &Aabb, matrix: &Mat4) -> Aabb {
    let [mut min, mut max] = [matrix.w_axis; 2];
    for axis in 0..3 {
        let [a, b] = [matrix.col(axis) * one.min[axis], matrix.col(axis) * one.max[axis]];
        (min, max) = (min + a.min(b), max + a.max(b));
    }
    Aabb { min: min.truncate().to_array(), max: max.truncate().to_array() }
}

impl Refit for Pleach {
    fn refit(&mut self, boxes: &[Aabb]) -> f64 {
        Pleach::refit(self, boxes)
    }
}

pub fn run(n: usize, effort: Effort) -> Result<Table, String> {
    let field = Field::new(n, effort.seed);
    let moved = nudged(&field, effort.seed);
    let tree = |params| Box::new(Kept::new(&field.boxes, params).reordered());
    let mut entries: Vec<Entry<dyn Refit>> = vec![
        Entry { who: Who::Pleach, way: "", contender: Box::new(Pleach::new(&field.boxes)) },
        Entry { who: Who::Bvh2, way: FASTEST.0, contender: tree(FASTEST.1) },
        Entry { who: Who::Bvh2, way: FAST.0, contender: tree(FAST.1) },
        Entry {
            who: Who::Bvh2,
            way: FROM_MATRICES,
            contender: Box::new(FromMatrices::new(&field.boxes, *tree(FAST.1))),
        },
    ];

    let rays = &rays::within(&field, effort.seed)[..100];
    for entry in &mut entries {
        for boxes in [&moved, &field.boxes] {
            let mut distances = vec![f32::NAN; rays.len()];
            entry.contender.refit(boxes);
            entry.contender.trace(rays, &mut distances);
            brute_force::check_box_hits(boxes, rays, &distances)
                .map_err(|message| entry.complaint(message))?;
        }
    }

    let lanes = entries.iter_mut().map(|entry| {
        let Entry { who, way, contender } = entry;
        let places = [&moved, &field.boxes];
        Lane::new(*who, way, move || {
            let times: f64 = (0..6).map(|step| contender.refit(places[step % 2])).sum();
            times / 6.0
        })
    });
    Ok(Table {
        title: "Refit of 100k moved boxes".into(),
        note: "Every box has moved by up to its size. obvhs: new bounds are taken in the boxes' \
               own order and written, then `refit_all`, with a box a leaf and parents before \
               children; once more with the bounds computed from matrices first. pleach: `sync`, \
               which computes them from the graph's matrices, and keeps columns for scans."
            .into(),
        unit: ("ms", 1e6),
        by: None,
        rows: race(lanes.collect(), effort.rounds),
    })
}

fn nudged(field: &Field, seed: u64) -> Vec<Aabb> {
    let mut rng = Rng::new(seed ^ 0x500);
    let boxes = field.boxes.iter();
    boxes.map(|one| one.moved([(); 3].map(|()| snapped(rng.between(-1.0, 1.0))))).collect()
}
