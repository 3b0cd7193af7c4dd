//! The rounds: every contender does the same work in every round, in an order that rotates, so
//! that a disturbance of the machine falls on all of them alike.

use std::time::Instant;

use crate::bench::median;
use crate::named_enum::named_enum;

/// How much is run.
#[derive(Clone, Copy)]
pub struct Effort {
    pub rounds: u32,
    /// What everything is drawn from. Boxes, moves, rays and the like each mix a number of their
    /// own into it: were a ray drawn from the numbers of a box, it would know where that is.
    pub seed: u64,
}

named_enum! {
    /// Whose code it is.
    pub enum Implementation {
        Pleach = "pleach",
        PleachLinear = "pleach linear",
        SimdLoop = "simd loop",
        Naive = "naive",
        Bevy = "bevy",
        Bvh2 = "obvhs Bvh2",
        Cwbvh = "obvhs CWBVH",
        Gltf = "gltf crate",
        Memcpy = "memcpy",
    }
}

impl Implementation {
    pub fn with_variant(self, variant: &str) -> String {
        match variant {
            "" => self.name().into(),
            variant => format!("{}, {variant}", self.name()),
        }
    }
}

/// Someone's way of doing a case's work.
pub struct Benchmark<'a> {
    pub implementation: Implementation,
    /// Which of its ways this is; empty where there is just one.
    pub variant: &'static str,
    /// Does a round and tells how many nanoseconds a unit of its work took.
    pub round: Box<dyn FnMut() -> f64 + 'a>,
}

impl<'a> Benchmark<'a> {
    pub fn new(
        implementation: Implementation,
        variant: &'static str,
        round: impl FnMut() -> f64 + 'a,
    ) -> Self {
        Self { implementation, variant, round: Box::new(round) }
    }
}

/// What a lane needed, round by round.
pub struct Row {
    pub implementation: Implementation,
    pub variant: &'static str,
    /// In rising order.
    pub rounds: Vec<f64>,
}

impl Row {
    pub fn name(&self) -> String {
        self.implementation.with_variant(self.variant)
    }

    pub fn median(&self) -> f64 {
        median(self.rounds.clone())
    }
}

/// What all lanes of a case needed.
pub struct Table {
    pub title: String,
    /// What was done, in a sentence or two.
    pub note: String,
    /// What the numbers are, and how many nanoseconds one of it is.
    pub unit: (&'static str, f64),
    /// Which of pleach's ways the others are compared with; nothing for its fastest.
    pub baseline: Option<&'static str>,
    pub rows: Vec<Row>,
}

impl Table {
    /// The fastest of someone's ways.
    pub fn best(&self, implementation: Implementation) -> Option<&Row> {
        let rows = self.rows.iter().filter(|row| row.implementation == implementation);
        rows.min_by(|a, b| a.median().total_cmp(&b.median()))
    }

    /// Nanoseconds of the fastest of someone's ways.
    pub fn time(&self, implementation: Implementation) -> Option<f64> {
        self.best(implementation).map(Row::median)
    }

    /// Nanoseconds of one way.
    pub fn time_of(&self, implementation: Implementation, variant: &str) -> Option<f64> {
        self.rows
            .iter()
            .find(|row| row.implementation == implementation && row.variant == variant)
            .map(Row::median)
    }
}

pub fn run_rounds(mut benchmarks: Vec<Benchmark<'_>>, rounds: u32) -> Vec<Row> {
    let mut times: Vec<_> = benchmarks.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds as usize {
        for offset in 0..benchmarks.len() {
            let index = (offset + round) % benchmarks.len();
            times[index].push((benchmarks[index].round)());
        }
    }
    let rows = benchmarks.iter().zip(times).map(|(benchmark, mut rounds)| {
        rounds.sort_by(f64::total_cmp);
        Row { implementation: benchmark.implementation, variant: benchmark.variant, rounds }
    });
    rows.collect()
}

/// A round of calls, with some before that are not timed, to have its own data in the caches as
/// it would in a program; nanoseconds a call.
pub fn time_calls(warm_up: u32, timed: u32, mut work: impl FnMut()) -> f64 {
    for _ in 0..warm_up {
        work();
    }
    let start = Instant::now();
    for _ in 0..timed {
        work();
    }
    start.elapsed().as_nanos() as f64 / f64::from(timed)
}

/// A round of one call whose result is dropped after the clock stopped.
pub fn time_once<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    let time = start.elapsed().as_nanos() as f64;
    drop(result);
    time
}
