//! Runners in other processes. Bevy's task pool is initialised once per process, and its serial
//! propagation is a compile-time option, so each of Bevy's modes has a process of its own that
//! keeps its scene between rounds. It does its own timing, and runs only while this process waits
//! for its reply, so the rounds stay interleaved.
//!
//! The protocol: one line of words in each direction, except for the matrices, which are sent as
//! bytes.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use crate::contenders::bevy::Bevy;
use crate::process::LineProcess;
use crate::runner::{LocalRunner, Runner, Scenario};
use crate::scene::Case;
use crate::workload::Workload;

/// The first argument of a worker; the others are those of [`Bevy::new`].
pub const WORKER: &str = "--worker";

/// A runner in a worker process with Bevy.
pub struct RemoteRunner {
    process: LineProcess,
    nodes: usize,
}

impl RemoteRunner {
    pub fn start(program: &Path, threads: usize, static_optimizations: bool) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args([WORKER, &threads.to_string(), &static_optimizations.to_string()]);
        Ok(Self { process: LineProcess::start(&mut command)?, nodes: 0 })
    }
}

impl Runner for RemoteRunner {
    fn supports(&self, _: Workload) -> bool {
        true
    }

    fn open(&mut self, scenario: &Rc<Scenario>) {
        let Case { shape, n, order, seed } = scenario.case;
        self.nodes = n;
        self.process.request(&format!("open {} {n} {} {seed}", shape.name(), order.name()));
    }

    fn close(&mut self) {
        self.process.request("close");
    }

    fn time(&mut self, workload: Workload, frames: u32) -> f64 {
        let answer = self.process.request(&format!("time {} {frames}", workload.name()));
        answer.trim().parse().expect("the reply is a number")
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        self.process.send("worlds");
        let mut bytes = vec![0; self.nodes * 64];
        self.process.read_exact(&mut bytes);
        let (numbers, _) = bytes.as_chunks();
        let numbers: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
        numbers.as_chunks().0.to_vec()
    }
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
                let case = Case {
                    shape: parse_next(&mut arguments),
                    n: parse_next(&mut arguments),
                    order: parse_next(&mut arguments),
                    seed: parse_next(&mut arguments),
                };
                runner.open(&Scenario::new(case));
                writeln!(to, "done")?;
            }
            "close" => {
                runner.close();
                writeln!(to, "done")?;
            }
            "time" => {
                let workload = parse_next(&mut arguments);
                writeln!(to, "{}", runner.time(workload, parse_next(&mut arguments)))?;
            }
            "worlds" => {
                for number in runner.worlds().as_flattened() {
                    to.write_all(&number.to_le_bytes())?;
                }
            }
            _ => break,
        }
        to.flush()?;
    }
    Ok(())
}

/// Parses the next word of a request.
pub fn parse_next<T: std::str::FromStr>(arguments: &mut impl Iterator<Item = String>) -> T {
    let parse_next = arguments.next().expect("the request is complete");
    parse_next.parse().ok().expect("the argument is valid")
}
