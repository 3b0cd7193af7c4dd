//! Counts the instructions of the stages under valgrind and compares them with the committed table.
//!
//! `cargo run -p instructions`: prints old, new and ratio per entry; exits with 1 if an entry grew by
//! more than `--percent` (1 by default), or if the table does not have the same entries.
//! `cargo run -p instructions -- --bless`: rewrites the entries of this compiler.
//!
//! Needs valgrind; installs gungraun-runner in the version of `Cargo.lock` if it is missing.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, str};

use serde_json::Value;

type Error = Box<dyn std::error::Error>;

/// Instructions by compiler, kernel and entry.
type Table = BTreeMap<[String; 3], u64>;

const TABLE: &str = "docs/benchmarks/instructions.tsv";

const HEADER: &str = "\
# Instructions per stage, counted by callgrind (valgrind) with cargo's profile `instructions`: opt-level 3,
# one codegen unit per crate, no LTO, no RUSTFLAGS. x86-64 Linux, one thread; 10,000 nodes, or 50 skeletons of
# 64 joints, or a .glb of 2,000 nodes. Kernel `any`: no kernel is forced; of these only `load` runs one, AVX2.
# Compare: cargo run -p instructions. Renew the entries of the installed compiler: cargo run -p instructions -- --bless
# rustc\tkernel\tentry\tinstructions
";

fn main() -> Result<ExitCode, Error> {
    let (mut bless, mut percent) = (false, 1.0);
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bless" => bless = true,
            "--percent" => percent = args.next().ok_or("--percent needs a number")?.parse()?,
            _ => return Err(format!("unknown argument {arg}; use --bless or --percent N").into()),
        }
    }
    env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
    install_runner()?;
    let version = output(Command::new("rustc").arg("--version"))?;
    let version = version.split(' ').nth(1).ok_or("rustc has no version")?;
    let new = measure(version)?;
    let old = read(&fs::read_to_string(TABLE).unwrap_or_default())?;
    let (old, other): (Table, Table) = old.into_iter().partition(|(key, _)| key[0] == version);
    let is_good = compare(&old, &new, percent);
    if bless {
        fs::write(TABLE, write(&other.into_iter().chain(new).collect()))?;
    } else if old.is_empty() {
        println!("{TABLE} has no entries for rustc {version}; add them with --bless");
    }
    Ok(if is_good || bless { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

/// Runs the benches and returns their counts.
fn measure(version: &str) -> Result<Table, Error> {
    let bench = ["bench", "-p", "instructions", "--bench", "stages", "--profile", "instructions"];
    let lines =
        output(cargo().args(bench).args(["--", "--output-format=json", "--parallel=auto"]))?;
    let mut table = Table::new();
    for line in lines.lines().filter(|line| line.starts_with('{')) {
        let summary: Value = serde_json::from_str(line)?;
        let text = |member: &str| summary[member].as_str().unwrap_or_default().to_owned();
        let (function, id) = (text("function_name"), text("id"));
        let (case, kernel) = id.rsplit_once('_').unwrap_or(("", &id));
        let entry = if case.is_empty() { function } else { format!("{function}/{case}") };
        let count =
            instructions(&summary).ok_or_else(|| format!("{entry} has no count: {line}"))?;
        table.insert([version.to_owned(), kernel.to_owned(), entry], count);
    }
    Ok(table)
}

/// Returns the number of instructions of a benchmark.
fn instructions(summary: &Value) -> Option<u64> {
    summary.pointer("/profiles/0/data/total/metrics/Ir/values/new")?.as_u64()
}

/// Prints a line per entry. Returns `true` if both tables have the same entries and none grew by
/// more than `percent`.
fn compare(old: &Table, new: &Table, percent: f64) -> bool {
    let mut is_good = true;
    println!("{:>12} {:>12} {:>7}  entry", "old", "new", "ratio");
    for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
        let [_, kernel, entry] = key;
        let (before, after) = (old.get(key).copied(), new.get(key).copied());
        let ratio = before.zip(after).map(|(before, after)| after as f64 / before as f64);
        let is_fine = ratio.is_some_and(|ratio| ratio <= 1.0 + percent / 100.0);
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

fn read(text: &str) -> Result<Table, Error> {
    let mut table = Table::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [version, kernel, entry, count] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("{TABLE}: not four columns: {line}").into());
        };
        table.insert([version, kernel, entry].map(str::to_owned), count.parse()?);
    }
    Ok(table)
}

fn write(table: &Table) -> String {
    let line = |(key, count): (&[String; 3], &u64)| format!("{}\t{count}\n", key.join("\t"));
    HEADER.to_owned() + &table.iter().map(line).collect::<String>()
}
