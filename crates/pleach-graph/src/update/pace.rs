//! `Pace`: whether threads make an update faster, as measured by the updates before.
//!
//! Threads gain nothing where memory is the limit, where another program uses the other cores, or
//! where waking them takes as long as the work; none of this is known in advance. The results are
//! the same bits either way, so each update may use the faster way: the first four of each size
//! try both, and later the slower one is tried again now and then, the more rarely the slower it
//! is.
//!
//! Invariant: trials of the slower way cost at most 1/`TRIAL_INTERVAL` of the time of the updates
//! between them.

use core::time::Duration;

/// A way to compute an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// On the calling thread.
    Serial,
    /// On all threads of the pool.
    Parallel,
}

/// Updates that are similar enough to be compared: of about as many nodes, in spans or in groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) nodes: usize,
    pub(crate) in_groups: bool,
}

/// The times of one kind of updates.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// Nanoseconds per node, by `Way`.
    times: [f32; 2],
    /// The number of updates so far; counts no further than `FIRST_TRIALS`.
    trials: u32,
    /// The number of updates before the slower way is tried again.
    until_trial: u32,
}

/// The number of updates of each kind that try both ways in turn.
const FIRST_TRIALS: u32 = 4;
/// The minimum number of updates between trials of the slower way.
const TRIAL_INTERVAL: f32 = 32.0;
/// Threads are used if they take at most this much of the time of one: they also use other cores.
const MIN_GAIN: f32 = 0.95;

const SIZES: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct Pace {
    records: [[Record; SIZES]; 2],
}

impl Default for Pace {
    fn default() -> Self {
        Self { records: [[Record::default(); SIZES]; 2] }
    }
}

impl Pace {
    fn record_mut(&mut self, kind: Kind) -> &mut Record {
        let size = (kind.nodes.max(1).ilog2() as usize).min(SIZES - 1);
        &mut self.records[usize::from(kind.in_groups)][size]
    }

    /// Returns how to compute the next update; `record` is called with its time.
    pub(crate) fn choose(&mut self, kind: Kind) -> Way {
        let record = self.record_mut(kind);
        if record.trials < FIRST_TRIALS {
            return if record.trials.is_multiple_of(2) { Way::Parallel } else { Way::Serial };
        }
        let [serial, parallel] = record.times;
        let (faster, slower, ratio) = if parallel <= MIN_GAIN * serial {
            (Way::Parallel, Way::Serial, serial / parallel)
        } else {
            (Way::Serial, Way::Parallel, parallel / serial)
        };
        if record.until_trial > 0 {
            record.until_trial -= 1;
            return faster;
        }
        record.until_trial = (TRIAL_INTERVAL * ratio.max(1.0)) as u32;
        slower
    }

    /// Takes the time of an update into account.
    pub(crate) fn record(&mut self, kind: Kind, way: Way, time: Duration) {
        // Not zero, so that ratios are finite.
        let sample = (time.as_nanos().max(1) as f32) / kind.nodes.max(1) as f32;
        let record = self.record_mut(kind);
        let is_first = record.trials < 2;
        let is_trial = record.trials < FIRST_TRIALS;
        record.trials += u32::from(is_trial);
        let time = &mut record.times[way as usize];
        *time = match (is_first, is_trial) {
            (true, _) => sample,
            // The first update touches memory for the first time.
            (false, true) => time.min(sample),
            // One that was interrupted counts as little more than the others.
            (false, false) => *time + 0.25 * (sample.min(2.0 * *time) - *time),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { nodes: 10_000, in_groups: false };

    /// Runs updates that take these times per node, and returns the time of all of them and the
    /// number on threads.
    fn run(pace: &mut Pace, updates: u32, serial: f32, parallel: f32) -> (f32, u32) {
        let (mut total, mut on_threads) = (0.0, 0);
        for _ in 0..updates {
            let way = pace.choose(KIND);
            let time = if way == Way::Serial { serial } else { parallel };
            pace.record(KIND, way, Duration::from_nanos((time * KIND.nodes as f32) as u64));
            total += time;
            on_threads += u32::from(way == Way::Parallel);
        }
        (total, on_threads)
    }

    #[test]
    fn updates_take_at_most_a_twentieth_more_than_in_the_faster_way() {
        for parallel in [0.1, 0.5, 0.9, 0.97, 1.0, 1.04, 1.1, 1.5, 3.0, 20.0] {
            let mut pace = Pace::default();
            run(&mut pace, FIRST_TRIALS, 3.0, 3.0 * parallel);
            let (total, on_threads) = run(&mut pace, 10_000, 3.0, 3.0 * parallel);
            let best = 10_000.0 * 3.0 * parallel.min(1.0);
            assert!(total <= 1.05 * best + 3.0 * parallel, "{parallel}: {total} of {best}");
            assert_eq!(on_threads > 5_000, parallel <= MIN_GAIN, "{parallel}: {on_threads}");
        }
    }

    #[test]
    fn a_change_of_the_machine_is_noticed() {
        let mut pace = Pace::default();
        run(&mut pace, 1_000, 3.0, 2.0);
        // The other core is busy from now on.
        let (total, _) = run(&mut pace, 1_000, 3.0, 5.0);
        assert!(total <= 1.05 * 3_000.0, "{total}");
        let (total, _) = run(&mut pace, 1_000, 3.0, 1.5);
        assert!(total <= 1.2 * 1_500.0, "{total}");
    }

    #[test]
    fn kinds_and_sizes_are_independent() {
        let mut pace = Pace::default();
        run(&mut pace, 100, 3.0, 9.0);
        let others = [Kind { in_groups: true, ..KIND }, Kind { nodes: 100_000, ..KIND }];
        for kind in others.into_iter().chain([0, usize::MAX].map(|nodes| Kind { nodes, ..KIND })) {
            assert_eq!(pace.choose(kind), Way::Parallel, "{kind:?}");
            pace.record(kind, Way::Parallel, Duration::ZERO);
            assert_eq!(pace.choose(kind), Way::Serial, "{kind:?}");
        }
    }
}
