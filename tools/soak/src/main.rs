//! `soak`: random edits on graphs and on naive models, for any length of time.
//!
//! Prints the seed first and a summary last; progress goes to stderr. Exits with 0
//! if there was no difference, 1 if there was one (which is printed with the edits
//! that lead to it, and a command to reproduce it), and 2 for invalid arguments.

#![forbid(unsafe_code)]

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use soak::edit::Edit;
use soak::episode::{Episode, Tally};
use soak::shrink;

const USAGE: &str = "\
usage: soak [--edits N] [--seconds S] [--seed X] [--threads T] [--episode E]

  --edits N     stop after N edits (default 1e9)
  --seconds S   stop after S seconds, if that is earlier
  --seed X      the seed of the run (default: from the clock)
  --threads T   the number of threads (default: one per processor)
  --episode E   run only this episode, for example to reproduce a difference";

/// The maximum number of edits printed with a difference.
const MAX_PRINTED_EDITS: usize = 60;
/// The interval of progress reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(UsageError::Help) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(UsageError::Argument(problem)) => {
            eprintln!("soak: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("seed {}", options.seed);
    let mut run = Run::start(options);
    match run.episodes() {
        Ok(()) => {
            println!("{}: no difference", run.summary());
            ExitCode::SUCCESS
        }
        Err(difference) => {
            println!("{difference}\n{}", run.summary());
            ExitCode::FAILURE
        }
    }
}

// ---- running ----

/// The model recurses along chains of some thousands of nodes.
const STACK: usize = 64 << 20;

/// The result of an episode.
struct EpisodeResult {
    number: u64,
    tally: Tally,
    /// The difference, if there is one.
    difference: Option<String>,
}

struct Run {
    options: Options,
    start_time: Instant,
    last_report: Instant,
    episodes: u64,
    edits: u64,
    compared: u64,
}

impl Run {
    fn start(options: Options) -> Self {
        let start_time = Instant::now();
        Self { options, start_time, last_report: start_time, episodes: 0, edits: 0, compared: 0 }
    }

    /// Runs episodes until the limits are reached; returns the first difference as
    /// an error.
    fn episodes(&mut self) -> Result<(), String> {
        let Options { seed, threads, episode, .. } = self.options;
        let numbers = episode.map_or(0..=u64::MAX, |number| number..=number);
        let (next, stop) = (AtomicU64::new(*numbers.start()), AtomicBool::new(false));
        let work = |sender: mpsc::Sender<EpisodeResult>| {
            while !stop.load(Relaxed) {
                let number = next.fetch_add(1, Relaxed);
                if !numbers.contains(&number) || sender.send(run_episode(seed, number)).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            for _ in 0..threads {
                let sender = sender.clone();
                let worker = thread::Builder::new().stack_size(STACK);
                worker.spawn_scoped(scope, || work(sender)).map_err(|e| e.to_string())?;
            }
            drop(sender);
            let mut first_difference = None;
            for result in results {
                self.add(result.tally);
                if result.difference.is_some() && first_difference.is_none() {
                    first_difference = Some(result);
                }
                if first_difference.is_some() || self.is_done() {
                    stop.store(true, Relaxed);
                }
            }
            first_difference.map_or(Ok(()), |result| Err(report(seed, &result)))
        })
    }

    fn add(&mut self, tally: Tally) {
        self.episodes += 1;
        self.edits += tally.edits;
        self.compared += tally.compared;
        if self.last_report.elapsed() >= REPORT_INTERVAL {
            self.last_report = Instant::now();
            eprintln!("{}", self.summary());
        }
    }

    fn is_done(&self) -> bool {
        self.edits >= self.options.edits || self.start_time.elapsed() >= self.options.time
    }

    fn summary(&self) -> String {
        let rate = self.edits as f64 / self.start_time.elapsed().as_secs_f64();
        format!(
            "{} edits, {} episodes, {} nodes compared, {rate:.0} edits/s, seed {}",
            self.edits, self.episodes, self.compared, self.options.seed,
        )
    }
}

fn run_episode(seed: u64, number: u64) -> EpisodeResult {
    let episode = Episode::new(seed, number);
    let mut tally = Tally::default();
    // A panic counts as a difference.
    let difference = match catch_unwind(AssertUnwindSafe(|| episode.run(&mut tally))) {
        Ok(Ok(())) => None,
        Ok(Err(difference)) => Some(difference.to_string()),
        Err(_) => Some("panic (see above)".into()),
    };
    EpisodeResult { number, tally, difference }
}

