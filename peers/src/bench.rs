//! The rounds: every contender runs the same frames in every round, in rotating order, so that
//! disturbances of the machine affect all of them alike.

use std::rc::Rc;

use crate::args::Args;
use crate::check;
use crate::number_format::size;
use crate::participants::{Column, Participant};
use crate::runner::Scenario;
use crate::scene::{Case, Shape};
use crate::workload::Workload;

/// The maximum number of nodes at which the matrices are compared before the timing.
const MAX_CHECKED_NODES: usize = 10_000;
/// The maximum predicted time of a frame in nanoseconds; slower contenders are skipped.
const MAX_FRAME_TIME: f64 = 5e8;
const MAX_BUILD_TIME: f64 = 5e9;

/// The times of one contender on one workload: nanoseconds per frame, round by round.
pub struct Timing {
    pub column: Column,
    pub mode: &'static str,
    /// Sorted; empty if the contender does not support the workload or was skipped.
    pub rounds: Vec<f64>,
    /// Skipped, because the times at smaller sizes predict too long a frame.
    pub too_slow: bool,
}

impl Timing {
    pub fn median(&self) -> Option<f64> {
        (!self.rounds.is_empty()).then(|| median(self.rounds.clone()))
    }
}

/// Returns the median; `values` must not be empty.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The results of all contenders on one workload and one scene.
pub struct Outcome {
    pub shape: Shape,
    pub n: usize,
    pub workload: Workload,
    /// The number of nodes edited per frame.
    pub edited: usize,
    pub timings: Vec<Timing>,
}

impl Outcome {
    /// Returns the fastest of a column's modes.
    pub fn best(&self, column: Column) -> Option<&Timing> {
        let timings = self.timings.iter().filter(|timing| timing.column == column);
        let speed = |timing: &&Timing| timing.median().unwrap_or(f64::INFINITY);
        timings.min_by(|a, b| speed(a).total_cmp(&speed(b)))
    }
}

/// Runs all requested benchmarks.
pub fn run(args: &Args, participants: &mut [Participant]) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for &shape in &args.shapes {
        for &n in &args.sizes {
            eprintln!("{} {}", shape.name(), size(n));
            let case = Case { shape, n, order: args.order, seed: args.seed };
            let scenario = Scenario::new(case);
            open(participants, &scenario);
            if n <= MAX_CHECKED_NODES {
                check::same_worlds(participants, &case)?;
                open(participants, &scenario);
            }
            for &workload in &args.workloads {
                let outcome = measure(args, participants, &scenario, workload, &outcomes);
                outcomes.push(outcome);
            }
            participants.iter_mut().for_each(|participant| participant.runner.close());
        }
    }
    Ok(outcomes)
}

fn open(participants: &mut [Participant], scenario: &Rc<Scenario>) {
    for participant in participants {
        participant.runner.open(scenario);
    }
}

fn measure(
    args: &Args,
    participants: &mut [Participant],
    scenario: &Rc<Scenario>,
    workload: Workload,
    earlier: &[Outcome],
) -> Outcome {
    let Case { shape, n, .. } = scenario.case;
    let mut timings: Vec<Timing> = participants
        .iter()
        .map(|participant| Timing {
            column: participant.column,
            mode: participant.mode,
            rounds: Vec::new(),
            too_slow: is_too_slow(participant, shape, workload, earlier),
        })
        .collect();
    let mut active: Vec<(&mut Participant, &mut Timing)> = participants
        .iter_mut()
        .zip(&mut timings)
        .filter(|(participant, timing)| participant.runner.is_timed(workload) && !timing.too_slow)
        .collect();

    let frames = frames(n);
    for _ in 0..rounds(args, n, workload) {
        for (participant, timing) in &mut active {
            timing.rounds.push(participant.runner.time(workload, frames));
        }
        if !active.is_empty() {
            active.rotate_left(1);
        }
    }
    for timing in &mut timings {
        timing.rounds.sort_by(f64::total_cmp);
    }
    Outcome { shape, n, workload, edited: scenario.edit_lists.edited(workload), timings }
}

/// Returns the number of frames per round: more on small scenes, and always even, because
/// reparenting frames come in pairs.
fn frames(n: usize) -> u32 {
    match n {
        0..5_000 => 20,
        5_000..50_000 => 4,
        _ => 2,
    }
}

fn rounds(args: &Args, n: usize, workload: Workload) -> u32 {
    let rounds = match n {
        _ if args.quick => 5,
        0..50_000 => 15,
        50_000..500_000 => 9,
        _ => 5,
    };
    if workload == Workload::Build && n > 500_000 { 3 } else { rounds }
}

/// Returns `true` if the growth between the last two sizes predicts too long a frame. Uses the
/// fastest rounds, which are disturbed least.
fn is_too_slow(
    participant: &Participant,
    shape: Shape,
    workload: Workload,
    earlier: &[Outcome],
) -> bool {
    let mut previous = earlier
        .iter()
        .rev()
        .filter(|outcome| outcome.shape == shape && outcome.workload == workload)
        .flat_map(|outcome| &outcome.timings)
        .filter(|timing| timing.column == participant.column && timing.mode == participant.mode);
    let (Some(last), Some(before)) = (previous.next(), previous.next()) else {
        return false;
    };
    let (Some(last_time), Some(time_before)) = (last.rounds.first(), before.rounds.first()) else {
        return last.too_slow;
    };
    let max_time = if workload == Workload::Build { MAX_BUILD_TIME } else { MAX_FRAME_TIME };
    last_time * (last_time / time_before) > max_time
}
