//! The workloads, one file each: they set up the contenders, make sure that all give the right
//! answers, and run the rounds.

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
use crate::rounds::{Effort, Lane, Row, Who, calls, race};

/// A contender, whose it is and which of their ways.
struct Entry<T: ?Sized> {
    who: Who,
    way: &'static str,
    contender: Box<T>,
}

type Culler = Entry<dyn Cull>;
type Tracer = Entry<dyn Trace>;

impl Culler {
    fn new(who: Who, way: &'static str, contender: impl Cull + 'static) -> Self {
        Self { who, way, contender: Box::new(contender) }
    }
}

impl Tracer {
    fn new(who: Who, way: &'static str, contender: impl Trace + 'static) -> Self {
        Self { who, way, contender: Box::new(contender) }
    }
}

impl<T: ?Sized> Entry<T> {
    fn complaint(&self, message: String) -> String {
        format!("{} is wrong: {message}", self.who.with_way(self.way))
    }
}

/// Checks what each finds in view, then times them; nanoseconds per call.
fn race_to_cull(
    cullers: &mut [Culler],
    boxes: &[Aabb],
    view: &View,
    effort: Effort,
) -> Result<Vec<Row>, String> {
    for culler in &mut *cullers {
        culler.contender.cull(view);
        brute_force::check_seen(boxes, view, &culler.contender.found())
            .map_err(|message| culler.complaint(message))?;
    }
    // Some milliseconds to a round.
    let timed = (1_000_000 / boxes.len()).clamp(3, 50) as u32;
    let lanes = cullers.iter_mut().map(|culler| {
        let Entry { who, way, contender } = culler;
        Lane::new(*who, way, move || calls(2, timed, || contender.cull(view)))
    });
    Ok(race(lanes.collect(), effort.rounds))
}

/// Checks all distances, then times them; nanoseconds per ray. Whether a distance is right is
/// asked for the first rays and for all that any two contenders disagree about.
fn race_to_trace(
    tracers: &mut [Tracer],
    rays: &[Ray],
    effort: Effort,
    right: impl Fn(&[Ray], &[f32]) -> Result<(), String>,
) -> Result<Vec<Row>, String> {
    const ALWAYS_ASKED: usize = 100;
    let mut distances = vec![f32::NAN; rays.len()];
    let answers = tracers.iter_mut().map(|tracer| {
        tracer.contender.trace(rays, &mut distances);
        distances.clone()
    });
    let answers: Vec<_> = answers.collect();
    let mut asked: BTreeSet<_> = (0..ALWAYS_ASKED.min(rays.len())).collect();
    for other in &answers {
        asked.extend(brute_force::differing(&answers[0], other));
    }
    let asked_rays: Vec<_> = asked.iter().map(|&index| rays[index]).collect();
    for (tracer, answers) in tracers.iter().zip(&answers) {
        let answers: Vec<_> = asked.iter().map(|&index| answers[index]).collect();
        right(&asked_rays, &answers).map_err(|message| tracer.complaint(message))?;
    }

    let distances = RefCell::new(distances);
    let lanes = tracers.iter_mut().map(|tracer| {
        let Entry { who, way, contender } = tracer;
        let distances = &distances;
        Lane::new(*who, way, move || {
            let mut distances = distances.borrow_mut();
            calls(1, 1, || contender.trace(rays, &mut distances)) / rays.len() as f64
        })
    });
    Ok(race(lanes.collect(), effort.rounds))
}
