//! `soak-scene`: random steps on scenes and naive models, for any length of time.
//!
//! Prints the seed first and a summary last. Exits with 0 if there was no difference, 1 if there was
//! one (with a command to reproduce it), and 2 for invalid arguments.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use soak_scene::pair::Pair;
use soak_scene::step::Step;
use soak_scene::undo_run::UndoRun;
use testkit::Rng;

const USAGE: &str = "\
usage: soak-scene [--seconds S] [--seed X] [--episode E]

  --seconds S   stop after S seconds (default 60)
  --seed X      the seed of the run (default: from the clock)
  --episode E   run only this episode, for example to reproduce a difference";

fn main() -> ExitCode {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (mut seconds, mut seed, mut only) = (60, clock.as_nanos() as u64, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|text| text.parse().ok());
        match (name.as_str(), value) {
            ("--seconds", Some(value)) => seconds = value,
            ("--seed", Some(value)) => seed = value,
            ("--episode", Some(value)) => only = Some(value),
            _ => {
                eprintln!("soak-scene: {name} is unknown or has no integer value\n\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    println!("seed {seed}");
    let (start_time, limit) = (Instant::now(), Duration::from_secs(seconds));
    let (mut steps, mut undo_steps, mut compared, mut episodes) = (0, 0, 0, 0);
    let mut patches = [0, 0];
    for number in only.map_or(0..=u64::MAX, |number| number..=number) {
        let episode = Episode::new(seed, number);
        // Half of the time goes to either kind: steps of the second one take a tenth.
        let result = match number % 2 {
            0 => episode.run(&mut steps, &mut compared),
            _ => episode.run_undo(&mut undo_steps, &mut compared, &mut patches),
        };
        match result {
            Ok(()) => episodes += 1,
            Err(difference) => {
                println!("DIFFERENCE {difference}");
                println!("reproduce with: soak-scene --seed {seed} --episode {number}");
                return ExitCode::FAILURE;
            }
        }
        if start_time.elapsed() >= limit {
            break;
        }
    }
    let [followed, rejected] = patches;
    println!(
        "{steps} steps and {undo_steps} of undo and snapshots, {followed} patches followed and {rejected} \
         rejected, {episodes} episodes, {compared} values compared, seed {seed}: no difference"
    );
    ExitCode::SUCCESS
}

/// A scene of some size, and random steps. Everything follows from the seed and the number.
struct Episode {
    rng: Rng,
    steps: usize,
    limit: usize,
}

impl Episode {
    fn new(seed: u64, number: u64) -> Self {
        let mut rng = Rng::new(seed ^ number.wrapping_mul(0xa076_1d64_78bd_642f));
        let limit = if rng.one_in(20) { 200 + rng.below(800) } else { 2 + rng.below(60) };
        Self { steps: 500 + rng.below(3_000), limit, rng }
    }

    fn run(mut self, steps: &mut u64, compared: &mut u64) -> Result<(), String> {
        let mut pair = Pair::new(self.limit, self.rng.one_in(2));
        for index in 0..self.steps {
            let step = Step::random(&mut self.rng);
            pair.apply(&step).map_err(|what| format!("after step {index}, {step:?}: {what}"))?;
            *steps += 1;
        }
        let result = pair.compare();
        *compared += pair.compared;
        result
    }

    fn run_undo(
        mut self,
        steps: &mut u64,
        compared: &mut u64,
        [followed, rejected]: &mut [u64; 2],
    ) -> Result<(), String> {
        let mut run = UndoRun::new(self.rng.next_u64());
        for _ in 0..10 * self.steps {
            run.step()?;
            *steps += 1;
        }
        *compared += run.compared;
        *followed += run.followed;
        *rejected += run.rejected;
        Ok(())
    }
}
