//! The gltf crate in a process of its own. It does its own timing, and runs only when it is asked
//! by a line on its input: one of [`answer`]'s words. The file is its argument.

#[path = "../../src/allocations.rs"]
mod allocations;

use std::hint::black_box;
use std::time::Instant;
use std::{env, fs, io};

fn main() {
    let path = env::args().nth(1).expect("a file");
    let bytes = fs::read(&path).expect("the file is there");
    for line in io::stdin().lines() {
        println!("{}", respond(&line.expect("words"), &path, &bytes));
    }
}

fn respond(command: &str, path: &str, bytes: &[u8]) -> String {
    let slice = || gltf::import_slice(bytes).expect("the file is right");
    let file = || gltf::import(path).expect("the file is right");
    match command {
        "slice" => time(slice, true),
        "slice, with drop" => time(slice, false),
        "file" => time(file, true),
        "tally slice" => tally(slice),
        "tally file" => tally(file),
        "write JSON" => {
            let document = gltf::Gltf::from_slice(bytes).expect("the file is right");
            let json = document.document.into_json();
            time(|| gltf::json::serialize::to_vec(&json).expect("it was read"), true)
        }
        _ => panic!("`{command}` is not known"),
    }
}

/// Nanoseconds, with or without the end of what was made; once before that is not timed.
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
