//! Too little memory for a file is an error, not the end of the process.
//!
//! Each case runs in a separate process whose address space is limited by the shell.

use std::process::Command;
use std::{env, fs, thread};

use pleach_gltf::ErrorKind;

use crate::common::temp_dir::TempDir;

const FILE: &str = "PLEACH_TEST_MEMORY_FILE";

/// Runs the current test again with a limit of `kilobytes`, and returns what it printed.
fn run_limited(kilobytes: usize, file: &str) -> String {
    let test = thread::current().name().expect("the runner names its threads").to_string();
    let program = env::current_exe().unwrap();
    let limit = if kilobytes == 0 { String::new() } else { format!("ulimit -v {kilobytes};") };
    let script = format!("{limit} exec \"$0\" \"$1\" --exact --nocapture --test-threads=1");
    let mut child = Command::new("bash");
    child.args(["-c", &script]).arg(program).arg(test).env(FILE, file);
    // One heap for all threads, so that the limit means the same on all machines.
    let output =
        child.env("MALLOC_ARENA_MAX", "1").env("RUST_MIN_STACK", "262144").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{kilobytes} kB: {}\n{text}\n{errors}", output.status);
    text
}

/// Returns the address space of this process in kilobytes.
fn address_space() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmSize:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn b1_too_little_memory_is_an_error() {
    if let Ok(file) = env::var(FILE) {
        println!("address space: {}", address_space());
        if file.is_empty() {
            return;
        }
        match pleach_gltf::load(&file) {
            Ok(document) => println!("result: loaded {}", document.scenes()[0].graph.len()),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
                println!("result: {error}");
            }
        }
        return;
    }
    let directory = TempDir::new("memory");
    // Each node is as long as in the file that aborted: 59 bytes.
    const NODES: usize = 100_000;
    let node = r#"{"name":"a node","translation":[1.0,2.0,3.0],"mesh":null},"#;
    let nodes = node.repeat(NODES);
    let roots: Vec<String> = (0..NODES).map(|it| it.to_string()).collect();
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[{}]}}],"nodes":[{}]}}"#,
        roots.join(","),
        nodes.trim_end_matches(',')
    );
    directory.write("many.gltf", text.as_bytes());
    let path = directory.at("many.gltf");
    let path = path.to_str().unwrap();
    let number = |text: &str| -> usize {
        let line = text.lines().find(|line| line.contains("address space: ")).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let base = number(&run_limited(0, ""));
    let mut refused = 0;
    // In steps that are much smaller than any of the large allocations.
    for megabytes in [2, 6, 12, 20, 30, 40, 50, 60, 70, 80, 100] {
        let text = run_limited(base + megabytes * 1024, path);
        let result = text.lines().find(|line| line.contains("result: ")).unwrap();
        println!("{megabytes} MB: {result}");
        refused += usize::from(!result.contains("loaded"));
    }
    assert!(refused >= 5, "{refused} of the limits were too small");
    let text = run_limited(base + (1 << 20), path);
    assert!(text.contains(&format!("result: loaded {}", NODES + 2)), "{text}");
}