fn report(seed: u64, result: &EpisodeResult) -> String {
    let EpisodeResult { number, tally, difference } = result;
    let episode = Episode::new(seed, *number);
    format!(
        "DIFFERENCE {}\nafter edit {} of {episode:?}\n\
         reproduce with: soak --seed {seed} --episode {number}\n{}",
        difference.as_deref().unwrap_or_default(),
        tally.drawn,
        shrunk_edits(&episode, tally.drawn),
    )
}

/// Returns the edits that lead to the difference, as few as can be found.
fn shrunk_edits(episode: &Episode, drawn: usize) -> String {
    eprintln!("found a difference; shrinking the list of edits ...");
    std::panic::set_hook(Box::new(|_| {}));
    let all: Vec<Edit> = episode.edits().take(drawn).collect();
    let edits = shrink::shortest(all, |edits| episode.apply(edits));
    let first = edits.len().saturating_sub(MAX_PRINTED_EDITS);
    let last: Vec<String> = edits[first..].iter().map(|edit| format!("    {edit:?}")).collect();
    format!(
        "the last {} of {} edits that reproduce it:\n{}",
        last.len(),
        edits.len(),
        last.join("\n")
    )
}

// ---- arguments ----

#[derive(Debug)]
struct Options {
    edits: u64,
    time: Duration,
    seed: u64,
    threads: usize,
    episode: Option<u64>,
}

enum UsageError {
    Help,
    Argument(String),
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, UsageError> {
        let mut options = Self {
            edits: 1_000_000_000,
            time: Duration::MAX,
            seed: seed_from_clock(),
            threads: thread::available_parallelism().map_or(1, NonZeroUsize::get),
            episode: None,
        };
        while let Some(name) = arguments.next() {
            if name == "--help" || name == "-h" {
                return Err(UsageError::Help);
            }
            let mut number = || match arguments.next() {
                Some(text) => parse_integer(&text).ok_or_else(|| {
                    UsageError::Argument(format!("{name} needs an integer, not {text:?}"))
                }),
                None => Err(UsageError::Argument(format!("{name} needs a value"))),
            };
            match name.as_str() {
                "--edits" => options.edits = number()?,
                "--seconds" => options.time = Duration::from_secs(number()?),
                "--seed" => options.seed = number()?,
                "--threads" => options.threads = (number()? as usize).clamp(1, 256),
                "--episode" => options.episode = Some(number()?),
                _ => return Err(UsageError::Argument(format!("unknown option {name:?}"))),
            }
        }
        Ok(options)
    }
}

/// Parses `1000000`, `1_000_000` or `1e6`.
fn parse_integer(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    let (digits, zeros) = text.split_once('e').unwrap_or((&text, "0"));
    let power = 10u64.checked_pow(zeros.parse().ok()?)?;
    digits.parse::<u64>().ok()?.checked_mul(power)
}

fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Options, String> {
        let words = arguments.split_whitespace().map(String::from);
        Options::parse(words).map_err(|error| match error {
            UsageError::Help => USAGE.into(),
            UsageError::Argument(problem) => problem,
        })
    }

    #[test]
    fn options_are_parsed_in_any_order_and_numbers_may_have_an_exponent() {
        let options = parse("--seed 7 --edits 2e6 --seconds 1_000").unwrap();
        assert_eq!((options.seed, options.edits, options.episode), (7, 2_000_000, None));
        assert_eq!(options.time, Duration::from_secs(1_000));
        assert_eq!(parse("").unwrap().edits, 1_000_000_000);
    }

    #[test]
    fn invalid_arguments_are_rejected_by_name() {
        for (arguments, problem) in [
            ("--edit 5", r#"unknown option "--edit""#),
            ("--seed", "--seed needs a value"),
            ("--edits many", r#"--edits needs an integer, not "many""#),
            ("--edits 1e99", r#"--edits needs an integer, not "1e99""#),
            ("--seconds -1", r#"--seconds needs an integer, not "-1""#),
        ] {
            assert_eq!(parse(arguments).unwrap_err(), problem);
        }
    }
}
