//! One box in a hundred moves in each of a thousand frames, and after each frame the tree is
//! current: kept so move by move, or rebuilt. Then the rays: what they cost in the tree that was
//! kept and in a fresh one of the same boxes.

use super::build::REBUILD;
use super::{Tracer, race_to_trace};
use crate::number_format::size;
use crate::rounds::{Effort, Lane, Row, Table, Who, calls, once, race};
use crate::space::boxes::{Aabb, Field};
use crate::space::brute_force;
use crate::space::contenders::obvhs::{self, FAST, FASTEST, Kept};
use crate::space::contenders::pleach::Pleach;
use crate::space::motion::{FRAMES, Kind, Motion, Move};
use crate::space::rays;

pub const KEPT: &str = "kept";
pub const FRESH: &str = "fresh";
pub const MOVED: &str = "move by move";

/// The frames, and the rays after the last.
pub struct Outcome {
    pub kind: Kind,
    pub frames: Table,
    pub rays: Table,
}

pub fn run(n: usize, kind: Kind, effort: Effort) -> Result<Outcome, String> {
    let field = Field::new(n, effort.seed);
    let motion = Motion::new(&field, kind, effort.seed);
    let mut kept = Kept::new(&field.boxes, FAST.1);
    let mut pleach = Pleach::new(&field.boxes);
    let frames = frames(&field.boxes, &motion, &mut kept, &mut pleach, effort);

    let [levels, stack] = kept.depths();
    let note = format!(
        "After {FRAMES} frames, in the tree that was kept and in one built for the occasion, \
         obvhs' with a box a leaf. Its tree has {levels} levels then and its traversals have room \
         for {stack}."
    );
    let rays = aged(&field, &motion.last, kept, pleach, effort)?;
    Ok(Outcome {
        kind,
        frames: Table {
            title: format!("{} of {} boxes moved, {}", size(n / 100), size(n), kind.word()),
            note:
                "Time for a frame's moves until the tree is current: obvhs' `move_primitive` for \
                   each, pleach's `sync`; or to build a tree anew."
                    .into(),
            unit: ("µs per frame", 1e3),
            by: None,
            rows: frames,
        },
        rays: Table {
            title: format!("Nearest-hit rays after the {}s", kind.word()),
            note,
            unit: ("ns per ray", 1.0),
            by: None,
            rows: rays,
        },
    })
}

fn frames(
    boxes: &[Aabb],
    motion: &Motion,
    kept: &mut Kept,
    pleach: &mut Pleach,
    effort: Effort,
) -> Vec<Row> {
    let per_round = FRAMES / effort.rounds as usize;
    let rounds = || motion.frames.chunks_exact(per_round);
    let mut lanes = vec![
        follow(Who::Pleach, MOVED, rounds(), |moves| pleach.apply(moves)),
        follow(Who::Bvh2, MOVED, rounds(), |moves| calls(0, 1, || kept.apply(moves))),
    ];
    let mut rebuilt = Pleach::new(boxes);
    lanes.push(follow_at_last(Who::Pleach, REBUILD, rounds(), move |moves, is_last| {
        rebuilt.apply(moves);
        if is_last { rebuilt.rebuild() } else { 0.0 }
    }));
    for (way, params) in [FASTEST, FAST] {
        let mut aabbs = obvhs::aabbs(boxes);
        lanes.push(follow_at_last(Who::Bvh2, way, rounds(), move |moves, is_last| {
            for (index, to) in moves {
                aabbs[*index as usize] = obvhs::aabb(to);
            }
            if is_last { once(|| obvhs::bvh2(&aabbs, params)) } else { 0.0 }
        }));
    }
    let rows = race(lanes, effort.rounds);
    // What is left over if the rounds do not divide the frames.
    for moves in rounds().remainder() {
        pleach.apply(moves);
        kept.apply(moves);
    }
    rows
}

/// Does all frames, a share of them each round, and tells the mean of what they say they took.
fn follow<'a>(
    who: Who,
    way: &'static str,
    mut rounds: impl Iterator<Item = &'a [Vec<Move>]> + 'a,
    mut frame: impl FnMut(&[Move]) -> f64 + 'a,
) -> Lane<'a> {
    Lane::new(who, way, move || {
        let frames = rounds.next().expect("there are frames for every round");
        frames.iter().map(|moves| frame(moves)).sum::<f64>() / frames.len() as f64
    })
}

/// As `follow`, but only the last frame of a round is timed: it would take too long otherwise.
fn follow_at_last<'a>(
    who: Who,
    way: &'static str,
    mut rounds: impl Iterator<Item = &'a [Vec<Move>]> + 'a,
    mut frame: impl FnMut(&[Move], bool) -> f64 + 'a,
) -> Lane<'a> {
    Lane::new(who, way, move || {
        let frames = rounds.next().expect("there are frames for every round");
        let (last, earlier) = frames.split_last().expect("a round has frames");
        for moves in earlier {
            frame(moves, false);
        }
        frame(last, true)
    })
}

fn aged(
    field: &Field,
    last: &[Aabb],
    kept: Kept,
    pleach: Pleach,
    effort: Effort,
) -> Result<Vec<Row>, String> {
    let mut tracers = [
        Tracer::new(Who::Pleach, KEPT, pleach),
        Tracer::new(Who::Pleach, FRESH, Pleach::new(last)),
        Tracer::new(Who::Bvh2, KEPT, kept),
        Tracer::new(Who::Bvh2, FRESH, Kept::new(last, FAST.1)),
    ];
    let there = Field { reach: field.reach, boxes: last.to_vec() };
    let rays = rays::within(&there, effort.seed);
    race_to_trace(&mut tracers, &rays, effort, |rays, found| {
        brute_force::check_box_hits(last, rays, found)
    })
}
