//! Counts the instructions of the stages under valgrind and compares them with the committed table.
//!
//! `cargo run -p instructions`: prints old, new and ratio per entry; exits with 1 if an entry grew by
//! more than `--percent` (3 by default), if the table does not have the same entries, or if the last
//! change of the table raised an entry by more than that without a reason in its last column.
//! With a compiler that the table does not know, the counts are compared with those of the parent
//! commit. `cargo run -p instructions -- --bless`: rewrites the entries of this compiler.
//!
//! Needs valgrind and git; installs gungraun-runner in the version of `Cargo.lock` if it is missing.

mod parent;
mod table;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, str};

use serde_json::Value;

use crate::table::{Counts, Table};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Error> {
    let (mut bless, mut percent) = (false, 3.0);
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bless" => bless = true,
            "--percent" => percent = args.next().ok_or("--percent needs a number")?.parse()?,
            _ => return Err(format!("unknown argument {arg}; use --bless or --percent N").into()),
        }
    }
    let limit = 1.0 + percent / 100.0;
    env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
    install_runner()?;
    let version = output(Command::new("rustc").arg("--version"))?;
    let version = version.split(' ').nth(1).ok_or("rustc has no version")?;
    let new = measure(Path::new("."))?;
    let mut table = Table::parse(&fs::read_to_string(table::PATH)?)?;
    let mut old = table.counts(version);
    if bless {
        compare(&old, &new, limit);
        let raised = table.replace(version, &new, limit);
        fs::write(table::PATH, table.to_text())?;
        for entry in raised {
            println!("{entry} was raised: state the reason in the last column of {}", table::PATH);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut is_good = true;
    if old.is_empty() {
        println!("{} has no entries for rustc {version}: measuring the parent commit", table::PATH);
        old = parent::measure()?;
        // The parent may have had other entries.
        old.retain(|key, _| new.contains_key(key));
    } else {
        is_good &= old.len() == new.len();
        for entry in table.raised_without_reason(&parent::last_table()?, limit) {
            println!("{entry} was raised in {} without a reason in the last column", table::PATH);
            is_good = false;
        }
    }
    is_good &= compare(&old, &new, limit);
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What changes the machine code must not come from the environment.
    cargo
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("CARGO_INCREMENTAL", "0");
    cargo
}

/// Runs a command and returns what it prints; its messages go to the terminal.
fn output(command: &mut Command) -> Result<String, Error> {
    let output = command.stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{command:?} failed: {text}").into())
    }
}

/// Installs gungraun-runner, whose version must be that of the library.
fn install_runner() -> Result<(), Error> {
    let lock = fs::read_to_string("Cargo.lock")?;
    let (_, rest) =
        lock.split_once("name = \"gungraun\"\nversion = \"").ok_or("not in Cargo.lock")?;
    let version = rest.split('"').next().unwrap_or_default();
    let installed = output(Command::new("gungraun-runner").arg("--version")).unwrap_or_default();
    if installed.split_whitespace().last() != Some(version) {
        output(cargo().args(["install", "--locked", "gungraun-runner", "--version", version]))?;
    }
    Ok(())
}

/// Runs the benches of the workspace in a directory and returns their counts.
fn measure(workspace: &Path) -> Result<Counts, Error> {
    // All of them: those of an earlier commit may have other names.
    let bench = ["bench", "-p", "instructions", "--bench", "*", "--profile", "instructions"];
    let lines = output(cargo().current_dir(workspace).args(bench).args([
        "--",
        "--output-format=json",
        "--parallel=auto",
    ]))?;
    let mut counts = Counts::new();
    for line in lines.lines().filter(|line| line.starts_with('{')) {
        let summary: Value = serde_json::from_str(line)?;
        let text = |member: &str| summary[member].as_str().unwrap_or_default().to_owned();
        let (function, id) = (text("function_name"), text("id"));
        let (case, kernel) = id.rsplit_once('_').unwrap_or(("", &id));
        let entry = if case.is_empty() { function } else { format!("{function}/{case}") };
        let count =
            instructions(&summary).ok_or_else(|| format!("{entry} has no count: {line}"))?;
        counts.insert([kernel.to_owned(), entry], count);
    }
    Ok(counts)
}

/// Returns the number of instructions of a benchmark.
fn instructions(summary: &Value) -> Option<u64> {
    summary.pointer("/profiles/0/data/total/metrics/Ir/values/new")?.as_u64()
}

/// Prints a line per entry. Returns `true` if all new entries have an old one, and none grew beyond
/// `limit` times that.
fn compare(old: &Counts, new: &Counts, limit: f64) -> bool {
    let mut is_good = true;
    println!("{:>12} {:>12} {:>7}  entry", "old", "new", "ratio");
    for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
        let [kernel, entry] = key;
        let (before, after) = (old.get(key).copied(), new.get(key).copied());
        let ratio = before.zip(after).map(|(before, after)| after as f64 / before as f64);
        let is_fine = ratio.is_some_and(|ratio| ratio <= limit);
        let count = |it: Option<u64>| it.map_or("missing".to_owned(), |it| it.to_string());
        let (mark, ratio) = (if is_fine { "" } else { "  <--" }, ratio.unwrap_or(f64::NAN));
        println!(
            "{:>12} {:>12} {ratio:7.4}  {entry} ({kernel}){mark}",
            count(before),
            count(after)
        );
        is_good &= is_fine;
    }
    is_good
}
