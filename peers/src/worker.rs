//! Runners in other processes. Bevy's task pool is initialised once per process, and its serial
//! propagation is a compile-time option, so each of Bevy's modes has a process of its own that
//! keeps its scene between rounds. It does its own timing, and runs only while this process waits
//! for its reply, so the rounds stay interleaved.
//!
//! The protocol: one line of words in each direction, except for the matrices, which are sent as
//! bytes.

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

/// A runner in a worker process with Bevy.
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
        writeln!(self.to, "{line}").expect("the worker is running");
    }

    fn request(&mut self, line: &str) -> String {
        self.send(line);
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("the worker is running");
        assert!(!answer.is_empty(), "the worker has exited without a reply to `{line}`");
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
        answer.trim().parse().expect("the reply is a number")
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        self.send("worlds");
        let mut bytes = vec![0; self.nodes * 64];
        self.from.read_exact(&mut bytes).expect("the worker is running");
        let (numbers, _) = bytes.as_chunks();
        let numbers: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
        numbers.as_chunks().0.to_vec()
    }
}

impl Drop for RemoteRunner {
    fn drop(&mut self) {
        // The worker exits on `quit`; if the write fails, it has already exited.
        if writeln!(self.to, "quit").is_ok() {
            let _ = self.child.wait();
        }
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

fn parse_next<T: std::str::FromStr>(arguments: &mut impl Iterator<Item = String>) -> T {
    let parse_next = arguments.next().expect("the request is complete");
    parse_next.parse().ok().expect("the argument is valid")
}
