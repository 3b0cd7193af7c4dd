//! Runs the same workloads on pleach and its peers, and reports the cost of each: transform
//! hierarchies; with `--space` culling, picking and their trees; with `--scene` whole frames of a
//! scene; with `--frame` the frame of a game; with `--gltf` the loading and saving of files; with
//! `--threads` parallel updates. The README describes the contenders and the workloads.

mod allocations;
mod args;
mod bench;
mod bevy_frustum;
mod check;
mod contender;
mod contenders;
mod edit_lists;
mod environment;
mod frame;
mod game;
mod gltf;
mod named_enum;
mod number_format;
mod page;
mod parallel_updates;
mod participants;
mod plot;
mod prepared;
mod process;
mod report;
mod rng;
mod rounds;
mod runner;
mod scene;
mod serial_build;
mod space;
mod target;
mod threads;
mod transform_targets;
mod worker;
mod workload;

use std::path::Path;
use std::{env, fs, io};

use args::{Args, Mode};
use bench::Outcome;
use participants::Column;
use scene::{Case, Shape};
use workload::Workload;

/// The crates whose versions affect the transform benchmark.
const CRATES: [&str; 5] = ["pleach-graph", "glam", "bevy_transform", "bevy_ecs", "rayon"];

fn main() {
    let mut arguments = env::args().skip(1).peekable();
    if arguments.next_if(|argument| argument == worker::WORKER).is_some() {
        return worker::serve(arguments).expect("the benchmark process is running");
    }
    if arguments.next_if(|argument| argument == game::WORKER).is_some() {
        return game::serve(arguments).expect("the benchmark process is running");
    }
    if let Err(message) = run(arguments) {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let args = Args::parse(arguments)?;
    match args.mode {
        Mode::Transforms => transforms(&args),
        Mode::Space => space::run(&args),
        Mode::Scene => frame::run(&args),
        Mode::Frame => game::run(&args),
        Mode::Gltf => gltf::run(&args),
        Mode::Threads => parallel_updates::run(&args),
    }
}

fn transforms(args: &Args) -> Result<(), String> {
    let mut participants = participants::participants(&args.columns)?;
    let outcomes = bench::run(args, &mut participants)?;
    drop(participants);

    let notes = format!("Seed {}, creation order {}", args.seed, args.order.name());
    let mut page = environment::page_head("Benchmarks", &CRATES, &notes, "--out docs/benchmarks");
    let targets = transform_targets::targets(&outcomes);
    if !targets.is_empty() {
        page += &format!("\n{}", page::targets_section(&targets));
    }
    for &shape in &args.shapes {
        page += &format!("\n{}", report::tables(shape, &outcomes));
    }
    if let Some(case) = large_tree_case(args) {
        page += &format!("\n{}", threads::section(&case));
    }
    print!("{page}");
    match &args.out {
        Some(folder) => write_pages(folder, &page, args, &outcomes)
            .map_err(|error| format!("the results cannot be written: {error}")),
        None => Ok(()),
    }
}

/// Returns the case on which pleach is also measured alone, if it was requested.
fn large_tree_case(args: &Args) -> Option<Case> {
    let requested = args.columns.contains(&Column::Pleach)
        && args.shapes.contains(&Shape::Tree)
        && args.workloads.contains(&Workload::AllMoved)
        && args.sizes.contains(&1_000_000);
    requested.then_some(Case {
        shape: Shape::Tree,
        n: 1_000_000,
        order: args.order,
        seed: args.seed,
    })
}

/// Writes the page and its plots.
fn write_pages(folder: &Path, page: &str, args: &Args, outcomes: &[Outcome]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut page = format!("{page}\n## Plots\n");
    for &shape in &args.shapes {
        for &workload in &args.workloads {
            if let Some(svg) = plot::svg(shape, workload, outcomes) {
                let (shape, workload) = (shape.name(), workload.name());
                let name = format!("{shape}-{workload}.svg");
                fs::write(folder.join(&name), svg)?;
                page += &format!("\n![{workload}, {shape}]({name})\n");
            }
        }
    }
    fs::write(folder.join("results.md"), page)
}
