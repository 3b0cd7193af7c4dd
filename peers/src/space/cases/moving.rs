//! In each of a thousand frames 1 % of the boxes move, and after each frame the tree is up to date:
//! updated incrementally, or rebuilt. Then the cost of rays in the maintained tree and in a newly
//! built one of the same boxes.

use super::build::REBUILD;
use super::{Tracer, time_tracing};
use crate::number_format::size;
use crate::rounds::{
    Benchmark, Effort, Implementation, Row, Table, run_rounds, time_calls, time_once,
};
use crate::space::boxes::{Aabb, BoxField};
use crate::space::brute_force;
use crate::space::contenders::obvhs::{self, DynamicBvh2, FAST, FASTEST};
use crate::space::contenders::pleach::Pleach;
use crate::space::motion::{FRAMES, Kind, Motion, Move};
use crate::space::rays;

pub const MAINTAINED: &str = "maintained";
pub const REBUILT: &str = "newly built";
pub const UPDATED: &str = "incremental";

/// The results of the frames, and of the rays after the last.
pub struct Outcome {
    pub kind: Kind,
    pub frames: Table,
    pub rays: Table,
}

pub fn run(n: usize, kind: Kind, effort: Effort) -> Result<Outcome, String> {
    let field = BoxField::new(n, effort.seed);
    let motion = Motion::new(&field, kind, effort.seed);
    let mut maintained = DynamicBvh2::new(&field.boxes, FAST.1);
    let mut pleach = Pleach::new(&field.boxes);
    let frames = frames(&field.boxes, &motion, &mut maintained, &mut pleach, effort);

    let [levels, stack] = maintained.depth_and_stack_size();
    let note = format!(
        "After {FRAMES} frames, in the maintained tree and in a newly built one, obvhs' with one box \
         per leaf. Its tree then has {levels} levels and its traversals a stack of {stack}."
    );
    let rays = rays_after_motion(&field, &motion.last, maintained, pleach, effort)?;
    Ok(Outcome {
        kind,
        frames: Table {
            title: format!("{} of {} boxes moved, {}", size(n / 100), size(n), kind.name()),
            note: "Time for the moves of a frame until the tree is up to date: obvhs' \
                 `move_primitive` for each, pleach's `sync` and `update_tree`; or for a complete \
                 rebuild."
                .into(),
            unit: ("µs per frame", 1e3),
            baseline: None,
            rows: frames,
        },
        rays: Table {
            title: format!("Nearest-hit rays after the {}s", kind.name()),
            note,
            unit: ("ns per ray", 1.0),
            baseline: None,
            rows: rays,
        },
    })
}

fn frames(
    boxes: &[Aabb],
    motion: &Motion,
    maintained: &mut DynamicBvh2,
    pleach: &mut Pleach,
    effort: Effort,
) -> Vec<Row> {
    let per_round = FRAMES / effort.rounds as usize;
    let rounds = || motion.frames.chunks_exact(per_round);
    let mut benchmarks = vec![
        replay(Implementation::Pleach, UPDATED, rounds(), |moves| pleach.apply(moves)),
        replay(Implementation::Bvh2, UPDATED, rounds(), |moves| {
            time_calls(0, 1, || maintained.apply(moves))
        }),
    ];
    let mut rebuilt = Pleach::new(boxes);
    benchmarks.push(replay_timing_last(
        Implementation::Pleach,
        REBUILD,
        rounds(),
        move |moves, is_last| {
            rebuilt.apply(moves);
            if is_last { rebuilt.rebuild() } else { 0.0 }
        },
    ));
    for (variant, params) in [FASTEST, FAST] {
        let mut aabbs = obvhs::aabbs(boxes);
        benchmarks.push(replay_timing_last(
            Implementation::Bvh2,
            variant,
            rounds(),
            move |moves, is_last| {
                for (index, to) in moves {
                    aabbs[*index as usize] = obvhs::aabb(to);
                }
                if is_last { time_once(|| obvhs::bvh2(&aabbs, params)) } else { 0.0 }
            },
        ));
    }
    let rows = run_rounds(benchmarks, effort.rounds);
    // The remaining frames, if the rounds do not divide them.
    for moves in rounds().remainder() {
        pleach.apply(moves);
        maintained.apply(moves);
    }
    rows
}

/// Runs all frames, some in each round, and returns the mean of their times.
fn replay<'a>(
    implementation: Implementation,
    variant: &'static str,
    mut rounds: impl Iterator<Item = &'a [Vec<Move>]> + 'a,
    mut frame: impl FnMut(&[Move]) -> f64 + 'a,
) -> Benchmark<'a> {
    Benchmark::new(implementation, variant, move || {
        let frames = rounds.next().expect("there are frames for every round");
        frames.iter().map(|moves| frame(moves)).sum::<f64>() / frames.len() as f64
    })
}

/// Runs all frames like `replay`, but times only the last frame of a round: timing all would take
/// too long.
fn replay_timing_last<'a>(
    implementation: Implementation,
    variant: &'static str,
    mut rounds: impl Iterator<Item = &'a [Vec<Move>]> + 'a,
    mut frame: impl FnMut(&[Move], bool) -> f64 + 'a,
) -> Benchmark<'a> {
    Benchmark::new(implementation, variant, move || {
        let frames = rounds.next().expect("there are frames for every round");
        let (last, earlier) = frames.split_last().expect("a round has frames");
        for moves in earlier {
            frame(moves, false);
        }
        frame(last, true)
    })
}

fn rays_after_motion(
    field: &BoxField,
    last: &[Aabb],
    maintained: DynamicBvh2,
    pleach: Pleach,
    effort: Effort,
) -> Result<Vec<Row>, String> {
    let mut tracers = [
        Tracer::new(Implementation::Pleach, MAINTAINED, pleach),
        Tracer::new(Implementation::Pleach, REBUILT, Pleach::new(last)),
        Tracer::new(Implementation::Bvh2, MAINTAINED, maintained),
        Tracer::new(Implementation::Bvh2, REBUILT, DynamicBvh2::new(last, FAST.1)),
    ];
    let moved_field = BoxField { half_extent: field.half_extent, boxes: last.to_vec() };
    let rays = rays::scattered_in(&moved_field, effort.seed);
    time_tracing(&mut tracers, &rays, effort, |rays, found| {
        brute_force::check_box_hits(last, rays, found)
    })
}
