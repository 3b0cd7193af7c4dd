//! The workloads, one file each: they create the contenders, verify the results, and run the
//! rounds.

pub mod box_rays;
pub mod build;
pub mod linear_cull;
pub mod mesh_rays;
pub mod moving;
pub mod refit;
pub mod tree_cull;

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::boxes::Aabb;
use super::brute_force;
use super::contenders::{Cull, Trace};
use super::rays::Ray;
use super::view::View;
use crate::rounds::{Benchmark, Effort, Implementation, Row, run_rounds, time_calls};

/// A contender with its implementation and variant.
struct Entry<T: ?Sized> {
    implementation: Implementation,
    variant: &'static str,
    contender: Box<T>,
}

type Culler = Entry<dyn Cull>;
type Tracer = Entry<dyn Trace>;

impl Culler {
    fn new(
        implementation: Implementation,
        variant: &'static str,
        contender: impl Cull + 'static,
    ) -> Self {
        Self { implementation, variant, contender: Box::new(contender) }
    }
}

impl Tracer {
    fn new(
        implementation: Implementation,
        variant: &'static str,
        contender: impl Trace + 'static,
    ) -> Self {
        Self { implementation, variant, contender: Box::new(contender) }
    }
}

impl<T: ?Sized> Entry<T> {
    fn error(&self, message: String) -> String {
        format!("{} is wrong: {message}", self.implementation.with_variant(self.variant))
    }
}

/// Checks the visible set of each contender, then times them; nanoseconds per call.
fn time_culling(
    cullers: &mut [Culler],
    boxes: &[Aabb],
    view: &View,
    effort: Effort,
) -> Result<Vec<Row>, String> {
    for culler in &mut *cullers {
        culler.contender.cull(view);
        brute_force::check_visible(boxes, view, &culler.contender.found())
            .map_err(|message| culler.error(message))?;
    }
    // Some milliseconds per round.
    let timed = (1_000_000 / boxes.len()).clamp(3, 50) as u32;
    let benchmarks = cullers.iter_mut().map(|culler| {
        let Entry { implementation, variant, contender } = culler;
        Benchmark::new(*implementation, variant, move || {
            time_calls(2, timed, || contender.cull(view))
        })
    });
    Ok(run_rounds(benchmarks.collect(), effort.rounds))
}

/// Checks all distances, then times them; nanoseconds per ray. Distances are compared with brute
/// force for the first rays and for all on which any two contenders disagree.
fn time_tracing(
    tracers: &mut [Tracer],
    rays: &[Ray],
    effort: Effort,
    check: impl Fn(&[Ray], &[f32]) -> Result<(), String>,
) -> Result<Vec<Row>, String> {
    const ALWAYS_CHECKED: usize = 100;
    let mut distances = vec![f32::NAN; rays.len()];
    let results = tracers.iter_mut().map(|tracer| {
        tracer.contender.trace(rays, &mut distances);
        distances.clone()
    });
    let results: Vec<_> = results.collect();
    let mut checked: BTreeSet<_> = (0..ALWAYS_CHECKED.min(rays.len())).collect();
    for other in &results {
        checked.extend(brute_force::differing(&results[0], other));
    }
    let checked_rays: Vec<_> = checked.iter().map(|&index| rays[index]).collect();
    for (tracer, results) in tracers.iter().zip(&results) {
        let results: Vec<_> = checked.iter().map(|&index| results[index]).collect();
        check(&checked_rays, &results).map_err(|message| tracer.error(message))?;
    }

    let distances = RefCell::new(distances);
    let benchmarks = tracers.iter_mut().map(|tracer| {
        let Entry { implementation, variant, contender } = tracer;
        let distances = &distances;
        Benchmark::new(*implementation, variant, move || {
            let mut distances = distances.borrow_mut();
            time_calls(1, 1, || contender.trace(rays, &mut distances)) / rays.len() as f64
        })
    });
    Ok(run_rounds(benchmarks.collect(), effort.rounds))
}
