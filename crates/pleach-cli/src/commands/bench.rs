//! `pleach bench`: measures the core workloads on this machine, next to a naive scene graph.
//!
//! `tree_spec.rs` defines the nodes and edits, `pleach_tree.rs` and `naive_tree.rs` apply them,
//! `spatial.rs` has the culling and picking workloads. `verify.rs` compares the results of both
//! sides before `timing.rs` measures them; `chart.rs` draws the times.

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

use anyhow::{Context, Result};
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

/// Measure the core workloads on this machine, next to a naive scene graph
///
/// The naive scene graph is a recursive tree of boxed nodes that recomputes everything in each
/// frame, with loops over all boxes and all triangles. Both do the same work alternately, and their
/// results are compared first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach bench --nodes 20000 --svg bench.svg")]
pub(crate) struct Args {
    /// The number of nodes
    #[arg(long, value_name = "COUNT", default_value = "100000")]
    #[arg(value_parser = clap::value_parser!(u32).range(10..=2_000_000))]
    nodes: u32,

    /// The time to measure each workload; at least five rounds are run
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    seconds: f64,

    /// Also write a bar chart to this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=600.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 600".into())
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

/// The result of a workload; times in nanoseconds.
#[derive(Serialize)]
struct Measured {
    name: &'static str,
    pleach_ns: f64,
    naive_ns: f64,
    /// The naive time divided by the time of pleach.
    ratio: f64,
    /// The interquartile range of the rounds divided by their median; the larger of both sides.
    spread: f64,
    #[serde(skip)]
    title: &'static str,
}

/// A workload. `ALL` has them in the order of measurement, with the name in JSON and the title.
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
        (Self::Build, "build", "built from scratch"),
        (Self::Cull, "cull", "culled, 10 % in view"),
        (Self::Pick, "pick", "the nearest triangle on a ray"),
    ];
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict> {
    // Reports an unwritable path before anything is measured.
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

fn measure(spec: &TreeSpec, ours: &mut PleachTree, seconds: f64) -> Result<Vec<Measured>> {
    let mut naive = NaiveTree::build(spec);
    verify::worlds(ours, &naive).context("built from scratch")?;
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

/// Measures edits followed by an update, on both trees.
fn measure_frame(
    spec: &TreeSpec,
    edit: Edit,
    seconds: f64,
    ours: &mut PleachTree,
    naive: &mut NaiveTree,
) -> Result<Times> {
    // Two frames, since re-parented nodes return to their parents in the second.
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
    // Each side ran a different number of frames: bring both back to the same state.
    for step in 0..2 {
        spec.frame(ours, edit, step);
        spec.frame(naive, edit, step);
    }
    Ok(times)
}

/// Measures building the tree up to all world transforms. The tree is dropped outside the measured
/// time.
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
    compare(seconds, |n| build::<PleachTree>(spec, n), |n| build::<NaiveTree>(spec, n))
}

fn row(name: &'static str, title: &'static str, times: &Times) -> Measured {
    let Times { pleach, naive, spread } = *times;
    Measured { name, title, pleach_ns: pleach, naive_ns: naive, ratio: naive / pleach, spread }
}

fn print(answer: &Answer, args: &Args, output: &mut Output) -> Result<()> {
    let Answer { machine: Machine { cores, kernel }, nodes, workloads } = answer;
    output.line(format_args!(
        "{}, {kernel} kernel, {cores} cores, one thread\n",
        Styled(BOLD, format_args!("{nodes} nodes"))
    ))?;
    let mut table = Table::new(&["", "pleach", "naive", "naive / pleach", "spread"]).left(&[0]);
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
        "\nMedians of alternating rounds. Spread: interquartile range divided by the median.\n\
         Naive: boxed nodes, all recomputed in each frame; loops over all boxes and triangles.",
    ))?;
    if let Some(path) = &args.svg {
        let path = path.display().to_string();
        output.line(format_args!("{} {}", Styled(GOOD, "wrote"), OneLine(&path)))?;
    }
    Ok(())
}

/// Formats a time in nanoseconds with a suitable unit.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ..999.5 => format!("{} ns", short(nanoseconds)),
        ..999_500.0 => format!("{} µs", short(nanoseconds / 1e3)),
        ..999_500_000.0 => format!("{} ms", short(nanoseconds / 1e6)),
        _ => format!("{} s", short(nanoseconds / 1e9)),
    }
}

/// Formats a number with about three digits; thousands as k, millions as M.
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
    fn seconds_outside_the_limits_are_rejected() {
        assert_eq!([seconds("0"), seconds("1.5")], [Ok(0.0), Ok(1.5)]);
        for bad in ["", "x", "-1", "nan", "inf", "601"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn pleach_and_naive_tree_agree_in_every_workload() {
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
