//! The program works although no thread can be created.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::yard;

/// Runs the program as a user with at most `limit` processes, threads included.
fn run_limited(limit: u32, directory: &Path, arguments: &str) -> Option<Output> {
    let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut command = Command::new("setpriv");
    command.args(user).arg("prlimit").arg(format!("--nproc={limit}"));
    command.arg(env!("CARGO_BIN_EXE_pleach")).args(arguments.split(' ')).current_dir(directory);
    command.output().ok()
}

#[test]
fn no_command_fails_because_a_thread_cannot_be_created() {
    let here = yard::directory();
    let node = r#"{"name":"a node","translation":[1.0,2.0,3.0]}"#;
    let nodes = vec![node; 30_000].join(",");
    let many = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]}}"#);
    here.write("many.gltf", many);
    here.write("questions.json", "{}");
    for limit in [1, 2] {
        let version = run_limited(limit, here.path(), "--version");
        if !version.is_some_and(|it| it.status.success()) {
            testkit::skip("needs setpriv, prlimit and the right to change the user");
            return;
        }
        for arguments in [
            "info yard.glb",
            "info many.gltf",
            "check many.gltf --json",
            "stats many.gltf",
            "query many.gltf questions.json",
            "render yard.glb -o /dev/null/a.png --size 8x8",
        ] {
            let output = run_limited(limit, here.path(), arguments).unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!errors.contains("panicked"), "{limit} processes, {arguments}: {errors}");
            // The picture cannot be written.
            let expected = if arguments.starts_with("render") { 1 } else { 0 };
            assert_eq!(output.status.code(), Some(expected), "{arguments}: {errors}");
        }
    }
}
