//! The gltf crate, measured in a separate program: in the same build as pleach-gltf it would share
//! serde_json's features with it, and be slower.
//!
//! The process runs only while this one waits for its reply, so the rounds stay interleaved.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::allocations::Tally;

/// Builds it if necessary, next to this build, and returns its path. Requires `cargo run`;
/// otherwise an existing build is used if there is one.
pub fn build() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let target = program.parent()?.parent()?.join("gltf-crate");
    if let Some(cargo) = env::var_os("CARGO") {
        eprintln!("Building the program for the gltf crate.");
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--release", "--locked", "--manifest-path"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("gltf-crate/Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return None;
        }
    }
    let name = format!("pleach-peers-gltf{}", env::consts::EXE_SUFFIX);
    let built = target.join("release").join(name);
    built.is_file().then_some(built)
}

/// A process with the gltf crate and a file.
pub struct GltfCrate {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl GltfCrate {
    pub fn start(program: &Path, file: &Path) -> Result<Self, String> {
        let child =
            Command::new(program).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("{}: {error}", program.display()))?;
        let to = child.stdin.take().expect("stdin is piped");
        let from = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Ok(Self { child, to, from })
    }

    /// Runs a command and returns its nanoseconds.
    pub fn time(&mut self, command: &str) -> f64 {
        self.request(command).trim().parse().expect("the reply is a number of nanoseconds")
    }

    /// Runs a command and returns its memory use.
    pub fn tally(&mut self, command: &str) -> Tally {
        let answer = self.request(&format!("tally {command}"));
        let mut numbers =
            answer.split_whitespace().map(|it| it.parse().expect("the reply is a number of bytes"));
        let mut next = || numbers.next().expect("the reply has two numbers");
        Tally { bytes: next(), peak: next() }
    }

    fn request(&mut self, command: &str) -> String {
        writeln!(self.to, "{command}").expect("the gltf crate's program is running");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("the gltf crate's program is running");
        assert!(!answer.is_empty(), "the gltf crate's program has exited at `{command}`");
        answer
    }
}

impl Drop for GltfCrate {
    fn drop(&mut self) {
        // The process waits for a command and has no unsaved state.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
