//! `soak`: random edits on graphs and on naive models, for as long as you like.
//!
//! Prints the seed first and the sum last; progress goes to stderr. Ends with 0
//! if there was no difference, 1 if there was one (then told with the edits that
//! led to it, and how to see it again), and 2 if it was called wrongly.

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

  --edits N     stop after so many edits (default 1e9)
  --seconds S   stop after so many seconds, if that is earlier
  --seed X      the run's seed (default: from the clock)
  --threads T   how many threads run episodes (default: one a processor)
  --episode E   run this one episode only, as a difference names it";

/// How many edits are printed with a difference, if it takes more to show it.
const TAIL: usize = 60;
/// How often progress is told.
const PROGRESS: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(Wrong::Help) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(Wrong::Argument(problem)) => {
            eprintln!("soak: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("seed {}", options.seed);
    let mut run = Run::begin(options);
    match run.episodes() {
        Ok(()) => {
            println!("{}: no difference", run.sum());
            ExitCode::SUCCESS
        }
        Err(found) => {
            println!("{found}\n{}", run.sum());
            ExitCode::FAILURE
        }
    }
}

// ---- running ----

/// The model recurses along chains of some thousands of nodes.
const STACK: usize = 64 << 20;

/// What came of an episode.
struct Outcome {
    number: u64,
    tally: Tally,
    /// The difference that it found.
    found: Option<String>,
}

struct Run {
    options: Options,
    began: Instant,
    told: Instant,
    episodes: u64,
    edits: u64,
    compared: u64,
}

impl Run {
    fn begin(options: Options) -> Self {
        let began = Instant::now();
        Self { options, began, told: began, episodes: 0, edits: 0, compared: 0 }
    }

    /// Runs episodes until enough is done; answers the first difference found.
    fn episodes(&mut self) -> Result<(), String> {
        let Options { seed, threads, episode, .. } = self.options;
        let numbers = episode.map_or(0..=u64::MAX, |number| number..=number);
        let (next, stop) = (AtomicU64::new(*numbers.start()), AtomicBool::new(false));
        let work = |sender: mpsc::Sender<Outcome>| {
            while !stop.load(Relaxed) {
                let number = next.fetch_add(1, Relaxed);
                if !numbers.contains(&number) || sender.send(run_episode(seed, number)).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            let (sender, outcomes) = mpsc::channel();
            for _ in 0..threads {
                let sender = sender.clone();
                let worker = thread::Builder::new().stack_size(STACK);
                worker.spawn_scoped(scope, || work(sender)).map_err(|e| e.to_string())?;
            }
            drop(sender);
            let mut first_found = None;
            for outcome in outcomes {
                self.add(outcome.tally);
                if outcome.found.is_some() && first_found.is_none() {
                    first_found = Some(outcome);
                }
                if first_found.is_some() || self.is_enough() {
                    stop.store(true, Relaxed);
                }
            }
            first_found.map_or(Ok(()), |outcome| Err(report(seed, &outcome)))
        })
    }

    fn add(&mut self, tally: Tally) {
        self.episodes += 1;
        self.edits += tally.edits;
        self.compared += tally.compared;
        if self.told.elapsed() >= PROGRESS {
            self.told = Instant::now();
            eprintln!("{}", self.sum());
        }
    }

    fn is_enough(&self) -> bool {
        self.edits >= self.options.edits || self.began.elapsed() >= self.options.time
    }

    fn sum(&self) -> String {
        let rate = self.edits as f64 / self.began.elapsed().as_secs_f64();
        format!(
            "{} edits, {} episodes, {} nodes compared, {rate:.0} edits/s, seed {}",
            self.edits, self.episodes, self.compared, self.options.seed,
        )
    }
}

fn run_episode(seed: u64, number: u64) -> Outcome {
    let episode = Episode::new(seed, number);
    let mut tally = Tally::default();
    // A panic of the graph is a difference like any other.
    let found = match catch_unwind(AssertUnwindSafe(|| episode.run(&mut tally))) {
        Ok(Ok(())) => None,
        Ok(Err(difference)) => Some(difference.to_string()),
        Err(_) => Some("it panicked (see above)".into()),
    };
    Outcome { number, tally, found }
}

fn report(seed: u64, outcome: &Outcome) -> String {
    let Outcome { number, tally, found } = outcome;
    let episode = Episode::new(seed, *number);
    format!(
        "DIFFERENCE {}\nafter edit {} of {episode:?}\n\
         see it again: soak --seed {seed} --episode {number}\n{}",
        found.as_deref().unwrap_or_default(),
        tally.drawn,
        shortened(&episode, tally.drawn),
    )
}

/// The edits that lead to the difference, as few as can be found.
fn shortened(episode: &Episode, drawn: usize) -> String {
    eprintln!("a difference: looking for a short list of edits that shows it ...");
    std::panic::set_hook(Box::new(|_| {}));
    let all: Vec<Edit> = episode.edits().take(drawn).collect();
    let edits = shrink::shortest(all, |edits| episode.apply(edits));
    let first = edits.len().saturating_sub(TAIL);
    let last: Vec<String> = edits[first..].iter().map(|edit| format!("    {edit:?}")).collect();
    format!("the last {} of {} edits that show it:\n{}", last.len(), edits.len(), last.join("\n"))
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

enum Wrong {
    Help,
    Argument(String),
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Wrong> {
        let mut options = Self {
            edits: 1_000_000_000,
            time: Duration::MAX,
            seed: from_clock(),
            threads: thread::available_parallelism().map_or(1, NonZeroUsize::get),
            episode: None,
        };
        while let Some(name) = arguments.next() {
            if name == "--help" || name == "-h" {
                return Err(Wrong::Help);
            }
            let mut number = || match arguments.next() {
                Some(text) => whole_number(&text).ok_or_else(|| {
                    Wrong::Argument(format!("{name} needs a whole number, not {text:?}"))
                }),
                None => Err(Wrong::Argument(format!("{name} needs a number after it"))),
            };
            match name.as_str() {
                "--edits" => options.edits = number()?,
                "--seconds" => options.time = Duration::from_secs(number()?),
                "--seed" => options.seed = number()?,
                "--threads" => options.threads = (number()? as usize).clamp(1, 256),
                "--episode" => options.episode = Some(number()?),
                _ => return Err(Wrong::Argument(format!("there is no option {name:?}"))),
            }
        }
        Ok(options)
    }
}

/// `1000000`, `1_000_000` or `1e6`.
fn whole_number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    let (digits, zeros) = text.split_once('e').unwrap_or((&text, "0"));
    let power = 10u64.checked_pow(zeros.parse().ok()?)?;
    digits.parse::<u64>().ok()?.checked_mul(power)
}

fn from_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Options, String> {
        let words = arguments.split_whitespace().map(String::from);
        Options::parse(words).map_err(|wrong| match wrong {
            Wrong::Help => USAGE.into(),
            Wrong::Argument(problem) => problem,
        })
    }

    #[test]
    fn options_are_read_in_any_order_and_big_numbers_may_be_short() {
        let options = parse("--seed 7 --edits 2e6 --seconds 1_000").unwrap();
        assert_eq!((options.seed, options.edits, options.episode), (7, 2_000_000, None));
        assert_eq!(options.time, Duration::from_secs(1_000));
        assert_eq!(parse("").unwrap().edits, 1_000_000_000);
    }

    #[test]
    fn wrong_arguments_are_refused_by_name() {
        for (arguments, problem) in [
            ("--edit 5", r#"there is no option "--edit""#),
            ("--seed", "--seed needs a number after it"),
            ("--edits many", r#"--edits needs a whole number, not "many""#),
            ("--edits 1e99", r#"--edits needs a whole number, not "1e99""#),
            ("--seconds -1", r#"--seconds needs a whole number, not "-1""#),
        ] {
            assert_eq!(parse(arguments).unwrap_err(), problem);
        }
    }
}
