//! Refit after all boxes moved: their new bounds are written and the tree is refitted.

use glam::Mat4;

use super::Entry;
use crate::rng::Rng;
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds, time_calls};
use crate::space::boxes::{Aabb, BoxField, snap_to_grid};
use crate::space::brute_force;
use crate::space::contenders::Trace;
use crate::space::contenders::obvhs::{DynamicBvh2, FAST, FASTEST};
use crate::space::contenders::pleach::Pleach;
use crate::space::rays;

/// Including the computation of the bounds, as in `sync`.
pub const FROM_MATRICES: &str = "bounds from matrices";

/// A tree that can be refitted with new bounds for all boxes; returns the nanoseconds.
trait Refit: Trace {
    fn refit(&mut self, boxes: &[Aabb]) -> f64;
}

impl Refit for DynamicBvh2 {
    fn refit(&mut self, boxes: &[Aabb]) -> f64 {
        time_calls(0, 1, || DynamicBvh2::refit(self, boxes))
    }
}

/// obvhs with the input of pleach: local boxes and matrices.
struct FromMatrices {
    maintained: DynamicBvh2,
    local_boxes: Vec<Aabb>,
    matrices: Vec<Mat4>,
    bounds: Vec<Aabb>,
}

impl FromMatrices {
    fn new(boxes: &[Aabb], maintained: DynamicBvh2) -> Self {
        let local_boxes = boxes.iter().map(|one| Aabb::from_center([0.0; 3], one.half())).collect();
        Self { maintained, local_boxes, matrices: Vec::new(), bounds: Vec::new() }
    }
}

impl Refit for FromMatrices {
    fn refit(&mut self, boxes: &[Aabb]) -> f64 {
        let Self { maintained, local_boxes, matrices, bounds } = self;
        let translation = |one: &Aabb| Mat4::from_translation(one.center().into());
        matrices.clear();
        matrices.extend(boxes.iter().map(translation));
        time_calls(0, 1, || {
            bounds.clear();
            bounds.extend(
                local_boxes
                    .iter()
                    .zip(&*matrices)
                    .map(|(local_boxes, matrix)| transformed(local_boxes, matrix)),
            );
            maintained.refit(bounds);
        })
    }
}

impl Trace for FromMatrices {
    fn trace(&mut self, rays: &[rays::Ray], distances: &mut [f32]) {
        self.maintained.trace(rays, distances);
    }
}

/// Returns the bounds of the eight transformed corners, from the minimum and maximum of each term.
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
    let field = BoxField::new(n, effort.seed);
    let moved = slightly_moved(&field, effort.seed);
    let tree = |params| Box::new(DynamicBvh2::new(&field.boxes, params).reordered());
    let mut entries: Vec<Entry<dyn Refit>> = vec![
        Entry {
            implementation: Implementation::Pleach,
            variant: "",
            contender: Box::new(Pleach::new(&field.boxes)),
        },
        Entry {
            implementation: Implementation::Bvh2,
            variant: FASTEST.0,
            contender: tree(FASTEST.1),
        },
        Entry { implementation: Implementation::Bvh2, variant: FAST.0, contender: tree(FAST.1) },
        Entry {
            implementation: Implementation::Bvh2,
            variant: FROM_MATRICES,
            contender: Box::new(FromMatrices::new(&field.boxes, *tree(FAST.1))),
        },
    ];

    let rays = &rays::scattered_in(&field, effort.seed)[..100];
    for entry in &mut entries {
        for boxes in [&moved, &field.boxes] {
            let mut distances = vec![f32::NAN; rays.len()];
            entry.contender.refit(boxes);
            entry.contender.trace(rays, &mut distances);
            brute_force::check_box_hits(boxes, rays, &distances)
                .map_err(|message| entry.error(message))?;
        }
    }

    let benchmarks = entries.iter_mut().map(|entry| {
        let Entry { implementation, variant, contender } = entry;
        let positions = [&moved, &field.boxes];
        Benchmark::new(*implementation, variant, move || {
            let times: f64 = (0..6).map(|step| contender.refit(positions[step % 2])).sum();
            times / 6.0
        })
    });
    Ok(Table {
        title: "Refit of 100k moved boxes".into(),
        note: "Every box has moved by up to its size. obvhs: new bounds are read in the order of \
               the boxes and written, then `refit_all`, with one box per leaf and parents before \
               children; in one row the bounds are computed from matrices first. pleach: `sync`, \
               which computes them from the graph's matrices, and updates the arrays for linear \
               culling, then `update_tree`."
            .into(),
        unit: ("ms", 1e6),
        baseline: None,
        rows: run_rounds(benchmarks.collect(), effort.rounds),
    })
}

fn slightly_moved(field: &BoxField, seed: u64) -> Vec<Aabb> {
    let mut rng = Rng::new(seed ^ 0x500);
    let boxes = field.boxes.iter();
    boxes
        .map(|one| one.translated([(); 3].map(|()| snap_to_grid(rng.between(-1.0, 1.0)))))
        .collect()
}
