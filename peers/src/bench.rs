//! The rounds: every contender does the same frames in every round, in an order that rotates,
//! so that a disturbance of the machine falls on all of them alike.

use std::rc::Rc;

use crate::args::Args;
use crate::check;
use crate::number_format::size;
use crate::participants::{Column, Member};
use crate::runner::Setting;
use crate::scene::{Case, Shape};
use crate::workload::Workload;

/// Up to this size the matrices are compared before the timing.
const CHECKED: usize = 10_000;
/// Nanoseconds a frame may be expected to take; a contender that would take longer sits out.
const PATIENCE: f64 = 5e8;
const PATIENCE_TO_BUILD: f64 = 5e9;

/// What one contender needed for one workload: nanoseconds per frame, round by round.
pub struct Timing {
    pub column: Column,
    pub mode: &'static str,
    /// In rising order; empty if the contender cannot do the workload or sat it out.
    pub rounds: Vec<f64>,
    /// Sat out, because its growth over the smaller sizes foretold too long a wait.
    pub too_slow: bool,
}

impl Timing {
    pub fn median(&self) -> Option<f64> {
        (!self.rounds.is_empty()).then(|| median(self.rounds.clone()))
    }
}

/// Of an odd number of values the middle one; there must be some.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// All contenders on one workload and one scene.
pub struct Outcome {
    pub shape: Shape,
    pub n: usize,
    pub workload: Workload,
    /// Nodes edited per frame.
    pub touched: usize,
    pub timings: Vec<Timing>,
}

impl Outcome {
    /// The fastest of a column's modes.
    pub fn best(&self, column: Column) -> Option<&Timing> {
        let timings = self.timings.iter().filter(|timing| timing.column == column);
        let speed = |timing: &&Timing| timing.median().unwrap_or(f64::INFINITY);
        timings.min_by(|a, b| speed(a).total_cmp(&speed(b)))
    }
}

/// Runs everything that was asked for.
pub fn run(args: &Args, members: &mut [Member]) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for &shape in &args.shapes {
        for &n in &args.sizes {
            eprintln!("{} {}", shape.word(), size(n));
            let case = Case { shape, n, order: args.order, seed: args.seed };
            let setting = Setting::new(case);
            open(members, &setting);
            if n <= CHECKED {
                check::same_worlds(members, &case)?;
                open(members, &setting);
            }
            for &workload in &args.workloads {
                let outcome = measure(args, members, &setting, workload, &outcomes);
                outcomes.push(outcome);
            }
            members.iter_mut().for_each(|member| member.seat.close());
        }
    }
    Ok(outcomes)
}

fn open(members: &mut [Member], setting: &Rc<Setting>) {
    for member in members {
        member.seat.open(setting);
    }
}

fn measure(
    args: &Args,
    members: &mut [Member],
    setting: &Rc<Setting>,
    workload: Workload,
    earlier: &[Outcome],
) -> Outcome {
    let Case { shape, n, .. } = setting.case;
    let mut timings: Vec<Timing> = members
        .iter()
        .map(|member| Timing {
            column: member.column,
            mode: member.mode,
            rounds: Vec::new(),
            too_slow: is_too_slow(member, shape, workload, earlier),
        })
        .collect();
    let mut playing: Vec<(&mut Member, &mut Timing)> = members
        .iter_mut()
        .zip(&mut timings)
        .filter(|(member, timing)| member.seat.supports(workload) && !timing.too_slow)
        .collect();

    let frames = frames(n);
    for _ in 0..rounds(args, n, workload) {
        for (member, timing) in &mut playing {
            timing.rounds.push(member.seat.time(workload, frames));
        }
        if !playing.is_empty() {
            playing.rotate_left(1);
        }
    }
    for timing in &mut timings {
        timing.rounds.sort_by(f64::total_cmp);
    }
    Outcome { shape, n, workload, touched: setting.script.touched(workload), timings }
}

/// Frames per round: more on small scenes, and always an even number, because the frames that
/// change parents come in twos.
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

/// Whether the last two sizes foretell too long a frame at the next: the same growth again. Goes
/// by the quickest rounds, which other work on the machine disturbed least.
fn is_too_slow(member: &Member, shape: Shape, workload: Workload, earlier: &[Outcome]) -> bool {
    let mut known = earlier
        .iter()
        .rev()
        .filter(|outcome| outcome.shape == shape && outcome.workload == workload)
        .flat_map(|outcome| &outcome.timings)
        .filter(|timing| timing.column == member.column && timing.mode == member.mode);
    let (Some(last), Some(before)) = (known.next(), known.next()) else {
        return false;
    };
    let (Some(last_time), Some(time_before)) = (last.rounds.first(), before.rounds.first()) else {
        return last.too_slow;
    };
    let patience = if workload == Workload::Build { PATIENCE_TO_BUILD } else { PATIENCE };
    last_time * (last_time / time_before) > patience
}
