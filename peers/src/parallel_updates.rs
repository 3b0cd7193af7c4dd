//! `--threads`: `update_parallel` relative to `update`, in every shape and size, after edits of a
//! part of the nodes. It must never take more than a twentieth longer.
//!
//! Two graphs take turns, each of them with both calls, so that neither call has a graph, or a part
//! of the caches, of its own. Both the minimum and the median have to be worse for a row to count:
//! on a busy machine each of them alone varies by more.

use std::hint::black_box;
use std::time::Instant;

use crate::args::Args;
use crate::bench::median;
use crate::contender::Contender;
use crate::contenders::pleach::Pleach;
use crate::environment;
use crate::number_format::{figure, size};
use crate::rng::Rng;
use crate::scene::{Case, Scene};

/// The largest acceptable ratio.
const MAX_RATIO: f64 = 1.05;
/// The number of nodes that are updated per row, in each of the ways, if `--rounds` is not given.
const NODES_PER_ROW: usize = 12_000_000;

pub fn run(args: &Args) -> Result<(), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let notes = format!("Seed {}, {threads} threads", args.seed);
    let crates = ["pleach-graph", "rayon"];
    println!("{}", environment::page_head("Threads", &crates, &notes, "--threads"));
    println!("Time of `update_parallel` relative to `update`; edits are not timed.\n");
    println!("| shape | N | moved | update, µs | minimum | median | |");
    println!("| --- | --: | --- | --: | --: | --: | --- |");
    let mut missed = 0;
    for &shape in &args.shapes {
        for &n in &args.sizes {
            let case = Case { shape, n, order: args.order, seed: args.seed };
            missed += rows(&case, args);
        }
    }
    println!("\n{missed} rows exceed {MAX_RATIO} in both.");
    Ok(())
}

/// Prints the rows of a scene, and returns the number of those that are too slow.
fn rows(case: &Case, args: &Args) -> usize {
    let scene = Scene::new(case);
    let mut graphs = [Pleach::default(), Pleach::default()];
    graphs.iter_mut().for_each(|graph| graph.build(&scene));
    let default_rounds = (NODES_PER_ROW / case.n).clamp(24, 400) as u32;
    // Each graph has both calls equally often.
    let rounds = args.rounds.unwrap_or(default_rounds).next_multiple_of(4);
    let mut missed = 0;
    for (name, moved) in edit_lists(&scene, case.seed) {
        let mut times = [Vec::new(), Vec::new()];
        for step in 0..2 * rounds {
            let graph = &mut graphs[step as usize / 2 % 2];
            let in_parallel = (step % 2) ^ (step / 4 % 2) == 1;
            graph.move_some(&moved, step);
            let graph = graph.graph();
            let start = Instant::now();
            match in_parallel {
                true => black_box(graph.update_parallel()),
                false => black_box(graph.update()),
            };
            times[usize::from(in_parallel)].push(start.elapsed().as_nanos() as f64);
            graph.clear_changes();
        }
        let minimum = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let [serial, parallel] = times;
        let by_minimum = minimum(&parallel) / minimum(&serial);
        let serial_median = median(serial);
        let by_median = median(parallel) / serial_median;
        let is_missed = by_minimum > MAX_RATIO && by_median > MAX_RATIO;
        missed += usize::from(is_missed);
        println!(
            "| {} | {} | {name} | {} | {by_minimum:.2} | {by_median:.2} | {} |",
            case.shape.name(),
            size(case.n),
            figure(serial_median / 1e3),
            if is_missed { "**missed**" } else { "" },
        );
    }
    missed
}

/// Returns the nodes that are moved, by name.
fn edit_lists(scene: &Scene, seed: u64) -> Vec<(&'static str, Vec<u32>)> {
    let nodes = scene.len();
    let mut shuffled: Vec<u32> = (0..nodes as u32).collect();
    Rng::new(seed).shuffle(&mut shuffled);
    let mut is_leaf = vec![true; nodes];
    scene.children().for_each(|(_, parent)| is_leaf[parent as usize] = false);
    let leaves: Vec<u32> =
        shuffled.iter().copied().filter(|&node| is_leaf[node as usize]).collect();
    let part = |list: &[u32], percent: usize| list[..(list.len() * percent / 100).max(1)].to_vec();
    vec![
        ("all", (0..nodes as u32).collect()),
        ("the root", vec![0]),
        ("the first half", (1..nodes as u32 / 2).collect()),
        ("1 %", part(&shuffled, 1)),
        ("10 %", part(&shuffled, 10)),
        ("30 %", part(&shuffled, 30)),
        ("60 %", part(&shuffled, 60)),
        ("1 % of the leaves", part(&leaves, 1)),
        ("10 % of the leaves", part(&leaves, 10)),
        ("all leaves", leaves.clone()),
    ]
}
