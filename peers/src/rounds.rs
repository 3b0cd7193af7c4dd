//! The rounds: every contender does the same work in every round, in rotating order, so that
//! disturbances of the machine affect all of them alike.

use std::time::Instant;

use crate::bench::median;
use crate::named_enum::named_enum;

/// The number of rounds and the seed.
#[derive(Clone, Copy)]
pub struct Effort {
    pub rounds: u32,
    /// The seed of all random data. Each kind of data (boxes, moves, rays) mixes in a constant of
    /// its own, so that they are independent.
    pub seed: u64,
}

named_enum! {
    /// The implementation that is measured.
    pub enum Implementation {
        Pleach = "pleach",
        PleachLinear = "pleach linear",
        SimdLoop = "simd loop",
        ChannelLoop = "channel loop",
        Naive = "naive",
        Bevy = "bevy",
        ThreeJs = "three.js",
        Bvh2 = "obvhs Bvh2",
        Cwbvh = "obvhs CWBVH",
        Embree = "Embree",
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

/// A variant of an implementation on one workload.
pub struct Benchmark<'a> {
    pub implementation: Implementation,
    /// The variant; empty if there is only one.
    pub variant: &'static str,
    /// Runs a round and returns the nanoseconds per unit of work.
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

/// The times of a benchmark, round by round.
pub struct Row {
    pub implementation: Implementation,
    pub variant: &'static str,
    /// Sorted in ascending order.
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

/// The results of all benchmarks of a workload.
pub struct Table {
    pub title: String,
    /// A description of the workload.
    pub note: String,
    /// The unit, and its length in nanoseconds.
    pub unit: (&'static str, f64),
    /// The variant of pleach that the others are compared with; `None` for its fastest.
    pub baseline: Option<&'static str>,
    pub rows: Vec<Row>,
}

impl Table {
    /// Returns the fastest variant of an implementation.
    pub fn best(&self, implementation: Implementation) -> Option<&Row> {
        let rows = self.rows.iter().filter(|row| row.implementation == implementation);
        rows.min_by(|a, b| a.median().total_cmp(&b.median()))
    }

    /// Returns the time of the fastest variant in nanoseconds.
    pub fn time(&self, implementation: Implementation) -> Option<f64> {
        self.best(implementation).map(Row::median)
    }

    /// Returns the time of a variant in nanoseconds.
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

/// Times a round of calls after `warm_up` untimed ones, which load the data into the caches as in a
/// real program. Returns nanoseconds per call.
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

/// Times one call; its result is dropped after the measurement.
pub fn time_once<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    let time = start.elapsed().as_nanos() as f64;
    drop(result);
    time
}
