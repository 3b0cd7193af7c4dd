//! Seats in other processes. Bevy's task pool can be set up once in a process, and its serial
//! propagation is compiled in or out, so each of Bevy's modes has a process of its own that
//! keeps its scene between rounds. It does its own timing, and only ever runs while this
//! process waits for its answer, so the rounds stay interleaved.
//!
//! The protocol: a line of words each way, but for the matrices, which are sent as bytes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use crate::contenders::bevy::Bevy;
use crate::runner::{LocalRunner, Runner, Scenario};
use crate::scene::Case;
use crate::workload::Workload;

/// The first argument of a worker; the others are those of [`Bevy::new`].
pub const WORKER: &str = "--worker";

/// A seat in a worker process that runs Bevy.
pub struct RemoteRunner {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    nodes: usize,
}

impl RemoteRunner {
    pub fn start(program: &Path, threads: usize, static_optimizations: bool) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args([WORKER, &threads.to_string(), &static_optimizations.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let to = child.stdin.take().expect("stdin is piped");
        let from = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Ok(Self { child, to, from, nodes: 0 })
    }

    fn send(&mut self, line: &str) {
        writeln!(self.to, "{line}").expect("the worker has ended");
    }

    fn request(&mut self, line: &str) -> String {
        self.send(line);
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("the worker has ended");
        assert!(!answer.is_empty(), "the worker has ended without an answer to `{line}`");
        answer
    }
}

impl Runner for RemoteRunner {
    fn supports(&self, _: Workload) -> bool {
        true
    }

    fn open(&mut self, scenario: &Rc<Scenario>) {
        let Case { shape, n, order, seed } = scenario.case;
        self.nodes = n;
        self.request(&format!("open {} {n} {} {seed}", shape.name(), order.name()));
    }

    fn close(&mut self) {
        self.request("close");
    }

    fn time(&mut self, workload: Workload, frames: u32) -> f64 {
        let answer = self.request(&format!("time {} {frames}", workload.name()));
        answer.trim().parse().expect("the answer is a number")
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        self.send("worlds");
        let mut bytes = vec![0; self.nodes * 64];
        self.from.read_exact(&mut bytes).expect("the worker has ended");
        let (numbers, _) = bytes.as_chunks();
        let numbers: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
        numbers.as_chunks().0.to_vec()
    }
}

impl Drop for RemoteRunner {
    fn drop(&mut self) {
        // The worker ends by itself once told to; if it cannot be told it has ended already.
        if writeln!(self.to, "quit").is_ok() {
            let _ = self.child.wait();
        }
    }
}

/// The worker's side: answers until told to quit.
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

fn parse_next<T: std::str::FromStr>(arguments: &mut impl Iterator<Item = String>) -> T {
    let parse_next = arguments.next().expect("a word is missing");
    parse_next.parse().ok().expect("the word is not what it should be")
}
