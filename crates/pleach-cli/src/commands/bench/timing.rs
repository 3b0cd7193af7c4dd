//! The race: both sides do their work in turns, so that whatever else the machine does falls on both
//! alike. What counts is the median.

use std::time::{Duration, Instant};

/// What both took for one frame, or one question, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) pleach: f64,
    pub(super) naive: f64,
    /// How far apart the middle half of the rounds lies, as a part of the median; of the side
    /// where that is more.
    pub(super) spread: f64,
}

/// How long one side is at work in a round, if it takes that little.
const ROUND_TIME: Duration = Duration::from_millis(2);

/// At least and at most so many rounds.
const ROUND_COUNT: std::ops::RangeInclusive<usize> = 5..=2000;

/// Takes the time of both sides, about so many seconds long. A side is called with how often
/// to do its work, an even number, and tells how long that took.
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
        // Each is first as often as the other.
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

/// How long it takes to do something so often.
pub(super) fn timed(repeats: u32, mut work: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..repeats {
        work();
    }
    start.elapsed()
}

struct Timed<F> {
    work: F,
    /// How often the work is done in a round.
    repeats: u32,
    /// Nanoseconds, round by round.
    rounds: Vec<f64>,
}

impl<F: FnMut(u32) -> Duration> Timed<F> {
    /// Does the work twice to have its data at hand, then finds out how often it fits into a round.
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
        // A clock may be too coarse for what takes next to nothing.
        self.rounds.push((time.as_secs_f64() * 1e9 / f64::from(self.repeats)).max(0.01));
    }

    /// The median, and how far apart the middle half lies.
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

    /// Sides that tell how long they took without taking any time.
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
    fn times_are_for_one_piece_of_work() {
        let (times, _) = simulate(0.0, [500, 3_000_000]);
        assert!((times.pleach - 500.0).abs() < 1e-6 && (times.naive - 3e6).abs() < 1e-3);
        assert_eq!(times.spread, 0.0);
    }

    #[test]
    fn sides_take_turns_and_each_is_first_as_often() {
        let (_, order) = simulate(0.0, [3_000_000; 2]);
        assert!(order.ends_with(&['p', 'n', 'n', 'p', 'p', 'n', 'n', 'p', 'p', 'n']), "{order:?}");
    }

    #[test]
    fn it_ends_though_nothing_takes_any_time() {
        let (times, order) = simulate(600.0, [0, 0]);
        assert!(times.pleach > 0.0 && times.naive > 0.0 && order.len() < 5000);
    }

    #[test]
    fn the_median_and_the_middle_half_of_rounds_count() {
        let mut side = Timed {
            work: |_| Duration::ZERO,
            repeats: 2,
            rounds: vec![9.0, 1.0, 100.0, 8.0, 10.0],
        };
        side.rounds.rotate_left(2);
        assert_eq!(side.result(), [9.0, 2.0 / 9.0]);
    }
}
