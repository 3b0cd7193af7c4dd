//! `pleach bench`: the core workloads on this machine, with the naive way beside them.
//!
//! `tree_spec.rs` says which nodes there are and what is done to them, `pleach_tree.rs` and `naive_tree.rs` do it,
//! `spatial.rs` asks both what is in view and what a ray meets. `verify.rs` compares their answers before
//! `timing.rs` takes the time; `chart.rs` draws it.

mod chart;
mod naive_tree;
mod pleach_tree;
mod spatial;
mod timing;
mod tree_spec;
mod verify;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;

use crate::report::new_file::NewFile;
use crate::report::output::{BOLD, DIM, GOOD, OneLine, Output, Styled, Verdict, WARN};
use crate::report::progress::Progress;
use crate::report::table::Table;

use naive_tree::NaiveTree;
use pleach_tree::PleachTree;
use spatial::SpatialBench;
use timing::{Times, compare, timed};
use tree_spec::{BenchTree, Edit, TreeSpec};

/// Measure the core workloads on this machine, beside a naive scene graph
///
/// The naive one is what is written in an afternoon: a recursive tree of boxed nodes that computes
/// everything anew in each frame, and loops over all boxes and all triangles. Both do the same work,
/// in turns, and their answers are compared first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach bench --nodes 20000 --svg bench.svg")]
pub(crate) struct Args {
    /// How many nodes
    #[arg(long, value_name = "COUNT", default_value = "100000")]
    #[arg(value_parser = clap::value_parser!(u32).range(10..=2_000_000))]
    nodes: u32,

    /// How long to measure each workload, at least five rounds
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    seconds: f64,

    /// Draw the times as bars, too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=600.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 600 is expected".into())
}

#[derive(Serialize)]
struct Answer {
    machine: Machine,
    nodes: u32,
    workloads: Vec<Measured>,
}

#[derive(Serialize)]
struct Machine {
    cores: usize,
    kernel: String,
}

/// What a workload took; times in nanoseconds.
#[derive(Serialize)]
struct Measured {
    name: &'static str,
    pleach_ns: f64,
    naive_ns: f64,
    /// How many times as long the naive way takes.
    ratio: f64,
    /// How far apart the middle half of the rounds lies, as a part of the median; of the side
    /// where that is more.
    spread: f64,
    #[serde(skip)]
    title: &'static str,
}

/// What is measured, in this order: its name in JSON, and for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Workload {
    Frame(Edit),
    Build,
    Cull,
    Pick,
}

impl Workload {
    const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::Frame(Edit::All), "all_moved", "all nodes moved"),
        (Self::Frame(Edit::Root), "root_moved", "the root moved"),
        (Self::Frame(Edit::Leaves), "leaves_moved", "1 % of the leaves moved"),
        (Self::Frame(Edit::Nothing), "nothing_moved", "nothing moved"),
        (Self::Frame(Edit::Attach), "reparented", "1 % re-parented"),
        (Self::Build, "build", "built from nothing"),
        (Self::Cull, "cull", "culled, a tenth in view"),
        (Self::Pick, "pick", "the nearest triangle on a ray"),
    ];
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    // Now rather than after the measuring, should it not be possible to write there.
    let svg = args.svg.as_deref().map(NewFile::create).transpose()?;
    let spec = TreeSpec::new(args.nodes);
    let mut ours = PleachTree::build(&spec);
    let machine = Machine {
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        kernel: format!("{:?}", ours.kernel()).to_lowercase(),
    };
    let workloads = measure(&spec, &mut ours, args.seconds)?;
    let answer = Answer { machine, nodes: args.nodes, workloads };
    if let (Some(mut file), Some(path)) = (svg, &args.svg) {
        let cannot = || format!("cannot write {}", path.display());
        file.write_all(chart::svg(&answer).as_bytes()).with_context(cannot)?;
        file.finish()?;
    }
    output.answer(&answer, |output| print(&answer, args, output))?;
    Ok(Verdict::Pass)
}

fn measure(spec: &TreeSpec, ours: &mut PleachTree, seconds: f64) -> anyhow::Result<Vec<Measured>> {
    let mut naive = NaiveTree::build(spec);
    verify::worlds(ours, &naive).context("built from nothing")?;
    let space = SpatialBench::new(spec)?;
    let progress = Progress::new("measuring", Workload::ALL.len() as u64);
    let mut rows = Vec::new();
    for (done, (workload, name, title)) in Workload::ALL.into_iter().enumerate() {
        progress.set(done as u64);
        let times = match workload {
            Workload::Frame(edit) => measure_frame(spec, edit, seconds, ours, &mut naive),
            Workload::Build => Ok(measure_build(spec, seconds)),
            Workload::Cull => space.cull(seconds),
            Workload::Pick => space.pick(seconds),
        };
        rows.push(row(name, title, &times.context(title)?));
    }
    Ok(rows)
}

