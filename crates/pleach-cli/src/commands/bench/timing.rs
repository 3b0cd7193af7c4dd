//! Measures both sides in alternating rounds, so that other load on the machine affects both alike,
//! and takes the median.

use std::time::{Duration, Instant};

/// The time of both sides for one frame or one query, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) pleach: f64,
    pub(super) naive: f64,
    /// The interquartile range of the rounds divided by their median; the larger of both sides.
    pub(super) spread: f64,
}

/// The target duration of one side of a round.
const ROUND_TIME: Duration = Duration::from_millis(2);

/// The minimum and maximum number of rounds.
const ROUND_COUNT: std::ops::RangeInclusive<usize> = 5..=2000;

/// Measures both sides for about `seconds` seconds. A side is called with the number of
/// repetitions, which is even, and returns the time they took.
pub(super) fn compare(
    seconds: f64,
    pleach: impl FnMut(u32) -> Duration,
    naive: impl FnMut(u32) -> Duration,
) -> Times {
    let (mut pleach, mut naive) = (Timed::new(pleach), Timed::new(naive));
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < *ROUND_COUNT.start()
        || (rounds < *ROUND_COUNT.end() && start.elapsed().as_secs_f64() < seconds)
    {
        // Each side is first in half of the rounds.
        if rounds % 2 == 0 {
            pleach.round();
            naive.round();
        } else {
            naive.round();
            pleach.round();
        }
        rounds += 1;
    }
    let ([pleach, our_spread], [naive, their_spread]) = (pleach.result(), naive.result());
    Times { pleach, naive, spread: our_spread.max(their_spread) }
}

/// Returns the time of `repeats` calls of `work`.
pub(super) fn timed(repeats: u32, mut work: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..repeats {
        work();
    }
    start.elapsed()
}

struct Timed<F> {
    work: F,
    /// The number of repetitions per round.
    repeats: u32,
    /// Nanoseconds per repetition, by round.
    rounds: Vec<f64>,
}

impl<F: FnMut(u32) -> Duration> Timed<F> {
    /// Warms up, then determines the number of repetitions that fill a round.
    fn new(mut work: F) -> Self {
        work(2);
        let mut repeats = 2;
        while repeats < 1 << 20 && work(repeats) < ROUND_TIME / 2 {
            repeats *= 2;
        }
        Self { work, repeats, rounds: Vec::new() }
    }

    fn round(&mut self) {
        let time = (self.work)(self.repeats);
        // The clock may be too coarse for very short work.
        self.rounds.push((time.as_secs_f64() * 1e9 / f64::from(self.repeats)).max(0.01));
    }

    /// Returns the median and the relative interquartile range.
    fn result(mut self) -> [f64; 2] {
        self.rounds.sort_by(f64::total_cmp);
        let last = self.rounds.len() - 1;
        let at = |quarters: usize| self.rounds[last * quarters / 4];
        [at(2), (at(3) - at(1)) / at(2)]
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Compares two sides that report a time without taking any.
    fn simulate(seconds: f64, repeats: [u64; 2]) -> (Times, Vec<char>) {
        let order = RefCell::new(Vec::new());
        let side = |name: char, nanoseconds: u64| {
            let order = &order;
            move |count: u32| {
                assert!(count.is_multiple_of(2));
                order.borrow_mut().push(name);
                Duration::from_nanos(nanoseconds * u64::from(count))
            }
        };
        let times = compare(seconds, side('p', repeats[0]), side('n', repeats[1]));
        (times, order.into_inner())
    }

    #[test]
    fn times_are_per_repetition() {
        let (times, _) = simulate(0.0, [500, 3_000_000]);
        assert!((times.pleach - 500.0).abs() < 1e-6 && (times.naive - 3e6).abs() < 1e-3);
        assert_eq!(times.spread, 0.0);
    }

    #[test]
    fn sides_alternate_and_take_turns_in_being_first() {
        let (_, order) = simulate(0.0, [3_000_000; 2]);
        assert!(order.ends_with(&['p', 'n', 'n', 'p', 'p', 'n', 'n', 'p', 'p', 'n']), "{order:?}");
    }

    #[test]
    fn measuring_ends_when_the_work_takes_no_time() {
        let (times, order) = simulate(600.0, [0, 0]);
        assert!(times.pleach > 0.0 && times.naive > 0.0 && order.len() < 5000);
    }

    #[test]
    fn results_are_median_and_interquartile_range() {
        let rounds = vec![9.0, 1.0, 100.0, 8.0, 10.0];
        let mut side = Timed { work: |_| Duration::ZERO, repeats: 2, rounds };
        side.rounds.rotate_left(2);
        assert_eq!(side.result(), [9.0, 2.0 / 9.0]);
    }
}
