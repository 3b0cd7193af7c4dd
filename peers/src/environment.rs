//! The environment of a run: processor, compiler and crate versions.

use std::fs;
use std::process::Command;

const LOCK: &str = include_str!("../Cargo.lock");

/// Returns the head of a results page for these crates and command line options.
pub fn page_head(title: &str, crates: &[&str], notes: &str, options: &str) -> String {
    let crates: Vec<_> = crates.iter().flat_map(|name| versions(name)).collect();
    format!(
        "# {title}\n\n\
         - Processor: {}\n\
         - Compiler: {}\n\
         - Crates: {}\n\
         - {notes}\n\n\
         To reproduce:\n\n\
         ```sh\n\
         cargo run --release --manifest-path peers/Cargo.toml -- {options}\n\
         ```\n\n\
         `peers/README.md` describes the contenders and the workloads.\n",
        processor(),
        compiler(),
        crates.join(", "),
    )
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    model.unwrap_or("unknown").to_owned()
}

fn compiler() -> String {
    match Command::new("rustc").arg("--version").output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(_) => "unknown".to_owned(),
    }
}

/// Returns the crate name with each of its versions in the lock file.
fn versions(name: &str) -> Vec<String> {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let versions = LOCK.split(&entry).skip(1);
    versions
        .filter_map(|rest| rest.split('"').next())
        .map(|version| format!("{name} {version}"))
        .collect()
}