/// Edits and an update, on both.
fn measure_frame(
    spec: &TreeSpec,
    edit: Edit,
    seconds: f64,
    ours: &mut PleachTree,
    naive: &mut NaiveTree,
) -> anyhow::Result<Times> {
    // Two frames, as what is attached elsewhere goes back in the second.
    for step in 0..2 {
        spec.frame(ours, edit, step);
        spec.frame(naive, edit, step);
        verify::worlds(ours, naive)?;
    }
    let (mut our_steps, mut naive_steps) = (0.., 0..);
    let times = compare(
        seconds,
        |frames| timed(frames, || spec.frame(ours, edit, our_steps.next().unwrap_or(0))),
        |frames| timed(frames, || spec.frame(naive, edit, naive_steps.next().unwrap_or(0))),
    );
    // Each went on for as many frames as it had time for: back to where both are the same.
    for step in 0..2 {
        spec.frame(ours, edit, step);
        spec.frame(naive, edit, step);
    }
    Ok(times)
}

/// From nothing to all world transforms. What was built goes away after the clock has stopped.
fn measure_build(spec: &TreeSpec, seconds: f64) -> Times {
    fn build<T: BenchTree>(spec: &TreeSpec, times: u32) -> Duration {
        let mut sum = Duration::ZERO;
        for _ in 0..times {
            let start = Instant::now();
            let tree = std::hint::black_box(T::build(spec));
            sum += start.elapsed();
            drop(tree);
        }
        sum
    }
    compare(
        seconds,
        |times| build::<PleachTree>(spec, times),
        |times| build::<NaiveTree>(spec, times),
    )
}

fn row(name: &'static str, title: &'static str, times: &Times) -> Measured {
    let Times { pleach, naive, spread } = *times;
    Measured { name, title, pleach_ns: pleach, naive_ns: naive, ratio: naive / pleach, spread }
}

fn print(answer: &Answer, args: &Args, output: &mut Output) -> anyhow::Result<()> {
    let Answer { machine: Machine { cores, kernel }, nodes, workloads } = answer;
    output.line(format_args!(
        "{}, {kernel} of a machine with {cores} cores, one thread\n",
        Styled(BOLD, format_args!("{nodes} nodes"))
    ))?;
    let mut table =
        Table::new(&["", "pleach", "naive", "naive / pleach", "spread"]).left_aligned(&[0]);
    for row in workloads {
        table.add_row([
            row.title.to_owned(),
            time(row.pleach_ns),
            time(row.naive_ns),
            short(row.ratio),
            format!("{:.0} %", row.spread * 100.0),
        ]);
    }
    let text = table.to_string();
    let mut lines = text.lines();
    if let Some(headings) = lines.next() {
        output.line(Styled(BOLD, headings))?;
    }
    for (line, row) in lines.zip(workloads) {
        output.line(Styled(if row.ratio >= 1.0 { GOOD } else { WARN }, line))?;
    }
    output.line(Styled(
        DIM,
        "\nMedians of rounds taken in turns. Spread: how far apart the middle half of them lies.\n\
         Naive: boxed nodes that are all computed in each frame; loops over all boxes and triangles.",
    ))?;
    if let Some(path) = &args.svg {
        let path = path.display().to_string();
        output.line(format_args!("{} {}", Styled(GOOD, "wrote"), OneLine(&path)))?;
    }
    Ok(())
}

/// Nanoseconds, for people.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ..999.5 => format!("{} ns", short(nanoseconds)),
        ..999_500.0 => format!("{} µs", short(nanoseconds / 1e3)),
        ..999_500_000.0 => format!("{} ms", short(nanoseconds / 1e6)),
        _ => format!("{} s", short(nanoseconds / 1e9)),
    }
}

/// Three digits or so; thousands as k, millions as M.
fn short(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        ..9_999.5 => format!("{value:.0}"),
        ..999_950.0 => format!("{:.1}k", value / 1e3),
        _ => format!("{:.1}M", value / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let times = [0.5, 9.994, 999.4, 999.6, 12_345.0, 999_600.0, 25e6, 3.25e9, 1e12];
        let expected = [
            "0.50 ns", "9.99 ns", "999 ns", "1.00 µs", "12.3 µs", "1.00 ms", "25.0 ms", "3.25 s",
            "1000 s",
        ];
        assert_eq!(times.map(time), expected);
    }

    #[test]
    fn ratios_stay_short() {
        let ratios = [0.5, 9.999, 160.4, 9999.0, 22_251.0, 999_949.0, 1_081_557.0].map(short);
        assert_eq!(ratios, ["0.50", "10.0", "160", "9999", "22.3k", "999.9k", "1.1M"]);
    }

    #[test]
    fn seconds_are_a_number_that_is_not_endless() {
        assert_eq!([seconds("0"), seconds("1.5")], [Ok(0.0), Ok(1.5)]);
        for bad in ["", "x", "-1", "nan", "inf", "601"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn both_trees_agree_in_every_workload() {
        for nodes in [10, 333, 5000] {
            let spec = TreeSpec::new(nodes);
            let (mut ours, mut naive) = (PleachTree::build(&spec), NaiveTree::build(&spec));
            verify::worlds(&ours, &naive).unwrap();
            for (workload, name, _) in Workload::ALL {
                let Workload::Frame(edit) = workload else { continue };
                let times = measure_frame(&spec, edit, 0.0, &mut ours, &mut naive).unwrap();
                assert!(times.pleach > 0.0 && times.naive > 0.0, "{name}");
            }
            let space = SpatialBench::new(&spec).unwrap();
            space.cull(0.0).unwrap();
            space.pick(0.0).unwrap();
        }
    }
}
