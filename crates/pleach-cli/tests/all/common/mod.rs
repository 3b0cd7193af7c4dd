//! Shared test utilities: running the program, directories, goldens, models, small scenes.

#![allow(dead_code, unreachable_pub)] // each file of tests uses a part of this

pub(crate) mod broken_files;
pub(crate) mod gltf_builder;
pub(crate) mod yard;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use serde_json::Value;

// ---- running ----

/// The result of running the program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Returns stdout, asserting the exit code.
    #[track_caller]
    pub(crate) fn text(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Returns stdout as JSON, asserting the exit code.
    #[track_caller]
    pub(crate) fn json(self, code: i32) -> Value {
        let text = self.text(code);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Returns the error, asserting that it is one line, the exit code is 1 and stdout is empty.
    #[track_caller]
    pub(crate) fn error(self) -> String {
        assert_eq!((self.code, &*self.stdout), (Some(1), ""), "{}", self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        self.stderr.trim_end().into()
    }
}

/// The program, independent of the environment of this machine.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pleach"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE", "COLUMNS"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs the program in a directory, asserting that it neither panics nor is killed.
#[track_caller]
pub(crate) fn run(
    directory: &Path,
    args: impl IntoIterator<Item = impl AsRef<OsStr>> + Clone,
) -> Run {
    let shown: Vec<_> = args.clone().into_iter().map(|it| it.as_ref().to_os_string()).collect();
    let output = command().current_dir(directory).args(args).output().unwrap();
    let run = Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    assert!(!run.stderr.contains("panicked"), "{shown:?} panicked: {}", run.stderr);
    assert!(run.code.is_some_and(|code| (0..=2).contains(&code)), "{shown:?}: {run:?}");
    run
}

// ---- directories ----

/// A temporary directory, removed on drop.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pleach-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    /// Runs the program here with arguments separated by spaces.
    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> Run {
        run(&self.0, line.split_whitespace())
    }

    /// Runs the program here with a closed stdout, and returns the exit code.
    pub(crate) fn run_with_closed_stdout(&self, line: &str) -> Option<i32> {
        let mut command = command();
        command.current_dir(&self.0).args(line.split_whitespace());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        child.wait().unwrap().code()
    }

    /// Asserts that each of these command lines is a usage error with nothing on stdout.
    #[track_caller]
    pub(crate) fn assert_usage_errors(&self, lines: &[&str]) {
        for line in lines {
            let run = self.run(line);
            assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {}", run.stderr);
        }
    }

    /// Runs the program here with these arguments.
    #[track_caller]
    pub(crate) fn run_args(&self, args: &[&str]) -> Run {
        run(&self.0, args)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

// ---- goldens ----

/// Compares a text with the file `name` in `tests/golden`, or writes the file with
/// `PLEACH_BLESS=1`.
#[track_caller]
pub(crate) fn golden(name: &str, got: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if env::var_os("PLEACH_BLESS").is_some_and(|it| it == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, got).unwrap();
        return;
    }
    let want = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{name}: {error}; PLEACH_BLESS=1 writes it; then review it")
    });
    // Git on Windows may have changed the line endings.
    let want = want.replace("\r\n", "\n");
    if got != want {
        let line = got.lines().zip(want.lines()).position(|(got, want)| got != want);
        let line = line.unwrap_or_else(|| got.lines().count().min(want.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_string();
        panic!(
            "{name} differs in line {}; PLEACH_BLESS=1 rewrites it\n got: {}\nwant: {}\n\nfull text:\n{got}",
            line + 1,
            at(got),
            at(&want),
        );
    }
}

// ---- models ----

/// Returns the names and files of the sample models, or `None`, with a printed notice, if they are
/// not available and not required.
pub(crate) fn models() -> Option<Vec<(String, PathBuf)>> {
    let directory = testkit::sample_models()?;
    let entries = fs::read_dir(&directory).unwrap();
    let mut found: Vec<(String, PathBuf)> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| {
            let expected = fs::read_to_string(path.join("expected.json")).unwrap();
            let expected: Value = serde_json::from_str(&expected).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, path.join(expected["file"].as_str().unwrap()))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{} has no models", directory.display());
    Some(found)
}

/// Runs a command on every sample model, with `FILE` as placeholder, once with text and once with
/// JSON output, asserting exit code 0 or 1 and one JSON value.
pub(crate) fn answers_for_all_models(line: &str) {
    let Some(models) = models() else { return };
    let here = Directory::new();
    for (name, path) in models {
        let args = |json: &'static str| {
            let args = line.split_whitespace().chain(json.split_whitespace());
            let file = path.as_os_str();
            args.map(|it| if it == "FILE" { file } else { OsStr::new(it) }).collect::<Vec<_>>()
        };
        let text = run(here.path(), args(""));
        let json = run(here.path(), args("--json"));
        assert!(matches!(text.code, Some(0 | 1)), "{name}: {text:?}");
        assert_eq!(text.code, json.code, "{name}: {json:?}");
        assert_eq!(text.stdout.is_empty(), json.stdout.is_empty(), "{name}: {text:?} {json:?}");
        if json.stdout.is_empty() {
            // No answer: a one-line error.
            json.error();
        } else {
            let value: Result<Value, _> = serde_json::from_str(&json.stdout);
            assert!(value.is_ok_and(|value| value.is_object()), "{name}: {}", json.stdout);
        }
    }
}
