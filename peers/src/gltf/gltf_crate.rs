//! The gltf crate, which is measured in a program of its own: built beside pleach-gltf it would
//! share serde_json's features with it, and be slower than it is.
//!
//! The process only ever runs while this one waits for its answer, so the rounds stay interleaved.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::allocations::Tally;

/// Builds it if need be, next to this build, and tells where it is. Under `cargo run`, cargo
/// says how; started by hand, a build from an earlier run is used if there is one.
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

/// The gltf crate with a file.
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

    /// Nanoseconds of what the word stands for.
    pub fn time(&mut self, command: &str) -> f64 {
        self.request(command).trim().parse().expect("a number of nanoseconds")
    }

    /// The memory of what the word stands for.
    pub fn tally(&mut self, command: &str) -> Tally {
        let answer = self.request(&format!("tally {command}"));
        let mut numbers =
            answer.split_whitespace().map(|it| it.parse().expect("a number of bytes"));
        let mut next = || numbers.next().expect("two numbers");
        Tally { bytes: next(), peak: next() }
    }

    fn request(&mut self, command: &str) -> String {
        writeln!(self.to, "{command}").expect("the gltf crate's program has ended");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("the gltf crate's program has ended");
        assert!(!answer.is_empty(), "the gltf crate's program has ended at `{command}`");
        answer
    }
}

impl Drop for GltfCrate {
    fn drop(&mut self) {
        // It waits for a word, and holds nothing that would be lost.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
