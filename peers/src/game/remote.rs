//! Runners in other processes: a process for each of Bevy's modes (see `worker.rs`), and one for a
//! script. They do their own timing.
//!
//! The protocol: one line of words in each direction.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use super::contender::{Drawn, Game};
use super::contenders::bevy::Bevy;
use super::edits::Motion;
use super::runner::{FrameTimes, LocalRunner, Runner};
use crate::process::LineProcess;
use crate::worker::parse_next;

/// The first argument of a worker; the others are those of [`Bevy::new`].
pub const WORKER: &str = "--frame-worker";

/// A runner in a worker process with Bevy.
pub struct BevyRunner(LineProcess);

impl BevyRunner {
    pub fn start(program: &Path, threads: usize, static_optimizations: bool) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args([WORKER, &threads.to_string(), &static_optimizations.to_string()]);
        LineProcess::start(&mut command).map(Self)
    }
}

impl Runner for BevyRunner {
    fn open(&mut self, game: &Rc<Game>) -> Result<(), String> {
        self.0.request(&format!("open {} {}", game.field.len(), game.seed));
        Ok(())
    }

    fn close(&mut self) {
        self.0.request("close");
    }

    fn run(&mut self, motion: Motion, frames: u32) -> FrameTimes {
        run(&mut self.0, motion, frames)
    }

    fn drawn(&mut self) -> Vec<Drawn> {
        drawn(&mut self.0)
    }
}

/// Requests some frames.
pub fn run(process: &mut LineProcess, motion: Motion, frames: u32) -> FrameTimes {
    let answer = process.request(&format!("run {} {frames}", motion.name()));
    let mut numbers = answer.split_whitespace().map(str::to_owned);
    FrameTimes {
        total: parse_next(&mut numbers),
        stages: std::array::from_fn(|_| parse_next(&mut numbers)),
    }
}

/// Requests the draw list: mesh and material, alternately.
pub fn drawn(process: &mut LineProcess) -> Vec<Drawn> {
    let answer = process.request("drawn");
    let numbers = answer.split_whitespace().map(|word| word.parse().expect("the reply is numbers"));
    let numbers: Vec<u32> = numbers.collect();
    let (pairs, _) = numbers.as_chunks();
    pairs.iter().map(|&[mesh, material]| Drawn { mesh, material }).collect()
}

/// The worker's side: replies to requests until `quit`.
pub fn serve(mut arguments: impl Iterator<Item = String>) -> io::Result<()> {
    let threads = parse_next(&mut arguments);
    let mut runner = LocalRunner::new(Bevy::new(threads, parse_next(&mut arguments)));
    let mut to = io::stdout().lock();
    for line in io::stdin().lines() {
        let line = line?;
        let mut arguments = line.split_whitespace().map(str::to_owned);
        match parse_next::<String>(&mut arguments).as_str() {
            "open" => {
                let nodes = parse_next(&mut arguments);
                let game = Rc::new(Game::new(nodes, parse_next(&mut arguments)));
                runner.open(&game).expect("a local runner does not fail");
                writeln!(to, "done")?;
            }
            "close" => {
                runner.close();
                writeln!(to, "done")?;
            }
            "run" => {
                let motion = parse_next(&mut arguments);
                let FrameTimes { total, stages } = runner.run(motion, parse_next(&mut arguments));
                writeln!(to, "{total} {}", stages.map(|time| time.to_string()).join(" "))?;
            }
            "drawn" => {
                for Drawn { mesh, material } in runner.drawn() {
                    write!(to, "{mesh} {material} ")?;
                }
                writeln!(to)?;
            }
            _ => break,
        }
        to.flush()?;
    }
    Ok(())
}
