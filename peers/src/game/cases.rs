//! The rounds of one size: the check, then all kinds of motion, every contender in turn.

use std::cell::RefCell;
use std::rc::Rc;

use super::check;
use super::contender::{Game, StageTimes};
use super::edits::Motion;
use super::participants::{Participant, SCENE};
use super::runner::FrameTimes;
use crate::args::Args;
use crate::number_format::size;
use crate::rounds::{Benchmark, Implementation, Table, run_rounds};

/// The results of one kind of motion at one size.
pub struct Outcome {
    pub motion: Motion,
    pub nodes: usize,
    pub table: Table,
    /// The median nanoseconds of each stage, in the order of the rows.
    pub stages: Vec<StageTimes>,
}

pub fn run(
    nodes: usize,
    motions: &[Motion],
    participants: &mut [Participant],
    args: &Args,
) -> Result<Vec<Outcome>, String> {
    eprintln!("{} nodes", size(nodes));
    let game = Rc::new(Game::new(nodes, args.seed));
    check::same_draws(participants, &game)?;
    let outcomes = motions.iter().map(|&motion| {
        eprintln!("{} nodes, {}", size(nodes), motion.name());
        measure(motion, &game, participants, args)
    });
    let outcomes = outcomes.collect();
    participants.iter_mut().for_each(|participant| participant.runner.close());
    Ok(outcomes)
}

fn measure(motion: Motion, game: &Game, participants: &mut [Participant], args: &Args) -> Outcome {
    let nodes = game.field.len();
    let times: Vec<_> = participants.iter().map(|_| RefCell::new(Vec::new())).collect();
    let benchmarks = participants.iter_mut().zip(&times).map(|(participant, times)| {
        let Participant { implementation, variant, runner } = participant;
        let (warm_up, frames) = frames(nodes, *implementation);
        Benchmark::new(*implementation, variant, move || {
            // Loads the data into the caches, as in a program.
            runner.run(motion, warm_up);
            let FrameTimes { total, stages } = runner.run(motion, frames);
            times.borrow_mut().push(stages);
            total
        })
    });
    let rows = run_rounds(benchmarks.collect(), args.rounds.unwrap_or(rounds(args, nodes)));
    let stages =
        times.into_iter().map(|times| FrameTimes::medians(&times.into_inner()).stages).collect();
    let table = Table {
        title: format!("{} frame, {} nodes", motion.name(), size(nodes)),
        note: note(motion, game),
        unit: ("ns per node", nodes as f64),
        baseline: Some(SCENE),
        rows,
    };
    Outcome { motion, nodes, table, stages }
}

fn note(motion: Motion, game: &Game) -> String {
    let Game { field, edit_lists, .. } = game;
    let edits = edit_lists.edits(motion, 0);
    format!(
        "Per frame: {} transforms set, {} nodes re-parented, {} meshes removed and as many spawned; \
         {} meshes in view (in the first frame).",
        edits.moved.len(),
        edits.attached.len(),
        edits.replaced.len(),
        edit_lists.expected_visible(field, 0).len(),
    )
}

/// Returns the numbers of untimed and of timed frames per round.
fn frames(nodes: usize, implementation: Implementation) -> (u32, u32) {
    match nodes {
        0..50_000 => (2, 14),
        50_000..500_000 => (2, 6),
        // About a second per frame.
        _ if implementation == Implementation::ThreeJs => (1, 1),
        _ => (2, 2),
    }
}

fn rounds(args: &Args, nodes: usize) -> u32 {
    match nodes {
        _ if args.quick => 5,
        0..50_000 => 25,
        50_000..500_000 => 15,
        _ => 9,
    }
}
