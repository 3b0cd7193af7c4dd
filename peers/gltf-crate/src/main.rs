//! The gltf crate in a process of its own. It does its own timing, and runs only on a command on
//! its standard input: one of those of [`respond`]. The file is its argument.

#[path = "../../src/allocations.rs"]
mod allocations;

use std::hint::black_box;
use std::time::Instant;
use std::{env, fs, io};

fn main() {
    let path = env::args().nth(1).expect("the first argument is a file");
    let bytes = fs::read(&path).expect("the file is readable");
    for line in io::stdin().lines() {
        println!("{}", respond(&line.expect("the input is text"), &path, &bytes));
    }
}

fn respond(command: &str, path: &str, bytes: &[u8]) -> String {
    let slice = || gltf::import_slice(bytes).expect("the file is valid");
    let file = || gltf::import(path).expect("the file is valid");
    match command {
        "slice" => time(slice, true),
        "slice, with drop" => time(slice, false),
        "file" => time(file, true),
        "tally slice" => tally(slice),
        "tally file" => tally(file),
        "write JSON" => {
            let document = gltf::Gltf::from_slice(bytes).expect("the file is valid");
            let json = document.document.into_json();
            time(|| gltf::json::serialize::to_vec(&json).expect("the document is valid"), true)
        }
        _ => panic!("unknown command `{command}`"),
    }
}

/// Runs `work` once untimed and once timed, and returns nanoseconds, with or without dropping the
/// result.
fn time<T>(work: impl Fn() -> T, drop_untimed: bool) -> String {
    drop(black_box(work()));
    let start = Instant::now();
    let result = black_box(work());
    let time = start.elapsed();
    drop(result);
    let time = if drop_untimed { time } else { start.elapsed() };
    time.as_nanos().to_string()
}

fn tally<T>(work: impl FnOnce() -> T) -> String {
    let (result, tally) = allocations::tally(work);
    drop(black_box(result));
    format!("{} {}", tally.bytes, tally.peak)
}
